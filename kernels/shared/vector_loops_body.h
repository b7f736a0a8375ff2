// The body of vector_loops.h, which includes it once per instruction set; so it has no include
// guard. Before each inclusion, vector_loops.h defines kLanes, kRows, kVectors, MultiplyAdd and
// COREF_TARGET, which makes the compiler use the instructions; every function here needs it.

constexpr int kPanelColumns = kLanes * kVectors;

// c[m][n] (+)= a(m, k) * panel[k][n] for R rows and S vectors of columns, with all sums in
// registers.
template <int R, int S, bool kTransposed>
COREF_TARGET inline void MultiplyBlock(const PanelProduct& p, int64_t first_row, int64_t width) {
  Vector sums[R][S] = {};
  const float* rows[R];
  for (int r = 0; r < R; ++r) rows[r] = kTransposed ? nullptr : p.a[first_row + r] + p.a_offset;
  const float* b = p.panel;
  for (int64_t k = 0; k < p.depth; ++k, b += width) {
    Vector columns[S];
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) columns[s] = Load(b + s * kLanes);
    const float* a_row = kTransposed ? p.a[k] + p.a_offset + first_row : nullptr;
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const Vector a = Broadcast(kTransposed ? a_row[r] : rows[r][k]);
#pragma GCC unroll 8
      for (int s = 0; s < S; ++s) sums[r][s] = MultiplyAdd(a, columns[s], sums[r][s]);
    }
  }
  const int64_t whole = p.columns / kLanes, rest = p.columns % kLanes;
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    float* c = p.c[first_row + r] + p.c_offset;
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s, c += kLanes) {
      if (s < whole) {
        Store(c, p.add ? sums[r][s] + Load(c) : sums[r][s]);
      } else {
        for (int64_t n = 0; n < rest; ++n) c[n] = p.add ? sums[r][s][n] + c[n] : sums[r][s][n];
      }
    }
  }
}

template <bool kTransposed, int S, int... R>
COREF_TARGET inline void MultiplyRest(const PanelProduct& p, int64_t first_row, int64_t width,
                                      std::integer_sequence<int, R...>) {
  const int64_t rest = p.rows - first_row;
  (void)((rest == R + 1 && (MultiplyBlock<R + 1, S, kTransposed>(p, first_row, width), true)) ||
         ...);
}

template <bool kTransposed, int S>
COREF_TARGET inline void MultiplyBlocks(const PanelProduct& p) {
  int64_t row = 0;
  for (; row + kRows <= p.rows; row += kRows) {
    MultiplyBlock<kRows, S, kTransposed>(p, row, S * kLanes);
  }
  MultiplyRest<kTransposed, S>(p, row, S * kLanes, std::make_integer_sequence<int, kRows - 1>());
}

template <bool kTransposed, int... S>
COREF_TARGET inline void MultiplyPanel(const PanelProduct& p, std::integer_sequence<int, S...>) {
  const int64_t vectors = (p.columns + kLanes - 1) / kLanes;
  (void)((vectors == S + 1 && (MultiplyBlocks<kTransposed, S + 1>(p), true)) || ...);
}

COREF_TARGET inline void Multiply(const PanelProduct& p) {
  MultiplyPanel<false>(p, std::make_integer_sequence<int, kVectors>());
}

COREF_TARGET inline void MultiplyTransposed(const PanelProduct& p) {
  MultiplyPanel<true>(p, std::make_integer_sequence<int, kVectors>());
}

COREF_TARGET inline void Pack(const float* const* rows, int64_t depth, int64_t first,
                              int64_t columns, float* panel) {
  const int64_t width = (columns + kLanes - 1) / kLanes * kLanes;
  for (int64_t k = 0; k < depth; ++k, panel += width) {
    for (int64_t n = 0; n < columns; ++n) panel[n] = rows[k][first + n];
    for (int64_t n = columns; n < width; ++n) panel[n] = 0;
  }
}

COREF_TARGET inline void PackTransposed(const float* const* rows, int64_t first, int64_t depth,
                                        int64_t count, float* panel) {
  const int64_t width = (count + kLanes - 1) / kLanes * kLanes;
  for (int64_t k = 0; k < depth; ++k, panel += width) {
    for (int64_t n = 0; n < count; ++n) panel[n] = rows[n][first + k];
    for (int64_t n = count; n < width; ++n) panel[n] = 0;
  }
}

COREF_TARGET inline void PackScaled(const float* kernel, int64_t units, const float* const* scales,
                                    int64_t depth, int64_t first, int64_t columns, float* panel) {
  const int64_t width = (columns + kLanes - 1) / kLanes * kLanes;
  for (int64_t done = 0; done < columns;) {
    const int64_t unit = (first + done) % units;
    const int64_t count = std::min(columns - done, units - unit);
    const float* scale = scales[(first + done) / units];
    const float* row = kernel + unit;
    float* to = panel + done;
    for (int64_t k = 0; k < depth; ++k, row += units, to += width) {
      for (int64_t n = 0; n < count; ++n) to[n] = row[n] * scale[k];
    }
    done += count;
  }
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t n = columns; n < width; ++n) panel[k * width + n] = 0;
  }
}

COREF_TARGET inline void PackScaledTransposed(const float* kernel, int64_t units, int64_t row_size,
                                              const float* const* scales, int64_t num_scales,
                                              int64_t first, int64_t columns, float* panel) {
  const int64_t width = (columns + kLanes - 1) / kLanes * kLanes;
  for (int64_t scale = 0; scale < num_scales; ++scale) {
    const float* factors = scales[scale] + first;
    for (int64_t unit = 0; unit < units; ++unit, panel += width) {
      const float* row = kernel + unit * row_size + first;
      for (int64_t n = 0; n < columns; ++n) panel[n] = row[n] * factors[n];
      for (int64_t n = columns; n < width; ++n) panel[n] = 0;
    }
  }
}

COREF_TARGET inline void Sum(int64_t count, const float* const* terms, int64_t num_terms,
                             float* sum) {
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) {
    Vector total = Load(terms[0] + n);
    for (int64_t term = 1; term < num_terms; ++term) total += Load(terms[term] + n);
    Store(sum + n, total);
  }
  for (; n < count; ++n) {
    sum[n] = terms[0][n];
    for (int64_t term = 1; term < num_terms; ++term) sum[n] += terms[term][n];
  }
}

COREF_TARGET inline void Add(int64_t count, const float* from, float* to) {
  for (int64_t n = 0; n < count; ++n) to[n] += from[n];
}

COREF_TARGET inline void AddScaled(int64_t count, float scale, const float* from, float* to) {
  for (int64_t n = 0; n < count; ++n) to[n] += scale * from[n];
}

COREF_TARGET inline float Dot(int64_t count, const float* a, const float* b) {
  Vector sums = {};
  int64_t n = 0;
  for (; n + kLanes <= count; n += kLanes) sums = MultiplyAdd(Load(a + n), Load(b + n), sums);
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  for (; n < count; ++n) sum += a[n] * b[n];
  return sum;
}

COREF_TARGET inline void Rectify(int64_t count, float* values) {
  for (int64_t n = 0; n < count; ++n) values[n] = values[n] > 0 ? values[n] : 0;
}

COREF_TARGET inline void Drop(uint32_t count, Dropout dropout, uint32_t key, float* values) {
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t bits = MixBits(key + n * kGoldenRatio);
    const float scaled = values[n] * dropout.scale;
    values[n] = bits >= dropout.threshold ? scaled : 0;
  }
}

COREF_TARGET inline void PassGradient(int64_t count, float scale, const float* outputs,
                                      float* gradients) {
  for (int64_t n = 0; n < count; ++n) gradients[n] = outputs[n] > 0 ? gradients[n] * scale : 0;
}

COREF_TARGET inline void MultiplyElements(int64_t count, const float* a, const float* b,
                                          float* product) {
  for (int64_t n = 0; n < count; ++n) product[n] = a[n] * b[n];
}

// Loads the first `count` floats, followed by zeros.
COREF_TARGET inline __attribute__((always_inline)) Vector LoadSome(const float* from,
                                                                   int64_t count) {
  if (count >= kLanes) return Load(from);
  Vector values = {};
  for (int64_t n = 0; n < count; ++n) values[n] = from[n];
  return values;
}

COREF_TARGET inline __attribute__((always_inline)) void StoreSome(float* to, Vector values,
                                                                  int64_t count) {
  if (count >= kLanes) return Store(to, values);
  for (int64_t n = 0; n < count; ++n) to[n] = values[n];
}

// e^x = 2^n e^r with |r| <= ln 2 / 2, where a polynomial is exact to float precision. x is clamped
// to the range where the result is finite and not zero.
COREF_TARGET inline __attribute__((always_inline)) Vector Exp(Vector x) {
  const Vector low = Broadcast(-87.0f), high = Broadcast(88.0f);
  x = x < low ? low : x;
  x = x > high ? high : x;
  // Adding and subtracting this rounds to an integer; in between, the lowest bits hold n.
  const Vector shift = Broadcast(12582912.0f);
  const Vector shifted = MultiplyAdd(x, Broadcast(1.44269504f), shift);
  const Vector n = shifted - shift;
  // ln 2 in two parts, the first with trailing zeros, so that the product is exact.
  const Vector r =
      MultiplyAdd(n, Broadcast(2.12194440e-4f), MultiplyAdd(n, Broadcast(-0.693359375f), x));
  Vector sum = Broadcast(1.0f / 5040);
  for (float factor : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f, 1.0f, 1.0f}) {
    sum = MultiplyAdd(sum, r, Broadcast(factor));
  }
  return (Vector)((IntegerVector)sum + ((IntegerVector)shifted << 23));
}

COREF_TARGET inline float Exponentials(int64_t count, float scale, const float* bias,
                                       float* values) {
  constexpr float kNothing = -std::numeric_limits<float>::infinity();
  const int64_t whole = count / kLanes * kLanes;
  Vector largest = Broadcast(kNothing);
  for (int64_t n = 0; n < whole; n += kLanes) {
    Vector value = Load(values + n) * scale;
    if (bias != nullptr) value += Load(bias + n);
    largest = value > largest ? value : largest;
    Store(values + n, value);
  }
  float most = kNothing;
  for (int lane = 0; lane < kLanes; ++lane) most = largest[lane] > most ? largest[lane] : most;
  for (int64_t n = whole; n < count; ++n) {
    values[n] = values[n] * scale + (bias == nullptr ? 0 : bias[n]);
    most = values[n] > most ? values[n] : most;
  }
  Vector sums = {};
  for (int64_t n = 0; n < whole; n += kLanes) {
    const Vector value = Exp(Load(values + n) - most);
    sums += value;
    Store(values + n, value);
  }
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  if (whole < count) {
    StoreSome(values + whole, Exp(LoadSome(values + whole, count - whole) - most), count - whole);
    for (int64_t n = whole; n < count; ++n) sum += values[n];
  }
  return sum;
}

COREF_TARGET inline __attribute__((always_inline)) Vector Sigmoid(Vector x) {
  return 1.0f / (1.0f + Exp(-x));
}

COREF_TARGET inline __attribute__((always_inline)) Vector Tanh(Vector x) {
  return 1.0f - 2.0f / (1.0f + Exp(x + x));
}

COREF_TARGET inline void LSTMStep(int64_t units, float* gates, const float* previous_c, float* c,
                                  float* h) {
  for (int64_t n = 0; n < units; n += kLanes) {
    const int64_t count = units - n;
    const Vector f = Sigmoid(LoadSome(gates + n, count));
    const Vector candidate = Tanh(LoadSome(gates + units + n, count));
    const Vector o = Sigmoid(LoadSome(gates + 2 * units + n, count));
    const Vector cell = f * candidate + (1.0f - f) * LoadSome(previous_c + n, count);
    StoreSome(gates + n, f, count);
    StoreSome(gates + units + n, candidate, count);
    StoreSome(gates + 2 * units + n, o, count);
    StoreSome(c + n, cell, count);
    StoreSome(h + n, o * Tanh(cell), count);
  }
}

COREF_TARGET inline void LSTMStepGradient(int64_t units, const float* gates,
                                          const float* previous_c, const float* c,
                                          const float* h_gradients, float* c_gradients,
                                          float* sums_gradients) {
  for (int64_t n = 0; n < units; n += kLanes) {
    const int64_t count = units - n;
    const Vector f = LoadSome(gates + n, count), candidate = LoadSome(gates + units + n, count);
    const Vector o = LoadSome(gates + 2 * units + n, count), t = Tanh(LoadSome(c + n, count));
    const Vector of_h = LoadSome(h_gradients + n, count);
    const Vector of_c = LoadSome(c_gradients + n, count) + of_h * o * (1.0f - t * t);
    const Vector change = candidate - LoadSome(previous_c + n, count);
    StoreSome(sums_gradients + n, of_c * change * f * (1.0f - f), count);
    StoreSome(sums_gradients + units + n, of_c * f * (1.0f - candidate * candidate), count);
    StoreSome(sums_gradients + 2 * units + n, of_h * t * o * (1.0f - o), count);
    StoreSome(c_gradients + n, of_c * (1.0f - f), count);
  }
}

constexpr VectorLoops kLoops = {kPanelColumns,
                                Multiply,
                                MultiplyTransposed,
                                Pack,
                                PackTransposed,
                                PackScaled,
                                PackScaledTransposed,
                                Sum,
                                Add,
                                MultiplyElements,
                                AddScaled,
                                Dot,
                                Exponentials,
                                Rectify,
                                Drop,
                                PassGradient,
                                LSTMStep,
                                LSTMStepGradient};
