#define EIGEN_USE_GPU

#include "spans/extract_spans_kernel.h"

#include "device/cuda_grid.h"
#include "spans/device_span_pruning.h"

namespace coref {

tensorflow::Status RunExtractSpans(Gpu, tensorflow::OpKernelContext* context,
                                   const Candidates& candidates, int32_t num_output_spans) {
  CudaGrid grid(context);
  const int32_t faulty = FindFirstFault(&grid, candidates);
  TF_RETURN_IF_ERROR(grid.status());
  if (faulty >= 0) {
    float score;
    int32_t start, end;
    grid.Read(candidates.scores + faulty, 1, &score);
    grid.Read(candidates.starts + faulty, 1, &start);
    grid.Read(candidates.ends + faulty, 1, &end);
    TF_RETURN_IF_ERROR(grid.status());
    return tensorflow::errors::InvalidArgument(DescribeFault(faulty, score, start, end));
  }
  const KeptSpans kept = KeepSpans(&grid, candidates, num_output_spans);
  TF_RETURN_IF_ERROR(grid.status());
  tensorflow::Tensor* output;
  TF_RETURN_IF_ERROR(context->allocate_output(0, tensorflow::TensorShape({kept.count}), &output));
  WriteSpans(&grid, candidates, kept, output->flat<int32_t>().data());
  return grid.status();
}

REGISTER_KERNEL_BUILDER(
    Name("Coref>ExtractSpans").Device(tensorflow::DEVICE_GPU).HostMemory("num_output_spans"),
    ExtractSpansOp<Gpu>);

}  // namespace coref
