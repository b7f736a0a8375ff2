// The kernel of Coref>ExtractSpans: checks the shapes of the inputs, then calls the device
// function.

#ifndef COREF_KERNELS_SPANS_EXTRACT_SPANS_KERNEL_H_
#define COREF_KERNELS_SPANS_EXTRACT_SPANS_KERNEL_H_

#include <cstdint>

#include "shared/kernel_inputs.h"
#include "spans/span_pruning.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace coref {

// Checks the candidates, which are in device memory, and sets output 0.
tensorflow::Status RunExtractSpans(Cpu, tensorflow::OpKernelContext* context,
                                   const Candidates& candidates, int32_t num_output_spans);
tensorflow::Status RunExtractSpans(Gpu, tensorflow::OpKernelContext* context,
                                   const Candidates& candidates, int32_t num_output_spans);

template <typename Device>
class ExtractSpansOp : public tensorflow::OpKernel {
 public:
  using tensorflow::OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& scores = context->input(0);
    const tensorflow::Tensor& starts = context->input(1);
    const tensorflow::Tensor& ends = context->input(2);
    OP_REQUIRES_OK(context, CheckRank("span_scores", scores, 1));
    OP_REQUIRES_OK(context, CheckRank("candidate_starts", starts, 1));
    OP_REQUIRES_OK(context, CheckRank("candidate_ends", ends, 1));
    OP_REQUIRES_OK(context, CheckLength("candidate_starts", starts, "span_scores", scores));
    OP_REQUIRES_OK(context, CheckLength("candidate_ends", ends, "span_scores", scores));
    int32_t num_output_spans;
    OP_REQUIRES_OK(context, ReadCount("num_output_spans", context->input(3), &num_output_spans));
    const Candidates candidates{scores.flat<float>().data(), starts.flat<int32_t>().data(),
                                ends.flat<int32_t>().data(),
                                static_cast<int32_t>(scores.NumElements())};
    OP_REQUIRES_OK(context, RunExtractSpans(Device(), context, candidates, num_output_spans));
  }
};

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_EXTRACT_SPANS_KERNEL_H_
