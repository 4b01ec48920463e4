// _core.cuda: the CUDA driver, its devices and its compiler.
#include "bind/cuda/common.hpp"
#include "bind/docs/cuda.hpp"
#include "bind/python/bind.hpp"
#include "bind/python/call.hpp"
#include "cuda/device.hpp"
#include "cuda/nvrtc.hpp"

namespace devarray::cuda {
namespace {

// PyCUDA's classes of errors, by what went wrong.
const char* error_class_of(long code) {
  switch (static_cast<CUresult>(code)) {
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ASSERT: return "LaunchError";
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_FILE_NOT_FOUND:
    case CUDA_ERROR_NOT_READY:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_OPERATING_SYSTEM:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_UNKNOWN: return "RuntimeError";
    default: return "LogicError";
  }
}

// DriverErrors of CUDA become the subclass that PyCUDA's users catch; everything else is left to bind/python/error.cpp.
void translate_cuda(std::exception_ptr p) {
  using namespace py::literals;
  try {
    if (p) std::rethrow_exception(p);
  } catch (const DriverError& e) {
    if (e.driver != "cuda") throw;
    py::object error = python_class("devarray.cuda.errors", error_class_of(e.code));
    py::object instance = error(e.what());
    py::dict attributes("driver"_a = e.driver, "call"_a = e.call, "code"_a = e.code, "code_name"_a = e.code_name);
    for (auto item : attributes) instance.attr(item.first) = item.second;
    PyErr_SetObject(error.ptr(), instance.ptr());
  }
}

// May be called without the GIL, and takes it: wheels are found along sys.path.
std::vector<std::string> wheel_candidates() {
  GilAcquire gil;
  return call_python(python_class("devarray.cuda.libraries", "nvrtc_candidates")).cast<std::vector<std::string>>();
}

std::vector<std::string> option_list(const py::object& options) {
  if (py::isinstance<py::str>(options)) return split_options(options.cast<std::string>());
  return options.cast<std::vector<std::string>>();
}

py::tuple nvrtc_compile(const std::string& source, const py::object& arch, const py::object& options) {
  std::vector<std::string> words = option_list(options);
  if (!arch.is_none()) words.insert(words.begin(), "-arch=" + arch.cast<std::string>());
  CompiledCode code;
  {
    GilRelease release;
    code = nvrtc().compile(source, words);
  }
  return py::make_tuple(py::bytes(code.image), code.log);
}

py::dict nvrtc_info() {
  using namespace py::literals;
  const Nvrtc* compiler = nullptr;
  {
    GilRelease release;
    compiler = &nvrtc();
  }
  return py::dict("version"_a = py::make_tuple(compiler->major(), compiler->minor()), "path"_a = compiler->path(),
                  "archs"_a = compiler->supported_archs());
}

}  // namespace
}  // namespace devarray::cuda

namespace devarray {

py::object bind_cuda(py::module_& core) {
  using namespace cuda;
  py::module_ m = core.def_submodule("cuda", "The CUDA driver and NVRTC.");
  add_error_translator(translate_cuda);
  set_nvrtc_finder(wheel_candidates);

  py::class_<cuda::Device, devarray::Device, std::shared_ptr<cuda::Device>>(m, "PrimaryDevice", docs::kPrimaryDevice)
      .def_property_readonly("capability", &cuda::Device::capability, "The compute capability: 90 for sm_90.");
  m.def("devices", [] { return cuda::Device::all(); }, release_gil(), docs::kDevices);

  m.def("driver_version", [] { return api().driver_version; }, release_gil());
  m.def("driver_path", [] { return api().path; }, release_gil());
  m.def("header_version", [] { return CUDA_VERSION; }, "The CUDA version of the headers devarray was built with.");
  m.def("init", [] { api(); }, release_gil());
  m.def("_use_library", &use_library, py::arg("path"));
  m.def("_has_entry_point", [](const std::string& name) {
    const Api& a = api();
#define DEVARRAY_ENTRY(entry) \
  if (name == #entry) return static_cast<bool>(a.entry);
    DEVARRAY_CUDA_ENTRY_POINTS(DEVARRAY_ENTRY)
#undef DEVARRAY_ENTRY
    return false;
  });
  m.def("nvrtc_compile", &nvrtc_compile, py::arg("source"), py::arg("arch"), py::arg("options"));
  m.def("nvrtc_info", &nvrtc_info);

  bind_contexts(m);
  cuda::bind_memory(m);
  bind_transfers(m);
  bind_textures(m);
  bind_copies(m);
  bind_functions(m);
  bind_graphs(m);
  bind_linker(m);
  return m;
}

}  // namespace devarray
