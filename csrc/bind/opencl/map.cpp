// Mapped memory, migration, and rectangular transfers of buffers.
#include "bind/docs/opencl_map.hpp"
#include "bind/opencl/opencl.hpp"
#include "bind/opencl/rect.hpp"

namespace devarray::opencl {
namespace {

using Access = HostBuffer::Access;

/// A mapped region of a memory object. Unmapped when released or dropped.
class MemoryMap {
 public:
  MemoryMap(CommandQueuePtr queue, MemoryObjectPtr memory, void* pointer, std::size_t bytes)
      : queue_(std::move(queue)), memory_(std::move(memory)), pointer_(pointer), bytes_(bytes) {}
  MemoryMap(const MemoryMap&) = delete;
  ~MemoryMap() {
    if (!pointer_ || shutting_down() || forked() || memory_->released()) return;
    const cl_command_queue q = queue_->get();
    table(q).clEnqueueUnmapMemObject(q, memory_->get(), pointer_, 0, nullptr, nullptr);
  }
  void* pointer() const {
    if (!pointer_) throw ValueError("the map was released; its memory cannot be used any more");
    return pointer_;
  }
  std::size_t bytes() const noexcept { return bytes_; }
  ClEventPtr release(const CommandQueuePtr& queue, const py::object& wait_for) {
    CommandQueue& chosen = queue ? *queue : *queue_;
    ClEventPtr event = enqueue_with(chosen, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* e) {
      DEVARRAY_CL(q, clEnqueueUnmapMemObject, q, memory_->get(), pointer(), wait.size(), wait.data(), e);
    });
    pointer_ = nullptr;
    return event;
  }

 private:
  CommandQueuePtr queue_;
  MemoryObjectPtr memory_;
  void* pointer_;
  std::size_t bytes_;
};

py::tuple map_buffer(const CommandQueuePtr& queue, const MemoryObjectPtr& memory, cl_map_flags flags,
                     std::size_t offset, std::size_t bytes, const py::object& wait_for, bool blocking) {
  require_range(*memory, offset, bytes, "clEnqueueMapBuffer");
  const auto events = events_of(*queue, wait_for);
  void* pointer = nullptr;
  ClEventPtr event;
  {
    GilRelease release;
    const WaitList wait(events);
    cl_event raw = nullptr;
    pointer = DEVARRAY_CL_CREATE(queue->get(), clEnqueueMapBuffer, queue->get(), memory->get(), blocking, flags, offset,
                                 bytes, wait.size(), wait.data(), &raw);
    event = event_of(*queue, raw);
  }
  return py::make_tuple(std::make_shared<MemoryMap>(queue, memory, pointer, bytes), event);
}

/// (map, event, row pitch, slice pitch)
py::tuple map_image(const CommandQueuePtr& queue, const ImagePtr& image, cl_map_flags flags, const Lengths& origin,
                    const Lengths& region, const py::object& wait_for, bool blocking) {
  const auto events = events_of(*queue, wait_for);
  const Triple extent(region, 1);
  require_box(Triple(origin, 0), extent);
  const auto pixel =
      info_value<std::size_t>(DEVARRAY_CL_INFO(clGetImageInfo, image->get(), CL_IMAGE_ELEMENT_SIZE), "clGetImageInfo");
  std::size_t row_pitch = 0, slice_pitch = 0;
  void* pointer = nullptr;
  ClEventPtr event;
  {
    GilRelease release;
    const WaitList wait(events);
    cl_event raw = nullptr;
    pointer = DEVARRAY_CL_CREATE(queue->get(), clEnqueueMapImage, queue->get(), image->get(), blocking, flags,
                                 Triple(origin, 0).data(), extent.data(), &row_pitch, &slice_pitch, wait.size(),
                                 wait.data(), &raw);
    event = event_of(*queue, raw);
  }
  const std::size_t bytes = (extent[2] - 1) * slice_pitch + (extent[1] - 1) * row_pitch + extent[0] * pixel;
  return py::make_tuple(std::make_shared<MemoryMap>(queue, image, pointer, bytes), event, row_pitch, slice_pitch);
}

ClEventPtr migrate(CommandQueue& queue, const std::vector<MemoryObjectPtr>& objects, cl_mem_migration_flags flags,
                   const py::object& wait_for) {
  std::vector<cl_mem> raw;
  for (const MemoryObjectPtr& object : objects) raw.push_back(item_of(object, "mem_objects").get());
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueMigrateMemObjects, q, static_cast<cl_uint>(raw.size()), raw.data(), flags, wait.size(),
                wait.data(), event);
  });
}

ClEventPtr migrate_svm(CommandQueue& queue, const std::vector<std::shared_ptr<SVMPointer>>& svms,
                       std::optional<cl_mem_migration_flags> flags, const py::object& wait_for) {
  if (queue.engine_device()->info().platform_version < 210) raise_missing("clEnqueueSVMMigrateMem");
  std::vector<const void*> pointers;
  std::vector<std::size_t> sizes;
  for (const auto& svm : svms) {
    const SVMPointer& pointer = item_of(svm, "svms");
    pointers.push_back(pointer.svm_pointer());
    sizes.push_back(pointer.svm_size().value_or(0));  // 0: the whole allocation
  }
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueSVMMigrateMem, q, static_cast<cl_uint>(pointers.size()), pointers.data(), sizes.data(),
                flags.value_or(0), wait.size(), wait.data(), event);
  });
}

ClEventPtr unmap_svm(CommandQueue& queue, const SVMPointer& svm, const py::object& wait_for) {
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueSVMUnmap, q, svm.svm_pointer(), wait.size(), wait.data(), event);
  });
}

/// Pitches of one side: rows and slices, where not given those of a dense region.
std::array<std::size_t, 2> pitches_of(const Lengths& given, const Triple& region) {
  if (given.size() > 2) throw ValueError("there are at most two pitches; got " + std::to_string(given.size()));
  const std::size_t row = !given.empty() && given[0] ? given[0] : region[0];
  return {row, given.size() > 1 && given[1] ? given[1] : checked_mul(row, region[1], "a slice of a region")};
}

template <Access access>
ClEventPtr transfer_rect(CommandQueue& queue, const MemoryObject& memory, const py::object& hostbuf,
                         const Lengths& buffer_origin, const Lengths& host_origin, const Lengths& lengths,
                         const Lengths& buffer_pitches, const Lengths& host_pitches, const py::object& wait_for,
                         bool blocking) {
  auto host = std::make_shared<HostBuffer>(hostbuf, access);
  const Triple region(lengths, 1), device_at(buffer_origin, 0), host_at(host_origin, 0);
  const auto device_pitch = pitches_of(buffer_pitches, region), host_pitch = pitches_of(host_pitches, region);
  require_room(*host, host_at, {region[0], region[1], region[2]}, host_pitch);
  require_rectangle(memory, device_at, region, device_pitch,
                    access == Access::write ? "clEnqueueReadBufferRect" : "clEnqueueWriteBufferRect");
  const auto events = events_of(queue, wait_for);
  GilRelease release;
  const WaitList wait(events);
  cl_event event = nullptr;
  const cl_command_queue q = queue.get();
  if constexpr (access == Access::write)
    DEVARRAY_CL(q, clEnqueueReadBufferRect, q, memory.get(), blocking, device_at.data(), host_at.data(), region.data(),
                device_pitch[0], device_pitch[1], host_pitch[0], host_pitch[1], host->data(), wait.size(), wait.data(),
                &event);
  else
    DEVARRAY_CL(q, clEnqueueWriteBufferRect, q, memory.get(), blocking, device_at.data(), host_at.data(), region.data(),
                device_pitch[0], device_pitch[1], host_pitch[0], host_pitch[1], host->data(), wait.size(), wait.data(),
                &event);
  return nanny(queue, event, std::move(host), blocking);
}

ClEventPtr copy_rect(CommandQueue& queue, const MemoryObject& src, const MemoryObject& dst, const Lengths& src_origin,
                     const Lengths& dst_origin, const Lengths& lengths, const Lengths& src_pitches,
                     const Lengths& dst_pitches, const py::object& wait_for) {
  const Triple region(lengths, 1), from(src_origin, 0), to(dst_origin, 0);
  const auto src_pitch = pitches_of(src_pitches, region), dst_pitch = pitches_of(dst_pitches, region);
  require_rectangle(src, from, region, src_pitch, "clEnqueueCopyBufferRect");
  require_rectangle(dst, to, region, dst_pitch, "clEnqueueCopyBufferRect");
  return enqueue_with(queue, wait_for, [&](cl_command_queue q, const WaitList& wait, cl_event* event) {
    DEVARRAY_CL(q, clEnqueueCopyBufferRect, q, src.get(), dst.get(), from.data(), to.data(), region.data(),
                src_pitch[0], src_pitch[1], dst_pitch[0], dst_pitch[1], wait.size(), wait.data(), event);
  });
}

}  // namespace

void bind_map(py::module_& m) {
  py::class_<MemoryMap, std::shared_ptr<MemoryMap>>(m, "MemoryMap", docs::kMemoryMap, py::buffer_protocol())
      .def("release", &MemoryMap::release, py::arg("queue") = py::none(), py::arg("wait_for") = py::none(),
           docs::kMemoryMapRelease)
      .def("__enter__", [](py::object self) { return self; })
      .def("__exit__", [](MemoryMap& map, const py::args&) { map.release(nullptr, py::none()); })
      .def_buffer([](MemoryMap& map) {
        return py::buffer_info(static_cast<unsigned char*>(map.pointer()), static_cast<py::ssize_t>(map.bytes()));
      });
  m.def("_enqueue_map_buffer", &map_buffer, py::arg("queue").none(false), py::arg("buf").none(false), py::arg("flags"),
        py::arg("offset"), py::arg("size"), py::arg("wait_for") = py::none(), py::arg("is_blocking") = true);
  m.def("_enqueue_map_image", &map_image, py::arg("queue").none(false), py::arg("img").none(false), py::arg("flags"),
        py::arg("origin"), py::arg("region"), py::arg("wait_for") = py::none(), py::arg("is_blocking") = true);
  m.def("enqueue_migrate_mem_objects", &migrate, py::arg("queue"), py::arg("mem_objects"), py::arg("flags") = 0,
        py::arg("wait_for") = py::none(), docs::kEnqueueMigrateMemObjects);
  m.def("enqueue_svm_migratemem", &migrate_svm, py::arg("queue"), py::arg("svms"), py::arg("flags") = py::none(),
        py::arg("wait_for") = py::none(), docs::kEnqueueSvmMigratemem);
  m.def("_enqueue_svm_unmap", &unmap_svm, py::arg("queue"), py::arg("svm"), py::arg("wait_for") = py::none());
  const auto def_rect = [&m](const char* name, auto function) {
    m.def(name, function, py::arg("queue"), py::arg("mem"), py::arg("hostbuf"), py::arg("buffer_origin"),
          py::arg("host_origin"), py::arg("region"), py::arg("buffer_pitches") = Lengths{},
          py::arg("host_pitches") = Lengths{}, py::arg("wait_for") = py::none(), py::arg("is_blocking") = true);
  };
  def_rect("_enqueue_read_buffer_rect", &transfer_rect<Access::write>);
  def_rect("_enqueue_write_buffer_rect", &transfer_rect<Access::read>);
  m.def("_enqueue_copy_buffer_rect", &copy_rect, py::arg("queue"), py::arg("src"), py::arg("dst"),
        py::arg("src_origin"), py::arg("dst_origin"), py::arg("region"), py::arg("src_pitches") = Lengths{},
        py::arg("dst_pitches") = Lengths{}, py::arg("wait_for") = py::none());
}

}  // namespace devarray::opencl
