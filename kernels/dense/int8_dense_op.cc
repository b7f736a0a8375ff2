#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

tensorflow::Status InferOutputs(InferenceContext* context) {
  ShapeHandle values, panels, vector;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 2, &values));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 4, &panels));
  DimensionHandle units = context->UnknownDim();
  for (int i = 2; i < 5; ++i) {
    TF_RETURN_IF_ERROR(context->WithRank(context->input(i), 1, &vector));
    TF_RETURN_IF_ERROR(context->Merge(units, context->Dim(vector, 0), &units));
  }
  context->set_output(0, context->Matrix(context->Dim(values, 0), units));
  return tensorflow::OkStatus();
}

REGISTER_OP("Coref>Int8Dense")
    .Input("values: float")
    .Input("panels: int8")
    .Input("scales: float")
    .Input("sums: int32")
    .Input("bias: float")
    .Output("outputs: float")
    .Attr("gelu: bool = false")
    .SetShapeFn(InferOutputs)
    .Doc(R"doc(
Multiplies values with an int8 matrix, scaled by column, and adds the bias; optionally applies GELU.

Each row of values is quantized separately, to integers from 0 to 255, or to 127 if the processor cannot add
products of 8 bits, in equal steps from its minimum to its maximum; rounding to nearest, ties to even. Sums of
products are exact. A row that contains NaN or an infinity gives NaN.

values: [rows, depth]; depth from 1 to 65,536. Without rows, there are no outputs.
panels: [ceil(units / 16), ceil(depth / 4), 16, 4], the matrix [depth, units], padded with zeros:
  panels[p, g, c, i] is row 4 g + i, column 16 p + c.
scales: [units], the scale of each column.
sums: [units], the sum of each column of the matrix.
bias: [units].
outputs: [rows, units].
)doc");

}  // namespace
}  // namespace coref
