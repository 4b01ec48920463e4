// Kernels, their arguments and their launch.
#include <cstring>

#include "bind/docs/opencl_kernel.hpp"
#include "bind/engine/quick.hpp"
#include "bind/opencl/array.hpp"
#include "bind/opencl/opencl.hpp"
#include "bind/python/keep.hpp"
#include "bind/python/truth.hpp"
#include "opencl/image.hpp"

namespace devarray::opencl {
namespace {

struct LocalMemory {
  std::size_t size;
};

/// One kernel argument as the driver takes it, free of Python.
struct PackedArg {
  enum class Kind : unsigned char { value, svm, local } kind = Kind::value;
  std::size_t bytes = 0;
  const void* pointer = nullptr;  ///< svm pointer, or the value where it is not `small`
  alignas(16) unsigned char small[16] = {};
  std::unique_ptr<HostBuffer> host;  ///< holds the value that `pointer` points to
  PyObject* array = nullptr;         ///< borrowed: the array that the memory is of
  BufferPtr part;                    ///< the sub-buffer that was made for it

  template <class T>
  static PackedArg of(const T& value) {
    static_assert(sizeof(T) <= sizeof small);
    PackedArg arg;
    std::memcpy(arg.small, &value, sizeof value);
    arg.bytes = sizeof value;
    return arg;
  }
  const void* value() const { return pointer ? pointer : small; }
};

template <class T>
PackedArg packed_integer(py::handle number) {
  return PackedArg::of(number.cast<T>());
}

PackedArg packed_float(double value, std::size_t bytes) {
  if (bytes == 8) return PackedArg::of(value);
  if (bytes == 4) return PackedArg::of(static_cast<float>(value));
  PackedArg arg;
  arg.bytes = 2;
  if (PyFloat_Pack2(value, reinterpret_cast<char*>(arg.small), 1) != 0) throw py::error_already_set();
  return arg;
}

/// A Python number, or anything that converts to one, as the type that was set for its argument.
PackedArg packed_scalar(py::handle number, ScalarType type) {
  switch (type.kind) {
    case 'b': return PackedArg::of(static_cast<unsigned char>(truth(number)));
    case 'i':
      switch (type.bytes) {
        case 1: return packed_integer<std::int8_t>(number);
        case 2: return packed_integer<std::int16_t>(number);
        case 4: return packed_integer<std::int32_t>(number);
        default: return packed_integer<std::int64_t>(number);
      }
    case 'u':
      switch (type.bytes) {
        case 1: return packed_integer<std::uint8_t>(number);
        case 2: return packed_integer<std::uint16_t>(number);
        case 4: return packed_integer<std::uint32_t>(number);
        default: return packed_integer<std::uint64_t>(number);
      }
    case 'f': return packed_float(number.cast<double>(), type.bytes);
    default: {
      const auto value = PyComplex_AsCComplex(number.ptr());
      if (PyErr_Occurred()) throw py::error_already_set();
      struct Single {
        float re, im;
      };
      struct Double {
        double re, im;
      };
      if (type.bytes == 8) return PackedArg::of(Single{static_cast<float>(value.real), static_cast<float>(value.imag)});
      return PackedArg::of(Double{value.real, value.imag});
    }
  }
}

bool is_python_number(py::handle object) {
  return PyLong_Check(object.ptr()) || PyFloat_CheckExact(object.ptr()) || PyComplex_CheckExact(object.ptr());
}

PackedArg packed_array(PyObject* array) {
  ArrayArgument memory = array_argument(array);
  PackedArg arg = PackedArg::of(memory.memory);
  if (memory.address) {
    arg.kind = PackedArg::Kind::svm;
    arg.pointer = memory.address;
  }
  arg.array = array;
  arg.part = std::move(memory.part);
  return arg;
}

PackedArg packed(py::handle object, ScalarType type) {
  if (object.is_none()) return PackedArg::of(cl_mem{nullptr});
  if (type.kind) return packed_scalar(object, type);
  static const PyObject* const buffer_type = py::type::of<Buffer>().release().ptr();  // the common case first
  if (py::type::handle_of(object).ptr() == buffer_type) return PackedArg::of(object.cast<const Buffer&>().get());
  if (is_array(object.ptr())) return packed_array(object.ptr());
  if (PyObject* array = array_behind(object)) return packed_array(array);
  if (py::isinstance<MemoryObject>(object)) return PackedArg::of(object.cast<const MemoryObject&>().get());
  if (py::isinstance<SVMPointer>(object)) {
    PackedArg arg;
    arg.kind = PackedArg::Kind::svm;
    arg.pointer = object.cast<const SVMPointer&>().svm_pointer();
    return arg;
  }
  if (py::isinstance<LocalMemory>(object)) {
    PackedArg arg;
    arg.kind = PackedArg::Kind::local;
    arg.bytes = object.cast<const LocalMemory&>().size;
    return arg;
  }
  if (py::isinstance<Sampler>(object)) return PackedArg::of(object.cast<const Sampler&>().get());
  if (py::isinstance<CommandQueue>(object)) return PackedArg::of(object.cast<const CommandQueue&>().get());
  if (is_python_number(object) || !PyObject_CheckBuffer(object.ptr()))
    throw ArgumentTypeError(
        "Kernel", CL_INVALID_ARG_VALUE,
        "a kernel argument must be an array, a memory object, an SVM pointer, LocalMemory, a sampler, None, or "
        "have the buffer protocol (a NumPy scalar, say); got " +
            py::str(py::type::handle_of(object).attr("__name__")).cast<std::string>() +
            ". Python numbers need Kernel.set_scalar_arg_dtypes");
  PackedArg arg;
  arg.host = std::make_unique<HostBuffer>(object, HostBuffer::Access::read);
  arg.pointer = arg.host->data();
  arg.bytes = arg.host->size();
  return arg;
}

void set(ClKernel& kernel, cl_uint index, const PackedArg& arg) {
  switch (arg.kind) {
    case PackedArg::Kind::svm: return kernel.set_svm_arg(index, arg.pointer);
    case PackedArg::Kind::local: return kernel.set_local_arg(index, arg.bytes);
    case PackedArg::Kind::value: return kernel.set_arg(index, arg.bytes, arg.value());
  }
}

ScalarType type_at(const ClKernel& kernel, std::size_t index) {
  return index < kernel.scalar_types.size() ? kernel.scalar_types[index] : ScalarType{};
}

/// Keeps what an argument rests on until another one takes its place: a kernel holds no reference.
void keep(ClKernel& kernel, cl_uint index, const PackedArg& arg) {
  const auto known = std::find_if(kernel.kept.begin(), kernel.kept.end(), [&](auto& k) { return k.first == index; });
  if (known != kernel.kept.end()) kernel.kept.erase(known);
  if (!arg.array) return;
  const auto array = py::reinterpret_borrow<py::object>(arg.array);
  kernel.kept.emplace_back(index, keep_object(py::make_tuple(array, arg.part)));
}

void set_arg(ClKernel& kernel, cl_uint index, const py::object& object) {
  const PackedArg arg = packed(object, type_at(kernel, index));
  {
    GilRelease release;
    std::lock_guard lock(kernel.mutex());
    set(kernel, index, arg);
  }
  keep(kernel, index, arg);
}

std::vector<PackedArg> packed_all(const ClKernel& kernel, PyObject* const* args, std::size_t count) {
  if (count != kernel.num_args())
    throw py::type_error("kernel '" + kernel.name() + "' takes " + std::to_string(kernel.num_args()) +
                         " arguments; got " + std::to_string(count));
  std::vector<PackedArg> list;
  list.reserve(count);
  for (std::size_t i = 0; i < count; ++i) list.push_back(packed(args[i], type_at(kernel, i)));
  return list;
}

PyObject* set_args(PyObject* self, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  if (keywords && PyTuple_GET_SIZE(keywords)) throw py::type_error("set_args() takes no keyword arguments");
  auto& kernel = object_of<ClKernel>(self, "set_args", "Kernel");
  const std::vector<PackedArg> list = packed_all(kernel, given, static_cast<std::size_t>(positional));
  {
    GilRelease release;
    std::lock_guard lock(kernel.mutex());
    for (std::size_t i = 0; i < list.size(); ++i) set(kernel, static_cast<cl_uint>(i), list[i]);
  }
  for (std::size_t i = 0; i < list.size(); ++i) keep(kernel, static_cast<cl_uint>(i), list[i]);
  Py_RETURN_NONE;
}

PyMethodDef kernel_methods[] = {quick<set_args>("set_args", docs::kKernelSetArgs), {nullptr, nullptr, 0, nullptr}};

/// Up to three sizes from an int or a sequence of ints.
struct Sizes {
  std::size_t values[3] = {0, 0, 0};
  cl_uint count = 0;
  bool given = false;
  explicit Sizes(py::handle object, const char* what) {
    if (object.is_none()) return;
    given = true;
    if (PyIndex_Check(object.ptr())) {
      values[count++] = object.cast<std::size_t>();
      return;
    }
    if (PyTuple_CheckExact(object.ptr())) {
      for (py::ssize_t i = 0; i < PyTuple_GET_SIZE(object.ptr()); ++i) add(PyTuple_GET_ITEM(object.ptr(), i), what);
      return;
    }
    for (py::handle item : items_of(object)) add(item, what);
  }
  const std::size_t* data() const { return given ? values : nullptr; }

 private:
  void add(py::handle item, const char* what) {
    if (count == 3) throw ValueError(std::string(what) + " has more than three dimensions");
    values[count++] = item.cast<std::size_t>();
  }
};

/// Drivers say less, or nothing.
void require_one_context(const CommandQueue& queue, const ClKernel& kernel) {
  if (kernel.context() == queue.engine_device()->context()) return;
  throw ClError("clEnqueueNDRangeKernel", CL_INVALID_CONTEXT,
                "kernel '" + kernel.name() + "' was built in another context than the queue's, on " +
                    queue.engine_device()->label() +
                    "; build the program in queue.context, or launch on a queue of the program's context");
}

struct Range {
  Sizes global, local, offset;
  bool allow_empty;
  std::vector<ClEventPtr> wait_for;

  Range(py::handle global_size, py::handle local_size, py::handle global_offset, py::handle events, bool g_times_l,
        bool allow_empty)
      : global(global_size, "global_work_size"),
        local(local_size, "local_work_size"),
        offset(global_offset, "global_work_offset"),
        allow_empty(allow_empty),
        wait_for(events_of(events)) {
    if (!global.given || global.count == 0) throw ValueError("global_work_size needs one to three dimensions");
    if (g_times_l && local.given) extend_to_groups();
    if (local.given && local.count != global.count)
      throw ValueError("local_work_size has " + std::to_string(local.count) + " dimensions, global_work_size has " +
                       std::to_string(global.count));
    if (offset.given && offset.count != global.count)
      throw ValueError("global_work_offset has " + std::to_string(offset.count) + " dimensions, global_work_size has " +
                       std::to_string(global.count));
  }

  cl_event enqueue(CommandQueue& queue, ClKernel& kernel) const {
    cl_event event = nullptr;
    const WaitList wait(wait_for);
    const cl_command_queue q = queue.get();
    kernel.check_local_memory(queue.engine_device()->caps());
    if (allow_empty && is_empty())
      DEVARRAY_CL(q, clEnqueueMarkerWithWaitList, q, wait.size(), wait.data(), &event);
    else
      DEVARRAY_CL(q, clEnqueueNDRangeKernel, q, kernel.get(), global.count, offset.data(), global.values, local.data(),
                  wait.size(), wait.data(), &event);
    return event;
  }

 private:
  bool is_empty() const {
    for (cl_uint d = 0; d < global.count; ++d)
      if (global.values[d] == 0) return true;
    return false;
  }
  /// The global size counts groups; what is missing in one of the two is 1.
  void extend_to_groups() {
    const cl_uint count = std::max(global.count, local.count);
    for (cl_uint d = 0; d < count; ++d) {
      if (d >= global.count) global.values[d] = 1;
      if (d >= local.count) local.values[d] = 1;
      global.values[d] *= local.values[d];
    }
    global.count = local.count = count;
  }
};

PyObject* enqueue_nd_range_kernel(PyObject*, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  static constexpr const char* name = "enqueue_nd_range_kernel";
  static constexpr QuickSignature<8> signature = {
      name,
      {"queue", "kernel", "global_work_size", "local_work_size", "global_work_offset", "wait_for", "g_times_l",
       "allow_empty_ndrange"},
      4};
  const QuickArguments<8> arguments(signature, given, positional, keywords);
  auto& queue = object_of<CommandQueue>(arguments[0], name, "CommandQueue");
  auto& kernel = object_of<ClKernel>(arguments[1], name, "Kernel");
  const Range range(arguments[2], arguments[3], arguments.or_none(4), arguments.or_none(5), arguments.truth(6),
                    arguments.truth(7));
  warn_where_left(queue);
  require_one_context(queue, kernel);
  ArrayOrder order(queue);
  for (const auto& [index, kept] : kernel.kept) order.add(PyTuple_GET_ITEM(static_cast<PyObject*>(kept.get()), 0));
  order.before();
  cl_event event = nullptr;
  {
    GilRelease release;
    std::lock_guard lock(kernel.mutex());
    event = range.enqueue(queue, kernel);
  }
  order.after();
  return event_object(queue, event);
}

PyMethodDef launch_functions[] = {
    quick<enqueue_nd_range_kernel>("enqueue_nd_range_kernel", docs::kEnqueueNdRangeKernel),
    {nullptr, nullptr, 0, nullptr}};

py::object launch(ClKernel& kernel, CommandQueue& queue, const Range& range, const std::vector<PackedArg>& args) {
  warn_where_left(queue);
  require_one_context(queue, kernel);
  ArrayOrder order(queue);
  for (const PackedArg& arg : args)
    if (arg.array) order.add(arg.array);
  order.before();
  cl_event event = nullptr;
  {
    GilRelease release;
    std::lock_guard lock(kernel.mutex());
    for (std::size_t i = 0; i < args.size(); ++i) set(kernel, static_cast<cl_uint>(i), args[i]);
    event = range.enqueue(queue, kernel);
  }
  order.after();
  if (!kernel.kept.empty()) kernel.kept.clear();  // other arguments took their places
  return py::reinterpret_steal<py::object>(event_object(queue, event));
}

py::object call(ClKernel& kernel, CommandQueue& queue, const py::object& global_size, const py::object& local_size,
                const py::args& args, const py::object& offset, const py::object& wait_for, bool g_times_l,
                bool allow_empty) {
  const Range range(global_size, local_size, offset, wait_for, g_times_l, allow_empty);
  return launch(kernel, queue, range, packed_all(kernel, PySequence_Fast_ITEMS(args.ptr()), args.size()));
}

// The type's call slot: kernel(queue, global_size, local_size, *args) without keywords, past the dispatch to __call__.
ternaryfunc generic_call = nullptr;

PyObject* call_plain(PyObject* self, PyObject* args, PyObject* keywords) {
  static const PyObject* const queue_type = py::type::of<CommandQueue>().release().ptr();
  if ((keywords && PyDict_GET_SIZE(keywords)) || PyTuple_GET_SIZE(args) < 3 ||
      reinterpret_cast<PyObject*>(Py_TYPE(PyTuple_GET_ITEM(args, 0))) != queue_type)
    return generic_call(self, args, keywords);
  try {
    auto& kernel = object_of<ClKernel>(self, "a kernel call", "Kernel");
    auto& queue = object_of<CommandQueue>(PyTuple_GET_ITEM(args, 0), "a kernel call", "CommandQueue");
    const Range range(PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2), py::none(), py::none(), false, false);
    return launch(kernel, queue, range, packed_all(kernel, PySequence_Fast_ITEMS(args) + 3, PyTuple_GET_SIZE(args) - 3))
        .release()
        .ptr();
  } catch (...) {
    set_python_error();
  }
  return nullptr;
}

void set_scalar_types(ClKernel& kernel, const py::sequence& dtypes) {
  if (dtypes.size() != kernel.num_args())
    throw ValueError("kernel '" + kernel.name() + "' takes " + std::to_string(kernel.num_args()) + " arguments; got " +
                     std::to_string(dtypes.size()) + " dtypes");
  const py::object numpy_dtype = py::module_::import("numpy").attr("dtype");
  std::vector<ScalarType> types;
  for (py::handle given : items_of(dtypes)) {
    if (given.is_none()) {
      types.push_back({});
      continue;
    }
    const py::object dtype = numpy_dtype(given);
    const char kind = dtype.attr("kind").cast<std::string>().front();
    const auto bytes = dtype.attr("itemsize").cast<std::uint8_t>();
    const bool known =
        (std::strchr("biu", kind) && bytes <= 8) || (kind == 'f' && bytes <= 8) || (kind == 'c' && bytes <= 16);
    types.push_back(known ? ScalarType{kind, bytes} : ScalarType{});
  }
  kernel.scalar_types = std::move(types);
}

/// NumPy's short texts for the types that were set, None for what is no scalar; empty where none were set.
py::list scalar_types(const ClKernel& kernel) {
  py::list names;
  for (const ScalarType& type : kernel.scalar_types) {
    if (type.kind)
      names.append(std::string(1, type.kind) + std::to_string(type.bytes));
    else
      names.append(py::none());
  }
  return names;
}

py::object sub_group_info(const ClKernel& kernel, const ClDevice& device, cl_uint param, const py::object& input) {
  const InfoRow* row = find_row(kernel_sub_group_table(), param);
  if (!row) throw ClError("clGetKernelSubGroupInfo", CL_INVALID_VALUE);
  // OpenCL 3.0 made sub-groups optional: a device without them need not have the entry point.
  const cl_uint most =
      device_info(device.get())->device_version < 210
          ? 0
          : info_value_or<cl_uint>(DEVARRAY_CL_INFO(clGetDeviceInfo, device.get(), CL_DEVICE_MAX_NUM_SUB_GROUPS), 0);
  if (!most) raise_missing("clGetKernelSubGroupInfo");
  const Sizes given(input, "input_value");
  const std::size_t input_bytes = given.count * sizeof(std::size_t);
  if (row->type != InfoType::sizes)
    return py::int_(info_value<std::size_t>(
        DEVARRAY_CL_INFO(clGetKernelSubGroupInfo, kernel.get(), device.get(), param, input_bytes, given.data()),
        "clGetKernelSubGroupInfo"));
  std::size_t local[3] = {0, 0, 0};  // one-dimensional where the kernel's number of sub-groups is asked for
  DEVARRAY_CL(kernel.get(), clGetKernelSubGroupInfo, kernel.get(), device.get(), param, input_bytes, given.data(),
              sizeof local, local, nullptr);
  return py::cast(std::vector<std::size_t>(local, local + 3));
}

}  // namespace

void bind_kernel(py::module_& m) {
  py::class_<LocalMemory>(m, "LocalMemory", docs::kLocalMemory)
      .def(py::init<std::size_t>(), py::arg("size"))
      .def_readonly("size", &LocalMemory::size);

  py::class_<ClKernel, Kernel, ClKernelPtr> cls(m, "Kernel", docs::kKernel);
  cls.def(py::init([](ClProgram& program, const std::string& name) {
            return std::static_pointer_cast<ClKernel>(program.kernel(name));
          }),
          py::arg("program"), py::arg("name"));
  cls.def("__call__", &call, py::arg("queue"), py::arg("global_size"), py::arg("local_size"), py::kw_only(),
          py::arg("global_offset") = py::none(), py::arg("wait_for") = py::none(), py::arg("g_times_l") = false,
          py::arg("allow_empty_ndrange") = false, docs::kKernelCall);
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  generic_call = type->tp_call;
  type->tp_call = call_plain;
  cls.def(
      "capture_call",
      [](const py::object& self, const py::object& output_file, const py::object& queue, const py::object& global_size,
         const py::object& local_size, const py::args& args, const py::object& wait_for, bool g_times_l,
         bool allow_empty_ndrange, const py::object& global_offset) {
        py::module_::import("devarray.cl._capture")
            .attr("capture_call")(self, output_file, queue, global_size, local_size, *args,
                                  py::arg("wait_for") = wait_for, py::arg("g_times_l") = g_times_l,
                                  py::arg("allow_empty_ndrange") = allow_empty_ndrange,
                                  py::arg("global_offset") = global_offset);
      },
      py::arg("output_file"), py::arg("queue"), py::arg("global_size"), py::arg("local_size"), py::kw_only(),
      py::arg("wait_for") = py::none(), py::arg("g_times_l") = false, py::arg("allow_empty_ndrange") = false,
      py::arg("global_offset") = py::none(), docs::kKernelCaptureCall);
  cls.def("set_arg", &set_arg, py::arg("index"), py::arg("arg"), docs::kKernelSetArg);
  add_methods(cls, kernel_methods);
  cls.def("set_scalar_arg_dtypes", &set_scalar_types, py::arg("arg_dtypes"), docs::kKernelSetScalarArgDtypes);
  cls.def_property_readonly("_arg_types", &scalar_types);
  cls.def("set_arg_types", &set_scalar_types, py::arg("arg_types"), docs::kKernelSetArgTypes);
  cls.def(
      "get_work_group_info",
      [](const ClKernel& k, cl_uint param, const ClDevice& device) {
        const InfoRow* row = find_row(kernel_work_group_table(), param);
        if (!row) throw ClError("clGetKernelWorkGroupInfo", CL_INVALID_VALUE);
        return info_object(row->type,
                           info_bytes(DEVARRAY_CL_INFO(clGetKernelWorkGroupInfo, k.get(), device.get(), param),
                                      "clGetKernelWorkGroupInfo"));
      },
      py::arg("param"), py::arg("device"), docs::kKernelGetWorkGroupInfo);
  cls.def(
      "get_arg_info",
      [](const ClKernel& k, cl_uint index, cl_uint param) {
        const InfoRow* row = find_row(kernel_arg_table(), param);
        if (!row) throw ClError("clGetKernelArgInfo", CL_INVALID_VALUE);
        return info_object(
            row->type, info_bytes(DEVARRAY_CL_INFO(clGetKernelArgInfo, k.get(), index, param), "clGetKernelArgInfo"));
      },
      py::arg("arg_index"), py::arg("param"), docs::kKernelGetArgInfo);
  cls.def("get_sub_group_info", &sub_group_info, py::arg("device"), py::arg("param"),
          py::arg("input_value") = py::none(), docs::kKernelGetSubGroupInfo);
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto kernel = reinterpret_cast<cl_kernel>(p);
        auto program = ClProgram::share(
            info_value<cl_program>(DEVARRAY_CL_INFO(clGetKernelInfo, kernel, CL_KERNEL_PROGRAM), "clGetKernelInfo"));
        return std::make_shared<ClKernel>(program->engine_device(),
                                          retain ? Handle<cl_kernel>::share(kernel) : Handle<cl_kernel>::adopt(kernel));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  cls.def(
      "clone",
      [](const ClKernel& k) {
        auto copy = Handle<cl_kernel>::adopt(DEVARRAY_CL_CREATE(k.get(), clCloneKernel, k.get()));
        return std::make_shared<ClKernel>(k.engine_device(), std::move(copy));
      },
      docs::kKernelClone);
  def_info(cls, kernel_table(), DEVARRAY_CL_READER(ClKernel, clGetKernelInfo));
  def_identity(cls);

  if (PyModule_AddFunctions(m.ptr(), launch_functions) != 0) throw py::error_already_set();
}

}  // namespace devarray::opencl
