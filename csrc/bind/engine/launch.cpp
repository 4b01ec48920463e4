// Launches that are planned in Python, and the memory under arrays that drivers see.
#include "engine/launch.hpp"

#include <algorithm>

#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/index_flags.hpp"
#include "engine/lock.hpp"
#include "engine/throttle.hpp"
#include "memory/foreign.hpp"

namespace devarray {

std::vector<NodeRef> acquire_arrays(const char* what, const py::sequence& arrays, std::uint64_t writes) {
  std::vector<NodeRef> nodes;
  for (py::handle a : items_of(arrays)) nodes.emplace_back(&require_array(a));
  if (nodes.empty()) throw ValueError(std::string(what) + " needs at least one array");
  for (const NodeRef& n : nodes) evaluate(*n);
  for (std::size_t i = 0; i < nodes.size(); ++i)  // first: elements that are read here may move
    if (writes >> i & 1) settle_elements(*nodes[i]->storage);
  const Place& place = *nodes[0]->place;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Storage& s = *nodes[i]->storage;
    if (s.place->device != place.device) throw DeviceError(std::string(what) + " got arrays of two devices");
    if (writes >> i & 1) {
      prepare_target(*nodes[i]);
      acquire_write(s, place);
    } else {
      acquire_read(s, place);
    }
  }
  return nodes;
}

void release_arrays(const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? release_write : release_read)(*nodes[i]->storage, *nodes[0]->place);
}

ActivityRecord profiled(const std::string& name, const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  ActivityRecord record;
  record.name = name;
  record.operations = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? record.written : record.read) += static_cast<std::uint64_t>(nodes[i]->nbytes());
  return record;
}

namespace {

void launch(const KernelPtr& kernel, const std::vector<std::size_t>& groups, const std::vector<std::size_t>& local,
            const py::sequence& arrays, std::vector<std::int64_t> slots, std::uint64_t writes) {
  EngineLock lock;
  const std::vector<NodeRef> nodes = acquire_arrays("launch", arrays, writes);
  const Place& place = *nodes[0]->place;
  std::vector<MemoryArg> memory;
  for (const NodeRef& n : nodes)
    memory.push_back(n->storage->block->allocation ? memory_arg(*n->storage) : MemoryArg{nullptr, false});
  // NVIDIA's OpenCL takes no null for an empty array, which the kernel never touches: any memory will do.
  const auto some = std::find_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return m.handle; });
  if (some != memory.end())
    std::replace_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return !m.handle; }, MemoryArg(*some));
  LaunchDims dims;
  for (std::size_t i = 0; i < groups.size() && i < 3; ++i) dims.groups[i] = groups[i];
  for (std::size_t i = 0; i < local.size() && i < 3; ++i) dims.local[i] = local[i];
  kernel->note_use();
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const NodeRef& n : nodes) blocks.push_back(n->storage->block.get());
    add_bounds(place, "a planned kernel", blocks, memory, slots);
  }
  const auto timer = timer_of(Activity::kernel, place.queue.get());
  place.queue->launch(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled(kernel->name(), nodes, writes));
  throttle_queue(*place.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_arrays(nodes, writes);
}

/// Byte offset of an array's first element from its memory argument: what launch() slots count from.
std::int64_t byte_offset(py::handle array) {
  Node& n = require_array(array);
  evaluate(n);
  return static_cast<std::int64_t>(n.storage->block->offset) + n.offset;
}

py::tuple raw_memory(py::handle array) {
  Node& n = require_array(array);
  expose(n);
  const Block& b = *n.storage->block;
  return py::make_tuple(b.allocation, static_cast<std::int64_t>(b.offset) + n.offset);
}

}  // namespace

py::object array_in(const AllocationPtr& memory, DType dtype, const Dims& shape, const Dims& strides,
                    std::int64_t offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  check_start(*memory, dtype);
  const DevicePtr device = memory->device().shared_from_this();
  const PlaceRef place(
      new Place(queue ? queue : device->default_queue(), allocator ? allocator : default_resource(device)));
  StorageRef storage(new Storage(adopt(memory, place->queue), place));
  storage->exposed = true;
  storage->read_only = read_only;
  return wrapped(Node::leaf(storage, dtype, shape, strides, offset));
}

namespace {

py::object from_allocation(const AllocationPtr& memory, py::handle shape, py::handle dtype, py::handle strides,
                           py::handle offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  const DType t = read_dtype(dtype);
  const auto itemsize = static_cast<std::int64_t>(size_of(t));
  const Dims dims = read_sizes(shape);
  byte_size(dims, itemsize);
  const Dims steps = strides.is_none() ? c_strides(dims, itemsize) : read_ints(strides, "strides");
  return array_in(memory, t, dims, steps, read_int(offset, "the offset"), queue, allocator, read_only);
}

}  // namespace

void bind_engine_launch(py::module_& m) {
  m.def("expose", [](py::handle a) { expose(require_array(a)); });
  m.def("raw_memory", &raw_memory);
  m.def("byte_offset", &byte_offset);
  m.def("from_allocation", &from_allocation, py::arg("memory"), py::arg("shape"), py::arg("dtype"),
        py::arg("strides") = py::none(), py::arg("offset") = 0, py::arg("queue") = py::none(),
        py::arg("allocator") = py::none(), py::arg("read_only") = false);
  m.def("launch", &launch, py::arg("kernel"), py::arg("groups"), py::arg("local"), py::arg("arrays"), py::arg("slots"),
        py::arg("writes"));
}

}  // namespace devarray
