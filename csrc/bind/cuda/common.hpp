// Shared by the CUDA binders: Python objects to addresses, streams and host buffers.
#pragma once

#include <optional>

#include "bind/engine/quick.hpp"
#include "bind/engine/recycle.hpp"
#include "cuda/jit_options.hpp"
#include "cuda/memory.hpp"
#include "cuda/module.hpp"
#include "cuda/stream.hpp"

namespace devarray::cuda {

void bind_contexts(py::module_& m);
void bind_memory(py::module_& m);
void bind_transfers(py::module_& m);
void bind_functions(py::module_& m);
void bind_textures(py::module_& m);
void bind_copies(py::module_& m);
void bind_old_calls(py::class_<Function, Kernel, std::shared_ptr<Function>>& function);
void bind_graphs(py::module_& m);
void bind_linker(py::module_& m);

/// The memory of a DeviceAllocation, told without pybind11's search; null for all else and for subclasses.
inline DeviceMemory* plain_allocation(py::handle object) noexcept { return Recycler<DeviceMemory>::find(object.ptr()); }

/// A contiguous Python buffer for the time of a call.
class HostBuffer {
 public:
  enum class Access : bool { read, write };
  HostBuffer(py::handle object, Access access, const char* what);
  ~HostBuffer() { PyBuffer_Release(&view_); }
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  void* data() const noexcept { return view_.buf; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

/// Code as bytes: of a str, or of what has a buffer. Throws naming `what`.
std::string image_of(py::handle code, const char* what);

/// Pairs of a jit_option and its value, of a Python sequence of them.
JitOptions::Pairs jit_pairs(const py::object& options);

/// A grid or block: an int, or one to three of them; what is missing is 1. Throws naming `what`.
using Extent = unsigned[3];
void read_extent(py::handle object, Extent& extent, const char* what);

/// Makes the texture references of a list usable by the function.
void set_texture_references(const Function& function, const py::object& references);

/// Where an array starts, as an object that keeps the array: its memory is no other array's meanwhile.
struct ArrayAddress {
  py::object array;  // none once freed
};

/// A devarray.Array, or the one behind an ArrayAddress; null for others.
PyObject* array_behind(py::handle object);

/// The address of such an array's first element; from then on work on its memory is not deferred. False for others.
bool find_array_pointer(py::handle object, CUdeviceptr& address);

/// The device address that an object stands for: an allocation, a PointerHolderBase, an array with `gpudata` or
/// `__cuda_array_interface__`. False when it stands for none.
bool find_device_pointer(py::handle object, CUdeviceptr& address);

/// The same, integers included; throws TypeError naming `what`.
CUdeviceptr device_pointer(py::handle object, const char* what);

/// The same for a call that touches `bytes` from there on: of an allocation or an array, they must lie inside. The
/// driver knows only which of its pages are mapped.
CUdeviceptr device_range(py::handle object, std::size_t bytes, const char* what);

/// Bytes that an object's memory has from its address on, where it is an allocation or an array.
std::optional<std::size_t> device_room(py::handle object);

/// The handle of a TextureObject or SurfaceObject, which kernels take by value. False for anything else.
bool find_texture_handle(py::handle object, unsigned long long& handle);

/// The stream's handle; None is the legacy default stream. Objects of other libraries by `__cuda_stream__`, `handle`,
/// `cuda_stream` or `ptr`.
CUstream stream_handle(py::handle stream);

/// The `devarray.cuda` module's object of that name (a Python class).
py::object python_class(const char* module, const char* name);

}  // namespace devarray::cuda
