#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

tensorflow::Status InferOutputs(InferenceContext* context) {
  ShapeHandle projected, relative;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 3, &projected));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 2, &relative));
  DimensionHandle hidden;
  TF_RETURN_IF_ERROR(context->Divide(context->Dim(projected, 2), 3, true, &hidden));
  context->set_output(
      0, context->MakeShape({context->Dim(projected, 0), context->Dim(projected, 1), hidden}));
  return tensorflow::OkStatus();
}

REGISTER_OP("Coref>SelfAttention")
    .Input("projected: float")
    .Input("relative: float")
    .Output("outputs: float")
    .SetShapeFn(InferOutputs)
    .Doc(R"doc(
Computes softmax(q k' / sqrt(head size) + relative) v of every head, concatenated.

projected: [windows, pieces, 3 * hidden]: the queries, keys and values of each piece; hidden is a
  multiple of the number of heads. Without windows or pieces, there are no outputs.
relative: [heads, 2 * pieces - 1], the bias of a score, indexed by the position of its key minus that of
  its query, plus pieces - 1; [heads, 0] for no bias. The number of heads is positive.
outputs: [windows, pieces, hidden].
)doc");

}  // namespace
}  // namespace coref
