#include "spans/extract_spans_kernel.h"

#include <algorithm>
#include <string>
#include <vector>

namespace coref {

tensorflow::Status RunExtractSpans(Cpu, tensorflow::OpKernelContext* context,
                                   const Candidates& candidates, int32_t num_output_spans) {
  const std::string fault = DescribeFaults(candidates);
  if (!fault.empty()) return tensorflow::errors::InvalidArgument(fault);
  const std::vector<int32_t> kept = ExtractSpans(candidates, num_output_spans, ThreadPool(context));
  tensorflow::Tensor* output;
  const auto size = static_cast<int64_t>(kept.size());
  TF_RETURN_IF_ERROR(context->allocate_output(0, tensorflow::TensorShape({size}), &output));
  std::copy(kept.begin(), kept.end(), output->flat<int32_t>().data());
  return tensorflow::OkStatus();
}

REGISTER_KERNEL_BUILDER(Name("Coref>ExtractSpans").Device(tensorflow::DEVICE_CPU),
                        ExtractSpansOp<Cpu>);

}  // namespace coref
