// DLPack: other libraries' tensors for arrays. Also memory given by its address, as __cuda_array_interface__ gives it.
#include <pybind11/numpy.h>

#include <optional>

#include "bind/engine/array.hpp"
#include "bind/engine/dlpack.hpp"
#include "bind/engine/quick.hpp"
#include "bind/python/keep.hpp"
#include "common/checked.hpp"
#include "common/dlpack.hpp"
#include "cuda/device.hpp"
#include "engine/hazards.hpp"
#include "engine/views.hpp"
#include "memory/foreign.hpp"
#include "opencl/context.hpp"
#include "opencl/host_memory.hpp"

namespace devarray {
namespace {

using Placed = std::pair<AllocationPtr, std::int64_t>;  ///< memory, and where in it the first element lies

constexpr std::uintptr_t kAlignment = 256;  ///< what the engine's kernels may expect of an allocation's start

/// A device's view of [address, address + bytes). It starts at an aligned address below, which nobody touches.
Placed place_address(const DevicePtr& device, MemoryKind kind, std::uintptr_t address, std::size_t bytes, bool host,
                     std::shared_ptr<void> owner) {
  const std::uintptr_t start = address & ~(kAlignment - 1);
  void* base = reinterpret_cast<void*>(start);
  if (bytes > SIZE_MAX / 2 || address > UINTPTR_MAX - bytes)
    throw ShapeError("memory of " + std::to_string(bytes) + " bytes from address " + std::to_string(address) +
                     " goes beyond the last address");
  return {std::make_shared<ForeignMemory>(device, kind, bytes + (address - start), base, host ? base : nullptr,
                                          std::move(owner)),
          static_cast<std::int64_t>(address - start)};
}

/// The host's memory as the device's; null where the device cannot have it.
Placed place_host(const DevicePtr& device, std::uintptr_t address, std::size_t bytes, std::shared_ptr<void> owner) {
  const auto cl = std::dynamic_pointer_cast<opencl::ContextDevice>(device);
  switch (cl ? opencl::host_access(cl) : opencl::HostAccess::none) {
    case opencl::HostAccess::none: return {};
    case opencl::HostAccess::pointer:
      return place_address(device, MemoryKind::svm_fine, address, bytes, true, std::move(owner));
    default: break;
  }
  void* host = reinterpret_cast<void*>(address);
  auto buffer = opencl::buffer_over(cl, host, bytes);
  void* handle = buffer->get();
  auto both =
      std::make_shared<std::pair<std::shared_ptr<void>, opencl::BufferPtr>>(std::move(owner), std::move(buffer));
  return {std::make_shared<ForeignMemory>(device, MemoryKind::buffer, bytes, handle, host, std::move(both)), 0};
}

Placed place_buffer(cl_mem memory, std::int32_t device_id, std::uint64_t offset, std::shared_ptr<void> owner) {
  const auto context = opencl::Context::share(opencl::memory_info_value<cl_context>(memory, CL_MEM_CONTEXT));
  opencl::ContextDevicePtr device = context->engine();
  for (cl_device_id id : context->devices())
    if (auto d = context->engine(id); d->index() == device_id) device = d;
  auto buffer = std::make_shared<opencl::Buffer>(device, opencl::Handle<cl_mem>::share(memory));
  const std::size_t bytes = buffer->size();
  auto both =
      std::make_shared<std::pair<std::shared_ptr<void>, opencl::BufferPtr>>(std::move(owner), std::move(buffer));
  return {std::make_shared<ForeignMemory>(device, MemoryKind::buffer, bytes, memory, nullptr, std::move(both)),
          static_cast<std::int64_t>(offset)};
}

/// A stride in bytes; false where 64 bits cannot hold it. CuPy divides a negative stride in bytes as if it had no sign,
/// so that -8 bytes of float64 arrive as 2**61 - 1 elements: what makes 2**63 to 2**64 - 1 bytes is taken for negative.
bool stride_in_bytes(std::int64_t elements, std::int64_t itemsize, std::int64_t* bytes) {
  if (!__builtin_mul_overflow(elements, itemsize, bytes)) return true;
  std::uint64_t unsigned_bytes;
  if (elements < 0 || __builtin_mul_overflow(static_cast<std::uint64_t>(elements), static_cast<std::uint64_t>(itemsize),
                                             &unsigned_bytes))
    return false;
  *bytes = static_cast<std::int64_t>(unsigned_bytes);
  return true;
}

std::string text_of(const std::int64_t* numbers, std::int32_t n) { return to_string(Dims(numbers, numbers + n)); }

/// Throws where the fields of a tensor make no array: its producer may be anybody.
void check_tensor(const dlpack::Tensor& t) {
  const auto refuse = [](const std::string& what) { throw ValueError("the DLPack tensor " + what); };
  if (t.byte_offset > static_cast<std::uint64_t>(INT64_MAX))
    refuse("has a byte_offset of " + std::to_string(t.byte_offset) + ", beyond 2**63 - 1");
  const std::int64_t itemsize = std::max(1, t.dtype.bits / 8 * t.dtype.lanes);
  const Dims shape = dlpack::shape_of(t);
  const std::int64_t bytes = byte_size(shape, itemsize);
  Extent e{0, bytes};
  if (t.strides) {
    Dims steps(t.strides, t.strides + t.ndim);
    for (std::int64_t& step : steps)
      if (!stride_in_bytes(step, itemsize, &step))
        refuse("has strides of " + text_of(t.strides, t.ndim) + " elements, too far");
    e = checked_extent(shape, steps, itemsize);
  }
  if (bytes == 0) return;
  if (!t.data) refuse("of shape " + to_string(shape) + " has no data");
  if (t.device.type == dlpack::kOpenCL) return;  // data is a cl_mem, whose size the driver knows
  const auto data = reinterpret_cast<std::uintptr_t>(t.data);
  const std::uintptr_t low = static_cast<std::uintptr_t>(-e.low), high = static_cast<std::uintptr_t>(e.high);
  if (t.byte_offset > UINTPTR_MAX - data || low > data + t.byte_offset || high > UINTPTR_MAX - data - t.byte_offset)
    refuse("of shape " + to_string(shape) + " leaves the address space: " + std::to_string(low) + " bytes before and " +
           std::to_string(high) + " behind its first element at address " + std::to_string(data) + " + " +
           std::to_string(t.byte_offset));
}

/// A consumed capsule. The producer's deleter runs when the last array on the memory is gone.
class ImportedTensor {
 public:
  explicit ImportedTensor(const py::object& capsule) {
    PyObject* c = capsule.ptr();
    if (PyCapsule_IsValid(c, dlpack::kVersionedName)) {
      auto* managed = consume<dlpack::ManagedVersioned>(c, dlpack::kVersionedName, dlpack::kVersionedUsedName);
      version_ = managed->version;
      if (version_.major != dlpack::kVersion.major) return;  // nothing but the deleter may be used
      flags_ = managed->flags;
      tensor_ = &managed->tensor;
    } else if (PyCapsule_IsValid(c, dlpack::kLegacyName)) {
      tensor_ = &consume<dlpack::Managed>(c, dlpack::kLegacyName, dlpack::kLegacyUsedName)->tensor;
    } else {
      throw ValueError("a DLPack capsule that nobody consumed yet is wanted, not " + std::string(py::repr(capsule)));
    }
    check_tensor(*tensor_);
  }

  /// Takes a tensor that no capsule holds, whose version is checked.
  explicit ImportedTensor(dlpack::ManagedVersioned* managed)
      : owner_(owned(managed)), tensor_(&managed->tensor), version_(managed->version), flags_(managed->flags) {
    check_tensor(*tensor_);
  }

  std::pair<std::uint32_t, std::uint32_t> version() const { return {version_.major, version_.minor}; }
  std::uint64_t flags() const { return flags_; }
  const dlpack::Tensor& tensor() const {
    if (!tensor_) throw ValueError("the layout of DLPack " + std::to_string(version_.major) + " is not known");
    return *tensor_;
  }
  std::int64_t itemsize() const { return tensor().dtype.bits / 8 * tensor().dtype.lanes; }
  Dims shape() const { return dlpack::shape_of(tensor()); }
  Dims strides() const {
    if (!tensor().strides) return c_strides(shape(), itemsize());
    Dims steps(tensor().strides, tensor().strides + tensor().ndim);
    for (std::int64_t& step : steps) stride_in_bytes(step, itemsize(), &step);  // check_tensor() has asked
    return steps;
  }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(tensor().data) + tensor().byte_offset; }

  /// The memory as the device's; (None, 0) where the device cannot have it. `kind` is that of a CUDA address.
  Placed memory(const DevicePtr& device, MemoryKind kind) const {
    const Extent e = extent_of(shape(), strides(), itemsize());
    const std::uintptr_t low = address() + static_cast<std::uintptr_t>(e.low);
    const auto bytes = static_cast<std::size_t>(e.high - e.low);
    Placed placed = device->driver() == DriverKind::cuda
                        ? place_address(device, kind, low, bytes, kind != MemoryKind::device, owner_)
                        : place_host(device, low, bytes, owner_);
    placed.second -= e.low;
    return placed;
  }
  Placed buffer() const {
    return place_buffer(static_cast<cl_mem>(tensor().data), tensor().device.id, tensor().byte_offset, owner_);
  }

  /// The elements as a NumPy array, for memory that the host reads.
  py::array host_view(const py::dtype& dtype) const {
    const Dims s = shape(), t = strides();
    py::capsule keep(new std::shared_ptr<void>(owner_), [](void* p) { delete static_cast<std::shared_ptr<void>*>(p); });
    return py::array(dtype, std::vector<py::ssize_t>(s.begin(), s.end()), std::vector<py::ssize_t>(t.begin(), t.end()),
                     reinterpret_cast<void*>(address()), keep);
  }

 private:
  template <class M>
  M* consume(PyObject* capsule, const char* name, const char* used) {
    auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
    if (!managed || PyCapsule_SetName(capsule, used) != 0) throw py::error_already_set();
    owner_ = owned(managed);
    return managed;
  }
  template <class M>
  static std::shared_ptr<void> owned(M* managed) {
    return {managed, [](void* p) {
              auto* m = static_cast<M*>(p);
              if (m->deleter && !shutting_down()) m->deleter(m);
            }};
  }

  std::shared_ptr<void> owner_;
  const dlpack::Tensor* tensor_ = nullptr;
  dlpack::Version version_{0, 0};
  std::uint64_t flags_ = 0;
};

py::object array_at_address(const QueuePtr& queue, py::handle address, py::handle shape, py::handle dtype,
                            py::handle strides, py::handle offset, const py::object& owner,
                            const ResourcePtr& allocator, bool read_only) {
  const DType t = read_dtype(dtype);
  const auto itemsize = static_cast<std::int64_t>(size_of(t));
  const Dims dims = read_sizes(shape);
  byte_size(dims, itemsize);
  const Dims steps = strides.is_none() ? c_strides(dims, itemsize) : read_ints(strides, "strides");
  const Extent e = checked_extent(dims, steps, itemsize);
  const std::int64_t first = read_int(offset, "the offset");
  const std::int64_t low =
      checked_add(read_int(address, "the address"), checked_add(first, e.low, "the offset"), "the address");
  if (low < 0)
    throw ShapeError("an array of shape " + to_string(dims) + " and strides " + to_string(steps) +
                     " would begin before address 0");
  const DevicePtr device = queue->device();
  const Placed placed = place_address(device, MemoryKind::device, static_cast<std::uintptr_t>(low),
                                      static_cast<std::size_t>(e.high - e.low), false, keep_object(owner));
  return wrapped(adopted(placed.first, t, dims, steps, placed.second - e.low, queue, allocator, read_only));
}

/// The dtype of a tensor's elements; nothing for what arrays of the engine's do not hold.
std::optional<DType> engine_dtype(dlpack::DataType t) {
  if (t.lanes != 1) return {};
  for (int i = 0; i < kDTypes; ++i) {
    const auto d = static_cast<DType>(i);
    const dlpack::DataType own = dlpack_type(d);
    if (own.code == t.code && own.bits == t.bits) return d;
  }
  return {};
}

/// The table of C functions of an object's type; null where it has none of a version that is known.
const dlpack::ExchangeApi* exchange_of(PyObject* object) {
  static PyObject* const name = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  const auto capsule =
      py::reinterpret_steal<py::object>(PyObject_GetAttr(reinterpret_cast<PyObject*>(Py_TYPE(object)), name));
  if (!capsule || !PyCapsule_IsValid(capsule.ptr(), dlpack::kExchangeName)) {
    PyErr_Clear();
    return nullptr;
  }
  const auto* api = static_cast<const dlpack::ExchangeApi*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::kExchangeName));
  return api && api->header.version.major == dlpack::kVersion.major && api->from_object ? api : nullptr;
}

/// The device that uses a tensor's memory in place, and whose queue is asked for it; null where Python is to find it.
DevicePtr native_device(const dlpack::Tensor& t) {
  const DevicePtr here = default_place()->device;
  if (t.device.type == dlpack::kCpu) return here->type() == DeviceType::cpu ? here : nullptr;
  if (t.device.type != dlpack::kCuda) return nullptr;
  if (here->driver() == DriverKind::cuda && here->index() == t.device.id) return here;
  for (const auto& device : cuda::Device::all())
    if (device->index() == t.device.id) return device;
  return nullptr;
}

/// What a tensor is to the engine.
struct Native {
  DType dtype;
  DevicePtr device;
};

/// Where the engine uses a tensor's memory in place; nothing for what takes more than that, and is Python's.
std::optional<Native> native_of(const dlpack::Tensor& t) {
  const std::optional<DType> dtype = engine_dtype(t.dtype);
  const DevicePtr device = dtype ? native_device(t) : nullptr;
  const Dims shape = dlpack::shape_of(t);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(t.data) + t.byte_offset;
  if (!device || std::find(shape.begin(), shape.end(), 0) != shape.end() || address % size_of(*dtype) != 0) return {};
  return Native{*dtype, device};
}

/// Null where the device cannot have the memory.
NodeRef adopted_tensor(const ImportedTensor& tensor, const Native& native, const QueuePtr& queue) {
  const Placed placed = tensor.memory(native.device, MemoryKind::device);
  if (!placed.first) return {};
  NodeRef found = adopted(placed.first, native.dtype, tensor.shape(), tensor.strides(), placed.second, queue, nullptr,
                          (tensor.flags() & dlpack::kReadOnly) != 0);
  expect_no_use(*found->storage);
  return found;
}

/// exchanged(x): an array on the memory of another library's tensor, by that library's C functions. None where it has
/// none, or where it takes more than that: from_dlpack() does it then, or says what is wrong.
PyObject* exchanged(PyObject*, PyObject* const* argv, Py_ssize_t argc) {
  if (argc != 1) throw py::type_error("exchanged() takes an object");
  PyObject* const object = argv[0];
  const dlpack::ExchangeApi* const api = exchange_of(object);
  dlpack::ManagedVersioned* managed = nullptr;
  if (!api || api->from_object(object, &managed) != 0 || !managed) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  if (managed->version.major != dlpack::kVersion.major) {
    if (managed->deleter) managed->deleter(managed);
    Py_RETURN_NONE;
  }
  const ImportedTensor tensor(managed);
  const dlpack::Tensor& t = tensor.tensor();
  const std::optional<Native> native = native_of(t);
  if (!native) Py_RETURN_NONE;
  const QueuePtr queue = current_queue(native->device);
  NodeRef found = adopted_tensor(tensor, *native, queue);
  if (!found) Py_RETURN_NONE;
  if (t.device.type == dlpack::kCuda) {
    void* stream = nullptr;
    if (api->current_stream && api->current_stream(dlpack::kCuda, t.device.id, &stream) != 0)
      throw py::error_already_set();
    wait_stream(queue, reinterpret_cast<std::uintptr_t>(stream));
  }
  return wrap(std::move(found));
}

PyMethodDef import_functions[] = {
    fast<exchanged>("exchanged", "exchanged(x): an array on another library's tensor, by its C functions; or None."),
    {nullptr, nullptr, 0, nullptr}};

MemoryKind kind_named(const std::string& name) {
  for (MemoryKind kind : {MemoryKind::device, MemoryKind::managed, MemoryKind::pinned})
    if (name == name_of(kind)) return kind;
  throw ValueError("'" + name + "' is no kind of CUDA memory");
}

}  // namespace

PyObject* array_of_capsule(const py::object& capsule) {
  const auto* managed =
      static_cast<const dlpack::ManagedVersioned*>(PyCapsule_GetPointer(capsule.ptr(), dlpack::kVersionedName));
  if (!managed) throw py::error_already_set();
  if (managed->version.major != dlpack::kVersion.major) return nullptr;
  const std::optional<Native> native = native_of(managed->tensor);
  if (!native) return nullptr;
  NodeRef found = adopted_tensor(ImportedTensor(capsule), *native, current_queue(native->device));
  if (!found) throw py::buffer_error(native->device->label() + " cannot have the tensor's memory");
  return wrap(std::move(found));
}

void bind_engine_dlpack_import(py::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), import_functions) < 0) throw py::error_already_set();
  py::class_<ImportedTensor>(m, "ImportedTensor", "What a DLPack capsule held; the capsule is consumed.")
      .def(py::init<const py::object&>(), py::arg("capsule"))
      .def_property_readonly("version", &ImportedTensor::version)
      .def_property_readonly("read_only", [](const ImportedTensor& t) { return (t.flags() & dlpack::kReadOnly) != 0; })
      .def_property_readonly("copied", [](const ImportedTensor& t) { return (t.flags() & dlpack::kIsCopied) != 0; })
      .def_property_readonly(
          "device", [](const ImportedTensor& t) { return std::pair(t.tensor().device.type, t.tensor().device.id); })
      .def_property_readonly("dtype",
                             [](const ImportedTensor& t) {
                               return py::make_tuple(t.tensor().dtype.code, t.tensor().dtype.bits,
                                                     t.tensor().dtype.lanes);
                             })
      .def_property_readonly("shape", [](const ImportedTensor& t) { return dims_tuple(t.shape()); })
      .def_property_readonly("strides", [](const ImportedTensor& t) { return dims_tuple(t.strides()); })
      .def_property_readonly("address", &ImportedTensor::address)
      .def(
          "memory",
          [](const ImportedTensor& t, const DevicePtr& device, const std::string& kind) {
            return t.memory(device, kind_named(kind));
          },
          py::arg("device"), py::arg("kind") = "device")
      .def("buffer", &ImportedTensor::buffer)
      .def("host_view", &ImportedTensor::host_view, py::arg("dtype"));

  m.def("array_at_address", &array_at_address, py::arg("queue"), py::arg("address"), py::arg("shape"), py::arg("dtype"),
        py::arg("strides") = py::none(), py::arg("offset") = 0, py::arg("owner") = py::none(),
        py::arg("allocator") = py::none(), py::arg("read_only") = false,
        "An array on device memory whose first element lies `offset` bytes behind an address, kept by `owner`.");
}

}  // namespace devarray
