#include "bind/cuda/arguments.hpp"

#include <complex>
#include <cstring>

#include "bind/python/truth.hpp"

namespace devarray::cuda {
namespace {

constexpr std::size_t kMaxParameterBytes = 32764;  // CUDA's own limit

// Classes that every launch asks about, imported once.
struct Classes {
  py::object handler, ndarray, scalar;
};

const Classes& classes() {
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<Classes> storage;
  return storage
      .call_once_and_store_result([] {
        return Classes{python_class("devarray.cuda.arguments", "ArgumentHandler"), python_class("numpy", "ndarray"),
                       python_class("numpy", "generic")};
      })
      .get_stored();
}

std::string type_name(py::handle object) { return py::str(py::type::of(object).attr("__name__")); }

[[noreturn]] void refuse(py::handle object, std::size_t position, const std::string& wanted) {
  throw py::type_error("kernel argument " + std::to_string(position) + " is a " + type_name(object) + "; " + wanted);
}

template <class T>
T integer(py::handle object, std::size_t position) {
  py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) {
    PyErr_Clear();
    refuse(object, position, "it was prepared as an integer");
  }
  if constexpr (std::is_signed_v<T>) {
    const long long value = PyLong_AsLongLong(index.ptr());
    if (PyErr_Occurred()) throw py::error_already_set();
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      throw ValueError("kernel argument " + std::to_string(position) + ": " + std::to_string(value) +
                       " does not fit the prepared integer type of " + std::to_string(sizeof(T)) + " bytes");
    return static_cast<T>(value);
  } else {
    const unsigned long long value = PyLong_AsUnsignedLongLong(index.ptr());
    if (PyErr_Occurred()) throw py::error_already_set();
    if (value > std::numeric_limits<T>::max())
      throw ValueError("kernel argument " + std::to_string(position) + ": " + std::to_string(value) +
                       " does not fit the prepared unsigned type of " + std::to_string(sizeof(T)) + " bytes");
    return static_cast<T>(value);
  }
}

double real(py::handle object, std::size_t position) {
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    refuse(object, position, "it was prepared as a real number");
  }
  return value;
}

}  // namespace

void Arguments::add(const void* data, std::size_t bytes) {
  const std::size_t at = bytes_.size();
  if (at + bytes > kMaxParameterBytes)
    throw ValueError("kernel arguments of " + std::to_string(at + bytes) + " bytes; a kernel takes at most " +
                     std::to_string(kMaxParameterBytes) + ". Arrays go by In, Out, InOut or a device pointer");
  bytes_.resize(at + bytes);
  if (bytes) std::memcpy(bytes_.data() + at, data, bytes);
  offsets_.push_back(at);
}

// A numpy array over managed or page-locked memory is passed as the address at which the device sees its data.
bool Arguments::add_host_visible_array(py::handle object) {
  py::object base = py::reinterpret_borrow<py::object>(object);
  while (py::isinstance(base, classes().ndarray)) base = base.attr("base");
  if (!py::isinstance<HostVisibleMemory>(base)) return false;
  const auto& memory = base.cast<const HostVisibleMemory&>();
  const auto host = object.attr("ctypes").attr("data").cast<CUdeviceptr>();
  add_value<CUdeviceptr>(memory.device_pointer() + (host - reinterpret_cast<CUdeviceptr>(memory.host())));
  return true;
}

void Arguments::add_object(py::handle object, std::size_t position, std::vector<py::object>& handlers,
                           const py::object& stream) {
  CUdeviceptr address = 0;
  if (const DeviceMemory* plain = plain_allocation(object)) return add_value(plain->address());
  if (find_array_pointer(object, address)) return add_value(address);
  if (PyObject_TypeCheck(object.ptr(), reinterpret_cast<PyTypeObject*>(classes().scalar.ptr())))
    return add_buffer(object);
  py::detail::make_caster<Memory> memory;
  if (memory.load(object, false)) return add_value<CUdeviceptr>(py::detail::cast_op<Memory&>(memory).address());
  if (PyLong_Check(object.ptr()) || PyFloat_CheckExact(object.ptr()) || PyComplex_CheckExact(object.ptr()))
    refuse(object, position,
           "Python's numbers have no size: give a numpy scalar such as numpy.int32(n), or prepare() "
           "the function");
  if (py::isinstance(object, classes().handler)) {
    object.attr("pre_call")(stream);
    add_value<CUdeviceptr>(device_pointer(object.attr("get_device_alloc")(), "ArgumentHandler.get_device_alloc"));
    handlers.push_back(py::reinterpret_borrow<py::object>(object));
    return;
  }
  if (py::isinstance(object, classes().ndarray) && add_host_visible_array(object)) return;
  unsigned long long texture = 0;
  if (find_texture_handle(object, texture)) return add_value(texture);
  if (!PyObject_CheckBuffer(object.ptr()) && find_device_pointer(object, address))
    return add_value<CUdeviceptr>(address);
  if (!PyObject_CheckBuffer(object.ptr()))
    refuse(object, position, "wanted are numpy scalars, device memory, In/Out/InOut, or buffers passed by value");
  add_buffer(object);
}

void Arguments::add_buffer(py::handle object) {
  const HostBuffer value(object, HostBuffer::Access::read, "a kernel argument");
  add(value.data(), value.size());
}

void Arguments::add_prepared(char type, py::handle object, std::size_t position) {
  switch (type) {
    case 'P': return add_value<CUdeviceptr>(device_pointer(object, "a prepared pointer argument"));
    case '?': return add_value<unsigned char>(truth(object));
    case 'b': return add_value(integer<signed char>(object, position));
    case 'B': return add_value(integer<unsigned char>(object, position));
    case 'h': return add_value(integer<short>(object, position));
    case 'H': return add_value(integer<unsigned short>(object, position));
    case 'i': return add_value(integer<int>(object, position));
    case 'I': return add_value(integer<unsigned>(object, position));
    case 'l':
    case 'q':
    case 'n': return add_value(integer<long long>(object, position));
    case 'L':
    case 'Q':
    case 'N': return add_value(integer<unsigned long long>(object, position));
    case 'f': return add_value(static_cast<float>(real(object, position)));
    case 'd': return add_value(real(object, position));
    case 'e': {
      char half[2];
      if (PyFloat_Pack2(real(object, position), half, 1) != 0) throw py::error_already_set();
      return add(half, sizeof half);
    }
    case 'V': return add_buffer(object);
    case 'F': return add_value(object.cast<std::complex<float>>());
    default: return add_value(object.cast<std::complex<double>>());  // 'D': prepared_types lets no other through
  }
}

void Arguments::check(const Function& function) const {
  const std::vector<std::size_t>* sizes = function.parameter_sizes();
  if (!sizes) return;
  if (sizes->size() != count())
    throw py::type_error("kernel '" + function.name() + "' takes " + std::to_string(sizes->size()) + " arguments; " +
                         std::to_string(count()) + " were given");
  for (std::size_t i = 0; i < count(); ++i)
    if (size_of(i) != (*sizes)[i])
      throw py::type_error("kernel '" + function.name() + "': argument " + std::to_string(i) + " has " +
                           std::to_string(size_of(i)) + " bytes, the kernel's parameter has " +
                           std::to_string((*sizes)[i]) + ". Arrays go by In, Out, InOut or a device pointer");
}

void** Arguments::addresses() {
  addresses_.resize(count() + 1);  // one more: never empty
  for (std::size_t i = 0; i < count(); ++i) addresses_[i] = bytes_.data() + offsets_[i];
  return addresses_.data();
}

std::vector<char> prepared_types(const py::object& types) {
  static const std::string known = "P?bBhHiIlLqQnNfdeFDV";
  std::vector<char> codes;
  const py::object dtype = python_class("numpy", "dtype");
  for (py::handle item : items_of(types)) {
    const bool character = py::isinstance<py::str>(item) && py::len(item) == 1;
    const std::string code = py::str(character ? py::reinterpret_borrow<py::object>(item) : dtype(item).attr("char"));
    if (code.size() != 1 || known.find(code) == std::string::npos)
      throw ValueError("prepare: '" + std::string(py::str(item)) +
                       "' is no type of an argument; wanted are numpy "
                       "dtypes and the characters " +
                       known);
    codes.push_back(code[0]);
  }
  return codes;
}

}  // namespace devarray::cuda
