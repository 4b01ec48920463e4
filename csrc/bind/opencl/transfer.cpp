// The entry points under devarray.cl.enqueue_copy, enqueue_fill and their kin.
#include "bind/docs/opencl_transfer.hpp"
#include "bind/opencl/opencl.hpp"
#include "bind/opencl/rect.hpp"

namespace devarray::opencl {
namespace {

using Access = HostBuffer::Access;

ClEventPtr read_buffer(CommandQueue& queue, const MemoryObject& mem, const py::object& hostbuf, std::size_t offset,
                       const py::object& wait_for, bool blocking) {
  auto host = std::make_shared<HostBuffer>(hostbuf, Access::write);
  require_range(mem, offset, host->size(), "clEnqueueReadBuffer");
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueReadBuffer, queue.get(), mem.get(), blocking, offset, host->size(), host->data(),
              wait.size(), wait.data(), &event);
  return nanny(queue, event, std::move(host), blocking);
}

ClEventPtr write_buffer(CommandQueue& queue, const MemoryObject& mem, const py::object& hostbuf, std::size_t offset,
                        const py::object& wait_for, bool blocking) {
  auto host = std::make_shared<HostBuffer>(hostbuf, Access::read);
  require_range(mem, offset, host->size(), "clEnqueueWriteBuffer");
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueWriteBuffer, queue.get(), mem.get(), blocking, offset, host->size(), host->data(),
              wait.size(), wait.data(), &event);
  return nanny(queue, event, std::move(host), blocking);
}

py::object copy_buffer(CommandQueue& queue, const MemoryObject& src, const MemoryObject& dst,
                       std::optional<std::size_t> bytes, std::size_t src_offset, std::size_t dst_offset,
                       const py::object& wait_for) {
  const std::size_t count = bytes.value_or(
      std::min(src.size() - std::min(src.size(), src_offset), dst.size() - std::min(dst.size(), dst_offset)));
  require_range(src, src_offset, count, "clEnqueueCopyBuffer");
  require_range(dst, dst_offset, count, "clEnqueueCopyBuffer");
  const auto events = events_of(queue, wait_for);
  cl_event event = nullptr;
  {
    GilRelease release;
    const WaitList wait(events);
    DEVARRAY_CL(queue.get(), clEnqueueCopyBuffer, queue.get(), src.get(), dst.get(), src_offset, dst_offset, count,
                wait.size(), wait.data(), &event);
  }
  return py::reinterpret_steal<py::object>(event_object(queue, event));
}

ClEventPtr fill_buffer(CommandQueue& queue, const MemoryObject& mem, const py::object& pattern, std::size_t offset,
                       std::size_t size, const py::object& wait_for) {
  const HostBuffer bytes(pattern, Access::read);
  require_range(mem, offset, size, "clEnqueueFillBuffer");
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueFillBuffer, queue.get(), mem.get(), bytes.data(), bytes.size(), offset, size,
              wait.size(), wait.data(), &event);
  return event_of(queue, event);
}

/// One side of an SVM copy: an SVM pointer, or host memory that is then held.
struct SVMSide {
  void* pointer = nullptr;
  std::optional<std::size_t> size;
  HostBufferPtr host;
  SVMSide(py::handle object, Access access) {
    if (py::isinstance<SVMPointer>(object)) {
      const auto& svm = object.cast<const SVMPointer&>();
      pointer = svm.svm_pointer();
      size = svm.svm_size();
    } else {
      host = std::make_shared<HostBuffer>(object, access);
      pointer = host->data();
      size = host->size();
    }
  }
};

ClEventPtr svm_memcpy(CommandQueue& queue, bool blocking, const py::object& dst, const py::object& src,
                      const py::object& wait_for, std::optional<std::size_t> bytes) {
  SVMSide to(dst, Access::write), from(src, Access::read);
  if (!bytes && to.size && from.size && *to.size != *from.size)
    throw ValueError("the sizes differ: " + std::to_string(*to.size) + " bytes to write, " +
                     std::to_string(*from.size) + " to read; give byte_count");
  const std::optional<std::size_t> known = to.size ? to.size : from.size;
  if (!bytes && !known) throw ValueError("neither side's size is known; give byte_count");
  const std::size_t count = bytes.value_or(known.value_or(0));
  for (const auto& side : {to.size, from.size})
    if (side && count > *side)
      throw ValueError("byte_count is " + std::to_string(count) + ", but one side has only " + std::to_string(*side));
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueSVMMemcpy, queue.get(), blocking, to.pointer, from.pointer, count, wait.size(),
              wait.data(), &event);
  HostBufferPtr host = to.host ? std::move(to.host) : std::move(from.host);
  return host ? nanny(queue, event, std::move(host), blocking) : event_of(queue, event);
}

ClEventPtr svm_memfill(CommandQueue& queue, const py::object& dest, const py::object& pattern,
                       std::optional<std::size_t> byte_count, const py::object& wait_for, std::size_t offset) {
  const SVMSide to(dest, Access::write);
  const HostBuffer bytes(pattern, Access::read);
  if (!byte_count && !to.size) throw ValueError("the size of the destination is not known; give byte_count");
  const std::size_t size = to.size.value_or(offset + byte_count.value_or(0));
  if (offset > size || byte_count.value_or(0) > size - offset)
    throw ValueError("a fill of " + std::to_string(byte_count.value_or(0)) + " bytes from byte " +
                     std::to_string(offset) + " reaches outside the destination's " + std::to_string(size) + " bytes");
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  DEVARRAY_CL(queue.get(), clEnqueueSVMMemFill, queue.get(), static_cast<char*>(to.pointer) + offset, bytes.data(),
              bytes.size(), byte_count.value_or(size - offset), wait.size(), wait.data(), &event);
  return event_of(queue, event);
}

using CopyPeerToPeer = cl_int(CL_API_CALL*)(cl_command_queue, cl_mem, cl_mem, std::size_t, std::size_t, std::size_t,
                                            cl_uint, const cl_event*, cl_event*);

ClEventPtr copy_buffer_p2p(const Platform& platform, CommandQueue& queue, const MemoryObject& src,
                           const MemoryObject& dest, std::optional<std::size_t> size, const py::object& wait_for) {
  constexpr const char* name = "clEnqueueCopyBufferP2PAMD";
  const bool offered = info_bytes(DEVARRAY_CL_INFO(clGetDeviceInfo, queue.engine_device()->id(), CL_DEVICE_EXTENSIONS),
                                  "clGetDeviceInfo")
                           .find("cl_amd_copy_buffer_p2p") != std::string::npos;
  void* const address =
      offered ? table(platform.get()).clGetExtensionFunctionAddressForPlatform(platform.get(), name) : nullptr;
  if (!address)
    throw ClError(
        name, CL_INVALID_OPERATION,
        "'" + platform.name() + "' has no extension cl_amd_copy_buffer_p2p; copy through enqueue_copy and the host");
  const std::size_t count = size.value_or(std::min(src.size(), dest.size()));
  require_range(src, 0, count, name);
  require_range(dest, 0, count, name);
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  check(reinterpret_cast<CopyPeerToPeer>(address)(queue.get(), src.get(), dest.get(), 0, 0, count, wait.size(),
                                                  wait.data(), &event),
        name);
  return event_of(queue, event);
}

}  // namespace

void bind_transfer(py::module_& m) {
  m.def("_enqueue_read_buffer", &read_buffer, py::arg("queue"), py::arg("mem"), py::arg("hostbuf"),
        py::arg("src_offset") = 0, py::arg("wait_for") = py::none(), py::arg("is_blocking") = true);
  m.def("_enqueue_write_buffer", &write_buffer, py::arg("queue"), py::arg("mem"), py::arg("hostbuf"),
        py::arg("dst_offset") = 0, py::arg("wait_for") = py::none(), py::arg("is_blocking") = true);
  m.def("_enqueue_copy_buffer", &copy_buffer, py::arg("queue"), py::arg("src"), py::arg("dst"),
        py::arg("byte_count") = py::none(), py::arg("src_offset") = 0, py::arg("dst_offset") = 0,
        py::arg("wait_for") = py::none());
  m.def("enqueue_copy_buffer_p2p_amd", &copy_buffer_p2p, py::arg("platform"), py::arg("queue"), py::arg("src"),
        py::arg("dest"), py::arg("size") = py::none(), py::arg("wait_for") = py::none(),
        docs::kEnqueueCopyBufferP2pAmd);
  m.def("enqueue_fill_buffer", &fill_buffer, py::arg("queue"), py::arg("mem"), py::arg("pattern"), py::arg("offset"),
        py::arg("size"), py::arg("wait_for") = py::none(), docs::kEnqueueFillBuffer);
  m.def("_enqueue_svm_memcpy", &svm_memcpy, py::arg("queue"), py::arg("is_blocking"), py::arg("dst"), py::arg("src"),
        py::arg("wait_for") = py::none(), py::arg("byte_count") = py::none());
  m.def("enqueue_svm_memfill", &svm_memfill, py::arg("queue"), py::arg("dest"), py::arg("pattern"),
        py::arg("byte_count") = py::none(), py::arg("wait_for") = py::none(), py::arg("offset") = 0,
        docs::kEnqueueSvmMemfill);
}

}  // namespace devarray::opencl
