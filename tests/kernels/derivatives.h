// Comparison of numbers with expected ones, and of gradients with finite differences.

#ifndef COREF_TESTS_KERNELS_DERIVATIVES_H_
#define COREF_TESTS_KERNELS_DERIVATIVES_H_

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Doubles = std::vector<double>;
using Floats = std::vector<float>;

inline void Require(bool good, const char* what, uint32_t number, double found, double expected) {
  if (good) return;
  std::fprintf(stderr, "case %u: %s is %g, expected %g\n", number, what, found, expected);
  std::exit(1);
}

// Compares the derivative of c->Total along random directions, as the gradients give it, with
// central differences.
template <class Case>
void RequireDerivatives(Case* c, const Floats& gradients, double step, double tolerance,
                        uint32_t number) {
  const Doubles values(c->values.begin(), c->values.end());
  for (int trial = 0; trial < 3; ++trial) {
    Doubles forward = values, backward = values;
    double found = 0, size = 0;
    for (size_t n = 0; n < values.size(); ++n) {
      const double direction = static_cast<double>(c->Below(3) - 1);
      forward[n] += step * direction;
      backward[n] -= step * direction;
      found += direction * gradients[n];
      size += std::abs(direction * gradients[n]);
    }
    const double expected = (c->Total(forward) - c->Total(backward)) / (2 * step);
    Require(std::abs(found - expected) < tolerance * (1 + size), "a derivative", number, found,
            expected);
  }
}

#endif  // COREF_TESTS_KERNELS_DERIVATIVES_H_
