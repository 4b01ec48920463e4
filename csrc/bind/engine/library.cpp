// Work that a library (cuBLAS, cuSOLVER, cuFFT) enqueues on the queue of arrays.
#include <algorithm>
#include <optional>

#include "bind/engine/array.hpp"
#include "bind/engine/blas_product.hpp"
#include "bind/engine/quick.hpp"
#include "bind/python/call.hpp"
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
  for (std::size_t i = 0; i < nodes.size(); ++i) addresses[i] = py::int_(library_address(*nodes[i]));
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

/// cuBLAS's product. Null where it has none.
NodeRef blas_product(const NodeRef& x, const NodeRef& y, const ProductSizes& s) {
  const PlaceRef place = x->place;
  const auto* stream = dynamic_cast<const cuda::Stream*>(place->queue.get());
  if (!stream) return nullptr;
  make_room(*place->queue);
  EngineLock lock;
  const std::optional<BlasProduct> product = plan_blas_product(x, y, s);
  if (!product) return nullptr;
  acquire_read(*product->x->storage, *place);
  acquire_read(*product->y->storage, *place);
  {
    const NamedRange range([] { return "gemm"; });
    const auto timer = timer_of(Activity::library, place->queue.get());
    const cuda::Current current(*stream->context());
    for (const cuda::Gemm& call : product->calls) cuda::gemm(*stream, call);
    if (timer) timer->done(profiled("gemm", {product->x, product->y, product->result}, 4));
  }
  note_launch(*place->queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_read(*product->x->storage, *place);
  release_read(*product->y->storage, *place);
  return product->result;
}

/// Whether the sums of products are so long, and so few, that one after the other leaves most of a GPU idle.
bool is_deep(const ProductSizes& s) {
  constexpr std::int64_t kTile = 128 * 128, kLong = 1 << 15, kTimesAsLong = 64;
  return s.m * s.n <= kTile && s.k >= kLong && s.k >= kTimesAsLong * std::max(s.m, s.n);
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
  const NodeRef products = blas_product(left, right, {Dims{parts}, s.m, depth, s.n});
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
                   Node::view(*y, y->dtype, {rest, s.n}, y->strides, y->offset + done * yk), {Dims{}, s.m, rest, s.n});
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

PyObject* common_product(PyObject* a, PyObject* b, bool a_dies, bool b_dies) {
  if (PyObject* product = small_product(a, b)) return product;
  if (PyObject* product = host_product(a, b)) return product;
  const NodeRef x(&node_of(a)), y(&node_of(b));
  ProductSizes s;
  if (!read_sizes_of_product(*x, *y, s) || x->size() == 0 || y->size() == 0) return nullptr;
  const Device& device = *x->place->device;
  const bool inexact = kind_of(x->dtype) == Kind::real || kind_of(x->dtype) == Kind::complex;
  const bool vector = s.batch.empty() && (s.m == 1 || s.n == 1), one = s.m == 1 && s.n == 1;
  if (are_small(*x, *y)) return wrap_result(product_of_small(x, y));
  if (!inexact) return nullptr;
  if (is_tall_product(*x, *y)) return call_python(hooks().tall_product, py::handle(a), py::handle(b)).release().ptr();
  if (is_row_product(*x, *y)) return call_python(hooks().row_product, py::handle(a), py::handle(b)).release().ptr();
  NodeRef made;
  // Of float32, and of short rows, the reduction is quicker than cuBLAS's products with vectors, too.
  if (device.driver() == DriverKind::cuda && !one && !(vector && (x->dtype == DType::float32 || is_narrow(*x, *y)))) {
    const bool parts = !vector && s.batch.empty() && x->dtype != DType::float16;  // whose sums would be rounded
    if (cuda::has_blas() && parts && is_deep(s)) made = deep_product(x, y, s);
    if (!made && cuda::has_blas()) made = blas_product(x, y, s);
  } else if (vector && device.strategy() != Strategy::cpu)
    made = product_with_vector(x, y, a_dies, b_dies);
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
