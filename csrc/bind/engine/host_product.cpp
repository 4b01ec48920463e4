// Matrix products by NumPy's BLAS over memory that the host sees, by the strategy of CPUs. Programs call them in loops
// with vectors, where the way through Python's views of arrays would take longer than the product.
#include <pybind11/numpy.h>

#include "bind/engine/array.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

constexpr int kAligned = 0x100, kWriteable = 0x400;  // NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE

/// A NumPy view for the time of a call, which holds no reference to the memory.
py::object borrowed_view(const Node& n, int flags) {
  const py::detail::npy_api& numpy = py::detail::npy_api::get();
  auto* memory = static_cast<char*>(n.storage->block->host()) + n.offset;
  PyObject* made = numpy.PyArray_NewFromDescr_(
      numpy.PyArray_Type_, Py_NewRef(hooks().dtypes[static_cast<int>(n.dtype)]), static_cast<int>(n.shape.size()),
      reinterpret_cast<const Py_intptr_t*>(n.shape.data()), reinterpret_cast<const Py_intptr_t*>(n.strides.data()),
      memory, flags, nullptr);
  if (!made) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

bool host_sees(const Node& n) {
  if (n.size() == 0) return false;
  const Block& block = *n.storage->block;
  if (block.allocation) block.allocation->handle();  // throws where it was released
  return block.host() != nullptr;
}

/// Of two matrices, or of a matrix and a vector, of one dtype that BLAS has, at one place.
bool suits(const Node& x, const Node& y) {
  const std::size_t nx = x.shape.size(), ny = y.shape.size();
  if (nx < 1 || nx > 2 || ny < 1 || ny > 2 || !x.place || x.dtype != y.dtype) return false;
  if (!y.place || x.place->device != y.place->device || x.place->queue != y.place->queue) return false;
  const DType t = x.dtype;
  if (t != DType::float32 && t != DType::float64 && kind_of(t) != Kind::complex) return false;
  if (x.size() == 0 || x.shape[nx - 1] != y.shape[ny == 2 ? ny - 2 : 0]) return false;
  return y.size() > 0 && x.place->device->strategy() == Strategy::cpu;
}

}  // namespace

PyObject* host_product(PyObject* a, PyObject* b) {
  const NodeRef x(&node_of(a)), y(&node_of(b));
  if (!suits(*x, *y)) return nullptr;
  const PlaceRef place = x->place;
  evaluate(*x);
  evaluate(*y);
  if (!host_sees(*x) || !host_sees(*y)) return nullptr;
  Dims shape;
  if (x->shape.size() == 2) shape.push_back(x->shape[0]);
  if (y->shape.size() == 2) shape.push_back(y->shape[1]);
  const NodeRef result = empty(place, x->dtype, shape);
  if (!host_sees(*result)) return nullptr;
  acquire_read(*x->storage, *place);
  acquire_read(*y->storage, *place);
  acquire_write(*result->storage, *place);
  wait_for(*place, "matmul");
  static PyObject* const matmul = py::object(py::module_::import("numpy").attr("matmul")).release().ptr();
  const py::object left = borrowed_view(*x, kAligned), right = borrowed_view(*y, kAligned);
  const py::object out = borrowed_view(*result, kAligned | kWriteable);
  PyObject* const given[] = {nullptr, left.ptr(), right.ptr(), out.ptr()};
  const auto timer = timer_of(Activity::host);
  const auto made = py::reinterpret_steal<py::object>(without_unwinding(
      [&] { return PyObject_Vectorcall(matmul, given + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr); }));
  if (!made) throw py::error_already_set();
  if (timer) timer->done({.name = "matmul"});
  return wrap_result(result);
}

}  // namespace devarray
