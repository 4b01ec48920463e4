// Device, managed, page-locked and registered memory, under PyCUDA's names.
#include <cstdlib>

#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_array_address.hpp"
#include "bind/docs/cuda_memory.hpp"
#include "bind/engine/array.hpp"
#include "common/checked.hpp"
#include "cuda/virtual_memory.hpp"

namespace devarray::cuda {
namespace {

// Bytes on the device as an object of numpy's buffer kind: an address range, which only other drivers can read.
py::object as_buffer(CUdeviceptr address, std::size_t size) {
  if (size > static_cast<std::size_t>(PY_SSIZE_T_MAX))
    throw ValueError("as_buffer: size is " + std::to_string(size) + ", more than a buffer can have");
  return py::reinterpret_steal<py::object>(
      PyMemoryView_FromMemory(reinterpret_cast<char*>(address), static_cast<Py_ssize_t>(size), PyBUF_WRITE));
}

py::buffer_info host_buffer_info(HostVisibleMemory& memory) {
  memory.address();  // throws once freed
  return py::buffer_info(memory.host(), 1, py::format_descriptor<unsigned char>::format(),
                         static_cast<py::ssize_t>(memory.size()));
}

// Host memory at an alignment of one's own, for register_host_memory.
class AlignedHostMemory {
 public:
  AlignedHostMemory(std::size_t bytes, std::size_t alignment) : size_(bytes) {
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
      throw ValueError("an alignment of " + std::to_string(alignment) + "; a power of two is wanted");
    alignment = std::max(alignment, alignof(std::max_align_t));
    data_ =
        std::aligned_alloc(alignment, checked_add(std::max(bytes, std::size_t{1}), alignment - 1, "an aligned size") /
                                          alignment * alignment);
    if (!data_) throw std::bad_alloc();
  }
  ~AlignedHostMemory() { std::free(data_); }
  AlignedHostMemory(const AlignedHostMemory&) = delete;
  AlignedHostMemory& operator=(const AlignedHostMemory&) = delete;

  void free() {
    if (!data_) throw ValueError("this host allocation was freed before");
    std::free(data_);
    data_ = nullptr;
  }
  void* data() const {
    if (!data_) throw ValueError("this host allocation was freed");
    return data_;
  }
  std::size_t size() const noexcept { return size_; }

 private:
  void* data_;
  std::size_t size_;
};

// mem_alloc(bytes), with a recycled object where there is one.
PyObject* mem_alloc(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr QuickSignature<1> signature = {"mem_alloc", {"bytes"}, 1};
  const QuickArguments<1> arguments(signature, given, positional, keywords);
  const std::size_t bytes = byte_count(arguments[0], "mem_alloc", "bytes");
  const ContextPtr context = Context::current();
  const py::object recycled = py::reinterpret_steal<py::object>(Recycler<DeviceMemory>::take());
  std::shared_ptr<DeviceMemory> fresh;
  {
    GilRelease release;
    if (recycled)
      Recycler<DeviceMemory>::value(recycled.ptr()).renew(context, bytes);
    else
      fresh = DeviceMemory::allocate(context, bytes);
  }
  return (recycled ? recycled : py::cast(fresh)).inc_ref().ptr();
}

PyObject* free_memory(PyObject* self, PyObject*) {
  try {
    Memory* memory = plain_allocation(self);
    if (!memory) memory = &py::handle(self).cast<Memory&>();
    GilRelease release;
    memory->free();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef memory_methods[] = {{"free", free_memory, METH_NOARGS, docs::kFree}, {nullptr, nullptr, 0, nullptr}};

PyMethodDef memory_functions[] = {quick<mem_alloc>("mem_alloc", docs::kMemAlloc), {nullptr, nullptr, 0, nullptr}};

void bind_device_memory(py::module_& m) {
  py::class_<Memory, Allocation, std::shared_ptr<Memory>> memory(m, "Memory", docs::kMemory);
  add_methods(memory, memory_methods);
  memory.def("__int__", &Memory::address)
      .def("__index__", &Memory::address)
      .def("get_pointer", &Memory::address, docs::kMemoryGetPointer)
      .def(
          "as_buffer",
          [](const Memory& memory, std::size_t size, std::size_t offset) {
            if (offset > memory.size() || size > memory.size() - offset)
              throw ValueError("as_buffer: " + std::to_string(size) + " bytes from byte " + std::to_string(offset) +
                               " of an allocation of " + std::to_string(memory.size()));
            return as_buffer(memory.address() + offset, size);
          },
          py::arg("size"), py::arg("offset") = 0, docs::kMemoryAsBuffer)
      .def_property_readonly("context", &Memory::context)
      .def("__repr__", [](const py::object& self) {
        const auto& memory = self.cast<const Memory&>();
        return "<devarray.cuda." + std::string(py::str(py::type::of(self).attr("__name__"))) + " of " +
               std::to_string(memory.size()) + " bytes" + (memory.freed() ? ", freed>" : ">");
      });
  const py::class_<DeviceMemory, Memory, std::shared_ptr<DeviceMemory>> device(m, "DeviceAllocation",
                                                                               docs::kDeviceAllocation);
  Recycler<DeviceMemory>::install(device);
  py::class_<VirtualMemory, Memory, std::shared_ptr<VirtualMemory>>(m, "VirtualMemory", "Memory that grows in place.")
      .def_property_readonly("mapped", &VirtualMemory::mapped, "Bytes that have memory behind them.");
  py::class_<IpcMemory, Memory, std::shared_ptr<IpcMemory>>(m, "IPCMemoryHandle", docs::kIPCMemoryHandle)
      .def(py::init([](const py::bytes& handle, unsigned flags, std::size_t offset) {
             return IpcMemory::open(Context::current(), handle, flags, offset);
           }),
           py::arg("ipc_handle"), py::arg("flags") = unsigned{CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS},
           py::arg("offset") = 0)
      .def("close", &IpcMemory::free, release_gil(), docs::kIPCMemoryHandleClose);

  m.def("as_buffer", &as_buffer, py::arg("address"), py::arg("size"));
  if (PyModule_AddFunctions(m.ptr(), memory_functions) != 0) throw py::error_already_set();
  m.def(
      "mem_alloc_pitch",
      [](std::size_t width, std::size_t height, unsigned access_size) {
        std::size_t pitch = 0;
        auto memory = DeviceMemory::allocate_pitched(Context::current(), width, height, access_size, &pitch);
        return py::make_tuple(memory, pitch);
      },
      py::arg("width"), py::arg("height"), py::arg("access_size"), docs::kMemAllocPitch);
  m.def(
      "mem_get_info",
      [] {
        std::size_t free = 0, total = 0;
        api().cuMemGetInfo_v2(&free, &total);
        return py::make_tuple(free, total);
      },
      docs::kMemGetInfo);
  m.def(
      "mem_get_ipc_handle",
      [](const py::object& pointer) { return py::bytes(ipc_handle(device_pointer(pointer, "mem_get_ipc_handle"))); },
      py::arg("devptr"), docs::kMemGetIpcHandle);
  m.def(
      "mem_get_address_range",
      [](const py::object& pointer) {
        CUdeviceptr base = 0;
        std::size_t size = 0;
        api().cuMemGetAddressRange_v2(&base, &size, device_pointer(pointer, "mem_get_address_range"));
        return py::make_tuple(base, size);
      },
      py::arg("devptr"), docs::kMemGetAddressRange);
  m.def(
      "pointer_get_attribute",
      [](int attribute, const py::object& pointer) -> unsigned long long {
        // Attributes are 4 or 8 bytes wide; what is not written stays zero (little-endian).
        unsigned long long value = 0;
        api().cuPointerGetAttribute(&value, static_cast<CUpointer_attribute>(attribute),
                                    device_pointer(pointer, "pointer_get_attribute"));
        return value;
      },
      py::arg("attribute"), py::arg("devptr"), docs::kPointerGetAttribute);
}

void bind_host_memory(py::module_& m) {
  py::class_<HostVisibleMemory, Memory, std::shared_ptr<HostVisibleMemory>>(m, "HostPointer", py::buffer_protocol(),
                                                                            docs::kHostPointer)
      .def_buffer(&host_buffer_info)
      .def("get_device_pointer", &HostVisibleMemory::device_pointer, docs::kHostPointerGetDevicePointer);
  py::class_<ManagedMemory, HostVisibleMemory, std::shared_ptr<ManagedMemory>>(m, "ManagedAllocation",
                                                                               docs::kManagedAllocation)
      .def(
          "attach",
          [](const ManagedMemory& memory, unsigned flags, const py::object& stream) {
            memory.attach(flags, stream_handle(stream));
          },
          py::arg("mem_flags"), py::arg("stream") = py::none(), docs::kManagedAllocationAttach)
      .def(
          "prefetch",
          [](const ManagedMemory& memory, const py::object& device, const py::object& stream) {
            const CUdevice where = device.is_none() ? CUdevice{CU_DEVICE_CPU} : device.attr("handle").cast<CUdevice>();
            memory.prefetch(where, stream_handle(stream));
          },
          py::arg("device") = py::none(), py::arg("stream") = py::none(), docs::kManagedAllocationPrefetch)
      .def(
          "advise",
          [](const ManagedMemory& memory, int advice, const py::object& device) {
            const CUdevice where = device.is_none() ? CUdevice{CU_DEVICE_CPU} : device.attr("handle").cast<CUdevice>();
            memory.advise(static_cast<CUmem_advise>(advice), where);
          },
          py::arg("advice"), py::arg("device") = py::none(), docs::kManagedAllocationAdvise);
  py::class_<PinnedMemory, HostVisibleMemory, std::shared_ptr<PinnedMemory>>(m, "PagelockedHostAllocation",
                                                                             docs::kPagelockedHostAllocation)
      .def("get_flags", &PinnedMemory::flags, docs::kPagelockedHostAllocationGetFlags);
  py::class_<RegisteredMemory, HostVisibleMemory, std::shared_ptr<RegisteredMemory>>(
      m, "RegisteredHostMemory", py::dynamic_attr(), docs::kRegisteredHostMemory)
      .def("unregister", &RegisteredMemory::free, release_gil(), docs::kRegisteredHostMemoryUnregister)
      .def_property_readonly(
          "base", [](const py::object& self) { return py::getattr(self, "_owner", py::none()); },
          "The object whose memory it locks.");
  py::class_<AlignedHostMemory, std::shared_ptr<AlignedHostMemory>>(m, "AlignedHostAllocation", py::buffer_protocol(),
                                                                    docs::kAlignedHostAllocation)
      .def(py::init<std::size_t, std::size_t>(), py::arg("bytes"), py::arg("alignment"))
      .def("free", &AlignedHostMemory::free, docs::kAlignedHostAllocationFree)
      .def_property_readonly("nbytes", &AlignedHostMemory::size)
      .def_buffer([](AlignedHostMemory& memory) {
        return py::buffer_info(memory.data(), 1, py::format_descriptor<unsigned char>::format(),
                               static_cast<py::ssize_t>(memory.size()));
      });

  m.def(
      "pagelocked_alloc",
      [](std::size_t bytes, unsigned flags) { return PinnedMemory::allocate(Context::current(), bytes, flags); },
      py::arg("bytes"), py::arg("flags"));
  m.def(
      "managed_alloc",
      [](std::size_t bytes, unsigned flags) {
        return ManagedMemory::allocate(Context::current(), bytes, flags ? flags : unsigned{CU_MEM_ATTACH_GLOBAL});
      },
      py::arg("bytes"), py::arg("flags"));
  m.def(
      "register_memory",
      [](const py::buffer& buffer, unsigned flags) {
        const HostBuffer view(buffer, HostBuffer::Access::read, "register_host_memory");
        return RegisteredMemory::lock(Context::current(), view.data(), view.size(), flags);
      },
      py::arg("buffer"), py::arg("flags"));
}

}  // namespace

CUdeviceptr address_of(const py::object& self) { return device_pointer(self, "ArrayAddress"); }

void bind_array_address(py::module_& m) {
  py::class_<ArrayAddress>(m, "ArrayAddress", docs::kArrayAddress)
      .def(py::init([](const py::object& array) {
             require_array(array);
             return ArrayAddress{array};
           }),
           py::arg("array"))
      .def_readonly("array", &ArrayAddress::array, "The array, which this keeps alive; None once freed.")
      .def_property_readonly(
          "dtype", [](const ArrayAddress& self) { return self.array.attr("dtype"); },
          "The dtype of the array's elements.")
      .def_property_readonly("nbytes", [](const py::object& self) { return device_room(self).value_or(0); })
      .def("get_pointer", &address_of, docs::kArrayAddressGetPointer)
      .def(
          "free", [](ArrayAddress& self) { self.array = py::none(); }, docs::kArrayAddressFree)
      .def("__int__", &address_of)
      .def("__index__", &address_of)
      .def("__hash__", &address_of)
      .def("__eq__", [](const py::object& self, const py::object& other) -> py::object {
        if (!PyIndex_Check(other.ptr())) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
        return py::bool_(py::int_(address_of(self)).equal(py::int_(other)));
      });
}

void bind_memory(py::module_& m) {
  bind_device_memory(m);
  bind_host_memory(m);
  bind_array_address(m);
}

}  // namespace devarray::cuda
