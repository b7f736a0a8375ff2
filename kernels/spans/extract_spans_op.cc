#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

tensorflow::Status InferShape(InferenceContext* context) {
  ShapeHandle scores, starts, ends, count;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 1, &scores));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(1), 1, &starts));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(2), 1, &ends));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(3), 0, &count));
  DimensionHandle num_spans;
  TF_RETURN_IF_ERROR(context->Merge(context->Dim(scores, 0), context->Dim(starts, 0), &num_spans));
  TF_RETURN_IF_ERROR(context->Merge(num_spans, context->Dim(ends, 0), &num_spans));
  context->set_output(0, context->Vector(InferenceContext::kUnknownDim));
  return tensorflow::OkStatus();
}

REGISTER_OP("Coref>ExtractSpans")
    .Input("span_scores: float")
    .Input("candidate_starts: int32")
    .Input("candidate_ends: int32")
    .Input("num_output_spans: int32")
    .Output("span_indices: int32")
    .SetShapeFn(InferShape)
    .Doc(R"doc(
Keeps the highest-scoring spans that do not cross.

Spans are accepted in order of decreasing score, ties by lower index, unless they cross an accepted span
(start_i < start_j <= end_i < end_j, or vice versa), until num_output_spans are accepted. Nested and
identical spans do not cross. If too many spans cross, fewer are accepted; empty input gives empty output. The
result does not depend on the number of threads.

span_scores: [n]; -inf is valid and comes last, NaN is an error.
candidate_starts: [n], the first word of each span, not negative.
candidate_ends: [n], the last word of each span, not before its start.
num_output_spans: [], the maximum number of spans to accept, not negative.
span_indices: [m], the accepted spans, ordered by start, then end, then index.
)doc");

}  // namespace
}  // namespace coref
