// Matrices in the layout of the loops in vector_loops.h.

#ifndef COREF_KERNELS_SHARED_PACKED_MATRIX_H_
#define COREF_KERNELS_SHARED_PACKED_MATRIX_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "shared/vector_loops.h"

namespace coref {

// A buffer of floats that is reused and only ever grows.
class Scratch {
 public:
  float* Floats(int64_t count) {
    if (count > size_) {
      floats_.reset(new float[count]);
      size_ = count;
    }
    return floats_.get();
  }

 private:
  std::unique_ptr<float[]> floats_;
  int64_t size_ = 0;
};

// Returns pointers to `count` rows of `size` floats, starting at `first`.
template <typename Float>
std::vector<Float*> RowPointers(Float* first, int64_t count, int64_t size) {
  std::vector<Float*> rows(count);
  for (int64_t row = 0; row < count; ++row) rows[row] = first + row * size;
  return rows;
}

// A matrix in panels, ready for multiplication.
class PackedMatrix {
 public:
  PackedMatrix(const VectorLoops& loops, const std::vector<const float*>& rows, int64_t columns)
      : loops_(loops), depth_(rows.size()), columns_(columns) {
    for (int64_t first = 0; first < columns; first += loops.panel_columns) {
      panels_.emplace_back(new float[depth_ * loops.panel_columns]);
      loops.pack(rows.data(), depth_, first, Width(first), panels_.back().get());
    }
  }

  // c (+)= a * this
  void Multiply(const float* const* a, int64_t rows, float* const* c, bool add) const {
    for (int64_t first = 0; first < columns_; first += loops_.panel_columns) {
      const float* panel = panels_[first / loops_.panel_columns].get();
      loops_.multiply({a, 0, rows, depth_, panel, Width(first), c, first, add});
    }
  }

  // c (+)= a^T * this
  void MultiplyTransposed(const float* const* a, int64_t rows, float* const* c, bool add) const {
    for (int64_t first = 0; first < columns_; first += loops_.panel_columns) {
      const float* panel = panels_[first / loops_.panel_columns].get();
      loops_.multiply_transposed({a, 0, rows, depth_, panel, Width(first), c, first, add});
    }
  }

 private:
  int64_t Width(int64_t first) const { return std::min(loops_.panel_columns, columns_ - first); }

  const VectorLoops& loops_;
  int64_t depth_, columns_;
  std::vector<std::unique_ptr<float[]>> panels_;
};

// The transpose of a matrix [rows, columns].
inline std::vector<float> Transposed(const float* matrix, int64_t rows, int64_t columns) {
  std::vector<float> transposed(rows * columns);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      transposed[column * rows + row] = matrix[row * columns + column];
    }
  }
  return transposed;
}

}  // namespace coref

#endif  // COREF_KERNELS_SHARED_PACKED_MATRIX_H_
