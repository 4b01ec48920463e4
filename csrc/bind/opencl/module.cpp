// The module _core.cl: the OpenCL layer as PyOpenCL's users know it, and its errors.
#include "bind/docs/opencl.hpp"
#include "bind/opencl/array.hpp"
#include "bind/opencl/opencl.hpp"
#include "bind/python/call.hpp"
#include "opencl/loader.hpp"

namespace devarray::opencl {
namespace {

/// Raises the class of devarray.cl for a code, with the attributes of devarray.errors.DriverError.
void raise(const char* name, const std::exception& e, const std::string& call, long code, const char* code_name,
           const CompileError* compile = nullptr) {
  py::object cls = py::module_::import("devarray.cl._errors").attr(name);
  py::object error = cls(e.what());
  error.attr("driver") = "opencl";
  error.attr("call") = call;
  error.attr("code") = code;
  error.attr("code_name") = code_name;
  if (compile) {
    error.attr("log") = compile->log;
    error.attr("source") = compile->source;
  }
  PyErr_SetObject(cls.ptr(), error.ptr());
}

/// PyOpenCL's classes for the codes: MemoryError, LogicError or RuntimeError of devarray.cl.
void translate(std::exception_ptr p) {
  try {
    if (p) std::rethrow_exception(p);
  } catch (const BuildError& e) {
    raise("BuildError", e, e.call, e.code, status_name(e.code), &e);
  } catch (const ArgumentTypeError& e) {
    raise("ArgumentTypeError", e, e.call, e.code, status_name(static_cast<cl_int>(e.code)));
  } catch (const ClError& e) {
    raise(e.kind == ClError::Kind::memory  ? "MemoryError"
          : e.kind == ClError::Kind::logic ? "LogicError"
                                           : "RuntimeError",
          e, e.call, e.code, status_name(static_cast<cl_int>(e.code)));
  }
}

/// devarray.cl._runtimes.candidates() -> [(library, needs, origin, problem)]
std::vector<Candidate> find_candidates() {
  GilAcquire gil;
  std::vector<Candidate> candidates;
  for (py::handle row : items_of(call_python(py::module_::import("devarray.cl._runtimes").attr("candidates")))) {
    const auto fields = row.cast<py::tuple>();
    candidates.push_back({fields[0].cast<std::string>(), fields[1].cast<std::vector<std::string>>(),
                          fields[2].cast<std::string>(), fields[3].cast<std::string>()});
  }
  return candidates;
}

void bind_engine_device(py::module_& m) {
  py::class_<ContextDevice, Device, ContextDevicePtr>(m, "ContextDevice", docs::kContextDevice)
      .def_property_readonly("cl_context", [](const ContextDevice& d) { return Context::share(d.context()); })
      .def_property_readonly("cl_device", [](const ContextDevice& d) { return ClDevice(d.id()); })
      .def("build_options", &ContextDevice::build_options, py::arg("options") = "", docs::kContextDeviceBuildOptions);
  m.def(
      "devices",
      [] {
        std::vector<ContextDevicePtr> list;
        {
          GilRelease release;
          list = devices();
        }
        return list;
      },
      docs::kDevices);
  m.def("missing_runtime_message", &missing_runtime_message, release_gil());
  m.def(
      "libraries",
      [] {
        py::list rows;
        std::vector<LoadedLibrary> libraries;
        {
          GilRelease release;
          libraries = loaded_libraries();
        }
        for (const LoadedLibrary& l : libraries)
          rows.append(py::make_tuple(l.library, l.origin, l.platforms, l.problem));
        return rows;
      },
      "What was looked at for platforms: (library, origin, number of platforms, problem).");
}

}  // namespace

}  // namespace devarray::opencl

namespace devarray {

py::object bind_opencl(py::module_& m) {
  using namespace opencl;
  py::module_ cl = m.def_submodule("cl", "The OpenCL layer under devarray.cl.");
  add_error_translator(translate);
  set_finder(find_candidates);
  bind_info(cl);
  bind_platform(cl);
  bind_queue(cl);
  opencl::bind_memory(cl);
  bind_array_memory(cl);
  bind_program(cl);
  bind_kernel(cl);
  bind_image(cl);
  bind_transfer(cl);
  bind_map(cl);
  bind_engine_device(cl);
  bind_engine_view(cl);
  return cl;
}

}  // namespace devarray
