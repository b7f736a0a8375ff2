// Sorting, scanning and atomics for the GPU algorithms, over any grid; see emulated_grid.h.

#ifndef COREF_KERNELS_DEVICE_DEVICE_ALGORITHMS_H_
#define COREF_KERNELS_DEVICE_DEVICE_ALGORITHMS_H_

#include <cstdint>

#include "device/host_device.h"

namespace coref {

// The threads of the emulated grid never run concurrently, so plain reads and writes are atomic
// there.
COREF_HOST_DEVICE inline int32_t AtomicAdd(int32_t* target, int32_t value) {
#ifdef __CUDA_ARCH__
  return atomicAdd(target, value);
#else
  const int32_t before = *target;
  *target += value;
  return before;
#endif
}

COREF_HOST_DEVICE inline void AtomicMin(unsigned long long* target, unsigned long long value) {
#ifdef __CUDA_ARCH__
  atomicMin(target, value);
#else
  if (value < *target) *target = value;
#endif
}

COREF_HOST_DEVICE inline int64_t PowerOfTwoAtLeast(int64_t count) {
  int64_t power = 1;
  while (power < count) power *= 2;
  return power;
}

// An item to sort, by key, then value.
struct SortItem {
  uint64_t key;
  int32_t value;
};

COREF_HOST_DEVICE inline bool operator<(const SortItem& a, const SortItem& b) {
  return a.key != b.key ? a.key < b.key : a.value < b.value;
}

// The largest item, which pads the items to a power of two.
template <typename Item>
COREF_HOST_DEVICE Item Largest();
template <>
COREF_HOST_DEVICE inline SortItem Largest<SortItem>() {
  return {UINT64_MAX, INT32_MAX};
}
template <>
COREF_HOST_DEVICE inline uint64_t Largest<uint64_t>() {
  return UINT64_MAX;
}

// The pair-th exchange of a step of bitonic sort: items `stride` apart, in runs of `size` that are
// ascending and descending in turn.
template <typename Item>
COREF_HOST_DEVICE void Exchange(Item* items, int64_t pair, int64_t size, int64_t stride) {
  const int64_t i = pair / stride * 2 * stride + pair % stride, j = i + stride;
  const bool up = (i & size) == 0;
  const Item first = items[i], second = items[j];
  if (up ? second < first : first < second) {
    items[i] = second;
    items[j] = first;
  }
}

// Sorts `count` items, a power of two, in one block.
template <typename Block, typename Item>
COREF_HOST_DEVICE void SortInBlock(const Block& block, Item* items, int64_t count) {
  for (int64_t size = 2; size <= count; size *= 2) {
    for (int64_t stride = size / 2; stride > 0; stride /= 2) {
      block.ForEach(count / 2, [=](int64_t pair) { Exchange(items, pair, size, stride); });
    }
  }
}

// Sorts items, which have room for PowerOfTwoAtLeast(count). Steps within a tile share one launch.
template <typename Grid>
void Sort(Grid* grid, SortItem* items, int64_t count) {
  using Block = typename Grid::Block;
  constexpr int64_t kTile = 1024;
  const int64_t padded = PowerOfTwoAtLeast(count), tile = padded < kTile ? padded : kTile;
  grid->ForEach(padded - count,
                [=] COREF_DEVICE(int64_t i) { items[count + i] = Largest<SortItem>(); });
  const auto tiles = static_cast<int32_t>(padded / tile);
  // Runs of one tile each, ascending and descending in turn.
  grid->Launch(tiles, kTile / 4, [=] COREF_DEVICE(const Block& block) {
    for (int64_t size = 2; size <= tile; size *= 2) {
      for (int64_t stride = size / 2; stride > 0; stride /= 2) {
        block.ForEach(tile / 2, [=](int64_t pair) {
          Exchange(items, block.index() * (tile / 2) + pair, size, stride);
        });
      }
    }
  });
  for (int64_t size = 2 * tile; size <= padded; size *= 2) {
    for (int64_t stride = size / 2; stride >= tile; stride /= 2) {
      grid->ForEach(padded / 2,
                    [=] COREF_DEVICE(int64_t pair) { Exchange(items, pair, size, stride); });
    }
    grid->Launch(tiles, kTile / 4, [=] COREF_DEVICE(const Block& block) {
      for (int64_t stride = tile / 2; stride > 0; stride /= 2) {
        block.ForEach(tile / 2, [=](int64_t pair) {
          Exchange(items, block.index() * (tile / 2) + pair, size, stride);
        });
      }
    });
  }
}

// Replaces each value with the sum of all values up to it.
template <typename Grid>
void Scan(Grid* grid, int32_t* values, int64_t count) {
  int32_t* sums = grid->template Allocate<int32_t>(count);
  int32_t *from = values, *to = sums;
  for (int64_t step = 1; step < count; step *= 2) {
    grid->ForEach(
        count, [=] COREF_DEVICE(int64_t i) { to[i] = from[i] + (i >= step ? from[i - step] : 0); });
    int32_t* const swap = from;
    from = to;
    to = swap;
  }
  if (from != values) {
    grid->ForEach(count, [=] COREF_DEVICE(int64_t i) { values[i] = sums[i]; });
  }
}

}  // namespace coref

#endif  // COREF_KERNELS_DEVICE_DEVICE_ALGORITHMS_H_
