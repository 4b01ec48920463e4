// Blocks, memory resources, pools and adaptors, as devarray.alloc shows them.
#include "bind/docs/memory.hpp"
#include "bind/engine/quick.hpp"
#include "bind/memory/callback.hpp"
#include "bind/memory/memory.hpp"
#include "memory/adaptor.hpp"
#include "memory/async.hpp"
#include "memory/driver_resource.hpp"
#include "memory/pool.hpp"
#include "memory/virtual.hpp"

namespace devarray {
namespace {

using namespace py::literals;

Ref<Block> allocate(MemoryResource& resource, long long nbytes, const QueuePtr& queue) {
  if (nbytes < 0) throw ValueError("nbytes is " + std::to_string(nbytes) + "; it must not be negative");
  if (queue && queue->device() != resource.device())
    throw DeviceError("the queue is of " + queue->device()->label() + " and the memory of " +
                      resource.device()->label() + "; give a queue of the memory's device");
  const auto bytes = static_cast<std::size_t>(nbytes);
  if (Ref<Block> block = resource.try_allocate(bytes, queue)) return block;
  GilRelease release;
  return resource.allocate(bytes, queue);
}

PyObject* quick_allocate(PyObject* self, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<2> signature = {"allocate", {"nbytes", "queue"}, 1};
  const QuickArguments<2> arguments(signature, given, positional, keywords);
  const std::size_t given_bytes = byte_count(arguments[0], "allocate", "nbytes");
  if (given_bytes > static_cast<std::size_t>(INT64_MAX))
    throw ValueError("allocate: nbytes is " + std::to_string(given_bytes) + ", more than 2**63 - 1");
  const auto nbytes = static_cast<long long>(given_bytes);
  const QueuePtr queue = optional_queue(arguments[1], "allocate");
  return py::cast(allocate(py::handle(self).cast<MemoryResource&>(), nbytes, queue)).release().ptr();
}

PyMethodDef resource_methods[] = {quick<quick_allocate>("allocate", docs::kMemoryResourceAllocate),
                                  {nullptr, nullptr, 0, nullptr}};

py::buffer_info buffer_of(Block& block) {
  static char nothing = 0;
  void* host = block.size == 0 ? &nothing : block.host();
  if (!host)
    throw py::buffer_error(std::string("memory of kind '") + name_of(block.kind()) +
                           "' is not visible to the host; copy it, or map it on a queue");
  return py::buffer_info(host, 1, "B", 1, {static_cast<py::ssize_t>(block.size)}, {py::ssize_t{1}});
}

std::uintptr_t handle_of(const Block& block) {
  if (!block.allocation) return 0;
  const auto base = reinterpret_cast<std::uintptr_t>(block.allocation->handle());
  return block.allocation->is_buffer() ? base : base + block.offset;
}

std::string repr_of(const Block& block) {
  if (!block.allocation) return "<devarray.Block of 0 bytes>";
  return "<devarray.Block of " + std::to_string(block.size) + " bytes, " + name_of(block.kind()) + " of " +
         block.allocation->device().label() + ">";
}

void bind_block(py::module_& m) {
  py::class_<Block, Ref<Block>>(m, "Block", py::buffer_protocol(), docs::kBlock)
      .def_buffer(&buffer_of)
      .def_property_readonly(
          "nbytes", [](const Block& b) { return b.size; }, "Bytes asked for.")
      .def_property_readonly(
          "capacity", [](const Block& b) { return b.capacity; }, "Bytes reserved.")
      .def_property_readonly(
          "offset", [](const Block& b) { return b.offset; }, "Where in the allocation it starts, in bytes.")
      .def_property_readonly(
          "allocation", [](const Block& b) { return b.allocation; },
          "The driver's object that it lies in; None for 0 bytes.")
      .def_property_readonly("handle", &handle_of,
                             "The address as an integer, or the cl_mem, in which it starts at `offset`.")
      .def_property_readonly("kind", [](const Block& b) { return b.allocation ? name_of(b.kind()) : nullptr; })
      .def_property_readonly(
          "resource", [](const Block& b) { return b.owner; }, "Where the memory goes back to.")
      .def_property_readonly(
          "queue", [](const Block& b) { return b.timeline ? b.timeline->queue() : nullptr; },
          "The queue of its last use, whose order protects its reuse; None once it is gone.")
      .def(
          "used_on", [](Block& b, const QueuePtr& queue) { b.used_on(queue); }, "queue"_a.none(false),
          docs::kBlockUsedOn)
      .def("__repr__", &repr_of);
}

void bind_resource(py::module_& m) {
  py::class_<MemoryResource, ResourcePtr> cls(m, "MemoryResource", docs::kMemoryResource);
  add_methods(cls, resource_methods);
  cls.def(
         "__call__", [](MemoryResource& r, long long nbytes) { return allocate(r, nbytes, nullptr); }, "nbytes"_a,
         docs::kMemoryResourceCall)
      .def_property_readonly("device", &MemoryResource::device)
      .def_property_readonly(
          "kind", [](MemoryResource& r) { return name_of(r.kind()); },
          "'buffer', 'svm_coarse', 'svm_fine', 'device', 'managed' or 'pinned'.")
      .def_property_readonly("upstream", &MemoryResource::upstream, "The resource that it takes memory from, or None.")
      .def("trim", &MemoryResource::trim, release_gil(), docs::kMemoryResourceTrim)
      .def("__repr__", [](MemoryResource& r) { return "<devarray.alloc: " + r.describe() + ">"; });

  py::class_<DirectResource, MemoryResource, std::shared_ptr<DirectResource>>(m, "DeviceMemoryResource",
                                                                              docs::kDeviceMemoryResource)
      .def(py::init([](const DevicePtr& device, const std::optional<std::string>& kind) {
             const MemoryKind k = kind ? kind_from(*kind) : device->memory_kinds().front();
             return std::make_shared<DirectResource>(device, k);
           }),
           "device"_a.none(false), "kind"_a = py::none());
}

template <auto Member>
auto async_figure() {
  return [](const AsyncResource& pool) { return pool.figures().*Member; };
}

void bind_async(py::module_& m) {
  py::class_<AsyncResource, MemoryResource, std::shared_ptr<AsyncResource>>(m, "CudaAsyncMemoryResource",
                                                                            docs::kCudaAsyncMemoryResource)
      .def(py::init<DevicePtr>(), "device"_a.none(false))
      .def_property_readonly("used_bytes", async_figure<&AsyncFigures::used>(), "Bytes in use.")
      .def_property_readonly("reserved_bytes", async_figure<&AsyncFigures::reserved>(), "Bytes that the pool has.")
      .def_property_readonly("peak_used_bytes", async_figure<&AsyncFigures::peak_used>())
      .def_property_readonly("peak_reserved_bytes", async_figure<&AsyncFigures::peak_reserved>())
      .def("reset_peaks", &AsyncResource::reset_peaks, docs::kCudaAsyncMemoryResourceResetPeaks);
}

void bind_virtual(py::module_& m) {
  py::class_<VirtualResource, MemoryResource, std::shared_ptr<VirtualResource>>(m, "CudaVirtualMemoryResource",
                                                                                docs::kCudaVirtualMemoryResource)
      .def(py::init<DevicePtr>(), "device"_a.none(false))
      .def_property_readonly("granule", &VirtualResource::granule, "Bytes that blocks grow by.");
}

template <auto Member>
auto figure() {
  return [](const PoolResource& pool) { return pool.figures().*Member; };
}

void bind_pool(py::module_& m) {
  py::class_<PoolResource, MemoryResource, std::shared_ptr<PoolResource>>(m, "PoolMemoryResource",
                                                                          docs::kPoolMemoryResource)
      .def(py::init([](ResourcePtr upstream, std::optional<unsigned> bits) {
             return bits ? bin_pool(std::move(upstream), *bits) : pool_resource(std::move(upstream));
           }),
           "upstream"_a.none(false), py::kw_only(), "leading_bits_in_bin_id"_a = py::none())
      .def_property_readonly("held_blocks", figure<&PoolFigures::held_blocks>(), "Free blocks kept.")
      .def_property_readonly("active_blocks", figure<&PoolFigures::active_blocks>(), "Blocks in use.")
      .def_property_readonly("held_bytes", figure<&PoolFigures::held_bytes>(), "Bytes in free blocks.")
      .def_property_readonly("active_bytes", figure<&PoolFigures::active_bytes>(), "Bytes in use, as asked for.")
      .def_property_readonly("managed_bytes", figure<&PoolFigures::managed_bytes>(),
                             "All bytes that the pool has from its upstream.")
      .def_property_readonly("peak_active_bytes", figure<&PoolFigures::peak_active_bytes>())
      .def_property_readonly("peak_managed_bytes", figure<&PoolFigures::peak_managed_bytes>())
      .def_property_readonly("largest_hole", figure<&PoolFigures::largest_hole>(), "Bytes of the largest free block.")
      .def_property_readonly("hits", figure<&PoolFigures::hits>(), "Requests served by what was held.")
      .def_property_readonly("misses", figure<&PoolFigures::misses>(), "Requests that went upstream.")
      .def_property_readonly("holding", &PoolResource::holding, "False after `stop_holding`.")
      .def("reset_peaks", &PoolResource::reset_peaks, docs::kPoolMemoryResourceResetPeaks)
      .def("free_held", &PoolResource::free_held, release_gil(), docs::kPoolMemoryResourceFreeHeld)
      .def("stop_holding", &PoolResource::stop_holding, release_gil(), docs::kPoolMemoryResourceStopHolding);
}

void bind_adaptors(py::module_& m) {
  py::class_<LimitingResource, MemoryResource, std::shared_ptr<LimitingResource>>(m, "LimitingResourceAdaptor",
                                                                                  docs::kLimitingResourceAdaptor)
      .def(py::init([](ResourcePtr upstream, long long limit) {
             if (limit < 0)
               throw ValueError("allocation_limit is " + std::to_string(limit) + "; it must not be negative");
             return std::make_shared<LimitingResource>(std::move(upstream), static_cast<std::size_t>(limit));
           }),
           "upstream"_a.none(false), "allocation_limit"_a)
      .def_property_readonly("allocation_limit", &LimitingResource::limit)
      .def_property_readonly("allocated_bytes", &LimitingResource::allocated_bytes, "Bytes in use.");

  py::class_<Statistics>(m, "Statistics", docs::kStatistics)
      .def_readonly("current_bytes", &Statistics::current_bytes)
      .def_readonly("current_count", &Statistics::current_count)
      .def_readonly("peak_bytes", &Statistics::peak_bytes)
      .def_readonly("peak_count", &Statistics::peak_count)
      .def_readonly("total_bytes", &Statistics::total_bytes)
      .def_readonly("total_count", &Statistics::total_count)
      .def("__repr__", [](const Statistics& s) {
        return "Statistics(current_bytes=" + std::to_string(s.current_bytes) +
               ", current_count=" + std::to_string(s.current_count) + ", peak_bytes=" + std::to_string(s.peak_bytes) +
               ", peak_count=" + std::to_string(s.peak_count) + ", total_bytes=" + std::to_string(s.total_bytes) +
               ", total_count=" + std::to_string(s.total_count) + ")";
      });

  py::class_<StatisticsResource, MemoryResource, std::shared_ptr<StatisticsResource>>(m, "StatisticsResourceAdaptor",
                                                                                      docs::kStatisticsResourceAdaptor)
      .def(py::init<ResourcePtr>(), "upstream"_a.none(false))
      .def_property_readonly("allocation_counts", &StatisticsResource::statistics, "Figures of the innermost scope.")
      .def("push_counters", &StatisticsResource::push, docs::kStatisticsResourceAdaptorPushCounters)
      .def("pop_counters", &StatisticsResource::pop, docs::kStatisticsResourceAdaptorPopCounters);
}

}  // namespace

MemoryKind kind_from(const std::string& name) {
  std::string names;
  for (MemoryKind kind : {MemoryKind::buffer, MemoryKind::svm_coarse, MemoryKind::svm_fine, MemoryKind::device,
                          MemoryKind::managed, MemoryKind::pinned}) {
    if (name == name_of(kind)) return kind;
    names += std::string(names.empty() ? "" : ", ") + name_of(kind);
  }
  throw ValueError("there is no memory kind '" + name + "'; the kinds are " + names);
}

void bind_memory(py::module_& m) {
  bind_block(m);
  bind_resource(m);
  bind_pool(m);
  bind_virtual(m);
  bind_async(m);
  bind_adaptors(m);
  bind_memory_callback(m);
  bind_memory_host(m);
  bind_memory_statistics(m);
  for (const char* name : {"Block", "MemoryResource", "DeviceMemoryResource", "PoolMemoryResource", "Statistics",
                           "LimitingResourceAdaptor", "StatisticsResourceAdaptor", "CallbackMemoryResource",
                           "TrackingResourceAdaptor", "LoggingResourceAdaptor", "FailureCallbackResourceAdaptor",
                           "PrefetchResourceAdaptor", "CudaAsyncMemoryResource"})
    m.attr(name).attr("__module__") = "devarray.alloc";  // where users find them
  m.def("default_allocator", &default_resource, "device"_a.none(false), release_gil());
  m.def("set_default_allocator", &set_default_resource, "device"_a.none(false), "allocator"_a.none(true),
        release_gil());
  m.def("as_allocator", &to_resource, "allocator"_a, "device"_a.none(false));
  m.def("bin_of", &bin_of, "bytes"_a, "leading_bits"_a);
  m.def("bin_capacity", &bin_capacity, "bin"_a, "leading_bits"_a);
  m.def("parked_bytes", &parked_bytes, "Bytes freed by their users whose memory pending work still uses.");
}

}  // namespace devarray
