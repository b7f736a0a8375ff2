// Section 4 of the paper, literally: each candidate is compared with every accepted span. It is
// quadratic, and serves as the baseline of the benchmark and the oracle of the sanitizer tests.

#ifndef COREF_KERNELS_SPANS_SEQUENTIAL_SPAN_PRUNING_H_
#define COREF_KERNELS_SPANS_SEQUENTIAL_SPAN_PRUNING_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "spans/span_pruning.h"

namespace coref {

inline std::vector<int32_t> ExtractSpansSequentially(const Candidates& spans,
                                                     int32_t num_output_spans) {
  const int32_t *starts = spans.starts, *ends = spans.ends;
  std::vector<int32_t> order(spans.count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return spans.scores[a] > spans.scores[b]; });
  std::vector<int32_t> kept;
  for (int32_t i : order) {
    if (static_cast<int64_t>(kept.size()) == num_output_spans) break;
    const bool crosses = std::any_of(kept.begin(), kept.end(), [&](int32_t j) {
      return (starts[i] < starts[j] && starts[j] <= ends[i] && ends[i] < ends[j]) ||
             (starts[j] < starts[i] && starts[i] <= ends[j] && ends[j] < ends[i]);
    });
    if (!crosses) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) {
    return std::tie(starts[a], ends[a], a) < std::tie(starts[b], ends[b], b);
  });
  return kept;
}

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_SEQUENTIAL_SPAN_PRUNING_H_
