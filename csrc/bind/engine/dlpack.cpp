// DLPack: arrays for other libraries, and the table of C functions by which they exchange without Python methods.
#include "common/dlpack.hpp"

#include <pybind11/numpy.h>

#include <optional>
#include <unordered_set>

#include "bind/engine/array.hpp"
#include "bind/engine/dlpack.hpp"
#include "bind/engine/quick.hpp"
#include "cuda/device.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/lock.hpp"

namespace devarray {

dlpack::DataType dlpack_type(DType t) {
  const auto code = [&]() -> dlpack::Code {
    switch (kind_of(t)) {
      case Kind::boolean: return dlpack::kBool;
      case Kind::integer: return dlpack::kInt;
      case Kind::unsigned_: return dlpack::kUInt;
      case Kind::real: return dlpack::kFloat;
      default: return dlpack::kComplex;
    }
  }();
  return {code, static_cast<std::uint8_t>(size_of(t) * 8), 1};
}

QueuePtr stream_of(const DevicePtr& device, std::uintptr_t handle) {
  const auto cuda = std::dynamic_pointer_cast<cuda::Device>(device);
  if (!cuda) throw DeviceError(device->label() + " has no CUDA streams");
  return cuda->stream(reinterpret_cast<CUstream>(handle));
}

void order_queue(Queue& later, Queue& earlier) {
  if (!later.timeline()->in_order_with(*earlier.timeline())) later.wait_event(*earlier.record());
}

void wait_stream(const QueuePtr& queue, std::uintptr_t stream) {
  if (queue->handle() != stream) order_queue(*queue, *stream_of(queue->device(), stream));
}

QueuePtr current_queue(const DevicePtr& device) {
  const PlaceRef here = default_place();
  return here->device == device ? here->queue : device->default_queue();
}

namespace {

// --- what stands behind a managed tensor ---------------------------------------------------------------------------

/// Numbers of the tensors whose deleter was not called yet; used with the GIL. A capsule keeps its tensor's number as
/// its context: a consumer that fails may have called the deleter and leave the capsule's name as it was (PyTorch
/// does), so that the name alone does not say whether the tensor is still there.
std::unordered_set<std::uintptr_t>& live_tensors() {
  static auto* const live = new std::unordered_set<std::uintptr_t>;  // deleters are called until the process ends
  return *live;
}

/// The tensor, its shape and strides, and what keeps the memory: an array's value, or a Python object.
template <class M>
struct Holder {
  M managed{};
  std::vector<std::int64_t> dims;  ///< shape, then strides in elements
  NodeRef node;
  py::object object;
  std::uintptr_t number = 0;  ///< one of live_tensors()
};

/// The consumer may have enqueued work on the memory. The legacy stream stands for every stream that orders with it.
/// Makes no call of the driver: a program may drop many tensors, and may do so while a stream is captured.
void note_foreign_work(const Node& n) noexcept {
  try {
    if (n.place->device->driver() == DriverKind::cuda && n.storage->block->allocation)
      n.storage->block->used_until_now_on(
          stream_of(n.place->device, reinterpret_cast<std::uintptr_t>(CU_STREAM_LEGACY)));
  } catch (const std::exception& e) {
    debug_line(1, std::string("DLPack deleter: ") + e.what());
  }
}

/// Called by the consumer, from any thread and at any time; after the interpreter's end the memory stays.
template <class M>
void drop(M* managed) noexcept {
  if (shutting_down() || !Py_IsInitialized()) return;
  const GilAcquire gil;
  const py::error_scope keep_error;
  auto* holder = static_cast<Holder<M>*>(managed->context);
  if (holder->node) note_foreign_work(*holder->node);
  live_tensors().erase(holder->number);
  delete holder;
}

constexpr const char* name_for(const dlpack::Managed*) { return dlpack::kLegacyName; }
constexpr const char* name_for(const dlpack::ManagedVersioned*) { return dlpack::kVersionedName; }

/// Of a capsule that nobody consumed.
template <class M>
void drop_capsule(PyObject* capsule) {
  const char* name = name_for(static_cast<M*>(nullptr));
  const auto number = reinterpret_cast<std::uintptr_t>(PyCapsule_GetContext(capsule));
  if (!PyCapsule_IsValid(capsule, name) || (number && !live_tensors().contains(number))) return;
  auto* managed = static_cast<M*>(PyCapsule_GetPointer(capsule, name));
  if (managed->deleter) managed->deleter(managed);
}

// --- export --------------------------------------------------------------------------------------------------------

/// `bfloat16`: the elements, of dtype uint16, are bfloat16's bits.
dlpack::DataType data_type(DType t, bool bfloat16) {
  return bfloat16 ? dlpack::DataType{dlpack::kBfloat, 16, 1} : dlpack_type(t);
}

/// Of CUDA's memory by its kind, and of what the host sees of a CPU's. Nothing for the rest, which Python decides on.
std::optional<dlpack::Device> plain_device(const Node& n) {
  const Block& block = *n.storage->block;
  if (!block.allocation) return {};
  if (n.place->device->driver() == DriverKind::cuda) switch (block.kind()) {
      case MemoryKind::device: return dlpack::Device{dlpack::kCuda, n.place->device->index()};
      case MemoryKind::managed: return dlpack::Device{dlpack::kCudaManaged, 0};
      case MemoryKind::pinned: return dlpack::Device{dlpack::kCudaHost, 0};
      default: return {};
    }
  if (n.place->device->type() == DeviceType::cpu && block.allocation->host()) return dlpack::Device{dlpack::kCpu, 0};
  return {};
}

void set_memory(dlpack::Tensor& tensor, const Node& n) {
  if (n.size() == 0) return;
  const Block& block = *n.storage->block;
  const std::int64_t offset = static_cast<std::int64_t>(block.offset) + n.offset;
  if (tensor.device.type == dlpack::kOpenCL) {
    tensor.data = block.allocation->handle();
    tensor.byte_offset = static_cast<std::uint64_t>(offset);
    return;
  }
  const bool by_host = tensor.device.type == dlpack::kCpu;
  void* const address = block.allocation->handle();  // throws where it was released
  void* base = by_host ? block.allocation->host() : address;
  if (!base || block.allocation->is_buffer() > by_host)
    throw ValueError("the array's memory is of kind '" + std::string(name_of(block.kind())) +
                     "', which has no address for that device");
  tensor.data = static_cast<char*>(base) + offset;  // libraries differ about byte_offset; the address alone is safe
}

void set_version(dlpack::Managed&, std::uint64_t) {}
void set_version(dlpack::ManagedVersioned& m, std::uint64_t flags) {
  m.version = dlpack::kVersion;
  m.flags = flags;
}

/// Strides in elements.
template <class M>
void complete(Holder<M>* holder, const Dims& shape, const Dims& strides, std::uint64_t flags) {
  holder->dims.assign(shape.begin(), shape.end());
  holder->dims.insert(holder->dims.end(), strides.begin(), strides.end());
  holder->managed.tensor.shape = holder->dims.data();
  holder->managed.tensor.strides = holder->dims.data() + shape.size();
  holder->managed.context = holder;
  holder->managed.deleter = [](M* m) { drop(m); };
  set_version(holder->managed, flags);
}

template <class M>
py::object make_capsule(std::unique_ptr<Holder<M>> holder) {
  PyObject* capsule =
      PyCapsule_New(&holder->managed, name_for(static_cast<M*>(nullptr)), [](PyObject* c) { drop_capsule<M>(c); });
  if (!capsule) throw py::error_already_set();
  static std::uintptr_t last_number = 0;
  holder->number = ++last_number;
  live_tensors().insert(holder->number);
  PyCapsule_SetContext(capsule, reinterpret_cast<void*>(holder->number));
  holder.release();
  return py::reinterpret_steal<py::object>(capsule);
}

template <class M>
std::unique_ptr<Holder<M>> array_holder(const NodeRef& n, dlpack::Device device, std::uint64_t flags, bool bfloat16) {
  auto holder = std::make_unique<Holder<M>>();
  dlpack::Tensor& tensor = holder->managed.tensor;
  tensor.device = device;
  tensor.ndim = static_cast<std::int32_t>(n->shape.size());
  tensor.dtype = data_type(n->dtype, bfloat16);
  set_memory(tensor, *n);
  holder->node = n;
  Dims steps = n->strides;
  for (std::int64_t& step : steps) step /= n->itemsize();
  complete(holder.get(), n->shape, steps, flags);
  return holder;
}

/// The policy (which device, whether to copy, whom to wait for) is devarray/interop/dlpack.py's.
py::object export_array(py::handle array, std::int32_t device_type, std::int32_t device_id, bool versioned, bool copied,
                        bool bfloat16) {
  const NodeRef n(&require_array(array));
  expose(*n);
  const dlpack::Device device{device_type, device_id};
  const std::uint64_t flags =
      (!n->writable ? std::uint64_t{dlpack::kReadOnly} : 0U) | (copied ? std::uint64_t{dlpack::kIsCopied} : 0U);
  return versioned ? make_capsule(array_holder<dlpack::ManagedVersioned>(n, device, flags, bfloat16))
                   : make_capsule(array_holder<dlpack::Managed>(n, device, flags, bfloat16));
}

/// A copy on the host: `array` is a NumPy array in C order that nobody else has.
template <class M>
py::object make_host_capsule(const py::array& array, bool bfloat16) {
  auto holder = std::make_unique<Holder<M>>();
  dlpack::Tensor& tensor = holder->managed.tensor;
  const DType dtype = read_dtype(array.dtype());
  tensor.device = {dlpack::kCpu, 0};
  tensor.ndim = static_cast<std::int32_t>(array.ndim());
  tensor.dtype = data_type(dtype, bfloat16);
  if (array.size() > 0) tensor.data = const_cast<void*>(array.data());
  const Dims shape(array.shape(), array.shape() + array.ndim());
  holder->object = array;
  complete(holder.get(), shape, c_strides(shape, 1), dlpack::kIsCopied);
  return make_capsule(std::move(holder));
}

py::object export_host(const py::array& array, bool versioned, bool bfloat16) {
  return versioned ? make_host_capsule<dlpack::ManagedVersioned>(array, bfloat16)
                   : make_host_capsule<dlpack::Managed>(array, bfloat16);
}

/// (kind, whether the host reads and writes it in place, whether it must not be written)
py::tuple memory_traits(py::handle array) {
  Node& n = require_array(array);
  evaluate(n);
  const Block& block = *n.storage->block;
  const MemoryKind kind = block.allocation ? block.kind() : n.place->resource->kind();
  return py::make_tuple(name_of(kind), !block.allocation || block.host() != nullptr, !n.writable);
}

// --- streams -------------------------------------------------------------------------------------------------------

/// Work that `stream` gets from now on runs behind what is enqueued for the array.
void order_stream(py::handle array, std::uintptr_t stream) {
  const PlaceRef place = require_array(array).place;
  if (place->queue->handle() != stream) order_queue(*stream_of(place->device, stream), *place->queue);
}

// --- the C exchange table ------------------------------------------------------------------------------------------
// Each function goes through the Python side, so that there is one policy; what it saves the consumer is the look-ups.

py::object interop(const char* name) { return py::module_::import("devarray.interop.dlpack").attr(name); }

dlpack::ManagedVersioned* take_tensor(const py::object& capsule) {
  void* managed = PyCapsule_GetPointer(capsule.ptr(), dlpack::kVersionedName);
  if (!managed || PyCapsule_SetName(capsule.ptr(), dlpack::kVersionedUsedName) != 0) throw py::error_already_set();
  return static_cast<dlpack::ManagedVersioned*>(managed);
}

/// Nothing but a status may reach a caller in C.
template <class F>
int with_python_error(F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    set_python_error();
    return -1;
  }
}

/// Where an array's memory is for DLPack, if it can be had in place and Python need not decide anything. Evaluates it.
std::optional<dlpack::Device> device_in_place(PyObject* object) {
  if (!is_array(object) || is_value(object)) return {};
  const NodeRef n(&node_of(object));
  evaluate(*n);
  for (const std::int64_t step : n->strides)
    if (step % n->itemsize() != 0) return {};
  return plain_device(*n);
}

std::uint64_t flags_of(const Node& n) { return n.writable ? 0U : std::uint64_t{dlpack::kReadOnly}; }

/// Until the host may read what is enqueued.
void wait_for_host(const QueuePtr& queue) {
  if (!queue->known_idle()) wait_until_done(queue);
}

/// What a call of __dlpack__ asks for, as far as it is simple.
struct ExportRequest {
  bool versioned = false, any_stream = true;
  long long stream = 1;

  /// False where there is more to decide, or to refuse.
  bool read(PyObject* name, PyObject* value) {
    const auto is = [&](const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; };
    if (is("max_version")) {
      if (!PyTuple_CheckExact(value) || PyTuple_GET_SIZE(value) != 2) return value == Py_None;
      PyObject* const major = PyTuple_GET_ITEM(value, 0);
      if (!PyLong_CheckExact(major)) return false;
      int beyond = 0;
      versioned = PyLong_AsLongAndOverflow(major, &beyond) >= 1;
      return beyond == 0;
    }
    if (!is("stream")) return (is("dl_device") || is("copy")) && value == Py_None;
    any_stream = value == Py_None;
    if (any_stream) return true;
    if (!PyLong_CheckExact(value)) return false;
    int beyond = 0;
    stream = PyLong_AsLongLongAndOverflow(value, &beyond);
    return beyond == 0 && (stream == -1 || stream > 0);
  }
};

/// The tensor of an array that can be had in place, as export_unordered() gives it; null for others.
dlpack::ManagedVersioned* quick_tensor(PyObject* object) {
  const std::optional<dlpack::Device> device = device_in_place(object);
  if (!device) return nullptr;
  const NodeRef n(&node_of(object));
  expose(*n);
  if (device->type == dlpack::kCuda)
    order_queue(*current_queue(n->place->device),
                *n->place->queue);  // of which the consumer hears by current_stream
  else
    wait_for_host(n->place->queue);
  return &array_holder<dlpack::ManagedVersioned>(n, *device, flags_of(*n), false).release()->managed;
}

int exchange_from_object(void* object, dlpack::ManagedVersioned** out) {
  return with_python_error([&] {
    auto* const o = static_cast<PyObject*>(object);
    *out = quick_tensor(o);
    if (!*out) *out = take_tensor(interop("export_unordered")(py::handle(o)));
  });
}

int exchange_to_object(dlpack::ManagedVersioned* tensor, void** out) {
  return with_python_error([&] {
    const auto capsule = py::reinterpret_steal<py::object>(
        PyCapsule_New(tensor, dlpack::kVersionedName, [](PyObject* c) { drop_capsule<dlpack::ManagedVersioned>(c); }));
    if (!capsule) throw py::error_already_set();
    *out = array_of_capsule(capsule);
    if (!*out) *out = interop("from_capsule")(capsule).release().ptr();
  });
}

/// Hands the Python error on as two strings; nobody else will clear it.
void report(void* context, dlpack::SetError set_error) noexcept {
  try {
    const py::error_already_set error;
    if (set_error) set_error(context, py::str(error.type().attr("__name__")).cast<std::string>().c_str(), error.what());
  } catch (...) {
    PyErr_Clear();
    if (set_error) set_error(context, "RuntimeError", "devarray: the error has no text");
  }
}

int exchange_allocate(dlpack::Tensor* like, dlpack::ManagedVersioned** out, void* context, dlpack::SetError set_error) {
  if (!Py_IsInitialized()) return -1;
  const GilAcquire gil;
  const int status = with_python_error([&] {
    const py::tuple shape = dims_tuple(dlpack::shape_of(*like));
    const py::tuple dtype = py::make_tuple(like->dtype.code, like->dtype.bits, like->dtype.lanes);
    *out = take_tensor(interop("allocate")(shape, dtype, py::make_tuple(like->device.type, like->device.id)));
  });
  if (status != 0) report(context, set_error);
  return status;
}

int exchange_current_stream(dlpack::DeviceType type, std::int32_t id, void** out) {
  return with_python_error([&] {
    *out = reinterpret_cast<void*>(interop("current_stream")(static_cast<int>(type), id).cast<std::uintptr_t>());
  });
}

py::object exchange_api() {
  static dlpack::ExchangeApi api{{dlpack::kVersion, nullptr}, exchange_allocate, exchange_from_object,
                                 exchange_to_object,          nullptr,           exchange_current_stream};
  return py::reinterpret_steal<py::object>(PyCapsule_New(&api, dlpack::kExchangeName, nullptr));
}

}  // namespace

PyObject* dlpack_in_place(PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  ExportRequest asked;
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = 0; i < named; ++i)
    if (!asked.read(PyTuple_GET_ITEM(names, i), argv[positional + i])) return nullptr;
  if (positional != 1 || !asked.versioned) return nullptr;
  const std::optional<dlpack::Device> device = device_in_place(argv[0]);
  if (!device) return nullptr;
  const NodeRef n(&node_of(argv[0]));
  if (device->type == dlpack::kCuda) {
    expose(*n);
    if (asked.stream != -1) order_stream(argv[0], static_cast<std::uintptr_t>(asked.stream));
  } else if (device->type == dlpack::kCpu && (asked.any_stream || asked.stream == -1)) {
    expose(*n);
    if (asked.any_stream) wait_for_host(n->place->queue);
  } else {
    return nullptr;
  }
  return make_capsule(array_holder<dlpack::ManagedVersioned>(n, *device, flags_of(*n), false)).release().ptr();
}

PyObject* dlpack_device_in_place(PyObject* const* argv, Py_ssize_t positional, PyObject* names) {
  if (positional != 1 || (names && PyTuple_GET_SIZE(names) != 0)) return nullptr;
  const std::optional<dlpack::Device> device = device_in_place(argv[0]);
  return device ? Py_BuildValue("(ii)", device->type, device->id) : nullptr;
}

void bind_engine_dlpack(py::module_& m) {
  m.def("dlpack_export", &export_array, py::arg("array"), py::arg("device_type"), py::arg("device_id"),
        py::arg("versioned"), py::arg("copied"), py::arg("bfloat16") = false);
  m.def("dlpack_export_host", &export_host, py::arg("array"), py::arg("versioned"), py::arg("bfloat16") = false);
  m.def("memory_traits", &memory_traits, py::arg("array"));
  m.def("order_stream", &order_stream, py::arg("array"), py::arg("stream"));
  m.def("wait_stream", &wait_stream, py::arg("queue"), py::arg("stream"));
  m.attr("dlpack_exchange_api") = exchange_api();
}

}  // namespace devarray
