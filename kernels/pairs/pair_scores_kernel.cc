#include "pairs/pair_scores_kernel.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "pairs/pair_gradients.h"
#include "pairs/pair_scores.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"

namespace coref {
namespace {

using tensorflow::OpInputList;
using tensorflow::OpKernelContext;
using tensorflow::OpOutputList;
using tensorflow::Status;
using tensorflow::Tensor;
using tensorflow::errors::InvalidArgument;

const float* Floats(const Tensor& tensor) { return tensor.flat<float>().data(); }
const int32_t* Integers(const Tensor& tensor) { return tensor.flat<int32_t>().data(); }

Status CheckRange(const std::string& name, const Tensor& tensor, int64_t limit) {
  for (int64_t i = 0; i < tensor.NumElements(); ++i) {
    const int32_t value = Integers(tensor)[i];
    if (value < 0 || value >= limit) {
      return InvalidArgument(name, " must be at least 0 and less than ", limit,
                             ". Received: ", value, " at ", i);
    }
  }
  return tensorflow::OkStatus();
}

}  // namespace

Status PairKernel::ReadRate(tensorflow::OpKernelConstruction* context, const char* name,
                            Dropout* dropout) {
  float rate;
  TF_RETURN_IF_ERROR(context->GetAttr(name, &rate));
  if (!(rate >= 0 && rate < 1)) {
    return InvalidArgument(name, " must be at least 0 and less than 1. Received: ", rate);
  }
  *dropout = DropoutOf(rate);
  return tensorflow::OkStatus();
}

Status PairKernel::Read(OpKernelContext* context, PairNetwork* network) const {
  TF_RETURN_IF_ERROR(ReadSpans(context, network));
  TF_RETURN_IF_ERROR(ReadFeatures(context, network));
  TF_RETURN_IF_ERROR(ReadLayers(context, network));
  const Tensor* seed;
  TF_RETURN_IF_ERROR(context->input("seed", &seed));
  TF_RETURN_IF_ERROR(CheckRank("seed", *seed, 1));
  if (seed->NumElements() > 0) TF_RETURN_IF_ERROR(CheckShape("seed", *seed, {2}));
  network->seed = seed->NumElements() > 0 ? Integers(*seed) : nullptr;
  network->feature_dropout = feature_dropout_;
  network->hidden_dropout = hidden_dropout_;
  return tensorflow::OkStatus();
}

Status PairKernel::ReadSpans(OpKernelContext* context, PairNetwork* network) const {
  const Tensor *kernel, *targets, *antecedents;
  TF_RETURN_IF_ERROR(context->input("product_kernel", &kernel));
  TF_RETURN_IF_ERROR(context->input("targets", &targets));
  TF_RETURN_IF_ERROR(context->input("antecedents", &antecedents));
  TF_RETURN_IF_ERROR(CheckRank("product_kernel", *kernel, 2));
  TF_RETURN_IF_ERROR(CheckRank("targets", *targets, 2));
  network->num_spans = static_cast<int32_t>(targets->dim_size(0));
  network->max_antecedents = max_antecedents_;
  network->units = kernel->dim_size(1);
  const Dimensions projected = {network->num_spans, network->units};
  TF_RETURN_IF_ERROR(CheckShape("targets", *targets, projected));
  TF_RETURN_IF_ERROR(CheckShape("antecedents", *antecedents, projected));
  network->product_kernel = Floats(*kernel);
  network->targets = Floats(*targets);
  network->antecedents = Floats(*antecedents);

  OpInputList values, rows;
  TF_RETURN_IF_ERROR(context->input_list("part_values", &values));
  TF_RETURN_IF_ERROR(context->input_list("part_rows", &rows));
  int64_t size = 0;
  for (int i = 0; i < values.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckRank("part_values", values[i], 2));
    TF_RETURN_IF_ERROR(CheckShape("part_rows", rows[i], {network->num_spans}));
    TF_RETURN_IF_ERROR(CheckRange("part_rows", rows[i], values[i].dim_size(0)));
    network->parts.push_back({Floats(values[i]), values[i].dim_size(1), Integers(rows[i])});
    size += values[i].dim_size(1);
  }
  return CheckShape("product_kernel", *kernel, {size, network->units});
}

Status PairKernel::ReadNumbers(OpKernelContext* context, PairNetwork* network) const {
  OpInputList numbers, kinds;
  TF_RETURN_IF_ERROR(context->input_list("numbers", &numbers));
  TF_RETURN_IF_ERROR(context->input_list("difference_kinds", &kinds));
  int64_t greatest_kind = 0;
  for (int i = 0; i < numbers.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckShape("numbers", numbers[i], {network->num_spans}));
    TF_RETURN_IF_ERROR(CheckRank("difference_kinds", kinds[i], 1));
    const int64_t count = kinds[i].NumElements();
    if (count == 0) {
      return InvalidArgument("difference_kinds must have 1 or more elements. Received: none at ",
                             i);
    }
    const int64_t limit = network->num_kinds - greatest_kind;
    TF_RETURN_IF_ERROR(CheckRange("difference_kinds", kinds[i], limit));
    greatest_kind += *std::max_element(Integers(kinds[i]), Integers(kinds[i]) + count);
    network->numbers.push_back({Integers(numbers[i]), Integers(kinds[i]), count - 1});
  }
  return tensorflow::OkStatus();
}

Status PairKernel::ReadFeatures(OpKernelContext* context, PairNetwork* network) const {
  const Tensor *features, *kernel;
  TF_RETURN_IF_ERROR(context->input("features", &features));
  TF_RETURN_IF_ERROR(context->input("feature_kernel", &kernel));
  TF_RETURN_IF_ERROR(CheckRank("features", *features, 2));
  TF_RETURN_IF_ERROR(CheckRank("feature_kernel", *kernel, 2));
  network->num_kinds = features->dim_size(0);
  network->feature_size = features->dim_size(1);
  network->features = Floats(*features);
  network->feature_kernel = nullptr;
  if (network->num_kinds == 0) return tensorflow::OkStatus();
  TF_RETURN_IF_ERROR(ReadNumbers(context, network));
  if (kernel->dim_size(0) == 0) {
    return CheckShape("features", *features, {network->num_kinds, network->units});
  }
  network->feature_kernel = Floats(*kernel);
  return CheckShape("feature_kernel", *kernel, {network->feature_size, network->units});
}

Status PairKernel::ReadLayers(OpKernelContext* context, PairNetwork* network) const {
  OpInputList hidden, output;
  TF_RETURN_IF_ERROR(context->input_list("hidden", &hidden));
  TF_RETURN_IF_ERROR(context->input_list("output", &output));
  const int64_t units = network->units;
  if (hidden.size() % 2 != 0 || (output.size() != 0 && output.size() != 2)) {
    return InvalidArgument("hidden and output must be kernels and biases by turns. Received: ",
                           hidden.size(), " and ", output.size(), " tensors");
  }
  if (output.size() == 0 && (hidden.size() > 0 || units != 1)) {
    return InvalidArgument("without output the first layer must have 1 unit and be the only one. ",
                           "Received: ", units, " units, ", hidden.size() / 2, " hidden layers");
  }
  for (int i = 0; i < hidden.size(); i += 2) {
    TF_RETURN_IF_ERROR(CheckShape("hidden", hidden[i], {units, units}));
    TF_RETURN_IF_ERROR(CheckShape("hidden", hidden[i + 1], {units}));
    network->hidden.push_back({Floats(hidden[i]), Floats(hidden[i + 1])});
  }
  network->output_kernel = network->output_bias = nullptr;
  if (output.size() == 0) return tensorflow::OkStatus();
  TF_RETURN_IF_ERROR(CheckShape("output", output[0], {units, 1}));
  TF_RETURN_IF_ERROR(CheckShape("output", output[1], {1}));
  network->output_kernel = Floats(output[0]);
  network->output_bias = Floats(output[1]);
  return tensorflow::OkStatus();
}

namespace {

class PairScoresOp : public PairKernel {
 public:
  explicit PairScoresOp(tensorflow::OpKernelConstruction* context) : PairKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("keep_bytes", &keep_bytes_));
  }

  void Compute(OpKernelContext* context) override {
    PairNetwork network;
    OP_REQUIRES_OK(context, Read(context, &network));
    Tensor *scores, *kept;
    const int64_t columns = network.Columns(), units = network.units;
    OP_REQUIRES_OK(context,
                   AllocateOutput(context, 0, "targets", {network.num_spans, columns}, &scores));
    // Divides twice, because the product of the divisors may overflow 64 bits.
    const int64_t room = columns * units == 0 ? 0 : keep_bytes_ / (columns * units) / kFloatBytes;
    const int64_t num_kept = std::min<int64_t>(network.num_spans, room);
    OP_REQUIRES_OK(context,
                   AllocateOutput(context, 1, "targets", {num_kept, columns, units}, &kept));
    if (columns == 0) return;  // no pairs
    ScorePairs(network, LoopsOfThisProcessor(), ThreadPool(context), scores->flat<float>().data(),
               {kept->flat<float>().data(), static_cast<int32_t>(num_kept)});
  }

 private:
  static constexpr int64_t kFloatBytes = sizeof(float);

  int64_t keep_bytes_;
};

class PairScoresGradientsOp : public PairKernel {
 public:
  using PairKernel::PairKernel;

  void Compute(OpKernelContext* context) override {
    PairNetwork network;
    OP_REQUIRES_OK(context, Read(context, &network));
    const Tensor* upstream;
    OP_REQUIRES_OK(context, context->input("upstream", &upstream));
    OP_REQUIRES_OK(context,
                   CheckShape("upstream", *upstream, {network.num_spans, network.Columns()}));
    const Tensor* kept;
    OP_REQUIRES_OK(context, context->input("kept", &kept));
    OP_REQUIRES_OK(context, CheckRank("kept", *kept, 3));
    const auto num_kept =
        static_cast<int32_t>(kept->dim_size(0));  // fits, because rank 3 is checked
    OP_REQUIRES_OK(context, CheckShape("kept", *kept,
                                       {std::min(num_kept, network.num_spans), network.Columns(),
                                        network.units}));
    PairGradients gradients;
    OP_REQUIRES_OK(context, Allocate(context, &gradients));
    if (network.Columns() == 0) return;  // no pairs
    const ThreadPool threads(context);
    PairBackward<ThreadPool>(network, gradients, LoopsOfThisProcessor(), threads)
        .Run(Floats(*upstream), {Floats(*kept), num_kept});
  }

 private:
  // Allocates an output of zeros with the shape of an input, for its gradient.
  static Status Zeros(OpKernelContext* context, const std::string& name,
                      std::vector<float*>* zeros) {
    OpInputList values;
    OpOutputList gradients;
    TF_RETURN_IF_ERROR(context->input_list(name, &values));
    TF_RETURN_IF_ERROR(context->output_list(name + "_gradients", &gradients));
    for (int i = 0; i < values.size(); ++i) {
      Tensor* gradient;
      TF_RETURN_IF_ERROR(gradients.allocate(i, values[i].shape(), &gradient));
      zeros->push_back(gradient->flat<float>().data());
      std::fill_n(zeros->back(), gradient->NumElements(), 0.0f);
    }
    return tensorflow::OkStatus();
  }

  static Status Allocate(OpKernelContext* context, PairGradients* gradients) {
    TF_RETURN_IF_ERROR(Zeros(context, "part_values", &gradients->parts));
    std::vector<float*> single, hidden, output;
    for (const char* name :
         {"product_kernel", "targets", "antecedents", "features", "feature_kernel"}) {
      TF_RETURN_IF_ERROR(Zeros(context, name, &single));
    }
    gradients->product_kernel = single[0];
    gradients->targets = single[1];
    gradients->antecedents = single[2];
    gradients->features = single[3];
    gradients->feature_kernel = single[4];
    TF_RETURN_IF_ERROR(Zeros(context, "hidden", &hidden));
    for (size_t i = 0; i < hidden.size(); i += 2) {
      gradients->hidden_kernels.push_back(hidden[i]);
      gradients->hidden_biases.push_back(hidden[i + 1]);
    }
    TF_RETURN_IF_ERROR(Zeros(context, "output", &output));
    gradients->output_kernel = output.empty() ? nullptr : output[0];
    gradients->output_bias = output.empty() ? nullptr : output[1];
    return tensorflow::OkStatus();
  }
};

REGISTER_KERNEL_BUILDER(Name("Coref>PairScores").Device(tensorflow::DEVICE_CPU), PairScoresOp);
REGISTER_KERNEL_BUILDER(Name("Coref>PairScoresGradients").Device(tensorflow::DEVICE_CPU),
                        PairScoresGradientsOp);

}  // namespace
}  // namespace coref
