// A grid of blocks of threads on the host, for testing the GPU algorithms without a GPU.
//
// The interface of a grid for the algorithms in device_*.h (cuda_grid.h is the real grid):
//   Block                      the argument of a block's code; see EmulatedBlock
//   Allocate<T>(count)         uninitialized device memory that lives as long as the grid
//   Read(values, count, to)    copies from device memory after all previous calls are done
//   ForEach(count, f)          calls f(i) for i < count, in any order
//   Launch(blocks, threads, f) calls f(block) in `blocks` blocks of `threads` threads
// Each call begins when the previous one is done.

#ifndef COREF_KERNELS_DEVICE_EMULATED_GRID_H_
#define COREF_KERNELS_DEVICE_EMULATED_GRID_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace coref {

// Runs the threads of a block one after another, in an order that changes each time, so that code
// that depends on the order of threads between two barriers soon gives different results. There are
// always a few threads, because no result may depend on their number.
class EmulatedBlock {
 public:
  static constexpr int64_t kThreads = 5;

  EmulatedBlock(int32_t index, int32_t num_blocks, std::mt19937* random)
      : index_(index), num_blocks_(num_blocks), random_(random) {}

  int32_t index() const { return index_; }
  int32_t num_blocks() const { return num_blocks_; }

  // Calls action(i) for i < count, distributed over the threads; returns when all are done.
  template <typename Action>
  void ForEach(int64_t count, const Action& action) const {
    std::array<int64_t, kThreads> threads;
    std::iota(threads.begin(), threads.end(), 0);
    std::shuffle(threads.begin(), threads.end(), *random_);
    for (int64_t thread : threads) {
      for (int64_t i = thread; i < count; i += kThreads) action(i);
    }
  }

  // Returns whether predicate(i) is true for any i < count, when all are done.
  template <typename Predicate>
  bool AnyOf(int64_t count, const Predicate& predicate) const {
    bool any = false;
    ForEach(count, [&](int64_t i) { any |= predicate(i); });
    return any;
  }

  // Calls action() in one thread; returns when it is done.
  template <typename Action>
  void Once(const Action& action) const {
    action();
  }

 private:
  int32_t index_, num_blocks_;
  std::mt19937* random_;
};

class EmulatedGrid {
 public:
  using Block = EmulatedBlock;

  explicit EmulatedGrid(uint32_t seed) : random_(seed) {}

  template <typename T>
  T* Allocate(int64_t count) {
    memory_.push_back(std::make_unique<char[]>(std::max<int64_t>(count, 1) * sizeof(T)));
    std::memset(memory_.back().get(), 0xcd, count * sizeof(T));
    return reinterpret_cast<T*>(memory_.back().get());
  }

  template <typename T>
  void Read(const T* values, int64_t count, T* to) {
    std::copy(values, values + count, to);
  }

  template <typename Action>
  void ForEach(int64_t count, const Action& action) {
    constexpr int64_t kThreads = EmulatedBlock::kThreads;
    const int64_t blocks = (count + kThreads - 1) / kThreads;
    Launch(static_cast<int32_t>(blocks), kThreads, [&](const Block& block) {
      const int64_t begin = block.index() * kThreads;
      block.ForEach(std::min(kThreads, count - begin), [&](int64_t i) { action(begin + i); });
    });
  }

  template <typename Action>
  void Launch(int32_t blocks, int32_t /*threads*/, const Action& action) {
    std::vector<int32_t> order(blocks);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_);
    for (int32_t index : order) action(Block(index, blocks, &random_));
  }

 private:
  std::mt19937 random_;
  std::vector<std::unique_ptr<char[]>> memory_;
};

}  // namespace coref

#endif  // COREF_KERNELS_DEVICE_EMULATED_GRID_H_
