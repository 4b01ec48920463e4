// Matrix products by NumPy's BLAS over memory that the host sees, by the strategy of CPUs: called directly where it is
// the OpenBLAS that NumPy's wheels bring, else through numpy.matmul.
#include <pybind11/numpy.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bind/engine/array.hpp"
#include "common/gil.hpp"
#include "engine/allocate.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/blas.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/host/narrow.hpp"
#include "engine/lock.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kLarge = 1 << 16;  // elements from which on other Python threads may run meanwhile

bool host_sees(const Node& n) {
  if (n.size() == 0) return false;
  const Block& block = *n.storage->block;
  if (block.allocation) block.allocation->handle();  // throws where it was released
  return block.host() != nullptr;
}

/// Whether nothing is under way for what a product reads and writes.
bool may_run_now(const Node& x, const Node& y, const Node& result) {
  const Place& place = *result.place;
  return host::can_read(*x.storage, place) && host::can_read(*y.storage, place) && place.queue->known_idle() &&
         host::can_write(*result.storage, place) && !EngineLock::held();
}

/// Of one dtype that BLAS has, at one place, that fit each other: matrices, stacks of them, and vectors.
bool suits(const Node& x, const Node& y) {
  const std::size_t nx = x.shape.size(), ny = y.shape.size();
  if (nx < 1 || ny < 1 || !x.place || x.dtype != y.dtype || (std::min(nx, ny) == 1 && std::max(nx, ny) > 2))
    return false;
  if (!y.place || x.place->device != y.place->device || x.place->queue != y.place->queue) return false;
  const DType t = x.dtype;
  if (t != DType::float32 && t != DType::float64 && kind_of(t) != Kind::complex) return false;
  if (x.size() == 0 || x.shape[nx - 1] != y.shape[ny > 1 ? ny - 2 : 0]) return false;
  return y.size() > 0 && x.place->device->strategy() == Strategy::cpu;
}

/// Sizes of the stack that two stacks of matrices make. False where they do not fit each other.
bool stack_of(const Node& x, const Node& y, Dims& sizes) {
  const std::size_t nx = x.shape.size(), ny = y.shape.size(), most = std::max(nx, ny);
  for (std::size_t d = most; d > 2; --d) {  // counted from behind
    const std::int64_t a = nx >= d ? x.shape[nx - d] : 1, b = ny >= d ? y.shape[ny - d] : 1;
    if (a != b && a != 1 && b != 1) return false;
    sizes.push_back(a == 1 ? b : a);
  }
  return true;
}

/// Sizes and strides of the last two axes, in elements; of a vector as a column.
struct Sides {
  std::int64_t rows = 1, columns = 1, down = 0, right = 0;
  bool whole = true;  ///< strides are whole elements: fields of records may have others

  explicit Sides(const Node& n) {
    const std::size_t axes = n.shape.size(), first = axes > 1 ? axes - 2 : 0;
    rows = n.shape[first], down = n.strides[first];
    if (axes > 1) columns = n.shape[axes - 1], right = n.strides[axes - 1];
    const auto size = static_cast<std::int64_t>(size_of(n.dtype));
    whole = down % size == 0 && right % size == 0;
    down /= size, right /= size;
  }
  bool is_vector() const { return columns == 1 && (down == 1 || rows == 1); }
  void transpose() { std::swap(rows, columns), std::swap(down, right); }
};

/// The last two axes as BLAS takes them. False where it cannot.
bool read_matrix(const Node& n, const Sides& sides, host::BlasMatrix& matrix) {
  if (!sides.whole) return false;
  const bool rows = sides.right == 1 || sides.columns == 1, columns = sides.down == 1 || sides.rows == 1;
  matrix = {memory_of(n), sides.down, false};
  if (rows && (sides.down >= sides.columns || sides.rows == 1))
    matrix.lead = std::max(sides.rows == 1 ? 0 : sides.down, sides.columns);
  else if (columns && (sides.right >= sides.rows || sides.columns == 1))
    matrix.transposed = true, matrix.lead = std::max(sides.columns == 1 ? 0 : sides.right, sides.rows);
  else
    return false;
  return true;
}

/// Steps of a stack's axes, in bytes: 0 along those that are repeated.
Dims steps_of(const Node& n, const Dims& stack) {
  const std::size_t axes = n.shape.size() > 2 ? n.shape.size() - 2 : 0, missing = stack.size() - axes;
  Dims steps;
  for (std::size_t d = 0; d < stack.size(); ++d)
    steps.push_back(d < missing || n.shape[d - missing] == 1 ? 0 : n.strides[d - missing]);
  return steps;
}

/// Whether numpy.matmul calls another function of BLAS than host::multiply(): small products have its bits.
bool is_numpys_own(const host::BlasProduct& p) {
  return p.k == 1 || (p.m == 1 && p.n == 1) || ((p.m == 1 || p.n == 1) && kind_of(p.dtype) == Kind::complex);
}

/// Stores a product by NumPy's BLAS, a large one on threads of ours. False where BLAS cannot read the operands, and
/// for a large matrix by its own transpose.
bool store_blas_product(const Node& x, const Node& y, const Dims& stack, const Node& result) {
  if (!host::has_blas(x.dtype) || (x.shape.size() == 1 && y.shape.size() == 1)) return false;
  Sides a(x), b(y);
  if (x.shape.size() == 1) a.transpose();
  host::BlasProduct p{x.dtype, a.rows,  b.columns, a.columns,          {},
                      {},      nullptr, stack,     steps_of(x, stack), steps_of(y, stack)};
  if (!read_matrix(x, a, p.a) || !read_matrix(y, b, p.b)) return false;
  const bool small = is_small_product(x, y), by_itself = host::is_by_itself(p);
  if (small ? is_numpys_own(p) || (by_itself && !stack.empty()) : by_itself) return false;
  p.c = memory_of(result);
  std::optional<GilRelease> away;
  if (result.size() * p.k > kLarge) away.emplace();
  host::multiply(p);
  return true;
}

void store_numpys_product(const Node& x, const Node& y, const Node& result) {
  static PyObject* const matmul = py::object(py::module_::import("numpy").attr("matmul")).release().ptr();
  const py::object left = borrowed_view(x), right = borrowed_view(y);
  const py::object out = borrowed_view(result, true);
  PyObject* const given[] = {nullptr, left.ptr(), right.ptr(), out.ptr()};
  const auto made = py::reinterpret_steal<py::object>(without_unwinding(
      [&] { return PyObject_Vectorcall(matmul, given + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr); }));
  if (!made) throw py::error_already_set();
}

/// Stores the product of a matrix of short rows, or short columns, and a vector. False where it is another one.
bool store_narrow_product(const Node& x, const Node& y, const Node& result) {
  if (x.dtype != DType::float32 && x.dtype != DType::float64) return false;
  Sides a(x), b(y);
  if (!a.whole || !b.whole) return false;
  if (x.shape.size() == 1) a.transpose();
  const char *matrix = memory_of(x), *vector = memory_of(y);
  if (!b.is_vector()) {  // x @ y is (y.T @ x.T).T
    a.transpose(), b.transpose();
    std::swap(a, b), std::swap(matrix, vector);
    if (!b.is_vector()) return false;
  }
  host::NarrowMatrix m{x.dtype, matrix, a.rows, a.columns, a.down};
  bool by_rows = a.right == 1;
  if (!by_rows && a.down == 1)
    m.rows = a.columns, m.columns = a.rows, m.stride = a.right;
  else if (!by_rows)
    return false;
  if (!host::is_narrow(m)) return false;
  std::optional<GilRelease> away;
  if (x.size() > kLarge) away.emplace();
  host::multiply(m, vector, memory_of(result), by_rows);
  return true;
}

}  // namespace

PyObject* host_product(PyObject* a, PyObject* b) {
  const NodeRef x(&node_of(a)), y(&node_of(b));
  Dims stack;
  if (!suits(*x, *y) || !stack_of(*x, *y, stack)) return nullptr;
  const PlaceRef place = x->place;
  evaluate(*x);
  evaluate(*y);
  if (!host_sees(*x) || !host_sees(*y)) return nullptr;
  Dims shape = stack;
  if (x->shape.size() > 1) shape.push_back(x->shape[x->shape.size() - 2]);
  if (y->shape.size() > 1) shape.push_back(y->shape[y->shape.size() - 1]);
  const NodeRef result = empty(place, x->dtype, shape);
  if (!host_sees(*result)) return nullptr;
  if (!is_small_product(*x, *y) || !may_run_now(*x, *y, *result)) {
    acquire_read(*x->storage, *place);
    acquire_read(*y->storage, *place);
    acquire_write(*result->storage, *place);
    wait_for(*place, "matmul");
  }
  const auto timer = timer_of(Activity::host);
  const bool narrow = stack.empty() && !is_small_product(*x, *y) && store_narrow_product(*x, *y, *result);
  const bool ours = narrow || store_blas_product(*x, *y, stack, *result);
  if (!ours) store_numpys_product(*x, *y, *result);
  if (timer) timer->done({.name = "matmul"});
  return wrap_result(result);
}

}  // namespace devarray
