// Lets one source compile for the CPU and, with nvcc, for the GPU.

#ifndef COREF_KERNELS_DEVICE_HOST_DEVICE_H_
#define COREF_KERNELS_DEVICE_HOST_DEVICE_H_

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define COREF_HOST_DEVICE __host__ __device__
#define COREF_DEVICE __device__
#else
#define COREF_HOST_DEVICE
#define COREF_DEVICE
#endif

namespace coref {

// Returns a key that is smaller for a better score; equal scores, and both zeros, have equal keys.
// Undefined for NaN.
COREF_HOST_DEVICE inline uint32_t DescendingKey(float score) {
  const float value = score + 0.0f;  // -0 + 0 is 0
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  constexpr uint32_t kSign = 0x80000000u;
  return (bits & kSign) ? bits : ~(bits | kSign);
}

}  // namespace coref

#endif  // COREF_KERNELS_DEVICE_HOST_DEVICE_H_
