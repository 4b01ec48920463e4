// Copies and fills between addresses, under PyCUDA's names. They work in the current context.
#include <cstring>

#include "bind/cuda_common.hpp"

namespace devarray::cuda {
namespace {

using Access = HostBuffer::Access;

PyObject* memcpy_htod(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<2> signature = {"memcpy_htod", {"dest", "src"}, 2};
  const QuickArguments<2> arguments(signature, given, positional, keywords);
  const CUdeviceptr to = device_pointer(arguments[0], "memcpy_htod");
  const HostBuffer from(arguments[1], Access::read, "memcpy_htod");
  const std::size_t bytes = from.size();
  if (plain_allocation(arguments[0]) && bytes && bytes <= HostSlot::kBytes) {
    // From pageable memory, as this stack's surely is, the asynchronous call returns as early as the other does by its
    // documentation, once the bytes are read, but without waiting for the device first (H200: 1.9 of 6.1 us).
    char copy[HostSlot::kBytes];
    std::memcpy(copy, from.data(), bytes);
    GilRelease release;
    api().cuMemcpyHtoDAsync_v2(to, copy, bytes, nullptr);
  } else {
    GilRelease release;
    api().cuMemcpyHtoD_v2(to, from.data(), bytes);
  }
  Py_RETURN_NONE;
}

void memcpy_htod_async(const py::object& dest, const py::object& src, const py::object& stream) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_htod_async");
  const HostBuffer from(src, Access::read, "memcpy_htod_async");
  const CUstream on = stream_handle(stream);
  GilRelease release;
  api().cuMemcpyHtoDAsync_v2(to, from.data(), from.size(), on);
}

PyObject* memcpy_dtoh(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<2> signature = {"memcpy_dtoh", {"dest", "src"}, 2};
  const QuickArguments<2> arguments(signature, given, positional, keywords);
  const HostBuffer to(arguments[0], Access::write, "memcpy_dtoh");
  const CUdeviceptr from = device_pointer(arguments[1], "memcpy_dtoh");
  const std::size_t bytes = to.size();
  const ContextPtr context = bytes && bytes <= HostSlot::kBytes ? Context::current() : nullptr;
  {
    GilRelease release;
    std::unique_lock<std::mutex> lock;
    if (HostSlot* slot = context ? context->slot(lock) : nullptr)
      slot->read(to.data(), from, bytes, nullptr);
    else
      api().cuMemcpyDtoH_v2(to.data(), from, bytes);
  }
  Py_RETURN_NONE;
}

void memcpy_dtoh_async(const py::object& dest, const py::object& src, const py::object& stream) {
  const HostBuffer to(dest, Access::write, "memcpy_dtoh_async");
  const CUdeviceptr from = device_pointer(src, "memcpy_dtoh_async");
  const CUstream on = stream_handle(stream);
  GilRelease release;
  api().cuMemcpyDtoHAsync_v2(to.data(), from, to.size(), on);
}

PyObject* memcpy_dtod(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<3> signature = {"memcpy_dtod", {"dest", "src", "size"}, 3};
  const QuickArguments<3> arguments(signature, given, positional, keywords);
  const CUdeviceptr to = device_pointer(arguments[0], "memcpy_dtod"), from = device_pointer(arguments[1], "memcpy_dtod");
  const std::size_t size = byte_count(arguments[2], "memcpy_dtod", "size");
  const DeviceMemory *there = plain_allocation(arguments[0]), *here = plain_allocation(arguments[1]);
  {
    GilRelease release;
    // Within a device's memory neither call waits, by their documentation; the asynchronous one is quicker.
    if (there && here && there->context() == here->context())
      api().cuMemcpyDtoDAsync_v2(to, from, size, nullptr);
    else
      api().cuMemcpyDtoD_v2(to, from, size);
  }
  Py_RETURN_NONE;
}

void memcpy_dtod_async(const py::object& dest, const py::object& src, std::size_t size, const py::object& stream) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_dtod_async"), from = device_pointer(src, "memcpy_dtod_async");
  api().cuMemcpyDtoDAsync_v2(to, from, size, stream_handle(stream));
}

CUcontext context_or_current(const ContextPtr& context) {
  return context ? context->handle() : Context::current()->handle();
}

void memcpy_peer(const py::object& dest, const py::object& src, std::size_t size, const ContextPtr& dest_context,
                 const ContextPtr& src_context) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_peer"), from = device_pointer(src, "memcpy_peer");
  const CUcontext there = context_or_current(dest_context), here = context_or_current(src_context);
  GilRelease release;
  api().cuMemcpyPeer(to, there, from, here, size);
}

void memcpy_peer_async(const py::object& dest, const py::object& src, std::size_t size,
                       const ContextPtr& dest_context, const ContextPtr& src_context, const py::object& stream) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_peer_async"), from = device_pointer(src, "memcpy_peer_async");
  api().cuMemcpyPeerAsync(to, context_or_current(dest_context), from, context_or_current(src_context), size,
                          stream_handle(stream));
}

PyMethodDef copy_functions[] = {
    quick<memcpy_htod>("memcpy_htod", "memcpy_htod(dest, src)\n--\n\nCopy a host buffer to a device address."),
    quick<memcpy_dtoh>("memcpy_dtoh", "memcpy_dtoh(dest, src)\n--\n\nCopy from a device address into a host buffer."),
    quick<memcpy_dtod>("memcpy_dtod", "memcpy_dtod(dest, src, size)\n--\n\nCopy bytes between device addresses."),
    {nullptr, nullptr, 0, nullptr}};

// memset_d8(dest, data, count) and its asynchronous and two-dimensional forms, for one width of element.
template <class T, class Now, class Later, class Now2D, class Later2D>
void bind_memset(py::module_& m, const std::string& bits, Now now, Later later, Now2D now2d, Later2D later2d) {
  m.def(("memset_d" + bits).c_str(), [now](const py::object& dest, T data, std::size_t count) {
    const CUdeviceptr to = device_pointer(dest, "memset");
    GilRelease release;
    (api().*now)(to, data, count);
  }, py::arg("dest"), py::arg("data"), py::arg("count"), "Set `count` elements (not bytes).");
  m.def(("memset_d" + bits + "_async").c_str(),
        [later](const py::object& dest, T data, std::size_t count, const py::object& stream) {
    (api().*later)(device_pointer(dest, "memset"), data, count, stream_handle(stream));
  }, py::arg("dest"), py::arg("data"), py::arg("count"), py::arg("stream") = py::none());
  m.def(("memset_d2d" + bits).c_str(),
        [now2d](const py::object& dest, std::size_t pitch, T data, std::size_t width, std::size_t height) {
    const CUdeviceptr to = device_pointer(dest, "memset");
    GilRelease release;
    (api().*now2d)(to, pitch, data, width, height);
  }, py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
        "Set `height` rows of `width` elements; rows are `pitch` bytes apart.");
  m.def(("memset_d2d" + bits + "_async").c_str(),
        [later2d](const py::object& dest, std::size_t pitch, T data, std::size_t width, std::size_t height,
                  const py::object& stream) {
    (api().*later2d)(device_pointer(dest, "memset"), pitch, data, width, height, stream_handle(stream));
  }, py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
     py::arg("stream") = py::none());
}

}  // namespace

void bind_transfers(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), copy_functions) != 0) throw py::error_already_set();
  m.def("memcpy_htod_async", &memcpy_htod_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        "The same on a stream; `src` must be page-locked for the copy not to wait, and stay alive.");
  m.def("memcpy_dtoh_async", &memcpy_dtoh_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        "The same on a stream; `dest` must be page-locked for the copy not to wait, and stay alive.");
  m.def("memcpy_dtod_async", &memcpy_dtod_async, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("stream") = py::none());
  m.def("memcpy_peer", &memcpy_peer, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("dest_context") = py::none(), py::arg("src_context") = py::none(),
        "Copy between the memories of two contexts; None is the current one.");
  m.def("memcpy_peer_async", &memcpy_peer_async, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("dest_context") = py::none(), py::arg("src_context") = py::none(), py::arg("stream") = py::none());
  bind_memset<unsigned char>(m, "8", &Api::cuMemsetD8_v2, &Api::cuMemsetD8Async, &Api::cuMemsetD2D8_v2,
                             &Api::cuMemsetD2D8Async);
  bind_memset<unsigned short>(m, "16", &Api::cuMemsetD16_v2, &Api::cuMemsetD16Async, &Api::cuMemsetD2D16_v2,
                              &Api::cuMemsetD2D16Async);
  bind_memset<unsigned>(m, "32", &Api::cuMemsetD32_v2, &Api::cuMemsetD32Async, &Api::cuMemsetD2D32_v2,
                        &Api::cuMemsetD2D32Async);
}

}  // namespace devarray::cuda
