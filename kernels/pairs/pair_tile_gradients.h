// The gradients of a tile's products: see pair_tile.h. With D the gradient of the products,
//
//     products = G [diag(g_1) W, diag(g_2) W, ...]      for targets 1, 2, ... and G of the window
//     d G += D [diag(g_1) W, diag(g_2) W, ...]^T
//     [B_1, B_2, ...] = G^T D,   d W += sum of diag(g_i) B_i,   d g_i += row sums of W * B_i

#ifndef COREF_KERNELS_PAIRS_PAIR_TILE_GRADIENTS_H_
#define COREF_KERNELS_PAIRS_PAIR_TILE_GRADIENTS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pairs/pair_network.h"
#include "pairs/pair_tile.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// The contribution of one part to the gradients of a tile.
class PartTileGradients {
 public:
  PartTileGradients(const PairNetwork& network, const VectorLoops& loops, PartTile* tile,
                    float* values, float* kernel)
      : network_(network),
        loops_(loops),
        tile_(*tile),
        values_(values),
        kernel_(kernel),
        transposed_kernel_(Transposed(tile->kernel, tile->part.size, network.units)) {}

  // Gathers D of all pairs, [window, targets * units]; spans with the same values share a row.
  void Gather(const std::vector<const float*>& pairs) {
    const int64_t columns = tile_.Columns(network_.units), num_rows = tile_.window.size();
    if (tile_.window.AllDifferent() && tile_.targets.AllDifferent()) {
      rows_ = pairs;
    } else {
      float* sums = gathered_.Floats(num_rows * columns);
      std::fill_n(sums, num_rows * columns, 0.0f);
      rows_ = RowPointers<const float>(sums, num_rows, columns);
      AddPairs(pairs, sums);
    }
    packed_ = packed_room_.Floats(num_rows * (columns + loops_.panel_columns));
  }

  // Packs the result of Gather in panels, for Targets.
  void PackPanel(int64_t column) {
    const int64_t columns = tile_.Columns(network_.units), num_rows = tile_.window.size();
    loops_.pack(rows_.data(), num_rows, column, std::min(loops_.panel_columns, columns - column),
                packed_ + column * num_rows);
  }

  // Computes d W, and d g of the targets, for some consecutive columns of g.
  void Targets(int64_t first, int64_t count) {
    const int64_t columns = tile_.Columns(network_.units), num_rows = tile_.window.size();
    std::vector<float> room(count * loops_.panel_columns);
    const auto products = RowPointers(room.data(), count, loops_.panel_columns);
    for (int64_t column = 0; column < columns; column += loops_.panel_columns) {
      const int64_t width = std::min(loops_.panel_columns, columns - column);
      loops_.multiply_transposed({tile_.window.values(), first, count, num_rows,
                                  packed_ + column * num_rows, width, products.data(), 0, false});
      for (int64_t done = 0; done < width;) done += Targets(first, column, done, width, products);
    }
  }

  // Computes d G of the window, for one panel of columns of g.
  void Window(int64_t first, Scratch* room) {
    const int64_t size = tile_.part.size, units = network_.units;
    const int64_t count = std::min(loops_.panel_columns, size - first);
    std::vector<float*> gradients;
    for (int64_t slot = 0; slot < tile_.window.size(); ++slot) {
      gradients.push_back(values_ + tile_.window.id(slot) * size);
    }
    // Processes a few targets at a time, to keep the panel small.
    for (int64_t target = 0; target < tile_.targets.size(); target += kTargetsPerPanel) {
      const int64_t num_targets = std::min(kTargetsPerPanel, tile_.targets.size() - target);
      float* panel = room->Floats(kTargetsPerPanel * units * loops_.panel_columns);
      loops_.pack_scaled_transposed(transposed_kernel_.data(), units, size,
                                    tile_.targets.values() + target, num_targets, first, count,
                                    panel);
      loops_.multiply({rows_.data(), target * units, tile_.window.size(), num_targets * units,
                       panel, count, gradients.data(), first, true});
    }
  }

  int64_t size() const { return tile_.part.size; }

 private:
  static constexpr int64_t kTargetsPerPanel = 4;

  void AddPairs(const std::vector<const float*>& pairs, float* sums) const {
    const int64_t columns = tile_.Columns(network_.units), units = network_.units;
    for (size_t row = 0; row < pairs.size(); ++row) {
      float* to = sums + tile_.window.slot(row) * columns;
      for (int64_t target = 0; target < tile_.targets.num_spans(); ++target) {
        loops_.add(units, pairs[row] + target * units, to + tile_.targets.slot(target) * units);
      }
    }
  }

  // Packs the columns of a panel from `done` on that belong to the same target; returns their
  // number.
  int64_t Targets(int64_t first, int64_t column, int64_t done, int64_t width,
                  const std::vector<float*>& products) {
    const int64_t units = network_.units, size = tile_.part.size;
    const int64_t unit = (column + done) % units, slot = (column + done) / units;
    const int64_t count = std::min(width - done, units - unit);
    const float* g = tile_.targets.value(slot);
    float* g_gradient = values_ + tile_.targets.id(slot) * size;
    for (size_t row = 0; row < products.size(); ++row) {
      const int64_t k = first + row;
      const float* product = products[row] + done;
      g_gradient[k] += loops_.dot(count, product, tile_.kernel + k * units + unit);
      loops_.add_scaled(count, g[k], product, kernel_ + k * units + unit);
    }
    return count;
  }

  const PairNetwork& network_;
  const VectorLoops& loops_;
  PartTile& tile_;
  float* values_;
  float* kernel_;
  std::vector<float> transposed_kernel_;
  std::vector<const float*> rows_;  // D, [distinct rows of the window, distinct targets * units]
  Scratch gathered_, packed_room_;
  float* packed_ = nullptr;  // rows_ in panels
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_TILE_GRADIENTS_H_
