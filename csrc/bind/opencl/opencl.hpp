// Shared by the binders of the OpenCL layer: host memory, wait lists and what keeps Python objects alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bind/docs/opencl_shared.hpp"
#include "bind/python/bind.hpp"
#include "opencl/context.hpp"
#include "opencl/event.hpp"
#include "opencl/info.hpp"
#include "opencl/memory.hpp"
#include "opencl/program.hpp"
#include "opencl/queue.hpp"
#include "opencl/svm.hpp"

namespace devarray::opencl {

void bind_info(py::module_& m);
void bind_platform(py::module_& m);
void bind_queue(py::module_& m);
void bind_memory(py::module_& m);
void bind_program(py::module_& m);
void bind_kernel(py::module_& m);
void bind_transfer(py::module_& m);
void bind_engine_view(py::module_& m);
void bind_image(py::module_& m);
void bind_map(py::module_& m);

/// Memory of a Python object that has the buffer protocol, held while this lives.
class HostBuffer {
 public:
  enum class Access : bool { read, write };
  enum class Layout : bool { contiguous, any };
  /// Throws ValueError for memory that is not contiguous (in C or Fortran order) where that is asked for, and what
  /// Python raises for objects without the protocol and read-only ones.
  explicit HostBuffer(py::handle object, Access access, Layout layout = Layout::contiguous);
  ~HostBuffer();  ///< takes the GIL where it has to
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  void* data() const noexcept { return view_.buf; }
  std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }
  const Py_buffer& view() const noexcept { return view_; }
  py::object object() const { return py::reinterpret_borrow<py::object>(view_.obj); }

 private:
  Py_buffer view_;
};
using HostBufferPtr = std::shared_ptr<HostBuffer>;

/// The event of a transfer from or to host memory: it keeps that memory alive, and so waits when it goes away.
class NannyEvent final : public ClEvent {
 public:
  NannyEvent(Handle<cl_event> event, HostBufferPtr ward) : ClEvent(std::move(event)), ward_(std::move(ward)) {}
  ~NannyEvent() override;
  void wait() override;
  const HostBufferPtr& ward() const noexcept { return ward_; }

 private:
  HostBufferPtr ward_;
};

/// An item of a list that Python gave, in which there may be None.
template <class T>
T& item_of(const std::shared_ptr<T>& item, const char* parameter) {
  if (!item) throw py::type_error(std::string(parameter) + " holds None");
  return *item;
}

/// Warns where the queue's `with` statement has ended. Before anything is enqueued: a warning can be an error.
void warn_where_left(const CommandQueue& queue);

/// `wait_for`: None or a sequence of events.
std::vector<ClEventPtr> events_of(py::handle wait_for);
/// The same, of what is enqueued on `queue` next: see warn_where_left().
std::vector<ClEventPtr> events_of(const CommandQueue& queue, py::handle wait_for);

/// The Python object for the event of an enqueue on `queue`, which it adopts. With the GIL.
PyObject* event_object(CommandQueue& queue, cl_event event);

/// Adopts the event of an enqueue on `queue`.
ClEventPtr event_of(CommandQueue& queue, cl_event event);

inline std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// A queue that the driver knows already, wherever it was created.
CommandQueuePtr share_queue(Handle<cl_command_queue> queue);

/// The Buffer, Image or Pipe for a handle, as a Python object.
py::object memory_object(Handle<cl_mem> memory);

std::string hex(const void* pointer);
/// (3, 0), as PyOpenCL has versions.
inline std::pair<int, int> version_pair(Version version) { return {version / 100, version % 100}; }

/// An attribute's bytes as the Python object that PyOpenCL gives for it.
py::object info_object(InfoType type, const std::string& bytes);

std::string lower(std::string text);

/// get_info(param), and an attribute for every row: `read(self, code)` returns the attribute's bytes.
template <class Class, class Read>
void def_info(Class& cls, InfoTable table, Read read, const char* getter = "get_info") {
  using T = typename Class::type;
  for (const InfoRow& row : table)
    cls.def_property_readonly(lower(row.name).c_str(),
                              [&row, read](const T& self) { return info_object(row.type, read(self, row.code)); });
  cls.def(
      getter,
      [table, read](const T& self, cl_uint param) {
        const InfoRow* row = find_row(table, param);
        if (!row) throw ClError("get_info", CL_INVALID_VALUE, "no attribute has the number " + std::to_string(param));
        return info_object(row->type, read(self, param));
      },
      py::arg("param"), docs::kGetInfo);
}

/// The bytes of attributes whose info function takes the object and the attribute alone.
#define DEVARRAY_CL_READER(T, function) \
  [](const T& self, cl_uint code) { return info_bytes(DEVARRAY_CL_INFO(function, self.get(), code), #function); }

/// int_ptr, equality and hash by the driver's handle.
template <class Class>
void def_identity(Class& cls) {
  using T = typename Class::type;
  cls.def_property_readonly(
      "int_ptr", [](const T& self) { return address(self.get()); }, "The driver's handle as an integer.");
  cls.def("__eq__", [](const T& self, const py::object& other) {
    return py::isinstance<T>(other) && other.cast<const T&>().get() == self.get();
  });
  cls.def("__hash__", [](const T& self) { return static_cast<py::ssize_t>(address(self.get()) >> 4); });
}

}  // namespace devarray::opencl
