// Shared by the kernels of Coref>PairScores and Coref>PairScoresGradients: their inputs.

#ifndef COREF_KERNELS_PAIRS_PAIR_SCORES_KERNEL_H_
#define COREF_KERNELS_PAIRS_PAIR_SCORES_KERNEL_H_

#include <cstdint>
#include <string>
#include <utility>

#include "pairs/pair_network.h"
#include "shared/kernel_inputs.h"
#include "tensorflow/core/framework/op_kernel.h"

namespace coref {

class PairKernel : public tensorflow::OpKernel {
 public:
  explicit PairKernel(tensorflow::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("max_antecedents", &max_antecedents_));
    OP_REQUIRES_OK(context, ReadRate(context, "feature_dropout", &feature_dropout_));
    OP_REQUIRES_OK(context, ReadRate(context, "hidden_dropout", &hidden_dropout_));
  }

 protected:
  tensorflow::Status Read(tensorflow::OpKernelContext* context, PairNetwork* network) const;

 private:
  static tensorflow::Status ReadRate(tensorflow::OpKernelConstruction* context, const char* name,
                                     Dropout* dropout);
  tensorflow::Status ReadSpans(tensorflow::OpKernelContext* context, PairNetwork* network) const;
  tensorflow::Status ReadNumbers(tensorflow::OpKernelContext* context, PairNetwork* network) const;
  tensorflow::Status ReadFeatures(tensorflow::OpKernelContext* context, PairNetwork* network) const;
  tensorflow::Status ReadLayers(tensorflow::OpKernelContext* context, PairNetwork* network) const;

  int32_t max_antecedents_;
  Dropout feature_dropout_, hidden_dropout_;
};

}  // namespace coref

#endif  // COREF_KERNELS_PAIRS_PAIR_SCORES_KERNEL_H_
