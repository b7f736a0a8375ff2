// The antecedents of each span, as the rows of a padded matrix: the nearest or the highest-scoring
// preceding spans.

#ifndef COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_H_
#define COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "device/host_device.h"

namespace coref {

// Returns the antecedent at a position of a span's row if it takes the nearest `columns` spans, in
// document order.
COREF_HOST_DEVICE inline int32_t NearestAntecedent(int32_t span, int32_t place, int32_t columns) {
  if (place >= span) return 0;  // padding
  return (span > columns ? span - columns : 0) + place;
}

// Returns the number of antecedents of a span.
COREF_HOST_DEVICE inline int32_t NumAntecedents(int32_t span, int32_t columns) {
  return span < columns ? span : columns;
}

// Orders the antecedents of a span: smaller is better, ties go to the nearer one; no two are equal.
COREF_HOST_DEVICE inline uint64_t AntecedentKey(float score, int32_t span, int32_t antecedent) {
  return static_cast<uint64_t>(DescendingKey(score)) << 32 |
         static_cast<uint32_t>(span - 1 - antecedent);
}

COREF_HOST_DEVICE inline int32_t AntecedentOfKey(uint64_t key, int32_t span) {
  return span - 1 - static_cast<int32_t>(key & 0xffffffffu);
}

// A padded matrix of antecedents, with a row for each span, or for each of the last spans.
struct AntecedentRows {
  int32_t* antecedents;  // [num_rows, columns]
  int32_t* lengths;      // [num_rows]
  int32_t num_rows;
  int32_t columns;
  int32_t first_span = 0;  // the first span that has a row

  COREF_HOST_DEVICE int32_t num_spans() const { return first_span + num_rows; }
  COREF_HOST_DEVICE int32_t* row(int32_t span) const {
    return antecedents + static_cast<int64_t>(span - first_span) * columns;
  }
  COREF_HOST_DEVICE int32_t& length(int32_t span) const { return lengths[span - first_span]; }
};

// Fills the rows of all spans with the nearest antecedents. For parallel_for, see span_pruning.h.
template <typename ParallelFor>
void NearestAntecedents(const AntecedentRows& rows, const ParallelFor& parallel_for) {
  parallel_for(rows.num_rows, rows.columns, [&](int64_t begin, int64_t end) {
    for (auto span = static_cast<int32_t>(begin); span < end; ++span) {
      for (int32_t place = 0; place < rows.columns; ++place) {
        rows.row(span)[place] = NearestAntecedent(span, place, rows.columns);
      }
      rows.length(span) = NumAntecedents(span, rows.columns);
    }
  });
}

namespace antecedents {

// Selects the best antecedents, and sorts only those. `keys` is scratch memory that rows may share
// sequentially. Returns the first antecedent whose score is NaN, or -1.
inline int32_t FillTopRow(const float* scores, int32_t span, const AntecedentRows& rows,
                          std::vector<uint64_t>* keys) {
  keys->resize(span);
  for (int32_t j = 0; j < span; ++j) {
    if (scores[j] != scores[j]) return j;
    (*keys)[j] = AntecedentKey(scores[j], span, j);
  }
  const int32_t length = NumAntecedents(span, rows.columns);
  if (length < span) std::nth_element(keys->begin(), keys->begin() + length, keys->end());
  std::sort(keys->begin(), keys->begin() + length);
  int32_t* row = rows.row(span);
  for (int32_t place = 0; place < length; ++place)
    row[place] = AntecedentOfKey((*keys)[place], span);
  std::fill(row + length, row + rows.columns, 0);
  rows.length(span) = length;
  return -1;
}

}  // namespace antecedents

// Fills the rows with the highest-scoring antecedents; scores is [num_rows, num_spans]. Returns the
// position of the first NaN among the scores that count, or -1.
template <typename ParallelFor>
int64_t TopAntecedents(const float* scores, const AntecedentRows& rows,
                       const ParallelFor& parallel_for) {
  std::atomic<int64_t> first_nan{INT64_MAX};
  parallel_for(rows.num_rows, 10 * static_cast<int64_t>(rows.num_spans()),
               [&](int64_t begin, int64_t end) {
                 std::vector<uint64_t> keys;
                 for (int64_t row = begin; row < end; ++row) {
                   const int64_t offset = row * rows.num_spans();
                   const auto span = static_cast<int32_t>(rows.first_span + row);
                   const int32_t nan = antecedents::FillTopRow(scores + offset, span, rows, &keys);
                   int64_t first = first_nan.load();
                   while (nan >= 0 && offset + nan < first &&
                          !first_nan.compare_exchange_weak(first, offset + nan)) {
                   }
                 }
               });
  return first_nan == INT64_MAX ? -1 : first_nan.load();
}

}  // namespace coref

#endif  // COREF_KERNELS_ANTECEDENTS_ANTECEDENTS_H_
