#include "bind/engine/array.hpp"

#include <Python.h>
#include <structmember.h>

#include <cmath>

#include "bind/memory/memory.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/lock.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

PyTypeObject* array_base = nullptr;

/// Runs a slot's body; C++ errors become Python's.
template <class F>
PyObject* guarded(F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <class F>
int guarded_int(F&& body) noexcept {
  try {
    return body();
  } catch (...) {
    set_python_error();
    return -1;
  }
}

// --- operators ---------------------------------------------------------------------------------------------------

enum Slot {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPow,
  kAnd,
  kOr,
  kXor,
  kLeftShift,
  kRightShift,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterEqual,
  kNegative,
  kPositive,
  kAbs,
  kInvert,
  kSquare,
  kReciprocal,
  kSlots
};
constexpr const char* kSlotOps[kSlots] = {"add",
                                          "subtract",
                                          "multiply",
                                          "divide",
                                          "floor_divide",
                                          "remainder",
                                          "pow",
                                          "bitwise_and",
                                          "bitwise_or",
                                          "bitwise_xor",
                                          "bitwise_left_shift",
                                          "bitwise_right_shift",
                                          "less",
                                          "less_equal",
                                          "equal",
                                          "not_equal",
                                          "greater",
                                          "greater_equal",
                                          "negative",
                                          "positive",
                                          "abs",
                                          "bitwise_invert",
                                          "square",
                                          "reciprocal"};
OpId slot_ops[kSlots];

template <Slot S>
PyObject* unary(PyObject* self) {
  return guarded([&] {
    RecordArg arg;
    arg.node = NodeRef(&node_of(self));
    return wrap_result(record(slot_ops[S], &arg, 1));
  });
}

/// Two operands of an operator. The common ones take no further step.
bool read_pair(PyObject* a, PyObject* b, RecordArg* args) {
  if (read_operand(a, args[0]) && read_operand(b, args[1])) return true;
  PyObject* const both[2] = {a, b};
  return read_operands(both, args, 2);
}

PyObject* record_binary(OpId op, PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_pair(a, b, args)) Py_RETURN_NOTIMPLEMENTED;
    return wrap_result(record(op, args, 2));
  });
}

template <Slot S>
PyObject* binary(PyObject* a, PyObject* b) {
  return record_binary(slot_ops[S], a, b);
}

/// Integer arrays to negative integer powers have no integer result: NumPy's error, raised without waiting.
void check_power(const RecordArg& base, const RecordArg& exponent) {
  const auto integral = [](const RecordArg& a) {
    return a.node ? kind_rank(kind_of(a.node->dtype)) == 1 : a.scalar.kind == Kind::integer;
  };
  const bool known = !exponent.node || exponent.node->state == NodeState::scalar;
  const ScalarValue& value = exponent.node ? exponent.node->value : exponent.scalar;
  const bool negative = known && value.kind == Kind::integer && value.i < 0;
  if (negative && integral(base))
    throw ValueError("integers to negative integer powers are not allowed; cast the base to a float dtype");
}

/// A power. As in NumPy's operator, the exponents 2 and -1 are a square and a reciprocal, correctly rounded and cheap.
NodeRef record_power(const RecordArg* args, bool hold = false) {
  check_power(args[0], args[1]);
  const RecordArg& exponent = args[1];
  if (args[0].node && !exponent.node && !exponent.beyond) {
    const Kind base = kind_of(args[0].node->dtype);
    const bool integer = exponent.scalar.kind == Kind::integer;
    const double value = integer ? static_cast<double>(exponent.scalar.i) : exponent.scalar.re;
    const bool inexact = base == Kind::real || base == Kind::complex;
    const bool keeps_dtype = integer || (exponent.scalar.kind == Kind::real && inexact);
    if (keeps_dtype && value == 2) return record(slot_ops[kSquare], args, 1, hold);
    if (keeps_dtype && value == -1 && base == Kind::real) return record(slot_ops[kReciprocal], args, 1, hold);
  }
  return record(slot_ops[kPow], args, 2, hold);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (modulus != Py_None || !read_pair(a, b, args)) Py_RETURN_NOTIMPLEMENTED;
    return wrap_result(record_power(args));
  });
}

/// NumPy's same_kind rule: bool, unsigned, signed, real, complex, each to itself and those after it.
bool same_kind(DType from, DType to) {
  const auto rank = [](DType t) {
    switch (kind_of(t)) {
      case Kind::boolean: return 0;
      case Kind::unsigned_: return 1;
      case Kind::integer: return 2;
      case Kind::real: return 3;
      default: return 4;
    }
  };
  return rank(from) <= rank(to);
}

/// Stores what an in-place operation gives in its array, which is returned.
PyObject* store_inplace(const std::string& name, PyObject* self, const NodeRef& value) {
  const Node& target = node_of(self);
  if (!(value->shape == target.shape))
    throw ShapeError("the result of the in-place " + name + " has shape " + to_string(value->shape) + ", the array " +
                     to_string(target.shape) + ": an in-place operation cannot enlarge it");
  if (!same_kind(value->dtype, target.dtype))
    throw DTypeError("the in-place " + name + " gives " + name_of(value->dtype) + ", which an array of " +
                     name_of(target.dtype) + " cannot hold; write x = x " + "... or cast with astype");
  store(self, value);
  Py_INCREF(self);
  return self;
}

PyObject* inplace_with(OpId op, PyObject* self, PyObject* other) {
  if (is_value(self)) return op == slot_ops[kPow] ? power(self, other, Py_None) : record_binary(op, self, other);
  return guarded([&]() -> PyObject* {
    RecordArg args[2];
    if (!read_pair(self, other, args)) {
      // Python gives a subclass this slot as sq_inplace_concat, too, and takes NotImplemented from there for the
      // result.
      if (op == slot_ops[kAdd]) return PyNumber_Add(self, other);
      Py_RETURN_NOTIMPLEMENTED;
    }
    const NodeRef value = op == slot_ops[kPow] ? record_power(args, true) : record(op, args, 2, true);
    args[0] = RecordArg();
    return store_inplace(ops()[op].name, self, value);
  });
}

template <Slot S>
PyObject* inplace(PyObject* self, PyObject* other) {
  return inplace_with(slot_ops[S], self, other);
}

PyObject* inplace_power(PyObject* self, PyObject* other, PyObject*) {
  return inplace_with(slot_ops[kPow], self, other);
}

PyObject* matmul(PyObject* a, PyObject* b) {
  if (is_array(a) && is_array(b))
    return guarded([&] {
      if (PyObject* product = small_product(a, b)) return product;
      return without_unwinding([&] { return PyObject_CallMethod(a, "_matmul", "O", b); });
    });
  return guarded([&]() -> PyObject* {
    const auto beside = [](PyObject* o, PyObject* like) {
      return is_array(o) ? py::reinterpret_borrow<py::object>(o) : convert_operand(o, like);
    };
    const py::object left = beside(a, b), right = beside(b, a);
    if (!is_array(left.ptr()) || !is_array(right.ptr())) Py_RETURN_NOTIMPLEMENTED;
    return without_unwinding([&] { return PyObject_CallMethod(left.ptr(), "_matmul", "O", right.ptr()); });
  });
}

PyObject* inplace_matmul(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    const py::object product = py::reinterpret_steal<py::object>(matmul(self, other));
    if (!product) return nullptr;
    if (!is_array(product.ptr())) return py::object(product).release().ptr();  // NotImplemented
    return store_inplace("matmul", self, NodeRef(&node_of(product.ptr())));
  });
}

PyObject* rich_compare(PyObject* a, PyObject* b, int how) {
  static constexpr Slot kOf[6] = {kLess, kLessEqual, kEqual, kNotEqual, kGreater, kGreaterEqual};  // Py_LT ... Py_GE
  PyObject* result = record_binary(slot_ops[kOf[how]], a, b);
  if (result != Py_NotImplemented || (how != Py_EQ && how != Py_NE)) [[likely]]
    return result;
  // What is no number equals none, element by element, as in NumPy.
  if (b != Py_None && !PyUnicode_Check(b) && !PyBytes_Check(b)) return result;
  Py_DECREF(result);
  return guarded([&]() -> PyObject* {
    const Node& n = node_of(a);
    ScalarValue value;
    value.kind = Kind::boolean;
    value.i = how == Py_NE;
    return wrap_result(full(n.place, DType::bool_, n.shape, value));
  });
}

// --- conversion to Python scalars ----------------------------------------------------------------------------------

py::object item_object(Node& n) {
  alignas(16) char bytes[16] = {};
  read_item(NodeRef(&n), bytes);
  const auto as = [&](auto v) {
    std::memcpy(&v, bytes, sizeof v);
    return v;
  };
  switch (n.dtype) {
    case DType::bool_: return py::bool_(bytes[0] != 0);
    case DType::int8: return py::int_(as(std::int8_t()));
    case DType::int16: return py::int_(as(std::int16_t()));
    case DType::int32: return py::int_(as(std::int32_t()));
    case DType::int64: return py::int_(as(std::int64_t()));
    case DType::uint8: return py::int_(as(std::uint8_t()));
    case DType::uint16: return py::int_(as(std::uint16_t()));
    case DType::uint32: return py::int_(as(std::uint32_t()));
    case DType::uint64: return py::int_(as(std::uint64_t()));
    case DType::float16: return py::float_(static_cast<double>(as(static_cast<_Float16>(0))));
    case DType::float32: return py::float_(static_cast<double>(as(0.0F)));
    case DType::float64: return py::float_(as(0.0));
    case DType::complex64: {
      float c[2];
      std::memcpy(c, bytes, sizeof c);
      return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(c[0], c[1]));
    }
    default: {
      double c[2];
      std::memcpy(c, bytes, sizeof c);
      return py::reinterpret_steal<py::object>(PyComplex_FromDoubles(c[0], c[1]));
    }
  }
}

int to_bool(PyObject* self) {
  return guarded_int([&]() -> int {
    Node& n = node_of(self);
    if (n.size() != 1)
      throw ValueError("the truth value of an array of shape " + to_string(n.shape) +
                       " is ambiguous; use any() or all()");
    return PyObject_IsTrue(item_object(n).ptr());
  });
}

PyObject* to_int(PyObject* self) {
  return guarded([&] { return PyNumber_Long(item_object(node_of(self)).ptr()); });
}

PyObject* to_float(PyObject* self) {
  return guarded([&] { return PyNumber_Float(item_object(node_of(self)).ptr()); });
}

PyObject* to_index(PyObject* self) {
  return guarded([&]() -> PyObject* {
    Node& n = node_of(self);
    if (kind_rank(kind_of(n.dtype)) != 1 || !n.shape.empty())
      throw DTypeError("only 0-dimensional integer arrays are indices; this one has dtype " +
                       std::string(name_of(n.dtype)) + " and shape " + to_string(n.shape));
    return item_object(n).release().ptr();
  });
}

PyObject* item(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const Py_ssize_t count = PyTuple_GET_SIZE(args);
    NodeRef n(&node_of(self));
    if (count > 0) {
      PyObject* key = args;
      if (count == 1 && PyTuple_Check(PyTuple_GET_ITEM(args, 0))) key = PyTuple_GET_ITEM(args, 0);
      if (count == 1 && key == args && n->shape.size() != 1) {  // NumPy's flat index
        evaluate(*n);
        n = contiguous(n);
        n = Node::view(*n, n->dtype, Dims{n->size()}, Dims{n->itemsize()}, n->offset);
      }
      NodeRef picked = basic_index(n, key);
      if (!picked) throw IndexError("item() takes integers");
      n = picked;
    }
    return item_object(*n).release().ptr();
  });
}

PyObject* evaluate_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    evaluate(node_of(self));
    return Py_NewRef(self);
  });
}

PyObject* complex_method(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    const py::object o = item_object(node_of(self));
    if (PyComplex_Check(o.ptr())) return py::object(o).release().ptr();
    const double re = PyFloat_AsDouble(o.ptr());
    if (re == -1.0 && PyErr_Occurred()) return nullptr;
    return PyComplex_FromDoubles(re, 0);
  });
}

/// A view of a value: a copy, which may be written.
[[gnu::noinline]] PyObject* copied(const NodeRef& view) {
  RecordArg arg;
  arg.node = view;
  return wrap(record(core_ops().copy, &arg, 1));
}

// --- indexing ------------------------------------------------------------------------------------------------------

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

[[gnu::noinline]] PyObject* get_by_arrays(PyObject* self, PyObject* key) {
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

bool same_view(const Node& a, const Node& b) {
  return a.is_leaf() && b.is_leaf() && a.storage == b.storage && a.offset == b.offset && a.dtype == b.dtype &&
         a.shape == b.shape && a.strides == b.strides;
}

void require_same_device(const Node& value, const Node& target) {
  if (value.place && value.place->device != target.place->device)
    throw DeviceError("the value is on " + value.place->device->label() + ", the array on " +
                      target.place->device->label() + "; move one with to_device()");
}

/// A value without the axes of size 1 in front that its place does not have, as NumPy's assignment drops them.
NodeRef without_leading_ones(const NodeRef& value, std::size_t ndim) {
  std::size_t extra = 0;
  while (value->shape.size() - extra > ndim && value->shape[extra] == 1) ++extra;
  if (!extra) return value;
  evaluate(*value);
  Dims shape(value->shape.begin() + extra, value->shape.end()),
      strides(value->strides.begin() + extra, value->strides.end());
  return Node::leaf(value->storage, value->dtype, std::move(shape), std::move(strides), value->offset);
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_int([&]() -> int {
    if (!value) throw ValueError("elements of an array cannot be deleted");
    if (is_value(self))
      throw ValueError(
          "an element that was read, or a result without axes, is a read-only value; write x[0] = ..., or write to the "
          "view x[0, ...]");
    const NodeRef source_array(&node_of(self));
    const NodeRef target = basic_index(source_array, key);
    if (!target) {
      const py::object r = py::reinterpret_steal<py::object>(without_unwinding(
          [&] { return PyObject_CallFunctionObjArgs(hooks().advanced_setitem, self, key, value, nullptr); }));
      return r ? 0 : -1;
    }
    NodeRef source = value_for_store(value, self);
    if (source->shape.size() > target->shape.size()) source = without_leading_ones(source, target->shape.size());
    if (same_view(*target, *source)) return 0;  // what x[k] += y leaves to do
    require_same_device(*source, *target);
    assign(*target, source);
    return 0;
  });
}

/// Python's hash of the number, so that NumPy's and Python's equal ones find it; of NaN, which equals nothing, the
/// object's. Waits for the device.
Py_hash_t hash(PyObject* self) {
  if (!is_value(self)) return PyObject_HashNotImplemented(self);
  try {
    const py::object number = item_object(node_of(self));
    const auto same = py::reinterpret_steal<py::object>(PyObject_RichCompare(number.ptr(), number.ptr(), Py_EQ));
    return same.ptr() == Py_False ? PyBaseObject_Type.tp_hash(self) : PyObject_Hash(number.ptr());
  } catch (...) {
    set_python_error();
    return -1;
  }
}

Py_ssize_t length(PyObject* self) {
  const Node& n = node_of(self);
  if (n.shape.empty()) {
    PyErr_SetString(PyExc_TypeError, "len() of a 0-dimensional array");
    return -1;
  }
  return static_cast<Py_ssize_t>(n.shape[0]);
}

// --- life ----------------------------------------------------------------------------------------------------------

void dealloc(PyObject* self) {
  auto* a = reinterpret_cast<ArrayObject*>(self);
  if (a->weakrefs) PyObject_ClearWeakRefs(self);
  if (a->node) {
    --a->node->owners;
    a->node->release();
  }
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* no_new(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError, "arrays come from asarray(), to_device(), empty() and their like");
  return nullptr;
}

// --- attributes ----------------------------------------------------------------------------------------------------

PyObject* get_shape(PyObject* self, void*) {
  const Dims& d = node_of(self).shape;
  PyObject* t = PyTuple_New(static_cast<Py_ssize_t>(d.size()));
  if (!t) return nullptr;
  for (std::size_t i = 0; i < d.size(); ++i) PyTuple_SET_ITEM(t, i, PyLong_FromLongLong(d[i]));
  return t;
}

PyObject* get_dtype(PyObject* self, void*) {
  PyObject* o = hooks().dtypes[static_cast<int>(node_of(self).dtype)];
  Py_INCREF(o);
  return o;
}

PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromSize_t(node_of(self).shape.size()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).size()); }
PyObject* get_itemsize(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).itemsize()); }
PyObject* get_nbytes(PyObject* self, void*) { return PyLong_FromLongLong(node_of(self).nbytes()); }

PyObject* get_strides(PyObject* self, void*) {
  return guarded([&] {
    evaluate(node_of(self));
    return dims_tuple(node_of(self).strides).release().ptr();
  });
}

PyObject* get_device(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->device).release().ptr(); });
}

PyObject* get_queue(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->queue).release().ptr(); });
}

PyObject* get_allocator(PyObject* self, void*) {
  return guarded([&] { return py::cast(node_of(self).place->resource).release().ptr(); });
}

PyObject* get_pending(PyObject* self, void*) { return PyBool_FromLong(node_of(self).is_pending()); }

PyGetSetDef getset[] = {
    {"shape", get_shape, nullptr, "Sizes of the axes, a tuple of ints.", nullptr},
    {"dtype", get_dtype, nullptr, "The element type, a numpy.dtype.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"strides", get_strides, nullptr, "Bytes from one element to the next along each axis. Evaluates a pending array.",
     nullptr},
    {"device", get_device, nullptr, "The Device that the array lives on.", nullptr},
    {"queue", get_queue, nullptr, "The queue or stream that orders work on the array.", nullptr},
    {"allocator", get_allocator, nullptr, "The memory resource that results of the array come from.", nullptr},
    {"pending", get_pending, nullptr, "Whether the array is an expression that is not evaluated yet.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"item", item, METH_VARARGS, R"(item(*index)
--

An element as a Python scalar. Waits for the device.

Parameters
----------
*index : int or tuple of int
    The indices along each axis, or the index into the flattened array. None for an array of one element.

Returns
-------
bool, int, float or complex
    The element.

Raises
------
ValueError
    Where no index is given for an array of another number of elements than one.
IndexError
    For an index outside the array.

Examples
--------
>>> import devarray as da
>>> da.asarray([[1, 2], [3, 4]]).item(1, 0)
3)"},
    {"evaluate", evaluate_method, METH_NOARGS, R"(evaluate()
--

Enqueue whatever is pending for the array, without waiting.

Returns
-------
Array
    The array itself.

Examples
--------
>>> import devarray as da
>>> x = da.ones(3) + 1
>>> x.pending, x.evaluate().pending
(True, False)
)"},
    {"__complex__", complex_method, METH_NOARGS, "The one element as a complex number. Waits for the device."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakrefs), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

#define SLOT(id, f) {id, reinterpret_cast<void*>(f)}
PyType_Slot slots[] = {SLOT(Py_tp_dealloc, dealloc),
                       SLOT(Py_tp_new, no_new),
                       SLOT(Py_tp_getset, getset),
                       SLOT(Py_tp_methods, methods),
                       SLOT(Py_tp_members, members),
                       SLOT(Py_tp_richcompare, rich_compare),
                       SLOT(Py_tp_hash, hash),
                       SLOT(Py_mp_subscript, get_item),
                       SLOT(Py_mp_ass_subscript, set_item),
                       SLOT(Py_mp_length, length),
                       SLOT(Py_nb_add, binary<kAdd>),
                       SLOT(Py_nb_subtract, binary<kSubtract>),
                       SLOT(Py_nb_multiply, binary<kMultiply>),
                       SLOT(Py_nb_true_divide, binary<kDivide>),
                       SLOT(Py_nb_floor_divide, binary<kFloorDivide>),
                       SLOT(Py_nb_remainder, binary<kRemainder>),
                       SLOT(Py_nb_power, power),
                       SLOT(Py_nb_and, binary<kAnd>),
                       SLOT(Py_nb_or, binary<kOr>),
                       SLOT(Py_nb_xor, binary<kXor>),
                       SLOT(Py_nb_lshift, binary<kLeftShift>),
                       SLOT(Py_nb_rshift, binary<kRightShift>),
                       SLOT(Py_nb_matrix_multiply, matmul),
                       SLOT(Py_nb_inplace_matrix_multiply, inplace_matmul),
                       SLOT(Py_nb_inplace_add, inplace<kAdd>),
                       SLOT(Py_nb_inplace_subtract, inplace<kSubtract>),
                       SLOT(Py_nb_inplace_multiply, inplace<kMultiply>),
                       SLOT(Py_nb_inplace_true_divide, inplace<kDivide>),
                       SLOT(Py_nb_inplace_floor_divide, inplace<kFloorDivide>),
                       SLOT(Py_nb_inplace_remainder, inplace<kRemainder>),
                       SLOT(Py_nb_inplace_power, inplace_power),
                       SLOT(Py_nb_inplace_and, inplace<kAnd>),
                       SLOT(Py_nb_inplace_or, inplace<kOr>),
                       SLOT(Py_nb_inplace_xor, inplace<kXor>),
                       SLOT(Py_nb_inplace_lshift, inplace<kLeftShift>),
                       SLOT(Py_nb_inplace_rshift, inplace<kRightShift>),
                       SLOT(Py_nb_negative, unary<kNegative>),
                       SLOT(Py_nb_positive, unary<kPositive>),
                       SLOT(Py_nb_absolute, unary<kAbs>),
                       SLOT(Py_nb_invert, unary<kInvert>),
                       SLOT(Py_nb_bool, to_bool),
                       SLOT(Py_nb_int, to_int),
                       SLOT(Py_nb_float, to_float),
                       SLOT(Py_nb_index, to_index),
                       {0, nullptr}};
#undef SLOT

PyType_Spec spec = {"devarray._core.ArrayBase", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                    slots};

}  // namespace

PythonHooks& hooks() {
  static PythonHooks h;
  return h;
}

bool is_array(PyObject* o) { return PyObject_TypeCheck(o, array_base); }

PyObject* wrap(NodeRef node) {
  PyTypeObject* type = hooks().array_class;
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) throw py::error_already_set();
  auto* a = reinterpret_cast<ArrayObject*>(o);
  ++node->owners;
  a->node = node.detach();
  a->weakrefs = nullptr;
  a->value = false;
  return o;
}

PyObject* wrap_result(NodeRef node) {
  const bool value = node->shape.empty();
  if (value) node->writable = false;
  PyObject* o = wrap(std::move(node));
  reinterpret_cast<ArrayObject*>(o)->value = value;
  return o;
}

void make_value(PyObject* array) {
  auto* a = reinterpret_cast<ArrayObject*>(array);
  if (a->value || !a->node->shape.empty()) return;
  a->value = true;
  a->node->writable = false;
  if (a->node->is_leaf() && a->node->is_view) become_element(*a->node);
}

py::object view_of(py::handle of, NodeRef view) {
  if (!is_value(of.ptr())) return wrapped(std::move(view));
  return py::reinterpret_steal<py::object>(view->shape.empty() ? wrap_result(std::move(view)) : copied(view));
}

/// Another Array of the same value, of a subclass of the arrays' class.
py::object view_as(py::handle cls, py::handle array) {
  Node& n = require_array(array);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  if (!PyType_Check(cls.ptr()) || !PyType_IsSubtype(type, hooks().array_class))
    throw DTypeError("a subclass of devarray.Array is wanted");
  PyObject* o = type->tp_alloc(type, 0);
  if (!o) throw py::error_already_set();
  auto* a = reinterpret_cast<ArrayObject*>(o);
  ++n.owners;
  a->node = NodeRef(&n).detach();
  a->weakrefs = nullptr;
  a->value = is_value(array.ptr());
  return py::reinterpret_steal<py::object>(o);
}

Node& require_array(py::handle o) {
  if (!is_array(o.ptr()))
    throw DTypeError("a devarray.Array is wanted, not " +
                     std::string(py::str(py::type::handle_of(o).attr("__name__"))) + "; use asarray() or to_device()");
  return node_of(o.ptr());
}

void rebind(PyObject* array, NodeRef node) {
  auto* a = reinterpret_cast<ArrayObject*>(array);
  ++node->owners;
  Node* old = a->node;
  a->node = node.detach();
  --old->owners;
  old->release();
}

void store(PyObject* array, const NodeRef& value) {
  Node& n = node_of(array);
  const bool alone =
      n.writable &&
      (n.is_pending() || (n.owners == 1 && n.storage->use_count() == 1 && !n.storage->exposed && n.c_contiguous()));
  if (alone && value->writable && value->shape == n.shape && value->state != NodeState::scalar &&
      (config().deferred || n.is_pending())) {
    rebind(array, cast(value, n.dtype, true));
    if (!config().deferred || too_much_pending()) evaluate(node_of(array));
    return;
  }
  const NodeRef keep(&n);
  if (n.is_pending()) evaluate(n);
  assign(n, value);
}

PyTypeObject* make_array_type(py::module_& m) {
  py::object type = py::reinterpret_steal<py::object>(PyType_FromSpec(&spec));
  if (!type) throw py::error_already_set();
  array_base = reinterpret_cast<PyTypeObject*>(type.ptr());
  m.attr("ArrayBase") = type;
  m.def("view_as", &view_as, py::arg("cls"), py::arg("array"));
  m.def("_resolve_slots", [] {
    for (int s = 0; s < kSlots; ++s) slot_ops[s] = ops().find(kSlotOps[s]);
  });
  return array_base;
}

}  // namespace devarray
