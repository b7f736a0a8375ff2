#include <cstdint>

#include "dense/int8_dense.h"
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
Status Read(OpKernelContext* context, Int8Dense* dense) {
  const Tensor &values = context->input(0), &panels = context->input(1);
  const Tensor &scales = context->input(2), &sums = context->input(3), &bias = context->input(4);
  TF_RETURN_IF_ERROR(CheckRank("values", values, 2));
  TF_RETURN_IF_ERROR(CheckRank("panels", panels, 4));
  TF_RETURN_IF_ERROR(CheckRank("scales", scales, 1));
  dense->rows = values.dim_size(0);
  dense->depth = values.dim_size(1);
  dense->units = scales.dim_size(0);
  if (dense->depth < 1 || dense->depth > kMostInt8Depth) {
    return InvalidArgument("values must have 1 to ", kMostInt8Depth, " columns. Received: shape ",
                           values.shape().DebugString());
  }
  TF_RETURN_IF_ERROR(CheckShape("panels", panels,
                                {dense->num_panels(), dense->groups(), kInt8Columns, kInt8Group}));
  TF_RETURN_IF_ERROR(CheckShape("sums", sums, {dense->units}));
  TF_RETURN_IF_ERROR(CheckShape("bias", bias, {dense->units}));
  dense->values = values.flat<float>().data();
  dense->panels = panels.flat<tensorflow::int8>().data();
  dense->scales = scales.flat<float>().data();
  dense->sums = sums.flat<int32_t>().data();
  dense->bias = bias.flat<float>().data();
  return tensorflow::OkStatus();
}

class Int8DenseOp : public tensorflow::OpKernel {
 public:
  explicit Int8DenseOp(tensorflow::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("gelu", &gelu_));
  }

  void Compute(OpKernelContext* context) override {
    Int8Dense dense;
    OP_REQUIRES_OK(context, Read(context, &dense));
    Tensor* outputs;
    OP_REQUIRES_OK(context,
                   AllocateOutput(context, 0, "values", {dense.rows, dense.units}, &outputs));
    dense.gelu = gelu_;
    dense.outputs = outputs->flat<float>().data();
    if (outputs->NumElements() > 0) RunInt8Dense(dense, BestInt8Loops(), ThreadPool(context));
  }

 private:
  bool gelu_;
};

REGISTER_KERNEL_BUILDER(Name("Coref>Int8Dense").Device(tensorflow::DEVICE_CPU), Int8DenseOp);

}  // namespace
}  // namespace coref
