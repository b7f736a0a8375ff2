// The threads and instruction sets with which parallel loops are tested.

#ifndef COREF_TESTS_KERNELS_TEST_THREADS_H_
#define COREF_TESTS_KERNELS_TEST_THREADS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "shared/vector_loops.h"

// A parallel_for that runs the given number of threads.
inline auto Threads(int64_t threads) {
  return [threads](int64_t count, int64_t, const auto& work) {
    std::vector<std::thread> running;
    for (int64_t i = 0; i < threads; ++i) {
      running.emplace_back([&work, begin = count * i / threads, end = count * (i + 1) / threads] {
        work(begin, end);
      });
    }
    for (std::thread& thread : running) thread.join();
  };
}

// The loops for every instruction set that this processor supports.
inline std::vector<const coref::VectorLoops*> AllLoops() {
  std::vector<const coref::VectorLoops*> loops = {&coref::baseline::kLoops};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) loops.push_back(&coref::avx2::kLoops);
  if (__builtin_cpu_supports("avx512f")) loops.push_back(&coref::avx512::kLoops);
#endif
  return loops;
}

// Calls `test` with a Case, loops, and the number of the case, for random cases, as many as the
// program's argument says, and for every instruction set.
template <typename Case, typename Test>
void TestCases(int argc, char** argv, const Test& test) {
  const uint32_t cases = argc > 1 ? std::atoi(argv[1]) : 100;
  for (uint32_t number = 0; number < cases; ++number) {
    for (const coref::VectorLoops* loops : AllLoops()) {
      Case c(number);
      test(&c, *loops, number);
    }
  }
  std::printf("%u cases passed\n", cases);
}

#endif  // COREF_TESTS_KERNELS_TEST_THREADS_H_
