// The key and response of a document: the input of all metrics.

#ifndef COREF_KERNELS_SCORER_COMPARISON_H_
#define COREF_KERNELS_SCORER_COMPARISON_H_

#include <cstdint>
#include <vector>

#include "scorer/assignment.h"
#include "scorer/clusters.h"

namespace coref {

// Drops what the official scorer drops from a response: all but the first occurrence of a mention
// that the key has. Repeats of a mention that the key lacks remain, and count against the response.
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

// Like the official scorer, it keeps repeated mentions in the key.
class Comparison {
 public:
  explicit Comparison(const KeyAndResponse& document)
      : key(document.key),
        key_clusters_of_mentions(ClustersOfMentions(document.key, document.mentions)),
        response(DropRepeats(document.response, key_clusters_of_mentions, &dropped_)),
        overlaps(CountOverlaps(key_clusters_of_mentions, key.size(), response)) {}

  // Calls visit(overlap, size of the key cluster, size of the response cluster).
  template <typename Visit>
  void ForEachOverlap(Visit visit) const {
    for (int32_t cluster = 0; cluster < response.size(); ++cluster) {
      for (int64_t i = overlaps.begin[cluster]; i < overlaps.begin[cluster + 1]; ++i) {
        const Overlap& overlap = overlaps.overlaps[i];
        visit(overlap, key.length(overlap.key_cluster), response.length(cluster));
      }
    }
  }

  // The maximum total similarity of a one-to-one assignment of response to key clusters.
  template <typename Similarity>
  double BestAssignment(Similarity similarity) const {
    const std::vector<Overlap>& all = overlaps.overlaps;
    const auto column = [&](int64_t e) { return all[e].key_cluster; };
    const auto weight = [&](int32_t row, int64_t e) -> double {
      return similarity(all[e], key.length(column(e)), response.length(row));
    };
    const Assignment assignment(overlaps.begin, key.size(), column, weight);
    double total = 0;
    for (int32_t row = 0; row < response.size(); ++row) {
      for (int64_t e = overlaps.begin[row]; e < overlaps.begin[row + 1]; ++e) {
        if (column(e) == assignment.column_of_row()[row]) total += weight(row, e);
      }
    }
    return total;
  }

  // The number of repeated mentions that were dropped from the response.
  int64_t dropped() const { return dropped_; }

 private:
  int64_t dropped_ = 0;  // declared before the response, whose initialization counts it

 public:
  const Lists& key;
  const Lists key_clusters_of_mentions;
  const Lists response;
  const Overlaps overlaps;
};

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_COMPARISON_H_
