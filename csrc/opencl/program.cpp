#include "opencl/program.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

namespace devarray::opencl {

ClKernel::ClKernel(ContextDevicePtr device, Handle<cl_kernel> kernel)
    : device_(std::move(device)), kernel_(std::move(kernel)),
      num_args_(info_value<cl_uint>(DEVARRAY_CL_INFO(clGetKernelInfo, get(), CL_KERNEL_NUM_ARGS), "clGetKernelInfo")) {}

std::string ClKernel::name() const {
  return trimmed(info_bytes(DEVARRAY_CL_INFO(clGetKernelInfo, get(), CL_KERNEL_FUNCTION_NAME), "clGetKernelInfo"));
}

std::size_t ClKernel::max_work_group_size() const {
  return info_value<std::size_t>(
      DEVARRAY_CL_INFO(clGetKernelWorkGroupInfo, get(), device_->id(), CL_KERNEL_WORK_GROUP_SIZE),
      "clGetKernelWorkGroupInfo");
}

void ClKernel::set_arg(cl_uint index, std::size_t bytes, const void* value) {
  DEVARRAY_CL(get(), clSetKernelArg, get(), index, bytes, value);
}

void ClKernel::set_svm_arg(cl_uint index, const void* pointer) {
  DEVARRAY_CL(get(), clSetKernelArgSVMPointer, get(), index, pointer);
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
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t length = binary.size();
  const cl_device_id id = device->id();
  cl_int loaded = CL_SUCCESS;
  auto program = Handle<cl_program>::adopt(DEVARRAY_CL_CREATE(device->context(), clCreateProgramWithBinary,
                                                              device->context(), 1, &id, &length, &bytes, &loaded));
  check(loaded, "clCreateProgramWithBinary");
  return std::make_shared<ClProgram>(device, std::move(program));
}

void ClProgram::build(const std::string& options) {
  const cl_device_id id = device_->id();
  const cl_int status = table(get()).clBuildProgram(get(), 1, &id, options.c_str(), nullptr, nullptr);
  if (status == CL_BUILD_PROGRAM_FAILURE) raise_compile_error(options);
  check(status, "clBuildProgram");
}

void ClProgram::raise_compile_error(const std::string& options) {
  const std::string compiler_log = log();
  const std::string place = first_error_line(compiler_log, source_);
  throw CompileError("the program does not compile for " + device_->label() + (place.empty() ? "" : ", " + place) +
                         "\noptions: " + options + "\n" + compiler_log,
                     compiler_log, source_);
}

KernelPtr ClProgram::kernel(const std::string& name) {
  auto kernel = Handle<cl_kernel>::adopt(DEVARRAY_CL_CREATE(get(), clCreateKernel, get(), name.c_str()));
  return std::make_shared<ClKernel>(device_, std::move(kernel));
}

std::string ClProgram::binary() const {
  const auto ids = info_array<cl_device_id>(DEVARRAY_CL_INFO(clGetProgramInfo, get(), CL_PROGRAM_DEVICES),
                                            "clGetProgramInfo");
  const auto sizes = info_array<std::size_t>(DEVARRAY_CL_INFO(clGetProgramInfo, get(), CL_PROGRAM_BINARY_SIZES),
                                             "clGetProgramInfo");
  const auto at = std::find(ids.begin(), ids.end(), device_->id());
  if (at == ids.end()) throw DeviceError("the program has no binary for " + device_->label());
  const auto place = static_cast<std::size_t>(at - ids.begin());
  std::string binary(sizes[place], '\0');
  std::vector<unsigned char*> wanted(ids.size(), nullptr);  // null: not asked for
  wanted[place] = reinterpret_cast<unsigned char*>(binary.data());
  DEVARRAY_CL(get(), clGetProgramInfo, get(), CL_PROGRAM_BINARIES, wanted.size() * sizeof(unsigned char*),
              wanted.data(), nullptr);
  return binary;
}

std::string ClProgram::log() const {
  return trimmed(info_bytes(DEVARRAY_CL_INFO(clGetProgramBuildInfo, get(), device_->id(), CL_PROGRAM_BUILD_LOG),
                            "clGetProgramBuildInfo"));
}

std::string first_error_line(const std::string& log, const std::string& source) {
  static const std::regex place(R"(:(\d+):\d+: (?:fatal )?error)");
  std::smatch match;
  if (source.empty() || !std::regex_search(log, match, place)) return {};
  const long wanted = std::stol(match[1]);
  std::istringstream lines(source);
  std::string line;
  for (long number = 1; std::getline(lines, line); ++number)
    if (number == wanted) return "line " + std::to_string(number) + ": `" + trimmed(line) + "`";
  return {};
}

}  // namespace devarray::opencl
