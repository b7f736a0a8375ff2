#include "antecedents/antecedents_kernel.h"

#include <cstdint>

#include "antecedents/antecedents.h"
#include "spans/span_checks.h"

namespace coref {

tensorflow::Status RunNearestAntecedents(Cpu, tensorflow::OpKernelContext* context,
                                         const AntecedentRows& rows) {
  NearestAntecedents(rows, ThreadPool(context));
  return tensorflow::OkStatus();
}

tensorflow::Status RunTopAntecedents(Cpu, tensorflow::OpKernelContext* context, const float* scores,
                                     const AntecedentRows& rows) {
  const int64_t nan = TopAntecedents(scores, rows, ThreadPool(context));
  if (nan < 0) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(
      DescribeNan(nan / rows.num_spans(), nan % rows.num_spans()));
}

REGISTER_KERNEL_BUILDER(Name("Coref>NearestAntecedents").Device(tensorflow::DEVICE_CPU),
                        NearestAntecedentsOp<Cpu>);
REGISTER_KERNEL_BUILDER(Name("Coref>TopAntecedents").Device(tensorflow::DEVICE_CPU),
                        TopAntecedentsOp<Cpu>);

}  // namespace coref
