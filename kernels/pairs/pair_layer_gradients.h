// The gradients of the layers of one target's pairs: see pair_scores.h.

#ifndef COREF_KERNELS_PAIRS_PAIR_LAYER_GRADIENTS_H_
#define COREF_KERNELS_PAIRS_PAIR_LAYER_GRADIENTS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pairs/pair_network.h"
#include "pairs/pair_scores.h"
#include "shared/packed_matrix.h"
#include "shared/vector_loops.h"

namespace coref {

// The gradients, with the same shapes as the values; all are zero initially.
struct PairGradients {
  std::vector<float*> parts;
  float* product_kernel;
  float* targets;
  float* antecedents;
  float* features;
  float* feature_kernel;
  std::vector<float*> hidden_kernels;
  std::vector<float*> hidden_biases;
  float* output_kernel;
  float* output_bias;
};

// The contributions of one target to the gradients of the layers' weights.
class LayerGradients {
 public:
  explicit LayerGradients(const PairNetwork& network) {
    const int64_t units = network.units;
    sizes_ = {network.num_kinds * network.feature_size,
              network.feature_kernel == nullptr ? 0 : network.feature_size * units};
    for (size_t layer = 0; layer < network.hidden.size(); ++layer) {
      sizes_.insert(sizes_.end(), {units * units, units});
    }
    if (network.output_kernel != nullptr) sizes_.insert(sizes_.end(), {units, 1});
    int64_t size = 0;
    for (int64_t part : sizes_) size += part;
    values_.resize(size);
  }

  void Clear() { std::fill(values_.begin(), values_.end(), 0.0f); }

  float* features() { return At(0); }
  float* feature_kernel() { return At(1); }
  float* hidden_kernel(size_t layer) { return At(2 + 2 * layer); }
  float* hidden_bias(size_t layer) { return At(3 + 2 * layer); }
  float* output_kernel() { return At(sizes_.size() - 2); }
  float* output_bias() { return At(sizes_.size() - 1); }

  // Adds all of them to `gradients`.
  void AddTo(const PairGradients& gradients, const VectorLoops& loops) {
    std::vector<float*> sums = {gradients.features, gradients.feature_kernel};
    for (size_t layer = 0; layer < gradients.hidden_kernels.size(); ++layer) {
      sums.insert(sums.end(), {gradients.hidden_kernels[layer], gradients.hidden_biases[layer]});
    }
    sums.insert(sums.end(), {gradients.output_kernel, gradients.output_bias});
    for (size_t i = 0; i < sizes_.size(); ++i) loops.add(sizes_[i], At(i), sums[i]);
  }

 private:
  float* At(size_t i) {
    float* at = values_.data();
    for (size_t before = 0; before < i; ++before) at += sizes_[before];
    return at;
  }

  std::vector<int64_t> sizes_;
  std::vector<float> values_;
};

// Backpropagates from the gradients of a target's scores to the input of its first layer.
class PairLayersBackward {
 public:
  PairLayersBackward(const PairNetwork& network, const VectorLoops& loops)
      : network_(network), loops_(loops) {
    const int64_t units = network.units;
    if (network.feature_kernel != nullptr) {
      const auto transposed = Transposed(network.feature_kernel, network.feature_size, units);
      feature_kernel_ = std::make_unique<PackedMatrix>(
          loops, RowPointers(transposed.data(), units, network.feature_size), network.feature_size);
    }
    for (const HiddenLayer& layer : network.hidden) {
      const auto transposed = Transposed(layer.kernel, units, units);
      kernels_.emplace_back(loops, RowPointers(transposed.data(), units, units), units);
    }
  }

  // `upstream` holds the gradients of the target's scores; `first_layer` receives those of the
  // first layer's input, one row per antecedent.
  void Run(const PairLayers& layers, const PairLayers::Outputs& outputs, int32_t target,
           const float* upstream, const std::vector<float*>& first_layer,
           LayerGradients* sums) const {
    const int64_t count = network_.Count(target), units = network_.units;
    Scratch room;
    std::vector<float*> above = RowPointers(room.Floats(count * units), count, units);
    if (network_.output_kernel == nullptr) {
      for (int64_t row = 0; row < count; ++row) first_layer[row][0] = upstream[row];
    } else {
      const size_t num_hidden = network_.hidden.size();
      Output(outputs.rows[num_hidden], upstream, num_hidden == 0 ? first_layer : above, sums);
      Scratch other_room;
      std::vector<float*> below = RowPointers(other_room.Floats(count * units), count, units);
      for (size_t layer = num_hidden; layer-- > 0;) {
        const auto& to = layer == 0 ? first_layer : below;
        Hidden(layer, outputs.rows[layer], above, to, sums);
        std::swap(above, below);
      }
    }
    Features(layers, outputs, target, first_layer, sums);
  }

 private:
  void Output(const std::vector<const float*>& outputs, const float* upstream,
              const std::vector<float*>& gradients, LayerGradients* sums) const {
    const int64_t units = network_.units;
    for (size_t row = 0; row < outputs.size(); ++row) {
      loops_.add_scaled(units, upstream[row], outputs[row], sums->output_kernel());
      sums->output_bias()[0] += upstream[row];
      std::fill_n(gradients[row], units, 0.0f);
      loops_.add_scaled(units, upstream[row], network_.output_kernel, gradients[row]);
      loops_.pass_gradient(units, Scale(), outputs[row], gradients[row]);
    }
  }

  // Backpropagates through hidden layer `layer`, whose inputs are the outputs of the previous one.
  void Hidden(size_t layer, const std::vector<const float*>& inputs,
              const std::vector<float*>& above, const std::vector<float*>& below,
              LayerGradients* sums) const {
    const int64_t units = network_.units, count = inputs.size();
    for (float* row : above) loops_.add(units, row, sums->hidden_bias(layer));
    const PackedMatrix packed(loops_, {above.begin(), above.end()}, units);
    const auto kernel = RowPointers(sums->hidden_kernel(layer), units, units);
    packed.MultiplyTransposed(inputs.data(), units, kernel.data(), true);
    kernels_[layer].Multiply(above.data(), count, below.data(), false);
    for (int64_t row = 0; row < count; ++row) {
      loops_.pass_gradient(units, Scale(), inputs[row], below[row]);
    }
  }

  void Features(const PairLayers& layers, const PairLayers::Outputs& outputs, int32_t target,
                const std::vector<float*>& gradients, LayerGradients* sums) const {
    if (network_.num_kinds == 0) return;
    const int64_t count = gradients.size(), units = network_.units, size = network_.feature_size;
    Scratch room;
    std::vector<float*> phi = gradients;
    if (feature_kernel_ != nullptr) {
      const PackedMatrix packed(loops_, {gradients.begin(), gradients.end()}, units);
      const auto kernel = RowPointers(sums->feature_kernel(), size, units);
      packed.MultiplyTransposed(outputs.phi.data(), size, kernel.data(), true);
      phi = RowPointers(room.Floats(count * size), count, size);
      feature_kernel_->Multiply(gradients.data(), count, phi.data(), false);
    }
    int32_t antecedent = network_.First(target);
    for (float* row : phi) {
      if (feature_kernel_ != nullptr) layers.DropFeatures(target, antecedent, row);
      loops_.add(size, row, sums->features() + network_.Kind(target, antecedent) * size);
      ++antecedent;
    }
  }

  float Scale() const { return network_.seed == nullptr ? 1.0f : network_.hidden_dropout.scale; }

  const PairNetwork& network_;
  const VectorLoops& loops_;
  std::unique_ptr<PackedMatrix> feature_kernel_;
  std::vector<PackedMatrix> kernels_;
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_LAYER_GRADIENTS_H_
