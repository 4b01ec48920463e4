// Shared by the CUDA binders: Python objects to addresses, streams and host buffers.
#pragma once

#include "bind/bind.hpp"
#include "cuda/memory.hpp"
#include "cuda/stream.hpp"

namespace devarray::cuda {

void bind_contexts(py::module_& m);
void bind_memory(py::module_& m);
void bind_transfers(py::module_& m);
void bind_functions(py::module_& m);
void bind_textures(py::module_& m);
void bind_graphs(py::module_& m);

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

/// The device address that an object stands for: an allocation, a PointerHolderBase, an array with `gpudata` or
/// `__cuda_array_interface__`, a texture or surface object's handle is not one. False when it stands for none.
bool find_device_pointer(py::handle object, CUdeviceptr& address);

/// The same, integers included; throws TypeError naming `what`.
CUdeviceptr device_pointer(py::handle object, const char* what);

/// The stream's handle; None is the legacy default stream. Objects of other libraries by `__cuda_stream__`, `handle`,
/// `cuda_stream` or `ptr`.
CUstream stream_handle(py::handle stream);

/// The `devarray.cuda` module's object of that name (a Python class).
py::object python_class(const char* module, const char* name);

}  // namespace devarray::cuda
