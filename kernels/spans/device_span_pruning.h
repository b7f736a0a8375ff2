// Keeps the highest-scoring spans that do not cross, on a GPU: one source for the real and the
// emulated grid.
//
// Sorting and scanning the starts and ends of spans numbers the words, and divides the spans into
// groups that share no word. Then, one block per group accepts its spans, best first, with its
// threads processing the words of a span in parallel. Of all accepted spans, the first by score are
// kept.

#ifndef COREF_KERNELS_SPANS_DEVICE_SPAN_PRUNING_H_
#define COREF_KERNELS_SPANS_DEVICE_SPAN_PRUNING_H_

#include <algorithm>
#include <cstdint>

#include "device/device_algorithms.h"
#include "device/host_device.h"
#include "spans/span_checks.h"
#include "spans/span_pruning.h"
#include "spans/span_suppression.h"

namespace coref {
namespace device_span_pruning {

// Spans over words numbered from 0, and their groups, which are numbered, too; arrays with one
// element per candidate.
struct GroupedSpans {
  int32_t *starts, *ends, *groups;
  const int32_t* num_groups;  // [1]
};

template <typename Grid>
GroupedSpans GroupSpans(Grid* grid, const Candidates& spans) {
  const int64_t count = spans.count, bounds = 2 * count;
  // The starts and ends of spans, in document order; starts precede ends at the same word.
  auto* items = grid->template Allocate<SortItem>(PowerOfTwoAtLeast(bounds));
  grid->ForEach(bounds, [=] COREF_DEVICE(int64_t i) {
    const bool ends = i >= count;
    const auto span = static_cast<int32_t>(ends ? i - count : i);
    items[i] = {2 * static_cast<uint64_t>(ends ? spans.ends[span] : spans.starts[span]) + ends,
                span};
  });
  Sort(grid, items, bounds);
  // The number of open spans; a span that begins when none is open is the first of a group.
  auto* words = grid->template Allocate<int32_t>(bounds);
  auto* open = grid->template Allocate<int32_t>(bounds);
  grid->ForEach(bounds, [=] COREF_DEVICE(int64_t i) {
    words[i] = i > 0 && items[i].key / 2 != items[i - 1].key / 2;
    open[i] = items[i].key % 2 ? -1 : 1;
  });
  Scan(grid, words, bounds);
  Scan(grid, open, bounds);
  auto* groups = grid->template Allocate<int32_t>(bounds);
  grid->ForEach(bounds, [=] COREF_DEVICE(int64_t i) { groups[i] = i == 0 || open[i - 1] == 0; });
  Scan(grid, groups, bounds);

  const GroupedSpans result{grid->template Allocate<int32_t>(count),
                            grid->template Allocate<int32_t>(count),
                            grid->template Allocate<int32_t>(count), groups + bounds - 1};
  grid->ForEach(bounds, [=] COREF_DEVICE(int64_t i) {
    const int32_t span = items[i].value;
    if (items[i].key % 2) {
      result.ends[span] = words[i];
    } else {
      result.starts[span] = words[i];
      result.groups[span] = groups[i] - 1;
    }
  });
  return result;
}

// Sorts the candidates by group, then by decreasing score, then by index; `begins` [groups + 1]
// receives the position of the first candidate of each group.
template <typename Grid>
SortItem* OrderByGroup(Grid* grid, const Candidates& spans, const GroupedSpans& grouped,
                       int32_t* begins) {
  const int32_t count = spans.count;
  auto* order = grid->template Allocate<SortItem>(PowerOfTwoAtLeast(count));
  grid->ForEach(count, [=] COREF_DEVICE(int64_t i) {
    const auto group = static_cast<uint64_t>(grouped.groups[i]);
    order[i] = {group << 32 | DescendingKey(spans.scores[i]), static_cast<int32_t>(i)};
  });
  Sort(grid, order, count);
  grid->ForEach(count, [=] COREF_DEVICE(int64_t i) {
    const int32_t group = grouped.groups[order[i].value];
    if (i == 0 || grouped.groups[order[i - 1].value] != group)
      begins[group] = static_cast<int32_t>(i);
    if (i == count - 1) begins[group + 1] = count;
  });
  return order;
}

// Computes whether each candidate is accepted, without a limit.
template <typename Grid>
int32_t* Suppress(Grid* grid, const Candidates& spans) {
  using Block = typename Grid::Block;
  constexpr int32_t kMostBlocks = 4096, kThreads = 32;
  const GroupedSpans grouped = GroupSpans(grid, spans);
  auto* begins = grid->template Allocate<int32_t>(spans.count + 1);
  const SortItem* order = OrderByGroup(grid, spans, grouped, begins);
  const int64_t most_words = 2 * static_cast<int64_t>(spans.count);
  const AcceptedSpans table{grid->template Allocate<int32_t>(most_words),
                            grid->template Allocate<int32_t>(most_words)};
  grid->ForEach(most_words, [=] COREF_DEVICE(int64_t word) {
    table.furthest_end[word] = AcceptedSpans::kNoEnd;
    table.furthest_start[word] = AcceptedSpans::kNoStart;
  });
  auto* accepted = grid->template Allocate<int32_t>(spans.count);
  grid->Launch(std::min(spans.count, kMostBlocks), kThreads, [=] COREF_DEVICE(const Block& block) {
    for (int32_t group = block.index(); group < *grouped.num_groups; group += block.num_blocks()) {
      for (int32_t place = begins[group]; place < begins[group + 1]; ++place) {
        const int32_t i = order[place].value;
        const bool accepts = AcceptUnlessCrossing(block, grouped.starts[i], grouped.ends[i], table);
        block.Once([=] { accepted[i] = accepts; });
      }
    }
  });
  return accepted;
}

}  // namespace device_span_pruning

// Returns the first candidate with a fault (see FindFault), or -1 if there is none.
template <typename Grid>
int32_t FindFirstFault(Grid* grid, const Candidates& spans) {
  auto* first = grid->template Allocate<unsigned long long>(1);
  grid->ForEach(1, [=] COREF_DEVICE(int64_t) { *first = UINT64_MAX; });
  grid->ForEach(spans.count, [=] COREF_DEVICE(int64_t i) {
    if (FindFault(spans.scores[i], spans.starts[i], spans.ends[i]) != SpanFault::kNone)
      AtomicMin(first, i);
  });
  unsigned long long found;
  grid->Read(first, 1, &found);
  return found == UINT64_MAX ? -1 : static_cast<int32_t>(found);
}

// The kept spans: the values of items[0] to items[count - 1].
struct KeptSpans {
  SortItem* items;
  int32_t count;
};

// Returns the best accepted spans, at most `num_output_spans`. The candidates are in device memory
// and have no faults.
template <typename Grid>
KeptSpans KeepSpans(Grid* grid, const Candidates& spans, int32_t num_output_spans) {
  if (spans.count == 0) return {nullptr, 0};
  const int32_t* accepted = device_span_pruning::Suppress(grid, spans);
  auto* best = grid->template Allocate<SortItem>(PowerOfTwoAtLeast(spans.count));
  auto* total = grid->template Allocate<int32_t>(1);
  grid->ForEach(1, [=] COREF_DEVICE(int64_t) { *total = 0; });
  grid->ForEach(spans.count, [=] COREF_DEVICE(int64_t i) {
    const uint64_t rejected = !accepted[i];
    best[i] = {rejected << 32 | DescendingKey(spans.scores[i]), static_cast<int32_t>(i)};
    if (accepted[i]) AtomicAdd(total, 1);
  });
  Sort(grid, best, spans.count);
  int32_t num_accepted;
  grid->Read(total, 1, &num_accepted);
  return {best, std::min(num_accepted, num_output_spans)};
}

// Writes the kept spans to `output`, in device memory, ordered by (start, end, index).
template <typename Grid>
void WriteSpans(Grid* grid, const Candidates& spans, const KeptSpans& kept, int32_t* output) {
  if (kept.count == 0) return;
  SortItem* items = kept.items;
  grid->ForEach(kept.count, [=] COREF_DEVICE(int64_t i) {
    const int32_t span = items[i].value;
    items[i].key =
        static_cast<uint64_t>(spans.starts[span]) << 32 | static_cast<uint32_t>(spans.ends[span]);
  });
  Sort(grid, items, kept.count);
  grid->ForEach(kept.count, [=] COREF_DEVICE(int64_t i) { output[i] = items[i].value; });
}

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_DEVICE_SPAN_PRUNING_H_
