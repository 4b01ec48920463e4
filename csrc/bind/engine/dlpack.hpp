// What exports and imports of DLPack share: order between our queues and other libraries' streams.
#pragma once

#include "bind/engine/array.hpp"
#include "common/dlpack.hpp"

namespace devarray {

dlpack::DataType dlpack_type(DType t);

/// A CUDA stream of another library's, by its handle. Throws DeviceError for a device without streams.
QueuePtr stream_of(const DevicePtr& device, std::uintptr_t handle);

/// Work that `queue` gets from now on runs behind what is enqueued on the stream.
void wait_stream(const QueuePtr& queue, std::uintptr_t stream);

/// The current place's queue where it is of the device, else the device's own.
QueuePtr current_queue(const DevicePtr& device);

/// An array on the memory of a capsule's tensor, which is consumed; without order between streams. Null, and nothing
/// done, where Python has to look.
PyObject* array_of_capsule(const py::object& capsule);

/// Array.__dlpack__ where the memory can be had in place and Python need not decide anything, and __dlpack_device__ of
/// such memory, called as QuickFunction calls. Null without an error for every other call.
PyObject* dlpack_in_place(PyObject* const* argv, Py_ssize_t positional, PyObject* names);
PyObject* dlpack_device_in_place(PyObject* const* argv, Py_ssize_t positional, PyObject* names);

}  // namespace devarray
