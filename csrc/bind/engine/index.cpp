// Basic indexing: views by ints, slices, Ellipsis and None.
#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"
#include "engine/pending_views.hpp"

namespace devarray {
namespace {

/// NumPy's arrays answer PyIndex_Check, too, but are sequences.
bool is_basic(PyObject* k) {
  return k == Py_Ellipsis || k == Py_None || PySlice_Check(k) || PyLong_CheckExact(k) ||
         (PyIndex_Check(k) && !PyBool_Check(k) && !is_array(k) && !PySequence_Check(k));
}

std::string too_many_indices(std::size_t ndim, std::size_t given) {
  return "too many indices for array: array is " + std::to_string(ndim) + "-dimensional, but " + std::to_string(given) +
         " were indexed";
}

[[noreturn, gnu::cold]] void refuse_index(PyObject* index, std::size_t axis, std::int64_t size) {
  throw IndexError("index " + std::string(py::repr(index)) + " is out of bounds for axis " + std::to_string(axis) +
                   " with size " + std::to_string(size));
}

[[noreturn, gnu::cold]] void refuse_dimensions(std::size_t ndim) {
  const std::string most = std::to_string(kMaxDims);
  throw IndexError("number of dimensions must be within [0, " + most + "], indexing result would have " +
                   std::to_string(ndim) + ": an array has at most " + most + " dimensions");
}

class BasicIndex {
 public:
  /// Over the memory of a leaf, or over what a pending value would be in C order.
  BasicIndex(const Node& n, const Dims& own_strides, std::int64_t offset)
      : n_(n), own_strides_(own_strides), offset_(offset) {}

  void apply(PyObject* k, std::size_t consumed) {
    if (k == Py_None) {
      shape_.push_back(1);
      strides_.push_back(0);
    } else if (k == Py_Ellipsis) {
      for (std::size_t left = n_.shape.size() - consumed; left > 0; --left) keep_axis();
    } else if (PySlice_Check(k)) {
      slice(k);
    } else {
      integer(k);
    }
  }
  void finish() {
    while (axis_ < n_.shape.size()) keep_axis();
  }
  NodeRef view() const {
    return emptied_ ? view_without_elements() : Node::view(n_, n_.dtype, shape_, strides_, offset_);
  }
  /// Of a pending value. Null where it is to be evaluated first.
  NodeRef waiting_view(const NodeRef& n) const {
    if (!n->is_pending()) return nullptr;  // by what an integer's __index__ has done
    return emptied_ ? view_without_elements() : view_of_pending(n, shape_, {strides_, offset_});
  }
  std::size_t ndim() const { return shape_.size(); }

 private:
  /// It holds none of the array's memory: Dask makes such views for their dtype and axes, and keeps them.
  [[gnu::noinline, gnu::cold]] NodeRef view_without_elements() const {
    NodeRef made = Node::derived_leaf(allocate_storage(n_.place, 0), n_.dtype, shape_, strides_, 0);
    made->is_view = true;
    made->writable = n_.writable;
    return made;
  }
  void keep_axis() {
    shape_.push_back(n_.shape[axis_]);
    strides_.push_back(own_strides_[axis_]);
    ++axis_;
  }
  void slice(PyObject* k) {
    const auto* const s = reinterpret_cast<PySliceObject*>(k);
    if (s->start == Py_None && s->stop == Py_None && s->step == Py_None) return keep_axis();
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(k, &start, &stop, &step) < 0) throw py::error_already_set();
    const Py_ssize_t length = PySlice_AdjustIndices(n_.shape[axis_], &start, &stop, step);
    emptied_ |= length == 0 && n_.shape[axis_] > 0;
    const std::int64_t from = own_strides_[axis_++];
    std::int64_t stride = 0;  // stays 0 where it does not fit: at most one element is left, which nobody steps from
    if (__builtin_mul_overflow(from, std::int64_t{step}, &stride)) stride = 0;
    shape_.push_back(length);
    strides_.push_back(stride);
    if (length > 0) offset_ += start * from;
  }
  void integer(PyObject* k) {
    const Py_ssize_t given = PyNumber_AsSsize_t(k, nullptr);  // cut down to 64 bits, which are out of bounds as well
    if (given == -1 && PyErr_Occurred()) throw py::error_already_set();
    const std::int64_t size = n_.shape[axis_], i = given < 0 ? given + size : given;
    if (i < 0 || i >= size) refuse_index(k, axis_, size);
    offset_ += i * own_strides_[axis_];
    ++axis_;
  }

  const Node& n_;
  const Dims& own_strides_;
  std::size_t axis_ = 0;
  Dims shape_, strides_;
  std::int64_t offset_;
  bool emptied_ = false;
};

/// Where the key's parts are: itself, or the items of a tuple.
struct Parts {
  PyObject* const* items;
  Py_ssize_t count;
  std::size_t consumed;  ///< axes that they index
};

inline void apply_parts(BasicIndex& index, const Parts& parts) {
  for (Py_ssize_t i = 0; i < parts.count; ++i) index.apply(parts.items[i], parts.consumed);
  index.finish();
  if (index.ndim() > kMaxDims) refuse_dimensions(index.ndim());
}

[[gnu::noinline]] NodeRef waiting_view(const NodeRef& n, const Parts& parts) {
  const Placement own = pending_placement(*n);
  BasicIndex index(*n, own.strides, own.offset);
  apply_parts(index, parts);
  return index.waiting_view(n);
}

inline NodeRef view_by(const NodeRef& n, const Parts& parts) {
  if (!n->is_leaf()) [[unlikely]] {
    if (views_wait(*n))
      if (NodeRef view = waiting_view(n, parts)) return view;
    evaluate(*n);
  }
  BasicIndex index(*n, n->strides, n->offset);
  apply_parts(index, parts);
  return index.view();
}

}  // namespace

NodeRef basic_index(const NodeRef& n, PyObject* key) {
  if (!PyTuple_Check(key)) {
    if (!is_basic(key)) return nullptr;
    const std::size_t consumed = key == Py_Ellipsis || key == Py_None ? 0 : 1;
    if (consumed > n->shape.size()) throw IndexError(too_many_indices(0, 1));
    return view_by(n, {&key, 1, consumed});
  }
  PyObject* const* const items = &PyTuple_GET_ITEM(key, 0);
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  std::size_t consumed = 0;
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* k = items[i];
    if (!is_basic(k)) return nullptr;
    if (k == Py_Ellipsis) {
      if (ellipsis) throw IndexError("an index can only have a single ellipsis ('...')");
      ellipsis = true;
    } else if (k != Py_None) {
      ++consumed;
    }
  }
  if (consumed > n->shape.size()) throw IndexError(too_many_indices(n->shape.size(), consumed));
  return view_by(n, {items, count, consumed});
}

}  // namespace devarray
