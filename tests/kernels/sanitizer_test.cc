// Compares the C++ algorithms, and those of the GPU on an emulated grid, with straightforward ones
// on random cases. Built with AddressSanitizer and UndefinedBehaviorSanitizer, which abort it at
// the first error.
//
//   sanitizer_test CASES

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "antecedents/antecedents.h"
#include "antecedents/device_antecedents.h"
#include "device/emulated_grid.h"
#include "spans/device_span_pruning.h"
#include "spans/sequential_span_pruning.h"
#include "spans/span_checks.h"
#include "spans/span_pruning.h"

namespace {

using coref::AntecedentRows;
using Numbers = std::vector<int32_t>;

class Random {
 public:
  explicit Random(uint32_t seed) : generator_(seed) {}

  int32_t Below(int32_t limit) {
    return std::uniform_int_distribution<int32_t>(0, limit - 1)(generator_);
  }

  // Random scores, sometimes with few distinct values and sometimes with infinities.
  std::vector<float> Scores(int64_t count) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const int32_t distinct = Below(2) ? 4 : 1 << 20, odd = Below(3);
    std::vector<float> scores(count);
    for (float& score : scores) {
      score = static_cast<float>(Below(distinct)) - static_cast<float>(distinct / 2);
      if (odd == 0 && Below(5) == 0) score = Below(2) ? kInfinity : -kInfinity;
    }
    return scores;
  }

 private:
  std::mt19937 generator_;
};

// A parallel_for that runs the given number of threads.
auto Threads(int64_t threads) {
  return [threads](int64_t count, int64_t, const auto& work) {
    if (threads == 1) return work(0, count);
    std::vector<std::thread> running;
    for (int64_t i = 0; i < threads; ++i) {
      running.emplace_back([&work, begin = count * i / threads, end = count * (i + 1) / threads] {
        work(begin, end);
      });
    }
    for (std::thread& thread : running) thread.join();
  };
}

void Require(bool equal, const char* what, int64_t number) {
  if (equal) return;
  std::fprintf(stderr, "case %lld: %s differs from the straightforward algorithm\n",
               static_cast<long long>(number), what);
  std::exit(1);
}

void TestSpans(int64_t number, Random* random) {
  const int32_t count = random->Below(60), words = 1 + random->Below(40);
  const int32_t width = 1 + random->Below(words), stretch = random->Below(4) ? 1 : (1 << 30) / 40;
  const std::vector<float> scores = random->Scores(count);
  Numbers starts(count), ends(count);
  for (int32_t i = 0; i < count; ++i) {
    starts[i] = random->Below(words) * stretch;
    ends[i] = starts[i] + random->Below(width) * stretch;
  }
  const coref::Candidates spans{scores.data(), starts.data(), ends.data(), count};
  const int32_t most = random->Below(count + 2);
  Require(coref::DescribeFaults(spans).empty(), "DescribeFaults", number);

  const Numbers expected = coref::ExtractSpansSequentially(spans, most);
  Require(coref::ExtractSpans(spans, most, Threads(1 + number % 3)) == expected, "ExtractSpans",
          number);
  coref::EmulatedGrid grid(static_cast<uint32_t>(number));
  Require(coref::FindFirstFault(&grid, spans) == -1, "FindFirstFault", number);
  const coref::KeptSpans kept = coref::KeepSpans(&grid, spans, most);
  Numbers found(kept.count);
  coref::WriteSpans(&grid, spans, kept, found.data());
  Require(found == expected, "WriteSpans", number);
}

// Rows that own their memory.
struct Rows {
  Rows(int32_t num_spans, int32_t columns)
      : antecedents(static_cast<size_t>(num_spans) * columns, -1), lengths(num_spans, -1) {
    rows = {antecedents.data(), lengths.data(), num_spans, columns};
  }
  bool operator==(const Rows& other) const {
    return antecedents == other.antecedents && lengths == other.lengths;
  }

  Numbers antecedents, lengths;
  AntecedentRows rows;
};

void TestAntecedents(int64_t number, Random* random) {
  const int32_t num_spans = random->Below(40), columns = random->Below(num_spans + 1);
  const std::vector<float> scores = random->Scores(static_cast<int64_t>(num_spans) * num_spans);
  Rows nearest(num_spans, columns), top(num_spans, columns);
  for (int32_t i = 0; i < num_spans; ++i) {
    Numbers earlier(i);
    std::iota(earlier.begin(), earlier.end(), 0);
    const int32_t length = std::min(i, columns);
    nearest.lengths[i] = top.lengths[i] = length;
    std::fill_n(nearest.rows.row(i), columns, 0);
    std::fill_n(top.rows.row(i), columns, 0);
    std::copy(earlier.end() - length, earlier.end(), nearest.rows.row(i));
    std::reverse(earlier.begin(), earlier.end());
    const float* row = scores.data() + static_cast<int64_t>(i) * num_spans;
    std::stable_sort(earlier.begin(), earlier.end(),
                     [&](int32_t a, int32_t b) { return row[a] > row[b]; });
    std::copy_n(earlier.begin(), length, top.rows.row(i));
  }
  Rows found(num_spans, columns), emulated(num_spans, columns);
  coref::EmulatedGrid grid(static_cast<uint32_t>(number));
  coref::NearestAntecedents(found.rows, Threads(1 + number % 3));
  coref::NearestAntecedentsOnDevice(&grid, emulated.rows);
  Require(found == nearest, "NearestAntecedents", number);
  Require(emulated == nearest, "NearestAntecedentsOnDevice", number);
  const int64_t nan = coref::TopAntecedents(scores.data(), found.rows, Threads(1 + number % 3));
  Require(nan == -1 && found == top, "TopAntecedents", number);
  Require(
      coref::TopAntecedentsOnDevice(&grid, scores.data(), emulated.rows) == -1 && emulated == top,
      "TopAntecedentsOnDevice", number);

  // The same for the last spans only.
  const int32_t first = random->Below(num_spans + 1);
  const float* last_scores = scores.data() + static_cast<int64_t>(first) * num_spans;
  Rows last(num_spans - first, columns), emulated_last(num_spans - first, columns);
  last.rows.first_span = emulated_last.rows.first_span = first;
  coref::TopAntecedents(last_scores, last.rows, Threads(1 + number % 3));
  coref::TopAntecedentsOnDevice(&grid, last_scores, emulated_last.rows);
  const bool same = std::equal(last.antecedents.begin(), last.antecedents.end(),
                               top.antecedents.begin() + static_cast<int64_t>(first) * columns);
  Require(same && last == emulated_last, "TopAntecedents of the last spans", number);
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t cases = argc > 1 ? std::atoll(argv[1]) : 10000;
  Random random(1);
  for (int64_t number = 0; number < cases; ++number) {
    TestSpans(number, &random);
    TestAntecedents(number, &random);
  }
  std::printf("%lld cases passed\n", static_cast<long long>(cases));
}
