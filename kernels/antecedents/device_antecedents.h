// The antecedents of each span on a GPU: one source for the real and the emulated grid.

#ifndef COREF_KERNELS_ANTECEDENTS_DEVICE_ANTECEDENTS_H_
#define COREF_KERNELS_ANTECEDENTS_DEVICE_ANTECEDENTS_H_

#include <algorithm>
#include <cstdint>

#include "antecedents/antecedents.h"
#include "device/device_algorithms.h"
#include "device/host_device.h"

namespace coref {

// Fills the rows of all spans, which are in device memory, with the nearest antecedents.
template <typename Grid>
void NearestAntecedentsOnDevice(Grid* grid, const AntecedentRows& rows) {
  grid->ForEach(static_cast<int64_t>(rows.num_rows) * rows.columns, [=] COREF_DEVICE(int64_t i) {
    const auto span = static_cast<int32_t>(i / rows.columns),
               place = static_cast<int32_t>(i % rows.columns);
    rows.antecedents[i] = NearestAntecedent(span, place, rows.columns);
  });
  grid->ForEach(rows.num_rows, [=] COREF_DEVICE(int64_t span) {
    rows.lengths[span] = NumAntecedents(static_cast<int32_t>(span), rows.columns);
  });
}

namespace device_antecedents {

constexpr int32_t kBuckets = 256;

// The scratch memory of a block that fills a row.
struct Scratch {
  uint64_t* keys;    // [PowerOfTwoAtLeast(columns)]
  int32_t* buckets;  // [kBuckets]
  uint64_t* found;   // [1] the leading bytes of the key to find
  int32_t* missing;  // [1] how many of the smallest keys remain to be found; then how many were
                     // gathered
};

// Returns the length-th smallest key of a row. It is found byte by byte: each step counts the keys
// that match the bytes found so far by their next byte.
template <typename Block>
COREF_DEVICE uint64_t SelectKey(const Block& block, const float* scores, int32_t span,
                                int32_t length, const Scratch& scratch) {
  block.Once([=] {
    *scratch.found = 0;
    *scratch.missing = length;
  });
  for (int shift = 56; shift >= 0; shift -= 8) {
    block.ForEach(kBuckets, [=](int64_t bucket) { scratch.buckets[bucket] = 0; });
    block.ForEach(span, [=](int64_t j) {
      const uint64_t key = AntecedentKey(scores[j], span, static_cast<int32_t>(j));
      const bool agrees = shift == 56 || key >> (shift + 8) == *scratch.found;
      if (agrees) AtomicAdd(&scratch.buckets[key >> shift & 0xff], 1);
    });
    block.Once([=] {
      int32_t bucket = 0;
      while (*scratch.missing > scratch.buckets[bucket])
        *scratch.missing -= scratch.buckets[bucket++];
      *scratch.found = *scratch.found << 8 | bucket;
    });
  }
  return *scratch.found;
}

// Writes the highest-scoring antecedents of a span: selects them, and sorts only those.
template <typename Block>
COREF_DEVICE void FillTopRow(const Block& block, const float* scores, int32_t span,
                             const AntecedentRows& rows, const Scratch& scratch) {
  const int32_t length = NumAntecedents(span, rows.columns);
  const uint64_t worst =
      length < span && length > 0 ? SelectKey(block, scores, span, length, scratch) : UINT64_MAX;
  block.Once([=] { *scratch.missing = 0; });
  const auto padded = static_cast<int32_t>(PowerOfTwoAtLeast(length));
  block.ForEach(length > 0 ? span : 0, [=](int64_t j) {
    const uint64_t key = AntecedentKey(scores[j], span, static_cast<int32_t>(j));
    if (key <= worst) scratch.keys[AtomicAdd(scratch.missing, 1)] = key;
  });
  block.ForEach(padded - length,
                [=](int64_t i) { scratch.keys[length + i] = Largest<uint64_t>(); });
  SortInBlock(block, scratch.keys, padded);
  block.ForEach(rows.columns, [=](int64_t place) {
    rows.row(span)[place] = place < length ? AntecedentOfKey(scratch.keys[place], span) : 0;
  });
  block.Once([=] { rows.length(span) = length; });
}

}  // namespace device_antecedents

// Fills the rows with the highest-scoring antecedents; scores [num_rows, num_spans] and rows are in
// device memory. Returns the position of the first NaN among the scores that count, or -1.
template <typename Grid>
int64_t TopAntecedentsOnDevice(Grid* grid, const float* scores, const AntecedentRows& rows) {
  using Block = typename Grid::Block;
  constexpr int64_t kMostBlocks = 1024, kMostKeys = 8 << 20;
  constexpr int32_t kThreads = 256;
  const int64_t keys_per_block = PowerOfTwoAtLeast(rows.columns), num_rows = rows.num_rows;
  const auto blocks = static_cast<int32_t>(
      std::min({num_rows, kMostBlocks, std::max<int64_t>(kMostKeys / keys_per_block, 1)}));
  auto* keys = grid->template Allocate<uint64_t>(blocks * keys_per_block);
  auto* buckets = grid->template Allocate<int32_t>(blocks * int64_t{device_antecedents::kBuckets});
  auto* found = grid->template Allocate<uint64_t>(blocks);
  auto* missing = grid->template Allocate<int32_t>(blocks);
  auto* first_nan = grid->template Allocate<unsigned long long>(1);
  grid->ForEach(1, [=] COREF_DEVICE(int64_t) { *first_nan = UINT64_MAX; });
  if (blocks > 0) {
    grid->Launch(blocks, kThreads, [=] COREF_DEVICE(const Block& block) {
      const int32_t b = block.index();
      const device_antecedents::Scratch scratch{keys + b * keys_per_block,
                                                buckets + b * device_antecedents::kBuckets,
                                                found + b, missing + b};
      for (int64_t row = b; row < num_rows; row += block.num_blocks()) {
        const int64_t offset = row * rows.num_spans();
        const auto span = static_cast<int32_t>(rows.first_span + row);
        block.ForEach(span, [=](int64_t j) {
          if (scores[offset + j] != scores[offset + j]) AtomicMin(first_nan, offset + j);
        });
        device_antecedents::FillTopRow(block, scores + offset, span, rows, scratch);
      }
    });
  }
  unsigned long long place;
  grid->Read(first_nan, 1, &place);
  return place == UINT64_MAX ? -1 : static_cast<int64_t>(place);
}

}  // namespace coref

#endif  // COREF_KERNELS_ANTECEDENTS_DEVICE_ANTECEDENTS_H_
