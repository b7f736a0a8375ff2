#include <cstdint>
#include <string>

#include "lstm/sentence_lstm.h"
#include "lstm/sentence_lstm_gradients.h"
#include "shared/kernel_inputs.h"
#include "shared/vector_loops.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/platform/errors.h"

namespace coref {
namespace {

using tensorflow::OpKernelContext;
using tensorflow::Status;
using tensorflow::Tensor;
using tensorflow::TensorShape;
using tensorflow::errors::InvalidArgument;

const float* Floats(const Tensor& tensor) { return tensor.flat<float>().data(); }
float* Floats(Tensor* tensor) { return tensor->flat<float>().data(); }

// Sums the numbers of running sentences.
Status ReadSteps(const Tensor& running, SentenceLSTM* lstm) {
  TF_RETURN_IF_ERROR(CheckRank("running", running, 1));
  int64_t before = lstm->num_sentences;
  lstm->step_words = {0};
  for (int64_t step = 0; step < running.NumElements(); ++step) {
    const int64_t count = running.flat<int32_t>()(step);
    if (count < 1 || count > before || (step == 0 && count != before)) {
      return InvalidArgument("running must begin with ", lstm->num_sentences,
                             " sentences, be positive and never grow. Received: running[", step,
                             "] = ", count);
    }
    before = count;
    lstm->step_words.push_back(lstm->step_words.back() + count);
  }
  if (running.NumElements() > 0 || lstm->num_sentences == 0) return tensorflow::OkStatus();
  return InvalidArgument("running must have a step for ", lstm->num_sentences,
                         " sentences. Received: none");
}

Status Read(OpKernelContext* context, SentenceLSTM* lstm) {
  const Tensor &projected = context->input(0), &kernel = context->input(2);
  const Tensor &initial_c = context->input(3), &initial_h = context->input(4);
  const Tensor& mask = context->input(5);
  TF_RETURN_IF_ERROR(CheckRank("recurrent_kernel", kernel, 3));
  TF_RETURN_IF_ERROR(CheckRank("mask", mask, 3));
  TF_RETURN_IF_ERROR(CheckRank("projected", projected, 3));
  const int64_t directions = lstm->num_directions = kernel.dim_size(0);
  const int64_t units = lstm->units = kernel.dim_size(1);
  lstm->num_sentences = mask.dim_size(1);
  TF_RETURN_IF_ERROR(CheckShape("recurrent_kernel", kernel, {directions, units, 3 * units}));
  TF_RETURN_IF_ERROR(CheckShape("mask", mask, {directions, lstm->num_sentences, units}));
  TF_RETURN_IF_ERROR(CheckShape("initial_c", initial_c, {directions, 1, units}));
  TF_RETURN_IF_ERROR(CheckShape("initial_h", initial_h, {directions, 1, units}));
  TF_RETURN_IF_ERROR(ReadSteps(context->input(1), lstm));
  TF_RETURN_IF_ERROR(
      CheckShape("projected", projected, {lstm->num_words(), directions, 3 * units}));
  lstm->projected = Floats(projected);
  lstm->recurrent_kernel = Floats(kernel);
  lstm->initial_c = Floats(initial_c);
  lstm->initial_h = Floats(initial_h);
  lstm->mask = Floats(mask);
  return tensorflow::OkStatus();
}

Dimensions StateShape(const SentenceLSTM& lstm) {
  return {lstm.num_words(), lstm.num_directions, lstm.units};
}

Dimensions GatesShape(const SentenceLSTM& lstm) {
  return {lstm.num_words(), lstm.num_directions, 3 * lstm.units};
}

class SentenceLSTMOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    SentenceLSTM lstm;
    OP_REQUIRES_OK(context, Read(context, &lstm));
    Tensor *h, *c, *gates;
    OP_REQUIRES_OK(context, AllocateOutput(context, 0, "projected", StateShape(lstm), &h));
    OP_REQUIRES_OK(context, AllocateOutput(context, 1, "projected", StateShape(lstm), &c));
    OP_REQUIRES_OK(context, context->allocate_output(2, context->input(0).shape(), &gates));
    RunSentenceLSTM(lstm, LoopsOfThisProcessor(), ThreadPool(context),
                    {Floats(h), Floats(c), Floats(gates)});
  }
};

class SentenceLSTMGradientsOp : public tensorflow::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    SentenceLSTM lstm;
    OP_REQUIRES_OK(context, Read(context, &lstm));
    const Tensor &h = context->input(6), &c = context->input(7), &gates = context->input(8);
    const Tensor& upstream = context->input(9);
    OP_REQUIRES_OK(context, CheckShape("h", h, StateShape(lstm)));
    OP_REQUIRES_OK(context, CheckShape("c", c, StateShape(lstm)));
    OP_REQUIRES_OK(context, CheckShape("gates", gates, GatesShape(lstm)));
    OP_REQUIRES_OK(context, CheckShape("upstream", upstream, StateShape(lstm)));
    Tensor* outputs[4];
    for (int i = 0; i < 4; ++i) {
      const TensorShape& shape = context->input(i == 0 ? 0 : i + 1).shape();
      OP_REQUIRES_OK(context, context->allocate_output(i, shape, &outputs[i]));
    }
    const LSTMStates<const float> states = {Floats(h), Floats(c), Floats(gates)};
    const ThreadPool threads(context);
    SentenceLSTMBackward<ThreadPool>(lstm, states, LoopsOfThisProcessor(), threads)
        .Run(Floats(upstream),
             {Floats(outputs[0]), Floats(outputs[1]), Floats(outputs[2]), Floats(outputs[3])});
  }
};

REGISTER_KERNEL_BUILDER(Name("Coref>SentenceLSTM").Device(tensorflow::DEVICE_CPU), SentenceLSTMOp);
REGISTER_KERNEL_BUILDER(Name("Coref>SentenceLSTMGradients").Device(tensorflow::DEVICE_CPU),
                        SentenceLSTMGradientsOp);

}  // namespace
}  // namespace coref
