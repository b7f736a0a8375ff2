// The kernels of Coref>NearestAntecedents and Coref>TopAntecedents: check the shapes of the inputs,
// allocate the outputs, call the device function.

#ifndef COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_KERNEL_H_
#define COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_KERNEL_H_

#include <algorithm>
#include <cstdint>

#include "antecedents/antecedents.h"
#include "shared/kernel_inputs.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace coref {

// Allocates rows for the last `num_rows` spans; `input` names the input that determines the number.
inline tensorflow::Status AllocateRows(tensorflow::OpKernelContext* context, const char* input,
                                       int32_t num_rows, int32_t num_spans, int32_t max_antecedents,
                                       AntecedentRows* rows) {
  const int32_t columns = std::min(num_spans, max_antecedents);
  tensorflow::Tensor *antecedents, *lengths;
  TF_RETURN_IF_ERROR(AllocateOutput(context, 0, input, {num_rows, columns}, &antecedents));
  TF_RETURN_IF_ERROR(AllocateOutput(context, 1, input, {num_rows}, &lengths));
  *rows = {antecedents->flat<int32_t>().data(), lengths->flat<int32_t>().data(), num_rows, columns,
           num_spans - num_rows};
  return tensorflow::OkStatus();
}

tensorflow::Status RunNearestAntecedents(Cpu, tensorflow::OpKernelContext* context,
                                         const AntecedentRows& rows);
tensorflow::Status RunNearestAntecedents(Gpu, tensorflow::OpKernelContext* context,
                                         const AntecedentRows& rows);

// Also checks the scores [num_rows, num_spans].
tensorflow::Status RunTopAntecedents(Cpu, tensorflow::OpKernelContext* context, const float* scores,
                                     const AntecedentRows& rows);
tensorflow::Status RunTopAntecedents(Gpu, tensorflow::OpKernelContext* context, const float* scores,
                                     const AntecedentRows& rows);

template <typename Device>
class NearestAntecedentsOp : public tensorflow::OpKernel {
 public:
  using tensorflow::OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    int32_t num_spans, max_antecedents;
    OP_REQUIRES_OK(context, ReadCount("num_spans", context->input(0), &num_spans));
    OP_REQUIRES_OK(context, ReadCount("max_antecedents", context->input(1), &max_antecedents));
    AntecedentRows rows;
    OP_REQUIRES_OK(
        context, AllocateRows(context, "num_spans", num_spans, num_spans, max_antecedents, &rows));
    OP_REQUIRES_OK(context, RunNearestAntecedents(Device(), context, rows));
  }
};

template <typename Device>
class TopAntecedentsOp : public tensorflow::OpKernel {
 public:
  using tensorflow::OpKernel::OpKernel;

  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& scores = context->input(0);
    OP_REQUIRES_OK(context, CheckRank("coarse_scores", scores, 2));
    OP_REQUIRES(context, scores.dim_size(0) <= scores.dim_size(1),
                tensorflow::errors::InvalidArgument(
                    "coarse_scores must not have more rows than columns. Received: shape ",
                    scores.shape().DebugString()));
    int32_t max_antecedents;
    OP_REQUIRES_OK(context, ReadCount("max_antecedents", context->input(1), &max_antecedents));
    AntecedentRows rows;
    const auto num_rows = static_cast<int32_t>(scores.dim_size(0));
    const auto num_spans = static_cast<int32_t>(scores.dim_size(1));
    OP_REQUIRES_OK(context, AllocateRows(context, "coarse_scores", num_rows, num_spans,
                                         max_antecedents, &rows));
    OP_REQUIRES_OK(context,
                   RunTopAntecedents(Device(), context, scores.flat<float>().data(), rows));
  }
};

}  // namespace coref

#endif  // COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_KERNEL_H_
