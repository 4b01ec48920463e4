// Programs: their sources, builds and binaries.
#include <cstring>

#include "bind/docs/opencl_program.hpp"
#include "bind/opencl/opencl.hpp"

namespace devarray::opencl {
namespace {

ClProgramPtr program_from_source(const Context& context, const std::string& source) {
  return ClProgram::from_source(context.engine(), source);
}

std::string options_text(const py::object& options) {
  if (options.is_none()) return {};
  if (py::isinstance<py::str>(options)) return options.cast<std::string>();
  if (py::isinstance<py::bytes>(options)) return options.cast<std::string>();
  std::string text;
  for (py::handle option : items_of(options)) text.append(text.empty() ? "" : " ").append(option.cast<std::string>());
  return text;
}

using Devices = std::optional<std::vector<std::shared_ptr<ClDevice>>>;

/// The given devices, or all that the program has.
std::vector<cl_device_id> devices_of(const ClProgram& program, const Devices& devices) {
  if (!devices)
    return info_array<cl_device_id>(DEVARRAY_CL_INFO(clGetProgramInfo, program.get(), CL_PROGRAM_DEVICES),
                                    "clGetProgramInfo");
  std::vector<cl_device_id> ids;
  for (const auto& device : *devices) ids.push_back(item_of(device, "devices").get());
  return ids;
}

/// OpenCL C, or SPIR-V, which starts with a magic number in either byte order.
ClProgramPtr program_from_bytes(const Context& context, const py::bytes& given) {
  const std::string bytes = given;
  const std::string magic = bytes.substr(0, 4);
  if (magic == "\x03\x02\x23\x07" || magic == "\x07\x23\x02\x03") return ClProgram::from_il(context.engine(), bytes);
  return program_from_source(context, bytes);
}

ClProgramPtr program_from_binaries(const Context& context, const std::vector<std::shared_ptr<ClDevice>>& devices,
                                   const std::vector<py::bytes>& binaries) {
  std::vector<cl_device_id> ids;
  for (const auto& device : devices) ids.push_back(item_of(device, "devices").get());
  return ClProgram::from_binaries(context.engine(), ids, std::vector<std::string>(binaries.begin(), binaries.end()));
}

/// The options, with the folder of devarray's own headers where the source includes one.
std::string with_headers(const ClProgram& program, const py::object& options) {
  std::string text = options_text(options);
  if (program.source().find("<pyopencl-") != std::string::npos)
    text += " -I " + py::module_::import("devarray.cl._include").attr("FOLDER").cast<std::string>();
  return text;
}

py::object build(py::object self, const py::object& options, const Devices& devices, const py::object&) {
  auto& program = self.cast<ClProgram&>();
  const std::string text = with_headers(program, options);
  const auto ids = devices_of(program, devices);
  GilRelease release;
  program.build(text, ids);
  return self;
}

py::object compile(py::object self, const py::object& options, const Devices& devices,
                   const std::vector<std::pair<std::string, ClProgramPtr>>& headers) {
  auto& program = self.cast<ClProgram&>();
  const std::string text = with_headers(program, options);
  const auto ids = devices_of(program, devices);
  for (const auto& [name, header] : headers) item_of(header, "headers");
  GilRelease release;
  program.compile(text, ids, headers);
  return self;
}

ClProgramPtr link(const Context& context, const std::vector<ClProgramPtr>& programs, const py::object& options,
                  const Devices& devices) {
  const std::string text = options_text(options);
  std::vector<cl_device_id> ids;
  if (devices)
    for (const auto& device : *devices) ids.push_back(item_of(device, "devices").get());
  for (const auto& program : programs) item_of(program, "programs");
  const ContextDevicePtr device = context.engine();
  GilRelease release;
  return ClProgram::link(device, programs, text, ids);
}

}  // namespace

void bind_program(py::module_& m) {
  py::class_<ClProgram, Program, ClProgramPtr> cls(m, "Program", docs::kProgram);
  cls.def(py::init(&program_from_bytes), py::arg("context"), py::arg("source"));
  cls.def(py::init(&program_from_source), py::arg("context"), py::arg("source"));
  cls.def(py::init(&program_from_binaries), py::arg("context"), py::arg("devices"), py::arg("binaries"));
  cls.def("build", &build, py::arg("options") = py::str(""), py::arg("devices") = py::none(),
          py::arg("cache_dir") = py::none(), docs::kProgramBuild);
  cls.def("compile", &compile, py::arg("options") = py::str(""), py::arg("devices") = py::none(),
          py::arg("headers") = std::vector<std::pair<std::string, ClProgramPtr>>{}, docs::kProgramCompile);
  cls.def_property_readonly(
      "binaries",
      [](const ClProgram& p) {
        py::list list;
        for (const std::string& binary : p.binaries()) list.append(py::bytes(binary));
        return list;
      },
      "One for each of its devices.");
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        auto program = ClProgram::share(reinterpret_cast<cl_program>(p));
        if (!retain) table(program->get()).clReleaseProgram(program->get());  // the caller's reference
        return program;
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  m.def("link_program", &link, py::arg("context"), py::arg("programs"), py::arg("options") = py::str(""),
        py::arg("devices") = py::none(), docs::kLinkProgram);
  m.def(
      "create_program_with_built_in_kernels",
      [](const Context& context, const std::vector<std::shared_ptr<ClDevice>>& devices, const py::object& names) {
        std::string joined;
        if (py::isinstance<py::str>(names))
          joined = names.cast<std::string>();
        else
          for (py::handle name : items_of(names))
            joined.append(joined.empty() ? "" : ";").append(name.cast<std::string>());
        std::vector<cl_device_id> ids;
        for (const auto& device : devices) ids.push_back(item_of(device, "devices").get());
        return ClProgram::built_in(context.engine(), ids, joined);
      },
      py::arg("context"), py::arg("devices"), py::arg("kernel_names"), docs::kCreateProgramWithBuiltInKernels);
  cls.def(
      "set_specialization_constant",
      [](ClProgram& p, cl_uint id, const py::object& buffer) {
        const HostBuffer bytes(buffer, HostBuffer::Access::read);
        p.set_specialization_constant(id, bytes.size(), bytes.data());
      },
      py::arg("spec_id"), py::arg("buffer"), docs::kProgramSetSpecializationConstant);
  m.def(
      "unload_platform_compiler", [](const Platform& p) { DEVARRAY_CL(p.get(), clUnloadPlatformCompiler, p.get()); },
      py::arg("platform"), docs::kUnloadPlatformCompiler);
  cls.def(
      "get_build_info",
      [](const ClProgram& p, const ClDevice& device, cl_uint param) {
        const InfoRow* row = find_row(program_build_table(), param);
        if (!row) throw ClError("clGetProgramBuildInfo", CL_INVALID_VALUE);
        return info_object(row->type, info_bytes(DEVARRAY_CL_INFO(clGetProgramBuildInfo, p.get(), device.get(), param),
                                                 "clGetProgramBuildInfo"));
      },
      py::arg("device"), py::arg("param"), docs::kProgramGetBuildInfo);
  cls.def(
      "all_kernels",
      [](ClProgram& p) {
        cl_uint count = 0;
        DEVARRAY_CL(p.get(), clCreateKernelsInProgram, p.get(), 0, nullptr, &count);
        std::vector<cl_kernel> raw(count);
        DEVARRAY_CL(p.get(), clCreateKernelsInProgram, p.get(), count, raw.data(), nullptr);
        std::vector<ClKernelPtr> kernels;
        for (cl_kernel k : raw)
          kernels.push_back(std::make_shared<ClKernel>(p.engine_device(), Handle<cl_kernel>::adopt(k)));
        return kernels;
      },
      docs::kProgramAllKernels);
  cls.def(
      "__getattr__",
      [](ClProgram& p, const std::string& name) {
        try {
          return p.kernel(name);
        } catch (const ClError& e) {
          if (e.code != CL_INVALID_KERNEL_NAME) throw;
          throw py::attribute_error("the program has no kernel named '" + name + "'");
        }
      },
      py::arg("name"), docs::kProgramGetattr);
  for (const InfoRow& row : program_table())
    if (row.type != InfoType::binaries)
      cls.def_property_readonly(lower(row.name).c_str(), [&row](const ClProgram& p) {
        return info_object(row.type,
                           info_bytes(DEVARRAY_CL_INFO(clGetProgramInfo, p.get(), row.code), "clGetProgramInfo"));
      });
  cls.def(
      "get_info",
      [](const py::object& self, cl_uint param) -> py::object {
        const InfoRow* row = find_row(program_table(), param);
        if (!row) throw ClError("clGetProgramInfo", CL_INVALID_VALUE);
        return self.attr(lower(row->name).c_str());
      },
      py::arg("param"), docs::kGetInfo);
  def_identity(cls);
}

}  // namespace devarray::opencl
