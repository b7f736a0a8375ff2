// Compares the scores of pairs and their gradients, with each instruction set that this processor
// supports, with a straightforward computation in double precision. Built with AddressSanitizer and
// UndefinedBehaviorSanitizer, which abort it at the first error.
//
//   pair_test CASES

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "derivatives.h"
#include "pair_case.h"
#include "pairs/pair_gradients.h"
#include "pairs/pair_network.h"
#include "pairs/pair_scores.h"
#include "shared/vector_loops.h"
#include "test_threads.h"

namespace {

void TestScores(const Case& c, const coref::VectorLoops& loops, uint32_t number) {
  const int32_t columns = std::min(c.spans, c.most);
  Floats scores(c.spans * columns);
  coref::ScorePairs(c.Network(), loops, Threads(1 + number % 3), scores.data(), {nullptr, 0});
  const Doubles values(c.values.begin(), c.values.end());
  for (int32_t i = 0; i < c.spans; ++i) {
    const int32_t first = std::max(0, i - c.most);
    for (int32_t place = 0; place < columns; ++place) {
      const double found = scores[i * columns + place];
      if (first + place >= i) {
        Require(std::isinf(found) && found < 0, "padding", number, found, -INFINITY);
      } else {
        const double expected = c.Score(values, i, first + place);
        const double tolerance = 1e-4 * (1 + std::abs(expected)) * c.units;
        Require(std::abs(found - expected) < tolerance, "a score", number, found, expected);
      }
    }
  }
}

void TestGradients(Case* c, const coref::VectorLoops& loops, uint32_t number) {
  Floats gradients(c->values.size()), again(c->values.size());
  const auto threads = Threads(1 + number % 3), other = Threads(4);
  const coref::PairNetwork network = c->Network();
  const coref::PairGradients to = c->Gradients(&gradients), to_again = c->Gradients(&again);
  // In every other case, the first layer of some spans is kept for the gradient.
  const int32_t num_kept = number % 2 ? c->Below(c->spans + 1) : 0;
  Floats scores(c->spans * network.Columns());
  Floats kept(num_kept * network.Columns() * network.units);
  coref::ScorePairs(network, loops, threads, scores.data(), {kept.data(), num_kept});
  const float* first_layer = kept.data();
  coref::PairBackward(network, to, loops, threads).Run(c->upstream.data(), {first_layer, num_kept});
  coref::PairBackward(network, to_again, loops, other).Run(c->upstream.data(), {nullptr, 0});
  Require(gradients == again, "equality with other threads", number, 0, 1);
  RequireDerivatives(c, gradients, 1e-7, 1e-4, number);
}

}  // namespace

int main(int argc, char** argv) {
  TestCases<Case>(argc, argv, [](Case* c, const coref::VectorLoops& loops, uint32_t number) {
    TestScores(*c, loops, number);
    TestGradients(c, loops, number);
  });
}
