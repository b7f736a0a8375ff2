#define EIGEN_USE_GPU

#include "antecedents/antecedents_kernel.h"

#include "antecedents/device_antecedents.h"
#include "device/cuda_grid.h"

namespace coref {

tensorflow::Status RunNearestAntecedents(Gpu, tensorflow::OpKernelContext* context,
                                         const AntecedentRows& rows) {
  CudaGrid grid(context);
  NearestAntecedentsOnDevice(&grid, rows);
  return grid.status();
}

tensorflow::Status RunTopAntecedents(Gpu, tensorflow::OpKernelContext* context, const float* scores,
                                     const AntecedentRows& rows) {
  CudaGrid grid(context);
  const int64_t nan = TopAntecedentsOnDevice(&grid, scores, rows);
  TF_RETURN_IF_ERROR(grid.status());
  if (nan < 0) return tensorflow::OkStatus();
  return tensorflow::errors::InvalidArgument(
      DescribeNan(nan / rows.num_spans(), nan % rows.num_spans()));
}

REGISTER_KERNEL_BUILDER(Name("Coref>NearestAntecedents")
                            .Device(tensorflow::DEVICE_GPU)
                            .HostMemory("num_spans")
                            .HostMemory("max_antecedents"),
                        NearestAntecedentsOp<Gpu>);
REGISTER_KERNEL_BUILDER(
    Name("Coref>TopAntecedents").Device(tensorflow::DEVICE_GPU).HostMemory("max_antecedents"),
    TopAntecedentsOp<Gpu>);

}  // namespace coref
