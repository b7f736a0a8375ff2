#include <cmath>
#include <cstdint>

#include "attention/self_attention.h"
#include "shared/kernel_inputs.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"

namespace coref {
namespace {

using tensorflow::OpKernelContext;
using tensorflow::Status;
using tensorflow::Tensor;
using tensorflow::errors::InvalidArgument;

// Checks the inputs, and fills in everything except the outputs.
Status Read(OpKernelContext* context, SelfAttention* attention) {
  const Tensor &projected = context->input(0), &relative = context->input(1);
  TF_RETURN_IF_ERROR(CheckRank("projected", projected, 3));
  TF_RETURN_IF_ERROR(CheckRank("relative", relative, 2));
  attention->windows = projected.dim_size(0);
  attention->pieces = projected.dim_size(1);
  attention->heads = relative.dim_size(0);
  const int64_t columns = projected.dim_size(2);
  if (attention->heads < 1 || columns < 1 || columns % (3 * attention->heads) != 0) {
    return InvalidArgument("projected must have 3 columns or a multiple of that for each of the ",
                           attention->heads, " heads of relative. Received: shape ",
                           projected.shape().DebugString());
  }
  attention->size = columns / 3 / attention->heads;
  attention->scale = 1 / std::sqrt(static_cast<float>(attention->size));
  attention->projected = projected.flat<float>().data();
  attention->relative = nullptr;
  if (relative.dim_size(1) > 0) {
    TF_RETURN_IF_ERROR(
        CheckShape("relative", relative, {attention->heads, 2 * attention->pieces - 1}));
    attention->relative = relative.flat<float>().data();
  }
  return tensorflow::OkStatus();
}

class SelfAttentionOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    SelfAttention attention;
    OP_REQUIRES_OK(context, Read(context, &attention));
    Tensor* outputs;
    OP_REQUIRES_OK(
        context,
        AllocateOutput(context, 0, "projected",
                       {attention.windows, attention.pieces, attention.hidden()}, &outputs));
    attention.outputs = outputs->flat<float>().data();
    if (outputs->NumElements() > 0) {
      RunSelfAttention(attention, LoopsOfThisProcessor(), ThreadPool(context));
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("Coref>SelfAttention").Device(tensorflow::DEVICE_CPU),
                        SelfAttentionOp);

}  // namespace
}  // namespace coref
