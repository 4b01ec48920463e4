// The extension devarray._core: binders in the order of their layers. Importing it touches no driver.
#include "bind/bind.hpp"
#include "common/driver.hpp"

PYBIND11_MODULE(_core, m) {
  using namespace devarray;
  m.doc() = "The C++ core of devarray: drivers, memory resources and the engine.";
  bind_error(m);
  bind_driver(m);
#ifdef DEVARRAY_HAS_OPENCL
  bind_opencl(m);
#endif
#ifdef DEVARRAY_HAS_CUDA
  bind_cuda(m);
#endif
#ifdef DEVARRAY_HAS_MEMORY
  bind_memory(m);
#endif
#ifdef DEVARRAY_HAS_ENGINE
  bind_engine(m);
#endif
  py::module_::import("atexit").attr("register")(py::cpp_function([] { set_shutting_down(); }));
}
