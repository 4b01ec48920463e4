// x[key] and x[key] = value: basic keys here, index arrays in Python. Keys are read by index.cpp.
#include <cmath>
#include <cstring>

#include "bind/engine/slots.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/operators.hpp"

namespace devarray {
namespace {

bool has_ellipsis(PyObject* key) {
  if (!PyTuple_Check(key)) return key == Py_Ellipsis;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
    if (PyTuple_GET_ITEM(key, i) == Py_Ellipsis) return true;
  return false;
}

/// What a basic index gives of a value, or without axes: an element, or an array where it has an Ellipsis.
[[gnu::noinline]] PyObject* get_element(PyObject* self, PyObject* key, NodeRef view) {
  const bool array = !view->shape.empty() || has_ellipsis(key);
  if (is_value(self)) return array ? copied(view) : Py_NewRef(self);
  Node& element = *view;
  PyObject* found = wrap(std::move(view));
  if (array) return found;
  reinterpret_cast<ArrayObject*>(found)->value = true;
  if (becomes_element_by_mark(element)) [[likely]] {
    element.mark_element();
    return found;
  }
  py::object held = py::reinterpret_steal<py::object>(found);
  become_element(element);
  return held.release().ptr();
}

/// An int of an integer without axes whose memory the host may read now. Null without an error for all else.
py::object number_of(PyObject* item, const Node& x) {
  if (!is_array(item)) return py::object();
  Node& n = node_of(item);
  if (!n.shape.empty() || kind_rank(kind_of(n.dtype)) != 1 || n.dtype == DType::uint64 || !n.place || !x.place)
    return py::object();
  if (n.place->queue != x.place->queue || !host::takes(*n.place, 1)) return py::object();
  evaluate(n);
  if (!n.is_leaf() || !host::takes(*n.place, 1) || !host::can_read(*n.storage, *n.place) || EngineLock::held())
    return py::object();
  std::int64_t number = 0;
  const char* memory = static_cast<char*>(n.storage->block->host()) + n.offset;
  if (const host::Convert convert = host::loops().cast(n.dtype, DType::int64))
    convert(&number, memory, 1);
  else
    std::memcpy(&number, memory, sizeof number);
  return py::int_(number);
}

/// The key with such integers as ints. Null without an error where it is of another kind, or one is out of bounds:
/// index arrays tell that where the program waits.
py::object key_of_numbers(const Node& x, PyObject* key) {
  if (x.size() == 0) return py::object();
  if (!PyTuple_Check(key)) return number_of(key, x);
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  bool found = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* k = PyTuple_GET_ITEM(key, i);
    const bool array = is_array(k) && node_of(k).shape.empty();
    if (!array && !PyLong_CheckExact(k) && !PySlice_Check(k) && k != Py_Ellipsis && k != Py_None) return py::object();
    found |= array;
  }
  if (!found) return py::object();
  py::tuple numbers(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* k = PyTuple_GET_ITEM(key, i);
    const py::object number = is_array(k) ? number_of(k, x) : py::reinterpret_borrow<py::object>(k);
    if (!number) return py::object();
    PyTuple_SET_ITEM(numbers.ptr(), i, Py_NewRef(number.ptr()));
  }
  return numbers;
}

/// The view that a key with integers without axes picks, where the host knows them. Null for all else.
NodeRef view_by_numbers(const NodeRef& x, PyObject* key) {
  const py::object numbers = key_of_numbers(*x, key);
  if (!numbers) return nullptr;
  try {
    return basic_index(x, numbers.ptr());
  } catch (const IndexError&) {
    return nullptr;
  }
}

[[gnu::noinline]] PyObject* get_by_arrays(PyObject* self, PyObject* key) {
  if (NodeRef view = view_by_numbers(NodeRef(&node_of(self)), key)) {
    if (view->shape.empty() && !has_ellipsis(key)) return get_element(self, key, std::move(view));
    return copied(view);
  }
  py::object found = py::reinterpret_steal<py::object>(
      without_unwinding([&] { return PyObject_CallFunctionObjArgs(hooks().advanced_getitem, self, key, nullptr); }));
  if (found && is_array(found.ptr()) && found.ptr() != self && !has_ellipsis(key)) make_value(found.ptr());
  return found.release().ptr();
}

/// x[i] of one axis, by far the most frequent way to an element. Null where basic_index() has to look.
[[gnu::noinline]] NodeRef element_of_row(const Node& n, PyObject* i) {
  const Py_ssize_t given = PyNumber_AsSsize_t(i, nullptr);
  const std::int64_t at = given < 0 ? given + n.shape[0] : given;
  if (at < 0 || at >= n.shape[0]) return nullptr;
  return Node::view(n, n.dtype, Dims(), Dims(), n.offset + at * n.strides[0]);
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    if (const Node& n = node_of(self); PyLong_CheckExact(key) && n.is_leaf() && n.shape.size() == 1)
      if (NodeRef view = element_of_row(n, key)) return get_element(self, key, std::move(view));
    NodeRef view = basic_index(NodeRef(&node_of(self)), key);
    if (!view) return get_by_arrays(self, key);
    if (view->shape.empty() || is_value(self)) return get_element(self, key, std::move(view));
    return wrap(std::move(view));
  });
}

/// A host scalar for an array of `dtype`, as NumPy's item assignment converts it.
NodeRef scalar_for_store(const RecordArg& arg, DType dtype) {
  const Kind to = kind_of(dtype);
  if (arg.scalar.kind == Kind::complex && to != Kind::complex && to != Kind::boolean)
    throw DTypeError(std::string("a complex number cannot be stored in an array of ") + name_of(dtype) +
                     "; take its real part");
  if (arg.scalar.kind == Kind::real && kind_rank(to) == 1) {
    if (!std::isfinite(arg.scalar.re))
      throw ValueError("NaN and infinity cannot be stored in an array of " + std::string(name_of(dtype)));
    RecordArg integer;
    const py::object whole = py::reinterpret_steal<py::object>(PyLong_FromDouble(arg.scalar.re));
    read_operand(whole.ptr(), integer);
    return Node::scalar(dtype, checked_scalar(integer, dtype));
  }
  return Node::scalar(dtype, checked_scalar(arg, dtype));
}

NodeRef value_for_store(PyObject* value, PyObject* target) {
  RecordArg arg;
  if (read_operand(value, arg)) {
    if (!arg.node) return scalar_for_store(arg, node_of(target).dtype);
    return arg.node;
  }
  const py::object array = py::reinterpret_steal<py::object>(
      without_unwinding([&] { return PyObject_CallFunctionObjArgs(hooks().to_array, value, target, nullptr); }));
  if (!array) throw py::error_already_set();
  return NodeRef(&node_of(array.ptr()));
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_int([&]() -> int {
    if (!value) throw ValueError("elements of an array cannot be deleted");
    if (is_value(self))
      throw ValueError(
          "an element that was read, or a result without axes, is a read-only value; write x[0] = ..., or write to the "
          "view x[0, ...]");
    const NodeRef source_array(&node_of(self));
    NodeRef target = basic_index(source_array, key);
    if (!target) target = view_by_numbers(source_array, key);
    if (!target) {
      const py::object r = py::reinterpret_steal<py::object>(without_unwinding(
          [&] { return PyObject_CallFunctionObjArgs(hooks().advanced_setitem, self, key, value, nullptr); }));
      return r ? 0 : -1;
    }
    assign_item(*target, value_for_store(value, self));
    return 0;
  });
}

/// x[i] by the protocol of sequences, which tells C code (pandas, Cython) that an array is no scalar.
PyObject* get_item_at(PyObject* self, Py_ssize_t i) {
  const py::object key = py::reinterpret_steal<py::object>(PyLong_FromSsize_t(i));
  return key ? get_item(self, key.ptr()) : nullptr;
}

Py_ssize_t length(PyObject* self) {
  const Node& n = node_of(self);
  if (n.shape.empty()) {
    PyErr_SetString(PyExc_TypeError, "len() of a 0-dimensional array");
    return -1;
  }
  return static_cast<Py_ssize_t>(n.shape[0]);
}

}  // namespace

void add_subscripts(std::vector<PyType_Slot>& slots) {
  slots.insert(slots.end(), {
                                slot(Py_mp_subscript, get_item),
                                slot(Py_mp_ass_subscript, set_item),
                                slot(Py_mp_length, length),
                                slot(Py_sq_length, length),
                                slot(Py_sq_item, get_item_at),
                            });
}

}  // namespace devarray
