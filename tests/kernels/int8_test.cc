// Compares the int8 dense layer, with each instruction set that this processor supports, with a
// straightforward computation in double precision. Built with AddressSanitizer and
// UndefinedBehaviorSanitizer, which abort it at the first error.
//
//   int8_test CASES

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "dense/int8_dense.h"

namespace {

using coref::kInt8Columns;
using coref::kInt8Group;

// A random layer and its input.
struct Case {
  explicit Case(uint32_t seed) : generator(seed) {
    rows = Below(3) ? Below(9) : 60 + Below(80);
    depth = 1 + (Below(3) ? Below(20) : Below(300));
    units = 1 + (Below(3) ? Below(40) : Below(100));
    values.resize(rows * depth);
    const float spread = std::pow(10.0f, static_cast<float>(Below(9)) - 4);
    for (float& value : values) value = spread * std::normal_distribution<float>(0.3)(generator);
    if (rows && Below(4) == 0) std::fill_n(values.begin(), depth, spread);  // a constant row
    weights.resize(depth * units);
    for (int8_t& weight : weights) weight = static_cast<int8_t>(Below(255) - 127);
    if (Below(4) == 0) std::fill(weights.begin(), weights.end(), Below(2) ? 127 : -127);
    scales.resize(units);
    for (float& scale : scales) scale = 0.001f * static_cast<float>(1 + Below(100));
    bias.resize(units);
    for (float& value : bias) value = std::normal_distribution<float>()(generator);
    gelu = Below(2);
    Pack();
  }

  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(generator);
  }

  void Pack() {
    const int64_t groups = (depth + kInt8Group - 1) / kInt8Group;
    panels.assign((units + kInt8Columns - 1) / kInt8Columns * groups * kInt8Columns * kInt8Group,
                  0);
    sums.assign(units, 0);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t n = 0; n < units; ++n) {
        const int64_t group = n / kInt8Columns * groups + k / kInt8Group;
        panels[(group * kInt8Columns + n % kInt8Columns) * kInt8Group + k % kInt8Group] =
            weights[k * units + n];
        sums[n] += weights[k * units + n];
      }
    }
  }

  // The expected output of a unit for a row, and a bound on the error from rounding its values.
  void Expect(int64_t row, int64_t unit, float levels, double* expected, double* bound) const {
    const float* x = &values[row * depth];
    const auto [least, most] = std::minmax_element(x, x + depth);
    const double step = (static_cast<double>(*most) - *least) / levels;
    double sum = 0, size = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const double weight = weights[k * units + unit];
      sum += x[k] * weight;
      // Rounding by half a step, and the last bits of floats of the row's magnitude.
      size += (0.51 * step + 1e-6 * (std::fabs(*least) + std::fabs(*most))) * std::fabs(weight);
    }
    *expected = sum * scales[unit] + bias[unit];
    *bound = 1.2 * size * scales[unit] + 1e-5 * (1 + std::fabs(*expected));
    if (gelu) *expected = 0.5 * *expected * (1 + std::erf(*expected / std::sqrt(2.0)));
  }

  std::mt19937 generator;
  int64_t rows, depth, units;
  bool gelu;
  std::vector<float> values, scales, bias;
  std::vector<int8_t> weights, panels;
  std::vector<int32_t> sums;
};

std::vector<float> Run(const Case& c, const coref::Int8Loops& loops, int64_t parts) {
  std::vector<float> outputs(c.rows * c.units);
  const coref::Int8Dense dense{c.values.data(), c.rows,          c.depth,       c.panels.data(),
                               c.units,         c.scales.data(), c.sums.data(), c.bias.data(),
                               c.gelu,          outputs.data()};
  coref::RunInt8Dense(dense, loops, [&](int64_t count, int64_t, const auto& work) {
    for (int64_t part = 0; part < parts; ++part) {
      work(count * part / parts, count * (part + 1) / parts);
    }
  });
  return outputs;
}

bool Check(const Case& c, const coref::Int8Loops& loops) {
  const std::vector<float> found = Run(c, loops, 1);
  if (found != Run(c, loops, 3)) return false;
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t unit = 0; unit < c.units; ++unit) {
      double expected, bound;
      c.Expect(row, unit, loops.levels, &expected, &bound);
      const double difference = std::fabs(found[row * c.units + unit] - expected);
      if (difference <= bound) continue;
      std::fprintf(stderr, "%s: [%ld, %ld] is off by %g, more than %g\n", loops.name,
                   static_cast<long>(row), static_cast<long>(unit), difference, bound);
      return false;
    }
  }
  return true;
}

// If one value of a row isn't finite, the whole output row is NaN, and the other rows don't change.
bool CheckNotFinite(Case c, const coref::Int8Loops& loops) {
  if (c.rows < 2) return true;
  const std::vector<float> before = Run(c, loops, 1);
  const float odd[] = {std::numeric_limits<float>::quiet_NaN(),
                       std::numeric_limits<float>::infinity(),
                       -std::numeric_limits<float>::infinity()};
  c.values[c.Below(c.depth)] = odd[c.Below(3)];
  const std::vector<float> after = Run(c, loops, 1);
  const auto is_nan = [](float value) { return std::isnan(value); };
  return std::all_of(after.begin(), after.begin() + c.units, is_nan) &&
         std::equal(after.begin() + c.units, after.end(), before.begin() + c.units);
}

}  // namespace

int main(int, char** arguments) {
  const int cases = std::atoi(arguments[1]);
  for (const coref::Int8Loops* loops : coref::Int8LoopsOfThisProcessor()) {
    for (int seed = 0; seed < cases; ++seed) {
      const Case c(seed);
      if (!Check(c, *loops) || !CheckNotFinite(c, *loops)) {
        std::fprintf(stderr, "int8_test: case %d fails with %s\n", seed, loops->name);
        return 1;
      }
    }
    std::printf("int8_test: %d cases with %s\n", cases, loops->name);
  }
}
