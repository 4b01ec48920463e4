// Blocks, memory resources, pools and adaptors, as devarray.alloc shows them.
#include "bind/memory.hpp"

#include "bind/memory_callback.hpp"
#include "bind/quick.hpp"
#include "memory/adaptor.hpp"
#include "memory/async.hpp"
#include "memory/direct.hpp"
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
  const auto nbytes = static_cast<long long>(byte_count(arguments[0], "allocate", "nbytes"));
  const QueuePtr queue = optional_queue(arguments[1], "allocate");
  return py::cast(allocate(py::handle(self).cast<MemoryResource&>(), nbytes, queue)).release().ptr();
}

PyMethodDef resource_methods[] = {quick<quick_allocate>("allocate", R"(allocate($self, nbytes, queue=None)
--

Hand out a block.

Parameters
----------
nbytes : int
    Bytes; 0 is fine and gives an empty block.
queue : Queue, optional
    Where the block will be used first: it may have been used on that queue before, whose order keeps the two uses
    apart. Without one, no pending work uses the block.

Returns
-------
Block

Raises
------
OutOfMemoryError
    If there is not that much, after everything that could be freed was.
)"),
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
  py::class_<Block, Ref<Block>>(m, "Block", py::buffer_protocol(), R"(
A piece of device memory in use.

Its last reference gives the memory back to the resource that it came from. It has the buffer protocol where the host
sees the memory (SVM, managed and pinned memory): reading and writing that way is not ordered with queues, so wait
for them first.
)")
      .def_buffer(&buffer_of)
      .def_property_readonly("nbytes", [](const Block& b) { return b.size; }, "Bytes asked for.")
      .def_property_readonly("capacity", [](const Block& b) { return b.capacity; }, "Bytes reserved.")
      .def_property_readonly("offset", [](const Block& b) { return b.offset; },
                             "Where in the allocation it starts, in bytes.")
      .def_property_readonly("allocation", [](const Block& b) { return b.allocation; },
                             "The driver's object that it lies in; None for 0 bytes.")
      .def_property_readonly("handle", &handle_of,
                             "The address as an integer, or the cl_mem, in which it starts at `offset`.")
      .def_property_readonly("kind", [](const Block& b) { return b.allocation ? name_of(b.kind()) : nullptr; })
      .def_property_readonly("resource", [](const Block& b) { return b.owner; }, "Where the memory goes back to.")
      .def_property_readonly("queue", [](const Block& b) { return b.queue; },
                             "The queue of its last use, whose order protects its reuse.")
      .def("used_on", [](Block& b, const QueuePtr& queue) { b.used_on(queue); }, "queue"_a.none(false),
           "Note that work already enqueued on `queue` uses this memory: its reuse waits for that work.")
      .def("__repr__", &repr_of);
}

void bind_resource(py::module_& m) {
  py::class_<MemoryResource, ResourcePtr> cls(m, "MemoryResource", R"(
Base of every allocator: what can be given as ``allocator=``.

Resources compose: a pool or an adaptor takes its memory from the `upstream` that it is given.
)");
  add_methods(cls, resource_methods);
  cls.def("__call__", [](MemoryResource& r, long long nbytes) { return allocate(r, nbytes, nullptr); }, "nbytes"_a,
           "The same as ``allocate(nbytes)``.")
      .def_property_readonly("device", &MemoryResource::device)
      .def_property_readonly("kind", [](MemoryResource& r) { return name_of(r.kind()); },
                             "'buffer', 'svm_coarse', 'svm_fine', 'device', 'managed' or 'pinned'.")
      .def_property_readonly("upstream", &MemoryResource::upstream, "The resource that it takes memory from, or None.")
      .def("trim", &MemoryResource::trim, release_gil(),
           "Give memory that is held and free back to the driver; returns the bytes given back.")
      .def("__repr__", [](MemoryResource& r) { return "<devarray.alloc: " + r.describe() + ">"; });

  py::class_<DirectResource, MemoryResource, std::shared_ptr<DirectResource>>(m, "DeviceMemoryResource", R"(
Memory straight from the driver, and back to it.

A block that pending work uses is freed when that work is done, without a wait.

Parameters
----------
device : Device
kind : str, optional
    One of ``device.memory_kinds``; the first of them if not given.
)")
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
  py::class_<AsyncResource, MemoryResource, std::shared_ptr<AsyncResource>>(m, "CudaAsyncMemoryResource", R"(
The CUDA driver's own stream-ordered pool: allocations and frees take their place in the order of streams.

What is free stays in the pool, one of this resource's own, until `trim`.

Parameters
----------
device : Device
    A CUDA device; others raise DeviceError.
)")
      .def(py::init<DevicePtr>(), "device"_a.none(false))
      .def_property_readonly("used_bytes", async_figure<&AsyncFigures::used>(), "Bytes in use.")
      .def_property_readonly("reserved_bytes", async_figure<&AsyncFigures::reserved>(), "Bytes that the pool has.")
      .def_property_readonly("peak_used_bytes", async_figure<&AsyncFigures::peak_used>())
      .def_property_readonly("peak_reserved_bytes", async_figure<&AsyncFigures::peak_reserved>())
      .def("reset_peaks", &AsyncResource::reset_peaks, "Let the peaks start again from the current figures.");
}

void bind_virtual(py::module_& m) {
  py::class_<VirtualResource, MemoryResource, std::shared_ptr<VirtualResource>>(m, "CudaVirtualMemoryResource", R"(
CUDA device memory that grows in place: each block has addresses for all of the device's memory, and memory behind
the first of them.

Made for a `PoolMemoryResource` over it, which lets a block grow instead of asking for another: sizes that change all
the time leave no holes (PyTorch's expandable segments). Such memory cannot be shared with other processes by
``cuIpcGetMemHandle``. Each block takes at least 2 MiB.

Parameters
----------
device : Device
    A CUDA device; others raise DeviceError.
)")
      .def(py::init<DevicePtr>(), "device"_a.none(false))
      .def_property_readonly("granule", &VirtualResource::granule, "Bytes that blocks grow by.");
}

template <auto Member>
auto figure() {
  return [](const PoolResource& pool) { return pool.figures().*Member; };
}

void bind_pool(py::module_& m) {
  py::class_<PoolResource, MemoryResource, std::shared_ptr<PoolResource>>(m, "PoolMemoryResource", R"(
A pool: keeps the memory that is given back and hands it out again.

Where memory has addresses (SVM, CUDA) it takes large chunks from its upstream, splits them and merges free neighbours;
for cl_mem, and where `leading_bits_in_bin_id` is given, it keeps whole blocks in bins of similar size.

A block given back on one queue serves that queue's next request at once, and another queue's only behind an event,
for which the device waits and the host does not. Threads may share a pool. Blocks in use keep their pool alive; when
the last one is gone and nobody refers to the pool, what it holds goes back upstream.

Parameters
----------
upstream : MemoryResource
leading_bits_in_bin_id : int, optional
    Keep bins: requests whose sizes agree in this many bits after the first share one, and are rounded up to its size.
)")
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
      .def("reset_peaks", &PoolResource::reset_peaks, "Let the peaks start again from the current figures.")
      .def("free_held", &PoolResource::free_held, release_gil(),
           "Give all free blocks back upstream; returns their bytes.")
      .def("stop_holding", &PoolResource::stop_holding, release_gil(),
           "From now on give blocks back upstream as soon as they are free. Calls `free_held`.");
}

void bind_adaptors(py::module_& m) {
  py::class_<LimitingResource, MemoryResource, std::shared_ptr<LimitingResource>>(m, "LimitingResourceAdaptor", R"(
Refuses with OutOfMemoryError what would bring the bytes in use above a limit.

Parameters
----------
upstream : MemoryResource
allocation_limit : int
    Bytes.
)")
      .def(py::init([](ResourcePtr upstream, long long limit) {
             if (limit < 0) throw ValueError("allocation_limit is " + std::to_string(limit) + "; it must not be negative");
             return std::make_shared<LimitingResource>(std::move(upstream), static_cast<std::size_t>(limit));
           }),
           "upstream"_a.none(false), "allocation_limit"_a)
      .def_property_readonly("allocation_limit", &LimitingResource::limit)
      .def_property_readonly("allocated_bytes", &LimitingResource::allocated_bytes, "Bytes in use.");

  py::class_<Statistics>(m, "Statistics", "Bytes and blocks that passed through a StatisticsResourceAdaptor.")
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

  py::class_<StatisticsResource, MemoryResource, std::shared_ptr<StatisticsResource>>(
      m, "StatisticsResourceAdaptor", R"(
Counts the bytes and blocks that pass: current, peak and total, also by scope.

Parameters
----------
upstream : MemoryResource
)")
      .def(py::init<ResourcePtr>(), "upstream"_a.none(false))
      .def_property_readonly("allocation_counts", &StatisticsResource::statistics, "Figures of the innermost scope.")
      .def("push_counters", &StatisticsResource::push,
           "Open a scope whose figures start at zero; returns those of the scope around it.")
      .def("pop_counters", &StatisticsResource::pop, "Close the innermost scope; returns its figures.");
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
  bind_memory_observe(m);
  bind_memory_testing(m);
  for (const char* name : {"Block", "MemoryResource", "DeviceMemoryResource", "PoolMemoryResource", "Statistics",
                           "LimitingResourceAdaptor", "StatisticsResourceAdaptor", "CallbackMemoryResource",
                           "TrackingResourceAdaptor", "LoggingResourceAdaptor", "FailureCallbackResourceAdaptor",
                           "PrefetchResourceAdaptor", "CudaAsyncMemoryResource"})
    m.attr(name).attr("__module__") = "devarray.alloc";  // where users find them
  m.def("default_allocator", &default_resource, "device"_a.none(false), release_gil());
  m.def("set_default_allocator", &set_default_resource, "device"_a.none(false), "allocator"_a.none(true),
        release_gil());
  m.def("as_allocator", &to_resource, "allocator"_a, "device"_a.none(false));
  m.def("parked_bytes", &parked_bytes, "Bytes freed by their users whose memory pending work still uses.");
}

}  // namespace devarray
