// Decides which spans of a group are accepted: the core of the suppression, one source for CPU and
// GPU.
//
// Whether a span is accepted depends only on better spans that cross it, and spans that share no
// word cannot cross. So groups of spans are independent, and need no cap: the first m accepted
// spans of all groups, in order of score, are exactly those that the paper's sequential algorithm
// keeps when it stops at m.

#ifndef COREF_KERNELS_SPANS_SPAN_SUPPRESSION_H_
#define COREF_KERNELS_SPANS_SPAN_SUPPRESSION_H_

#include <cstdint>

#include "device/host_device.h"

namespace coref {

// A summary of the accepted spans, per word. Groups use only the entries of their own words.
struct AcceptedSpans {
  static constexpr int32_t kNoEnd = -1;
  static constexpr int32_t kNoStart = INT32_MAX;

  int32_t* furthest_end;    // [words] the furthest end of the accepted spans that start at a word
  int32_t* furthest_start;  // [words] the earliest start of the accepted spans that end at a word
};

// A single worker that does everything by itself, for processing a group on the CPU. On the GPU, it
// is a block of threads; see device/emulated_grid.h.
struct SerialBlock {
  template <typename Predicate>
  bool AnyOf(int32_t count, const Predicate& predicate) const {
    for (int32_t i = 0; i < count; ++i) {
      if (predicate(i)) return true;
    }
    return false;
  }

  template <typename Action>
  void Once(const Action& action) const {
    action();
  }
};

// Accepts a span unless it crosses an accepted one; returns whether it was accepted. The cost is
// proportional to the width of the span: an accepted span that crosses it either starts inside it,
// after its first word, and ends after it, or ends inside it, before its last word, and starts
// before it.
template <typename Block>
COREF_HOST_DEVICE inline bool AcceptUnlessCrossing(const Block& block, int32_t start, int32_t end,
                                                   const AcceptedSpans& accepted) {
  const bool crosses = block.AnyOf(end - start, [=](int32_t i) {
    return accepted.furthest_end[start + 1 + i] > end || accepted.furthest_start[start + i] < start;
  });
  if (crosses) return false;
  block.Once([=] {
    if (end > accepted.furthest_end[start]) accepted.furthest_end[start] = end;
    if (start < accepted.furthest_start[end]) accepted.furthest_start[end] = start;
  });
  return true;
}

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_SPAN_SUPPRESSION_H_
