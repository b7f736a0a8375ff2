// For builds without CUDA: the CPU kernels, registered for GPUs with their arguments in host
// memory, so that a model placed on a GPU runs. Not linked if the CUDA kernels are.

#include "antecedents/antecedents_kernel.h"
#include "spans/extract_spans_kernel.h"

namespace coref {

using tensorflow::DEVICE_GPU;

REGISTER_KERNEL_BUILDER(Name("Coref>ExtractSpans")
                            .Device(DEVICE_GPU)
                            .HostMemory("span_scores")
                            .HostMemory("candidate_starts")
                            .HostMemory("candidate_ends")
                            .HostMemory("num_output_spans")
                            .HostMemory("span_indices"),
                        ExtractSpansOp<Cpu>);
REGISTER_KERNEL_BUILDER(Name("Coref>NearestAntecedents")
                            .Device(DEVICE_GPU)
                            .HostMemory("num_spans")
                            .HostMemory("max_antecedents")
                            .HostMemory("antecedents")
                            .HostMemory("lengths"),
                        NearestAntecedentsOp<Cpu>);
REGISTER_KERNEL_BUILDER(Name("Coref>TopAntecedents")
                            .Device(DEVICE_GPU)
                            .HostMemory("coarse_scores")
                            .HostMemory("max_antecedents")
                            .HostMemory("antecedents")
                            .HostMemory("lengths"),
                        TopAntecedentsOp<Cpu>);

}  // namespace coref
