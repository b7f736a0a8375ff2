// The metrics. A metric is a function of a Comparison and a row of kMetrics, which everything else
// reads: the scorer, its binding and, through it, Python's names, tables, JSON and command line.

#ifndef COREF_KERNELS_SCORER_METRICS_H_
#define COREF_KERNELS_SCORER_METRICS_H_

#include <cstdint>
#include <vector>

#include "scorer/blanc.h"
#include "scorer/comparison.h"

namespace coref {

// Summed over documents before any ratio is computed.
struct Fractions {
  double recall_numerator = 0, recall_denominator = 0;
  double precision_numerator = 0, precision_denominator = 0;
};

// One element for each part of a metric.
using Counts = std::vector<Fractions>;

// Mention detection, which accompanies every metric; it counts distinct mentions.
inline Fractions Mentions(const Comparison& c) {
  Fractions result;
  const int32_t mentions = c.key_clusters_of_mentions.size();
  for (int32_t m = 0; m < mentions; ++m) {
    result.recall_denominator += c.key_clusters_of_mentions.length(m) > 0;
  }
  std::vector<bool> seen(mentions, false);
  for (const int32_t m : c.response.numbers) {
    if (seen[m]) continue;
    seen[m] = true;
    result.precision_denominator += 1;
    result.recall_numerator += c.key_clusters_of_mentions.length(m) > 0;
  }
  result.precision_numerator = result.recall_numerator;
  return result;
}

// Counts all mentions; the right ones are still to be counted.
inline Fractions PerMention(const Comparison& c) {
  Fractions result;
  result.recall_denominator = c.key.numbers.size();
  result.precision_denominator = c.response.numbers.size();
  return result;
}

// A cluster of n mentions has n - 1 links; a response cluster that shares m mentions with p key
// clusters has m - p right links.
inline Counts Muc(const Comparison& c) {
  Fractions result;
  for (const Overlap& overlap : c.overlaps.overlaps) {
    if (overlap.last_homes > 0) result.recall_numerator += overlap.last_homes - 1;
  }
  result.precision_numerator = result.recall_numerator;
  result.recall_denominator = c.key.numbers.size() - c.key.size();
  result.precision_denominator = c.response.numbers.size() - c.response.size();
  return {result};
}

inline Counts Bcub(const Comparison& c) {
  Fractions result = PerMention(c);
  c.ForEachOverlap([&](const Overlap& overlap, double key_size, double response_size) {
    const double right = static_cast<double>(overlap.last_homes) * overlap.mentions;
    result.recall_numerator += right / key_size;
    result.precision_numerator += right / response_size;
  });
  return {result};
}

inline Counts Ceafm(const Comparison& c) {
  Fractions result = PerMention(c);
  result.recall_numerator = result.precision_numerator =
      c.BestAssignment([](const Overlap& overlap, double, double) { return overlap.occurrences; });
  return {result};
}

inline Counts Ceafe(const Comparison& c) {
  Fractions result;
  result.recall_denominator = c.key.size();
  result.precision_denominator = c.response.size();
  result.recall_numerator = result.precision_numerator =
      c.BestAssignment([](const Overlap& overlap, double key_size, double response_size) {
        return 2.0 * overlap.occurrences / (key_size + response_size);
      });
  return {result};
}

// The mean over the two kinds of links is taken after summing over all documents.
inline Counts Blanc(const Comparison& c) {
  const auto counts = [](const LinkCounts& links) -> Fractions {
    const auto both = static_cast<double>(links.both);
    return {both, static_cast<double>(links.key), both, static_cast<double>(links.response)};
  };
  const BlancLinks links =
      CountBlancLinks(c.key, c.response, c.key_clusters_of_mentions, c.overlaps);
  return {counts(links.coreference), counts(links.non_coreference)};
}

// An entity is weighted by its number of mentions, and scores the fraction of its links that the
// other side has, too. A singleton has one link, to itself, which only a singleton resolves.
inline Counts Lea(const Comparison& c) {
  Fractions result = PerMention(c);
  const auto resolved = [](int64_t shared, int64_t size, int64_t other_size) {
    if (size == 1) return shared == 1 && other_size == 1 ? 1.0 : 0.0;
    return static_cast<double>(size) * Pairs(shared) / Pairs(size);
  };
  c.ForEachOverlap([&](const Overlap& overlap, int64_t key_size, int64_t response_size) {
    result.recall_numerator += resolved(overlap.occurrences, key_size, response_size);
    result.precision_numerator += resolved(overlap.last_homes, response_size, key_size);
  });
  return {result};
}

struct Metric {
  const char* name;   // in JSON and on the command line
  const char* title;  // in tables
  bool averaged;      // whether it is part of the CoNLL average
  int32_t parts;      // 1, or 2 for the mean over two kinds of links, as in BLANC
  Counts (*count)(const Comparison&);
};

// Metric i is requested by the flag 1 << i, so there can be at most 32.
// clang-format off
inline constexpr Metric kMetrics[] = {
    {"muc", "MUC", true, 1, Muc},
    {"bcub", "B3", true, 1, Bcub},
    {"ceafm", "CEAF-m", false, 1, Ceafm},
    {"ceafe", "CEAF-e", true, 1, Ceafe},
    {"blanc", "BLANC", false, 2, Blanc},
    {"lea", "LEA", false, 1, Lea},
};
// clang-format on

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_METRICS_H_
