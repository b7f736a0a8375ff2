// Compares self-attention with a straightforward computation in double precision. Built with
// AddressSanitizer and UndefinedBehaviorSanitizer, which abort it at the first error.
//
//   attention_test CASES

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "attention/self_attention.h"

namespace {

// A random layer.
struct Case {
  explicit Case(uint32_t seed) : generator(seed) {
    attention.windows = 1 + Below(3);
    attention.pieces = 1 + (Below(3) ? Below(30) : Below(90));
    attention.heads = 1 + Below(4);
    attention.size = 1 + (Below(3) ? Below(10) : Below(70));
    attention.scale = 1 / std::sqrt(static_cast<float>(attention.size));
    Fill(attention.windows * attention.pieces * 3 * attention.hidden(), &projected);
    attention.projected = projected.data();
    Fill(attention.heads * (2 * attention.pieces - 1), &relative);
    attention.relative = Below(2) ? relative.data() : nullptr;
  }

  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(generator);
  }

  void Fill(int64_t count, std::vector<float>* numbers) {
    numbers->resize(count);
    for (float& number : *numbers) number = std::normal_distribution<float>(0, 3)(generator);
  }

  float At(int64_t window, int64_t piece, int64_t part, int64_t head, int64_t n) const {
    const int64_t row = window * attention.pieces + piece;
    return projected[(row * 3 + part) * attention.hidden() + head * attention.size + n];
  }

  // The expected output of one query.
  std::vector<double> Expect(int64_t window, int64_t head, int64_t query) const {
    std::vector<double> scores(attention.pieces), outputs(attention.size);
    double most = -1e300, sum = 0;
    for (int64_t key = 0; key < attention.pieces; ++key) {
      double product = 0;
      for (int64_t n = 0; n < attention.size; ++n) {
        product += static_cast<double>(At(window, query, 0, head, n)) * At(window, key, 1, head, n);
      }
      scores[key] = product * attention.scale;
      if (attention.relative != nullptr) {
        scores[key] +=
            relative[head * (2 * attention.pieces - 1) + key - query + attention.pieces - 1];
      }
      most = std::fmax(most, scores[key]);
    }
    for (double& score : scores) sum += score = std::exp(score - most);
    for (int64_t key = 0; key < attention.pieces; ++key) {
      for (int64_t n = 0; n < attention.size; ++n) {
        outputs[n] += scores[key] / sum * At(window, key, 2, head, n);
      }
    }
    return outputs;
  }

  std::mt19937 generator;
  std::vector<float> projected, relative;
  coref::SelfAttention attention;
};

std::vector<float> Run(const Case& c, int64_t parts) {
  std::vector<float> outputs(c.attention.windows * c.attention.pieces * c.attention.hidden());
  coref::SelfAttention attention = c.attention;
  attention.outputs = outputs.data();
  coref::RunSelfAttention(attention, coref::LoopsOfThisProcessor(),
                          [&](int64_t count, int64_t, const auto& work) {
                            for (int64_t part = 0; part < parts; ++part) {
                              work(count * part / parts, count * (part + 1) / parts);
                            }
                          });
  return outputs;
}

bool Check(const Case& c) {
  const std::vector<float> found = Run(c, 1);
  if (found != Run(c, 3)) return false;
  const coref::SelfAttention& a = c.attention;
  for (int64_t window = 0; window < a.windows; ++window) {
    for (int64_t head = 0; head < a.heads; ++head) {
      for (int64_t query = 0; query < a.pieces; ++query) {
        const std::vector<double> expected = c.Expect(window, head, query);
        const float* row = &found[(window * a.pieces + query) * a.hidden() + head * a.size];
        for (int64_t n = 0; n < a.size; ++n) {
          if (std::fabs(row[n] - expected[n]) > 1e-4) return false;
        }
      }
    }
  }
  return true;
}

}  // namespace

int main(int, char** arguments) {
  const int cases = std::atoi(arguments[1]);
  for (int seed = 0; seed < cases; ++seed) {
    if (!Check(Case(seed))) {
      std::fprintf(stderr, "attention_test: case %d fails\n", seed);
      return 1;
    }
  }
  std::printf("attention_test: %d cases\n", cases);
}
