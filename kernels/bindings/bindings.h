// The functions with which each *_bindings.cc file extends the module coref_tf._native.

#ifndef COREF_KERNELS_BINDINGS_BINDINGS_H_
#define COREF_KERNELS_BINDINGS_BINDINGS_H_

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace coref {

void BindDense(pybind11::module_& module);
void BindScorer(pybind11::module_& module);
void BindSpans(pybind11::module_& module);

}  // namespace coref

#endif  // COREF_KERNELS_BINDINGS_BINDINGS_H_
