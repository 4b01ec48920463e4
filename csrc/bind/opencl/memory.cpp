// Memory objects, buffers and shared virtual memory.
#include <pybind11/numpy.h>

#include "bind/docs/opencl_memory.hpp"
#include "bind/engine/recycle.hpp"
#include "bind/opencl/opencl.hpp"
#include "opencl/image.hpp"

namespace devarray::opencl {
namespace {

BufferPtr make_buffer(const Context& context, cl_mem_flags flags, std::size_t size, const py::object& hostbuf) {
  const ContextDevicePtr device = context.engine();
  if (hostbuf.is_none()) {
    GilRelease release;
    return Buffer::create(device, flags, size, nullptr);
  }
  const bool uses_host = flags & CL_MEM_USE_HOST_PTR;
  if (!uses_host && !(flags & CL_MEM_COPY_HOST_PTR))
    throw ValueError(
        "hostbuf was given, but flags has neither mem_flags.USE_HOST_PTR nor mem_flags.COPY_HOST_PTR, "
        "so its contents would not be used");
  const bool written = uses_host && !(flags & CL_MEM_READ_ONLY);
  auto host = std::make_shared<HostBuffer>(hostbuf, written ? HostBuffer::Access::write : HostBuffer::Access::read);
  if (size > host->size())
    throw ValueError("size is " + std::to_string(size) + " bytes, but hostbuf has only " +
                     std::to_string(host->size()));
  GilRelease release;
  return Buffer::create(device, flags, size ? size : host->size(), host->data(), uses_host ? host : nullptr);
}

// Buffer(context, flags, size): by far the most frequent form, with a recycled object where there is one. It has its
// memory when it comes out of tp_new, so that no Python code ever sees a retired one.
newfunc generic_new = nullptr;
initproc generic_init = nullptr;
PyObject* made_whole = nullptr;  ///< what tp_new just made, for the tp_init that follows; compared, never read

bool is_plain(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static PyTypeObject* const context_type = reinterpret_cast<PyTypeObject*>(py::type::of<Context>().release().ptr());
  return type == Recycler<Buffer>::type() && (!keywords || PyDict_GET_SIZE(keywords) == 0) &&
         PyTuple_GET_SIZE(args) == 3 && Py_TYPE(PyTuple_GET_ITEM(args, 0)) == context_type &&
         PyLong_CheckExact(PyTuple_GET_ITEM(args, 1)) && PyLong_CheckExact(PyTuple_GET_ITEM(args, 2));
}

/// The buffer in a recycled object; null where there is none. Throws.
PyObject* recycled_buffer(PyObject* args) {
  PyObject* object = Recycler<Buffer>::take();
  if (!object) return nullptr;
  py::object owned = py::reinterpret_steal<py::object>(object);  // retires again if what follows throws
  const auto& context = py::handle(PyTuple_GET_ITEM(args, 0)).cast<const Context&>();
  const cl_mem_flags flags = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(args, 1));
  const std::size_t size = PyErr_Occurred() ? 0 : PyLong_AsSize_t(PyTuple_GET_ITEM(args, 2));
  if (PyErr_Occurred()) throw py::error_already_set();
  ContextDevicePtr device = context.engine();
  const cl_context raw = device->context();
  auto memory = Handle<cl_mem>::adopt(DEVARRAY_CL_CREATE(raw, clCreateBuffer, raw, flags, size, nullptr));
  Recycler<Buffer>::value(object).renew(std::move(device), size, std::move(memory));
  return owned.release().ptr();
}

PyObject* buffer_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  made_whole = nullptr;
  if (is_plain(type, args, keywords)) {
    try {
      made_whole = recycled_buffer(args);
    } catch (...) {
      set_python_error();
      return nullptr;
    }
  }
  return made_whole ? made_whole : generic_new(type, args, keywords);
}

int buffer_init(PyObject* self, PyObject* args, PyObject* keywords) {
  return self == std::exchange(made_whole, nullptr) ? 0 : generic_init(self, args, keywords);
}

void recycle_buffers(py::handle cls) {
  Recycler<Buffer>::install(cls);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  generic_new = type->tp_new;
  generic_init = type->tp_init;
  type->tp_new = buffer_new;
  type->tp_init = buffer_init;
}

BufferPtr slice(const Buffer& buffer, const py::slice& range) {
  py::ssize_t start = 0, stop = 0, step = 0, length = 0;
  if (!range.compute(static_cast<py::ssize_t>(buffer.size()), &start, &stop, &step, &length))
    throw py::error_already_set();
  if (step != 1) throw ValueError("a buffer's slice must have step 1; got " + std::to_string(step));
  constexpr cl_mem_flags creation_only = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  const auto flags = memory_info_value<cl_mem_flags>(buffer.get(), CL_MEM_FLAGS) & ~creation_only;
  return buffer.sub_region(static_cast<std::size_t>(start), static_cast<std::size_t>(length), flags);
}

/// Memory that the host may address, for the buffer protocol, and what keeps it.
struct OwnedBytes {
  std::shared_ptr<void> owner;
  void* data;
  std::size_t size;
};

void bind_memory_objects(py::module_& m) {
  py::class_<OwnedBytes>(m, "OwnedBytes", "Memory of an OpenCL object, for the buffer protocol.", py::buffer_protocol())
      .def_buffer([](OwnedBytes& bytes) {
        return py::buffer_info(static_cast<unsigned char*>(bytes.data), static_cast<py::ssize_t>(bytes.size));
      });

  py::class_<MemoryObject, Allocation, MemoryObjectPtr> object(m, "MemoryObject", docs::kMemoryObject);
  object.def("release", &MemoryObject::release, release_gil(), docs::kMemoryObjectRelease);
  object.def_property_readonly(
      "hostbuf",
      [](const MemoryObject& o) -> py::object {
        const auto host = std::static_pointer_cast<HostBuffer>(o.keep_alive());
        return host ? host->object() : py::none();
      },
      "The object whose memory it uses (mem_flags.USE_HOST_PTR), or None.");
  object.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto memory = reinterpret_cast<cl_mem>(p);
        return memory_object(retain ? Handle<cl_mem>::share(memory) : Handle<cl_mem>::adopt(memory));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  object.def(
      "get_host_array",
      [](const py::object& self, const py::object& shape, const py::object& dtype,
         const py::object& order) -> py::object {
        const auto& memory = self.cast<const MemoryObject&>();
        const auto flags = memory_info_value<cl_mem_flags>(memory.get(), CL_MEM_FLAGS);
        if (!(flags & CL_MEM_USE_HOST_PTR))
          throw ClError("MemoryObject.get_host_array", CL_INVALID_VALUE, "it was not created with USE_HOST_PTR");
        void* const host = memory_info_value<void*>(memory.get(), CL_MEM_HOST_PTR);
        const OwnedBytes bytes{self.cast<MemoryObjectPtr>(), host, memory.size()};
        const py::array over = py::module_::import("devarray.cl._map").attr("array_over")(bytes, shape, dtype, order);
        const std::vector<py::ssize_t> sizes(over.shape(), over.shape() + over.ndim());
        const std::vector<py::ssize_t> steps(over.strides(), over.strides() + over.ndim());
        return py::array(over.dtype(), sizes, steps, host, self);  // PyOpenCL's has the object itself for its base
      },
      py::arg("shape"), py::arg("dtype"), py::arg("order") = "C", docs::kMemoryObjectGetHostArray);
  def_info(object, memory_table(), DEVARRAY_CL_READER(MemoryObject, clGetMemObjectInfo));
  def_identity(object);
  m.attr("MemoryObjectHolder") = object;

  py::class_<Buffer, MemoryObject, BufferPtr> buffer(m, "Buffer", docs::kBuffer);
  buffer
      .def(py::init(&make_buffer), py::arg("context"), py::arg("flags"), py::arg("size") = 0,
           py::arg("hostbuf") = py::none())
      .def("get_sub_region", &Buffer::sub_region, py::arg("origin"), py::arg("size"), py::arg("flags") = 0,
           release_gil(), docs::kBufferGetSubRegion)
      .def("__getitem__", &slice, py::arg("slc"), docs::kBufferGetitem);
  recycle_buffers(buffer);
}

/// Host memory, of whatever origin, tagged as shared virtual memory.
class SVM final : public SVMPointer {
 public:
  explicit SVM(const py::object& memory) : memory(memory), host_(memory, HostBuffer::Access::read) {}
  void* svm_pointer() const override { return host_.data(); }
  std::optional<std::size_t> svm_size() const override { return host_.size(); }
  py::object memory;

 private:
  HostBuffer host_;
};

/// Bytes of the memory at a pointer, all of them where `size` is not given.
std::size_t bytes_at(const SVMPointer& pointer, std::optional<std::size_t> size) {
  const std::optional<std::size_t> whole = pointer.svm_size();
  if (!size && !whole) throw ValueError("the size of this SVM pointer is not known; give size");
  if (size && whole && *size > *whole)
    throw ValueError("size is " + std::to_string(*size) + " bytes, but the memory has only " + std::to_string(*whole));
  return size ? *size : *whole;
}

/// An SVMMap over the bytes, or over the wrapped object of an SVM.
py::object map_svm(const py::object& self, const py::object& queue, cl_map_flags flags, bool blocking,
                   const py::object& wait_for, std::optional<std::size_t> size) {
  const auto& pointer = self.cast<const SVMPointer&>();
  const bool wrapped = py::isinstance<SVM>(self);
  if (wrapped && size) throw ValueError("SVM.map maps the whole of the wrapped object; give no size");
  const std::size_t bytes = bytes_at(pointer, size);
  void* const address = pointer.svm_pointer();
  auto& q = queue.cast<CommandQueue&>();
  const auto events = events_of(q, wait_for);
  ClEventPtr event;
  {
    GilRelease release;
    const WaitList wait(events);
    cl_event raw = nullptr;
    DEVARRAY_CL(q.get(), clEnqueueSVMMap, q.get(), blocking, flags, address, bytes, wait.size(), wait.data(), &raw);
    event = event_of(q, raw);
  }
  py::object array = self.attr(wrapped ? "mem" : "buf");
  if (!wrapped)
    array = py::module_::import("numpy").attr("asarray")(array)[py::slice(0, static_cast<py::ssize_t>(bytes), 1)];
  return py::module_::import("devarray.cl._svm").attr("SVMMap")(self, array, queue, event);
}

BufferPtr svm_as_buffer(const std::shared_ptr<SVMPointer>& pointer, const Context& context,
                        std::optional<cl_mem_flags> flags, std::optional<std::size_t> size) {
  const std::size_t bytes = bytes_at(*pointer, size);
  void* const address = pointer->svm_pointer();
  return Buffer::create(context.engine(), flags.value_or(CL_MEM_READ_WRITE) | CL_MEM_USE_HOST_PTR, bytes, address);
}

SVMAllocationPtr make_allocation(const Context& context, std::size_t size, cl_uint alignment, cl_svm_mem_flags flags,
                                 const CommandQueuePtr& queue) {
  return std::make_shared<SVMAllocation>(context.engine(), flags, size, alignment, queue);
}

void bind_svm(py::module_& m) {
  py::class_<SVMPointer, std::shared_ptr<SVMPointer>>(m, "SVMPointer", docs::kSVMPointer)
      .def_property_readonly(
          "svm_ptr", [](const SVMPointer& p) { return address(p.svm_pointer()); }, "The address, an int.")
      .def_property_readonly("size", &SVMPointer::svm_size, "Bytes, or None where not known.")
      .def("map", &map_svm, py::arg("queue"), py::arg("flags"), py::arg("is_blocking") = true,
           py::arg("wait_for") = py::none(), py::arg("size") = py::none(), docs::kSVMPointerMap)
      .def(
          "map_ro",
          [](const py::object& p, const py::object& queue, bool blocking, const py::object& wait_for,
             std::optional<std::size_t> size) { return map_svm(p, queue, CL_MAP_READ, blocking, wait_for, size); },
          py::arg("queue"), py::arg("is_blocking") = true, py::arg("wait_for") = py::none(),
          py::arg("size") = py::none(), docs::kSVMPointerMapRo)
      .def(
          "map_rw",
          [](const py::object& p, const py::object& queue, bool blocking, const py::object& wait_for,
             std::optional<std::size_t> size) {
            return map_svm(p, queue, CL_MAP_READ | CL_MAP_WRITE, blocking, wait_for, size);
          },
          py::arg("queue"), py::arg("is_blocking") = true, py::arg("wait_for") = py::none(),
          py::arg("size") = py::none(), docs::kSVMPointerMapRw)
      .def("as_buffer", &svm_as_buffer, py::arg("ctx"), py::kw_only(), py::arg("flags") = py::none(),
           py::arg("size") = py::none(), docs::kSVMPointerAsBuffer)
      .def_property_readonly(
          "buf",
          [](const std::shared_ptr<SVMPointer>& p) {
            const std::optional<std::size_t> size = p->svm_size();
            if (!size) throw ValueError("the size of this SVM pointer is not known");
            return OwnedBytes{p, p->svm_pointer(), *size};
          },
          "The memory as an object with the buffer protocol. Coarse-grained memory must be mapped while it is used.");

  py::class_<SVM, SVMPointer, std::shared_ptr<SVM>>(m, "SVM", docs::kSVM)
      .def(py::init<const py::object&>(), py::arg("mem"))
      .def_readonly("mem", &SVM::memory, "The wrapped object.");

  py::class_<SVMAllocation, Allocation, SVMPointer, SVMAllocationPtr>(m, "SVMAllocation", docs::kSVMAllocation,
                                                                      py::buffer_protocol())
      .def_buffer([](SVMAllocation& a) {
        return py::buffer_info(static_cast<unsigned char*>(a.svm_pointer()), static_cast<py::ssize_t>(a.size()));
      })
      .def(py::init(&make_allocation), py::arg("context"), py::arg("size"), py::arg("alignment") = 0,
           py::arg("flags") = cl_svm_mem_flags{CL_MEM_READ_WRITE}, py::arg("queue") = py::none())
      .def_property_readonly("size", [](const SVMAllocation& a) { return a.size(); })
      .def_property_readonly("queue", &SVMAllocation::queue)
      .def("release", &SVMAllocation::release, release_gil(), docs::kSVMAllocationRelease)
      .def(
          "enqueue_release",
          [](SVMAllocation& a, const CommandQueuePtr& queue, const py::object& wait_for) {
            const auto events = events_of(wait_for);
            GilRelease release;
            return a.enqueue_release(queue, WaitList(events));
          },
          py::arg("queue") = py::none(), py::arg("wait_for") = py::none(), docs::kSVMAllocationEnqueueRelease)
      .def("bind_to_queue", &SVMAllocation::bind_to_queue, py::arg("queue").none(false), release_gil(),
           docs::kSVMAllocationBindToQueue)
      .def("unbind_from_queue", &SVMAllocation::unbind_from_queue, release_gil(), docs::kSVMAllocationUnbindFromQueue)
      .def("__eq__",
           [](const SVMAllocation& a, const py::object& other) {
             return py::isinstance<SVMAllocation>(other) && other.cast<const SVMAllocation&>().handle() == a.handle();
           })
      .def("__hash__", [](const SVMAllocation& a) { return static_cast<py::ssize_t>(address(a.handle()) >> 4); });
}

}  // namespace

py::object memory_object(Handle<cl_mem> memory) {
  const auto context = memory_info_value<cl_context>(memory.get(), CL_MEM_CONTEXT);
  const ContextDevicePtr device = Context::share(context)->engine();
  const auto type = memory_info_value<cl_mem_object_type>(memory.get(), CL_MEM_TYPE);
  switch (type) {
    case CL_MEM_OBJECT_BUFFER: return py::cast(std::make_shared<Buffer>(device, std::move(memory)));
    case CL_MEM_OBJECT_PIPE: return py::cast(std::make_shared<Pipe>(device, std::move(memory)));
    default: return py::cast(std::make_shared<Image>(device, std::move(memory)));
  }
}

void bind_memory(py::module_& m) {
  bind_memory_objects(m);
  bind_svm(m);
}

}  // namespace devarray::opencl
