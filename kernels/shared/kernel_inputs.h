// What every kernel needs at its edge to TensorFlow: checks of its inputs, the thread pool.

#ifndef COREF_KERNELS_SHARED_KERNEL_INPUTS_H_
#define COREF_KERNELS_SHARED_KERNEL_INPUTS_H_

#include <cstdint>

#include "spans/span_checks.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/errors.h"

namespace coref {

// Where a kernel runs.
struct Cpu {};
struct Gpu {};

inline tensorflow::Status CheckRank(const char* name, const tensorflow::Tensor& tensor, int rank) {
  if (tensor.dims() == rank) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have rank ", rank, ". Received: shape ",
                                             tensor.shape().DebugString());
}

inline tensorflow::Status CheckShape(const char* name, const tensorflow::Tensor& tensor,
                                     const tensorflow::TensorShape& expected) {
  if (tensor.shape() == expected) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have shape ", expected.DebugString(),
                                             ". Received: shape ", tensor.shape().DebugString());
}

inline tensorflow::Status CheckLength(const char* name, const tensorflow::Tensor& tensor,
                                      const char* other_name, const tensorflow::Tensor& other) {
  if (tensor.NumElements() == other.NumElements()) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have as many elements as ", other_name,
                                             ", ", other.NumElements(),
                                             ". Received: ", tensor.NumElements());
}

// Indices are int32, so that there can't be more elements than those.
inline tensorflow::Status CheckIndexable(const char* name, int64_t count) {
  if (count <= INT32_MAX) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have at most ", INT32_MAX,
                                             " elements. Received: ", count);
}

// Reads a scalar that counts something; it lies in host memory on every device.
inline tensorflow::Status ReadCount(const char* name, const tensorflow::Tensor& tensor,
                                    int32_t* count) {
  TF_RETURN_IF_ERROR(CheckRank(name, tensor, 0));
  *count = tensor.scalar<int32_t>()();
  if (*count >= 0) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(DescribeNegative(name, *count));
}

// TensorFlow's own threads, as the algorithms' parallel_for.
class ThreadPool {
 public:
  explicit ThreadPool(tensorflow::OpKernelContext* context)
      : workers_(context->device()->tensorflow_cpu_worker_threads()->workers) {}

  template <typename Work>
  void operator()(int64_t count, int64_t cost, const Work& work) const {
    workers_->ParallelFor(count, cost, work);
  }

 private:
  tensorflow::thread::ThreadPool* workers_;
};

}  // namespace coref

#endif  // COREF_KERNELS_SHARED_KERNEL_INPUTS_H_
