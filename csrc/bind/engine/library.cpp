// Work that a library (cuBLAS, cuSOLVER, cuFFT) enqueues on the queue of arrays.
#include <algorithm>
#include <climits>
#include <optional>

#include "bind/engine/array.hpp"
#include "bind/engine/quick.hpp"
#include "cuda/blas.hpp"
#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/lock.hpp"
#include "engine/planned.hpp"
#include "engine/product.hpp"
#include "engine/ranges.hpp"
#include "engine/record.hpp"
#include "engine/reduce.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// Device address of a leaf's first element; 0 where it has no elements.
std::uintptr_t address_of(const Node& n) {
  const Block& block = *n.storage->block;
  if (!block.allocation) return 0;
  if (block.allocation->is_buffer())
    throw DeviceError("a library call needs memory with an address, not an OpenCL buffer");
  return reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset +
         static_cast<std::uintptr_t>(n.offset);
}

std::string name_of_call(const py::object& function) {
  return py::hasattr(function, "__name__") ? py::str(function.attr("__name__")).cast<std::string>() : "library call";
}

/// enqueue(function, arrays, writes): function(*addresses), which enqueues work on the first array's queue, with the
/// device's context current. Hazards are met as for a kernel; bit i of `writes` says that the work writes array i.
py::object enqueue(const py::object& function, const py::sequence& arrays, std::uint64_t writes) {
  const std::vector<NodeRef> nodes = nodes_of(arrays);
  if (!nodes.empty()) make_room(*nodes[0]->place->queue);
  EngineLock lock;
  acquire_arrays("enqueue", nodes, writes);
  const Place& place = *nodes[0]->place;
  py::tuple addresses(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) addresses[i] = py::int_(address_of(*nodes[i]));
  std::optional<cuda::Current> current;
  if (const auto* stream = dynamic_cast<const cuda::Stream*>(place.queue.get())) current.emplace(*stream->context());
  py::object result;
  const NamedRange range([&] { return name_of_call(function); });
  const auto timer = timer_of(Activity::library, place.queue.get());
  try {
    result = function(*addresses);
    if (timer) timer->done(profiled(name_of_call(function), nodes, writes));
  } catch (...) {
    release_arrays(nodes, writes);  // part of the work may be under way
    throw;
  }
  note_launch(*place.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_arrays(nodes, writes);
  return result;
}

// --- matrix products ---------------------------------------------------------------------------------------------

/// How cuBLAS names a dtype, and what it computes in. False where it has no such products.
bool gemm_types(DType t, cuda::Gemm& g) {
  switch (t) {
    case DType::float16: g.data = 2, g.compute = 68; return true;
    case DType::float32: g.data = 0, g.compute = 68; return true;  // CUBLAS_COMPUTE_32F: never TF32
    case DType::float64: g.data = 1, g.compute = 70; return true;
    case DType::complex64: g.data = 4, g.compute = 68; return true;
    case DType::complex128: g.data = 5, g.compute = 70; return true;
    default: return false;
  }
}

/// A row-major matrix, or stack of them, as the transposed column-major one. False where BLAS cannot express its
/// strides. devarray/linalg/gemm.py's order_of is the same rule, and says more.
bool read_matrix(const Node& n, cuda::BlasMatrix& out) {
  const std::size_t last = n.shape.size() - 1;
  const std::int64_t rows = n.shape[last - 1], columns = n.shape[last], size = n.itemsize();
  const std::int64_t down = n.strides[last - 1], right = n.strides[last];
  std::int64_t step = 0;
  if ((right == size || columns == 1) && (rows == 1 || (down >= columns * size && down % size == 0))) {
    step = rows == 1 ? columns : down / size;
  } else if ((down == size || rows == 1) && (columns == 1 || (right >= rows * size && right % size == 0))) {
    out.transposed = true;
    step = columns == 1 ? rows : right / size;
  } else {
    return false;
  }
  if (last == 2) {
    if (n.strides[0] < 0 || n.strides[0] % size != 0) return false;
    out.batch_step = n.strides[0] / size;
  }
  out.step = static_cast<int>(step);
  out.address = address_of(n);
  return step <= INT_MAX;
}

/// What two arrays' matrix product is about: m rows, n columns, k products each, so often.
struct ProductSizes {
  std::int64_t batch = 1, m = 1, k = 0, n = 1;
};

/// False where it is none of matrices and vectors, or of two stacks of as many matrices, of one dtype on one device.
bool read_sizes_of_product(const Node& x, const Node& y, ProductSizes& s) {
  const std::size_t nx = x.shape.size(), ny = y.shape.size();
  if (!x.place || !y.place || x.dtype != y.dtype || x.place->device != y.place->device) return false;
  if (nx < 1 || ny < 1 || nx > 3 || ny > 3 || ((nx == 3 || ny == 3) && nx != ny)) return false;
  if (nx == 3) s.batch = x.shape[0];
  if (nx > 1) s.m = x.shape[nx - 2];
  if (ny > 1) s.n = y.shape[ny - 1];
  s.k = x.shape[nx - 1];
  return y.shape[ny == 1 ? 0 : ny - 2] == s.k && (nx < 3 || y.shape[0] == s.batch);
}

/// cuBLAS's product. Null where it has none.
NodeRef blas_product(const NodeRef& x, const NodeRef& y, const ProductSizes& s) {
  cuda::Gemm g;
  if (!gemm_types(x->dtype, g) || std::max({s.m, s.n, s.k, s.batch}) > INT_MAX) return nullptr;
  const PlaceRef place = x->place;
  const auto* stream = dynamic_cast<const cuda::Stream*>(place->queue.get());
  if (!stream) return nullptr;
  make_room(*place->queue);
  EngineLock lock;
  evaluate(*x);
  evaluate(*y);
  // In column-major order the factors change places: y' x' = (x y)'.
  if (!read_matrix(*as_matrix(y, false), g.a) || !read_matrix(*as_matrix(x, true), g.b)) return nullptr;
  Dims shape;
  if (x->shape.size() == 3) shape.push_back(s.batch);
  if (x->shape.size() > 1) shape.push_back(s.m);
  if (y->shape.size() > 1) shape.push_back(s.n);
  const NodeRef result = empty(place, x->dtype, shape);
  g.m = static_cast<int>(s.n), g.n = static_cast<int>(s.m), g.k = static_cast<int>(s.k);
  g.batch = static_cast<int>(s.batch);
  g.c = {address_of(*result), false, g.m, s.m * s.n};
  acquire_read(*x->storage, *place);
  acquire_read(*y->storage, *place);
  {
    const NamedRange range([] { return "gemm"; });
    const auto timer = timer_of(Activity::library, place->queue.get());
    const cuda::Current current(*stream->context());
    cuda::gemm(*stream, g);
    if (timer) timer->done(profiled("gemm", {x, y, result}, 4));
  }
  note_launch(*place->queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_read(*x->storage, *place);
  release_read(*y->storage, *place);
  return result;
}

/// Whether the sums of products are so long, and so few, that one after the other leaves most of a GPU idle.
bool is_deep(const ProductSizes& s) {
  constexpr std::int64_t kTile = 128 * 128, kLong = 1 << 15, kTimesAsLong = 64;
  return s.batch == 1 && s.m * s.n <= kTile && s.k >= kLong && s.k >= kTimesAsLong * std::max(s.m, s.n);
}

/// The product of matrices as a sum of products of their parts along the axis that they share. Null where cuBLAS has
/// none of these.
NodeRef deep_product(const NodeRef& x, const NodeRef& y, const ProductSizes& s) {
  const std::int64_t depth = std::clamp<std::int64_t>(s.k / 512, 256, 2048), parts = s.k / depth;
  evaluate(*x);
  evaluate(*y);
  const std::int64_t xm = x->strides[0], xk = x->strides[1], yk = y->strides[0], yn = y->strides[1];
  const NodeRef left = Node::view(*x, x->dtype, {parts, s.m, depth}, {depth * xk, xm, xk}, x->offset);
  const NodeRef right = Node::view(*y, y->dtype, {parts, depth, s.n}, {depth * yk, yk, yn}, y->offset);
  const NodeRef products = blas_product(left, right, {parts, s.m, depth, s.n});
  if (!products) return nullptr;
  Reduction r;
  r.kind = "sum";
  r.axes = {0};
  r.dtype = x->dtype;
  r.input_dies = true;
  NodeRef sum = reduce(products, r);
  const std::int64_t done = parts * depth, rest = s.k - done;
  if (rest == 0) return sum;
  const NodeRef last =
      blas_product(Node::view(*x, x->dtype, {s.m, rest}, x->strides, x->offset + done * xk),
                   Node::view(*y, y->dtype, {rest, s.n}, y->strides, y->offset + done * yk), {1, s.m, rest, s.n});
  static const OpId add = ops().find("add");
  RecordArg args[2];
  args[0].node = sum;
  args[1].node = last;
  return last ? record(add, args, 2) : nullptr;
}

/// gemm(x1, x2): common_product(), or None where it is null.
PyObject* gemm(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 2 || !is_array(argv[0]) || !is_array(argv[1])) Py_RETURN_NONE;
  PyObject* product = common_product(argv[0], argv[1]);
  if (!product) Py_RETURN_NONE;
  return product;
}

PyMethodDef library_functions[] = {
    fast<gemm>("gemm",
               "gemm(x1, x2): their matrix product by NumPy's BLAS, cuBLAS or a reduction, or None where it is none of "
               "the common cases."),
    {nullptr, nullptr, 0, nullptr}};

std::uintptr_t blas_handle(const QueuePtr& queue) {
  const auto* stream = dynamic_cast<const cuda::Stream*>(queue.get());
  if (!stream) throw DeviceError("a cuBLAS handle is for a CUDA stream");
  const cuda::Current current(*stream->context());
  return reinterpret_cast<std::uintptr_t>(cuda::blas_handle(*stream));
}

}  // namespace

PyObject* common_product(PyObject* a, PyObject* b) {
  if (PyObject* product = small_product(a, b)) return product;
  if (PyObject* product = host_product(a, b)) return product;
  const NodeRef x(&node_of(a)), y(&node_of(b));
  ProductSizes s;
  if (!read_sizes_of_product(*x, *y, s) || s.k == 0 || s.batch == 0 || s.m == 0 || s.n == 0) return nullptr;
  const Device& device = *x->place->device;
  const bool inexact = kind_of(x->dtype) == Kind::real || kind_of(x->dtype) == Kind::complex;
  const bool vector = x->shape.size() < 3 && (s.m == 1 || s.n == 1), one = s.m == 1 && s.n == 1;
  if (!inexact) return nullptr;
  NodeRef made;
  // Of float32 the reduction is quicker than cuBLAS's products with vectors, too.
  if (device.driver() == DriverKind::cuda && !one && !(vector && x->dtype == DType::float32)) {
    const bool parts = !vector && x->shape.size() == 2 && x->dtype != DType::float16;  // whose sums would be rounded
    if (cuda::has_blas() && parts && is_deep(s)) made = deep_product(x, y, s);
    if (!made && cuda::has_blas()) made = blas_product(x, y, s);
  } else if (vector && device.strategy() != Strategy::cpu)
    made = product_with_vector(x, y);
  return made ? wrap_result(std::move(made)) : nullptr;
}

void bind_engine_library(py::module_& m) {
  m.def("enqueue", &enqueue, py::arg("function"), py::arg("arrays"), py::arg("writes"));
  if (PyModule_AddFunctions(m.ptr(), library_functions) < 0) throw py::error_already_set();
  m.def("use_cublas",
        [](std::uintptr_t create, std::uintptr_t destroy, std::uintptr_t set_stream, std::uintptr_t gemm_ex,
           std::uintptr_t strided) { cuda::use_blas({create, destroy, set_stream, gemm_ex, strided}); });
  m.def("cublas_handle", &blas_handle, release_gil());
}

}  // namespace devarray
