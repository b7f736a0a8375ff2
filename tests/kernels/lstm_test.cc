// Compares the LSTM and its gradients, with each instruction set that this processor supports, with
// a straightforward computation in double precision. Built with AddressSanitizer and
// UndefinedBehaviorSanitizer, which abort it at the first error.
//
//   lstm_test CASES

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "derivatives.h"
#include "lstm/sentence_lstm.h"
#include "lstm/sentence_lstm_gradients.h"
#include "shared/vector_loops.h"
#include "test_threads.h"

namespace {

// Random sentences and weights. All differentiable values are in one vector.
struct Case {
  explicit Case(uint32_t seed) : generator(seed) {
    units = 1 + Below(Below(2) ? 5 : 40);
    directions = 1 + Below(2);
    lengths.resize(Below(3) == 0 ? 20 + Below(40) : Below(6));
    for (int64_t& length : lengths) length = 1 + Below(9);
    std::sort(lengths.begin(), lengths.end(), std::greater<>());
    step_words = {0};
    for (int64_t step = 0; !lengths.empty() && step < lengths[0]; ++step) {
      const auto runs = [&](int64_t length) { return length > step; };
      const int64_t count = std::count_if(lengths.begin(), lengths.end(), runs);
      step_words.push_back(step_words.back() + count);
    }
    projected = Add(step_words.back() * directions * 3 * units);
    kernel = Add(directions * units * 3 * units);
    initial_c = Add(directions * units);
    initial_h = Add(directions * units);
    for (float& value : values) value = std::normal_distribution<float>(0, 0.5)(generator);
    mask.resize(directions * lengths.size() * units);
    for (float& value : mask) value = Below(3) ? 1.25f : 0.0f;
    upstream.resize(step_words.back() * directions * units);
    for (float& value : upstream) value = std::normal_distribution<float>()(generator);
  }

  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(generator);
  }

  int64_t Add(int64_t count) {
    values.resize(values.size() + count);
    return static_cast<int64_t>(values.size()) - count;
  }

  coref::SentenceLSTM LSTM() const {
    const float* v = values.data();
    return {static_cast<int64_t>(lengths.size()),
            directions,
            units,
            step_words,
            v + projected,
            v + kernel,
            v + initial_c,
            v + initial_h,
            mask.data()};
  }

  // h of every word, [words, directions, units], for the given values instead of the case's own.
  Doubles States(const Doubles& v) const {
    Doubles states(upstream.size());
    for (int64_t d = 0; d < directions; ++d) {
      for (size_t s = 0; s < lengths.size(); ++s) {
        Doubles c(v.begin() + initial_c + d * units, v.begin() + initial_c + (d + 1) * units);
        Doubles h(v.begin() + initial_h + d * units, v.begin() + initial_h + (d + 1) * units);
        for (int64_t step = 0; step < lengths[s]; ++step) {
          Step(v, d, s, (step_words[step] + s) * directions + d, &c, &h);
          std::copy(h.begin(), h.end(),
                    states.begin() + ((step_words[step] + s) * directions + d) * units);
        }
      }
    }
    return states;
  }

  void Step(const Doubles& v, int64_t d, int64_t s, int64_t row, Doubles* c, Doubles* h) const {
    Doubles sums(v.begin() + projected + row * 3 * units,
                 v.begin() + projected + (row + 1) * 3 * units);
    for (int64_t k = 0; k < units; ++k) {
      const double input = (*h)[k] * mask[(d * lengths.size() + s) * units + k];
      const double* weights = v.data() + kernel + (d * units + k) * 3 * units;
      for (int64_t n = 0; n < 3 * units; ++n) sums[n] += input * weights[n];
    }
    for (int64_t n = 0; n < units; ++n) {
      const double f = 1 / (1 + std::exp(-sums[n]));
      (*c)[n] = f * std::tanh(sums[units + n]) + (1 - f) * (*c)[n];
      (*h)[n] = std::tanh((*c)[n]) / (1 + std::exp(-sums[2 * units + n]));
    }
  }

  double Total(const Doubles& v) const {
    const Doubles states = States(v);
    double total = 0;
    for (size_t n = 0; n < states.size(); ++n) total += states[n] * upstream[n];
    return total;
  }

  std::mt19937 generator;
  int64_t units, directions, projected, kernel, initial_c, initial_h;
  std::vector<int64_t> lengths, step_words;
  Floats values, mask, upstream;
};

void Test(Case* c, const coref::VectorLoops& loops, uint32_t number) {
  const coref::SentenceLSTM lstm = c->LSTM();
  const auto threads = Threads(1 + number % 3);
  Floats h(c->upstream.size()), cells(h.size()), gates(3 * h.size());
  coref::RunSentenceLSTM(lstm, loops, threads, {h.data(), cells.data(), gates.data()});
  const Doubles values(c->values.begin(), c->values.end()), expected = c->States(values);
  for (size_t n = 0; n < h.size(); ++n) {
    Require(std::abs(h[n] - expected[n]) < 1e-5, "a state", number, h[n], expected[n]);
  }

  Floats gradients(c->values.size());
  float* to = gradients.data();
  const coref::LSTMStates<const float> states = {h.data(), cells.data(), gates.data()};
  coref::SentenceLSTMBackward(lstm, states, loops, threads)
      .Run(c->upstream.data(),
           {to + c->projected, to + c->kernel, to + c->initial_c, to + c->initial_h});
  RequireDerivatives(c, gradients, 1e-6, 1e-5, number);
}

}  // namespace

int main(int argc, char** argv) { TestCases<Case>(argc, argv, Test); }
