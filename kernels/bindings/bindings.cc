// The Python module coref_tf._native: the algorithms of this folder for NumPy, without TensorFlow.

#include "bindings/bindings.h"

PYBIND11_MODULE(_native, module) {
  module.doc() = "coref_tf's C++ algorithms";
  coref::BindDense(module);
  coref::BindScorer(module);
  coref::BindSpans(module);
}
