// The scores of all pairs, tile by tile: see pair_network.h.

#ifndef COREF_KERNELS_PAIR_SCORES_H_
#define COREF_KERNELS_PAIR_SCORES_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "pair_network.h"
#include "pair_tile.h"
#include "vector_loops.h"

namespace coref {

// The layers of one target's pairs, from what depends on two spans to the score.
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

  // What the layers of a target gave: of each, [antecedents, units], phi first if it is not
  // projected yet, [antecedents, feature_size].
  struct Outputs {
    Scratch phi_room;
    std::vector<Scratch> rooms;
    std::vector<float*> phi;                // rows
    std::vector<std::vector<float*>> rows;  // of each layer
  };

  // Computes all layers of a target; the last one's rows are rows.back().
  void Run(const PairTile& tile, int32_t target, Outputs* outputs) const {
    const int64_t count = network_.Count(target), units = network_.units;
    outputs->rooms.resize(1 + network_.hidden.size());
    outputs->rows.resize(outputs->rooms.size());
    for (size_t layer = 0; layer < outputs->rooms.size(); ++layer) {
      float* room = outputs->rooms[layer].Floats(count * units);
      outputs->rows[layer] = RowPointers(room, count, units);
    }
    FirstLayer(tile, target, outputs);
    if (network_.output_kernel == nullptr) return;
    Activate(target, 0, outputs->rows[0]);
    for (size_t layer = 0; layer < network_.hidden.size(); ++layer) {
      const auto& from = outputs->rows[layer];
      const auto& to = outputs->rows[layer + 1];
      for (float* row : to) std::copy_n(network_.hidden[layer].bias, units, row);
      kernels_[layer].Multiply(from.data(), count, to.data(), true);
      Activate(target, layer + 1, to);
    }
  }

  // The scores of a target's pairs from the last layer.
  void Score(const Outputs& outputs, float* scores) const {
    for (float* row : outputs.rows.back()) {
      *scores++ =
          network_.output_kernel == nullptr
              ? row[0]
              : loops_.dot(network_.units, row, network_.output_kernel) + network_.output_bias[0];
    }
  }

  // phi of a target's pairs, with dropout, into `rows`.
  void Features(int32_t target, const std::vector<float*>& rows) const {
    const int32_t first = network_.First(target);
    for (size_t place = 0; place < rows.size(); ++place) {
      const int32_t antecedent = first + static_cast<int32_t>(place);
      const int64_t kind = network_.Kind(target, antecedent);
      std::copy_n(network_.features + kind * network_.feature_size, network_.feature_size,
                  rows[place]);
      DropFeatures(target, antecedent, rows[place]);
    }
  }

  // The first use of dropout; those of the layers follow.
  void DropFeatures(int32_t target, int32_t antecedent, float* row) const {
    if (network_.seed == nullptr) return;
    loops_.drop(network_.feature_size, network_.feature_dropout,
                PairKey(network_.seed, 0, target, antecedent), row);
  }

 private:
  void FirstLayer(const PairTile& tile, int32_t target, Outputs* outputs) const {
    const int64_t units = network_.units;
    const int32_t first = network_.First(target);
    const bool projected = network_.num_kinds > 0 && network_.feature_kernel == nullptr;
    for (size_t place = 0; place < outputs->rows[0].size(); ++place) {
      const int32_t antecedent = first + static_cast<int32_t>(place);
      float* row = outputs->rows[0][place];
      std::copy_n(network_.targets + target * units, units, row);
      loops_.add(units, network_.antecedents + antecedent * units, row);
      tile.AddProducts(target, antecedent, row);
      if (projected) {
        loops_.add(units, network_.features + network_.Kind(target, antecedent) * units, row);
      }
    }
    if (feature_kernel_ == nullptr) return;
    const int64_t count = network_.Count(target);
    float* phi = outputs->phi_room.Floats(count * network_.feature_size);
    outputs->phi = RowPointers(phi, count, network_.feature_size);
    Features(target, outputs->phi);
    feature_kernel_->Multiply(outputs->phi.data(), count, outputs->rows[0].data(), true);
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

constexpr int64_t kTargetCost = 1'000'000;  // about so many cycles for the layers of a target

// Scores every span with its antecedents; scores is [spans, Columns()], a row's scores first, then
// -inf.
template <typename ParallelFor>
void ScorePairs(const PairNetwork& network, const VectorLoops& loops,
                const ParallelFor& parallel_for, float* scores) {
  const PairLayers layers(network, loops);
  PairTile tile(network, loops);
  const int64_t columns = network.Columns();
  std::fill_n(scores, network.num_spans * columns, -std::numeric_limits<float>::infinity());
  for (int32_t first = 0; first < network.num_spans; first += kSpansPerTile) {
    tile.Multiply(first, std::min(first + kSpansPerTile, network.num_spans), parallel_for);
    parallel_for(tile.num_targets(), kTargetCost, [&](int64_t begin, int64_t end) {
      PairLayers::Outputs outputs;
      for (int64_t i = begin; i < end; ++i) {
        const auto target = static_cast<int32_t>(first + i);
        layers.Run(tile, target, &outputs);
        layers.Score(outputs, scores + target * columns);
      }
    });
  }
}

}  // namespace coref

#endif  // COREF_KERNELS_PAIR_SCORES_H_
