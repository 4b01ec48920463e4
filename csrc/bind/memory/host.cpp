// Host memory for transfers, as devarray.transfers uses it.
#include <pybind11/numpy.h>

#include <map>
#include <mutex>

#include "bind/memory/callback.hpp"
#include "cuda/device.hpp"
#include "cuda/memory.hpp"
#include "memory/host_memory.hpp"
#include "memory/staging.hpp"
#include "opencl/memory.hpp"

namespace devarray {
namespace {

using namespace py::literals;

std::size_t bytes_of(const std::vector<py::ssize_t>& shape, const py::dtype& dtype) {
  std::size_t bytes = static_cast<std::size_t>(dtype.itemsize());
  for (py::ssize_t n : shape)
    if (n < 0 || __builtin_mul_overflow(bytes, static_cast<std::size_t>(n), &bytes))
      throw ShapeError("no host array has " + std::to_string(n) + " elements along an axis here");
  return bytes;
}

/// numpy.empty, from recycled memory where it is large.
py::array host_empty(const std::vector<py::ssize_t>& shape, const py::dtype& dtype) {
  const std::size_t bytes = bytes_of(shape, dtype);
  if (bytes < kRecycledArrayBytes || dtype.attr("hasobject").cast<bool>()) return py::array(dtype, shape);
  auto memory = std::make_unique<ArrayMemory>(take_array_memory(bytes));
  void* data = memory->data;
  const py::capsule owner(memory.release(), [](void* p) {
    const std::unique_ptr<ArrayMemory> dead(static_cast<ArrayMemory*>(p));
    give_array_memory(*dead);
  });
  return py::array(dtype, shape, data, owner);
}

struct Span {
  void* data;
  std::size_t bytes;
};

/// The bytes of an array that lie in one piece.
Span span_of(const py::array& a, const char* what) {
  const auto flags = a.flags();
  if (!(flags & (py::array::c_style | py::array::f_style)))
    throw ValueError(std::string(what) + ": the array's elements do not lie side by side; give a contiguous one");
  return {const_cast<void*>(a.data()), static_cast<std::size_t>(a.nbytes())};
}

/// An OpenCL buffer that uses a host array's own memory, and keeps the array alive.
AllocationPtr buffer_over(const DevicePtr& device, const py::array& a) {
  if (auto opencl = std::dynamic_pointer_cast<opencl::ContextDevice>(device)) {
    const Span span = span_of(a, "mapped");
    return keep_alive(opencl::Buffer::create(opencl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, span.bytes, span.data),
                      a);
  }
  throw DeviceError(device->label() + " cannot use host memory in place");
}

/// The page locks that live. Memory of a lock may be asked for again while arrays over it are still around.
struct Locks {
  std::mutex mutex;
  std::map<std::uintptr_t, std::pair<std::size_t, std::weak_ptr<Allocation>>> at;
};
Locks& locks() {
  static auto* l = new Locks;
  return *l;
}

std::pair<std::uintptr_t, AllocationPtr> known_lock(std::uintptr_t address, std::size_t bytes) {
  Locks& l = locks();
  const std::lock_guard lock(l.mutex);
  std::erase_if(l.at, [](const auto& entry) { return entry.second.second.expired(); });
  auto at = l.at.upper_bound(address);
  if (at == l.at.begin()) return {};
  --at;
  if (address + bytes > at->first + at->second.first) return {};
  return {at->first, at->second.second.lock()};
}

std::pair<std::uintptr_t, AllocationPtr> new_lock(cuda::Device& device, std::uintptr_t address, std::size_t bytes) {
  AllocationPtr made;
  try {
    made = cuda::RegisteredMemory::lock(device.context(), reinterpret_cast<void*>(address), bytes,
                                        CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  } catch (const DriverError& error) {
    if (error.code == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) return {};
    throw;
  }
  Locks& l = locks();
  const std::lock_guard lock(l.mutex);
  l.at[address] = {bytes, made};
  return {address, made};
}

/// Page-locks host memory and maps it for the device; keeps `owner` alive. The lock, and the address that it starts at.
/// None where the driver has no such call, or the memory is page-locked in another way.
py::object lock_pages(const DevicePtr& device, std::uintptr_t address, std::size_t bytes, const py::object& owner) {
  if (auto cuda = std::dynamic_pointer_cast<cuda::Device>(device)) {
    std::pair<std::uintptr_t, AllocationPtr> found;
    {
      GilRelease release;
      found = known_lock(address, bytes);
      if (!found.second) found = new_lock(*cuda, address, bytes);
    }
    if (found.second) return py::make_tuple(keep_alive(std::move(found.second), owner), found.first);
  }
  return py::none();
}

}  // namespace

void bind_memory_host(py::module_& m) {
  m.def("host_empty", &host_empty, "shape"_a, "dtype"_a);
  m.def("held_host_bytes", &held_array_bytes);
  m.def("free_host_memory", &free_array_memory, release_gil());
  m.def("page_locked_pool", &page_locked_pool, "device"_a.none(false), release_gil());
  m.def(
      "is_page_locked",
      [](const DevicePtr& device, const py::array& a) {
        const Span span = span_of(a, "is_page_locked");
        return is_page_locked(*device, span.data, span.bytes);
      },
      "device"_a.none(false), "array"_a);
  m.def("lock_pages", &lock_pages, "device"_a.none(false), "address"_a, "nbytes"_a, "owner"_a);
  m.def("buffer_over", &buffer_over, "device"_a.none(false), "array"_a);
  m.def("copy_threads", &copy_threads);
  m.def("staging_bytes", &staging_bytes);
  m.def(
      "set_staging",
      [](std::size_t least, std::size_t chunk, bool everywhere) {
        const StagingLimits old = staging_limits();
        staging_limits() = {least, chunk, everywhere};
        return py::make_tuple(old.least, old.chunk, old.everywhere);
      },
      "least"_a, "chunk"_a, "everywhere"_a, "Only for tests.");
}

}  // namespace devarray
