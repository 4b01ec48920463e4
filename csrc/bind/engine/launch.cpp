// Launches that are planned in Python, and the memory under arrays that drivers see.
#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/planned.hpp"
#include "engine/views.hpp"

namespace devarray {

std::vector<NodeRef> nodes_of(const py::sequence& arrays) {
  std::vector<NodeRef> nodes;
  for (py::handle a : items_of(arrays)) nodes.emplace_back(&require_array(a));
  return nodes;
}

namespace {

void launch(const KernelPtr& kernel, const std::vector<std::size_t>& groups, const std::vector<std::size_t>& local,
            const py::sequence& arrays, std::vector<std::int64_t> slots, std::uint64_t writes) {
  LaunchDims dims;
  for (std::size_t i = 0; i < groups.size() && i < 3; ++i) dims.groups[i] = groups[i];
  for (std::size_t i = 0; i < local.size() && i < 3; ++i) dims.local[i] = local[i];
  launch_planned(kernel, dims, nodes_of(arrays), std::move(slots), writes);
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

py::object from_allocation(const AllocationPtr& memory, py::handle shape, py::handle dtype, py::handle strides,
                           py::handle offset, const QueuePtr& queue, const ResourcePtr& allocator, bool read_only) {
  const DType t = read_dtype(dtype);
  const auto itemsize = static_cast<std::int64_t>(size_of(t));
  const Dims dims = read_sizes(shape);
  byte_size(dims, itemsize);
  const Dims steps = strides.is_none() ? c_strides(dims, itemsize) : read_ints(strides, "strides");
  return wrapped(adopted(memory, t, dims, steps, read_int(offset, "the offset"), queue, allocator, read_only));
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
