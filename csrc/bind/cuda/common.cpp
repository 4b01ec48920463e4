#include "bind/cuda/common.hpp"

#include "bind/engine/array.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"

namespace devarray::cuda {

std::string image_of(py::handle code, const char* what) {
  if (py::isinstance<py::str>(code)) return code.cast<std::string>();
  const HostBuffer view(code, HostBuffer::Access::read, what);
  return {static_cast<const char*>(view.data()), view.size()};
}

JitOptions::Pairs jit_pairs(const py::object& options) {
  JitOptions::Pairs pairs;
  for (py::handle item : items_of(options)) {
    const py::tuple pair = py::reinterpret_borrow<py::object>(item);
    if (pair.size() != 2) throw ValueError("an option of the linker is a pair: jit_option and its value");
    pairs.emplace_back(pair[0].cast<int>(), pair[1].cast<std::uintptr_t>());
  }
  return pairs;
}

HostBuffer::HostBuffer(py::handle object, Access access, const char* what) {
  const int flags = access == Access::write ? PyBUF_ANY_CONTIGUOUS | PyBUF_WRITABLE : PyBUF_ANY_CONTIGUOUS;
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) == 0) return;
  if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
      !PyErr_ExceptionMatches(PyExc_TypeError))
    throw py::error_already_set();
  py::error_already_set reason;
  throw py::type_error(std::string(what) + " wants a contiguous " + (access == Access::write ? "writable " : "") +
                       "host buffer, such as a C- or F-ordered numpy array, not " +
                       std::string(py::str(py::type::of(object).attr("__name__"))) + ": " +
                       std::string(py::str(reason.value())));
}

py::object python_class(const char* module, const char* name) { return py::module_::import(module).attr(name); }

namespace {

bool find_attribute(py::handle object, const char* name, py::object& value) {
  PyObject* found = PyObject_GetAttrString(object.ptr(), name);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw py::error_already_set();
    PyErr_Clear();
    return false;
  }
  value = py::reinterpret_steal<py::object>(found);
  return true;
}

}  // namespace

PyObject* array_behind(py::handle object) {
  if (is_array(object.ptr())) return object.ptr();
  static const auto* const type = reinterpret_cast<PyTypeObject*>(py::type::of<ArrayAddress>().ptr());
  if (Py_TYPE(object.ptr()) != type) return nullptr;
  PyObject* array = object.cast<const ArrayAddress&>().array.ptr();
  if (array == Py_None) throw ValueError("this address of an array was freed");
  return array;
}

bool find_array_pointer(py::handle object, CUdeviceptr& address) {
  PyObject* array = array_behind(object);
  if (!array) return false;
  Node& n = node_of(array);
  evaluate(n);
  if (n.place->device->driver() != DriverKind::cuda)
    throw DeviceError("an array on " + n.place->device->label() +
                      " was given to a CUDA call; move it with to_device()");
  if (!n.storage->exposed) {  // rule 8: its readers see the values that it has now
    evaluate_readers(*n.storage);
    n.storage->place->queue->settle();
    n.storage->exposed = true;
  }
  n.storage->unused = false;
  const Storage& storage = *n.storage;
  const Block& block = *storage.block;
  address = block.allocation ? reinterpret_cast<CUdeviceptr>(block.allocation->handle()) + block.offset +
                                   static_cast<CUdeviceptr>(n.offset)
                             : 0;
  return true;
}

bool find_device_pointer(py::handle object, CUdeviceptr& address) {
  if (const DeviceMemory* plain = plain_allocation(object)) {
    address = plain->address();
    return true;
  }
  if (find_array_pointer(object, address)) return true;
  if (py::isinstance<Memory>(object)) {
    address = py::cast<Memory&>(object).address();
    return true;
  }
  py::object value;
  if (find_attribute(object, "get_pointer", value)) {
    address = py::cast<CUdeviceptr>(py::int_(value()));
    return true;
  }
  if (find_attribute(object, "gpudata", value)) {
    address = device_pointer(value, "gpudata");
    return true;
  }
  if (find_attribute(object, "__cuda_array_interface__", value)) {
    py::tuple data = value["data"];
    address = py::cast<CUdeviceptr>(data[0]);
    return true;
  }
  return false;
}

CUdeviceptr device_pointer(py::handle object, const char* what) {
  if (const DeviceMemory* plain = plain_allocation(object)) return plain->address();
  if (PyLong_Check(object.ptr())) return py::cast<CUdeviceptr>(object);
  CUdeviceptr address = 0;
  if (find_device_pointer(object, address)) return address;
  if (PyIndex_Check(object.ptr())) {
    py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
    if (!index) throw py::error_already_set();
    return py::cast<CUdeviceptr>(index);
  }
  throw py::type_error(std::string(what) +
                       " wants a device address (an int, a DeviceAllocation, a PointerHolderBase, "
                       "or an array on the device), not " +
                       std::string(py::str(py::type::of(object).attr("__name__"))));
}

std::optional<std::size_t> device_room(py::handle object) {
  if (const DeviceMemory* plain = plain_allocation(object)) return plain->size();
  if (PyLong_Check(object.ptr())) return std::nullopt;
  if (PyObject* array = array_behind(object)) {
    Node& n = node_of(array);
    evaluate(n);
    return n.size() == 0 ? 0 : n.storage->block->size - static_cast<std::size_t>(n.offset);
  }
  if (py::isinstance<Memory>(object)) return py::cast<Memory&>(object).size();
  return std::nullopt;
}

CUdeviceptr device_range(py::handle object, std::size_t bytes, const char* what) {
  const CUdeviceptr address = device_pointer(object, what);
  const std::optional<std::size_t> room = device_room(object);
  if (room && bytes > *room)
    fail(CUDA_ERROR_INVALID_VALUE, what,
         std::to_string(bytes) + " bytes of device memory that has " + std::to_string(*room) + " from its address on");
  return address;
}

void read_extent(py::handle object, Extent& extent, const char* what) {
  extent[0] = extent[1] = extent[2] = 1;
  auto number = [&](py::handle item) {
    int overflow = 0;
    const long long value =
        PyLong_CheckExact(item.ptr()) ? PyLong_AsLongLongAndOverflow(item.ptr(), &overflow) : item.cast<long long>();
    if (value < 0 || value > 0x7fffffff)
      throw ValueError(std::string(what) + " has an extent of " + std::string(py::str(item)));
    return static_cast<unsigned>(value);
  };
  if (PyTuple_CheckExact(object.ptr()) && PyTuple_GET_SIZE(object.ptr()) >= 1 && PyTuple_GET_SIZE(object.ptr()) <= 3) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object.ptr()); ++i)
      extent[i] = number(PyTuple_GET_ITEM(object.ptr(), i));
    return;
  }
  if (PyIndex_Check(object.ptr())) {
    extent[0] = number(object);
    return;
  }
  if (!PySequence_Check(object.ptr()) || py::len(object) < 1 || py::len(object) > 3)
    throw py::type_error(std::string(what) + " wants a tuple of one to three ints, not " +
                         std::string(py::repr(object)));
  std::size_t i = 0;
  for (py::handle item : items_of(object)) {
    if (i == 3) throw py::type_error(std::string(what) + " has more than three items");
    extent[i++] = number(item);
  }
}

CUstream stream_handle(py::handle stream) {
  if (stream.is_none()) return nullptr;
  if (py::isinstance<Stream>(stream)) return py::cast<Stream&>(stream).raw();
  std::uintptr_t handle = 0;
  py::object value;
  if (PyLong_Check(stream.ptr())) {
    handle = py::cast<std::uintptr_t>(stream);
  } else if (find_attribute(stream, "__cuda_stream__", value)) {
    handle = py::cast<std::uintptr_t>(py::tuple(value())[1]);  // (version, handle)
  } else if (find_attribute(stream, "handle", value) || find_attribute(stream, "cuda_stream", value) ||
             find_attribute(stream, "ptr", value)) {
    handle = py::cast<std::uintptr_t>(py::int_(value));
  } else {
    throw py::type_error(
        "a CUDA stream is wanted (devarray.cuda.Stream, None for the default stream, or a stream "
        "with __cuda_stream__), not " +
        std::string(py::str(py::type::of(stream).attr("__name__"))));
  }
  return reinterpret_cast<CUstream>(handle);
}

}  // namespace devarray::cuda
