// Coreference scores of one document, equal to those of the official CoNLL-2012 scorer v8.01.

#ifndef COREF_KERNELS_SCORER_SCORER_H_
#define COREF_KERNELS_SCORER_SCORER_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <system_error>
#include <vector>

#include "scorer/assignment.h"
#include "scorer/blanc.h"
#include "scorer/clusters.h"

namespace coref {

// Which metrics to compute, as a sum. Mention detection comes with each.
enum Metric : uint32_t {
  kMuc = 1,
  kBcub = 2,
  kCeafm = 4,
  kCeafe = 8,
  kBlanc = 16,
  kLea = 32,
};

struct Fractions {
  double recall_numerator = 0, recall_denominator = 0;
  double precision_numerator = 0, precision_denominator = 0;
};

struct DocumentScore {
  Fractions mentions, muc, bcub, ceafm, ceafe, lea;
  // BLANC is computed from these two after they have been added up over all documents.
  Fractions coreference_links, non_coreference_links;
  // Repeated mentions that were dropped from the response.
  int64_t dropped = 0;
};

// Drops what the official scorer drops from a response: every occurrence but the first of a mention
// that the key has. Repeats of a mention that the key lacks stay, and count against the response.
inline Lists DropRepeats(const Lists& response, const Lists& key_clusters_of_mentions,
                         int64_t* dropped) {
  Lists result;
  result.numbers.reserve(response.numbers.size());
  result.begin.reserve(response.begin.size());
  std::vector<bool> seen(key_clusters_of_mentions.size(), false);
  for (int32_t cluster = 0; cluster < response.size(); ++cluster) {
    for (const int32_t* m = response.first(cluster); m != response.last(cluster); ++m) {
      if (seen[*m] && key_clusters_of_mentions.length(*m) > 0) {
        ++*dropped;
      } else {
        seen[*m] = true;
        result.numbers.push_back(*m);
      }
    }
    result.EndList();
  }
  return result;
}

// All that the metrics look at. The key keeps its repeated mentions, as in the official scorer.
class DocumentScorer {
 public:
  explicit DocumentScorer(const KeyAndResponse& document)
      : key_(document.key),
        key_clusters_of_mentions_(ClustersOfMentions(document.key, document.mentions)),
        response_(DropRepeats(document.response, key_clusters_of_mentions_, &dropped_)),
        overlaps_(CountOverlaps(key_clusters_of_mentions_, key_.size(), response_)) {}

  DocumentScore Score(uint32_t metrics) const {
    DocumentScore score;
    score.dropped = dropped_;
    score.mentions = Mentions();
    if (metrics & kMuc) score.muc = Muc();
    if (metrics & kBcub) score.bcub = Bcub();
    if (metrics & kCeafm) score.ceafm = Ceafm();
    if (metrics & kCeafe) score.ceafe = Ceafe();
    if (metrics & kLea) score.lea = Lea();
    if (metrics & kBlanc) {
      const BlancLinks links =
          CountBlancLinks(key_, response_, key_clusters_of_mentions_, overlaps_);
      score.coreference_links = FromLinks(links.coreference);
      score.non_coreference_links = FromLinks(links.non_coreference);
    }
    return score;
  }

 private:
  // Different mentions, a repeated one once.
  Fractions Mentions() const {
    Fractions result;
    const int32_t mentions = key_clusters_of_mentions_.size();
    for (int32_t m = 0; m < mentions; ++m) {
      result.recall_denominator += key_clusters_of_mentions_.length(m) > 0;
    }
    std::vector<bool> seen(mentions, false);
    for (const int32_t m : response_.numbers) {
      if (seen[m]) continue;
      seen[m] = true;
      result.precision_denominator += 1;
      result.recall_numerator += key_clusters_of_mentions_.length(m) > 0;
    }
    result.precision_numerator = result.recall_numerator;
    return result;
  }

  // A cluster of n mentions has n - 1 links; a response cluster that reaches into p key clusters
  // with m mentions has m - p right ones.
  Fractions Muc() const {
    Fractions result;
    for (const Overlap& overlap : overlaps_.overlaps) {
      if (overlap.last_homes > 0) result.recall_numerator += overlap.last_homes - 1;
    }
    result.precision_numerator = result.recall_numerator;
    result.recall_denominator = key_.numbers.size() - key_.size();
    result.precision_denominator = response_.numbers.size() - response_.size();
    return result;
  }

  Fractions Bcub() const {
    Fractions result = PerMention();
    ForEachOverlap([&](const Overlap& overlap, double key_size, double response_size) {
      const double right = static_cast<double>(overlap.last_homes) * overlap.mentions;
      result.recall_numerator += right / key_size;
      result.precision_numerator += right / response_size;
    });
    return result;
  }

  Fractions Ceafm() const {
    Fractions result = PerMention();
    result.recall_numerator = result.precision_numerator =
        BestAssignment([](const Overlap& overlap, double, double) { return overlap.occurrences; });
    return result;
  }

  Fractions Ceafe() const {
    Fractions result;
    result.recall_denominator = key_.size();
    result.precision_denominator = response_.size();
    result.recall_numerator = result.precision_numerator =
        BestAssignment([](const Overlap& overlap, double key_size, double response_size) {
          return 2.0 * overlap.occurrences / (key_size + response_size);
        });
    return result;
  }

  // An entity counts as many times as it has mentions, by the share of its links that the other
  // side has too. A singleton has one link, to itself, which only a singleton resolves.
  Fractions Lea() const {
    Fractions result = PerMention();
    const auto resolved = [](int64_t shared, int64_t size, int64_t other_size) {
      if (size == 1) return shared == 1 && other_size == 1 ? 1.0 : 0.0;
      return static_cast<double>(size) * Pairs(shared) / Pairs(size);
    };
    ForEachOverlap([&](const Overlap& overlap, int64_t key_size, int64_t response_size) {
      result.recall_numerator += resolved(overlap.occurrences, key_size, response_size);
      result.precision_numerator += resolved(overlap.last_homes, response_size, key_size);
    });
    return result;
  }

  Fractions PerMention() const {
    Fractions result;
    result.recall_denominator = key_.numbers.size();
    result.precision_denominator = response_.numbers.size();
    return result;
  }

  static Fractions FromLinks(const LinkCounts& links) {
    const auto both = static_cast<double>(links.both);
    return {both, static_cast<double>(links.key), both, static_cast<double>(links.response)};
  }

  // Calls visit(overlap, size of the key cluster, size of the response cluster).
  template <typename Visit>
  void ForEachOverlap(Visit visit) const {
    for (int32_t cluster = 0; cluster < response_.size(); ++cluster) {
      for (int64_t i = overlaps_.begin[cluster]; i < overlaps_.begin[cluster + 1]; ++i) {
        const Overlap& overlap = overlaps_.overlaps[i];
        visit(overlap, key_.length(overlap.key_cluster), response_.length(cluster));
      }
    }
  }

  // The greatest total similarity of a one-to-one assignment of response to key clusters.
  template <typename Similarity>
  double BestAssignment(Similarity similarity) const {
    const std::vector<Overlap>& overlaps = overlaps_.overlaps;
    const auto column = [&](int64_t e) { return overlaps[e].key_cluster; };
    const auto weight = [&](int32_t row, int64_t e) -> double {
      return similarity(overlaps[e], key_.length(column(e)), response_.length(row));
    };
    const Assignment assignment(overlaps_.begin, key_.size(), column, weight);
    double total = 0;
    for (int32_t row = 0; row < response_.size(); ++row) {
      for (int64_t e = overlaps_.begin[row]; e < overlaps_.begin[row + 1]; ++e) {
        if (column(e) == assignment.column_of_row()[row]) total += weight(row, e);
      }
    }
    return total;
  }

  int64_t dropped_ = 0;  // before response_, whose making counts it
  const Lists& key_;
  const Lists key_clusters_of_mentions_;
  const Lists response_;
  const Overlaps overlaps_;
};

// Scores documents on several threads, or on fewer where the system has none left; the result does
// not depend on how many.
inline std::vector<DocumentScore> ScoreDocuments(const std::vector<KeyAndResponse>& documents,
                                                 uint32_t metrics, int threads) {
  std::vector<DocumentScore> scores(documents.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < documents.size(); i = next++) {
      scores[i] = DocumentScorer(documents[i]).Score(metrics);
    }
  };
  std::vector<std::future<void>> helpers;
  const size_t wanted = std::min<size_t>(threads, documents.size());
  try {
    while (helpers.size() + 1 < wanted) helpers.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
  }
  work();
  for (std::future<void>& helper : helpers) helper.get();
  return scores;
}

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_SCORER_H_
