// Runs the scorer on many random documents, with repeats and empty sides, under the sanitizers.

#include "scorer/scorer.h"

#include <cstdio>
#include <random>
#include <vector>

namespace {

using coref::KeyAndResponse;
using coref::Lists;

Lists RandomClusters(std::mt19937* rng, int mentions, int clusters) {
  std::uniform_int_distribution<int> mention(0, mentions - 1),
      cluster_end(0, mentions / clusters + 1);
  Lists lists;
  for (int i = 0; i < clusters; ++i) {
    for (int n = cluster_end(*rng); n > 0; --n) lists.numbers.push_back(mention(*rng));
    lists.EndList();
  }
  return lists;
}

}  // namespace

int main() {
  constexpr uint32_t kAllMetrics = ~uint32_t{0};
  std::mt19937 rng(1);
  std::vector<KeyAndResponse> documents;
  for (int mentions : {1, 2, 5, 20, 200}) {
    for (int i = 0; i < 200; ++i) {
      const int clusters = 1 + static_cast<int>(rng() % mentions);
      documents.push_back({RandomClusters(&rng, mentions, clusters),
                           RandomClusters(&rng, mentions, clusters), mentions});
    }
  }
  documents.push_back({});
  const auto alone = coref::ScoreDocuments(documents, kAllMetrics, 1);
  const auto together = coref::ScoreDocuments(documents, kAllMetrics, 4);
  for (size_t i = 0; i < documents.size(); ++i) {
    for (size_t part = 0; part < alone[i].counts.size(); ++part) {
      const double right = alone[i].counts[part].recall_numerator;
      if (right >= 0 && right == together[i].counts[part].recall_numerator) continue;
      std::fprintf(stderr, "scorer: document %zu is scored wrongly\n", i);
      return 1;
    }
  }
  std::puts("scorer: ok");
}
