// Programs and kernels.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace devarray::opencl {

/// A program that did not compile, with the call and code that PyOpenCL's users look at.
class BuildError final : public CompileError {
 public:
  BuildError(const std::string& message, const char* call, cl_int code, std::string log, std::string source)
      : CompileError(message, std::move(log), std::move(source)), call(call), code(code) {}
  const char* call;
  cl_int code;
};

/// The type of a scalar argument, for Python numbers that carry none: NumPy's kind ('b', 'i', 'u', 'f', 'c') and bytes.
/// Kind 0: not a scalar.
struct ScalarType {
  char kind = 0;
  std::uint8_t bytes = 0;
};

class ClKernel final : public Kernel {
 public:
  /// `program`, where given, lets the kernel be made again for other kinds of memory arguments.
  ClKernel(const ContextDevicePtr& device, Handle<cl_kernel> kernel, Handle<cl_program> program = {});
  cl_kernel get() const noexcept { return kernel_.get(); }
  ContextDevicePtr engine_device() const;
  cl_context context() const noexcept { return context_; }
  std::string name() const override;
  std::size_t max_work_group_size() const override;
  cl_uint num_args() const noexcept { return num_args_; }
  std::vector<ScalarType> scalar_types;  ///< empty, or one for each argument
  /// What arguments that were set one by one rest on, by their index; the binder's, guarded by the GIL.
  std::vector<std::pair<cl_uint, std::shared_ptr<void>>> kept;

  /// An argument by value, a cl_mem, a sampler.
  void set_arg(cl_uint index, std::size_t bytes, const void* value);
  void set_local_arg(cl_uint index, std::size_t bytes);
  /// Throws where the local arguments exceed what a device has: PoCL ends the process instead.
  void check_local_memory(const Capabilities& caps) const;
  void set_svm_arg(cl_uint index, const void* pointer);

  /// The cl_kernel for launches whose memory arguments are buffers where `buffers` has a bit, pointers elsewhere: one
  /// each, because NVIDIA's driver does not let an argument change between the two.
  cl_kernel with_arguments(std::uint64_t buffers);

  /// Held from the first argument that is set to the enqueue: cl_kernel keeps arguments and is not thread-safe.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  cl_context context_;   ///< the program's, which keeps it
  cl_device_id device_;  ///< no more than that: kernels in the cache keep no device of a user's context alive
  Handle<cl_program> program_;
  Handle<cl_kernel> kernel_;
  cl_uint num_args_;
  std::vector<std::pair<cl_uint, std::size_t>> local_bytes_;  ///< of each local argument that was set
  std::vector<std::pair<std::uint64_t, Handle<cl_kernel>>> variants_;
  std::mutex mutex_;
};
using ClKernelPtr = std::shared_ptr<ClKernel>;

class ClProgram final : public Program {
 public:
  ClProgram(ContextDevicePtr device, Handle<cl_program> program, std::string source = {});
  static std::shared_ptr<ClProgram> from_source(const ContextDevicePtr& device, const std::string& source);
  /// Throws DriverError where the binary is of another device or driver, or damaged.
  static std::shared_ptr<ClProgram> from_binary(const ContextDevicePtr& device, const std::string& binary);

  static std::shared_ptr<ClProgram> from_binaries(const ContextDevicePtr& device,
                                                  const std::vector<cl_device_id>& devices,
                                                  const std::vector<std::string>& binaries);
  /// SPIR-V. Needs OpenCL 2.1 and a device that takes it.
  static std::shared_ptr<ClProgram> from_il(const ContextDevicePtr& device, const std::string& il);
  /// Kernels that the devices have without source; `names` are separated by semicolons.
  static std::shared_ptr<ClProgram> built_in(const ContextDevicePtr& device, const std::vector<cl_device_id>& devices,
                                             const std::string& names);
  /// Programs that were compiled, made into one. Throws BuildError.
  static std::shared_ptr<ClProgram> link(const ContextDevicePtr& device,
                                         const std::vector<std::shared_ptr<ClProgram>>& programs,
                                         const std::string& options, const std::vector<cl_device_id>& devices);
  /// A program that the driver knows already; for the first of its devices.
  static std::shared_ptr<ClProgram> share(cl_program program);

  cl_program get() const noexcept { return program_.get(); }
  /// For the given devices of its context, or the one it was made with. Throws BuildError.
  void build(const std::string& options, const std::vector<cl_device_id>& devices = {});
  /// Compiles without linking; `headers` are found under their names by #include. Throws BuildError.
  void compile(const std::string& options, const std::vector<cl_device_id>& devices,
               const std::vector<std::pair<std::string, std::shared_ptr<ClProgram>>>& headers);
  /// A constant of SPIR-V, before the build. Needs OpenCL 2.2.
  void set_specialization_constant(cl_uint id, std::size_t bytes, const void* value);
  std::vector<std::string> binaries() const;  ///< in the order of its devices
  const ContextDevicePtr& engine_device() const noexcept { return device_; }

  KernelPtr kernel(const std::string& name) override;
  std::string binary() const override;
  std::string log() const override;
  std::string log(cl_device_id device) const;
  const std::string& source() const noexcept { return source_; }

 private:
  [[noreturn]] void raise_build_error(const std::string& options, const char* call, cl_int code,
                                      const std::vector<cl_device_id>& devices);
  ContextDevicePtr device_;
  Handle<cl_program> program_;
  std::string source_;
};
using ClProgramPtr = std::shared_ptr<ClProgram>;

/// "line 3: `int x = y;`" for the first error that a compiler's log places in the source; empty where it places none.
std::string first_error_line(const std::string& log, const std::string& source);

}  // namespace devarray::opencl
