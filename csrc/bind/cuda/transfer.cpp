// Copies and fills between addresses, under PyCUDA's names. They work in the current context.
#include <cstring>

#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_transfer.hpp"
#include "common/checked.hpp"

namespace devarray::cuda {
namespace {

using Access = HostBuffer::Access;

PyObject* memcpy_htod(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<2> signature = {"memcpy_htod", {"dest", "src"}, 2};
  const QuickArguments<2> arguments(signature, given, positional, keywords);
  const HostBuffer from(arguments[1], Access::read, "memcpy_htod");
  const std::size_t bytes = from.size();
  const CUdeviceptr to = device_range(arguments[0], bytes, "memcpy_htod");
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
  const HostBuffer from(src, Access::read, "memcpy_htod_async");
  const CUdeviceptr to = device_range(dest, from.size(), "memcpy_htod_async");
  const CUstream on = stream_handle(stream);
  GilRelease release;
  api().cuMemcpyHtoDAsync_v2(to, from.data(), from.size(), on);
}

PyObject* memcpy_dtoh(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<2> signature = {"memcpy_dtoh", {"dest", "src"}, 2};
  const QuickArguments<2> arguments(signature, given, positional, keywords);
  const HostBuffer to(arguments[0], Access::write, "memcpy_dtoh");
  const std::size_t bytes = to.size();
  const CUdeviceptr from = device_range(arguments[1], bytes, "memcpy_dtoh");
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
  const CUdeviceptr from = device_range(src, to.size(), "memcpy_dtoh_async");
  const CUstream on = stream_handle(stream);
  GilRelease release;
  api().cuMemcpyDtoHAsync_v2(to.data(), from, to.size(), on);
}

PyObject* memcpy_dtod(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<3> signature = {"memcpy_dtod", {"dest", "src", "size"}, 3};
  const QuickArguments<3> arguments(signature, given, positional, keywords);
  const std::size_t size = byte_count(arguments[2], "memcpy_dtod", "size");
  const CUdeviceptr to = device_range(arguments[0], size, "memcpy_dtod"),
                    from = device_range(arguments[1], size, "memcpy_dtod");
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
  const CUdeviceptr to = device_range(dest, size, "memcpy_dtod_async"),
                    from = device_range(src, size, "memcpy_dtod_async");
  api().cuMemcpyDtoDAsync_v2(to, from, size, stream_handle(stream));
}

CUcontext context_or_current(const ContextPtr& context) {
  return context ? context->handle() : Context::current()->handle();
}

void memcpy_peer(const py::object& dest, const py::object& src, std::size_t size, const ContextPtr& dest_context,
                 const ContextPtr& src_context) {
  const CUdeviceptr to = device_range(dest, size, "memcpy_peer"), from = device_range(src, size, "memcpy_peer");
  const CUcontext there = context_or_current(dest_context), here = context_or_current(src_context);
  GilRelease release;
  api().cuMemcpyPeer(to, there, from, here, size);
}

void memcpy_peer_async(const py::object& dest, const py::object& src, std::size_t size, const ContextPtr& dest_context,
                       const ContextPtr& src_context, const py::object& stream) {
  const CUdeviceptr to = device_range(dest, size, "memcpy_peer_async"),
                    from = device_range(src, size, "memcpy_peer_async");
  api().cuMemcpyPeerAsync(to, context_or_current(dest_context), from, context_or_current(src_context), size,
                          stream_handle(stream));
}

PyMethodDef copy_functions[] = {quick<memcpy_htod>("memcpy_htod", docs::kMemcpyHtod),
                                quick<memcpy_dtoh>("memcpy_dtoh", docs::kMemcpyDtoh),
                                quick<memcpy_dtod>("memcpy_dtod", docs::kMemcpyDtod),
                                {nullptr, nullptr, 0, nullptr}};

template <class T>
std::size_t bytes_of(std::size_t count) {
  return checked_mul(count, sizeof(T), "the bytes of a memset");
}
template <class T>
std::size_t bytes_of(std::size_t pitch, std::size_t width, std::size_t height) {
  const std::size_t origin[3] = {}, region[3] = {bytes_of<T>(width), height, 1}, pitches[2] = {pitch, 0};
  return rectangle_end(origin, region, pitches);
}

/// What help() says of one of the twelve memsets.
std::string memset_doc(const std::string& bits, bool rows, bool async) {
  std::string text = rows ? "Set rows of elements of " : "Set elements of ";
  text += bits + " bits to a value" + (async ? ", in a stream's order" : "") + ".\n\nParameters\n----------\n" +
          "dest : DeviceAllocation or int\n    Where to.\n";
  if (rows) text += "pitch : int\n    Bytes from row to row.\n";
  text += "data : int\n    The value, below 2**" + bits + ".\n";
  text += rows ? "width : int\n    Elements of a row.\nheight : int\n    Rows.\n" : "count : int\n    Elements.\n";
  if (async) text += "stream : Stream or int, optional\n    The default stream if not given.\n";
  text += "\nRaises\n------\nValueError\n    If `dest` is known to have less room.\n";
  const std::string driver = std::string("cuMemsetD") + (rows ? "2D" : "") + bits + (async ? "Async" : "");
  text += "\nNotes\n-----\nCalls ``" + driver +
          "``.\n\nExamples\n--------\n>>> memory = cuda.mem_alloc(32)\n>>> cuda.memset_d";
  text += (rows ? "2d" : "") + bits + (async ? "_async" : "") + (rows ? "(memory, 16, 7, 4, 2)" : "(memory, 7, 4)");
  return text + "\n>>> int(cuda.from_device(memory, 4, np.uint" + bits + ").sum())\n28\n";
}

// memset_d8(dest, data, count) and its asynchronous and two-dimensional forms, for one width of element.
template <class T, class Now, class Later, class Now2D, class Later2D>
void bind_memset(py::module_& m, const std::string& bits, Now now, Later later, Now2D now2d, Later2D later2d) {
  m.def(("memset_d" + bits).c_str(),
        [now](const py::object& dest, T data, std::size_t count) {
          const CUdeviceptr to = device_range(dest, bytes_of<T>(count), "memset");
          GilRelease release;
          (api().*now)(to, data, count);
        },
        py::arg("dest"), py::arg("data"), py::arg("count"), memset_doc(bits, false, false).c_str());
  m.def(("memset_d" + bits + "_async").c_str(),
        [later](const py::object& dest, T data, std::size_t count, const py::object& stream) {
          (api().*later)(device_range(dest, bytes_of<T>(count), "memset"), data, count, stream_handle(stream));
        },
        py::arg("dest"), py::arg("data"), py::arg("count"), py::arg("stream") = py::none(),
        memset_doc(bits, false, true).c_str());
  m.def(("memset_d2d" + bits).c_str(),
        [now2d](const py::object& dest, std::size_t pitch, T data, std::size_t width, std::size_t height) {
          const CUdeviceptr to = device_range(dest, bytes_of<T>(pitch, width, height), "memset");
          GilRelease release;
          (api().*now2d)(to, pitch, data, width, height);
        },
        py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
        memset_doc(bits, true, false).c_str());
  m.def(("memset_d2d" + bits + "_async").c_str(),
        [later2d](const py::object& dest, std::size_t pitch, T data, std::size_t width, std::size_t height,
                  const py::object& stream) {
          (api().*later2d)(device_range(dest, bytes_of<T>(pitch, width, height), "memset"), pitch, data, width, height,
                           stream_handle(stream));
        },
        py::arg("dest"), py::arg("pitch"), py::arg("data"), py::arg("width"), py::arg("height"),
        py::arg("stream") = py::none(), memset_doc(bits, true, true).c_str());
}

}  // namespace

void bind_transfers(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), copy_functions) != 0) throw py::error_already_set();
  m.def("memcpy_htod_async", &memcpy_htod_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        docs::kMemcpyHtodAsync);
  m.def("memcpy_dtoh_async", &memcpy_dtoh_async, py::arg("dest"), py::arg("src"), py::arg("stream") = py::none(),
        docs::kMemcpyDtohAsync);
  m.def("memcpy_dtod_async", &memcpy_dtod_async, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("stream") = py::none(), docs::kMemcpyDtodAsync);
  m.def("memcpy_peer", &memcpy_peer, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("dest_context") = py::none(), py::arg("src_context") = py::none(), docs::kMemcpyPeer);
  m.def("memcpy_peer_async", &memcpy_peer_async, py::arg("dest"), py::arg("src"), py::arg("size"),
        py::arg("dest_context") = py::none(), py::arg("src_context") = py::none(), py::arg("stream") = py::none(),
        docs::kMemcpyPeerAsync);
  bind_memset<unsigned char>(m, "8", &Api::cuMemsetD8_v2, &Api::cuMemsetD8Async, &Api::cuMemsetD2D8_v2,
                             &Api::cuMemsetD2D8Async);
  bind_memset<unsigned short>(m, "16", &Api::cuMemsetD16_v2, &Api::cuMemsetD16Async, &Api::cuMemsetD2D16_v2,
                              &Api::cuMemsetD2D16Async);
  bind_memset<unsigned>(m, "32", &Api::cuMemsetD32_v2, &Api::cuMemsetD32Async, &Api::cuMemsetD2D32_v2,
                        &Api::cuMemsetD2D32Async);
}

}  // namespace devarray::cuda
