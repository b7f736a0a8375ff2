// Dropout masks that depend only on a seed and on what they are applied to, so that they can be
// recomputed in any order and elsewhere: coref_tf/layers/dropout.py computes the same masks.

#ifndef COREF_KERNELS_SHARED_DROPOUT_H_
#define COREF_KERNELS_SHARED_DROPOUT_H_

#include <cstdint>

namespace coref {

// 2^32 divided by the golden ratio; its multiples are spread evenly.
constexpr uint32_t kGoldenRatio = 0x9e3779b9u;

// Every bit of the result depends on every bit of the argument; distinct arguments have distinct
// results.
inline __attribute__((always_inline)) uint32_t MixBits(uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}

// The key of pair (target, antecedent) for one use of dropout. Element n of the pair is kept if
// MixBits(key + n * kGoldenRatio) is at least the threshold.
inline uint32_t PairKey(const int32_t seed[2], uint32_t use, uint32_t target, uint32_t antecedent) {
  uint32_t key = MixBits(static_cast<uint32_t>(seed[0]) + kGoldenRatio * use);
  key = MixBits(key ^ static_cast<uint32_t>(seed[1]));
  key = MixBits(key ^ target);
  return MixBits(key ^ antecedent);
}

struct Dropout {
  uint32_t threshold;  // the fraction of 2^32 that is dropped
  float scale;         // the factor of kept values
};

inline Dropout DropoutOf(float rate) {
  return {static_cast<uint32_t>(static_cast<double>(rate) * 4294967296.0), 1.0f / (1.0f - rate)};
}

}  // namespace coref

#endif  // COREF_KERNELS_SHARED_DROPOUT_H_
