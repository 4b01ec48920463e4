// The extension devarray._core: binders in the order of their layers. Importing it touches no driver.
#include <pybind11/gil_safe_call_once.h>

#include <exception>
#include <thread>

#include "bind/memory/memory.hpp"
#include "bind/python/bind.hpp"
#include "bind/python/call.hpp"
#include "bind/python/signatures.hpp"
#include "common/driver.hpp"
#include "engine/log.hpp"

namespace {

/// What a signal's handler must not cut short, since half of a module would stay for good: handlers run in the main
/// thread alone, so that this has a thread of its own.
template <class F>
pybind11::object uninterrupted(F&& work) {
  using namespace devarray;
  if (shutting_down()) return work();
  pybind11::object made;
  std::exception_ptr error;
  {
    const GilRelease unlocked;
    std::thread([&] {
      const GilAcquire gil;
      try {
        without_unwinding([&] { made = work(); });
      } catch (...) {
        error = std::current_exception();
      }
    }).join();
  }
  if (error) std::rethrow_exception(error);
  return made;
}

constexpr const char* kLater[] = {"cl", "cuda", "PooledBuffer", "PooledSVM"};

/// A driver's submodule is bound when it is first asked for: with all their classes the two take most of an import's
/// time. Whatever makes an object of a driver goes through its submodule.
pybind11::object attribute(pybind11::module_& core, const std::string& name) {
  using namespace devarray;
  if (name == "cl" || name == "PooledBuffer" || name == "PooledSVM") {
    PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> cl;
    cl.call_once_and_store_result([&] {
      return uninterrupted([&]() -> py::object {
        py::object made = bind_opencl(core);
        bind_memory_opencl(core);
        tell_signatures(made);
        tell_signatures(core);
        finish_classes(py::reinterpret_borrow<py::module_>(made));
        finish_classes(core);
        return made;
      });
    });
    return core.attr("__dict__")[name.c_str()];
  }
  if (name == "cuda") {
    PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> cuda;
    return cuda
        .call_once_and_store_result([&] {
          return uninterrupted([&]() -> py::object {
            py::object made = bind_cuda(core);
            tell_signatures(made);
            finish_classes(py::reinterpret_borrow<py::module_>(made));
            return made;
          });
        })
        .get_stored();
  }
  throw py::attribute_error("module 'devarray._core' has no attribute '" + name + "'");
}

/// Hands the engine's messages to Python's logging, whatever the thread holds and whatever error is on its way.
void log_in_python(int level, const std::string& line) noexcept {
  using namespace devarray;
  if (shutting_down()) return;
  GilAcquire gil;
  py::error_scope kept;
  try {
    call_python(py::module_::import("devarray._runtime.logs").attr("log"), level, line);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("devarray._runtime.logs.log");
  } catch (const std::exception&) {  // text that is no UTF-8: a message is not worth an error
  }
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  using namespace devarray;
  m.doc() = "The C++ core of devarray: drivers, memory resources and the engine.";
  install_gil_hooks();
  bind_error(m);
  bind_layout(m);
  bind_driver(m);
  bind_memory(m);
  bind_engine(m);
  set_log_sink(log_in_python);
#if DEVARRAY_TESTING
  bind_testing(m);
#endif
  tell_signatures(m);
  finish_classes(m);
  m.def("__getattr__", [m](const std::string& name) mutable { return attribute(m, name); });
  m.def("__dir__", [m] {
    py::set names(m.attr("__dict__"));
    for (const char* name : kLater) names.add(name);
    return py::list(names);
  });
  py::module_::import("atexit").attr("register")(py::cpp_function([] {
    {
      const GilRelease unlocked;  // callbacks of events may ask for it
      Queue::finish_on_cpus(5);   // no longer: what waits for an event of the program's never ends
    }
    set_shutting_down();
  }));
}
