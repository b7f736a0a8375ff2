// A random network that scores pairs, and its expected scores.

#ifndef COREF_TESTS_KERNELS_PAIR_CASE_H_
#define COREF_TESTS_KERNELS_PAIR_CASE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "derivatives.h"
#include "pairs/pair_layer_gradients.h"
#include "pairs/pair_network.h"
#include "shared/dropout.h"

using Numbers = std::vector<int32_t>;

// A random network. All its float values are in one vector; the members say where tensors begin.
class Case {
 public:
  explicit Case(uint32_t seed) : generator_(seed) {
    spans = Below(30);
    most = 1 + Below(12);
    depth = Below(4);
    units = depth == 0 ? 1 : 1 + Below(Below(2) ? 8 : 80);
    kinds = Below(3) == 0 ? 0 : 1;
    if (kinds > 0) AddNumbers();
    projected = Below(2);
    feature_size = projected ? units : 1 + Below(9);
    for (int part = 0, parts = 1 + Below(3); part < parts; ++part) {
      const int32_t different = 1 + Below(spans + 1);
      part_sizes.push_back(1 + Below(Below(2) ? 6 : 140));
      part_rows.emplace_back();
      for (int32_t span = 0; span < spans; ++span) part_rows.back().push_back(Below(different));
      values_of_part.push_back(Add(different * part_sizes.back()));
    }
    int64_t size = 0;
    for (int64_t part : part_sizes) size += part;
    product_kernel = Add(size * units);
    targets = Add(spans * units);
    antecedents = Add(spans * units);
    features = Add(kinds * feature_size);
    feature_kernel = Add(projected || kinds == 0 ? 0 : feature_size * units);
    for (int32_t layer = 1; layer < depth; ++layer) {
      hidden.push_back(Add(units * units));
      hidden.push_back(Add(units));
    }
    output = Add(depth == 0 ? 0 : units);
    output_bias = Add(depth == 0 ? 0 : 1);
    for (float& value : values) value = std::normal_distribution<float>()(generator_);
    seed_of_dropout = {Below(1000), -Below(1000)};
    rate = Below(2) ? 0.0f : 0.3f;
    upstream.resize(spans * std::min(spans, most));
    for (float& value : upstream) value = std::normal_distribution<float>()(generator_);
  }

  coref::PairNetwork Network() const {
    coref::PairNetwork network{};
    network.num_spans = spans;
    network.max_antecedents = most;
    network.units = units;
    for (size_t part = 0; part < part_rows.size(); ++part) {
      network.parts.push_back({At(values_of_part[part]), part_sizes[part], part_rows[part].data()});
    }
    network.product_kernel = At(product_kernel);
    network.targets = At(targets);
    network.antecedents = At(antecedents);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const int64_t greatest = difference_kinds[i].size() - 1;
      network.numbers.push_back({numbers[i].data(), difference_kinds[i].data(), greatest});
    }
    network.num_kinds = kinds;
    network.feature_size = feature_size;
    network.features = At(features);
    network.feature_kernel = projected || kinds == 0 ? nullptr : At(feature_kernel);
    for (size_t i = 0; i < hidden.size(); i += 2) {
      network.hidden.push_back({At(hidden[i]), At(hidden[i + 1])});
    }
    network.output_kernel = depth == 0 ? nullptr : At(output);
    network.output_bias = depth == 0 ? nullptr : At(output_bias);
    network.seed = rate > 0 ? seed_of_dropout.data() : nullptr;
    network.feature_dropout = network.hidden_dropout = coref::DropoutOf(rate);
    return network;
  }

  coref::PairGradients Gradients(Floats* gradients) const {
    float* g = gradients->data();
    coref::PairGradients result{};
    for (int64_t part : values_of_part) result.parts.push_back(g + part);
    result.product_kernel = g + product_kernel;
    result.targets = g + targets;
    result.antecedents = g + antecedents;
    result.features = g + features;
    result.feature_kernel = g + feature_kernel;
    for (size_t i = 0; i < hidden.size(); i += 2) {
      result.hidden_kernels.push_back(g + hidden[i]);
      result.hidden_biases.push_back(g + hidden[i + 1]);
    }
    result.output_kernel = g + output;
    result.output_bias = g + output_bias;
    return result;
  }

  // The score of one pair, for the given values instead of the case's own.
  double Score(const Doubles& v, int32_t i, int32_t j) const {
    Doubles layer(units);
    for (int64_t u = 0; u < units; ++u) {
      layer[u] = v[targets + i * units + u] + v[antecedents + j * units + u];
      int64_t row = product_kernel;
      for (size_t part = 0; part < part_rows.size(); ++part) {
        const int64_t size = part_sizes[part];
        for (int64_t k = 0; k < size; ++k, row += units) {
          layer[u] += v[values_of_part[part] + part_rows[part][i] * size + k] *
                      v[values_of_part[part] + part_rows[part][j] * size + k] * v[row + u];
        }
      }
    }
    if (kinds > 0) AddFeatures(v, i, j, &layer);
    if (depth == 0) return layer[0];
    Activate(1, i, j, &layer);
    for (size_t n = 0; n < hidden.size(); n += 2) {
      Doubles next(v.begin() + hidden[n + 1], v.begin() + hidden[n + 1] + units);
      for (int64_t k = 0; k < units; ++k) {
        for (int64_t u = 0; u < units; ++u) next[u] += layer[k] * v[hidden[n] + k * units + u];
      }
      layer = next;
      Activate(2 + n / 2, i, j, &layer);
    }
    double score = v[output_bias];
    for (int64_t u = 0; u < units; ++u) score += layer[u] * v[output + u];
    return score;
  }

  // The sum of all scores times their upstream gradients, as a function of the values.
  double Total(const Doubles& v) const {
    double total = 0;
    const int32_t columns = std::min(spans, most);
    for (int32_t i = 0; i < spans; ++i) {
      const int32_t first = std::max(0, i - most);
      for (int32_t j = first; j < i; ++j) {
        total += Score(v, i, j) * upstream[i * columns + j - first];
      }
    }
    return total;
  }

  int32_t Below(int32_t limit) {
    return std::uniform_int_distribution<int32_t>(0, limit - 1)(generator_);
  }

  int32_t spans, most, depth;
  int64_t units, kinds, feature_size;
  bool projected;
  float rate;
  std::vector<int64_t> part_sizes, values_of_part, hidden;
  std::vector<Numbers> part_rows, numbers, difference_kinds;
  Numbers seed_of_dropout;
  int64_t product_kernel, targets, antecedents, features, feature_kernel, output, output_bias;
  Floats values, upstream;

 private:
  int64_t Add(int64_t count) {
    values.resize(values.size() + count);
    return static_cast<int64_t>(values.size()) - count;
  }

  // Gives every span up to three numbers, small ones or the extremes of int32. Differences of each
  // number fall into bins, and there is a kind for every combination of bins.
  void AddNumbers() {
    for (int32_t i = 0, count = Below(4); i < count; ++i) {
      const int32_t bins = 1 + Below(3), limit = 1 + Below(5);
      numbers.emplace_back();
      for (int32_t span = 0; span < spans; ++span) {
        const bool extreme = Below(10) == 0;
        numbers.back().push_back(!extreme ? Below(limit) : Below(2) ? INT32_MIN : INT32_MAX);
      }
      difference_kinds.emplace_back(1 + Below(4));
      for (int32_t& kind : difference_kinds.back())
        kind = Below(bins) * static_cast<int32_t>(kinds);
      kinds *= bins;
    }
  }

  int64_t Kind(int32_t i, int32_t j) const {
    int64_t kind = 0;
    for (size_t n = 0; n < numbers.size(); ++n) {
      const double difference = std::abs(static_cast<double>(numbers[n][i]) - numbers[n][j]);
      const Numbers& added = difference_kinds[n];
      kind += difference < added.size() ? added[static_cast<size_t>(difference)] : added.back();
    }
    return kind;
  }

  const float* At(int64_t place) const { return values.data() + place; }

  double Kept(uint32_t use, int32_t i, int32_t j, int64_t element) const {
    if (rate == 0) return 1;
    const uint32_t key = coref::PairKey(seed_of_dropout.data(), use, i, j);
    const uint32_t bits =
        coref::MixBits(key + static_cast<uint32_t>(element) * coref::kGoldenRatio);
    return bits < rate * 4294967296.0 ? 0 : 1 / (1 - rate);
  }

  void AddFeatures(const Doubles& v, int32_t i, int32_t j, Doubles* layer) const {
    const int64_t kind = Kind(i, j);
    for (int64_t k = 0; k < feature_size; ++k) {
      const double value = v[features + kind * feature_size + k];
      if (projected) {
        (*layer)[k] += value;
        continue;
      }
      for (int64_t u = 0; u < units; ++u) {
        (*layer)[u] += value * Kept(0, i, j, k) * v[feature_kernel + k * units + u];
      }
    }
  }

  void Activate(uint32_t use, int32_t i, int32_t j, Doubles* layer) const {
    for (int64_t u = 0; u < units; ++u) {
      (*layer)[u] = std::max((*layer)[u], 0.0) * Kept(use, i, j, u);
    }
  }

  std::mt19937 generator_;
};

#endif  // COREF_TESTS_KERNELS_PAIR_CASE_H_
