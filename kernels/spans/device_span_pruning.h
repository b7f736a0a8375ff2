// Keeps the best spans, none crossing another, on a GPU: one source for the real grid and the
// emulated one.
//
// The words are numbered and the spans put into groups that share no word by sorting and scanning
// where spans start and end; then one block per group accepts its spans, best first, its threads
// looking at the words of a span at the same time. The first of all accepted, by score, are kept.

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

// Spans over words numbered from 0 on, and their groups, numbered too; arrays of one number per
// candidate.
struct GroupedSpans {
  int32_t *starts, *ends, *groups;
  const int32_t* num_groups;  // [1]
};

template <typename Grid>
GroupedSpans GroupSpans(Grid* grid, const Candidates& spans) {
  const int64_t count = spans.count, bounds = 2 * count;
  // Where spans start and end, in document order; starts come before ends of the same word.
  auto* items = grid->template Allocate<SortItem>(PowerOfTwoAtLeast(bounds));
  grid->ForEach(bounds, [=] COREF_DEVICE(int64_t i) {
    const bool ends = i >= count;
    const auto span = static_cast<int32_t>(ends ? i - count : i);
    items[i] = {2 * static_cast<uint64_t>(ends ? spans.ends[span] : spans.starts[span]) + ends,
                span};
  });
  Sort(grid, items, bounds);
  // How many spans have begun and not ended; a span that begins where none had is the first of a
  // group.
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

// The candidates by group, in each by decreasing score and then index; `begins` [groups + 1] gets
// the place of each group's first.
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

// Whether each candidate is accepted, were there no limit.
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

// The first candidate that FindFault faults; -1 when all are good.
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

// Spans that are kept: the values of items[0] to items[count - 1].
struct KeptSpans {
  SortItem* items;
  int32_t count;
};

// The best accepted spans, at most `num_output_spans`. The candidates lie in the device's memory
// and have no fault.
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

// Writes the kept spans to `output`, in the device's memory, ordered by (start, end, index).
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
