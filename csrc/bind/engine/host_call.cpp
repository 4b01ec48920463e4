// Calls of NumPy on small arrays whose memory the host sees: on views of them, without a wait, since nothing is under
// way for them. Products, solutions and sorts of a few elements would otherwise cost several times what NumPy takes.
#include <pybind11/numpy.h>

#include <algorithm>

#include "bind/engine/array.hpp"
#include "bind/engine/slots.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/blas.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/host/values.hpp"
#include "engine/lock.hpp"
#include "engine/transfer.hpp"

namespace devarray {

py::object borrowed_view(const Node& n, bool writable) {
  constexpr int kAligned = 0x100, kWriteable = 0x400;  // NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE
  const py::detail::npy_api& numpy = py::detail::npy_api::get();
  PyObject* made = numpy.PyArray_NewFromDescr_(
      numpy.PyArray_Type_, Py_NewRef(hooks().dtypes[static_cast<int>(n.dtype)]), static_cast<int>(n.shape.size()),
      reinterpret_cast<const Py_intptr_t*>(n.shape.data()), reinterpret_cast<const Py_intptr_t*>(n.strides.data()),
      memory_of(n), writable ? kAligned | kWriteable : kAligned, nullptr);
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

namespace {

/// The value that a NumPy scalar is. Null without an error for dtypes that the host keeps none of.
PyObject* value_of_scalar(PyObject* scalar, const PlaceRef& place) {
  RecordArg arg;
  if (!read_operand(scalar, arg) || !arg.node || arg.node->dtype == DType::float16) return nullptr;
  if (place->device->strategy() != Strategy::cpu) return nullptr;
  arg.node->place = place;
  return wrap_result(std::move(arg.node));
}

}  // namespace

PyObject* array_of_result(PyObject* result, const PlaceRef& place) {
  const py::detail::npy_api& numpy = py::detail::npy_api::get();
  py::object held = py::reinterpret_borrow<py::object>(result);
  if (Py_TYPE(result) != numpy.PyArray_Type_) {
    if (!PyObject_TypeCheck(result, reinterpret_cast<PyTypeObject*>(hooks().numpy_generic))) return nullptr;
    if (PyObject* value = value_of_scalar(result, place)) return value;
    held = py::array::ensure(held);
    if (!held) return nullptr;
  }
  const auto* array = py::detail::array_proxy(held.ptr());
  PyObject* const* const known = hooks().dtypes;
  const auto dtype = static_cast<DType>(std::find(known, known + kDTypes, array->descr) - known);
  if (static_cast<int>(dtype) == kDTypes) return nullptr;
  const Dims shape(array->dimensions, array->dimensions + array->nd);
  const Dims strides(array->strides, array->strides + array->nd);
  const NodeRef fresh = empty(place, dtype, shape);
  if (fresh->size() > 0) {
    if (!place->queue->known_idle() || !host::can_write(*fresh->storage, *place)) return nullptr;
    put_at_once(*fresh, {array->data, strides});
  }
  return wrap_result(fresh);
}

bool are_truths(const Node& n) {
  const char* bytes = memory_of(n);
  std::uint8_t all = 0;
  for (std::int64_t i = 0; i < n.size(); ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t axis = n.shape.size(); axis-- > 0; rest /= n.shape[axis])
      offset += rest % n.shape[axis] * n.strides[axis];
    all |= static_cast<std::uint8_t>(bytes[offset]);
  }
  return all <= 1;
}

namespace {

bool suits(DType t, bool whole) {
  const bool inexact = kind_rank(kind_of(t)) > 1 && t != DType::float16;
  return inexact || (whole && is_integer(t));
}

/// The array, or the tuple of arrays, of what a function of NumPy's gave. Null without an error for all else.
PyObject* arrays_of(PyObject* result, const PlaceRef& place) {
  if (!PyTuple_Check(result)) return array_of_result(result, place);
  const Py_ssize_t count = PyTuple_GET_SIZE(result);
  auto made = py::reinterpret_steal<py::object>(PyTuple_New(count));
  if (!made) throw py::error_already_set();
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* array = array_of_result(PyTuple_GET_ITEM(result, i), place);
    if (!array) return nullptr;
    PyTuple_SET_ITEM(made.ptr(), i, array);
  }
  return made.release().ptr();
}

/// Which arrays a function takes.
enum class Takes : std::uint8_t { inexact, numbers, all };

bool suits(const Node& n, const Node& first, Takes takes) {
  if (takes == Takes::all) return n.dtype != DType::float16;
  return n.dtype == first.dtype && suits(n.dtype, takes == Takes::numbers);
}

/// Whether NumPy takes an argument as we do, and it is no array.
bool is_number(PyObject* o) { return PyBool_Check(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o); }
bool is_plain_argument(PyObject* o) { return o == Py_None || is_number(o) || PyUnicode_CheckExact(o); }

/// The arrays among a call's arguments, and in lists and tuples of arrays and numbers; then views of them.
class Borrowed {
 public:
  explicit Borrowed(Takes takes) : takes_(takes) {}

  /// Notes the arrays of an argument. False where one is not such as the function takes.
  bool note(PyObject* o) {
    if (is_array(o)) return note_array(node_of(o));
    return takes_ != Takes::all || !is_sequence(o) || note_items(o, 0);
  }
  std::int64_t size() const { return size_; }
  /// Where the arrays are; null where there are none.
  PlaceRef place() const { return count_ ? nodes_[0]->place : PlaceRef(); }
  void evaluate_all() const {
    for (std::size_t i = 0; i < count_; ++i) evaluate(*nodes_[i]);
  }
  /// Whether the host may read them all now, as bytes that NumPy takes as we do.
  bool are_readable() const {
    const Place& place = *nodes_[0]->place;
    return std::all_of(nodes_, nodes_ + count_, [&](const NodeRef& n) {
      return n->place->queue == place.queue && host::can_read(*n->storage, place) &&
             (n->dtype != DType::bool_ || are_truths(*n));
    });
  }
  /// Whether arrays behind the first have memory of x's storage.
  bool others_share(const Node& x) const {
    return std::any_of(nodes_ + 1, nodes_ + count_, [&](const NodeRef& n) { return n->storage == x.storage; });
  }
  /// The argument for NumPy. Null where it no longer holds the arrays that were noted.
  py::object view(PyObject* o) {
    if (is_array(o)) {
      if (shown_ == count_ || nodes_[shown_].get() != &node_of(o)) return {};
      return borrowed_view(*nodes_[shown_++]);
    }
    return takes_ == Takes::all && is_sequence(o) ? view_of_items(o) : py::reinterpret_borrow<py::object>(o);
  }

 private:
  static constexpr std::size_t kMost = 16;
  static constexpr int kDeepest = 2;  ///< lists in a list, as block() takes them
  static constexpr Py_ssize_t kMostItems = 4096;

  static bool is_sequence(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

  bool note_array(Node& n) {
    if (count_ == kMost || !n.place || n.size() == 0 || !suits(n, count_ ? *nodes_[0] : n, takes_)) return false;
    nodes_[count_++] = NodeRef(&n);
    size_ += n.size();
    return true;
  }

  /// Numbers count as elements, as NumPy would make an array of them.
  bool note_items(PyObject* sequence, int depth) {
    PyObject* const* items = PySequence_Fast_ITEMS(sequence);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
    if (count == 0 || count > kMostItems) return false;
    return std::all_of(items, items + count, [&](PyObject* o) {
      if (is_array(o)) return note_array(node_of(o));
      if (is_sequence(o)) return depth + 1 < kDeepest && note_items(o, depth + 1);
      ++size_;
      return is_number(o);
    });
  }

  py::object view_of_items(PyObject* sequence) {
    py::list views;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(sequence); ++i) {
      const py::object item = view(PySequence_Fast_ITEMS(sequence)[i]);
      if (!item) return {};
      views.append(item);
    }
    return PyTuple_CheckExact(sequence) ? py::object(py::tuple(views)) : py::object(views);
  }

  Takes takes_;
  NodeRef nodes_[kMost];
  std::size_t count_ = 0, shown_ = 0;
  std::int64_t size_ = 0;
};

/// function(*arguments) by NumPy, where all arrays among them are small, lie at one place, and the host may read them
/// now. Null without an error otherwise, and where the function raises: the usual way then says what is wrong.
PyObject* call_on_host(PyObject* function, PyObject* const* argv, std::size_t positional, PyObject* names, Takes takes,
                       std::int64_t most) {
  constexpr std::size_t kMost = 6;
  const std::size_t argc = positional + (names ? static_cast<std::size_t>(PyTuple_GET_SIZE(names)) : 0);
  if (argc > kMost) return nullptr;
  Borrowed arrays(takes);
  if (!std::all_of(argv, argv + argc, [&](PyObject* o) { return arrays.note(o); })) return nullptr;
  const PlaceRef place = arrays.place();
  if (!place || arrays.size() > most || place->device->strategy() != Strategy::cpu) return nullptr;
  arrays.evaluate_all();
  if (!host::takes(*place, arrays.size()) || !arrays.are_readable()) return nullptr;
  py::object views[kMost];
  PyObject* given[kMost + 1] = {};
  for (std::size_t i = 0; i < argc; ++i) {
    views[i] = arrays.view(argv[i]);
    if (!views[i]) return nullptr;
    given[i + 1] = views[i].ptr();
  }
  const auto timer = timer_of(Activity::host);
  const auto result = py::reinterpret_steal<py::object>(without_unwinding(
      [&] { return PyObject_Vectorcall(function, given + 1, positional | PY_VECTORCALL_ARGUMENTS_OFFSET, names); }));
  if (!result) {
    PyErr_Clear();
    return nullptr;
  }
  if (PyBool_Check(result.ptr())) return Py_NewRef(result.ptr());
  PyObject* made = arrays_of(result.ptr(), place);
  if (made && timer) timer->done({.name = py::str(py::handle(function).attr("__name__"))});
  return made;
}

constexpr std::int64_t kSmallCall = 4096;  // elements that NumPy sorts in less time than a launch takes

/// What NumPy multiplies two vectors of a dtype by, in its dot and its matmul.
using DotFunction = void(const void*, Py_intptr_t, const void*, Py_intptr_t, void*, Py_intptr_t, void*);

DotFunction* dot_function(DType t) {
  // NumPy's C interface: PyDataType_GetArrFuncs is number 365 of its functions, and the 28th of those that it gives
  // is the dtype's dot, behind 21 casts, getitem, setitem, copyswapn, copyswap, compare and argmax.
  static DotFunction* known[kDTypes] = {};
  DotFunction*& found = known[static_cast<int>(t)];
  if (!found) {
    const py::object capsule = py::module_::import("numpy._core.multiarray").attr("_ARRAY_API");
    auto* const* api = static_cast<void* const*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (!api) throw py::error_already_set();
    const auto functions_of = reinterpret_cast<void* const* (*)(PyObject*)>(api[365]);
    found = reinterpret_cast<DotFunction*>(functions_of(hooks().dtypes[static_cast<int>(t)])[27]);
  }
  return found;
}

/// The product of two vectors that the host may read now. Null without an error for all else.
PyObject* product_of_vectors(Node& x, Node& y) {
  if (x.shape.size() != 1 || y.shape.size() != 1 || x.dtype != y.dtype || !suits(x.dtype, true)) return nullptr;
  const std::int64_t n = x.shape[0];
  if (y.shape[0] != n || n == 0 || !x.place || !y.place || x.place->queue != y.place->queue) return nullptr;
  if (2 * n > config().host_elements || x.place->device->strategy() != Strategy::cpu || profiling()) return nullptr;
  const NodeRef hold_x(&x), hold_y(&y);
  evaluate(x);
  evaluate(y);
  const Place& place = *x.place;
  if (!host::takes(place, 2 * n) || !host::can_read(*x.storage, place) || !host::can_read(*y.storage, place) ||
      EngineLock::held())
    return nullptr;
  alignas(16) char product[16] = {};
  dot_function(x.dtype)(memory_of(x), x.strides[0], memory_of(y), y.strides[0], product, n, nullptr);
  if (PyErr_Occurred()) throw py::error_already_set();
  NodeRef value = host::known_value(x.dtype, product, x.place);
  return value ? wrap_result(std::move(value)) : nullptr;
}

/// on_host(function, array, ..., *rest)
template <Takes takes>
PyObject* on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  return guarded([&]() -> PyObject* {
    std::size_t arrays = 0;
    const auto given = static_cast<std::size_t>(std::max<Py_ssize_t>(argc - 1, 0));
    while (arrays < given && is_array(argv[1 + arrays])) ++arrays;
    PyObject* made = arrays ? call_on_host(argv[0], argv + 1, given, nullptr, takes, config().host_elements) : nullptr;
    return made ? made : Py_NewRef(Py_None);
  });
}

/// function(x, *rest) by NumPy, which writes to x, where nothing is under way for it. False where nothing was done.
bool update_small(PyObject* function, PyObject* array, PyObject* const* rest, std::size_t count) {
  constexpr std::size_t kMost = 4;
  const NodeRef x(&node_of(array));
  Borrowed arrays(Takes::all);
  if (count > kMost || is_value(array) || x->shape.empty() || !arrays.note(array) ||
      !std::all_of(rest, rest + count, [&](PyObject* o) { return arrays.note(o); }))
    return false;
  const PlaceRef place = x->place;
  if (place->device->strategy() != Strategy::cpu || config().check_bounds) return false;
  arrays.evaluate_all();
  if (!x->writable || x->shifts || arrays.others_share(*x) || !host::takes(*place, arrays.size()) || EngineLock::held())
    return false;
  prepare_target(*x);
  if (!arrays.are_readable() || !host::can_write(*x->storage, *place) || !place->queue->known_idle() ||
      EngineLock::held())
    return false;
  const py::object target = borrowed_view(*x, true);
  arrays.view(array);
  py::object views[kMost];
  PyObject* given[kMost + 2] = {nullptr, target.ptr()};
  for (std::size_t i = 0; i < count; ++i) {
    views[i] = arrays.view(rest[i]);
    if (!views[i]) return false;
    given[i + 2] = views[i].ptr();
  }
  const auto done = py::reinterpret_steal<py::object>(without_unwinding(
      [&] { return PyObject_Vectorcall(function, given + 1, (count + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr); }));
  if (!done) PyErr_Clear();
  stats().host_runs.fetch_add(done ? 1 : 0, std::memory_order_relaxed);
  return static_cast<bool>(done);
}

/// update_on_host(function, x, *rest)
PyObject* update_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  return guarded([&]() -> PyObject* {
    return PyBool_FromLong(argc >= 2 && is_array(argv[1]) &&
                           update_small(argv[0], argv[1], argv + 2, static_cast<std::size_t>(argc - 2)));
  });
}

PyMethodDef call_functions[] = {
    {"on_host", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(on_host<Takes::inexact>)), METH_FASTCALL,
     "on_host(function, array, ..., *rest): the array of function(*views, *rest), or the tuple of arrays, a function "
     "of NumPy's on small arrays of floating-point numbers that the host may read now; None for all else, and where it "
     "raises."},
    {"any_on_host", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(on_host<Takes::all>)), METH_FASTCALL,
     "any_on_host(function, array, ..., *rest): on_host() of arrays of any dtypes but float16."},
    {"update_on_host", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(update_on_host)), METH_FASTCALL,
     "update_on_host(function, x, *rest): whether function(view of x, *rest) was called, which writes to the view and "
     "raises before it has; False, and nothing done, where the host may not do it now."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool is_small_product(const Node& x, const Node& y) {
  const std::int64_t most = std::max(x.size(), y.size());
  if (x.shape.size() < 2 || y.shape.size() < 2) return most <= host::kOneThreadWithVector;
  return most <= host::kOneThread / std::max<std::int64_t>(y.shape[y.shape.size() - 1], 1);
}

PyObject* small_product(PyObject* a, PyObject* b) {
  if (PyObject* product = product_of_vectors(node_of(a), node_of(b))) return product;
  if (!is_small_product(node_of(a), node_of(b))) return nullptr;
  if (PyObject* product = host_product(a, b)) return product;
  static PyObject* const matmul = py::object(py::module_::import("numpy").attr("matmul")).release().ptr();
  PyObject* const both[2] = {a, b};
  return call_on_host(matmul, both, 2, nullptr, Takes::numbers, config().host_elements);
}

PyObject* small_call(PyObject* function, PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t argc = positional + (names ? PyTuple_GET_SIZE(names) : 0);
  const auto suits = [](PyObject* o) {
    return is_array(o) || is_plain_argument(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o);
  };
  if (!std::all_of(argv, argv + argc, suits)) return nullptr;
  return call_on_host(function, argv, static_cast<std::size_t>(positional), names, Takes::all,
                      std::min(kSmallCall, config().host_elements));
}

void bind_engine_host_call(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), call_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
