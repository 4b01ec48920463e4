// Copies and fills between addresses, under PyCUDA's names. They work in the current context.
#include "bind/cuda_common.hpp"

namespace devarray::cuda {
namespace {

using Access = HostBuffer::Access;

void memcpy_htod(const py::object& dest, const py::object& src) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_htod");
  const HostBuffer from(src, Access::read, "memcpy_htod");
  py::gil_scoped_release release;
  api().cuMemcpyHtoD_v2(to, from.data(), from.size());
}

void memcpy_htod_async(const py::object& dest, const py::object& src, const py::object& stream) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_htod_async");
  const HostBuffer from(src, Access::read, "memcpy_htod_async");
  const CUstream on = stream_handle(stream);
  py::gil_scoped_release release;
  api().cuMemcpyHtoDAsync_v2(to, from.data(), from.size(), on);
}

void memcpy_dtoh(const py::object& dest, const py::object& src) {
  const HostBuffer to(dest, Access::write, "memcpy_dtoh");
  const CUdeviceptr from = device_pointer(src, "memcpy_dtoh");
  py::gil_scoped_release release;
  api().cuMemcpyDtoH_v2(to.data(), from, to.size());
}

void memcpy_dtoh_async(const py::object& dest, const py::object& src, const py::object& stream) {
  const HostBuffer to(dest, Access::write, "memcpy_dtoh_async");
  const CUdeviceptr from = device_pointer(src, "memcpy_dtoh_async");
  const CUstream on = stream_handle(stream);
  py::gil_scoped_release release;
  api().cuMemcpyDtoHAsync_v2(to.data(), from, to.size(), on);
}

void memcpy_dtod(const py::object& dest, const py::object& src, std::size_t size) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_dtod"), from = device_pointer(src, "memcpy_dtod");
  py::gil_scoped_release release;
  api().cuMemcpyDtoD_v2(to, from, size);
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
  py::gil_scoped_release release;
  api().cuMemcpyPeer(to, there, from, here, size);
}

void memcpy_peer_async(const py::object& dest, const py::object& src, std::size_t size,
                       const ContextPtr& dest_context, const ContextPtr& src_context, const py::object& stream) {
  const CUdeviceptr to = device_pointer(dest, "memcpy_peer_async"), from = device_pointer(src, "memcpy_peer_async");
  api().cuMemcpyPeerAsync(to, context_or_current(dest_context), from, context_or_current(src_context), size,
                          stream_handle(stream));
}

// memset_d8(dest, data, count) and its asynchronous and two-dimensional forms, for one width of element.
template <class T, class Now, class Later, class Now2D, class Later2D>
void bind_memset(py::module_& m, const std::string& bits, Now now, Later later, Now2D now2d, Later2D later2d) {
  m.def(("memset_d" + bits).c_str(), [now](const py::object& dest, T data, std::size_t count) {
    const CUdeviceptr to = device_pointer(dest, "memset");
    py::gil_scoped_release release;
    (api().*now)(to, data, count);
  }, py::arg("dest"), py::arg("data"), py::arg("count"), "Set `count` elements (not bytes).");
  m.def(("memset_d" + bits + "_async").c_str(),
        [later](const py::object& dest, T data, std::size_t count, const py::object& stream) {
    (api().*later)(device_pointer(dest, "memset"), data, count, stream_handle(stream));
  }, py::arg("dest"), py::arg("data"), py::arg("count"), py::arg("stream") = py::none());
  m.def(("memset_d2d" + bits).c_str(),
        [now2d](const py::object& dest, std::size_t pitch, T data, std::size_t width, std::size_t height) {
    const CUdeviceptr to = device_pointer(dest, "memset");
    py::gil_scoped_release release;
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
  m.def("memcpy_htod", &memcpy_htod, py::arg("dest"), py::arg("src"), "Copy a host buffer to a device address.");
  m.def("memcpy_htod_async", &memcpy_htod_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        "The same on a stream; `src` must be page-locked for the copy not to wait, and stay alive.");
  m.def("memcpy_dtoh", &memcpy_dtoh, py::arg("dest"), py::arg("src"), "Copy from a device address into a host buffer.");
  m.def("memcpy_dtoh_async", &memcpy_dtoh_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        "The same on a stream; `dest` must be page-locked for the copy not to wait, and stay alive.");
  m.def("memcpy_dtod", &memcpy_dtod, py::arg("dest"), py::arg("src"), py::arg("size"));
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
