// The number of threads for the functions of coref_tf._native, and running work on them.

#ifndef COREF_KERNELS_BINDINGS_THREADS_H_
#define COREF_KERNELS_BINDINGS_THREADS_H_

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace coref {

// More than any machine has cores. With far more threads, the system would kill the process.
constexpr int kMostThreads = 1024;

inline int CheckedThreads(int threads) {
  if (threads >= 1 && threads <= kMostThreads) return threads;
  throw pybind11::value_error("threads must be at least 1 and at most " +
                              std::to_string(kMostThreads) +
                              ". Received: " + std::to_string(threads));
}

// Runs work on equal parts of [0, count), each in its own thread, as the parallel_for of the
// algorithms; it starts no thread without items, nor when the system has none left.
class Threads {
 public:
  explicit Threads(int threads) : threads_(CheckedThreads(threads)) {}

  template <typename Work>
  void operator()(int64_t count, int64_t /*cost*/, const Work& work) const {
    const int64_t parts = std::clamp<int64_t>(count, 1, threads_);
    const auto begin = [=](int64_t part) { return count * part / parts; };
    std::vector<std::thread> running;
    int64_t started = 1;
    try {
      for (; started < parts; ++started) {
        running.emplace_back(work, begin(started), begin(started + 1));
      }
    } catch (const std::system_error&) {
      work(begin(started), count);
    }
    work(0, begin(1));
    for (std::thread& thread : running) thread.join();
  }

 private:
  int64_t threads_;
};

}  // namespace coref

#endif  // COREF_KERNELS_BINDINGS_THREADS_H_
