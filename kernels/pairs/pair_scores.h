// The scores of all pairs, tile by tile: see pair_network.h.

#ifndef COREF_KERNELS_PAIRS_PAIR_SCORES_H_
#define COREF_KERNELS_PAIRS_PAIR_SCORES_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "pairs/pair_network.h"
#include "pairs/pair_tile.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// The layers for the pairs of one target, from the terms that depend on two spans to the score.
class PairLayers {
 public:
  PairLayers(const PairNetwork& network, const VectorLoops& loops)
      : network_(network), loops_(loops) {
    const int64_t units = network.units;
    if (network.feature_kernel != nullptr) {
      feature_kernel_ = std::make_unique<PackedMatrix>(
          loops, RowPointers(network.feature_kernel, network.feature_size, units), units);
    }
    for (const HiddenLayer& layer : network.hidden) {
      kernels_.emplace_back(loops, RowPointers(layer.kernel, units, units), units);
    }
  }

  // The outputs of the layers for a target: [antecedents, units] each.
  struct Outputs {
    std::vector<std::vector<const float*>> rows;
    std::vector<const float*> phi;  // [antecedents, feature_size], if it is not projected yet
    std::vector<Scratch> rooms;
    Scratch phi_room;
  };

  // Computes all layers for a target. `first_layer`, [antecedents, units], receives the output of
  // the first one.
  void Run(const PairTile& tile, int32_t target, float* first_layer, Outputs* outputs) const {
    const auto rows = RowPointers(first_layer, network_.Count(target), network_.units);
    Features(target, outputs);
    FirstLayer(tile, target, outputs->phi, rows);
    if (network_.output_kernel != nullptr) Activate(target, 0, rows);
    RunLater(target, first_layer, outputs);
  }

  // Continues from the output of the first layer.
  void RunFrom(int32_t target, const float* first_layer, Outputs* outputs) const {
    Features(target, outputs);
    RunLater(target, first_layer, outputs);
  }

  // Computes the scores of a target's pairs from the last layer.
  void Score(const Outputs& outputs, float* scores) const {
    for (const float* row : outputs.rows.back()) {
      *scores++ =
          network_.output_kernel == nullptr
              ? row[0]
              : loops_.dot(network_.units, row, network_.output_kernel) + network_.output_bias[0];
    }
  }

  // The first use of dropout; those of the layers follow.
  void DropFeatures(int32_t target, int32_t antecedent, float* row) const {
    if (network_.seed == nullptr) return;
    loops_.drop(network_.feature_size, network_.feature_dropout,
                PairKey(network_.seed, 0, target, antecedent), row);
  }

 private:
  // Computes phi of a target's pairs, with dropout.
  void Features(int32_t target, Outputs* outputs) const {
    if (feature_kernel_ == nullptr) return;
    const int64_t size = network_.feature_size, count = network_.Count(target);
    const auto rows = RowPointers(outputs->phi_room.Floats(count * size), count, size);
    int32_t antecedent = network_.First(target);
    for (float* row : rows) {
      std::copy_n(network_.features + network_.Kind(target, antecedent) * size, size, row);
      DropFeatures(target, antecedent, row);
      ++antecedent;
    }
    outputs->phi.assign(rows.begin(), rows.end());
  }

  void FirstLayer(const PairTile& tile, int32_t target, const std::vector<const float*>& phi,
                  const std::vector<float*>& rows) const {
    const int64_t units = network_.units;
    const bool projected = network_.num_kinds > 0 && feature_kernel_ == nullptr;
    int32_t antecedent = network_.First(target);
    std::vector<const float*> terms;
    for (float* row : rows) {
      terms = {network_.targets + target * units, network_.antecedents + antecedent * units};
      if (projected) {
        terms.push_back(network_.features + network_.Kind(target, antecedent) * units);
      }
      tile.ListProducts(target, antecedent, &terms);
      loops_.sum(units, terms.data(), terms.size(), row);
      ++antecedent;
    }
    if (feature_kernel_ != nullptr) {
      feature_kernel_->Multiply(phi.data(), rows.size(), rows.data(), true);
    }
  }

  void RunLater(int32_t target, const float* first_layer, Outputs* outputs) const {
    const int64_t count = network_.Count(target), units = network_.units;
    const size_t num_hidden = network_.hidden.size();
    outputs->rooms.resize(num_hidden);
    outputs->rows.resize(1 + num_hidden);
    outputs->rows[0] = RowPointers(first_layer, count, units);
    for (size_t layer = 0; layer < num_hidden; ++layer) {
      const auto to = RowPointers(outputs->rooms[layer].Floats(count * units), count, units);
      for (float* row : to) std::copy_n(network_.hidden[layer].bias, units, row);
      kernels_[layer].Multiply(outputs->rows[layer].data(), count, to.data(), true);
      Activate(target, layer + 1, to);
      outputs->rows[layer + 1].assign(to.begin(), to.end());
    }
  }

  void Activate(int32_t target, size_t layer, const std::vector<float*>& rows) const {
    int32_t antecedent = network_.First(target);
    for (float* row : rows) {
      loops_.rectify(network_.units, row);
      if (network_.seed != nullptr) {
        const uint32_t key =
            PairKey(network_.seed, static_cast<uint32_t>(layer + 1), target, antecedent);
        loops_.drop(network_.units, network_.hidden_dropout, key, row);
      }
      ++antecedent;
    }
  }

  const PairNetwork& network_;
  const VectorLoops& loops_;
  std::unique_ptr<PackedMatrix> feature_kernel_;
  std::vector<PackedMatrix> kernels_;
};

constexpr int64_t kTargetCost = 1'000'000;  // approximate cycles for the layers of a target

// The outputs of the first layer that are kept for the gradients, which need not recompute them: as
// many spans as there is room for, from the first.
template <typename Float>
struct KeptLayer {
  Float* values;      // [spans, Columns(), units]
  int32_t num_spans;  // the number of kept spans

  Float* Of(int32_t target, const PairNetwork& network) const {
    return values + int64_t{target} * network.Columns() * network.units;
  }
};

// Scores every span with its antecedents; scores is [spans, Columns()], with the scores of a row
// first, then -inf.
template <typename ParallelFor>
void ScorePairs(const PairNetwork& network, const VectorLoops& loops,
                const ParallelFor& parallel_for, float* scores, const KeptLayer<float>& kept) {
  const PairLayers layers(network, loops);
  PairTile tile(network, loops);
  const int64_t columns = network.Columns();
  std::fill_n(scores, network.num_spans * columns, -std::numeric_limits<float>::infinity());
  for (int32_t first = 0; first < network.num_spans; first += kSpansPerTile) {
    tile.Multiply(first, std::min(first + kSpansPerTile, network.num_spans), parallel_for);
    parallel_for(tile.num_targets(), kTargetCost, [&](int64_t begin, int64_t end) {
      PairLayers::Outputs outputs;
      Scratch room;
      for (int64_t i = begin; i < end; ++i) {
        const auto target = static_cast<int32_t>(first + i);
        float* first_layer = target < kept.num_spans ? kept.Of(target, network)
                                                     : room.Floats(columns * network.units);
        layers.Run(tile, target, first_layer, &outputs);
        layers.Score(outputs, scores + target * columns);
      }
    });
  }
}

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_SCORES_H_
