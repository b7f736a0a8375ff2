// The links of BLANC: pairs of mentions in the same cluster, and pairs in different clusters.

#ifndef COREF_KERNELS_SCORER_BLANC_H_
#define COREF_KERNELS_SCORER_BLANC_H_

#include <cstdint>
#include <vector>

#include "scorer/clusters.h"

namespace coref {

// The number of links of one kind in the key, in the response and in both.
struct LinkCounts {
  int64_t key = 0, response = 0, both = 0;
};

struct BlancLinks {
  LinkCounts coreference, non_coreference;
};

inline int64_t Pairs(int64_t n) { return n * (n - 1) / 2; }

// Returns whether some occurrences of two mentions are in the same cluster or, if `same` is false,
// in different clusters. So a mention that occurs twice may be linked to itself.
inline bool Linked(const Lists& clusters_of_mentions, int32_t a, int32_t b, bool same) {
  for (const int32_t* p = clusters_of_mentions.first(a); p != clusters_of_mentions.last(a); ++p) {
    for (const int32_t* q = clusters_of_mentions.first(b); q != clusters_of_mentions.last(b); ++q) {
      if (p != q && (*p == *q) == same) return true;
    }
  }
  return false;
}

// Counts the links between mentions that neither side repeats, without enumerating them.
inline BlancLinks CountPlainLinks(const Lists& key, const Lists& response,
                                  const std::vector<bool>& repeated, const Overlaps& overlaps) {
  BlancLinks links;
  const auto count_side = [&repeated](const Lists& clusters, int64_t* same, int64_t* different) {
    int64_t total = 0;
    for (int32_t cluster = 0; cluster < clusters.size(); ++cluster) {
      int64_t size = 0;
      for (const int32_t* m = clusters.first(cluster); m != clusters.last(cluster); ++m) {
        size += !repeated[*m];
      }
      total += size;
      *same += Pairs(size);
    }
    *different = Pairs(total) - *same;
  };
  count_side(key, &links.coreference.key, &links.non_coreference.key);
  count_side(response, &links.coreference.response, &links.non_coreference.response);

  // Of the pairs of common mentions: those in one key cluster, and those in one response cluster.
  std::vector<int64_t> shared_of_key(key.size(), 0);
  int64_t shared = 0, in_key_cluster = 0, in_response_cluster = 0;
  for (int32_t cluster = 0; cluster < response.size(); ++cluster) {
    int64_t shared_of_response = 0;
    for (int64_t i = overlaps.begin[cluster]; i < overlaps.begin[cluster + 1]; ++i) {
      const Overlap& overlap = overlaps.overlaps[i];
      shared_of_response += overlap.once;
      shared_of_key[overlap.key_cluster] += overlap.once;
      links.coreference.both += Pairs(overlap.once);
    }
    shared += shared_of_response;
    in_response_cluster += Pairs(shared_of_response);
  }
  for (const int64_t size : shared_of_key) in_key_cluster += Pairs(size);
  links.non_coreference.both =
      Pairs(shared) - in_key_cluster - in_response_cluster + links.coreference.both;
  return links;
}

// Counts the links as sets of unordered pairs: a repeated mention does not repeat a pair, but a
// pair may be of both kinds, and a mention may be linked to itself.
inline BlancLinks CountBlancLinks(const Lists& key, const Lists& response,
                                  const Lists& key_clusters_of_mentions, const Overlaps& overlaps) {
  const int32_t mentions = key_clusters_of_mentions.size();
  const Lists response_clusters_of_mentions = ClustersOfMentions(response, mentions);
  std::vector<bool> repeated(mentions, false);
  for (int32_t m = 0; m < mentions; ++m) {
    repeated[m] =
        key_clusters_of_mentions.length(m) > 1 || response_clusters_of_mentions.length(m) > 1;
  }
  BlancLinks links = CountPlainLinks(key, response, repeated, overlaps);
  const auto count_pair = [&](int32_t a, int32_t b, bool same, LinkCounts* counts) {
    const bool in_key = Linked(key_clusters_of_mentions, a, b, same);
    const bool in_response = Linked(response_clusters_of_mentions, a, b, same);
    counts->key += in_key;
    counts->response += in_response;
    counts->both += in_key && in_response;
  };
  for (int32_t a = 0; a < mentions; ++a) {
    if (!repeated[a]) continue;
    for (int32_t b = 0; b < mentions; ++b) {
      if (repeated[b] && b < a) continue;  // already counted with the roles exchanged
      count_pair(a, b, true, &links.coreference);
      count_pair(a, b, false, &links.non_coreference);
    }
  }
  return links;
}

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_BLANC_H_
