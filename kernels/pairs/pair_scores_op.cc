#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

namespace coref {
namespace {

using tensorflow::shape_inference::InferenceContext;
using tensorflow::shape_inference::ShapeHandle;

// Scores are [k, c].
tensorflow::Status InferScores(InferenceContext* context) {
  std::vector<ShapeHandle> targets;
  TF_RETURN_IF_ERROR(context->input("targets", &targets));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(context->WithRank(targets[0], 2, &shape));
  context->set_output(0, context->Matrix(context->Dim(shape, 0), context->UnknownDim()));
  context->set_output(1, context->MakeShape({context->UnknownDim(), context->UnknownDim(),
                                             context->Dim(shape, 1)}));
  return tensorflow::OkStatus();
}

// Every gradient has the shape of its value.
tensorflow::Status InferGradients(InferenceContext* context) {
  for (const char* name : {"part_values", "product_kernel", "targets", "antecedents", "features",
                           "feature_kernel", "hidden", "output"}) {
    std::vector<ShapeHandle> shapes;
    TF_RETURN_IF_ERROR(context->input(name, &shapes));
    TF_RETURN_IF_ERROR(context->set_output(std::string(name) + "_gradients", shapes));
  }
  return tensorflow::OkStatus();
}

#define COREF_PAIR_INPUTS                             \
  .Attr("num_parts: int >= 1")                        \
      .Attr("num_hidden: int >= 0")                   \
      .Attr("num_output: int >= 0")                   \
      .Attr("num_numbers: int >= 0")                  \
      .Attr("max_antecedents: int >= 0")              \
      .Attr("feature_dropout: float")                 \
      .Attr("hidden_dropout: float")                  \
      .Input("part_values: num_parts * float")        \
      .Input("part_rows: num_parts * int32")          \
      .Input("product_kernel: float")                 \
      .Input("targets: float")                        \
      .Input("antecedents: float")                    \
      .Input("numbers: num_numbers * int32")          \
      .Input("difference_kinds: num_numbers * int32") \
      .Input("features: float")                       \
      .Input("feature_kernel: float")                 \
      .Input("hidden: num_hidden * float")            \
      .Input("output: num_output * float")            \
      .Input("seed: int32")

REGISTER_OP("Coref>PairScores")
COREF_PAIR_INPUTS.Attr("keep_bytes: int >= 0")
    .Output("scores: float")
    .Output("kept: float")
    .SetShapeFn(InferScores)
    .Doc(R"doc(
Scores each of k spans with the c = min(k, K) spans before it:

  w . FFNN(targets[i] + antecedents[j] + (g_i * g_j) product_kernel + phi(i, j))

where g_i, of size d, consists of parts: part n is row part_rows[n][i] of part_values[n].

part_values: [rows, size of the part] each; d is the sum of the sizes.
part_rows: [k] each. Spans with a common row share its part of the computation.
product_kernel: [d, units].
targets: [k, units].
antecedents: [k, units].
numbers: [k] each; numbers of the spans. The kind of a pair depends on the differences between those of its spans.
difference_kinds: [1 or more] for each of the numbers: the contributions of the absolute differences 0, 1, 2, ... to
  the kind; larger ones contribute as much as the last. [1, 0] distinguishes equal numbers from different ones.
max_antecedents: K.
features: [kinds, size of phi], phi of each kind, or [kinds, units] if it is already projected. No kinds: no
  features.
feature_kernel: [size of phi, units]; [0, units] if the features are already projected.
hidden: a kernel [units, units] and a bias [units] for each hidden layer after the first.
output: w, [units, 1], and its bias [1]; none if the first layer has one unit and is the score.
seed: [2], the seed of dropout after phi and after every hidden layer; [0] without dropout.
feature_dropout: the rate of phi's dropout.
hidden_dropout: the rate of the hidden layers' dropout.
keep_bytes: how many bytes may be kept for the gradients, to save their recomputation; not negative.
scores: [k, c]; row i starts with the scores of the spans max(0, i - K) to i - 1, the rest is -inf.
kept: [m, c, units], the outputs of the first layer, for as many spans as there is room for.
)doc");

REGISTER_OP("Coref>PairScoresGradients")
COREF_PAIR_INPUTS.Input("upstream: float")
    .Input("kept: float")
    .Output("part_values_gradients: num_parts * float")
    .Output("product_kernel_gradients: float")
    .Output("targets_gradients: float")
    .Output("antecedents_gradients: float")
    .Output("features_gradients: float")
    .Output("feature_kernel_gradients: float")
    .Output("hidden_gradients: num_hidden * float")
    .Output("output_gradients: num_output * float")
    .SetShapeFn(InferGradients)
    .Doc(R"doc(
Computes the gradients of the inputs of Coref>PairScores; recomputes whatever was not kept.

upstream: [k, c], the gradients of the scores; those without an antecedent are ignored.
kept: the output `kept` of Coref>PairScores.
)doc");

}  // namespace
}  // namespace coref
