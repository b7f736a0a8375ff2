// The body of int8_dense.h, which includes it once per instruction set; so it has no include guard.
// Before each inclusion, int8_dense.h defines kRows, MultiplyRows and COREF_TARGET, which makes the
// compiler use the instructions; every function here needs it.

COREF_TARGET inline QuantizedRow Quantize(const float* row, int64_t depth, float levels,
                                          uint8_t* to) {
  constexpr int64_t kLanes = 16;
  float least[kLanes], most[kLanes], nothing[kLanes] = {};
  std::fill_n(least, kLanes, row[0]);
  std::fill_n(most, kLanes, row[0]);
  int64_t k = 0;
  for (; k + kLanes <= depth; k += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = row[k + lane];
      least[lane] = value < least[lane] ? value : least[lane];
      most[lane] = value > most[lane] ? value : most[lane];
      nothing[lane] += value * 0.0f;  // becomes and stays NaN if the value is NaN or an infinity
    }
  }
  for (; k < depth; ++k) {
    least[0] = row[k] < least[0] ? row[k] : least[0];
    most[0] = row[k] > most[0] ? row[k] : most[0];
    nothing[0] += row[k] * 0.0f;
  }
  for (int64_t lane = 1; lane < kLanes; ++lane) {
    least[0] = least[lane] < least[0] ? least[lane] : least[0];
    most[0] = most[lane] > most[0] ? most[lane] : most[0];
    nothing[0] += nothing[lane];
  }
  const float range = most[0] - least[0], inverse = levels / range;
  constexpr float kLargest = std::numeric_limits<float>::max();
  std::memset(to + depth, 0, (kInt8Group - depth % kInt8Group) % kInt8Group);
  if (nothing[0] != 0 || !(range <= kLargest) || !(inverse <= kLargest)) {
    std::memset(to, 0, depth);
    const bool is_constant = nothing[0] == 0 && range <= kLargest;
    return {least[0], is_constant ? 0 : std::numeric_limits<float>::quiet_NaN()};
  }
  for (k = 0; k < depth; ++k) {
    // Adding and subtracting 2^23 rounds to nearest, ties to even.
    const float level = (row[k] - least[0]) * inverse + 8388608.0f - 8388608.0f;
    to[k] = static_cast<uint8_t>(static_cast<int32_t>(level < levels ? level : levels));
  }
  return {least[0], range / levels};
}

// Applies GELU to the values of a panel: x * Phi(x) = x / 2 * (1 + erf(x / sqrt(2))).
COREF_TARGET inline void ApplyGelu(float* values) {
  typedef float Floats __attribute__((vector_size(sizeof(float) * kInt8Columns)));
  Floats x;
  std::memcpy(&x, values, sizeof(x));
  Floats t = x * 0.70710678f;
  t = t < -kErfLimit ? Floats{} - kErfLimit : t;
  t = t > kErfLimit ? Floats{} + kErfLimit : t;
  const Floats square = t * t;
  Floats above = Floats{} + kErfAbove[0], below = Floats{} + kErfBelow[0];
#pragma GCC unroll 8
  for (int i = 1; i < kErfTerms; ++i) {
    above = above * square + kErfAbove[i];
    below = below * square + kErfBelow[i];
  }
  x = 0.5f * x * (1.0f + t * above / below);
  std::memcpy(values, &x, sizeof(x));
}

// Computes the outputs of a row and a panel from the integer sums.
COREF_TARGET inline void Finish(const Int8Dense& dense, const int32_t* sums, QuantizedRow row,
                                int64_t first_unit, int64_t columns, float* outputs) {
  float values[kInt8Columns] = {};
  for (int64_t n = 0; n < columns; ++n) {
    const int64_t unit = first_unit + n;
    const float sum =
        row.step * static_cast<float>(sums[n]) + row.minimum * static_cast<float>(dense.sums[unit]);
    values[n] = sum * dense.scales[unit] + dense.bias[unit];
  }
  if (dense.gelu) ApplyGelu(values);
  std::memcpy(outputs, values, columns * sizeof(float));
}

template <int... R>
COREF_TARGET inline void MultiplyRest(int64_t count, const uint8_t* const* rows,
                                      const int8_t* panel, int64_t groups,
                                      int32_t (*sums)[kInt8Columns],
                                      std::integer_sequence<int, R...>) {
  (void)((count == R + 1 && (MultiplyRows<R + 1>(rows, panel, groups, sums), true)) || ...);
}

COREF_TARGET inline void Multiply(const Int8Dense& dense, int64_t first, int64_t count,
                                  const uint8_t* quantized, const QuantizedRow* rows,
                                  int64_t panel) {
  const int64_t groups = dense.groups(), row_size = groups * kInt8Group;
  const int64_t first_unit = panel * kInt8Columns;
  const int64_t columns = std::min(kInt8Columns, dense.units - first_unit);
  const int8_t* weights = dense.panels + panel * groups * kInt8Columns * kInt8Group;
  for (int64_t row = 0; row < count; row += kRows) {
    const int64_t now = std::min<int64_t>(kRows, count - row);
    const uint8_t* q[kRows];
    for (int64_t r = 0; r < now; ++r) q[r] = quantized + (row + r) * row_size;
    int32_t sums[kRows][kInt8Columns];
    MultiplyRest(now, q, weights, groups, sums, std::make_integer_sequence<int, kRows>());
    for (int64_t r = 0; r < now; ++r) {
      float* outputs = dense.outputs + (first + row + r) * dense.units + first_unit;
      Finish(dense, sums[r], rows[row + r], first_unit, columns, outputs);
    }
  }
}
