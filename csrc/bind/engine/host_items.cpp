// x[key] and x[key] = value by NumPy, of arrays whose memory the host sees, where a key of lists, index arrays and
// masks picks few elements: on a view of x, without a wait, since nothing is under way for it.
#include <pybind11/numpy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "bind/engine/array.hpp"
#include "bind/engine/slots.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

bool is_ndarray(PyObject* o) { return Py_TYPE(o) == py::detail::npy_api::get().PyArray_Type_; }

/// A view of an array that the host may read now. Null for all else.
py::object readable_view(Node& n, const Place& place) {
  if (!n.place || n.place->queue != place.queue || n.size() == 0) return {};
  const NodeRef hold(&n);
  evaluate(n);
  if (!host::can_read(*n.storage, place) || (n.dtype == DType::bool_ && !are_truths(n))) return {};
  return borrowed_view(n);
}

// --- keys ------------------------------------------------------------------------------------------------------------

/// An index array or mask of a key: a list of Python's ints or bools, an array of the host, or one of ours.
struct Index {
  PyObject* given = nullptr;
  py::object host;  ///< for NumPy; null for one of ours, until the host may read it
  bool mask = false;
};

/// False for all else.
bool read_index(PyObject* o, Index& index) {
  index.given = o;
  if (is_array(o)) {
    const Node& n = node_of(o);
    index.mask = n.dtype == DType::bool_;
    return !n.shape.empty() && n.size() > 0 && kind_rank(kind_of(n.dtype)) <= 1;
  }
  if (PyList_CheckExact(o)) {
    const Py_ssize_t count = PyList_GET_SIZE(o);
    PyTypeObject* const type = count ? Py_TYPE(PyList_GET_ITEM(o, 0)) : nullptr;
    if (type != &PyLong_Type && type != &PyBool_Type) return false;
    for (Py_ssize_t i = 1; i < count; ++i)
      if (Py_TYPE(PyList_GET_ITEM(o, i)) != type) return false;
    index.host = py::array::ensure(py::handle(o));
    if (!index.host) PyErr_Clear();
  } else if (is_ndarray(o)) {
    index.host = py::reinterpret_borrow<py::object>(o);
  }
  if (!index.host) return false;
  const auto array = py::reinterpret_borrow<py::array>(index.host);
  const char kind = array.dtype().kind();
  index.mask = kind == 'b';
  return (kind == 'i' || kind == 'u' || kind == 'b') && array.ndim() > 0 && array.size() > 0;
}

Dims shape_of(const Index& index) {
  if (!index.host) return node_of(index.given).shape;
  const auto* array = py::detail::array_proxy(index.host.ptr());
  return Dims(array->dimensions, array->dimensions + array->nd);
}

bool is_plain_part(PyObject* o) { return o == Py_None || o == Py_Ellipsis || PySlice_Check(o) || PyLong_CheckExact(o); }

/// How many elements of x a key picks, at most.
class Picked {
 public:
  explicit Picked(const Dims& shape) : shape_(shape), axes_(shape.size()) {}

  /// A part of the key that is no array.
  void add_part(PyObject* part) {
    if (part == Py_None) return;
    if (part == Py_Ellipsis)
      known_ = false;  // which axis comes next
    else if (!PyLong_CheckExact(part))
      pass(1, false);
    else
      pass(1, true);
  }
  void add_index(const Dims& shape, bool mask) {
    pass(mask ? shape.size() : 1, true);
    std::int64_t places = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) mask ? void(places *= shape[i]) : widen(shape.size() - i, shape[i]);
    if (mask) widen(1, places);  // as many rows at most
  }
  /// kTooMany where the number has no 64 bits, or an index array more axes than are counted.
  std::int64_t count() const {
    std::int64_t all = 1;
    const auto times = [&](std::int64_t n) {
      if (__builtin_mul_overflow(all, n, &all)) all = kTooMany;
    };
    for (std::size_t axis = 0; axis < axes_; ++axis)
      if (!(passed_ >> axis & 1)) times(shape_[axis]);
    for (const std::int64_t n : space_) times(n);
    return too_wide_ || all < 0 ? kTooMany : all;
  }

 private:
  static constexpr std::int64_t kTooMany = std::numeric_limits<std::int64_t>::max();

  /// Goes by axes of x; those that an index picks of are replaced by the index arrays' own.
  void pass(std::size_t axes, bool replaced) {
    for (std::size_t i = 0; i < axes; ++i, ++axis_)
      if (replaced && known_ && axis_ < std::min<std::size_t>(axes_, 64)) passed_ |= std::uint64_t{1} << axis_;
  }
  /// Index arrays are broadcast: `from_last` counts their axes from the last one, which is 1.
  void widen(std::size_t from_last, std::int64_t n) {
    if (from_last > space_.size())
      too_wide_ = true;
    else
      space_[from_last - 1] = std::max(space_[from_last - 1], n);
  }

  const Dims& shape_;
  std::size_t axes_, axis_ = 0;
  std::uint64_t passed_ = 0;
  std::array<std::int64_t, 8> space_{1, 1, 1, 1, 1, 1, 1, 1};
  bool known_ = true, too_wide_ = false;
};

/// The key for NumPy of one with index arrays or masks, which picks few elements of x, where the host may read those;
/// x is evaluated then. Null for all else.
py::object host_key(Node& x, PyObject* key) {
  const PlaceRef place = x.place;
  if (!place || place->device->strategy() != Strategy::cpu || x.dtype == DType::float16 || x.size() == 0 ||
      x.shape.empty() || config().check_bounds)
    return {};
  const bool many = PyTuple_CheckExact(key);
  const py::tuple items = many ? py::reinterpret_borrow<py::tuple>(key) : py::make_tuple(py::handle(key));
  std::vector<Index> indices(items.size());
  Picked picked(x.shape);
  bool any = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    PyObject* item = PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(i));
    if (is_plain_part(item)) {
      picked.add_part(item);
      continue;
    }
    if (!read_index(item, indices[i])) return {};
    picked.add_index(shape_of(indices[i]), indices[i].mask);
    any = true;
  }
  if (!any || !host::is_small(*place, picked.count())) return {};
  const NodeRef hold(&x);
  evaluate(x);
  py::tuple made(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Index& index = indices[i];
    py::object part = index.host;
    if (!part) part = index.given ? readable_view(node_of(index.given), *place) : py::object(items[i]);
    if (!part) return {};
    made[i] = part;
  }
  return host::takes(*place, picked.count()) ? py::object(made) : py::object();
}

// --- values ----------------------------------------------------------------------------------------------------------

/// Whether NumPy casts arrays as kernels do, with the same bits.
bool casts_alike(DType from, DType to) {
  if (from == to) return true;
  const int given = kind_rank(kind_of(from)), wanted = kind_rank(kind_of(to));
  return wanted > 0 ? given <= 1 || given < wanted || (given == wanted && wanted > 1) : given <= 1;
}

/// Whether it stores a number of Python's as we do, without a word.
bool stores_alike(PyObject* number, DType dtype) {
  constexpr double kWhole = 9007199254740992.0;  // whole numbers up to here are float64
  const int rank = kind_rank(kind_of(dtype));
  if (PyBool_Check(number)) return true;
  if (PyLong_CheckExact(number)) {
    if (rank <= 1) return true;  // where one does not fit, both raise
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number, &overflow);
    return !overflow && std::abs(static_cast<double>(whole)) <= kWhole;
  }
  if (!PyFloat_CheckExact(number)) return false;
  const double value = PyFloat_AS_DOUBLE(number);
  if (rank <= 1) return rank == 1 && std::abs(value) <= kWhole;
  const bool single = dtype == DType::float32 || dtype == DType::complex64;
  return !single || !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
}

DType dtype_of_descr(PyObject* descr, bool& known) {
  PyObject* const* const ours = hooks().dtypes;
  const auto found = static_cast<std::size_t>(std::find(ours, ours + kDTypes, descr) - ours);
  known = found < static_cast<std::size_t>(kDTypes);
  return static_cast<DType>(found);
}

/// What NumPy stores in x as we do: numbers of Python's, lists of them, arrays of the host, and ours that it may read.
/// Null for all else.
py::object host_value(PyObject* value, const Node& x) {
  constexpr Py_ssize_t kMostItems = 4096;
  const auto same = py::reinterpret_borrow<py::object>(value);
  if (PyList_CheckExact(value)) {
    const Py_ssize_t count = PyList_GET_SIZE(value);
    if (count == 0 || count > kMostItems) return {};
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!stores_alike(PyList_GET_ITEM(value, i), x.dtype)) return {};
    return same;
  }
  if (is_ndarray(value)) {
    bool known = false;
    const DType from = dtype_of_descr(py::detail::array_proxy(value)->descr, known);
    return known && casts_alike(from, x.dtype) && py::reinterpret_borrow<py::array>(value).size() > 0 ? same
                                                                                                      : py::object();
  }
  if (PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject*>(hooks().numpy_generic))) {
    bool known = false;
    const DType from = dtype_of_descr(same.attr("dtype").ptr(), known);
    return known && casts_alike(from, x.dtype) ? same : py::object();
  }
  if (!is_array(value)) return stores_alike(value, x.dtype) ? same : py::object();
  Node& n = node_of(value);
  if (!casts_alike(n.dtype, x.dtype)) return {};
  return n.is_known() ? same.attr("item")() : readable_view(n, *x.place);
}

}  // namespace

PyObject* small_item(PyObject* array, PyObject* key) {
  const NodeRef x(&node_of(array));
  const py::object wanted = host_key(*x, key);
  if (!wanted || !host::can_read(*x->storage, *x->place)) return nullptr;
  const auto timer = timer_of(Activity::host);
  const py::object view = borrowed_view(*x);
  const auto result = py::reinterpret_steal<py::object>(PyObject_GetItem(view.ptr(), wanted.ptr()));
  if (!result) {
    PyErr_Clear();
    return nullptr;
  }
  PyObject* made = array_of_result(result.ptr(), x->place);
  if (made && timer) timer->done({.name = "gather"});
  return made;
}

bool small_store(PyObject* array, PyObject* key, PyObject* given) {
  const NodeRef x(&node_of(array));
  const py::object wanted = host_key(*x, key);
  if (!wanted || !x->writable || x->shifts) return false;
  const py::object value = host_value(given, *x);
  const Place& place = *x->place;
  if (!value || EngineLock::held()) return false;
  prepare_target(*x);
  if (!host::can_write(*x->storage, place) || !place.queue->known_idle() || EngineLock::held()) return false;
  const auto timer = timer_of(Activity::host);
  const py::object view = borrowed_view(*x, true);
  if (PyObject_SetItem(view.ptr(), wanted.ptr(), value.ptr()) < 0) {
    PyErr_Clear();
    return false;
  }
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "scatter"});
  return true;
}

}  // namespace devarray
