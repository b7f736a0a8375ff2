#include <algorithm>
#include <cstdint>

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// Returns the value of a scalar input; -1 if it is unknown, or if the kernel would reject it.
int64_t KnownCount(InferenceContext* context, int input) {
  const tensorflow::Tensor* value = context->input_tensor(input);
  return value == nullptr ? -1 : std::max(value->scalar<int32_t>()(), -1);
}

// antecedents [r, c] and lengths [r], c = min(k, max_antecedents).
tensorflow::Status SetAntecedentShapes(InferenceContext* context, DimensionHandle num_rows,
                                       DimensionHandle num_spans) {
  const int64_t spans = InferenceContext::Value(num_spans), most = KnownCount(context, 1);
  DimensionHandle columns = context->UnknownDim();
  if (most == 0 || (most > 0 && spans >= 0))
    columns = context->MakeDim(most ? std::min(spans, most) : 0);
  context->set_output(0, context->Matrix(num_rows, columns));
  context->set_output(1, context->Vector(num_rows));
  return tensorflow::OkStatus();
}

tensorflow::Status InferNearest(InferenceContext* context) {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 0, &scalar));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 0, &scalar));
  const DimensionHandle num_spans = context->MakeDim(KnownCount(context, 0));
  return SetAntecedentShapes(context, num_spans, num_spans);
}

tensorflow::Status InferTop(InferenceContext* context) {
  ShapeHandle scores, scalar;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 2, &scores));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 0, &scalar));
  return SetAntecedentShapes(context, context->Dim(scores, 0), context->Dim(scores, 1));
}

REGISTER_OP("Coref>NearestAntecedents")
    .Input("num_spans: int32")
    .Input("max_antecedents: int32")
    .Output("antecedents: int32")
    .Output("lengths: int32")
    .SetShapeFn(InferNearest)
    .Doc(R"doc(
Returns the nearest preceding spans of each span, in document order.

num_spans: [], k, the number of spans, not negative; 0 gives empty output.
max_antecedents: [], the maximum number of antecedents of a span, not negative.
antecedents: [k, c], c = min(k, max_antecedents); row i starts with the spans max(0, i - c) to i - 1, the rest
  is 0.
lengths: [k], the number of antecedents in each row: min(i, c).
)doc");

REGISTER_OP("Coref>TopAntecedents")
    .Input("coarse_scores: float")
    .Input("max_antecedents: int32")
    .Output("antecedents: int32")
    .Output("lengths: int32")
    .SetShapeFn(InferTop)
    .Doc(R"doc(
Returns the highest-scoring preceding spans of each of the last spans, best first; ties go to the nearer span.

coarse_scores: [r, k], r <= k; row n scores the antecedents of span i = k - r + n, and only its columns j < i
  are read. -inf is valid and comes last, NaN is an error. Without rows, the output is empty.
max_antecedents: [], the maximum number of antecedents of a span, not negative.
antecedents: [r, c], c = min(k, max_antecedents); values after the end of a row are 0.
lengths: [r], the number of antecedents in each row: min(i, c).
)doc");

}  // namespace
}  // namespace coref
