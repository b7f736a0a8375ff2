// The best one-to-one assignment of rows to columns of a sparse graph, for CEAF.

#ifndef COREF_KERNELS_SCORER_ASSIGNMENT_H_
#define COREF_KERNELS_SCORER_ASSIGNMENT_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

namespace coref {

constexpr int32_t kUnmatched = -1;

// Finds a matching of maximum total weight in a bipartite graph; rows and columns may remain
// unmatched.
//
// Edge e joins its row to column(e) with weight(row, e) >= 0; row i has the edges row_begin[i] to
// row_begin[i + 1] - 1, with each column at most once. Pairs without an edge have weight 0, so the
// result equals that of a full matrix filled with zeros, which is never built: memory is O(rows +
// columns).
//
// It uses shortest augmenting paths with dual prices. Prices start at the best edge of each row;
// rows whose best column is free take it; each other row searches (Dijkstra, on reduced costs) for
// the cheapest path to a free column, or to a row that becomes unmatched. A search stops at the
// first such end, and visits only the part of the graph that is nearer.
template <typename Column, typename Weight>
class Assignment {
 public:
  Assignment(const std::vector<int64_t>& row_begin, int32_t columns, Column column, Weight weight)
      : row_begin_(row_begin),
        column_(column),
        weight_(weight),
        row_price_(row_begin.size() - 1, 0.0),
        column_price_(columns, 0.0),
        column_of_row_(row_begin.size() - 1, kNone),
        row_of_column_(columns, kNone),
        distance_(columns, kInfinity),
        parent_row_(columns, kNone) {
    const int32_t rows = static_cast<int32_t>(row_price_.size());
    for (int32_t row = 0; row < rows; ++row) TakeBestColumn(row);
    for (int32_t row = 0; row < rows; ++row) {
      if (column_of_row_[row] == kNone && row_price_[row] > 0) Augment(row);
    }
  }

  // The column of each row; kUnmatched for an unmatched row.
  const std::vector<int32_t>& column_of_row() const { return column_of_row_; }

 private:
  static constexpr int32_t kNone = kUnmatched;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  using Candidate = std::pair<double, int32_t>;  // distance, column

  // The end of the cheapest known path: a free column, or a row that gives up its column.
  struct End {
    double distance;
    int32_t row, column;  // one of them is kNone
  };

  void TakeBestColumn(int32_t row) {
    double best = 0;
    for (int64_t e = row_begin_[row]; e < row_begin_[row + 1]; ++e) {
      best = std::max(best, weight_(row, e));
    }
    row_price_[row] = best;
    if (best == 0) return;
    for (int64_t e = row_begin_[row]; e < row_begin_[row + 1]; ++e) {
      const int32_t column = column_(e);
      if (row_of_column_[column] == kNone && weight_(row, e) == best) {
        row_of_column_[column] = row;
        column_of_row_[row] = column;
        return;
      }
    }
  }

  void Augment(int32_t root) {
    touched_.clear();
    settled_.clear();
    heap_.clear();
    End end{kInfinity, root, kNone};
    Expand(root, 0.0, &end);
    while (!heap_.empty()) {
      const auto [distance, column] = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<Candidate>());
      heap_.pop_back();
      if (distance >= end.distance) break;
      if (distance > distance_[column]) continue;  // a shorter path has been found since
      settled_.push_back(column);
      Expand(row_of_column_[column], distance, &end);
    }
    Reprice(root, end.distance);
    FlipPath(end);
    for (const int32_t column : touched_) distance_[column] = kInfinity;
  }

  // Relaxes the edges of a row that the search has reached.
  void Expand(int32_t row, double distance, End* end) {
    const double price = row_price_[row];
    if (distance + price < end->distance) *end = {distance + price, row, kNone};
    for (int64_t e = row_begin_[row]; e < row_begin_[row + 1]; ++e) {
      const int32_t column = column_(e);
      // Rounding may leave a tight edge slightly below zero.
      const double step = std::max(0.0, price + column_price_[column] - weight_(row, e));
      const double reached = distance + step;
      if (reached >= end->distance || reached >= distance_[column]) continue;
      if (distance_[column] == kInfinity) touched_.push_back(column);
      distance_[column] = reached;
      parent_row_[column] = row;
      if (row_of_column_[column] == kNone) {
        *end = {reached, kNone, column};
      } else {
        heap_.emplace_back(reached, column);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<Candidate>());
      }
    }
  }

  // Makes every edge of the path tight, and keeps all reduced costs at or above zero.
  void Reprice(int32_t root, double total) {
    row_price_[root] -= total;
    for (const int32_t column : settled_) {
      const double slack = total - distance_[column];
      column_price_[column] += slack;
      row_price_[row_of_column_[column]] -= slack;
    }
  }

  void FlipPath(const End& end) {
    int32_t column = end.column;
    if (end.row != kNone) {
      column = column_of_row_[end.row];
      column_of_row_[end.row] = kNone;
    }
    while (column != kNone) {  // the root has no previous column, which ends the path
      const int32_t row = parent_row_[column];
      row_of_column_[column] = row;
      std::swap(column_of_row_[row], column);
    }
  }

  const std::vector<int64_t>& row_begin_;
  const Column column_;
  const Weight weight_;
  std::vector<double> row_price_, column_price_;
  std::vector<int32_t> column_of_row_, row_of_column_;
  // The current search: distances, the row before each column, columns seen, columns done.
  std::vector<double> distance_;
  std::vector<int32_t> parent_row_, touched_, settled_;
  std::vector<Candidate> heap_;
};

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_ASSIGNMENT_H_
