// Coreference scores of documents, identical to those of the official CoNLL-2012 scorer v8.01.

#ifndef COREF_KERNELS_SCORER_SCORER_H_
#define COREF_KERNELS_SCORER_SCORER_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <system_error>
#include <vector>

#include "scorer/clusters.h"
#include "scorer/comparison.h"
#include "scorer/metrics.h"

namespace coref {

struct DocumentScore {
  // Mention detection, then each metric of kMetrics with its parts; 0 for those not requested.
  Counts counts;
  // The number of repeated mentions that were dropped from the response.
  int64_t dropped = 0;
};

// `metrics` is the sum of the flags of the requested metrics.
inline DocumentScore ScoreDocument(const KeyAndResponse& document, uint32_t metrics) {
  const Comparison comparison(document);
  DocumentScore score{{Mentions(comparison)}, comparison.dropped()};
  for (const Metric& metric : kMetrics) {
    const bool asked = metrics >> (&metric - kMetrics) & 1;
    const Counts counts = asked ? metric.count(comparison) : Counts(metric.parts);
    score.counts.insert(score.counts.end(), counts.begin(), counts.end());
  }
  return score;
}

// Scores documents on several threads, or on fewer if the system has none left; the result does not
// depend on their number.
inline std::vector<DocumentScore> ScoreDocuments(const std::vector<KeyAndResponse>& documents,
                                                 uint32_t metrics, int threads) {
  std::vector<DocumentScore> scores(documents.size());
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < documents.size(); i = next++) {
      scores[i] = ScoreDocument(documents[i], metrics);
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
