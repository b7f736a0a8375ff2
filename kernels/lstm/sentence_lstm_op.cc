#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::DimensionHandle;
using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// h and c are [words, directions, units]; the gates have the shape of `projected`.
tensorflow::Status InferStates(InferenceContext* context) {
  ShapeHandle projected, kernel, states;
  TF_RETURN_IF_ERROR(context->WithRank(context->input(0), 3, &projected));
  TF_RETURN_IF_ERROR(context->WithRank(context->input(2), 3, &kernel));
  const DimensionHandle units = context->Dim(kernel, 1);
  TF_RETURN_IF_ERROR(context->ReplaceDim(projected, 2, units, &states));
  context->set_output(0, states);
  context->set_output(1, states);
  context->set_output(2, projected);
  return tensorflow::OkStatus();
}

// Every gradient has the shape of its value.
tensorflow::Status InferGradients(InferenceContext* context) {
  context->set_output(0, context->input(0));
  for (int i = 1; i < 4; ++i) context->set_output(i, context->input(i + 1));
  return tensorflow::OkStatus();
}

#define COREF_LSTM_INPUTS               \
  .Input("projected: float")            \
      .Input("running: int32")          \
      .Input("recurrent_kernel: float") \
      .Input("initial_c: float")        \
      .Input("initial_h: float")        \
      .Input("mask: float")

REGISTER_OP("Coref>SentenceLSTM")
COREF_LSTM_INPUTS.Output("h: float")
    .Output("c: float")
    .Output("gates: float")
    .SetShapeFn(InferStates)
    .Doc(R"doc(
Runs an LSTM with coupled input and forget gates over sentences, in each of d directions:

    [f, c~, o] = projected + (h_previous * mask) recurrent_kernel, after sigmoid, tanh, sigmoid
    c = f * c~ + (1 - f) * c_previous,   h = o * tanh(c)

Words are in packed order: the first words of all sentences, longest sentence first, then all second words, and so
on.

projected: [words, d, 3 * units].
running: [steps], the number of sentences that have a word at each step; positive, never increasing, summing to words.
recurrent_kernel: [d, units, 3 * units].
initial_c: [d, 1, units], the state before the first words.
initial_h: [d, 1, units].
mask: [d, sentences, units], the dropout mask.
h: [words, d, units].
c: [words, d, units].
gates: [words, d, 3 * units], f, c~ and o.
)doc");

REGISTER_OP("Coref>SentenceLSTMGradients")
COREF_LSTM_INPUTS.Input("h: float")
    .Input("c: float")
    .Input("gates: float")
    .Input("upstream: float")
    .Output("projected_gradients: float")
    .Output("recurrent_kernel_gradients: float")
    .Output("initial_c_gradients: float")
    .Output("initial_h_gradients: float")
    .SetShapeFn(InferGradients)
    .Doc(R"doc(
Computes the gradients of the inputs of Coref>SentenceLSTM, except for the mask, from its outputs.

upstream: [words, d, units], the gradients of h.
)doc");

}  // namespace
}  // namespace coref
