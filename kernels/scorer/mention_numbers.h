// Converts clusters of Python objects into clusters of numbers.

#ifndef COREF_KERNELS_SCORER_MENTION_NUMBERS_H_
#define COREF_KERNELS_SCORER_MENTION_NUMBERS_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scorer/clusters.h"

namespace coref {

// A hash table with open addressing that numbers 64-bit keys in the order of their first
// occurrence.
class KeyNumbers {
 public:
  struct Slot {
    uint64_t key;
    int32_t number;  // negative if the slot is free
  };

  int32_t Number(uint64_t key) {
    if (2 * (static_cast<size_t>(size_) + 1) > slots_.size()) Grow();
    Slot& slot = Find(key);
    if (slot.number < 0) slot = {key, size_++};
    return slot.number;
  }

  int32_t size() const { return size_; }
  const std::vector<Slot>& slots() const { return slots_; }

 private:
  Slot& Find(uint64_t key) {
    const size_t mask = slots_.size() - 1;
    size_t i = (key * 0x9E3779B97F4A7C15ull >> 32) & mask;
    while (slots_[i].number >= 0 && slots_[i].key != key) i = (i + 1) & mask;
    return slots_[i];
  }

  void Grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 256 : 2 * old.size(), Slot{0, -1});
    for (const Slot& slot : old) {
      if (slot.number >= 0) Find(slot.key) = slot;
    }
  }

  std::vector<Slot> slots_;
  int32_t size_ = 0;
};

// Numbers the mentions of a document, which are any hashable objects, by Python's equality.
//
// As long as all are pairs of small integers, (start, end), Python's hashing is not needed.
class MentionNumbers {
 public:
  int32_t Number(PyObject* mention) {
    if (!objects_) {
      if (const std::optional<uint64_t> span = AsSpan(mention)) return spans_.Number(*span);
      MoveSpansToObjects();
    }
    return NumberObject(mention);
  }

  int32_t size() const { return objects_ ? static_cast<int32_t>(objects_->size()) : spans_.size(); }

 private:
  static std::optional<uint64_t> AsSmallNumber(PyObject* object) {
    if (!PyLong_CheckExact(object)) return std::nullopt;
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0 || value < 0 || value > INT32_MAX) return std::nullopt;
    return static_cast<uint64_t>(value);
  }

  static std::optional<uint64_t> AsSpan(PyObject* mention) {
    if (!PyTuple_CheckExact(mention) || PyTuple_GET_SIZE(mention) != 2) return std::nullopt;
    const auto start = AsSmallNumber(PyTuple_GET_ITEM(mention, 0));
    const auto end = AsSmallNumber(PyTuple_GET_ITEM(mention, 1));
    if (!start || !end) return std::nullopt;
    return *start << 32 | *end;
  }

  // A mention of another kind may equal a span, as (1.0, 2.0) does, so Python's equality decides
  // from the first such mention on.
  void MoveSpansToObjects() {
    objects_.emplace();
    for (const KeyNumbers::Slot& slot : spans_.slots()) {
      if (slot.number < 0) continue;
      const auto span = pybind11::make_tuple(slot.key >> 32, slot.key & UINT32_MAX);
      (*objects_)[span] = slot.number;
    }
  }

  int32_t NumberObject(PyObject* mention) {
    const pybind11::int_ fresh(objects_->size());
    PyObject* const number = PyDict_SetDefault(objects_->ptr(), mention, fresh.ptr());
    if (number == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      throw pybind11::value_error(
          "mentions must be hashable, such as (start, end) tuples. Received: " +
          std::string(pybind11::repr(mention)));
    }
    if (number == nullptr) throw pybind11::error_already_set();
    return static_cast<int32_t>(PyLong_AsLong(number));
  }

  KeyNumbers spans_;
  std::optional<pybind11::dict> objects_;  // set after the first mention that is not a span
};

}  // namespace coref

#endif  // COREF_KERNELS_SCORER_MENTION_NUMBERS_H_
