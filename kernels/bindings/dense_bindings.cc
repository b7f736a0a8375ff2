// Bindings in coref_tf._native for int8 dense layers: the algorithm of the op, for NumPy, with any
// instruction set that the processor supports.

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/bindings.h"
#include "dense/int8_dense.h"

namespace coref {
namespace {

namespace py = pybind11;

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Bytes = py::array_t<int8_t, py::array::c_style>;
using Integers = py::array_t<int32_t, py::array::c_style>;

// The name and the largest quantized integer of each instruction set; the one of the op comes
// first.
py::list Int8Instructions() {
  py::list found;
  const Int8Loops& best = BestInt8Loops();
  found.append(py::make_tuple(best.name, static_cast<int>(best.levels)));
  for (const Int8Loops* loops : Int8LoopsOfThisProcessor()) {
    if (loops != &best) found.append(py::make_tuple(loops->name, static_cast<int>(loops->levels)));
  }
  return found;
}

const Int8Loops& LoopsNamed(const std::string& name) {
  for (const Int8Loops* loops : Int8LoopsOfThisProcessor()) {
    if (name == loops->name) return *loops;
  }
  throw py::value_error("instructions must be some that this processor has. Received: " + name);
}

Floats Int8DenseOfArrays(const Floats& values, const Bytes& panels, const Floats& scales,
                         const Integers& sums, const Floats& bias, bool gelu,
                         const std::string& instructions) {
  if (values.ndim() != 2 || scales.ndim() != 1 || sums.size() != scales.size() ||
      bias.size() != scales.size()) {
    throw py::value_error("values must be a matrix; scales, sums and bias as long as each other");
  }
  Int8Dense dense{values.data(), values.shape(0), values.shape(1), panels.data(), scales.shape(0),
                  scales.data(), sums.data(),     bias.data(),     gelu,          nullptr};
  if (dense.depth < 1 || dense.depth > kMostInt8Depth ||
      panels.size() != dense.num_panels() * dense.groups() * kInt8Columns * kInt8Group) {
    throw py::value_error("panels must hold a matrix [columns of values, scales]");
  }
  Floats outputs({dense.rows, dense.units});
  dense.outputs = outputs.mutable_data();
  const auto serial = [](int64_t count, int64_t, const auto& work) { work(0, count); };
  RunInt8Dense(dense, LoopsNamed(instructions), serial);
  return outputs;
}

}  // namespace

void BindDense(py::module_& module) {
  module.def("int8_instructions", &Int8Instructions,
             "The sets of instructions that int8_dense has here, as (name, largest integer of a "
             "quantized row); the one that the op uses comes first.");
  module.def("int8_dense", &Int8DenseOfArrays, py::arg("values"), py::arg("panels"),
             py::arg("scales"), py::arg("sums"), py::arg("bias"), py::arg("gelu"),
             py::arg("instructions"), "See coref_tf.ops.int8.int8_dense.");
}

}  // namespace coref
