// Work that a library (cuBLAS, cuSOLVER, cuFFT) enqueues on the queue of arrays.
#include <optional>

#include "bind/engine_array.hpp"
#include "cuda/stream.hpp"
#include "engine/config.hpp"
#include "engine/flush.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

/// Device address of a leaf's first element; 0 where it has no elements.
std::uintptr_t address_of(const Node& n) {
  const Block& block = *n.storage->block;
  if (!block.allocation) return 0;
  if (block.allocation->is_buffer()) throw DeviceError("a library call needs memory with an address, not an OpenCL buffer");
  return reinterpret_cast<std::uintptr_t>(block.allocation->handle()) + block.offset + static_cast<std::uintptr_t>(n.offset);
}

/// enqueue(function, arrays, writes): function(*addresses), which enqueues work on the first array's queue, with the
/// device's context current. Hazards are met as for a kernel; bit i of `writes` says that the work writes array i.
py::object enqueue(const py::object& function, const py::sequence& arrays, std::uint64_t writes) {
  std::vector<NodeRef> nodes;
  for (py::handle a : arrays) nodes.emplace_back(&require_array(a));
  if (nodes.empty()) throw ValueError("enqueue needs at least one array");
  EngineLock lock;
  for (const NodeRef& n : nodes) evaluate(*n);
  const Place& place = *nodes[0]->place;
  py::tuple addresses(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Storage& s = *nodes[i]->storage;
    if (s.place->device != place.device) throw DeviceError("enqueue got arrays of two devices");
    if (writes >> i & 1) {
      if (s.read_only) throw ValueError("the array is a view of read-only memory and cannot be written; copy it first");
      evaluate_readers(s);
      acquire_write(s, place);
    } else {
      acquire_read(s, place);
    }
    addresses[i] = py::int_(address_of(*nodes[i]));
  }
  std::optional<cuda::Current> current;
  if (const auto* stream = dynamic_cast<const cuda::Stream*>(place.queue.get())) current.emplace(*stream->context());
  py::object result;
  const auto release = [&] {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      (writes >> i & 1 ? release_write : release_read)(*nodes[i]->storage, place);
  };
  try {
    result = function(*addresses);
  } catch (...) {
    release();  // part of the work may be under way
    throw;
  }
  limit_flight(*place.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release();
  return result;
}

}  // namespace

void bind_engine_library(py::module_& m) {
  m.def("enqueue", &enqueue, py::arg("function"), py::arg("arrays"), py::arg("writes"));
}

}  // namespace devarray
