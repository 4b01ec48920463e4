#include "bind/opencl/array.hpp"

#include "bind/docs/opencl_memory.hpp"
#include "bind/python/keep.hpp"
#include "engine/hazards.hpp"

namespace devarray::opencl {
namespace {

/// An array that memory holds: the last one over that memory may be gone in a thread that has no GIL.
class KeptArray {
 public:
  explicit KeptArray(const py::object& array) : array_(keep_object(array)) {}
  PyObject* ptr() const { return static_cast<PyObject*>(array_.get()); }
  py::object object() const { return py::reinterpret_borrow<py::object>(ptr()); }

 private:
  std::shared_ptr<void> array_;
};

/// Shared virtual memory from an array's first element on.
class ArrayPointer final : public SVMPointer {
 public:
  explicit ArrayPointer(const py::object& array) : array(array) {}
  void* svm_pointer() const override { return array_argument(array.ptr()).address; }
  std::optional<std::size_t> svm_size() const override {
    const Node& n = node_of(array.ptr());
    return static_cast<std::size_t>(n.extent().high - n.offset);
  }
  const KeptArray array;
};

/// The part of a buffer from an array's first element on.
class ArrayBuffer final : public Buffer {
 public:
  ArrayBuffer(ContextDevicePtr device, Handle<cl_mem> memory, const py::object& array)
      : Buffer(std::move(device), std::move(memory)), array(array) {}
  const KeptArray array;
};

/// A sub-buffer from the array's first element to the last byte that it touches.
BufferPtr part_of(const Node& n, const Buffer& whole) {
  const auto start = static_cast<std::int64_t>(n.storage->block->offset) + n.offset;
  const Extent e = n.extent();
  if (e.low < n.offset)
    throw ValueError(
        "the array's elements lie before its first one (a negative stride), where no buffer object reaches that starts "
        "there; pass a copy of the array, or x.base_data and x.offset");
  const auto alignment = static_cast<std::int64_t>(whole.engine_device()->caps().sub_buffer_alignment);
  if (start % alignment != 0)
    throw ValueError("the array starts at byte " + std::to_string(start) +
                     " of its buffer, and buffer objects of this device start at multiples of " +
                     std::to_string(alignment) +
                     "; pass x.base_data and x.offset to a kernel that takes both, or a copy of the array");
  return whole.sub_region(static_cast<std::size_t>(start), static_cast<std::size_t>(e.high - n.offset), 0);
}

py::object array_memory(const py::object& array) {
  Node& n = require_array(array);
  const ArrayArgument argument = array_argument(array.ptr());
  if (argument.address) return py::cast(std::make_shared<ArrayPointer>(array));
  if (!argument.memory) return py::none();
  // Of a whole buffer, too: its pool hands it to the next array as soon as this one is gone.
  const auto& whole = dynamic_cast<const Buffer&>(*n.storage->block->allocation);
  return py::cast(std::make_shared<ArrayBuffer>(whole.engine_device(), Handle<cl_mem>::share(argument.memory), array));
}

template <typename Memory>
py::object array_of(const Memory& memory) {
  return memory.array.object();
}

/// NumPy's functions ask the memory of an array for it, as of a buffer: np.iscomplexobj(x.data).
template <typename Memory>
py::object dtype_of(const Memory& memory) {
  return array_of(memory).attr("dtype");
}

}  // namespace

ArrayArgument array_argument(PyObject* array) {
  Node& n = node_of(array);
  expose(n);
  const Allocation* memory = n.storage->block->allocation.get();
  ArrayArgument argument;
  if (!memory) return argument;  // an array without elements: a null pointer
  if (n.place->device->driver() != DriverKind::opencl)
    throw DeviceError("an array on " + n.place->device->label() +
                      " was given to an OpenCL kernel; move it with to_device()");
  const auto start = static_cast<std::int64_t>(n.storage->block->offset) + n.offset;
  if (!memory->is_buffer()) {
    argument.address = static_cast<char*>(memory->handle()) + start;
    return argument;
  }
  if (start != 0) argument.part = part_of(n, dynamic_cast<const Buffer&>(*memory));
  argument.memory = argument.part ? argument.part->get() : static_cast<cl_mem>(memory->handle());
  return argument;
}

PyObject* array_behind(py::handle object) {
  if (is_array(object.ptr())) return object.ptr();
  if (py::isinstance<ArrayPointer>(object)) return object.cast<const ArrayPointer&>().array.ptr();
  if (py::isinstance<ArrayBuffer>(object)) return object.cast<const ArrayBuffer&>().array.ptr();
  return nullptr;
}

void ArrayOrder::add(PyObject* array) {
  Storage& storage = *node_of(array).storage;
  if (!storage.block->allocation) return;
  const auto* device = dynamic_cast<const ContextDevice*>(storage.place->device.get());
  if (!device || device->context() != queue_.engine_device()->context())
    throw DeviceError("the array lives on " + storage.place->device->label() +
                      ", in another OpenCL context than the kernel's queue; build the program in x.queue.context and "
                      "launch it on x.queue, or make the array on a queue of the kernel's context");
  if (storage.place->queue.get() == &queue_) return;
  others_.emplace_back(&storage);
}

void ArrayOrder::before() {
  if (others_.empty()) return;
  lock_.emplace();
  const QueuePtr queue = queue_.shared_from_this();
  place_ = PlaceRef(new Place(queue, others_[0]->place->resource));
  for (const StorageRef& storage : others_) acquire_write(*storage, *place_);
}

void ArrayOrder::after() {
  for (const StorageRef& storage : others_) release_write(*storage, *place_);
  lock_.reset();
}

void bind_array_memory(py::module_& m) {
  py::class_<ArrayPointer, SVMPointer, std::shared_ptr<ArrayPointer>>(m, "ArrayPointer", docs::kArrayPointer)
      .def_property_readonly("array", &array_of<ArrayPointer>, "The array, which this keeps alive.")
      .def_property_readonly("dtype", &dtype_of<ArrayPointer>, "The dtype of the array's elements.");
  py::class_<ArrayBuffer, Buffer, std::shared_ptr<ArrayBuffer>>(m, "ArrayBuffer", docs::kArrayBuffer)
      .def_property_readonly("array", &array_of<ArrayBuffer>, "The array, which this keeps alive.")
      .def_property_readonly("dtype", &dtype_of<ArrayBuffer>, "The dtype of the array's elements.");
  m.def("_array_memory", &array_memory, py::arg("array"));
}

}  // namespace devarray::opencl
