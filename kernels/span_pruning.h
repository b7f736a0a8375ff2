// Keeps the best spans, none crossing another (section 4 of the paper), on the CPU.
//
// Cost: sorting the spans, then for each as many steps as it has words. Groups of spans
// that share no word run in parallel; the result is the same whatever the number of threads.

#ifndef COREF_KERNELS_SPAN_PRUNING_H_
#define COREF_KERNELS_SPAN_PRUNING_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "host_device.h"
#include "span_suppression.h"

namespace coref {

// Candidate spans with their scores: no NaN, 0 <= start <= end.
struct Candidates {
  const float* scores;
  const int32_t* starts;
  const int32_t* ends;
  int32_t count;
};

namespace span_pruning {

// The spans over words numbered from 0 on, in the same order, without the words that no span needs.
struct WordSpans {
  std::vector<int32_t> starts, ends;
  int32_t num_words;
};

// Word numbers that are far apart would make the tables per word large: only the words where a span
// starts or ends matter, so those are numbered. Otherwise the words are numbered from the first.
inline WordSpans NumberWords(const Candidates& spans) {
  WordSpans result{
      {spans.starts, spans.starts + spans.count}, {spans.ends, spans.ends + spans.count}, 0};
  if (spans.count == 0) return result;
  const int32_t first = *std::min_element(result.starts.begin(), result.starts.end());
  const int32_t last = *std::max_element(result.ends.begin(), result.ends.end());
  if (last - first < 4 * static_cast<int64_t>(spans.count)) {
    for (int32_t& start : result.starts) start -= first;
    for (int32_t& end : result.ends) end -= first;
    result.num_words = last - first + 1;
    return result;
  }
  std::vector<int32_t> words(result.starts);
  words.insert(words.end(), result.ends.begin(), result.ends.end());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  auto number = [&](int32_t word) {
    return static_cast<int32_t>(std::lower_bound(words.begin(), words.end(), word) - words.begin());
  };
  std::transform(result.starts.begin(), result.starts.end(), result.starts.begin(), number);
  std::transform(result.ends.begin(), result.ends.end(), result.ends.begin(), number);
  result.num_words = static_cast<int32_t>(words.size());
  return result;
}

// A candidate as one number: smaller is better. Lower indices win between equal scores, so no two
// are equal.
inline uint64_t Entry(const Candidates& spans, int32_t index) {
  return static_cast<uint64_t>(DescendingKey(spans.scores[index])) << 32 |
         static_cast<uint32_t>(index);
}

inline int32_t IndexOf(uint64_t entry) { return static_cast<int32_t>(entry & 0xffffffffu); }

// Sorts entries that are ordered by index; many of them by radix: four times by a byte of the
// score, which leaves equal scores in their order.
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

// Groups of spans that share no word: group g holds entries[begins[g]] to entries[begins[g + 1] -
// 1].
struct Groups {
  std::vector<uint64_t> entries;
  std::vector<int32_t> begins;
  int32_t count() const { return static_cast<int32_t>(begins.size()) - 1; }
};

// The groups in document order, the entries of each by index.
inline Groups GroupSpans(const Candidates& candidates, const WordSpans& spans) {
  // The furthest end of the spans that start at a word; from that, the group of each word.
  std::vector<int32_t> groups(spans.num_words, -1);
  for (int32_t i = 0; i < candidates.count; ++i) {
    int32_t& end = groups[spans.starts[i]];
    end = std::max(end, spans.ends[i]);
  }
  int32_t num_groups = 0;
  for (int32_t word = 0, end = -1; word < spans.num_words; ++word) {
    if (groups[word] >= 0 && word > end) ++num_groups;
    end = std::max(end, groups[word]);
    groups[word] = num_groups - 1;
  }
  // A counting sort of the spans by their group.
  Groups result{std::vector<uint64_t>(candidates.count), std::vector<int32_t>(num_groups + 1, 0)};
  for (int32_t start : spans.starts) ++result.begins[groups[start] + 1];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  std::vector<int32_t> places(result.begins.begin(), result.begins.end() - 1);
  for (int32_t i = 0; i < candidates.count; ++i) {
    result.entries[places[groups[spans.starts[i]]]++] = Entry(candidates, i);
  }
  return result;
}

// Moves the accepted spans of a group, best first, to its front; returns how many there are, at
// most `most`.
inline int32_t SuppressGroup(const WordSpans& spans, int32_t most, const AcceptedSpans& accepted,
                             uint64_t* begin, uint64_t* end) {
  SortEntries(begin, end);
  int32_t count = 0;
  for (const uint64_t* entry = begin; entry != end && count < most; ++entry) {
    const int32_t i = IndexOf(*entry);
    if (AcceptUnlessCrossing(SerialBlock(), spans.starts[i], spans.ends[i], accepted))
      begin[count++] = *entry;
  }
  return count;
}

// The last of the accepted spans that is kept when the best `most` of all groups are.
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

}  // namespace span_pruning

// The accepted spans, at most `num_output_spans`, ordered by (start, end, index).
// parallel_for(count, cost, work) calls work(begin, end) on parts of [0, count), whose items cost
// about `cost` nanoseconds each, and returns when all is done.
template <typename ParallelFor>
std::vector<int32_t> ExtractSpans(const Candidates& candidates, int32_t num_output_spans,
                                  const ParallelFor& parallel_for) {
  if (num_output_spans == 0) return {};
  const span_pruning::WordSpans spans = span_pruning::NumberWords(candidates);
  span_pruning::Groups groups = span_pruning::GroupSpans(candidates, spans);

  std::vector<int32_t> ends(spans.num_words, AcceptedSpans::kNoEnd);
  std::vector<int32_t> starts(spans.num_words, AcceptedSpans::kNoStart);
  const AcceptedSpans accepted{ends.data(), starts.data()};
  std::vector<int32_t> counts(groups.count());
  const int64_t cost = 50 * static_cast<int64_t>(candidates.count) / std::max(groups.count(), 1);
  parallel_for(groups.count(), cost, [&](int64_t first, int64_t last) {
    for (int64_t g = first; g < last; ++g) {
      uint64_t* entries = groups.entries.data();
      counts[g] =
          span_pruning::SuppressGroup(spans, num_output_spans, accepted, entries + groups.begins[g],
                                      entries + groups.begins[g + 1]);
    }
  });

  // The groups are in document order, so only inside them is there something to sort.
  const uint64_t worst = span_pruning::WorstKept(groups, counts, num_output_spans);
  std::vector<int32_t> kept;
  for (int32_t g = 0; g < groups.count(); ++g) {
    const size_t before = kept.size();
    for (int32_t place = groups.begins[g]; place < groups.begins[g] + counts[g]; ++place) {
      if (groups.entries[place] <= worst)
        kept.push_back(span_pruning::IndexOf(groups.entries[place]));
    }
    std::sort(kept.begin() + before, kept.end(), [&](int32_t a, int32_t b) {
      return std::tie(spans.starts[a], spans.ends[a], a) <
             std::tie(spans.starts[b], spans.ends[b], b);
    });
  }
  return kept;
}

}  // namespace coref

#endif  // COREF_KERNELS_SPAN_PRUNING_H_
