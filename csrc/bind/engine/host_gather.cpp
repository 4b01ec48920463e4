// x[index] of a few elements whose memory the host sees: at once, without a launch, since nothing is under way for
// them.
#include <cstring>

#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"

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

PyMethodDef gather_functions[] = {
    {"gather_on_host", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(gather_on_host)), METH_FASTCALL,
     "gather_on_host(x, index): x[index] of a few elements that the host may read now; None for all else."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void bind_engine_host_gather(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), gather_functions) < 0) throw py::error_already_set();
}

}  // namespace devarray
