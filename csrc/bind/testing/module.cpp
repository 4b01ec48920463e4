// devarray._core.testing, in builds with DEVARRAY_TESTING: the mock device of csrc/testing/mock_driver.hpp, for tests
// of memory resources, and what else tests look at.
#include "bind/engine/array.hpp"
#include "bind/engine/blas_product.hpp"
#include "bind/memory/callback.hpp"
#include "bind/memory/memory.hpp"
#include "common/small_vector.hpp"
#include "engine/kernel_spec.hpp"
#include "memory/copy.hpp"
#include "testing/mock_driver.hpp"

namespace devarray {
namespace {

using namespace py::literals;

template <auto Member>
auto counter() {
  return [](const mock::Device& d) { return (d.*Member).load(); };
}

Allocation& memory_of(Block& block) {
  if (!block.allocation) throw ValueError("the block has no memory");
  return *block.allocation;
}

/// blas_calls(x, y): (arrays that the calls use, the result last; the calls of cuBLAS, by its parameters).
py::tuple blas_calls(py::handle a, py::handle b) {
  const NodeRef x(&require_array(a)), y(&require_array(b));
  ProductSizes sizes;
  if (!read_sizes_of_product(*x, *y, sizes)) throw ShapeError("no product");
  const std::optional<BlasProduct> product = plan_blas_product(x, y, sizes);
  if (!product) throw ValueError("no calls");
  py::list calls;
  for (const cuda::Gemm& g : product->calls)
    calls.append(py::make_tuple(g.a.transposed, g.b.transposed, g.m, g.n, g.k, g.a.address, g.a.step, g.a.batch_step,
                                g.b.address, g.b.step, g.b.batch_step, g.c.address, g.c.step, g.c.batch_step, g.batch,
                                g.data, g.compute));
  return py::make_tuple(py::make_tuple(wrapped(product->x), wrapped(product->y), wrapped(product->result)), calls);
}

}  // namespace

void bind_testing(py::module_& m) {
  py::module_ t = m.def_submodule("testing", "A device whose queues run when the test says so.");

  py::class_<mock::Device, Device, std::shared_ptr<mock::Device>>(t, "MockDevice", "A device in host memory.")
      .def(py::init([](const std::vector<std::string>& kinds, std::size_t memory, std::size_t max_allocation) {
             std::vector<MemoryKind> list;
             for (const std::string& name : kinds) list.push_back(kind_from(name));
             return std::make_shared<mock::Device>(std::move(list), memory, max_allocation);
           }),
           "kinds"_a = std::vector<std::string>{"svm_fine"}, "memory"_a = std::size_t{1} << 30, "max_allocation"_a = 0)
      .def("create_ordered_queue", &mock::Device::create_ordered_queue, py::arg("with_all"),
           "A queue that the driver keeps in order with others, as CUDA does with its legacy default stream.")
      .def_property_readonly("live_allocations", counter<&mock::Device::live_allocations>())
      .def_property_readonly("live_bytes", counter<&mock::Device::live_bytes>())
      .def_property_readonly("allocations_made", counter<&mock::Device::allocations_made>())
      .def_property_readonly("freed_in_use", counter<&mock::Device::freed_in_use>(),
                             "Pointers freed under pending work: a bug in a resource.")
      .def_property_readonly("host_waits", counter<&mock::Device::host_waits>())
      .def_property_readonly("events_recorded", counter<&mock::Device::events_recorded>())
      .def_property_readonly("events_waited", counter<&mock::Device::events_waited>())
      .def_property(
          "drop_waits", [](const mock::Device& d) { return d.drop_waits.load(); },
          [](mock::Device& d, bool drop) { d.drop_waits = drop; },
          "Queues ignore wait_event: shows that a test sees races.")
      .def(
          "fail_after", [](mock::Device& d, std::size_t n) { d.fail_after = n; }, "allocations"_a,
          "Let this many more allocations succeed and all after them fail.")
      .def("fail_never", [](mock::Device& d) { d.fail_after = ~std::size_t{0}; });

  py::class_<mock::Queue, Queue, std::shared_ptr<mock::Queue>>(t, "MockQueue", "A queue that runs when told.")
      .def_property_readonly("pending", &mock::Queue::pending, "Pieces of work not done.")
      .def("step", &mock::Queue::step, release_gil(), "Do the oldest piece of work; False if none can be done.")
      .def("run", &mock::Queue::run, release_gil(), "Do all that can be done; returns the number of steps.")
      .def(
          "fill",
          [](mock::Queue& q, Block& block, int byte) {
            const char pattern = static_cast<char>(byte);
            q.fill(memory_of(block), block.offset, &pattern, 1, block.size);
          },
          "block"_a, "byte"_a, "Enqueue the filling of a block, without noting the use.")
      .def(
          "copy",
          [](mock::Queue& q, Block& to, Block& from) {
            q.copy(memory_of(to), to.offset, memory_of(from), from.offset, std::min(to.size, from.size));
          },
          "to"_a, "from_"_a, "Enqueue a copy between blocks, without noting the uses.");

  py::class_<mock::GrowingResource, MemoryResource, std::shared_ptr<mock::GrowingResource>>(
      t, "GrowingResource", "Blocks that grow in place, within ranges of an upstream.")
      .def(py::init<ResourcePtr, std::size_t, std::size_t>(), "upstream"_a, "range"_a, "granule"_a)
      .def_property_readonly("mapped", [](const mock::GrowingResource& r) { return r.mapped.load(); });

  t.def(
      "used_until_now_on", [](Block& b, const QueuePtr& queue) { b.used_until_now_on(queue); }, "block"_a, "queue"_a,
      "Note all that is enqueued on the queue by the time that the block is used again.");
  t.def("kernel_cache_size", &kernel_cache_size, "Kernels that are found by their expressions.");

#if DEVARRAY_ASSERTIONS
  t.attr("assertions") = true;
#else
  t.attr("assertions") = false;
#endif
  t.def(
      "element",
      [](const std::vector<std::int64_t>& values, std::size_t i) { return Dims(values.begin(), values.end())[i]; },
      "values"_a, "i"_a, "An element of a SmallVector, which checks the index.");
  t.def(
      "last", [](const std::vector<std::int64_t>& values) { return Dims(values.begin(), values.end()).back(); },
      "values"_a);
  t.def(
      "erase",
      [](const std::vector<std::int64_t>& values, std::size_t i) {
        Dims dims(values.begin(), values.end());
        dims.erase(i);
        return std::vector<std::int64_t>(dims.begin(), dims.end());
      },
      "values"_a, "i"_a);

  t.def(
      "peek",
      [](Block& block) {
        const char* base = static_cast<const char*>(memory_of(block).handle()) + block.offset;
        return py::bytes(base, block.size);
      },
      "block"_a, "The bytes of a mock device's block as they are now.");
  t.def(
      "copy_bytes",
      [](const py::buffer& to, const py::buffer& from) {
        const py::buffer_info target = to.request(true), source = from.request();
        GilRelease release;
        copy_bytes(target.ptr, source.ptr, static_cast<std::size_t>(source.size * source.itemsize));
      },
      "to"_a, "from_"_a, "Copy host memory by the copying threads.");
  t.def("blas_calls", &blas_calls);
}

}  // namespace devarray
