// Keeps the best spans, none crossing another (section 4 of the paper), on the CPU.
//
// Cost: a radix sort by score, then for each span as many steps as it has words. Groups of spans
// that share no word run in parallel; the result is the same whatever the number of threads.

#ifndef COREF_KERNELS_SPAN_PRUNING_H_
#define COREF_KERNELS_SPAN_PRUNING_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <tuple>
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

// The candidates in decreasing score, equal scores by lower index: a radix sort, which is stable.
inline std::vector<int32_t> OrderByScore(const Candidates& spans) {
  constexpr int kDigitBits = 11, kDigits = 3;
  constexpr uint32_t kMask = (1u << kDigitBits) - 1;
  struct Entry {
    uint32_t key;
    int32_t span;
  };
  std::vector<Entry> entries(spans.count), sorted(spans.count);
  std::array<std::array<int32_t, kMask + 1>, kDigits> places{};
  for (int32_t i = 0; i < spans.count; ++i) {
    entries[i] = {DescendingKey(spans.scores[i]), i};
    for (int d = 0; d < kDigits; ++d) ++places[d][(entries[i].key >> (d * kDigitBits)) & kMask];
  }
  for (int d = 0; d < kDigits; ++d) {
    std::exclusive_scan(places[d].begin(), places[d].end(), places[d].begin(), 0);
    for (const Entry& entry : entries) {
      sorted[places[d][(entry.key >> (d * kDigitBits)) & kMask]++] = entry;
    }
    entries.swap(sorted);
  }
  std::vector<int32_t> order(spans.count);
  std::transform(entries.begin(), entries.end(), order.begin(),
                 [](const Entry& e) { return e.span; });
  return order;
}

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

// Groups of spans that share no word: the ranks of group g are ranks[begins[g]] to ranks[begins[g +
// 1] - 1], in increasing order; rank r is span order[r].
struct Groups {
  std::vector<int32_t> ranks, begins;
  int32_t count() const { return static_cast<int32_t>(begins.size()) - 1; }
};

inline Groups GroupSpans(const WordSpans& spans, const std::vector<int32_t>& order) {
  // The furthest end of the spans that start at a word; then the group of each word.
  std::vector<int32_t> groups(spans.num_words, -1);
  for (size_t i = 0; i < spans.starts.size(); ++i) {
    int32_t& end = groups[spans.starts[i]];
    end = std::max(end, spans.ends[i]);
  }
  int32_t num_groups = 0;
  for (int32_t word = 0, end = -1; word < spans.num_words; ++word) {
    if (groups[word] >= 0 && word > end) ++num_groups;
    end = std::max(end, groups[word]);
    groups[word] = num_groups - 1;
  }
  // A counting sort of the ranks by their group.
  Groups result{std::vector<int32_t>(order.size()), std::vector<int32_t>(num_groups + 1, 0)};
  for (int32_t start : spans.starts) ++result.begins[groups[start] + 1];
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  std::vector<int32_t> places(result.begins.begin(), result.begins.end() - 1);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    result.ranks[places[groups[spans.starts[order[rank]]]]++] = static_cast<int32_t>(rank);
  }
  return result;
}

}  // namespace span_pruning

// The accepted spans, at most `num_output_spans`, ordered by (start, end, index).
// parallel_for(count, cost, work) calls work(begin, end) on parts of [0, count), each of which
// costs about `cost` nanoseconds an item, and returns when all is done.
template <typename ParallelFor>
std::vector<int32_t> ExtractSpans(const Candidates& candidates, int32_t num_output_spans,
                                  const ParallelFor& parallel_for) {
  const std::vector<int32_t> order = span_pruning::OrderByScore(candidates);
  const span_pruning::WordSpans spans = span_pruning::NumberWords(candidates);
  const span_pruning::Groups groups = span_pruning::GroupSpans(spans, order);

  std::vector<int32_t> ends(spans.num_words, AcceptedSpans::kNoEnd);
  std::vector<int32_t> starts(spans.num_words, AcceptedSpans::kNoStart);
  const AcceptedSpans accepted{ends.data(), starts.data()};
  std::vector<uint8_t> is_accepted(order.size());  // by rank
  const int64_t cost =
      groups.count() ? 50 * static_cast<int64_t>(order.size()) / groups.count() : 0;
  parallel_for(groups.count(), cost, [&](int64_t begin, int64_t end) {
    for (int32_t place = groups.begins[begin]; place < groups.begins[end]; ++place) {
      const int32_t rank = groups.ranks[place], span = order[rank];
      is_accepted[rank] =
          AcceptUnlessCrossing(SerialBlock(), spans.starts[span], spans.ends[span], accepted);
    }
  });

  std::vector<int32_t> kept;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    if (static_cast<int64_t>(kept.size()) == num_output_spans) break;
    if (is_accepted[rank]) kept.push_back(order[rank]);
  }
  std::sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) {
    return std::tie(spans.starts[a], spans.ends[a], a) <
           std::tie(spans.starts[b], spans.ends[b], b);
  });
  return kept;
}

}  // namespace coref

#endif  // COREF_KERNELS_SPAN_PRUNING_H_
