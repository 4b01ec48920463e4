// Modules, functions and their calls, under PyCUDA's names.
#include "bind/cuda/arguments.hpp"
#include "bind/docs/cuda_function.hpp"
#include "bind/engine/array.hpp"
#include "cuda/array.hpp"
#include "cuda/stream.hpp"
#include "engine/hazards.hpp"
#include "engine/lock.hpp"

namespace devarray::cuda {
namespace {

struct Launch {
  Extent grid, block;
  unsigned shared = 0;
  CUstream stream = nullptr;
  py::object stream_object = py::none();
};

void run(const Function& function, const Launch& launch, Arguments& arguments) {
  arguments.check(function);
  void** addresses = arguments.addresses();
  GilRelease release;
  function.launch(launch.grid, launch.block, addresses, launch.shared, launch.stream);
}

// Two events around a launch; elapsed() waits for the second.
class LaunchTimer {
 public:
  explicit LaunchTimer(const Function& function)
      : start_(Event::create(function.context(), CU_EVENT_DEFAULT)),
        end_(Event::create(function.context(), CU_EVENT_DEFAULT)) {}
  void start(CUstream stream) { start_->record(stream); }
  void stop(CUstream stream) { end_->record(stream); }
  double elapsed() const {
    end_->wait();
    return end_->milliseconds_since(*start_) * 1e-3;
  }

 private:
  std::shared_ptr<Event> start_, end_;
};

// The keyword arguments of a call.
struct CallOptions {
  Launch launch;
  bool time_kernel = false;
  bool has_block = false;
  py::object texrefs = py::none();

  explicit CallOptions(PyObject* keywords) {
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    PyObject *word = nullptr, *given = nullptr;
    for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &word, &given);) {
      const py::handle key = word, value = given;
      const auto is = [key](const char* name) { return PyUnicode_CompareWithASCIIString(key.ptr(), name) == 0; };
      if (is("block")) {
        read_extent(value, launch.block, "block");
        has_block = true;
      } else if (is("grid")) {
        read_extent(value, launch.grid, "grid");
      } else if (is("stream")) {
        launch.stream = stream_handle(value);
        launch.stream_object = py::reinterpret_borrow<py::object>(value);
      } else if (is("shared")) {
        launch.shared = value.cast<unsigned>();
      } else if (is("time_kernel")) {
        time_kernel = py::cast<bool>(value);
      } else if (is("texrefs")) {
        texrefs = py::reinterpret_borrow<py::object>(value);
      } else {
        throw py::type_error("Function.__call__() got an unexpected keyword argument '" + std::string(py::str(key)) +
                             "'");
      }
    }
  }
};

/// Orders a launch on one of our streams behind the work on arrays of other streams, and their later work behind the
/// launch. Without a stream the driver's default one does that, and what is captured orders itself.
class ArrayOrder {
 public:
  ArrayOrder(const py::object& stream, PyObject* values) {
    if (stream.is_none() || !py::isinstance<Stream>(stream)) return;
    const auto queue = stream.cast<std::shared_ptr<Stream>>();
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i) {
      PyObject* array = array_behind(PyTuple_GET_ITEM(values, i));
      if (!array || !node_of(array).storage) continue;
      Storage& storage = *node_of(array).storage;
      if (storage.block->allocation && storage.place->queue != queue) others_.emplace_back(&storage);
    }
    if (others_.empty()) return;
    if (is_capturing(*queue)) {
      others_.clear();
      return;
    }
    lock_ = std::make_unique<EngineLock>();
    place_ = PlaceRef(new Place(queue, others_[0]->place->resource));
    for (const StorageRef& storage : others_) acquire_write(*storage, *place_);
  }
  void after() {
    for (const StorageRef& storage : others_) release_write(*storage, *place_);
    lock_.reset();
  }

 private:
  static bool is_capturing(const Stream& stream) {
    const Current current(*stream.context());
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    api().cuStreamIsCapturing(stream.raw(), &status);
    return status != CU_STREAM_CAPTURE_STATUS_NONE;
  }
  std::vector<StorageRef> others_;
  PlaceRef place_;
  std::unique_ptr<EngineLock> lock_;
};

py::object call(const Function& function, PyObject* values, PyObject* keywords) {
  CallOptions options(keywords);
  if (!options.has_block) throw py::type_error("a kernel call wants block=(x, y, z), the threads of a block");
  Launch& launch = options.launch;
  set_texture_references(function, options.texrefs);
  Arguments arguments;
  std::vector<py::object> handlers;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(values); ++i)
    arguments.add_object(PyTuple_GET_ITEM(values, i), static_cast<std::size_t>(i), handlers, launch.stream_object);
  ArrayOrder order(launch.stream_object, values);
  std::optional<LaunchTimer> timer;
  if (options.time_kernel) {
    timer.emplace(function);
    timer->start(launch.stream);
  }
  run(function, launch, arguments);
  if (timer) timer->stop(launch.stream);
  order.after();
  for (const py::object& handler : handlers) handler.attr("post_call")(launch.stream_object);
  if (!timer) return py::none();
  double seconds = 0;
  {
    GilRelease release;
    seconds = timer->elapsed();
  }
  return py::float_(seconds);
}

// Function.prepare and what follows from it. The state is the function object's.
py::object prepare(const py::object& self, const py::object& types, const py::object& shared,
                   const py::object& texrefs) {
  auto& function = self.cast<Function&>();
  set_texture_references(function, texrefs);
  function.prepared.types = prepared_types(types);
  function.prepared.shared_bytes = shared.is_none() ? 0 : shared.cast<unsigned>();
  function.prepared.valid = true;
  return self;
}

// The values of a call by METH_FASTCALL, or of a tuple.
struct Values {
  PyObject* const* data;
  std::size_t count;
};

void prepared_launch(const Function& function, Values values, Launch& launch) {
  if (!function.prepared.valid)
    throw ValueError("kernel '" + function.name() + "' was not prepared: call prepare(arg_types) first");
  const std::vector<char>& types = function.prepared.types;
  if (values.count != types.size())
    throw py::type_error("kernel '" + function.name() + "' was prepared for " + std::to_string(types.size()) +
                         " arguments; " + std::to_string(values.count) + " were given");
  Arguments arguments;
  for (std::size_t i = 0; i < types.size(); ++i) arguments.add_prepared(types[i], values.data[i], i);
  run(function, launch, arguments);
}

// Reads grid, block and, where `stream` follows them, that; returns the kernel's own values. `form` is for the error.
Values read_geometry(Values values, bool stream, Launch& launch, const char* form) {
  const std::size_t count = stream ? 3 : 2;
  if (values.count < count) throw py::type_error(std::string("wanted is ") + form);
  read_extent(values.data[0], launch.grid, "grid");
  read_extent(values.data[1], launch.block, "block");
  if (stream) launch.stream = stream_handle(values.data[2]);
  return {values.data + count, values.count - count};
}

void read_shared_size(py::handle key, py::handle value, Launch& launch) {
  if (PyUnicode_CompareWithASCIIString(key.ptr(), "shared_size") != 0)
    throw py::type_error("a prepared call got an unexpected keyword argument '" + std::string(py::str(key)) + "'");
  launch.shared = value.cast<unsigned>();
}

const Function& function_of(PyObject* self) { return object_of<Function>(self, "a kernel call", "Function"); }

template <bool stream>
PyObject* prepared_call(PyObject* self, PyObject* const* given, Py_ssize_t positional, PyObject* keywords) {
  const Function& function = function_of(self);
  Launch launch;
  launch.shared = function.prepared.shared_bytes;
  for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); ++i)
    read_shared_size(PyTuple_GET_ITEM(keywords, i), given[positional + i], launch);
  const Values all = {given, static_cast<std::size_t>(positional)};
  const char* const form =
      stream ? "prepared_async_call(grid, block, stream, *args)" : "prepared_call(grid, block, *args)";
  prepared_launch(function, read_geometry(all, stream, launch, form), launch);
  Py_RETURN_NONE;
}

PyMethodDef prepared_methods[] = {quick<prepared_call<false>>("prepared_call", docs::kPreparedCall),
                                  quick<prepared_call<true>>("prepared_async_call", docs::kPreparedAsyncCall),
                                  {nullptr, nullptr, 0, nullptr}};

// The type's call slot, past pybind11's dispatch to __call__.
PyObject* call_slot(PyObject* self, PyObject* values, PyObject* keywords) {
  try {
    return call(function_of(self), values, keywords).release().ptr();
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

py::object prepared_timed_call(Function& function, const py::args& values, const py::kwargs& keywords) {
  Launch launch;
  launch.shared = function.prepared.shared_bytes;
  for (auto [key, value] : keywords) read_shared_size(key, value, launch);
  const Values all = {PySequence_Fast_ITEMS(values.ptr()), values.size()};
  const Values own = read_geometry(all, false, launch, "prepared_timed_call(grid, block, *args)");
  LaunchTimer timer(function);
  timer.start(nullptr);
  prepared_launch(function, own, launch);
  timer.stop(nullptr);
  return py::cpp_function([timer] {
    GilRelease release;
    return timer.elapsed();
  });
}

void bind_module(py::module_& m) {
  py::class_<Module, Program, std::shared_ptr<Module>>(m, "Module", docs::kModule)
      .def("get_function", &Module::function, py::arg("name"), docs::kModuleGetFunction)
      .def("get_global", &Module::global, py::arg("name"), docs::kModuleGetGlobal)
      .def("get_texref", &texture_reference, py::arg("name"), docs::kModuleGetTexref)
      .def("get_surfref", &surface_reference, py::arg("name"), docs::kModuleGetSurfref)
      .def_property_readonly("module_handle",
                             [](const Module& m) { return reinterpret_cast<std::uintptr_t>(m.handle()); });

  m.def(
      "module_from_buffer",
      [](const py::object& buffer, const py::object& options, const py::object& handler) {
        std::string image = image_of(buffer, "module_from_buffer");
        const JitOptions::Pairs pairs = jit_pairs(options);
        Module::JitResult messages;
        auto tell = [&](bool success) {
          if (!handler.is_none()) handler(success, messages.info, messages.error);
        };
        std::shared_ptr<Module> module;
        try {
          ContextPtr context = Context::current();
          GilRelease release;
          module = Module::load(context, std::move(image), pairs, &messages);
        } catch (const Error&) {
          tell(false);
          throw;
        }
        tell(true);
        return module;
      },
      py::arg("buffer"), py::arg("options") = py::tuple(), py::arg("message_handler") = py::none(),
      docs::kModuleFromBuffer);
}

void bind_function(py::module_& m) {
  py::class_<Function, Kernel, std::shared_ptr<Function>> cls(m, "Function", docs::kFunction);
  cls.def(
      "__call__",
      [](const Function& f, const py::args& values, const py::kwargs& keywords) {
        return call(f, values.ptr(), keywords.ptr());
      },
      docs::kFunctionCall);
  reinterpret_cast<PyTypeObject*>(cls.ptr())->tp_call = call_slot;
  add_methods(cls, prepared_methods);
  cls.def("prepare", &prepare, py::arg("arg_types"), py::arg("shared") = py::none(), py::arg("texrefs") = py::tuple(),
          docs::kFunctionPrepare)
      .def("prepared_timed_call", &prepared_timed_call, docs::kFunctionPreparedTimedCall)
      .def(
          "get_attribute",
          [](const Function& f, int which) { return f.attribute(static_cast<CUfunction_attribute>(which)); },
          py::arg("attr"), docs::kFunctionGetAttribute)
      .def(
          "set_attribute",
          [](const Function& f, int which, int value) {
            f.set_attribute(static_cast<CUfunction_attribute>(which), value);
          },
          py::arg("attr"), py::arg("value"), docs::kFunctionSetAttribute)
      .def(
          "set_cache_config",
          [](const Function& f, int config) {
            Current current(*f.context());
            api().cuFuncSetCacheConfig(f.handle(), static_cast<CUfunc_cache>(config));
          },
          py::arg("fc"), docs::kFunctionSetCacheConfig)
      .def(
          "set_shared_config",
          [](const Function& f, int config) {
            Current current(*f.context());
            api().function_set_shared_config(f.handle(), static_cast<CUsharedconfig>(config));
          },
          py::arg("sc"), docs::kFunctionSetSharedConfig)
      .def("max_active_blocks_per_multiprocessor", &Function::max_active_blocks, py::arg("block_size"),
           py::arg("shared") = 0, docs::kFunctionMaxActiveBlocksPerMultiprocessor)
      .def("max_potential_block_size", &Function::best_block_size, py::arg("shared") = 0,
           py::arg("block_size_limit") = 0, docs::kFunctionMaxPotentialBlockSize)
      .def_property_readonly(
          "parameter_sizes",
          [](const Function& f) -> py::object {
            const std::vector<std::size_t>* sizes = f.parameter_sizes();
            return sizes ? py::cast(*sizes) : py::none();
          },
          "Bytes of each parameter; None where the driver does not say.")
      .def_property_readonly("function_handle",
                             [](const Function& f) { return reinterpret_cast<std::uintptr_t>(f.handle()); })
      .def("__repr__", [](const Function& f) { return "<devarray.cuda.Function " + f.name() + ">"; });

  const std::pair<const char*, CUfunction_attribute> attributes[] = {
      {"max_threads_per_block", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {"shared_size_bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
      {"const_size_bytes", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES},
      {"local_size_bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
      {"num_regs", CU_FUNC_ATTRIBUTE_NUM_REGS},
      {"ptx_version", CU_FUNC_ATTRIBUTE_PTX_VERSION},
      {"binary_version", CU_FUNC_ATTRIBUTE_BINARY_VERSION},
      {"lmem", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
      {"smem", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
      {"registers", CU_FUNC_ATTRIBUTE_NUM_REGS}};
  for (auto [name, which] : attributes)
    cls.def_property_readonly(name, [which = which](const Function& f) { return f.attribute(which); });
  bind_old_calls(cls);
}

}  // namespace

void bind_functions(py::module_& m) {
  bind_module(m);
  bind_function(m);
}

}  // namespace devarray::cuda
