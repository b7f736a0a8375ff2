// A grid of blocks of threads on a GPU, on TensorFlow's stream; emulated_grid.h documents the
// interface.

#ifndef COREF_KERNELS_DEVICE_CUDA_GRID_H_
#define COREF_KERNELS_DEVICE_CUDA_GRID_H_

#ifndef EIGEN_USE_GPU
#error "define EIGEN_USE_GPU before including any header of TensorFlow"
#endif

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "device/host_device.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"

namespace coref {

class CudaBlock {
 public:
  COREF_DEVICE int32_t index() const { return blockIdx.x; }
  COREF_DEVICE int32_t num_blocks() const { return gridDim.x; }

  template <typename Action>
  COREF_DEVICE void ForEach(int64_t count, const Action& action) const {
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) action(i);
    __syncthreads();
  }

  template <typename Predicate>
  COREF_DEVICE bool AnyOf(int64_t count, const Predicate& predicate) const {
    bool any = false;
    for (int64_t i = threadIdx.x; i < count; i += blockDim.x) any |= predicate(i);
    return __syncthreads_or(any);
  }

  template <typename Action>
  COREF_DEVICE void Once(const Action& action) const {
    if (threadIdx.x == 0) action();
    __syncthreads();
  }
};

template <typename Action>
__global__ void RunForEach(int64_t count, Action action) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    action(i);
  }
}

template <typename Action>
__global__ void RunBlocks(Action action) {
  action(CudaBlock());
}

// After a failure, all further calls do nothing, and status() returns the error.
class CudaGrid {
 public:
  using Block = CudaBlock;

  explicit CudaGrid(tensorflow::OpKernelContext* context)
      : context_(context), stream_(context->eigen_gpu_device().stream()) {}

  template <typename T>
  T* Allocate(int64_t count) {
    memory_.emplace_back();
    const auto bytes = static_cast<int64_t>(std::max<int64_t>(count, 1) * sizeof(T));
    status_.Update(context_->allocate_temp(tensorflow::DT_UINT8, tensorflow::TensorShape({bytes}),
                                           &memory_.back()));
    return status_.ok() ? reinterpret_cast<T*>(memory_.back().flat<uint8_t>().data()) : nullptr;
  }

  template <typename T>
  void Read(const T* values, int64_t count, T* to) {
    std::fill(to, to + count, T());
    if (!status_.ok()) return;
    Note(cudaMemcpyAsync(to, values, count * sizeof(T), cudaMemcpyDeviceToHost, stream_));
    Note(cudaStreamSynchronize(stream_));
  }

  template <typename Action>
  void ForEach(int64_t count, const Action& action) {
    constexpr int64_t kThreads = 256, kMostBlocks = 1 << 20;
    if (!status_.ok() || count == 0) return;
    const int64_t blocks = std::min((count + kThreads - 1) / kThreads, kMostBlocks);
    RunForEach<<<static_cast<uint32_t>(blocks), kThreads, 0, stream_>>>(count, action);
    Note(cudaGetLastError());
  }

  template <typename Action>
  void Launch(int32_t blocks, int32_t threads, const Action& action) {
    if (!status_.ok() || blocks == 0) return;
    RunBlocks<<<blocks, threads, 0, stream_>>>(action);
    Note(cudaGetLastError());
  }

  const tensorflow::Status& status() const { return status_; }

 private:
  void Note(cudaError_t error) {
    if (error != cudaSuccess) {
      status_.Update(tensorflow::errors::Internal("CUDA failed: ", cudaGetErrorString(error)));
    }
  }

  tensorflow::OpKernelContext* context_;
  cudaStream_t stream_;
  tensorflow::Status status_;
  std::deque<tensorflow::Tensor> memory_;
};

}  // namespace coref

#endif  // COREF_KERNELS_DEVICE_CUDA_GRID_H_
