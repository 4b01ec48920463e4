#include "opencl/program.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <vector>

namespace devarray::opencl {

ClKernel::ClKernel(const ContextDevicePtr& device, Handle<cl_kernel> kernel, Handle<cl_program> program)
    : context_(device->context()),
      device_(device->id()),
      program_(std::move(program)),
      kernel_(std::move(kernel)),
      num_args_(info_value<cl_uint>(DEVARRAY_CL_INFO(clGetKernelInfo, get(), CL_KERNEL_NUM_ARGS), "clGetKernelInfo")) {}

ContextDevicePtr ClKernel::engine_device() const { return ContextDevice::of(context_, device_); }

std::string ClKernel::name() const {
  return trimmed(info_bytes(DEVARRAY_CL_INFO(clGetKernelInfo, get(), CL_KERNEL_FUNCTION_NAME), "clGetKernelInfo"));
}

std::size_t ClKernel::max_work_group_size() const {
  return info_value<std::size_t>(DEVARRAY_CL_INFO(clGetKernelWorkGroupInfo, get(), device_, CL_KERNEL_WORK_GROUP_SIZE),
                                 "clGetKernelWorkGroupInfo");
}

void ClKernel::set_arg(cl_uint index, std::size_t bytes, const void* value) {
  DEVARRAY_CL(get(), clSetKernelArg, get(), index, bytes, value);
}

void ClKernel::set_local_arg(cl_uint index, std::size_t bytes) {
  set_arg(index, bytes, nullptr);
  for (auto& [known, size] : local_bytes_)
    if (known == index) {
      size = bytes;
      return;
    }
  local_bytes_.emplace_back(index, bytes);
}

void ClKernel::check_local_memory(const Capabilities& caps) const {
  if (local_bytes_.empty()) return;
  std::size_t left = caps.local_memory;
  for (const auto& [index, bytes] : local_bytes_) {
    if (bytes > left)
      throw ClError("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES,
                    "local argument " + std::to_string(index) + " of kernel '" + name() + "' takes " +
                        std::to_string(bytes) + " bytes; of the device's " + std::to_string(caps.local_memory) + ", " +
                        std::to_string(left) + " are left for it");
    left -= bytes;
  }
}

void ClKernel::set_svm_arg(cl_uint index, const void* pointer) {
  DEVARRAY_CL(get(), clSetKernelArgSVMPointer, get(), index, pointer);
}

cl_kernel ClKernel::with_arguments(std::uint64_t buffers) {
  for (const auto& [mask, kernel] : variants_)
    if (mask == buffers) return kernel ? kernel.get() : get();
  if (variants_.empty() || !program_) {
    variants_.emplace_back(buffers, Handle<cl_kernel>());  // the first sort uses the kernel itself
    return get();
  }
  const cl_program program = program_.get();
  variants_.emplace_back(
      buffers, Handle<cl_kernel>::adopt(DEVARRAY_CL_CREATE(program, clCreateKernel, program, name().c_str())));
  return variants_.back().second.get();
}

ClProgram::ClProgram(ContextDevicePtr device, Handle<cl_program> program, std::string source)
    : device_(std::move(device)), program_(std::move(program)), source_(std::move(source)) {}

ClProgramPtr ClProgram::from_source(const ContextDevicePtr& device, const std::string& source) {
  const char* text = source.data();
  const std::size_t length = source.size();
  auto program = Handle<cl_program>::adopt(
      DEVARRAY_CL_CREATE(device->context(), clCreateProgramWithSource, device->context(), 1, &text, &length));
  return std::make_shared<ClProgram>(device, std::move(program), source);
}

ClProgramPtr ClProgram::from_binary(const ContextDevicePtr& device, const std::string& binary) {
  return from_binaries(device, {device->id()}, {binary});
}

ClProgramPtr ClProgram::from_binaries(const ContextDevicePtr& device, const std::vector<cl_device_id>& devices,
                                      const std::vector<std::string>& binaries) {
  if (devices.size() != binaries.size() || devices.empty())
    throw ValueError("a program from binaries needs one for each device; got " + std::to_string(binaries.size()) +
                     " for " + std::to_string(devices.size()));
  std::vector<const unsigned char*> bytes;
  std::vector<std::size_t> lengths;
  for (const std::string& binary : binaries) {
    bytes.push_back(reinterpret_cast<const unsigned char*>(binary.data()));
    lengths.push_back(binary.size());
  }
  std::vector<cl_int> loaded(devices.size(), CL_SUCCESS);
  const cl_context context = device->context();
  auto program = Handle<cl_program>::adopt(DEVARRAY_CL_CREATE(context, clCreateProgramWithBinary, context,
                                                              static_cast<cl_uint>(devices.size()), devices.data(),
                                                              lengths.data(), bytes.data(), loaded.data()));
  for (cl_int code : loaded) check(code, "clCreateProgramWithBinary");
  return std::make_shared<ClProgram>(device, std::move(program));
}

ClProgramPtr ClProgram::from_il(const ContextDevicePtr& device, const std::string& il) {
  if (device->info().platform_version < 210) raise_missing("clCreateProgramWithIL");
  const cl_context context = device->context();
  auto program =
      Handle<cl_program>::adopt(DEVARRAY_CL_CREATE(context, clCreateProgramWithIL, context, il.data(), il.size()));
  return std::make_shared<ClProgram>(device, std::move(program));
}

ClProgramPtr ClProgram::built_in(const ContextDevicePtr& device, const std::vector<cl_device_id>& devices,
                                 const std::string& names) {
  // Intel's runtime takes any name, and crashes when the program is released: the specification wants this error.
  for (cl_device_id id : devices) {
    const std::string offered =
        ";" +
        trimmed(info_bytes(DEVARRAY_CL_INFO(clGetDeviceInfo, id, CL_DEVICE_BUILT_IN_KERNELS), "clGetDeviceInfo")) + ";";
    for (std::size_t at = 0; at <= names.size();) {
      const std::size_t end = std::min(names.find(';', at), names.size());
      const std::string name = names.substr(at, end - at);
      if (name.empty() || offered.find(";" + name + ";") == std::string::npos)
        throw ClError("clCreateProgramWithBuiltInKernels", CL_INVALID_VALUE,
                      "'" + name + "' is no built-in kernel of " + device_info(id)->caps.name);
      at = end + 1;
    }
  }
  const cl_context context = device->context();
  auto program = Handle<cl_program>::adopt(DEVARRAY_CL_CREATE(context, clCreateProgramWithBuiltInKernels, context,
                                                              static_cast<cl_uint>(devices.size()), devices.data(),
                                                              names.c_str()));
  return std::make_shared<ClProgram>(device, std::move(program));
}

ClProgramPtr ClProgram::link(const ContextDevicePtr& device, const std::vector<ClProgramPtr>& programs,
                             const std::string& options, const std::vector<cl_device_id>& devices) {
  std::vector<cl_program> raw;
  for (const ClProgramPtr& program : programs) raw.push_back(program->get());
  const cl_context context = device->context();
  cl_int status = CL_SUCCESS;
  auto linked = Handle<cl_program>::adopt(present(table(context).clLinkProgram, "clLinkProgram")(
      context, static_cast<cl_uint>(devices.size()), devices.empty() ? nullptr : devices.data(), options.c_str(),
      static_cast<cl_uint>(raw.size()), raw.data(), nullptr, nullptr, &status));
  if (!linked) check(status, "clLinkProgram");
  auto result = std::make_shared<ClProgram>(device, std::move(linked));
  if (status != CL_SUCCESS)
    result->raise_build_error(options, "clLinkProgram", status, devices.empty() ? std::vector{device->id()} : devices);
  return result;
}

void ClProgram::compile(const std::string& options, const std::vector<cl_device_id>& devices,
                        const std::vector<std::pair<std::string, ClProgramPtr>>& headers) {
  const std::vector<cl_device_id> ids = devices.empty() ? std::vector<cl_device_id>{device_->id()} : devices;
  std::vector<cl_program> programs;
  std::vector<const char*> names;
  for (const auto& [name, program] : headers) {
    names.push_back(name.c_str());
    programs.push_back(program->get());
  }
  const cl_int status = present(table(get()).clCompileProgram, "clCompileProgram")(
      get(), static_cast<cl_uint>(ids.size()), ids.data(), options.c_str(), static_cast<cl_uint>(programs.size()),
      programs.empty() ? nullptr : programs.data(), names.empty() ? nullptr : names.data(), nullptr, nullptr);
  if (status == CL_COMPILE_PROGRAM_FAILURE) raise_build_error(options, "clCompileProgram", status, ids);
  check(status, "clCompileProgram");
}

void ClProgram::set_specialization_constant(cl_uint id, std::size_t bytes, const void* value) {
  // OpenCL 3.0 made it optional: a device that takes no SPIR-V need not have it.
  const bool takes_il =
      device_->info().platform_version >= 220 &&
      !trimmed(info_bytes(DEVARRAY_CL_INFO(clGetDeviceInfo, device_->id(), CL_DEVICE_IL_VERSION), "clGetDeviceInfo"))
           .empty();
  if (!takes_il) raise_missing("clSetProgramSpecializationConstant");
  DEVARRAY_CL(get(), clSetProgramSpecializationConstant, get(), id, bytes, value);
}

ClProgramPtr ClProgram::share(cl_program program) {
  const auto context =
      info_value<cl_context>(DEVARRAY_CL_INFO(clGetProgramInfo, program, CL_PROGRAM_CONTEXT), "clGetProgramInfo");
  const auto devices =
      info_array<cl_device_id>(DEVARRAY_CL_INFO(clGetProgramInfo, program, CL_PROGRAM_DEVICES), "clGetProgramInfo");
  return std::make_shared<ClProgram>(ContextDevice::of(context, devices.at(0)), Handle<cl_program>::share(program));
}

void ClProgram::build(const std::string& options, const std::vector<cl_device_id>& devices) {
  const std::vector<cl_device_id> ids = devices.empty() ? std::vector<cl_device_id>{device_->id()} : devices;
  const cl_int status = present(table(get()).clBuildProgram, "clBuildProgram")(
      get(), static_cast<cl_uint>(ids.size()), ids.data(), options.c_str(), nullptr, nullptr);
  if (status == CL_BUILD_PROGRAM_FAILURE) raise_build_error(options, "clBuildProgram", status, ids);
  check(status, "clBuildProgram");
}

void ClProgram::raise_build_error(const std::string& options, const char* call, cl_int code,
                                  const std::vector<cl_device_id>& devices) {
  std::string all_logs, names;
  for (cl_device_id id : devices) {
    const std::string one = log(id);
    if (all_logs.find(one) == std::string::npos) all_logs += (all_logs.empty() ? "" : "\n") + one;
    names += (names.empty() ? "" : ", ") + device_info(id)->caps.name;
  }
  const std::string place = first_error_line(all_logs, source_);
  throw BuildError("the program does not compile for " + names + (place.empty() ? "" : ", " + place) +
                       "\noptions: " + options + "\n" + all_logs,
                   call, code, all_logs, source_);
}

KernelPtr ClProgram::kernel(const std::string& name) {
  auto kernel = Handle<cl_kernel>::adopt(DEVARRAY_CL_CREATE(get(), clCreateKernel, get(), name.c_str()));
  return std::make_shared<ClKernel>(device_, std::move(kernel), Handle<cl_program>::share(get()));
}

std::string ClProgram::binary() const {
  const auto ids =
      info_array<cl_device_id>(DEVARRAY_CL_INFO(clGetProgramInfo, get(), CL_PROGRAM_DEVICES), "clGetProgramInfo");
  const auto at = std::find(ids.begin(), ids.end(), device_->id());
  if (at == ids.end()) throw DeviceError("the program has no binary for " + device_->label());
  return std::move(binaries()[static_cast<std::size_t>(at - ids.begin())]);
}

std::vector<std::string> ClProgram::binaries() const {
  const auto sizes =
      info_array<std::size_t>(DEVARRAY_CL_INFO(clGetProgramInfo, get(), CL_PROGRAM_BINARY_SIZES), "clGetProgramInfo");
  std::vector<std::string> result;
  for (std::size_t size : sizes) result.emplace_back(size, '\0');
  std::vector<char*> places;
  for (std::string& binary : result) places.push_back(binary.empty() ? nullptr : binary.data());
  DEVARRAY_CL(get(), clGetProgramInfo, get(), CL_PROGRAM_BINARIES, places.size() * sizeof(char*), places.data(),
              nullptr);
  return result;
}

std::string ClProgram::log() const { return log(device_->id()); }

std::string ClProgram::log(cl_device_id device) const {
  return trimmed(info_bytes(DEVARRAY_CL_INFO(clGetProgramBuildInfo, get(), device, CL_PROGRAM_BUILD_LOG),
                            "clGetProgramBuildInfo"));
}

namespace {

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// The line number that the first error of a log points at, or 0.
long error_line_number(const std::string& log) {
  for (const std::string& line : split_lines(log)) {
    if (line.find("error") == std::string::npos) continue;
    std::vector<long> numbers;  // of the current run of "N:N:...:"
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end]))) ++end;
      const bool number =
          end > i && end < line.size() && line[end] == ':' && (i == 0 || line[i - 1] == ':' || line[i - 1] == ' ');
      if (number) {
        numbers.push_back(std::strtol(line.c_str() + i, nullptr, 10));
        i = end + 1;
        continue;
      }
      if (numbers.size() >= 2) break;
      numbers.clear();
      i = std::max(end, i + 1);
    }
    if (numbers.size() >= 2) return numbers[numbers.size() - 2];
  }
  return 0;
}

}  // namespace

std::string first_error_line(const std::string& log, const std::string& source) {
  // "1:2:10: error: ..." of Clang, "error: /tmp/x.cl:2:10: ..." of PoCL, "<kernel>:2:10: error: ..." of NVIDIA: the
  // first two numbers between colons on a line that says error; with three, the last two.
  const long wanted = error_line_number(log);
  if (source.empty() || wanted <= 0) return {};
  const std::vector<std::string> lines = split_lines(source);
  if (wanted > static_cast<long>(lines.size())) return {};
  return "line " + std::to_string(wanted) + ": `" + trimmed(lines[static_cast<std::size_t>(wanted) - 1]) + "`";
}

}  // namespace devarray::opencl
