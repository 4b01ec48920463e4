// x[key] and x[key] = value: basic keys here, index arrays in Python. Keys are read by index.cpp.
#include <cmath>
#include <cstring>

#include "bind/engine/slots.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/held_stores.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/host/values.hpp"
#include "engine/lock.hpp"
#include "engine/mirror.hpp"
#include "engine/operators.hpp"

namespace devarray {

void warn_of_parts(const Node& from, const Node& to) {
  if (kind_of(from.dtype) != Kind::complex || kind_rank(kind_of(to.dtype)) < 1 || kind_of(to.dtype) == Kind::complex)
    return;
  const py::object told = py::reinterpret_steal<py::object>(
      without_unwinding([&] { return PyObject_CallFunctionObjArgs(hooks().warn_of_parts, nullptr); }));
  if (!told) throw py::error_already_set();
}

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
  if (!array)
    if (NodeRef known = host::value_at(*view, view->offset)) return wrap_result(std::move(known));
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
  if (n.place->queue != x.place->queue) return py::object();
  std::int64_t number = 0;
  alignas(16) char mirrored[16] = {};
  const char* memory = mirrored;
  if (!find_mirrored(n, mirrored)) {
    if (!host::takes(*n.place, 1)) return py::object();
    evaluate(n);
    if (!n.is_leaf() || !host::takes(*n.place, 1) || !host::can_read(*n.storage, *n.place) || EngineLock::held())
      return py::object();
    memory = static_cast<char*>(n.storage->block->host()) + n.offset;
  }
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

/// x[key] of few elements, for a key that is one array. Null without an error for all else.
PyObject* small_of_array(PyObject* self, PyObject* key) {
  const NodeRef x(&node_of(self)), places(&node_of(key));
  if (places->dtype == DType::bool_) return places->shape.empty() ? nullptr : small_select(x, places);
  return small_gather(x, places);
}

PyObject* get_item(PyObject* self, PyObject* key);

/// The int of an integer without axes. Waits for it.
py::object whole_number(py::handle value) {
  py::object made = py::reinterpret_steal<py::object>(without_unwinding([&] { return PyNumber_Index(value.ptr()); }));
  if (!made) throw py::error_already_set();
  return made;
}

/// Whether a key's part is an integer that was read of an array, or a result without axes: NumPy has a scalar there.
bool is_integer_value(PyObject* k) { return is_array(k) && is_value(k) && kind_rank(kind_of(node_of(k).dtype)) == 1; }

/// The key whose arrays are all such integers with ints for them, where it leaves axes: such a key picks a view, which
/// the host needs their values for, and waits. Null without an error for all else.
py::object key_of_values(const Node& x, PyObject* key) {
  if (is_integer_value(key)) return x.shape.size() < 2 ? py::object() : whole_number(key);
  if (!PyTuple_Check(key)) return {};
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  std::size_t values = 0, integers = 0, axes = 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* k = PyTuple_GET_ITEM(key, i);
    if (is_integer_value(k))
      ++values;
    else if (PySlice_Check(k) || k == Py_Ellipsis || k == Py_None)
      ++axes;
    else if (!is_array(k) && PyIndex_Check(k) && !PyBool_Check(k))
      ++integers;
    else
      return {};
  }
  if (values == 0 || (axes == 0 && values + integers >= x.shape.size())) return {};
  py::tuple numbers(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    const py::handle k = PyTuple_GET_ITEM(key, i);
    numbers[static_cast<std::size_t>(i)] =
        is_integer_value(k.ptr()) ? whole_number(k) : py::reinterpret_borrow<py::object>(k);
  }
  return numbers;
}

[[gnu::noinline]] PyObject* get_by_arrays(PyObject* self, PyObject* key) {
  if (!is_value(self))
    if (const py::object numbers = key_of_values(node_of(self), key)) return get_item(self, numbers.ptr());
  if (NodeRef view = view_by_numbers(NodeRef(&node_of(self)), key)) {
    if (view->shape.empty() && !has_ellipsis(key)) return get_element(self, key, std::move(view));
    return copied(view);
  }
  if (is_array(key))
    if (PyObject* few = small_of_array(self, key)) return few;
  auto found = py::reinterpret_steal<py::object>(is_value(self) ? nullptr : small_item(self, key));
  if (!found)
    found = py::reinterpret_steal<py::object>(
        without_unwinding([&] { return PyObject_CallFunctionObjArgs(hooks().advanced_getitem, self, key, nullptr); }));
  if (found && is_array(found.ptr()) && found.ptr() != self && !has_ellipsis(key)) make_value(found.ptr());
  return found.release().ptr();
}

constexpr std::int64_t kNoElement = -1;

/// Adds an int's bytes along an axis to an offset. False where basic_index() has to look.
bool step_to(const Node& n, std::size_t axis, PyObject* i, std::int64_t& offset) {
  if (!PyLong_CheckExact(i)) return false;
  const Py_ssize_t given = PyNumber_AsSsize_t(i, nullptr);
  const std::int64_t at = given < 0 ? given + n.shape[axis] : given;
  if (at < 0 || at >= n.shape[axis]) return false;
  offset += at * n.strides[axis];
  return true;
}

/// Where the element lies that a leaf's x[i] or x[i, j] is, by far the most frequent keys of programs that go through
/// elements. kNoElement where basic_index() has to look.
std::int64_t offset_of_element(const Node& n, PyObject* key) {
  std::int64_t offset = n.offset;
  if (!n.is_leaf() || n.shifts) return kNoElement;
  if (!PyTuple_CheckExact(key)) return n.shape.size() == 1 && step_to(n, 0, key, offset) ? offset : kNoElement;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(key));
  if (count == 0 || count != n.shape.size()) return kNoElement;
  for (std::size_t axis = 0; axis < count; ++axis)
    if (!step_to(n, axis, PyTuple_GET_ITEM(key, static_cast<Py_ssize_t>(axis)), offset)) return kNoElement;
  return offset;
}

PyObject* get_item(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    const Node& n = node_of(self);
    if (const std::int64_t offset = offset_of_element(n, key); offset != kNoElement) {
      if (NodeRef known = host::value_at(n, offset)) return wrap_result(std::move(known));
      return get_element(self, key, Node::view(n, n.dtype, Dims(), Dims(), offset));
    }
    NodeRef view = basic_index(NodeRef(&node_of(self)), key);
    if (!view) return get_by_arrays(self, key);
    if (view->shape.empty() || is_value(self)) return get_element(self, key, std::move(view));
    return wrap(std::move(view));
  });
}

/// A host scalar for an array of `dtype`, as NumPy's item assignment converts it.
ScalarValue scalar_for_store(const RecordArg& arg, DType dtype) {
  const Kind to = kind_of(dtype);
  if (arg.scalar.kind == Kind::complex && to != Kind::complex && to != Kind::boolean)
    throw DTypeError(std::string("a complex number cannot be stored in an array of ") + name_of(dtype) +
                     "; take its real part");
  if (arg.scalar.kind == Kind::real && kind_rank(to) == 1) {
    if (std::isinf(arg.scalar.re))
      throw OverflowError("cannot convert float infinity to integer: it cannot be stored in an array of " +
                          std::string(name_of(dtype)));
    if (std::isnan(arg.scalar.re))
      throw ValueError("cannot convert float NaN to integer: it cannot be stored in an array of " +
                       std::string(name_of(dtype)));
    RecordArg integer;
    const py::object whole = py::reinterpret_steal<py::object>(PyLong_FromDouble(arg.scalar.re));
    read_operand(whole.ptr(), integer);
    return checked_scalar(integer, dtype);
  }
  return checked_scalar(arg, dtype);
}

/// x[i] = a number, where the host may write the element now. False, and nothing done, for all else.
bool store_element(PyObject* self, PyObject* key, PyObject* value) {
  Node& n = node_of(self);
  const std::int64_t offset = offset_of_element(n, key);
  if (offset == kNoElement) return false;
  if (is_array(value)) {
    const Node& from = node_of(value);
    if (from.is_known() && from.place->device == n.place->device)
      return host::store_value(n, offset, from.dtype, from.value);
    return false;
  }
  if (!PyFloat_CheckExact(value) && !PyLong_CheckExact(value)) return false;
  RecordArg arg;
  read_operand(value, arg);
  return host::store_value(n, offset, n.dtype, scalar_for_store(arg, n.dtype));
}

/// NumPy's own scalars for elements of signed integers: as numbers of Python's, which have to fit. Others are cast.
void weaken_for_signed(RecordArg& arg, DType dtype) {
  if (kind_of(dtype) != Kind::integer || !arg.node || arg.node->place || kind_of(arg.node->dtype) == Kind::complex)
    return;
  arg.scalar = arg.node->value;
  arg.node = NodeRef();
}

NodeRef value_for_store(PyObject* value, PyObject* target, bool basic) {
  RecordArg arg;
  if (read_operand(value, arg)) {
    const DType dtype = node_of(target).dtype;
    if (basic) weaken_for_signed(arg, dtype);
    return arg.node ? arg.node : Node::scalar(dtype, scalar_for_store(arg, dtype));
  }
  const py::object array = py::reinterpret_steal<py::object>(
      without_unwinding([&] { return PyObject_CallFunctionObjArgs(hooks().to_array, value, target, nullptr); }));
  if (!array) throw py::error_already_set();
  return NodeRef(&node_of(array.ptr()));
}

/// Whether a value takes another under a key. A mask without axes chooses what the value is, as SciPy writes results
/// that NumPy gives no axes; what was read of an array is never written.
bool may_choose(PyObject* value, PyObject* key) {
  const Node& n = node_of(value);
  if (n.element || (n.is_known() && n.is_view) || !is_array(key)) return false;
  const Node& mask = node_of(key);
  return mask.shape.empty() && kind_of(mask.dtype) == Kind::boolean;
}

/// A pending copy of a leaf.
NodeRef copied_later(const NodeRef& leaf) {
  RecordArg arg;
  arg.node = leaf;
  return record(core_ops().copy, &arg, 1);
}

/// x[key] = value of few elements, for a key that is one array. False, and nothing done, for all else.
bool store_by_array(PyObject* self, PyObject* key, PyObject* value) {
  if (!is_array(key) || node_of(key).shape.empty()) return false;
  if (!is_array(value) && !PyFloat_CheckExact(value) && !PyLong_CheckExact(value) && !PyBool_Check(value)) return false;
  const NodeRef x(&node_of(self)), places(&node_of(key));
  if (!x->is_leaf() || (is_array(value) && node_of(value).dtype != x->dtype)) return false;
  const NodeRef values = value_for_store(value, self, false);
  return places->dtype == DType::bool_ ? small_place(x, places, values) : small_scatter(x, places, values);
}

/// Of so few elements a CPU stores the value at once: to wait for more costs more than that.
bool is_stored_at_once(const Node& array) {
  constexpr std::int64_t kMost = 4096;
  return array.size() <= kMost && host::is_small(*array.place, kMost);
}

/// Whether what a key chooses of an array is the array, each element at its own index.
bool shows_all_of(const Node& array, const Node& chosen) {
  if (&chosen == &array) return true;
  if (!(chosen.shape == array.shape) || chosen.size() == 0) return false;
  if (array.is_leaf()) return chosen.strides == array.strides && chosen.offset == array.offset;
  if (array.is_pending_view) return false;  // `chosen` is a view of what it is a view of
  return chosen.is_pending_view && chosen.offset == 0 && is_c_contiguous(chosen.shape, chosen.strides, 1);
}

int set_item(PyObject* self, PyObject* key, PyObject* value) {
  return guarded_int([&]() -> int {
    if (!value) throw ValueError("cannot delete array elements");
    const bool to_value = is_value(self);
    if (to_value && !may_choose(self, key))
      throw ValueError(
          "an element that was read, or a result without axes, is a read-only value; write x[0] = ..., or write to the "
          "view x[0, ...]");
    if (!to_value && store_element(self, key, value)) return 0;
    const NodeRef source_array(&node_of(self));
    NodeRef target = to_value ? NodeRef() : basic_index(source_array, key);
    const bool basic = static_cast<bool>(target);
    if (!target && !to_value) target = view_by_numbers(source_array, key);
    if (!target) {
      if (!to_value && source_array->is_leaf()) require_writable(*source_array);  // also where nothing is chosen
      if (store_by_array(self, key, value) || (!to_value && small_store(self, key, value))) return 0;
      const py::object r = py::reinterpret_steal<py::object>(without_unwinding(
          [&] { return PyObject_CallFunctionObjArgs(hooks().advanced_setitem, self, key, value, nullptr); }));
      return r ? 0 : -1;
    }
    const NodeRef stored = value_for_store(value, self, basic);
    const auto is_sequence = [&] { return PyList_Check(value) || PyTuple_Check(value); };
    const auto is_number = [&] {
      return offset_of_element(*source_array, key) != kNoElement && elements_have_no_axes();
    };
    if (target->shape.empty() && !stored->shape.empty() && (is_sequence() || is_number()))
      throw ValueError("setting an array element with a sequence: x[" + std::string(py::repr(key)) +
                       "] is one element, the value has shape " + to_string(stored->shape) +
                       "; one without axes is wanted, such as value.item()");
    warn_of_parts(*stored, *target);
    const bool at_once = is_stored_at_once(*source_array);
    if (basic && !at_once && shows_all_of(*source_array, *target)) {
      target = NodeRef();  // for it sees the array's memory
      if (replace(self, stored)) return 0;
      target = source_array;
    }
    const Node* last = last_use(value);
    assign_item(*target, stored, last, !at_once);
    // It may have read what has been overwritten.
    if (last && last->is_pending() && !awaits_store(*target) && other_reader(*target->storage, nullptr))
      rebind(value, copied_later(target));
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
    PyErr_SetString(PyExc_TypeError, "len() of unsized object: the array is 0-dimensional");
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
