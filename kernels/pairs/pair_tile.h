// The products (g_i * g_j) W of some consecutive targets i with every antecedent j of any of them:
//
//     (g_i * g_j) W = g_j (diag(g_i) W)
//
// So they are one matrix product, with diag(g_i) W of all targets side by side. It is a sum over
// the parts of g; rows that spans have in common in a part are multiplied only once.

#ifndef COREF_KERNELS_PAIRS_PAIR_TILE_H_
#define COREF_KERNELS_PAIRS_PAIR_TILE_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "pairs/pair_network.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// The distinct rows of a part among some consecutive spans, in order of first occurrence.
class DistinctRows {
 public:
  void Find(const SpanPart& part, int32_t first, int32_t last) {
    ids_.clear();
    values_.clear();
    slots_.clear();
    for (int32_t span = first; span < last; ++span) {
      const int32_t id = part.rows[span];
      const auto known = std::find(ids_.rbegin(), ids_.rend(), id);
      slots_.push_back(static_cast<int32_t>(ids_.rend() - known) - 1);
      if (known != ids_.rend()) continue;
      slots_.back() = static_cast<int32_t>(ids_.size());
      ids_.push_back(id);
      values_.push_back(part.values + id * part.size);
    }
  }

  int64_t size() const { return ids_.size(); }
  int64_t num_spans() const { return slots_.size(); }
  int32_t id(int64_t slot) const { return ids_[slot]; }
  const float* const* values() const { return values_.data(); }
  const float* value(int64_t slot) const { return values_[slot]; }
  int32_t slot(int64_t span) const { return slots_[span]; }  // the slot of the span'th span
  bool AllDifferent() const { return ids_.size() == slots_.size(); }

 private:
  std::vector<int32_t> ids_;
  std::vector<const float*> values_;
  std::vector<int32_t> slots_;
};

// A part of g in a tile: its distinct rows, and their products.
struct PartTile {
  SpanPart part;
  const float* kernel;  // [size of the part, units]
  DistinctRows window, targets;
  Scratch room;
  float* products;  // [distinct rows of the window, Columns()]

  int64_t Columns(int64_t units) const { return targets.size() * units; }
};

class PairTile {
 public:
  explicit PairTile(const PairNetwork& network, const VectorLoops& loops)
      : network_(network), loops_(loops) {
    const float* kernel = network.product_kernel;
    for (const SpanPart& part : network.parts) {
      parts_.push_back({part, kernel, {}, {}, {}, nullptr});
      kernel += part.size * network.units;
    }
  }

  // Sets the targets to first ... last - 1, and multiplies.
  template <typename ParallelFor>
  void Multiply(int32_t first, int32_t last, const ParallelFor& parallel_for) {
    Place(first, last);
    for (PartTile& part : parts_) {
      part.products = part.room.Floats(part.window.size() * part.Columns(network_.units));
    }
    const auto panels = Panels();
    parallel_for(panels.size(), kPanelCost, [&](int64_t begin, int64_t end) {
      Scratch room;
      for (int64_t i = begin; i < end; ++i)
        MultiplyPanel(*panels[i].first, panels[i].second, &room);
    });
  }

  // Sets the targets to first ... last - 1, without multiplying.
  void Place(int32_t first, int32_t last) {
    first_ = first;
    last_ = last;
    for (PartTile& part : parts_) {
      part.window.Find(part.part, window_first(), last);
      part.targets.Find(part.part, first, last);
    }
  }

  int32_t first() const { return first_; }
  int32_t last() const { return last_; }
  int32_t num_targets() const { return last_ - first_; }
  int32_t window_first() const { return network_.First(first_); }
  int32_t window_size() const { return last_ - window_first(); }
  std::vector<PartTile>& parts() { return parts_; }

  // Returns where the products of all parts of a pair are.
  void ListProducts(int32_t target, int32_t antecedent, std::vector<const float*>* products) const {
    const int64_t units = network_.units;
    for (const PartTile& part : parts_) {
      const int64_t row = part.window.slot(antecedent - window_first());
      const int64_t column = part.targets.slot(target - first_) * units;
      products->push_back(part.products + row * part.Columns(units) + column);
    }
  }

  // All panels of all parts: the part, and the first column of the panel.
  std::vector<std::pair<PartTile*, int64_t>> Panels() {
    std::vector<std::pair<PartTile*, int64_t>> panels;
    for (PartTile& part : parts_) {
      const int64_t columns = part.Columns(network_.units);
      for (int64_t column = 0; column < columns; column += loops_.panel_columns) {
        panels.emplace_back(&part, column);
      }
    }
    return panels;
  }

 private:
  static constexpr int64_t kPanelCost = 1'000'000;  // approximate cycles

  void MultiplyPanel(const PartTile& part, int64_t column, Scratch* room) const {
    const int64_t depth = part.part.size, all = part.Columns(network_.units);
    const int64_t columns = std::min(loops_.panel_columns, all - column);
    float* panel = room->Floats(depth * loops_.panel_columns);
    loops_.pack_scaled(part.kernel, network_.units, part.targets.values(), depth, column, columns,
                       panel);
    const auto products = RowPointers(part.products, part.window.size(), all);
    loops_.multiply({part.window.values(), 0, part.window.size(), depth, panel, columns,
                     products.data(), column, false});
  }

  const PairNetwork& network_;
  const VectorLoops& loops_;
  int32_t first_ = 0, last_ = 0;
  std::vector<PartTile> parts_;
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_TILE_H_
