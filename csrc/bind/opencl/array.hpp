// Arrays as arguments of a user's OpenCL kernels.
#pragma once

#include <optional>
#include <vector>

#include "bind/engine/array.hpp"
#include "bind/opencl/opencl.hpp"
#include "engine/lock.hpp"

namespace devarray::opencl {

/// What a kernel gets for an array: the address of its first element, or a cl_mem that starts there.
struct ArrayArgument {
  void* address = nullptr;
  cl_mem memory = nullptr;
  BufferPtr part;  ///< the sub-buffer that `memory` is, where it is one
};

/// Evaluates the array, and counts it as exposed. Throws ValueError where no memory object can start at its first
/// element.
ArrayArgument array_argument(PyObject* array);

/// The array that an object of array_memory() shows, borrowed; null for all else.
PyObject* array_behind(py::handle object);

/// Orders a launch behind the work on arrays of other queues, and their later work behind the launch. What the kernel
/// does with them is not known, so it counts as writing.
class ArrayOrder {
 public:
  explicit ArrayOrder(CommandQueue& queue) : queue_(queue) {}
  /// Throws DeviceError for an array of another context than the queue's.
  void add(PyObject* array);
  void before();
  void after();

 private:
  CommandQueue& queue_;
  std::vector<StorageRef> others_;
  PlaceRef place_;
  std::optional<EngineLock> lock_;
};

void bind_array_memory(py::module_& m);

}  // namespace devarray::opencl
