// What other binders need of the memory family: the holder of blocks, and what stands behind an `allocator=`.
#pragma once

#include "bind/python/bind.hpp"
#include "memory/resource.hpp"

PYBIND11_DECLARE_HOLDER_TYPE(T, devarray::Ref<T>, true)

namespace devarray {

/// The resource behind an allocator given by the user: a memory resource, an object with one as its `resource`
/// (the classes of devarray.alloc that follow PyOpenCL), or a callable f(nbytes). None: the device's default.
ResourcePtr to_resource(py::handle allocator, const DevicePtr& device);

void bind_memory_host(py::module_& m);
void bind_memory_statistics(py::module_& m);
void bind_memory_opencl(py::module_& m);
void bind_testing(py::module_& m);

}  // namespace devarray
