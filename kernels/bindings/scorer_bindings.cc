// Bindings in coref_tf._native for coreference scores.

#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/threads.h"
#include "scorer/mention_numbers.h"
#include "scorer/scorer.h"

namespace coref {
namespace {

namespace py = pybind11;

// With fewer mentions, starting another thread takes longer than it saves.
constexpr size_t kMentionsPerThread = 20000;

// Returns the items of any iterable except a string, whose characters are not mentions.
py::object Items(py::handle iterable, const char* side, const char* what) {
  const bool text = PyUnicode_Check(iterable.ptr()) || PyBytes_Check(iterable.ptr());
  PyObject* const items = text ? nullptr : PySequence_Fast(iterable.ptr(), "");
  if (items != nullptr) return py::reinterpret_steal<py::object>(items);
  if (!text && !PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
  PyErr_Clear();
  throw py::value_error(std::string(what) + " of the " + side +
                        " must be a list. Received: " + std::string(py::repr(iterable)));
}

// Keeps an object alive; unlike py::object, it does not check every time for the GIL, which we
// hold.
struct Kept {
  explicit Kept(PyObject* object) : object(object) { Py_INCREF(object); }
  ~Kept() { Py_DECREF(object); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  PyObject* const object;
};

// Converts one side of a document to numbers. With `once`, a mention in two clusters is an error.
Lists Convert(py::handle clusters, const char* side, bool once, MentionNumbers* numbers) {
  Lists lists;
  std::vector<Py_ssize_t> home;  // the cluster of each mention
  const py::object outer = Items(clusters, side, "the clusters");
  // The __hash__ of a mention may change the lists, so lengths are read each time, and mentions
  // kept.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(outer.ptr()); ++i) {
    const py::object inner = Items(PySequence_Fast_GET_ITEM(outer.ptr(), i), side, "a cluster");
    for (Py_ssize_t j = 0; j < PySequence_Fast_GET_SIZE(inner.ptr()); ++j) {
      const Kept mention(PySequence_Fast_GET_ITEM(inner.ptr(), j));
      const int32_t number = numbers->Number(mention.object);
      lists.numbers.push_back(number);
      if (!once) continue;
      if (static_cast<size_t>(number) >= home.size()) home.resize(numbers->size(), -1);
      if (home[number] >= 0 && home[number] != i) {
        throw py::value_error("a mention must be in one " + std::string(side) +
                              " cluster. Received: " + std::string(py::repr(mention.object)) +
                              " in the clusters " + std::to_string(home[number]) + " and " +
                              std::to_string(i));
      }
      home[number] = i;
    }
    lists.EndList();
  }
  return lists;
}

KeyAndResponse Convert(py::handle item, bool allow_repeated) {
  if (!PyTuple_Check(item.ptr()) || PyTuple_GET_SIZE(item.ptr()) != 3) {
    throw py::value_error("a document must be a tuple of name, key and response. Received: " +
                          std::string(py::repr(item)));
  }
  const auto document = py::reinterpret_borrow<py::tuple>(item);
  const py::object name = document[0];
  try {
    MentionNumbers numbers;
    KeyAndResponse result;
    result.key = Convert(document[1], "key", false, &numbers);
    result.response = Convert(document[2], "response", !allow_repeated, &numbers);
    result.mentions = numbers.size();
    return result;
  } catch (const py::value_error& error) {
    if (name.is_none()) throw;
    throw py::value_error("document " + std::string(py::str(name)) + ": " + error.what());
  }
}

int ThreadsFor(const std::vector<KeyAndResponse>& documents) {
  size_t mentions = 0;
  for (const KeyAndResponse& document : documents) {
    mentions += document.key.numbers.size() + document.response.numbers.size();
  }
  const size_t cores = std::thread::hardware_concurrency();
  return std::max<size_t>(1, std::min({mentions / kMentionsPerThread, cores, documents.size()}));
}

py::tuple ToTuple(const DocumentScore& score) {
  py::tuple figures(score.counts.size() * 4 + 1);
  size_t i = 0;
  for (const Fractions& f : score.counts) {
    for (const double figure : {f.recall_numerator, f.recall_denominator, f.precision_numerator,
                                f.precision_denominator}) {
      figures[i++] = figure;
    }
  }
  figures[i] = score.dropped;
  return figures;
}

py::list Score(const py::iterable& documents, uint32_t metrics, bool allow_repeated,
               std::optional<int> threads) {
  if (threads) CheckedThreads(*threads);
  std::vector<KeyAndResponse> numbered;
  for (const py::handle document : documents) {
    numbered.push_back(Convert(document, allow_repeated));
  }
  std::vector<DocumentScore> scores;
  {
    const py::gil_scoped_release others_may_run;
    scores = ScoreDocuments(numbered, metrics, threads ? *threads : ThreadsFor(numbered));
  }
  py::list result;
  for (const DocumentScore& score : scores) result.append(ToTuple(score));
  return result;
}

}  // namespace

void BindScorer(py::module_& module) {
  using py::literals::operator""_a;
  py::list metrics;
  for (const Metric& metric : kMetrics) {
    metrics.append(py::make_tuple(metric.name, metric.title, metric.averaged, metric.parts));
  }
  // The name, the title, whether it is averaged, and the number of parts of each metric.
  module.attr("METRICS") = py::tuple(metrics);
  module.def("score_documents", &Score, "documents"_a, "metrics"_a, "allow_repeated"_a,
             "threads"_a = std::nullopt,
             "Scores documents, tuples of name, key clusters and response clusters.\n\n"
             "`metrics` is a sum: 1 << i asks for METRICS[i]. Returns for each document a tuple:\n"
             "recall numerator and denominator, precision numerator and denominator of mention\n"
             "detection and of each part of each metric; last, how many repeated mentions the\n"
             "response lost.");
}

}  // namespace coref
