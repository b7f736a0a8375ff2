// A dense layer with int8 weights: float rows times an int8 matrix, plus bias, to float; optionally
// followed by GELU.
//
// A row x is quantized as x[k] = minimum + step * q[k], with q[k] an integer from 0 to `levels`.
// Then
//
//   sum of x[k] * w[k][n] over k = step * (sum of q[k] * w[k][n]) + minimum * (sum of w[k][n])
//
// The first sum on the right is over integers, exact in 32 bits; the second is precomputed.

#ifndef COREF_KERNELS_DENSE_INT8_DENSE_H_
#define COREF_KERNELS_DENSE_INT8_DENSE_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace coref {

// Weights are in panels of kInt8Columns columns. In a panel, kInt8Group weights of a column that
// are consecutive in depth are adjacent, because processors multiply and add that many at once.
constexpr int64_t kInt8Columns = 16, kInt8Group = 4;

// The maximum depth at which sums of 8-bit products cannot overflow 32 bits.
constexpr int64_t kMostInt8Depth = 1 << 16;

struct Int8Dense {
  const float* values;  // [rows, depth]
  int64_t rows;
  int64_t depth;
  const int8_t* panels;  // [panels, groups, kInt8Columns, kInt8Group], padded with zeros
  int64_t units;
  const float* scales;  // [units], the scale of each column's weights
  const int32_t* sums;  // [units], the sum of each column's weights
  const float* bias;    // [units]
  bool gelu;
  float* outputs;  // [rows, units]

  int64_t groups() const { return (depth + kInt8Group - 1) / kInt8Group; }
  int64_t num_panels() const { return (units + kInt8Columns - 1) / kInt8Columns; }
};

// erf(t) = t * above(t^2) / below(t^2) up to kErfLimit, beyond which it is 1 in float. Fitted by
// weighted least squares; the maximum error is 2e-8, before rounding. Highest powers first.
constexpr float kErfLimit = 3.832507f;
constexpr int kErfTerms = 6;
constexpr float kErfAbove[kErfTerms] = {2.1234005e-06f, 2.8734771e-04f, 3.6909804e-03f,
                                        5.2534517e-02f, 1.8812788e-01f, 1.1283791e+00f};
constexpr float kErfBelow[kErfTerms] = {3.8975730e-05f, 1.1520768e-03f, 1.4817148e-02f,
                                        1.1324679e-01f, 5.0005633e-01f, 1.0f};

// How the integers of a quantized row map to floats.
struct QuantizedRow {
  float minimum;
  float step;
};

// The loops for one instruction set.
struct Int8Loops {
  const char* name;
  float levels;  // the largest integer of a quantized row
  // Writes the integers of a row, padded with zeros to whole groups. A row that contains NaN or an
  // infinity, or whose range overflows a float, has a step of NaN.
  QuantizedRow (*quantize)(const float* row, int64_t depth, float levels, uint8_t* to);
  // Computes the outputs of some rows, starting at `first`, and of one panel.
  void (*multiply)(const Int8Dense& dense, int64_t first, int64_t count, const uint8_t* quantized,
                   const QuantizedRow* rows, int64_t panel);
};

#if defined(__x86_64__)

namespace int8_vnni512 {
#define COREF_TARGET \
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx512vnni,avx2,fma")))
constexpr int kRows = 8;
template <int R>
COREF_TARGET inline void MultiplyRows(const uint8_t* const* rows, const int8_t* panel,
                                      int64_t groups, int32_t (*sums)[kInt8Columns]) {
  __m512i totals[R];
  for (int r = 0; r < R; ++r) totals[r] = _mm512_setzero_si512();
  for (int64_t g = 0; g < groups; ++g) {
    const __m512i weights = _mm512_loadu_si512(panel + g * kInt8Columns * kInt8Group);
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      int32_t group;
      std::memcpy(&group, rows[r] + g * kInt8Group, sizeof(group));
      totals[r] = _mm512_dpbusd_epi32(totals[r], _mm512_set1_epi32(group), weights);
    }
  }
  for (int r = 0; r < R; ++r) _mm512_storeu_si512(sums[r], totals[r]);
}
#include "dense/int8_dense_body.h"
constexpr Int8Loops kLoops = {"avx512vnni", 255, Quantize, Multiply};
#undef COREF_TARGET
}  // namespace int8_vnni512

// Two vectors of eight columns each, whose products `add(total, row, weights)` accumulates.
#define COREF_MULTIPLY_ROWS_BY_HALVES(add)                                                        \
  template <int R>                                                                                \
  COREF_TARGET inline void MultiplyRows(const uint8_t* const* rows, const int8_t* panel,          \
                                        int64_t groups, int32_t (*sums)[kInt8Columns]) {          \
    __m256i totals[R][2];                                                                         \
    for (int r = 0; r < R; ++r) totals[r][0] = totals[r][1] = _mm256_setzero_si256();             \
    for (int64_t g = 0; g < groups; ++g) {                                                        \
      const auto* from = reinterpret_cast<const __m256i*>(panel + g * kInt8Columns * kInt8Group); \
      const __m256i left = _mm256_loadu_si256(from), right = _mm256_loadu_si256(from + 1);        \
      _Pragma("GCC unroll 8") for (int r = 0; r < R; ++r) {                                       \
        int32_t group;                                                                            \
        std::memcpy(&group, rows[r] + g * kInt8Group, sizeof(group));                             \
        const __m256i row = _mm256_set1_epi32(group);                                             \
        totals[r][0] = add(totals[r][0], row, left);                                              \
        totals[r][1] = add(totals[r][1], row, right);                                             \
      }                                                                                           \
    }                                                                                             \
    for (int r = 0; r < R; ++r) {                                                                 \
      auto* to = reinterpret_cast<__m256i*>(sums[r]);                                             \
      _mm256_storeu_si256(to, totals[r][0]);                                                      \
      _mm256_storeu_si256(to + 1, totals[r][1]);                                                  \
    }                                                                                             \
  }

namespace int8_vnni {
#define COREF_TARGET __attribute__((target("avxvnni,avx2,fma")))
constexpr int kRows = 5;
COREF_MULTIPLY_ROWS_BY_HALVES(_mm256_dpbusd_avx_epi32)
#include "dense/int8_dense_body.h"
constexpr Int8Loops kLoops = {"avxvnni", 255, Quantize, Multiply};
#undef COREF_TARGET
}  // namespace int8_vnni

namespace int8_avx2 {
#define COREF_TARGET __attribute__((target("avx2,fma")))
constexpr int kRows = 4;
// The sum of two products has only 16 bits, which 8 bits in both factors would overflow.
COREF_TARGET inline __attribute__((always_inline)) __m256i AddProducts(__m256i total, __m256i row,
                                                                       __m256i weights) {
  const __m256i pairs = _mm256_maddubs_epi16(row, weights);
  return _mm256_add_epi32(total, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}
COREF_MULTIPLY_ROWS_BY_HALVES(AddProducts)
#include "dense/int8_dense_body.h"
constexpr Int8Loops kLoops = {"avx2", 127, Quantize, Multiply};
#undef COREF_TARGET
}  // namespace int8_avx2

#undef COREF_MULTIPLY_ROWS_BY_HALVES

#endif

namespace int8_baseline {
#define COREF_TARGET
constexpr int kRows = 4;
template <int R>
inline void MultiplyRows(const uint8_t* const* rows, const int8_t* panel, int64_t groups,
                         int32_t (*sums)[kInt8Columns]) {
  for (int r = 0; r < R; ++r) std::fill_n(sums[r], kInt8Columns, 0);
  for (int64_t g = 0; g < groups; ++g, panel += kInt8Columns * kInt8Group) {
    for (int r = 0; r < R; ++r) {
      const uint8_t* q = rows[r] + g * kInt8Group;
      for (int64_t n = 0; n < kInt8Columns; ++n) {
        const int8_t* w = panel + n * kInt8Group;
        sums[r][n] += q[0] * w[0] + q[1] * w[1] + q[2] * w[2] + q[3] * w[3];
      }
    }
  }
}
#include "dense/int8_dense_body.h"
constexpr Int8Loops kLoops = {"baseline", 255, Quantize, Multiply};
#undef COREF_TARGET
}  // namespace int8_baseline

// Returns all loops that this processor can run, the best first.
inline std::vector<const Int8Loops*> Int8LoopsOfThisProcessor() {
  std::vector<const Int8Loops*> found;
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vnni");
  if (avx512) found.push_back(&int8_vnni512::kLoops);
  if (avx2 && __builtin_cpu_supports("avxvnni")) found.push_back(&int8_vnni::kLoops);
  if (avx2) found.push_back(&int8_avx2::kLoops);
#endif
  found.push_back(&int8_baseline::kLoops);
  return found;
}

// Returns the best of them. The environment variable COREF_INSTRUCTIONS=avx2 or =baseline restricts
// the instruction set.
inline const Int8Loops& BestInt8Loops() {
  static const Int8Loops& best = []() -> const Int8Loops& {
    const char* wanted = std::getenv("COREF_INSTRUCTIONS");
    const std::vector<const Int8Loops*> all = Int8LoopsOfThisProcessor();
    for (const Int8Loops* loops : all) {
      if (wanted != nullptr && std::string(wanted) == loops->name) return *loops;
    }
    return *all.front();
  }();
  return best;
}

// Computes the outputs. Rows are independent, so the result does not depend on the number of
// threads. For parallel_for, see span_pruning.h.
template <typename ParallelFor>
void RunInt8Dense(const Int8Dense& dense, const Int8Loops& loops, const ParallelFor& parallel_for) {
  // The integers of this many rows stay in the cache of a core while all panels are processed.
  constexpr int64_t kRowsPerBlock = 64;
  const int64_t row_size = dense.groups() * kInt8Group;
  const int64_t blocks = (dense.rows + kRowsPerBlock - 1) / kRowsPerBlock;
  const int64_t cost = kRowsPerBlock * dense.depth * dense.units / 32;
  parallel_for(blocks, cost, [&](int64_t begin, int64_t end) {
    std::vector<uint8_t> quantized(kRowsPerBlock * row_size);
    std::vector<QuantizedRow> rows(kRowsPerBlock);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * kRowsPerBlock;
      const int64_t count = std::min(kRowsPerBlock, dense.rows - first);
      for (int64_t r = 0; r < count; ++r) {
        const float* row = dense.values + (first + r) * dense.depth;
        rows[r] = loops.quantize(row, dense.depth, loops.levels, quantized.data() + r * row_size);
      }
      for (int64_t panel = 0; panel < dense.num_panels(); ++panel) {
        loops.multiply(dense, first, count, quantized.data(), rows.data(), panel);
      }
    }
  });
}

}  // namespace coref

#endif  // COREF_KERNELS_DENSE_INT8_DENSE_H_
