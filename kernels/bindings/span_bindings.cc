// Bindings in coref_tf._native for spans: the algorithms of the ops, for NumPy.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "antecedents/antecedents.h"
#include "antecedents/device_antecedents.h"
#include "bindings/bindings.h"
#include "bindings/threads.h"
#include "device/emulated_grid.h"
#include "spans/device_span_pruning.h"
#include "spans/sequential_span_pruning.h"
#include "spans/span_checks.h"
#include "spans/span_pruning.h"

namespace coref {
namespace {

namespace py = pybind11;

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<int32_t, py::array::c_style>;

void Require(bool good, const std::string& message) {
  if (!good) throw py::value_error(message);
}

// Indices are int32, which limits the number of elements.
int32_t Indexable(const char* name, py::ssize_t count) {
  Require(count <= INT32_MAX, std::string(name) + " must have at most " +
                                  std::to_string(INT32_MAX) +
                                  " elements. Received: " + std::to_string(count));
  return static_cast<int32_t>(count);
}

Candidates ShapedCandidates(const Floats& scores, const Integers& starts, const Integers& ends,
                            int32_t num_output_spans) {
  Require(scores.ndim() == 1 && starts.ndim() == 1 && ends.ndim() == 1,
          "span_scores, candidate_starts and candidate_ends must have rank 1");
  Require(
      starts.size() == scores.size() && ends.size() == scores.size(),
      "span_scores, candidate_starts and candidate_ends must have as many elements as each other");
  Require(num_output_spans >= 0, DescribeNegative("num_output_spans", num_output_spans));
  return {scores.data(), starts.data(), ends.data(), Indexable("span_scores", scores.size())};
}

Candidates CheckedCandidates(const Floats& scores, const Integers& starts, const Integers& ends,
                             int32_t num_output_spans) {
  const Candidates candidates = ShapedCandidates(scores, starts, ends, num_output_spans);
  const std::string fault = DescribeFaults(candidates);
  Require(fault.empty(), fault);
  return candidates;
}

Integers ToArray(const std::vector<int32_t>& values) {
  return Integers(static_cast<py::ssize_t>(values.size()), values.data());
}

Integers ExtractSpansOfArrays(const Floats& scores, const Integers& starts, const Integers& ends,
                              int32_t num_output_spans, int threads) {
  return ToArray(ExtractSpans(CheckedCandidates(scores, starts, ends, num_output_spans),
                              num_output_spans, Threads(threads)));
}

Integers ExtractSpansOfArraysSequentially(const Floats& scores, const Integers& starts,
                                          const Integers& ends, int32_t num_output_spans) {
  return ToArray(ExtractSpansSequentially(CheckedCandidates(scores, starts, ends, num_output_spans),
                                          num_output_spans));
}

// Allocates arrays for the rows, and returns the rows inside them.
std::pair<py::tuple, AntecedentRows> NewRows(int32_t num_rows, int32_t num_spans,
                                             int32_t max_antecedents) {
  Require(num_spans >= 0, DescribeNegative("num_spans", num_spans));
  Require(max_antecedents >= 0, DescribeNegative("max_antecedents", max_antecedents));
  const int32_t columns = std::min(num_spans, max_antecedents);
  Integers antecedents({num_rows, columns}), lengths(num_rows);
  const AntecedentRows rows{antecedents.mutable_data(), lengths.mutable_data(), num_rows, columns,
                            num_spans - num_rows};
  return {py::make_tuple(antecedents, lengths), rows};
}

py::tuple NearestAntecedentsAsArrays(int32_t num_spans, int32_t max_antecedents) {
  auto [arrays, rows] = NewRows(num_spans, num_spans, max_antecedents);
  NearestAntecedents(rows, Threads(1));
  return arrays;
}

std::pair<py::tuple, AntecedentRows> NewTopRows(const Floats& scores, int32_t max_antecedents) {
  Require(scores.ndim() == 2 && scores.shape(0) <= scores.shape(1),
          "coarse_scores must not have more rows than columns");
  const int32_t num_spans = Indexable("a row of coarse_scores", scores.shape(1));
  return NewRows(static_cast<int32_t>(scores.shape(0)), num_spans, max_antecedents);
}

void RequireNoNan(int64_t place, const AntecedentRows& rows) {
  if (place >= 0)
    throw py::value_error(DescribeNan(place / rows.num_spans(), place % rows.num_spans()));
}

py::tuple TopAntecedentsOfArray(const Floats& scores, int32_t max_antecedents, int threads) {
  auto [arrays, rows] = NewTopRows(scores, max_antecedents);
  RequireNoNan(TopAntecedents(scores.data(), rows, Threads(threads)), rows);
  return arrays;
}

// --- The GPU algorithms, on an emulated grid ---

Integers EmulatedExtractSpans(const Floats& scores, const Integers& starts, const Integers& ends,
                              int32_t num_output_spans, uint32_t seed) {
  const Candidates candidates = ShapedCandidates(scores, starts, ends, num_output_spans);
  EmulatedGrid grid(seed);
  const int32_t faulty = FindFirstFault(&grid, candidates);
  if (faulty >= 0) {
    throw py::value_error(DescribeFault(faulty, candidates.scores[faulty],
                                        candidates.starts[faulty], candidates.ends[faulty]));
  }
  const KeptSpans kept = KeepSpans(&grid, candidates, num_output_spans);
  std::vector<int32_t> output(kept.count);
  WriteSpans(&grid, candidates, kept, output.data());
  return ToArray(output);
}

py::tuple EmulatedNearestAntecedents(int32_t num_spans, int32_t max_antecedents, uint32_t seed) {
  auto [arrays, rows] = NewRows(num_spans, num_spans, max_antecedents);
  EmulatedGrid grid(seed);
  NearestAntecedentsOnDevice(&grid, rows);
  return arrays;
}

py::tuple EmulatedTopAntecedents(const Floats& scores, int32_t max_antecedents, uint32_t seed) {
  auto [arrays, rows] = NewTopRows(scores, max_antecedents);
  EmulatedGrid grid(seed);
  RequireNoNan(TopAntecedentsOnDevice(&grid, scores.data(), rows), rows);
  return arrays;
}

}  // namespace

void BindSpans(py::module_& module) {
  module.def("extract_spans", &ExtractSpansOfArrays, py::arg("span_scores"),
             py::arg("candidate_starts"), py::arg("candidate_ends"), py::arg("num_output_spans"),
             py::arg("threads") = 1,
             "The best spans, none crossing another: see coref_tf.ops.extract_spans.");
  module.def(
      "extract_spans_sequential", &ExtractSpansOfArraysSequentially, py::arg("span_scores"),
      py::arg("candidate_starts"), py::arg("candidate_ends"), py::arg("num_output_spans"),
      "The same, comparing each candidate with every accepted span: the benchmark's yardstick.");
  module.def("nearest_antecedents", &NearestAntecedentsAsArrays, py::arg("num_spans"),
             py::arg("max_antecedents"), "See coref_tf.ops.nearest_antecedents.");
  module.def("top_antecedents", &TopAntecedentsOfArray, py::arg("coarse_scores"),
             py::arg("max_antecedents"), py::arg("threads") = 1,
             "See coref_tf.ops.top_antecedents.");
  module.def("emulated_extract_spans", &EmulatedExtractSpans, py::arg("span_scores"),
             py::arg("candidate_starts"), py::arg("candidate_ends"), py::arg("num_output_spans"),
             py::arg("seed"),
             "extract_spans as a GPU does it, its threads in an order set by the seed.");
  module.def("emulated_nearest_antecedents", &EmulatedNearestAntecedents, py::arg("num_spans"),
             py::arg("max_antecedents"), py::arg("seed"), "nearest_antecedents as a GPU does it.");
  module.def("emulated_top_antecedents", &EmulatedTopAntecedents, py::arg("coarse_scores"),
             py::arg("max_antecedents"), py::arg("seed"), "top_antecedents as a GPU does it.");
}

}  // namespace coref
