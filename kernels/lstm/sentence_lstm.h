// The LSTM of the paper, with coupled input and forget gates, over many sentences in both
// directions:
//
//     [f, c~, o] = x + (h_previous * mask) U          x: the input of the words, W x + b
//     c = f * c~ + (1 - f) * c_previous,   h = o * tanh(c)         after sigmoid, tanh, sigmoid
//
// Sentences are independent, so groups of them run in parallel, each direction separately.

#ifndef COREF_KERNELS_LSTM_SENTENCE_LSTM_H_
#define COREF_KERNELS_LSTM_SENTENCE_LSTM_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// Words are in packed order: the first words of all sentences, longest sentence first, then all
// second words, and so on, each direction in its own order.
struct SentenceLSTM {
  int64_t num_sentences;
  int64_t num_directions;
  int64_t units;
  std::vector<int64_t>
      step_words;          // [steps + 1] the first word of each step, then the number of words
  const float* projected;  // [words, directions, 3 * units], x
  const float* recurrent_kernel;  // [directions, units, 3 * units], U
  const float* initial_c;         // [directions, units]
  const float* initial_h;         // [directions, units]
  const float* mask;              // [directions, sentences, units]

  int64_t num_steps() const { return static_cast<int64_t>(step_words.size()) - 1; }
  int64_t num_words() const { return step_words.back(); }
  // Returns how many of the sentences before `last` have a word at a step.
  int64_t Running(int64_t step, int64_t last) const {
    return std::min(last, step_words[step + 1] - step_words[step]);
  }
  // Returns the row in [words, directions] of a sentence's word at a step.
  int64_t Row(int64_t step, int64_t sentence, int64_t direction) const {
    return (step_words[step] + sentence) * num_directions + direction;
  }
  const float* Mask(int64_t direction, int64_t sentence) const {
    return mask + (direction * num_sentences + sentence) * units;
  }
};

// The states after each word: [words, directions, ...] each.
template <typename Float>
struct LSTMStates {
  Float* h;      // [units]
  Float* c;      // [units]
  Float* gates;  // [3 * units], f, c~ and o
};

// A group of sentences in one direction.
struct SentenceGroup {
  int64_t direction, first, last;
};

// How many sentences run together: small groups make the products inefficient, large ones leave
// threads idle.
constexpr int64_t kSentencesPerGroup = 24;

inline std::vector<SentenceGroup> SentenceGroups(const SentenceLSTM& lstm) {
  std::vector<SentenceGroup> groups;
  for (int64_t first = 0; first < lstm.num_sentences; first += kSentencesPerGroup) {
    const int64_t last = std::min(first + kSentencesPerGroup, lstm.num_sentences);
    for (int64_t direction = 0; direction < lstm.num_directions; ++direction) {
      groups.push_back({direction, first, last});
    }
  }
  return groups;
}

constexpr int64_t kGroupCost = 10'000'000;  // approximate cycles

// Computes h * mask of the previous word, for each word of a step of a group.
inline void MaskPrevious(const SentenceLSTM& lstm, const VectorLoops& loops, const float* h,
                         const SentenceGroup& group, int64_t step, float* const* masked) {
  for (int64_t s = group.first; s < lstm.Running(step, group.last); ++s) {
    const float* previous = step == 0 ? lstm.initial_h + group.direction * lstm.units
                                      : h + lstm.Row(step - 1, s, group.direction) * lstm.units;
    loops.multiply_elements(lstm.units, previous, lstm.Mask(group.direction, s),
                            masked[s - group.first]);
  }
}

inline const float* PreviousC(const SentenceLSTM& lstm, const float* c, int64_t step,
                              int64_t sentence, int64_t direction) {
  return step == 0 ? lstm.initial_c + direction * lstm.units
                   : c + lstm.Row(step - 1, sentence, direction) * lstm.units;
}

// Runs the LSTM over all sentences.
template <typename ParallelFor>
void RunSentenceLSTM(const SentenceLSTM& lstm, const VectorLoops& loops,
                     const ParallelFor& parallel_for, const LSTMStates<float>& states) {
  if (lstm.num_words() == 0 || lstm.units == 0) return;  // for any number of directions
  const int64_t units = lstm.units, size = 3 * units;
  std::vector<PackedMatrix> kernels;
  for (int64_t direction = 0; direction < lstm.num_directions; ++direction) {
    const float* kernel = lstm.recurrent_kernel + direction * units * size;
    kernels.emplace_back(loops, RowPointers(kernel, units, size), size);
  }
  const auto read_group = [&](const SentenceGroup& group) {
    const int64_t most = group.last - group.first;
    std::vector<float> room(most * units);
    const auto masked = RowPointers(room.data(), most, units);
    std::vector<float*> gates(most);
    for (int64_t step = 0; step < lstm.num_steps(); ++step) {
      const int64_t last = lstm.Running(step, group.last);
      if (last <= group.first) break;
      MaskPrevious(lstm, loops, states.h, group, step, masked.data());
      for (int64_t s = group.first; s < last; ++s) {
        const int64_t row = lstm.Row(step, s, group.direction);
        gates[s - group.first] = states.gates + row * size;
        std::copy_n(lstm.projected + row * size, size, gates[s - group.first]);
      }
      kernels[group.direction].Multiply(masked.data(), last - group.first, gates.data(), true);
      for (int64_t s = group.first; s < last; ++s) {
        const int64_t row = lstm.Row(step, s, group.direction);
        loops.lstm_step(units, gates[s - group.first],
                        PreviousC(lstm, states.c, step, s, group.direction), states.c + row * units,
                        states.h + row * units);
      }
    }
  };
  const auto groups = SentenceGroups(lstm);
  parallel_for(groups.size(), kGroupCost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) read_group(groups[i]);
  });
}

}  // namespace coref

#endif  // COREF_KERNELS_LSTM_SENTENCE_LSTM_H_
