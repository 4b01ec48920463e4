// The engine's view of a queue and its memory, callable from Python: for the tests of the driver interface.
#include "bind/opencl/opencl.hpp"

namespace devarray::opencl {
namespace {

using Access = HostBuffer::Access;

MemoryKind kind_named(const std::string& name) {
  for (MemoryKind kind : {MemoryKind::buffer, MemoryKind::svm_coarse, MemoryKind::svm_fine})
    if (name == name_of(kind)) return kind;
  throw ValueError("OpenCL has memory of kind buffer, svm_coarse and svm_fine; got '" + name + "'");
}

void launch(CommandQueue& queue, ClKernel& kernel, const std::vector<std::size_t>& groups,
            const std::vector<std::size_t>& local, const std::vector<AllocationPtr>& memory,
            const std::vector<std::int64_t>& slots) {
  LaunchDims dims;
  for (std::size_t d = 0; d < groups.size() && d < 3; ++d) {
    dims.groups[d] = groups[d];
    dims.local[d] = local.at(d);
  }
  std::vector<MemoryArg> args;
  for (const AllocationPtr& m : memory) args.push_back({item_of(m, "memory").handle(), m->is_buffer()});
  queue.launch(kernel, dims, args.data(), args.size(), slots.data(), slots.size());
}

Rect rect_of(const std::vector<std::size_t>& v) {
  if (v.size() != 9)
    throw ValueError("a rectangle is region[3], device_offset, host_offset, device_pitch[2], host_pitch[2]");
  Rect r;
  std::copy(v.begin(), v.begin() + 3, r.region);
  r.device_offset = v[3];
  r.host_offset = v[4];
  std::copy(v.begin() + 5, v.begin() + 7, r.device_pitch);
  std::copy(v.begin() + 7, v.end(), r.host_pitch);
  return r;
}

}  // namespace

void bind_engine_view(py::module_& m) {
  m.def(
      "_allocate",
      [](ContextDevice& device, const std::string& kind, std::size_t bytes) {
        return device.allocate(kind_named(kind), bytes);
      },
      release_gil());
  m.def("_launch", &launch, release_gil());
  m.def("_read", [](CommandQueue& q, Allocation& src, std::size_t offset, const py::object& dst, bool blocking) {
    auto host = std::make_shared<HostBuffer>(dst, Access::write);
    GilRelease release;
    return q.read(host->data(), src, offset, host->size(), blocking);
  });
  m.def("_write", [](CommandQueue& q, Allocation& dst, std::size_t offset, const py::object& src, bool blocking) {
    auto host = std::make_shared<HostBuffer>(src, Access::read);
    GilRelease release;
    return q.write(dst, offset, host->data(), host->size(), blocking);
  });
  m.def("_copy", &CommandQueue::copy, release_gil());
  m.def("_fill", [](CommandQueue& q, Allocation& dst, std::size_t offset, const std::string& pattern,
                    std::size_t bytes) { return q.fill(dst, offset, pattern.data(), pattern.size(), bytes); });
  m.def("_read_rect", [](CommandQueue& q, const py::object& dst, Allocation& src, const std::vector<std::size_t>& r) {
    const HostBuffer host(dst, Access::write);
    return q.read_rect(host.data(), src, rect_of(r), true);
  });
  m.def("_write_rect", [](CommandQueue& q, Allocation& dst, const py::object& src, const std::vector<std::size_t>& r) {
    const HostBuffer host(src, Access::read);
    return q.write_rect(dst, host.data(), rect_of(r), true);
  });
  m.def("_mapped_bytes", [](CommandQueue& q, Allocation& memory, std::size_t offset, std::size_t bytes) {
    void* mapped = q.map(memory, offset, bytes, MapMode::read);
    const py::bytes copy(static_cast<const char*>(mapped), bytes);
    q.unmap(memory, mapped);
    return copy;
  });
}

}  // namespace devarray::opencl
