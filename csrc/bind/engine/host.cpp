// Arrays whose memory the host sees in place: NumPy views of them, mapped where the driver wants that.
#include <pybind11/numpy.h>

#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

/// Keeps what a NumPy view of device memory needs, and undoes the map. With the block, since a storage may change it
/// for another (store_beside.hpp) while nobody else holds it.
class HostMapping {
 public:
  HostMapping(StorageRef storage, Ref<Block> block, void* mapped)
      : storage_(std::move(storage)), block_(std::move(block)), mapped_(mapped) {}
  ~HostMapping() {
    try {
      unmap();
    } catch (const Error& e) {
      debug_line(1, std::string("unmap: ") + e.what());
    }
  }
  HostMapping(const HostMapping&) = delete;
  HostMapping& operator=(const HostMapping&) = delete;
  void unmap() {
    void* mapped = std::exchange(mapped_, nullptr);
    if (shutting_down()) return;
    storage_->note_write();
    if (!mapped) return;
    GilRelease unlocked;
    storage_->place->queue->unmap(*block_->allocation, mapped);
  }

 private:
  StorageRef storage_;
  Ref<Block> block_;
  void* mapped_;  ///< null where the memory is host-visible without a map
};
using HostMappingPtr = std::shared_ptr<HostMapping>;

/// A NumPy view of an array's memory without a copy, after waiting for the queue, and its mapping. The array must not
/// be used on the device before the mapping is undone.
std::pair<py::array, HostMappingPtr> map_array(Node& n, bool writable, const char* what) {
  if (writable) {
    prepare_target(n);
    acquire_write(*n.storage, *n.place);
  }
  const Ref<Block> block = n.storage->block;
  wait_for(*n.place, what);
  if (block->allocation) block->allocation->handle();  // throws where it was released
  void *base = block->host(), *mapped = nullptr;
  if (!base) {
    GilRelease unlocked;
    base = mapped = n.place->queue->map(*block->allocation, block->offset, block->size,
                                        writable ? MapMode::read_write : MapMode::read);
  }
  auto mapping = std::make_shared<HostMapping>(n.storage, block, mapped);
  std::vector<py::ssize_t> shape(n.shape.begin(), n.shape.end()), strides(n.strides.begin(), n.strides.end());
  const py::capsule owner(new HostMappingPtr(mapping), [](void* p) { delete static_cast<HostMappingPtr*>(p); });
  py::array a(py::reinterpret_borrow<py::dtype>(hooks().dtypes[static_cast<int>(n.dtype)]), shape, strides,
              static_cast<char*>(base) + n.offset, owner);
  if (!writable) a.attr("setflags")(py::arg("write") = false);
  return {a, mapping};
}

NodeRef evaluated(py::handle array) {
  const NodeRef n(&require_array(array));
  evaluate(*n);
  return n;
}

/// For work on the host, which only the CPUs' strategy does in place: the view, which undoes its mapping when it ends;
/// None elsewhere.
py::object host_array(py::handle array, bool writable) {
  const NodeRef n = evaluated(array);
  if (n->size() == 0 || n->place->device->strategy() != Strategy::cpu) return py::none();
  return map_array(*n, writable, "host_array").first;
}

/// For the host to stand in for a kernel that is being compiled: a view, behind what its queue has to do, which counts
/// as no wait, as the kernel's time in the compiler counts as none. None where the host may not, or memory has a map.
py::object standing_view(py::handle array, bool writable) {
  const NodeRef n = evaluated(array);
  const Place& place = *n->place;
  const auto allowed = [&] {
    return host::can_read(*n->storage, place) && (!writable || host::can_write(*n->storage, place));
  };
  if (n->size() == 0 || n->shifts || !host::stands_in(place, n->size()) || !allowed()) return py::none();
  host::settle(place);
  if (!allowed()) return py::none();
  const std::vector<py::ssize_t> shape(n->shape.begin(), n->shape.end()), strides(n->strides.begin(), n->strides.end());
  using Held = std::pair<StorageRef, Ref<Block>>;
  const py::capsule owner(new Held(n->storage, n->storage->block), [](void* p) { delete static_cast<Held*>(p); });
  py::array view(py::reinterpret_borrow<py::dtype>(hooks().dtypes[static_cast<int>(n->dtype)]), shape, strides,
                 static_cast<char*>(n->storage->block->host()) + n->offset, owner);
  if (!writable) view.attr("setflags")(py::arg("write") = false);
  return view;
}

py::object mapped_view(py::handle array, bool writable) {
  const NodeRef n = evaluated(array);
  if (writable) require_writable(*n);  // what could never be written is said before where it lies
  if (n->size() == 0) throw ValueError("an array without elements has no memory to map");
  const MemoryKind kind = n->storage->block->kind();
  if (!n->storage->block->host() && kind == MemoryKind::device)
    throw DeviceError(
        "the host cannot see memory of kind 'device'; allocate the array managed or pinned, or use copy_to_host()");
  return py::cast(map_array(*n, writable, "map"));
}

/// A view for good: the memory is exposed (rule 8).
py::object host_view_of(py::handle array) {
  const NodeRef n = evaluated(array);
  if (n->size() == 0) throw ValueError("an array without elements has no memory to view");
  if (!n->storage->block->host())
    throw DeviceError(
        std::string("the host does not see memory of kind '") + name_of(n->storage->block->kind()) +
        "' without mapping it; allocate the array svm_fine, managed or pinned, or use map() or copy_to_host()");
  expose(*n);
  return map_array(*n, n->writable, "as_host_view").first;
}

}  // namespace

void bind_engine_host(py::module_& m) {
  py::class_<HostMapping, HostMappingPtr>(m, "HostMapping", "Memory that is the host's until it is unmapped.")
      .def("unmap", &HostMapping::unmap);
  m.def("host_array", &host_array, py::arg("array"), py::arg("writable") = false);
  m.def("standing_view", &standing_view, py::arg("array"), py::arg("writable") = false);
  m.def("map_array", &mapped_view, py::arg("array"), py::arg("writable"));
  m.def("host_view_of", &host_view_of, py::arg("array"));
}

}  // namespace devarray
