// Shared by all kernels: checks of their inputs, and TensorFlow's thread pool.

#ifndef COREF_KERNELS_SHARED_KERNEL_INPUTS_H_
#define COREF_KERNELS_SHARED_KERNEL_INPUTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spans/span_checks.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/overflow.h"

namespace coref {

// The devices of a kernel.
struct Cpu {};
struct Gpu {};

// A shape that need not be valid for a tensor: TensorShape would abort the process if the product
// is too large or a dimension is negative.
using Dimensions = std::vector<int64_t>;

inline std::string Describe(const Dimensions& dimensions) {
  std::string text;
  for (int64_t size : dimensions) text += (text.empty() ? "[" : ",") + std::to_string(size);
  return text.empty() ? "[]" : text + "]";
}

// Checks the rank, and that every dimension fits in an int32. Without this check, the dimensions of
// an empty tensor could overflow 64 bits when multiplied; products of two checked dimensions, or
// three times one, cannot.
inline tensorflow::Status CheckRank(const char* name, const tensorflow::Tensor& tensor, int rank) {
  if (tensor.dims() != rank) {
    return tensorflow::errors::InvalidArgument(name, " must have rank ", rank, ". Received: shape ",
                                               tensor.shape().DebugString());
  }
  for (int i = 0; i < rank; ++i) {
    if (tensor.dim_size(i) > INT32_MAX) {
      return tensorflow::errors::InvalidArgument(name, " must have dimensions of at most ",
                                                 INT32_MAX, ". Received: shape ",
                                                 tensor.shape().DebugString());
    }
  }
  return tensorflow::OkStatus();
}

inline tensorflow::Status CheckShape(const char* name, const tensorflow::Tensor& tensor,
                                     const Dimensions& expected) {
  bool same = tensor.dims() == static_cast<int>(expected.size());
  for (int i = 0; same && i < tensor.dims(); ++i) same = tensor.dim_size(i) == expected[i];
  if (same) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have shape ", Describe(expected),
                                             ". Received: shape ", tensor.shape().DebugString());
}

// Allocates an output of 4-byte numbers; `input` names the input that determines its size.
inline tensorflow::Status AllocateOutput(tensorflow::OpKernelContext* context, int index,
                                         const char* input, const Dimensions& dimensions,
                                         tensorflow::Tensor** output) {
  int64_t bytes = 4;
  for (int64_t size : dimensions) {
    // Zeros are skipped, because TensorShape multiplies the dimensions before them, too.
    if (size > 0 && bytes > 0) bytes = tensorflow::MultiplyWithoutOverflow(bytes, size);
  }
  if (bytes < 0) {
    return tensorflow::errors::InvalidArgument(
        input, " must be smaller. Received: what would make an output of shape ",
        Describe(dimensions));
  }
  return context->allocate_output(index, tensorflow::TensorShape(dimensions), output);
}

inline tensorflow::Status CheckLength(const char* name, const tensorflow::Tensor& tensor,
                                      const char* other_name, const tensorflow::Tensor& other) {
  if (tensor.NumElements() == other.NumElements()) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(name, " must have as many elements as ", other_name,
                                             ", ", other.NumElements(),
                                             ". Received: ", tensor.NumElements());
}

// Reads a scalar count; it is in host memory on every device.
inline tensorflow::Status ReadCount(const char* name, const tensorflow::Tensor& tensor,
                                    int32_t* count) {
  TF_RETURN_IF_ERROR(CheckRank(name, tensor, 0));
  *count = tensor.scalar<int32_t>()();
  if (*count >= 0) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(DescribeNegative(name, *count));
}

// TensorFlow's thread pool as the parallel_for of the algorithms.
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
