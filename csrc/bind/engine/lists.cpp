// Lists of Python's numbers to arrays, and arrays to lists, without an ndarray between: one walk for the shape and the
// kind of number, one for the values. What is not plain numbers in even rows is left to NumPy.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/host/loops.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

constexpr std::size_t kDeepest = 16;        // lists in lists, of those that are read here
constexpr std::int64_t kMostListed = 4096;  // elements; of more, NumPy's way costs no more each

bool is_list(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }
Py_ssize_t count_of(PyObject* list) { return PySequence_Fast_GET_SIZE(list); }
PyObject* const* items_in(PyObject* list) { return PySequence_Fast_ITEMS(list); }

template <class T>
T at(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Whether the host has the value of an element's array without a wait.
bool has_value(const Node& n) {
  return n.shape.empty() &&
         (n.is_known() || (n.is_leaf() && host::can_read(*n.storage, *n.place) && n.place->queue->known_idle()));
}

/// Writes that value, if the host has it and it is of the dtype.
bool write_value(const Node& n, DType dtype, char*& to) {
  if (n.dtype != dtype || !has_value(n)) return false;
  if (n.is_known()) {
    std::int64_t slots[2] = {};
    const int count = encode_scalar(dtype, n.value, slots);
    const std::size_t size = size_of(dtype);
    std::memcpy(to, slots, std::min(size, sizeof(std::int64_t) * static_cast<std::size_t>(count)));  // little-endian
  } else {
    std::memcpy(to, static_cast<const char*>(n.storage->block->host()) + n.offset, size_of(dtype));
  }
  to += size_of(dtype);
  return true;
}

/// Which numbers there are, by what holds all of them.
enum class Numbers : std::uint8_t { bools, integers, reals, complex };

/// A list of Python's own numbers, and of elements' arrays of their dtypes at a place, whose values the host has.
/// Nothing here runs code of Python's, so that the list stays as it is.
class NumberList {
 public:
  explicit NumberList(const PlaceRef& place) : place_(place) {}
  /// False for uneven rows, no elements, integers beyond 64 bits, and objects of other types.
  bool read(PyObject* list) { return read(list, 0); }
  const Dims& shape() const { return shape_; }
  Numbers numbers() const { return numbers_; }

  /// Writes the values, which have been read. False where a number does not fit.
  bool write(PyObject* list, DType dtype, char*& to) const {
    for (Py_ssize_t i = 0; i < count_of(list); ++i) {
      PyObject* item = items_in(list)[i];
      if (is_list(item) ? !write(item, dtype, to) : !write_number(item, dtype, to)) return false;
    }
    return true;
  }

 private:
  bool read(PyObject* list, std::size_t depth) {
    const Py_ssize_t n = count_of(list);
    if (n == 0 || depth == kDeepest) return false;
    if (depth == shape_.size()) {
      if (complete_) return false;
      shape_.push_back(n);
    } else if (shape_[depth] != n) {
      return false;
    }
    const bool rows = is_list(items_in(list)[0]);
    if (!rows && depth + 1 != shape_.size()) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = items_in(list)[i];
      if (is_list(item) != rows || !(rows ? read(item, depth + 1) : read_number(item))) return false;
    }
    complete_ = true;
    return true;
  }

  bool read_number(PyObject* o) {
    Numbers kind = Numbers::bools;
    if (PyFloat_CheckExact(o)) {
      kind = Numbers::reals;
    } else if (PyLong_CheckExact(o)) {
      int beyond = 0;
      PyLong_AsLongLongAndOverflow(o, &beyond);
      if (beyond) return false;
      kind = Numbers::integers;
    } else if (PyComplex_CheckExact(o)) {
      kind = Numbers::complex;
    } else if (is_array(o)) {
      const Node& n = node_of(o);
      if (!is_value(o) || n.place != place_ || !has_value(n)) return false;
      switch (n.dtype) {
        case DType::bool_: break;
        case DType::int64: kind = Numbers::integers; break;
        case DType::float64: kind = Numbers::reals; break;
        case DType::complex128: kind = Numbers::complex; break;
        default: return false;
      }
    } else if (!PyBool_Check(o)) {
      return false;
    }
    numbers_ = std::max(numbers_, kind);
    return true;
  }

  template <class T>
  static void put(char*& to, T value) {
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
  static double real_of(PyObject* o) {
    return PyFloat_CheckExact(o) ? PyFloat_AS_DOUBLE(o) : static_cast<double>(PyLong_AsLongLong(o));
  }
  static bool write_number(PyObject* o, DType dtype, char*& to) {
    if (is_array(o)) {
      char value[16];
      char* behind = value;
      return write_value(node_of(o), node_of(o).dtype, behind) && write_as(value, node_of(o).dtype, dtype, to);
    }
    switch (dtype) {
      case DType::bool_: return put(to, static_cast<std::uint8_t>(o == Py_True)), true;
      case DType::int64: return put(to, static_cast<std::int64_t>(PyLong_AsLongLong(o))), true;
      case DType::float64: return put(to, real_of(o)), true;
      case DType::float32: {
        const double value = real_of(o);
        if (std::isfinite(value) && std::fabs(value) > FLT_MAX) return false;  // NumPy warns
        return put(to, static_cast<float>(value)), true;
      }
      default: {
        const bool parts = PyComplex_CheckExact(o);
        put(to, parts ? PyComplex_RealAsDouble(o) : real_of(o));
        return put(to, parts ? PyComplex_ImagAsDouble(o) : 0.0), true;
      }
    }
  }

  /// A value of one of the dtypes that read_number() takes.
  static bool write_as(const char* value, DType own, DType dtype, char*& to) {
    if (own == dtype) {
      std::memcpy(to, value, size_of(own));
      to += size_of(own);
      return true;
    }
    const double number = own == DType::bool_   ? *value != 0
                          : own == DType::int64 ? static_cast<double>(at<std::int64_t>(value))
                                                : at<double>(value);
    switch (dtype) {
      case DType::int64: return put(to, std::int64_t{*value != 0}), true;  // of a bool
      case DType::float64: return put(to, number), true;
      case DType::complex128: return put(to, number), put(to, 0.0), true;
      default: return false;
    }
  }

  const PlaceRef& place_;
  Dims shape_;
  Numbers numbers_ = Numbers::bools;
  bool complete_ = false;
};

/// The dtype that NumPy gives such numbers.
DType dtype_of(Numbers numbers) {
  constexpr DType own[] = {DType::bool_, DType::int64, DType::float64, DType::complex128};
  return own[static_cast<int>(numbers)];
}

/// Whether numbers are written as a dtype with no more than a rounding.
bool suits(Numbers numbers, DType dtype) {
  return dtype == dtype_of(numbers) || (dtype == DType::int64 && numbers == Numbers::bools) ||
         ((dtype == DType::float64 || dtype == DType::float32) && numbers <= Numbers::reals) ||
         dtype == DType::complex128;
}

/// Room for values, on the stack where they are few.
class Room {
 public:
  explicit Room(std::int64_t bytes) {
    if (bytes > static_cast<std::int64_t>(sizeof few_)) many_.reset(new char[static_cast<std::size_t>(bytes)]);
  }
  char* data() { return many_ ? many_.get() : few_; }

 private:
  alignas(16) char few_[512];
  std::unique_ptr<char[]> many_;
};

PyObject* number_at(const char* from, DType dtype) {
  switch (dtype) {
    case DType::bool_: return PyBool_FromLong(*from != 0);
    case DType::int8: return PyLong_FromLong(at<std::int8_t>(from));
    case DType::int16: return PyLong_FromLong(at<std::int16_t>(from));
    case DType::int32: return PyLong_FromLong(at<std::int32_t>(from));
    case DType::int64: return PyLong_FromLongLong(at<std::int64_t>(from));
    case DType::uint8: return PyLong_FromLong(at<std::uint8_t>(from));
    case DType::uint16: return PyLong_FromLong(at<std::uint16_t>(from));
    case DType::uint32: return PyLong_FromUnsignedLong(at<std::uint32_t>(from));
    case DType::uint64: return PyLong_FromUnsignedLongLong(at<std::uint64_t>(from));
    case DType::float16: {
      float value = 0;
      host::loops().load(DType::float16)(&value, from, 1);
      return PyFloat_FromDouble(value);
    }
    case DType::float32: return PyFloat_FromDouble(at<float>(from));
    case DType::float64: return PyFloat_FromDouble(at<double>(from));
    case DType::complex64: return PyComplex_FromDoubles(at<float>(from), at<float>(from + 4));
    default: return PyComplex_FromDoubles(at<double>(from), at<double>(from + 8));
  }
}

/// The list along an axis of dense values, and `from` behind them.
PyObject* list_at(const char*& from, DType dtype, const Dims& shape, std::size_t axis) {
  if (axis == shape.size()) {
    PyObject* number = number_at(from, dtype);
    from += size_of(dtype);
    return number;
  }
  PyObject* list = PyList_New(shape[axis]);
  for (std::int64_t i = 0; list && i < shape[axis]; ++i) {
    PyObject* item = list_at(from, dtype, shape, axis + 1);
    if (item)
      PyList_SET_ITEM(list, i, item);
    else
      Py_CLEAR(list);
  }
  return list;
}

/// The array of a list of elements that were read, all of one dtype and place. Null for other lists.
PyObject* array_of_values(PyObject* list, PyObject* dtype) {
  PyObject* const* items = items_in(list);
  const Py_ssize_t n = count_of(list);
  if (!is_array(items[0]) || (dtype && dtype != Py_None)) return nullptr;
  const Node& first = node_of(items[0]);
  const DType own = first.dtype;
  const PlaceRef place = first.place;
  if (own == DType::float16 || !place || place != default_place()) return nullptr;
  const auto itemsize = static_cast<std::int64_t>(size_of(own));
  std::vector<char> values(static_cast<std::size_t>(n * itemsize));
  char* to = values.data();
  for (Py_ssize_t i = 0; i < n; ++i)
    if (!is_array(items[i]) || !is_value(items[i]) || node_of(items[i]).place != place ||
        !write_value(node_of(items[i]), own, to))
      return nullptr;
  const NodeRef fresh = empty(place, own, Dims{n});
  copy_from_host(*fresh, {values.data(), Dims{itemsize}}, nullptr, true);
  return wrap(fresh);
}

}  // namespace

PyObject* array_of_list(PyObject* list, PyObject* dtype) {
  if (!is_list(list)) return nullptr;
  if (count_of(list) > 0)
    if (PyObject* made = array_of_values(list, dtype)) return made;
  const PlaceRef place = default_place();  // this and the dtype may run code of Python's
  const bool given = dtype && dtype != Py_None;
  DType target = given ? read_dtype(dtype) : DType::bool_;
  NumberList numbers(place);
  if (!place->device->caps().fp64 || !numbers.read(list)) return nullptr;
  if (!given) target = dtype_of(numbers.numbers());
  if (!suits(numbers.numbers(), target)) return nullptr;
  const std::int64_t itemsize = static_cast<std::int64_t>(size_of(target));
  Room room(element_count(numbers.shape()) * itemsize);
  char* to = room.data();
  if (!numbers.write(list, target, to)) return nullptr;
  const NodeRef fresh = empty(place, target, numbers.shape());
  copy_from_host(*fresh, {room.data(), c_strides(fresh->shape, itemsize)}, nullptr, true);
  return wrap(fresh);
}

PyObject* list_of_array(PyObject* array) {
  const NodeRef n(&node_of(array));
  if (n->size() > kMostListed) return nullptr;
  Room room(n->nbytes());
  copy_to_host(n, {room.data(), c_strides(n->shape, n->itemsize())}, nullptr, true);
  const char* from = room.data();
  PyObject* list = list_at(from, n->dtype, n->shape, 0);
  if (!list) throw py::error_already_set();
  return list;
}

}  // namespace devarray
