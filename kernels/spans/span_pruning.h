// Keeps the highest-scoring spans that do not cross (section 4 of the paper), on the CPU.
//
// Cost: sorting the spans, then as many steps per span as it has words. Groups of spans that share
// no word are processed in parallel; the result does not depend on the number of threads.

#ifndef COREF_KERNELS_SPANS_SPAN_PRUNING_H_
#define COREF_KERNELS_SPANS_SPAN_PRUNING_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "device/host_device.h"
#include "spans/span_suppression.h"

namespace coref {

// Candidate spans with their scores: no NaN, 0 <= start <= end.
struct Candidates {
  const float* scores;
  const int32_t* starts;
  const int32_t* ends;
  int32_t count;
};

namespace span_pruning {

// Returns a cutoff that the keys of at least `count` candidates, and not many more, do not exceed;
// the maximum if that would include most candidates anyway.
inline uint32_t CutoffKey(const Candidates& candidates, int64_t count) {
  constexpr int kShift = 20;
  std::array<int32_t, 1 << (32 - kShift)> bins{};
  for (int32_t i = 0; i < candidates.count; ++i)
    ++bins[DescendingKey(candidates.scores[i]) >> kShift];
  int64_t total = 0;
  for (uint32_t bin = 0; 2 * total < candidates.count; ++bin) {
    total += bins[bin];
    if (total >= count) return (bin << kShift) + ((1u << kShift) - 1);
  }
  return UINT32_MAX;
}

// Candidates, by index, over words numbered from 0, without the words that no span needs.
struct WordSpans {
  std::vector<int32_t> indices, starts, ends;
  std::vector<uint32_t> keys;
  int32_t num_words = 0;
  int32_t count() const { return static_cast<int32_t>(indices.size()); }
};

// If the word numbers are far apart, the tables per word would be large. Only the words where a
// span starts or ends matter, so only those are numbered. Otherwise, words are numbered from the
// first.
inline void NumberWords(WordSpans* spans) {
  if (spans->count() == 0) return;
  const int32_t first = *std::min_element(spans->starts.begin(), spans->starts.end());
  const int32_t last = *std::max_element(spans->ends.begin(), spans->ends.end());
  if (last - first < 8 * static_cast<int64_t>(spans->count())) {
    for (int32_t& start : spans->starts) start -= first;
    for (int32_t& end : spans->ends) end -= first;
    spans->num_words = last - first + 1;
    return;
  }
  std::vector<int32_t> words(spans->starts);
  words.insert(words.end(), spans->ends.begin(), spans->ends.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  auto number = [&](int32_t word) {
    return static_cast<int32_t>(std::lower_bound(words.begin(), words.end(), word) - words.begin());
  };
  std::transform(spans->starts.begin(), spans->starts.end(), spans->starts.begin(), number);
  std::transform(spans->ends.begin(), spans->ends.end(), spans->ends.begin(), number);
  spans->num_words = static_cast<int32_t>(words.size());
}

// Selects the candidates whose keys do not exceed the cutoff.
inline WordSpans SelectSpans(const Candidates& candidates, uint32_t cutoff) {
  WordSpans spans;
  for (int32_t i = 0; i < candidates.count; ++i) {
    const uint32_t key = DescendingKey(candidates.scores[i]);
    if (key > cutoff) continue;
    spans.indices.push_back(i);
    spans.starts.push_back(candidates.starts[i]);
    spans.ends.push_back(candidates.ends[i]);
    spans.keys.push_back(key);
  }
  NumberWords(&spans);
  return spans;
}

// A span as one number: smaller is better. Between equal scores, earlier spans win, so no two are
// equal.
inline uint64_t Entry(const WordSpans& spans, int32_t span) {
  return static_cast<uint64_t>(spans.keys[span]) << 32 | static_cast<uint32_t>(span);
}

inline int32_t SpanOf(uint64_t entry) { return static_cast<int32_t>(entry & 0xffffffffu); }

// Sorts entries that are ordered by span. Many entries are radix-sorted: in four passes, by one
// byte of the score each, which keeps the order of equal scores.
inline void SortEntries(uint64_t* begin, uint64_t* end) {
  constexpr int kFew = 64;
  if (end - begin < kFew) return std::sort(begin, end);
  std::vector<uint64_t> scratch(end - begin);
  uint64_t *from = begin, *to = scratch.data();
  for (int shift = 32; shift < 64; shift += 8) {
    std::array<int32_t, 256> places{};
    for (int64_t i = 0; i < end - begin; ++i) ++places[from[i] >> shift & 0xff];
    std::exclusive_scan(places.begin(), places.end(), places.begin(), 0);
    for (int64_t i = 0; i < end - begin; ++i) to[places[from[i] >> shift & 0xff]++] = from[i];
    std::swap(from, to);
  }
}

// Groups of spans that share no word: begins[g] is the position of the first entry of group g.
struct Groups {
  std::vector<uint64_t> entries;
  std::vector<int32_t> begins;
  int32_t count() const { return static_cast<int32_t>(begins.size()) - 1; }
};

// Computes the groups in document order, with the entries of each ordered by span.
inline Groups GroupSpans(const WordSpans& spans) {
  // The furthest end of the spans that start at a word, which determines the group of each word.
  std::vector<int32_t> groups(spans.num_words, -1);
  for (int32_t i = 0; i < spans.count(); ++i) {
    int32_t& end = groups[spans.starts[i]];
    end = std::max(end, spans.ends[i]);
  }
  int32_t num_groups = 0;
  for (int32_t word = 0, end = -1; word < spans.num_words; ++word) {
    if (groups[word] >= 0 && word > end) ++num_groups;
    end = std::max(end, groups[word]);
    groups[word] = num_groups - 1;
  }
  // Counting sort of the spans by group.
  Groups result{std::vector<uint64_t>(spans.count()), std::vector<int32_t>(num_groups + 1, 0)};
  for (int32_t start : spans.starts) ++result.begins[groups[start] + 1];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  std::vector<int32_t> places(result.begins.begin(), result.begins.end() - 1);
  for (int32_t i = 0; i < spans.count(); ++i) {
    result.entries[places[groups[spans.starts[i]]]++] = Entry(spans, i);
  }
  return result;
}

// Moves the accepted spans of a group, best first, to its front; returns their number, at most
// `most`.
inline int32_t SuppressGroup(const WordSpans& spans, int32_t most, const AcceptedSpans& accepted,
                             uint64_t* begin, uint64_t* end) {
  SortEntries(begin, end);
  int32_t count = 0;
  for (const uint64_t* entry = begin; entry != end && count < most; ++entry) {
    const int32_t i = SpanOf(*entry);
    if (AcceptUnlessCrossing(SerialBlock(), spans.starts[i], spans.ends[i], accepted))
      begin[count++] = *entry;
  }
  return count;
}

// Returns the last accepted span that is among the best `most` of all groups.
inline uint64_t WorstKept(const Groups& groups, const std::vector<int32_t>& counts, int32_t most) {
  std::vector<uint64_t> accepted;
  for (int32_t g = 0; g < groups.count(); ++g) {
    const auto begin = groups.entries.begin() + groups.begins[g];
    accepted.insert(accepted.end(), begin, begin + counts[g]);
  }
  if (accepted.size() <= static_cast<size_t>(most)) return UINT64_MAX;
  std::nth_element(accepted.begin(), accepted.begin() + most - 1, accepted.end());
  return accepted[most - 1];
}

// Returns the accepted spans among some candidates, at most `most`, ordered by (start, end, index).
template <typename ParallelFor>
std::vector<int32_t> ExtractFrom(const WordSpans& spans, int32_t most,
                                 const ParallelFor& parallel_for) {
  Groups groups = GroupSpans(spans);
  std::vector<int32_t> ends(spans.num_words, AcceptedSpans::kNoEnd);
  std::vector<int32_t> starts(spans.num_words, AcceptedSpans::kNoStart);
  const AcceptedSpans accepted{ends.data(), starts.data()};
  std::vector<int32_t> counts(groups.count());
  const int64_t cost = 50 * static_cast<int64_t>(spans.count()) / std::max(groups.count(), 1);
  parallel_for(groups.count(), cost, [&](int64_t first, int64_t last) {
    uint64_t* entries = groups.entries.data();
    for (int64_t g = first; g < last; ++g) {
      counts[g] = SuppressGroup(spans, most, accepted, entries + groups.begins[g],
                                entries + groups.begins[g + 1]);
    }
  });

  // The groups are in document order, so sorting within each group is enough.
  const uint64_t worst = WorstKept(groups, counts, most);
  std::vector<int32_t> kept;
  for (int32_t g = 0; g < groups.count(); ++g) {
    const size_t before = kept.size();
    for (int32_t place = groups.begins[g]; place < groups.begins[g] + counts[g]; ++place) {
      if (groups.entries[place] <= worst) kept.push_back(SpanOf(groups.entries[place]));
    }
    std::sort(kept.begin() + before, kept.end(), [&](int32_t a, int32_t b) {
      return std::tie(spans.starts[a], spans.ends[a], a) <
             std::tie(spans.starts[b], spans.ends[b], b);
    });
  }
  std::transform(kept.begin(), kept.end(), kept.begin(),
                 [&](int32_t span) { return spans.indices[span]; });
  return kept;
}

}  // namespace span_pruning

// Returns the accepted spans, at most `num_output_spans`, ordered by (start, end, index).
// parallel_for(count, cost, work) calls work(begin, end) on parts of [0, count), whose items cost
// about `cost` nanoseconds each, and returns when all are done.
template <typename ParallelFor>
std::vector<int32_t> ExtractSpans(const Candidates& candidates, int32_t num_output_spans,
                                  const ParallelFor& parallel_for) {
  if (num_output_spans == 0) return {};
  // Usually, the best few are enough, because worse spans cannot cause them to be rejected.
  const uint32_t cutoff =
      span_pruning::CutoffKey(candidates, 4 * static_cast<int64_t>(num_output_spans));
  std::vector<int32_t> kept = span_pruning::ExtractFrom(
      span_pruning::SelectSpans(candidates, cutoff), num_output_spans, parallel_for);
  if (static_cast<int64_t>(kept.size()) == num_output_spans || cutoff == UINT32_MAX) return kept;
  return span_pruning::ExtractFrom(span_pruning::SelectSpans(candidates, UINT32_MAX),
                                   num_output_spans, parallel_for);
}

}  // namespace coref

#endif  // COREF_KERNELS_SPANS_SPAN_PRUNING_H_
