// Basic indexing: views by ints, slices, Ellipsis and None.
#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"

namespace devarray {
namespace {

/// NumPy's arrays answer PyIndex_Check, too, but are sequences.
bool is_basic(PyObject* k) {
  return k == Py_Ellipsis || k == Py_None || PySlice_Check(k) || PyLong_CheckExact(k) ||
         (PyIndex_Check(k) && !PyBool_Check(k) && !is_array(k) && !PySequence_Check(k));
}

[[noreturn, gnu::cold]] void refuse_index(PyObject* index, std::size_t axis, std::int64_t size) {
  throw IndexError("index " + std::string(py::repr(index)) + " is out of bounds for axis " + std::to_string(axis) +
                   " with size " + std::to_string(size));
}

[[noreturn, gnu::cold]] void refuse_dimensions(std::size_t ndim) {
  throw IndexError("an array has at most " + std::to_string(kMaxDims) + " dimensions, the index asks for " +
                   std::to_string(ndim));
}

class BasicIndex {
 public:
  BasicIndex(const Node& n) : n_(n), offset_(n.offset) {}

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
  /// What has no elements holds none of the array's memory: a view for its dtype and axes alone, as Dask makes them.
  NodeRef view() const {
    if (!emptied_) [[likely]]
      return Node::view(n_, n_.dtype, shape_, strides_, offset_);
    NodeRef made = Node::derived_leaf(allocate_storage(n_.place, 0), n_.dtype, shape_, strides_, 0);
    made->is_view = true;
    made->writable = n_.writable;
    return made;
  }
  std::size_t ndim() const { return shape_.size(); }

 private:
  void keep_axis() {
    shape_.push_back(n_.shape[axis_]);
    strides_.push_back(n_.strides[axis_]);
    ++axis_;
  }
  void slice(PyObject* k) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(k, &start, &stop, &step) < 0) throw py::error_already_set();
    const Py_ssize_t length = PySlice_AdjustIndices(n_.shape[axis_], &start, &stop, step);
    emptied_ |= length == 0 && n_.shape[axis_] > 0;
    const std::int64_t from = n_.strides[axis_++];
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
    offset_ += i * n_.strides[axis_];
    ++axis_;
  }

  const Node& n_;
  std::size_t axis_ = 0;
  Dims shape_, strides_;
  std::int64_t offset_;
  bool emptied_ = false;
};

}  // namespace

NodeRef basic_index(const NodeRef& n, PyObject* key) {
  if (!PyTuple_Check(key)) {
    if (!is_basic(key)) return nullptr;
    const std::size_t consumed = key == Py_Ellipsis || key == Py_None ? 0 : 1;
    if (consumed > n->shape.size()) throw IndexError("too many indices: the array is 0-dimensional, 1 was given");
    evaluate(*n);
    BasicIndex index(*n);
    index.apply(key, consumed);
    index.finish();
    if (index.ndim() > kMaxDims) refuse_dimensions(index.ndim());
    return index.view();
  }
  const Py_ssize_t count = PyTuple_GET_SIZE(key);
  std::size_t consumed = 0;
  bool ellipsis = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* k = PyTuple_GET_ITEM(key, i);
    if (!is_basic(k)) return nullptr;
    if (k == Py_Ellipsis) {
      if (ellipsis) throw IndexError("an index can have one Ellipsis ('...') only");
      ellipsis = true;
    } else if (k != Py_None) {
      ++consumed;
    }
  }
  if (consumed > n->shape.size())
    throw IndexError("too many indices: the array has " + std::to_string(n->shape.size()) + " dimension" +
                     (n->shape.size() == 1 ? "" : "s") + ", " + std::to_string(consumed) + " were indexed");
  evaluate(*n);
  BasicIndex index(*n);
  for (Py_ssize_t i = 0; i < count; ++i) index.apply(PyTuple_GET_ITEM(key, i), consumed);
  index.finish();
  if (index.ndim() > kMaxDims) refuse_dimensions(index.ndim());
  return index.view();
}

}  // namespace devarray
