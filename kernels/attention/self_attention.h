// Self-attention over windows of word pieces, for prediction: computes scores, softmax and weighted
// sums for a few queries at a time, in the cache of a core. The table of all pairs is never built.

#ifndef COREF_KERNELS_ATTENTION_SELF_ATTENTION_H_
#define COREF_KERNELS_ATTENTION_SELF_ATTENTION_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

struct SelfAttention {
  const float* projected;  // [windows, pieces, 3 * heads * size]: queries, keys, values
  int64_t windows;
  int64_t pieces;
  int64_t heads;
  int64_t size;           // the size of a head
  float scale;            // the factor of the product of a query and a key
  const float* relative;  // [heads, 2 * pieces - 1], added by key - query + pieces - 1; or null
  float* outputs;         // [windows, pieces, heads * size]

  int64_t hidden() const { return heads * size; }
};

// One head of one window.
class AttentionHead {
 public:
  AttentionHead(const SelfAttention& attention, const VectorLoops& loops)
      : attention_(attention),
        loops_(loops),
        width_((attention.pieces + loops.panel_columns - 1) / loops.panel_columns *
               loops.panel_columns),
        keys_(width_ * attention.size),
        values_((attention.size + loops.panel_columns - 1) / loops.panel_columns *
                loops.panel_columns * attention.pieces),
        scores_(kQueries * width_),
        score_rows_(RowPointers(scores_.data(), kQueries, width_)),
        const_score_rows_(score_rows_.begin(), score_rows_.end()) {}

  void Run(int64_t window, int64_t head) {
    const int64_t row_size = 3 * attention_.hidden(), hidden = attention_.hidden();
    const std::vector<const float*> rows = RowPointers(
        attention_.projected + window * attention_.pieces * row_size, attention_.pieces, row_size);
    const std::vector<float*> outputs = RowPointers(
        attention_.outputs + window * attention_.pieces * hidden, attention_.pieces, hidden);
    Pack(rows, head);
    for (int64_t first = 0; first < attention_.pieces; first += kQueries) {
      const int64_t count = std::min(kQueries, attention_.pieces - first);
      Score(rows.data() + first, head, count);
      float sums[kQueries];
      for (int64_t query = 0; query < count; ++query) {
        const float* bias = attention_.relative;
        if (bias != nullptr) bias += (head * 2 + 1) * attention_.pieces - head - 1 - first - query;
        sums[query] =
            loops_.exponentials(attention_.pieces, attention_.scale, bias, score_rows_[query]);
      }
      Sum(outputs.data() + first, head, count, sums);
    }
  }

 private:
  static constexpr int64_t kQueries = 24;  // queries at a time: a multiple of the rows of a product

  // Packs the keys as columns, and the values as rows.
  void Pack(const std::vector<const float*>& rows, int64_t head) {
    const int64_t step = loops_.panel_columns, hidden = attention_.hidden();
    for (int64_t first = 0; first < attention_.pieces; first += step) {
      loops_.pack_transposed(rows.data() + first, hidden + head * attention_.size, attention_.size,
                             std::min(step, attention_.pieces - first),
                             keys_.data() + first * attention_.size);
    }
    for (int64_t first = 0; first < attention_.size; first += step) {
      loops_.pack(rows.data(), attention_.pieces, 2 * hidden + head * attention_.size + first,
                  std::min(step, attention_.size - first),
                  values_.data() + first * attention_.pieces);
    }
  }

  void Score(const float* const* queries, int64_t head, int64_t count) {
    for (int64_t first = 0; first < attention_.pieces; first += loops_.panel_columns) {
      const int64_t columns = std::min(loops_.panel_columns, attention_.pieces - first);
      loops_.multiply({queries, head * attention_.size, count, attention_.size,
                       keys_.data() + first * attention_.size, columns, score_rows_.data(), first,
                       false});
    }
  }

  // Computes the sums of the values, weighted by the rows of scores.
  void Sum(float* const* outputs, int64_t head, int64_t count, const float* sums) {
    for (int64_t first = 0; first < attention_.size; first += loops_.panel_columns) {
      const int64_t columns = std::min(loops_.panel_columns, attention_.size - first);
      loops_.multiply({const_score_rows_.data(), 0, count, attention_.pieces,
                       values_.data() + first * attention_.pieces, columns, outputs,
                       head * attention_.size + first, false});
    }
    for (int64_t query = 0; query < count; ++query) {
      float* output = outputs[query] + head * attention_.size;
      const float inverse = 1 / sums[query];
      for (int64_t n = 0; n < attention_.size; ++n) output[n] *= inverse;
    }
  }

  const SelfAttention& attention_;
  const VectorLoops& loops_;
  int64_t width_;  // the width of a row of scores
  std::vector<float> keys_, values_, scores_;
  std::vector<float*> score_rows_;
  std::vector<const float*> const_score_rows_;
};

// Computes the outputs. Heads are independent, so the result does not depend on the number of
// threads. For parallel_for, see span_pruning.h.
template <typename ParallelFor>
void RunSelfAttention(const SelfAttention& attention, const VectorLoops& loops,
                      const ParallelFor& parallel_for) {
  const int64_t cost = attention.pieces * attention.pieces * (attention.size / 4 + 2);
  parallel_for(attention.windows * attention.heads, cost, [&](int64_t begin, int64_t end) {
    AttentionHead head(attention, loops);
    for (int64_t number = begin; number < end; ++number) {
      head.Run(number / attention.heads, number % attention.heads);
    }
  });
}

}  // namespace coref

#endif  // COREF_KERNELS_ATTENTION_SELF_ATTENTION_H_
