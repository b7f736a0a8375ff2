// The gradients of the LSTM: see sentence_lstm.h. Groups of sentences run in parallel; every sum is
// computed by one thread in a fixed order.

#ifndef COREF_KERNELS_LSTM_SENTENCE_LSTM_GRADIENTS_H_
#define COREF_KERNELS_LSTM_SENTENCE_LSTM_GRADIENTS_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "lstm/sentence_lstm.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// The gradients, with the same shapes as the values.
struct LSTMGradients {
  float* projected;
  float* recurrent_kernel;
  float* initial_c;
  float* initial_h;
};

template <typename ParallelFor>
class SentenceLSTMBackward {
 public:
  SentenceLSTMBackward(const SentenceLSTM& lstm, const LSTMStates<const float>& states,
                       const VectorLoops& loops, const ParallelFor& parallel_for)
      : lstm_(lstm), states_(states), loops_(loops), parallel_for_(parallel_for) {
    if (lstm.units == 0) return;  // for any number of directions
    for (int64_t direction = 0; direction < lstm.num_directions; ++direction) {
      const float* kernel = lstm.recurrent_kernel + direction * lstm.units * size();
      const auto transposed = Transposed(kernel, lstm.units, size());
      kernels_.emplace_back(loops, RowPointers(transposed.data(), size(), lstm.units), lstm.units);
    }
  }

  // `upstream` holds the gradients of h, [words, directions, units].
  void Run(const float* upstream, const LSTMGradients& gradients) {
    if (lstm_.units == 0) return;
    const int64_t num_states = lstm_.num_directions * lstm_.num_sentences;
    std::vector<float> h(num_states * lstm_.units), c(num_states * lstm_.units);
    const auto groups = SentenceGroups(lstm_);
    parallel_for_(groups.size(), 2 * kGroupCost, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Read(groups[i], upstream, gradients.projected, h.data(), c.data());
      }
    });
    AddSentences(h.data(), gradients.initial_h);
    AddSentences(c.data(), gradients.initial_c);
    Kernels(gradients);
  }

 private:
  int64_t size() const { return 3 * lstm_.units; }

  // Backpropagates through the words of a group. `h` and `c`, [directions, sentences, units], are
  // zero initially, and receive the gradients of the initial states.
  void Read(const SentenceGroup& group, const float* upstream, float* projected, float* h,
            float* c) const {
    const int64_t units = lstm_.units, direction = group.direction;
    std::vector<float> room((group.last - group.first) * units);
    const auto masked = RowPointers(room.data(), group.last - group.first, units);
    std::vector<const float*> gates(group.last - group.first);
    for (int64_t step = lstm_.num_steps(); step-- > 0;) {
      const int64_t last = lstm_.Running(step, group.last);
      if (last <= group.first) continue;
      for (int64_t s = group.first; s < last; ++s) {
        const int64_t row = lstm_.Row(step, s, direction);
        const int64_t state = (direction * lstm_.num_sentences + s) * units;
        loops_.add(units, upstream + row * units, h + state);
        loops_.lstm_step_gradient(
            units, states_.gates + row * size(), PreviousC(lstm_, states_.c, step, s, direction),
            states_.c + row * units, h + state, c + state, projected + row * size());
        gates[s - group.first] = projected + row * size();
      }
      kernels_[direction].Multiply(gates.data(), last - group.first, masked.data(), false);
      for (int64_t s = group.first; s < last; ++s) {
        const int64_t state = (direction * lstm_.num_sentences + s) * units;
        loops_.multiply_elements(units, masked[s - group.first], lstm_.Mask(direction, s),
                                 h + state);
      }
    }
  }

  // Sums over all sentences.
  void AddSentences(const float* states, float* sums) const {
    std::fill_n(sums, lstm_.num_directions * lstm_.units, 0.0f);
    for (int64_t direction = 0; direction < lstm_.num_directions; ++direction) {
      for (int64_t s = 0; s < lstm_.num_sentences; ++s, states += lstm_.units) {
        loops_.add(lstm_.units, states, sums + direction * lstm_.units);
      }
    }
  }

  // Computes the gradients of the recurrent kernels: (h_previous * mask)^T times the gradients of
  // the gates, some words at a time.
  void Kernels(const LSTMGradients& gradients) const {
    const int64_t units = lstm_.units, directions = lstm_.num_directions;
    std::fill_n(gradients.recurrent_kernel, directions * units * size(), 0.0f);
    std::vector<float> room(kWordsPerProduct * directions * units);
    std::vector<std::pair<int64_t, int64_t>> tasks;
    for (int64_t direction = 0; direction < directions; ++direction) {
      for (int64_t column = 0; column < size(); column += loops_.panel_columns) {
        tasks.emplace_back(direction, column);
      }
    }
    int64_t step = 0;
    for (int64_t first = 0; first < lstm_.num_words(); first += kWordsPerProduct) {
      const int64_t count = std::min(kWordsPerProduct, lstm_.num_words() - first);
      for (int64_t word = first; word < first + count; ++word) {
        while (word >= lstm_.step_words[step + 1]) ++step;
        MaskWord(step, word, room.data() + (word - first) * directions * units);
      }
      parallel_for_(tasks.size(), kTaskCost, [&](int64_t begin, int64_t end) {
        std::vector<float> panel(count * loops_.panel_columns);
        for (int64_t i = begin; i < end; ++i) {
          KernelPanel(tasks[i].first, tasks[i].second, first, count, room.data(), panel.data(),
                      gradients);
        }
      });
    }
  }

  // Computes h_previous * mask of a word in both directions.
  void MaskWord(int64_t step, int64_t word, float* masked) const {
    const int64_t s = word - lstm_.step_words[step];
    for (int64_t direction = 0; direction < lstm_.num_directions; ++direction) {
      MaskPrevious(lstm_, loops_, states_.h, {direction, s, s + 1}, step, &masked);
      masked += lstm_.units;
    }
  }

  void KernelPanel(int64_t direction, int64_t column, int64_t first, int64_t count,
                   const float* masked, float* panel, const LSTMGradients& gradients) const {
    const int64_t units = lstm_.units, directions = lstm_.num_directions;
    const int64_t width = std::min(loops_.panel_columns, size() - column);
    const auto inputs = RowPointers(masked + direction * units, count, directions * units);
    const auto outputs =
        RowPointers<const float>(gradients.projected + (first * directions + direction) * size(),
                                 count, directions * size());
    loops_.pack(outputs.data(), count, column, width, panel);
    const auto kernel =
        RowPointers(gradients.recurrent_kernel + direction * units * size(), units, size());
    loops_.multiply_transposed(
        {inputs.data(), 0, units, count, panel, width, kernel.data(), column, true});
  }

  static constexpr int64_t kWordsPerProduct = 1024;
  static constexpr int64_t kTaskCost = 1'000'000;  // approximate cycles

  const SentenceLSTM& lstm_;
  const LSTMStates<const float>& states_;
  const VectorLoops& loops_;
  const ParallelFor& parallel_for_;
  std::vector<PackedMatrix> kernels_;  // transposed, one per direction
};

}  // namespace coref

#endif  // COREF_KERNELS_LSTM_SENTENCE_LSTM_GRADIENTS_H_
