// Routines that move elements, for Python. The common form of a call is read here; for every other one each of them
// returns None, and the routine in Python goes on: it knows what else may be given, and what to say where it may not.
#include "engine/moves.hpp"

#include <cmath>
#include <optional>

#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "engine/evaluate.hpp"
#include "engine/shift.hpp"

namespace devarray {
namespace {

/// A Python int of 64 bits.
bool read_plain_int(PyObject* o, std::int64_t& number) {
  if (!PyLong_CheckExact(o)) return false;
  int beyond = 0;
  number = PyLong_AsLongLongAndOverflow(o, &beyond);
  return !beyond;
}

bool is_plain_sequence(PyObject* o) { return PyTuple_CheckExact(o) || PyList_CheckExact(o); }

/// Such an int, or a tuple or list of them, no more than an array has axes.
bool read_plain_ints(PyObject* o, Dims& numbers) {
  std::int64_t number = 0;
  if (read_plain_int(o, number)) {
    numbers.push_back(number);
    return true;
  }
  if (!is_plain_sequence(o) || PySequence_Fast_GET_SIZE(o) > static_cast<Py_ssize_t>(kMaxDims)) return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    if (!read_plain_int(PySequence_Fast_GET_ITEM(o, i), number)) return false;
    numbers.push_back(number);
  }
  return true;
}

bool read_axis(std::int64_t given, std::size_t ndim, std::size_t& axis) {
  const auto n = static_cast<std::int64_t>(ndim);
  if (given < -n || given >= n) return false;
  axis = static_cast<std::size_t>(given < 0 ? given + n : given);
  return true;
}

/// roll(a, shift, axis)
PyObject* roll(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  Dims shifts, axes;
  if (argc != 3 || !is_array(argv[0]) || !read_plain_ints(argv[1], shifts)) Py_RETURN_NONE;
  const NodeRef n(&node_of(argv[0]));
  const std::size_t ndim = n->shape.size();
  if (argv[2] == Py_None && ndim == 1 && shifts.size() == 1)
    axes.push_back(0);
  else if (!read_plain_ints(argv[2], axes))
    Py_RETURN_NONE;
  if (ndim == 0 || (axes.size() != shifts.size() && axes.size() != 1 && shifts.size() != 1)) Py_RETURN_NONE;
  Dims by(ndim, 0);
  for (std::size_t i = 0; i < std::max(axes.size(), shifts.size()) && !axes.empty() && !shifts.empty(); ++i) {
    std::size_t axis = 0;
    if (!read_axis(axes[axes.size() == 1 ? 0 : i], ndim, axis)) Py_RETURN_NONE;
    if (n->shape[axis] > 1)
      by[axis] = (by[axis] + shifts[shifts.size() == 1 ? 0 : i] % n->shape[axis]) % n->shape[axis];
  }
  return wrap(rolled(n, by));
}

/// join(arrays, axis, stacked)
PyObject* join(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  std::int64_t given = 0;
  if (argc != 3 || !is_plain_sequence(argv[0]) || PySequence_Fast_GET_SIZE(argv[0]) == 0 ||
      !read_plain_int(argv[1], given))
    Py_RETURN_NONE;
  std::vector<NodeRef> parts;
  parts.reserve(static_cast<std::size_t>(PySequence_Fast_GET_SIZE(argv[0])));
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(argv[0]); ++i) {
    PyObject* part = PySequence_Fast_GET_ITEM(argv[0], i);
    if (!is_array(part)) Py_RETURN_NONE;
    parts.emplace_back(&node_of(part));
  }
  DType other = node_of(PySequence_Fast_GET_ITEM(argv[0], 0)).dtype;
  for (const NodeRef& part : parts) {  // three dtypes promote together, which NumPy is asked for
    if (part->dtype == parts[0]->dtype || part->dtype == other) continue;
    if (other != parts[0]->dtype) Py_RETURN_NONE;
    other = part->dtype;
  }
  const bool stacked = argv[2] == Py_True;
  std::size_t axis = 0;
  if (!read_axis(given, parts[0]->shape.size() + stacked, axis)) Py_RETURN_NONE;
  NodeRef made = joined(parts, axis, stacked);
  if (!made) Py_RETURN_NONE;
  return wrap(std::move(made));
}

/// join_into(whole, arrays, axis, stacked): the shapes fit
PyObject* join_into_array(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 4) throw py::type_error("join_into(whole, arrays, axis, stacked)");
  const NodeRef whole(&require_array(argv[0]));
  evaluate(*whole);
  const std::vector<NodeRef> parts = nodes_of(py::reinterpret_borrow<py::sequence>(argv[1]));
  for (const NodeRef& part : parts) warn_of_parts(*part, *whole);
  join_into(*whole, parts, py::handle(argv[2]).cast<std::size_t>(), argv[3] == Py_True);
  Py_RETURN_NONE;
}

/// (before, after)
bool read_pair(PyObject* o, std::pair<std::int64_t, std::int64_t>& pair) {
  return is_plain_sequence(o) && PySequence_Fast_GET_SIZE(o) == 2 &&
         read_plain_int(PySequence_Fast_GET_ITEM(o, 0), pair.first) &&
         read_plain_int(PySequence_Fast_GET_ITEM(o, 1), pair.second);
}

/// An int, a pair, or a pair for each axis, and none negative.
bool read_widths(PyObject* o, std::vector<std::pair<std::int64_t, std::int64_t>>& widths) {
  std::pair<std::int64_t, std::int64_t> all;
  if (read_plain_int(o, all.first)) {
    all.second = all.first;
    widths.assign(widths.size(), all);
  } else if (read_pair(o, all)) {
    widths.assign(widths.size(), all);
  } else {
    if (!is_plain_sequence(o) || PySequence_Fast_GET_SIZE(o) != static_cast<Py_ssize_t>(widths.size())) return false;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (!read_pair(PySequence_Fast_GET_ITEM(o, static_cast<Py_ssize_t>(i)), widths[i])) return false;
  }
  for (const auto& [before, after] : widths)
    if (before < 0 || after < 0) return false;
  return true;
}

/// A number that the dtype holds as it is written, or by the one rounding to it.
std::optional<ScalarValue> read_frame(PyObject* o, DType dtype) {
  constexpr std::int64_t kEverywhere = 127;  // what int8 holds
  ScalarValue value;
  if (read_plain_int(o, value.i)) {
    if (value.i < 0 || value.i > (dtype == DType::bool_ ? 1 : kEverywhere)) return std::nullopt;
    return value;
  }
  if (!PyFloat_CheckExact(o) || (dtype != DType::float32 && dtype != DType::float64)) return std::nullopt;
  value.kind = Kind::real;
  value.re = PyFloat_AS_DOUBLE(o);
  if (dtype == DType::float32 && std::isfinite(value.re) && std::abs(value.re) > 1e38) return std::nullopt;
  return value;
}

/// pad(array, pad_width, mode, constant_values, end_values, reflect_type, stat_length)
PyObject* pad(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  std::int64_t end_values = 0;
  if (argc != 7 || !is_array(argv[0]) || !PyUnicode_Check(argv[2]) ||
      PyUnicode_CompareWithASCIIString(argv[2], "constant") != 0 || !read_plain_int(argv[4], end_values) ||
      end_values != 0 || !PyUnicode_Check(argv[5]) || PyUnicode_CompareWithASCIIString(argv[5], "even") != 0 ||
      argv[6] != Py_None)
    Py_RETURN_NONE;
  const NodeRef n(&node_of(argv[0]));
  std::vector<std::pair<std::int64_t, std::int64_t>> widths(n->shape.size());
  const std::optional<ScalarValue> value = read_frame(argv[3], n->dtype);
  if (!value || widths.empty() || !read_widths(argv[1], widths)) Py_RETURN_NONE;
  return wrap(framed(n, widths, *value));
}

/// tile(a, reps)
PyObject* tile(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  Dims counts;
  if (argc != 2 || !is_array(argv[0]) || !read_plain_ints(argv[1], counts)) Py_RETURN_NONE;
  const NodeRef n(&node_of(argv[0]));
  const std::size_t ndim = std::max(counts.size(), n->shape.size());
  if (ndim == 0 || 2 * ndim > kMaxDims || std::any_of(counts.begin(), counts.end(), [](auto c) { return c < 1; }))
    Py_RETURN_NONE;
  return wrap(tiled(n, counts));
}

/// repeat(a, count, axis)
PyObject* repeat(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  std::int64_t count = 0, given = 0;
  std::size_t axis = 0;
  if (argc != 3 || !is_array(argv[0]) || !read_plain_int(argv[1], count) || count < 1) Py_RETURN_NONE;
  const NodeRef n(&node_of(argv[0]));
  const std::size_t ndim = n->shape.size();
  const bool flat = argv[2] == Py_None && ndim == 1;
  if ((!flat && !read_plain_int(argv[2], given)) || !read_axis(given, ndim, axis) || ndim >= kMaxDims) Py_RETURN_NONE;
  return wrap(repeated(n, axis, count));
}

PyMethodDef move_functions[] = {
    fast<roll>("roll", "roll(a, shift, axis): see devarray/_routines/manipulation/rearranging.py, as of those below."),
    fast<join>("join", "join(arrays, axis, stacked): concat() along an axis, or stack()."),
    fast<join_into_array>("join_into", "join_into(whole, arrays, axis, stacked): the same into an array of its shape"),
    fast<pad>("pad", "pad(array, pad_width, mode, constant_values, end_values, reflect_type, stat_length)"),
    fast<tile>("tile", "tile(a, reps)"),
    fast<repeat>("repeat", "repeat(a, count, axis)"),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_engine_moves(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), move_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
