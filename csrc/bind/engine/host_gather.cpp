// x[index], x[mask] and x[mask] = values of few elements whose memory the host sees: without a launch.
#include <algorithm>
#include <cstring>

#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

/// Elements of what one number of the first axis takes, which lie side by side; 0 where they do not.
std::int64_t row_elements(const Node& x) {
  std::int64_t elements = 1;
  for (std::size_t axis = x.shape.size(); axis-- > 1;) {
    if (x.shape[axis] != 1 && x.strides[axis] != elements * x.itemsize()) return 0;
    elements *= x.shape[axis];
  }
  return elements;
}

struct RowCopy {
  const char* from;
  std::int64_t size, stride;  ///< of the first axis
  char* to;
  std::size_t bytes;  ///< of a row
};

/// False where a number is out of bounds; kernels then say so.
template <class T>
bool copy_rows(const RowCopy& c, const Node& index, const char* numbers) {
  char* to = c.to;
  Dims at(index.shape.size(), 0);
  for (std::int64_t i = 0, count = index.size(); i < count; ++i, to += c.bytes) {
    T number;
    std::memcpy(&number, numbers, sizeof number);
    auto place = static_cast<std::int64_t>(number);
    if (place < 0) place += c.size;
    if (place < 0 || place >= c.size) return false;
    if (c.bytes == 8)
      std::memcpy(to, c.from + place * c.stride, 8);
    else if (c.bytes == 4)
      std::memcpy(to, c.from + place * c.stride, 4);
    else
      std::memcpy(to, c.from + place * c.stride, c.bytes);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      numbers += index.strides[axis];
      if (++at[axis] < index.shape[axis]) break;
      numbers -= index.strides[axis] * index.shape[axis];
      at[axis] = 0;
    }
  }
  return true;
}

/// copy_rows for the index's dtype.
using CopyRows = bool (*)(const RowCopy&, const Node&, const char*);
CopyRows copy_rows_of(DType index) {
  switch (index) {
    case DType::int8: return copy_rows<std::int8_t>;
    case DType::int16: return copy_rows<std::int16_t>;
    case DType::int32: return copy_rows<std::int32_t>;
    case DType::int64: return copy_rows<std::int64_t>;
    case DType::uint8: return copy_rows<std::uint8_t>;
    case DType::uint16: return copy_rows<std::uint16_t>;
    case DType::uint32: return copy_rows<std::uint32_t>;
    default: return nullptr;
  }
}

PyObject* gathered(const NodeRef& x, const NodeRef& index) {
  const CopyRows copy_them = copy_rows_of(index->dtype);
  if (!x->place || !index->place || !copy_them || x->dtype == DType::bool_) return nullptr;
  if (x->shape.empty() || index->shape.empty()) return nullptr;
  const PlaceRef place = x->place;
  if (EngineLock::held()) return nullptr;  // another thread is about to enqueue work
  if (index->place->queue != place->queue || x->size() == 0 || index->size() == 0) return nullptr;
  const auto takes = [&](std::int64_t elements) {
    std::int64_t cost = 0;
    return !__builtin_mul_overflow(index->size(), elements, &cost) && host::takes(*place, cost);
  };
  if (!takes(x->size() / x->shape[0])) return nullptr;
  evaluate(*x);
  evaluate(*index);
  const std::int64_t elements = row_elements(*x);
  if (elements == 0 || !takes(elements)) return nullptr;
  if (!host::can_read(*x->storage, *place) || !host::can_read(*index->storage, *place)) return nullptr;
  Dims shape = index->shape;
  for (std::size_t axis = 1; axis < x->shape.size(); ++axis) shape.push_back(x->shape[axis]);
  const NodeRef result = empty(place, x->dtype, shape);
  if (!place->queue->known_idle() || !host::can_write(*result->storage, *place)) return nullptr;
  const auto memory = [](const Node& n) { return static_cast<char*>(n.storage->block->host()) + n.offset; };
  const RowCopy copy{memory(*x), x->shape[0], x->strides[0], memory(*result),
                     static_cast<std::size_t>(elements * x->itemsize())};
  const auto timer = timer_of(Activity::host);
  if (!copy_them(copy, *index, memory(*index))) return nullptr;
  if (timer) timer->done({.name = "gather"});
  return wrap(result);
}

}  // namespace

PyObject* small_gather(const NodeRef& x, const NodeRef& index) { return gathered(x, index); }

namespace {

/// gather_on_host(x, index)
PyObject* gather_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 2 || !is_array(argv[0]) || !is_array(argv[1])) Py_RETURN_NONE;
    PyObject* made = gathered(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])));
    return made ? made : Py_NewRef(Py_None);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

// --- masks -----------------------------------------------------------------------------------------------------------

char* memory_of(const Node& n) { return static_cast<char*>(n.storage->block->host()) + n.offset; }

/// A mask and an array of its shape, dense and evaluated, that the host may read as soon as their queue is idle.
/// `cost`: of an element, beside an operation's.
bool suits_mask(const NodeRef& x, const NodeRef& mask, double cost) {
  if (!x->place || !mask->place || mask->dtype != DType::bool_ || !(mask->shape == x->shape) || x->size() == 0)
    return false;
  const Place& place = *x->place;
  if (mask->place->queue != place.queue || place.device->strategy() != Strategy::cpu || config().check_bounds ||
      cost * static_cast<double>(x->size()) > static_cast<double>(config().host_elements) || EngineLock::held())
    return false;
  evaluate(*mask);
  evaluate(*x);
  return mask->c_contiguous() && x->c_contiguous() && !mask->shifts && !x->shifts &&
         host::can_read(*mask->storage, place) && host::can_read(*x->storage, place);
}

template <class F>
void with_unit(std::size_t bytes, F&& f) {
  struct Pair {
    std::uint64_t half[2];
  };
  switch (bytes) {
    case 1: return f(std::uint8_t());
    case 2: return f(std::uint16_t());
    case 4: return f(std::uint32_t());
    case 8: return f(std::uint64_t());
    default: return f(Pair());
  }
}

std::int64_t count_of(const char* mask, std::int64_t n) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; ++i) count += mask[i] != 0;
  return count;
}

/// Calls `element(i, j)` for the j-th place that the mask picks, number i.
template <class F>
void each_picked(const char* mask, std::int64_t n, F&& element) {
  std::int64_t j = 0;
  for (std::int64_t i = 0; i < n;) {
    std::uint64_t eight = 1;
    if (n - i >= 8) std::memcpy(&eight, mask + i, 8);
    if (eight == 0) {
      i += 8;
      continue;
    }
    for (const std::int64_t end = std::min(i + 8, n); i < end; ++i)
      if (mask[i]) element(i, j++);
  }
}

/// x[mask]. Waits for the queue, as the count's way to the host does: kernels would have to be two, and a wait between
/// them, so that more elements are worth it than elsewhere.
PyObject* selected(const NodeRef& x, const NodeRef& mask) {
  if (!suits_mask(x, mask, 0.5)) return nullptr;
  const PlaceRef place = x->place;
  if (!place->queue->seen_idle()) wait_for(*place, "mask");
  const std::int64_t n = x->size(), count = count_of(memory_of(*mask), n);
  const NodeRef result = empty(place, x->dtype, Dims{count});
  if (count == 0) return wrap(result);
  if (!place->queue->known_idle() || !host::can_write(*result->storage, *place)) return nullptr;
  const auto timer = timer_of(Activity::host);
  with_unit(static_cast<std::size_t>(x->itemsize()), [&](auto unit) {
    using Unit = decltype(unit);
    const auto* from = reinterpret_cast<const Unit*>(memory_of(*x));
    auto* to = reinterpret_cast<Unit*>(memory_of(*result));
    each_picked(memory_of(*mask), n, [&](std::int64_t i, std::int64_t j) { to[j] = from[i]; });
  });
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "select"});
  return wrap(result);
}

/// x[mask] = values, of which there is one, or one for each place. False where the usual way has to do it.
bool placed(const NodeRef& x, const NodeRef& mask, const NodeRef& values) {
  if (!x->is_leaf() || !x->writable || !values->place || values->dtype != x->dtype || values->shape.size() > 1 ||
      values->place->queue != x->place->queue)
    return false;
  if (x->storage == mask->storage || !suits_mask(x, mask, 4)) return false;
  const Place& place = *x->place;
  evaluate(*values);
  const bool none = values->size() == 0;
  if (!none && (!values->c_contiguous() || values->shifts || values->storage == x->storage ||
                !host::can_read(*values->storage, place)))
    return false;
  prepare_target(*x);
  if (!host::can_write(*x->storage, place) || !place.queue->seen_idle() || EngineLock::held()) return false;
  const std::int64_t n = x->size();
  const bool one = values->size() == 1;
  if (!one && count_of(memory_of(*mask), n) != values->size()) return false;
  if (none) return true;
  const auto timer = timer_of(Activity::host);
  with_unit(static_cast<std::size_t>(x->itemsize()), [&](auto unit) {
    using Unit = decltype(unit);
    const auto* from = reinterpret_cast<const Unit*>(memory_of(*values));
    auto* to = reinterpret_cast<Unit*>(memory_of(*x));
    each_picked(memory_of(*mask), n, [&](std::int64_t i, std::int64_t j) { to[i] = from[one ? 0 : j]; });
  });
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done({.name = "place"});
  return true;
}

/// select_on_host(x, mask)
PyObject* select_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 2 || !is_array(argv[0]) || !is_array(argv[1])) Py_RETURN_NONE;
    PyObject* made = selected(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])));
    return made ? made : Py_NewRef(Py_None);
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

/// place_on_host(x, mask, values)
PyObject* place_on_host(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  try {
    if (argc != 3 || !is_array(argv[0]) || !is_array(argv[1]) || !is_array(argv[2])) Py_RETURN_FALSE;
    return PyBool_FromLong(placed(NodeRef(&node_of(argv[0])), NodeRef(&node_of(argv[1])), NodeRef(&node_of(argv[2]))));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <class F>
PyMethodDef fast_method(const char* name, F* function, const char* doc) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, doc};
}

PyMethodDef gather_functions[] = {
    fast_method("select_on_host", select_on_host,
                "select_on_host(x, mask): x[mask] of few elements that the host may read; None for all else."),
    fast_method(
        "place_on_host", place_on_host,
        "place_on_host(x, mask, values): x[mask] = values of few elements that the host may read now; False, and "
        "nothing done, for all else."),
    fast_method("gather_on_host", gather_on_host,
                "gather_on_host(x, index): x[index] of a few elements that the host may read now; None for all else."),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_engine_host_gather(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), gather_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
