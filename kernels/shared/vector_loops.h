// Matrix products and other loops over floats, compiled for several instruction sets; the best one
// that the processor supports is chosen at run time.

#ifndef COREF_KERNELS_SHARED_VECTOR_LOOPS_H_
#define COREF_KERNELS_SHARED_VECTOR_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "shared/dropout.h"

namespace coref {

// c (+)= a * panel. A panel holds some columns of a matrix, row by row, padded with zeros to whole
// vectors.
struct PanelProduct {
  const float* const* a;
  int64_t a_offset;  // the offset of the factor in each row of a
  int64_t rows;      // of c
  int64_t depth;     // the number of rows of the panel
  const float* panel;
  int64_t columns;  // of the panel and of c, at most panel_columns
  float* const* c;
  int64_t c_offset;  // the offset of the product in each row of c
  bool add;          // whether to add to c instead of replacing it
};

struct VectorLoops {
  int64_t panel_columns;

  // c[m][n] = sum over k of a[m][k] * panel[k][n]
  void (*multiply)(const PanelProduct& product);
  // c[m][n] = sum over k of a[k][m] * panel[k][n]
  void (*multiply_transposed)(const PanelProduct& product);

  // Packs the panel of the columns from `first` on, of the matrix with these rows.
  void (*pack)(const float* const* rows, int64_t depth, int64_t first, int64_t columns,
               float* panel);
  // Packs the panel whose columns are parts of `count` rows: `depth` floats of each, from `first`
  // on.
  void (*pack_transposed)(const float* const* rows, int64_t first, int64_t depth, int64_t count,
                          float* panel);
  // Packs the columns from `first` on of [diag(scales[0]) kernel, diag(scales[1]) kernel, ...];
  // kernel is [depth, units].
  void (*pack_scaled)(const float* kernel, int64_t units, const float* const* scales, int64_t depth,
                      int64_t first, int64_t columns, float* panel);
  // Packs the transpose of that matrix; kernel is already transposed, [units, row_size].
  void (*pack_scaled_transposed)(const float* kernel, int64_t units, int64_t row_size,
                                 const float* const* scales, int64_t num_scales, int64_t first,
                                 int64_t columns, float* panel);

  // Requires at least one term.
  void (*sum)(int64_t count, const float* const* terms, int64_t num_terms, float* sum);
  void (*add)(int64_t count, const float* from, float* to);
  void (*multiply_elements)(int64_t count, const float* a, const float* b, float* product);
  void (*add_scaled)(int64_t count, float scale, const float* from, float* to);
  float (*dot)(int64_t count, const float* a, const float* b);
  // values = exp(scale * values + bias - m), where m is the maximum of scale * values + bias;
  // returns their sum. bias may be null.
  float (*exponentials)(int64_t count, float scale, const float* bias, float* values);
  void (*rectify)(int64_t count, float* values);
  void (*drop)(uint32_t count, Dropout dropout, uint32_t key, float* values);
  // Backpropagates through rectify and drop, whose results are `outputs`.
  void (*pass_gradient)(int64_t count, float scale, const float* outputs, float* gradients);

  // Computes a step of the LSTM in sentence_lstm.h, from the sums to the states. `gates`,
  // [3 * units], holds the sums on input, and f, c~ and o on output.
  void (*lstm_step)(int64_t units, float* gates, const float* previous_c, float* c, float* h);
  // Backpropagates from h to the sums; `c_gradients` holds the gradient of c on input, and that of
  // previous_c on output.
  void (*lstm_step_gradient)(int64_t units, const float* gates, const float* previous_c,
                             const float* c, const float* h_gradients, float* c_gradients,
                             float* sums_gradients);
};

#define COREF_VECTOR_OPERATIONS                                                                 \
  typedef float Vector __attribute__((vector_size(sizeof(float) * kLanes)));                    \
  typedef float UnalignedVector                                                                 \
      __attribute__((vector_size(sizeof(float) * kLanes), aligned(alignof(float)), may_alias)); \
  typedef int32_t IntegerVector __attribute__((vector_size(sizeof(int32_t) * kLanes)));         \
  COREF_TARGET inline __attribute__((always_inline)) Vector Load(const float* from) {           \
    return *reinterpret_cast<const UnalignedVector*>(from);                                     \
  }                                                                                             \
  COREF_TARGET inline __attribute__((always_inline)) void Store(float* to, Vector value) {      \
    *reinterpret_cast<UnalignedVector*>(to) = value;                                            \
  }                                                                                             \
  COREF_TARGET inline __attribute__((always_inline)) Vector Broadcast(float value) {            \
    return value - Vector{};                                                                    \
  }

#if defined(__x86_64__)

namespace avx512 {
#define COREF_TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")))
// As many accumulators as leave registers for the factors, out of 32.
constexpr int kLanes = 16, kRows = 6, kVectors = 4;
COREF_VECTOR_OPERATIONS
COREF_TARGET inline __attribute__((always_inline)) Vector MultiplyAdd(Vector a, Vector b,
                                                                      Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}
#include "shared/vector_loops_body.h"
#undef COREF_TARGET
}  // namespace avx512

namespace avx2 {
#define COREF_TARGET __attribute__((target("avx2,fma")))
constexpr int kLanes = 8, kRows = 6, kVectors = 2;  // out of 16 registers
COREF_VECTOR_OPERATIONS
COREF_TARGET inline __attribute__((always_inline)) Vector MultiplyAdd(Vector a, Vector b,
                                                                      Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
#include "shared/vector_loops_body.h"
#undef COREF_TARGET
}  // namespace avx2

#endif

namespace baseline {
#define COREF_TARGET
constexpr int kLanes = 4, kRows = 4, kVectors = 2;
COREF_VECTOR_OPERATIONS
inline __attribute__((always_inline)) Vector MultiplyAdd(Vector a, Vector b, Vector c) {
  return a * b + c;
}
#include "shared/vector_loops_body.h"
#undef COREF_TARGET
}  // namespace baseline

#undef COREF_VECTOR_OPERATIONS

// Returns the loops for this processor. The environment variable COREF_INSTRUCTIONS=avx2 or
// =baseline restricts the instruction set.
inline const VectorLoops& LoopsOfThisProcessor() {
  static const VectorLoops& loops = []() -> const VectorLoops& {
    const char* variable = std::getenv("COREF_INSTRUCTIONS");
    const std::string wanted = variable == nullptr ? "" : variable;
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 =
        has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    if (has_avx512 && wanted != "avx2" && wanted != "baseline") return avx512::kLoops;
    if (has_avx2 && wanted != "baseline") return avx2::kLoops;
#endif
    return baseline::kLoops;
  }();
  return loops;
}

}  // namespace coref

#endif  // COREF_KERNELS_SHARED_VECTOR_LOOPS_H_
