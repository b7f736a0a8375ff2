// Input checks of the ops on spans; messages name the input, the expected and the received value.

#ifndef COREF_KERNELS_SPANS_SPAN_CHECKS_H_
#define COREF_KERNELS_SPANS_SPAN_CHECKS_H_

#include <cstdint>
#include <string>

#include "device/host_device.h"
#include "spans/span_pruning.h"

namespace coref {

enum class SpanFault : int32_t { kNone, kNan, kNegativeStart, kEndBeforeStart };

COREF_HOST_DEVICE inline SpanFault FindFault(float score, int32_t start, int32_t end) {
  if (score != score) return SpanFault::kNan;
  if (start < 0) return SpanFault::kNegativeStart;
  if (end < start) return SpanFault::kEndBeforeStart;
  return SpanFault::kNone;
}

inline std::string DescribeFault(int32_t index, float score, int32_t start, int32_t end) {
  const std::string at = "[" + std::to_string(index) + "] = ";
  switch (FindFault(score, start, end)) {
    case SpanFault::kNan:
      return "span_scores must not be NaN. Received: span_scores" + at + "nan";
    case SpanFault::kNegativeStart:
      return "candidate_starts must not be negative. Received: candidate_starts" + at +
             std::to_string(start);
    case SpanFault::kEndBeforeStart:
      return "candidate_ends must not be before candidate_starts. Received: candidate_starts" + at +
             std::to_string(start) + ", candidate_ends" + at + std::to_string(end);
    case SpanFault::kNone:
      break;
  }
  return "";
}

// Describes the fault of the first invalid candidate; empty if all are valid.
inline std::string DescribeFaults(const Candidates& spans) {
  for (int32_t i = 0; i < spans.count; ++i) {
    if (FindFault(spans.scores[i], spans.starts[i], spans.ends[i]) != SpanFault::kNone) {
      return DescribeFault(i, spans.scores[i], spans.starts[i], spans.ends[i]);
    }
  }
  return "";
}

inline std::string DescribeNan(int64_t row, int64_t column) {
  return "coarse_scores must not be NaN. Received: coarse_scores[" + std::to_string(row) + ", " +
         std::to_string(column) + "] = nan";
}

inline std::string DescribeNegative(const std::string& name, int64_t value) {
  return name + " must not be negative. Received: " + std::to_string(value);
}

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_SPAN_CHECKS_H_
