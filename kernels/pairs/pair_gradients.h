// The gradients of the scores of all pairs: see pair_network.h. Each tile is computed again, except
// for what was kept during scoring.
//
// Every sum is computed by one thread in a fixed order, so the result does not depend on the number
// of threads.

#ifndef COREF_KERNELS_PAIRS_PAIR_GRADIENTS_H_
#define COREF_KERNELS_PAIRS_PAIR_GRADIENTS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pairs/pair_layer_gradients.h"
#include "pairs/pair_network.h"
#include "pairs/pair_scores.h"
#include "pairs/pair_tile.h"
#include "pairs/pair_tile_gradients.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// Adds the gradients of all values; `upstream` holds those of the scores, [spans, Columns()].
template <typename ParallelFor>
class PairBackward {
 public:
  PairBackward(const PairNetwork& network, const PairGradients& gradients, const VectorLoops& loops,
               const ParallelFor& parallel_for)
      : network_(network),
        gradients_(gradients),
        loops_(loops),
        parallel_for_(parallel_for),
        layers_(network, loops_),
        backward_(network, loops_),
        tile_(network, loops_),
        layer_gradients_(kSpansPerTile, LayerGradients(network)) {
    float* kernel = gradients.product_kernel;
    for (size_t i = 0; i < tile_.parts().size(); ++i) {
      PartTile& part = tile_.parts()[i];
      parts_.emplace_back(network, loops_, &part, gradients.parts[i], kernel);
      kernel += part.part.size * network.units;
    }
  }

  void Run(const float* upstream, const KeptLayer<const float>& kept) {
    for (int32_t first = 0; first < network_.num_spans; first += kSpansPerTile) {
      const int32_t last = std::min(first + kSpansPerTile, network_.num_spans);
      if (last <= kept.num_spans) {
        tile_.Place(first, last);
      } else {
        tile_.Multiply(first, last, parallel_for_);
      }
      Layers(upstream, kept);
      Products();
    }
  }

 private:
  // Backpropagates to the input of the first layer, for every pair of the tile.
  void Layers(const float* upstream, const KeptLayer<const float>& kept) {
    const int64_t units = network_.units, row_size = tile_.num_targets() * units;
    float* pairs = pairs_room_.Floats(tile_.window_size() * row_size);
    std::fill_n(pairs, tile_.window_size() * row_size, 0.0f);
    pairs_ = RowPointers(pairs, tile_.window_size(), row_size);
    parallel_for_(tile_.num_targets(), kTargetCost, [&](int64_t begin, int64_t end) {
      PairLayers::Outputs outputs;
      Scratch room;
      for (int64_t i = begin; i < end; ++i) {
        const auto target = static_cast<int32_t>(tile_.first() + i);
        if (tile_.last() <= kept.num_spans) {
          layers_.RunFrom(target, kept.Of(target, network_), &outputs);
        } else {
          layers_.Run(tile_, target, room.Floats(network_.Columns() * units), &outputs);
        }
        Target(target, outputs, upstream + target * network_.Columns());
      }
    });
    for (int32_t i = 0; i < tile_.num_targets(); ++i) layer_gradients_[i].AddTo(gradients_, loops_);
    for (int32_t row = 0; row < tile_.window_size(); ++row) {
      float* sum = gradients_.antecedents + (tile_.window_first() + row) * units;
      for (int32_t i = 0; i < tile_.num_targets(); ++i) {
        loops_.add(units, pairs_[row] + i * units, sum);
      }
    }
  }

  void Target(int32_t target, const PairLayers::Outputs& outputs, const float* upstream) {
    const int64_t units = network_.units, i = target - tile_.first();
    const int32_t before = network_.First(target) - tile_.window_first();
    std::vector<float*> first_layer;
    for (int32_t place = 0; place < network_.Count(target); ++place) {
      first_layer.push_back(pairs_[before + place] + i * units);
    }
    layer_gradients_[i].Clear();
    backward_.Run(layers_, outputs, target, upstream, first_layer, &layer_gradients_[i]);
    for (float* row : first_layer) loops_.add(units, row, gradients_.targets + target * units);
  }

  // Backpropagates through the products to g and W.
  void Products() {
    const std::vector<const float*> pairs(pairs_.begin(), pairs_.end());
    parallel_for_(parts_.size(), kTaskCost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) parts_[i].Gather(pairs);
    });
    ForEachTask(
        loops_.panel_columns, [&](size_t i) { return tile_.parts()[i].Columns(network_.units); },
        [&](PartTileGradients* part, int64_t column, Scratch*) { part->PackPanel(column); });
    const auto size = [&](size_t i) { return parts_[i].size(); };
    ForEachTask(kColumnsPerTask, size, [&](PartTileGradients* part, int64_t column, Scratch*) {
      part->Targets(column, std::min(kColumnsPerTask, part->size() - column));
    });
    ForEachTask(loops_.panel_columns, size,
                [&](PartTileGradients* part, int64_t column, Scratch* room) {
                  part->Window(column, room);
                });
  }

  // Calls work(part, column, scratch) for every step'th column of every part, in parallel.
  template <typename Columns, typename Work>
  void ForEachTask(int64_t step, const Columns& columns, const Work& work) {
    std::vector<std::pair<PartTileGradients*, int64_t>> tasks;
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (int64_t column = 0; column < columns(i); column += step) {
        tasks.emplace_back(&parts_[i], column);
      }
    }
    parallel_for_(tasks.size(), kTaskCost, [&](int64_t begin, int64_t end) {
      Scratch room;
      for (int64_t i = begin; i < end; ++i) work(tasks[i].first, tasks[i].second, &room);
    });
  }

  static constexpr int64_t kTaskCost = 1'000'000;  // approximate cycles
  static constexpr int64_t kColumnsPerTask = 48;

  const PairNetwork& network_;
  const PairGradients& gradients_;
  const VectorLoops& loops_;
  const ParallelFor& parallel_for_;
  const PairLayers layers_;
  const PairLayersBackward backward_;
  PairTile tile_;
  std::vector<PartTileGradients> parts_;
  std::vector<LayerGradients> layer_gradients_;  // of each target
  Scratch pairs_room_;
  std::vector<float*> pairs_;  // [window, targets * units]
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_GRADIENTS_H_
