// s_a of the paper: the network that scores a span with each of its nearest antecedents, for
// scoring and for its gradients.

#ifndef COREF_KERNELS_PAIRS_PAIR_NETWORK_H_
#define COREF_KERNELS_PAIRS_PAIR_NETWORK_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "shared/dropout.h"

namespace coref {

// How many spans are scored with their antecedents at a time. Small tiles make the products
// inefficient; large ones take memory.
constexpr int32_t kSpansPerTile = 8;

// Some columns of g. Spans with the same row, such as those that start at the same word, share its
// values.
struct SpanPart {
  const float* values;  // [rows of values, size]
  int64_t size;
  const int32_t* rows;  // [spans]
};

// A number of each span. The difference between the numbers of two spans contributes to the kind of
// the pair: whether they are equal, or a bin of their difference.
struct SpanNumber {
  const int32_t* values;        // [spans]
  const int32_t* kinds;         // the contributions of the absolute differences 0, 1, 2, ...
  int64_t greatest_difference;  // the last of these; larger differences contribute as much

  int32_t Kind(int32_t target, int32_t antecedent) const {
    const int64_t difference = int64_t{values[target]} - values[antecedent];
    return kinds[std::min(std::abs(difference), greatest_difference)];
  }
};

struct HiddenLayer {
  const float* kernel;  // [units, units]
  const float* bias;    // [units]
};

// s_a(i, j) = w . FFNN(W_target g_i + b + W_antecedent g_j + W_product (g_i * g_j) + phi(i, j))
//
// for the `max_antecedents` spans j before each span i.
struct PairNetwork {
  int32_t num_spans;
  int32_t max_antecedents;
  int64_t units;  // the size of the first layer

  std::vector<SpanPart> parts;
  const float* product_kernel;  // [sizes of all parts, units]
  const float* targets;         // [spans, units], W_target g + b
  const float* antecedents;     // [spans, units], W_antecedent g

  // The kind of a pair, the sum of the contributions of its numbers, is its row of the features.
  // Without features, there are no kinds.
  std::vector<SpanNumber> numbers;
  int64_t num_kinds;
  int64_t feature_size;         // the size of phi
  const float* features;        // [kinds, feature_size]
  const float* feature_kernel;  // [feature_size, units]; null: the features are [kinds, units]

  // The layers after the first, which is linear if there is no output kernel.
  std::vector<HiddenLayer> hidden;
  const float* output_kernel;  // [units]
  const float* output_bias;    // [1]

  const int32_t* seed;  // [2], the dropout seed; null: no dropout
  Dropout feature_dropout;
  Dropout hidden_dropout;

  int32_t First(int32_t target) const { return std::max(0, target - max_antecedents); }
  int32_t Count(int32_t target) const { return target - First(target); }
  int32_t Columns() const { return std::min(num_spans, max_antecedents); }

  int64_t Kind(int32_t target, int32_t antecedent) const {
    int64_t kind = 0;
    for (const SpanNumber& number : numbers) kind += number.Kind(target, antecedent);
    return kind;
  }
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_NETWORK_H_
