// Clusters of numbered mentions, and the overlaps between key and response clusters.

#ifndef COREF_KERNELS_SCORER_CLUSTERS_H_
#define COREF_KERNELS_SCORER_CLUSTERS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace coref {

// Concatenated lists of numbers: list i is numbers[begin[i]] to numbers[begin[i + 1] - 1].
struct Lists {
  std::vector<int32_t> numbers;
  std::vector<int64_t> begin = {0};

  int32_t size() const { return static_cast<int32_t>(begin.size()) - 1; }
  int64_t length(int32_t i) const { return begin[i + 1] - begin[i]; }
  const int32_t* first(int32_t i) const { return numbers.data() + begin[i]; }
  const int32_t* last(int32_t i) const { return numbers.data() + begin[i + 1]; }

  // Ends the current list; an empty list is dropped.
  void EndList() {
    if (begin.back() != static_cast<int64_t>(numbers.size())) begin.push_back(numbers.size());
  }
};

// One document to score: clusters of mentions, which are numbered from 0; a mention has the same
// number in key and response.
struct KeyAndResponse {
  Lists key, response;
  int32_t mentions = 0;
};

// For each mention, the clusters that contain it, in order; a cluster that contains it twice is
// listed twice.
inline Lists ClustersOfMentions(const Lists& clusters, int32_t mentions) {
  Lists result;
  result.begin.assign(mentions + 1, 0);
  for (const int32_t mention : clusters.numbers) ++result.begin[mention + 1];
  for (int32_t i = 0; i < mentions; ++i) result.begin[i + 1] += result.begin[i];
  result.numbers.resize(clusters.numbers.size());
  std::vector<int64_t> next(result.begin.begin(), result.begin.end() - 1);
  for (int32_t cluster = 0; cluster < clusters.size(); ++cluster) {
    for (const int32_t* m = clusters.first(cluster); m != clusters.last(cluster); ++m) {
      result.numbers[next[*m]++] = cluster;
    }
  }
  return result;
}

// The overlap of a response cluster and a key cluster. The four counts are equal unless the key
// repeats mentions, which the official scorer counts differently in each metric.
struct Overlap {
  int32_t key_cluster;
  int32_t occurrences;  // in the key cluster, counting repeated mentions each time
  int32_t mentions;     // distinct mentions
  int32_t last_homes;   // mentions without another occurrence in a later key cluster
  int32_t once;         // mentions that occur once in the whole key
};

// The overlaps of each response cluster, by key cluster; those of response cluster i are
// overlaps[begin[i]] to overlaps[begin[i + 1] - 1]. Pairs without an overlap are omitted.
struct Overlaps {
  std::vector<Overlap> overlaps;
  std::vector<int64_t> begin = {0};
};

// Counts the overlaps; a mention of the key may occur in only one response cluster, and only once.
inline Overlaps CountOverlaps(const Lists& key_clusters_of_mentions, int32_t key_clusters,
                              const Lists& response) {
  constexpr int64_t kNone = -1;
  Overlaps result;
  std::vector<Overlap>& overlaps = result.overlaps;
  std::vector<int64_t> place(key_clusters, kNone);  // the index of a key cluster's overlap, if any
  for (int32_t cluster = 0; cluster < response.size(); ++cluster) {
    for (const int32_t* m = response.first(cluster); m != response.last(cluster); ++m) {
      const int32_t* const first = key_clusters_of_mentions.first(*m);
      const int32_t* const last = key_clusters_of_mentions.last(*m);
      for (const int32_t* home = first; home != last; ++home) {
        if (place[*home] == kNone) {
          place[*home] = overlaps.size();
          overlaps.push_back({*home, 0, 0, 0, 0});
        }
        Overlap& overlap = overlaps[place[*home]];
        overlap.occurrences += 1;
        overlap.mentions += home == first || *home != home[-1];
        overlap.last_homes += home + 1 == last;
        overlap.once += last - first == 1;
      }
    }
    const auto from = overlaps.begin() + result.begin.back();
    for (auto overlap = from; overlap != overlaps.end(); ++overlap) {
      place[overlap->key_cluster] = kNone;
    }
    // The order of the mentions in a cluster must not affect the last digit of any sum.
    std::sort(from, overlaps.end(),
              [](const Overlap& a, const Overlap& b) { return a.key_cluster < b.key_cluster; });
    result.begin.push_back(overlaps.size());
  }
  return result;
}

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_CLUSTERS_H_
