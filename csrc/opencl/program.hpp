// Programs and kernels.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "opencl/device.hpp"

namespace devarray::opencl {

class ClKernel final : public Kernel {
 public:
  ClKernel(ContextDevicePtr device, Handle<cl_kernel> kernel);
  cl_kernel get() const noexcept { return kernel_.get(); }
  const ContextDevicePtr& engine_device() const noexcept { return device_; }
  std::string name() const override;
  std::size_t max_work_group_size() const override;
  cl_uint num_args() const noexcept { return num_args_; }

  /// An argument by value, a cl_mem, a sampler; local memory where `value` is null.
  void set_arg(cl_uint index, std::size_t bytes, const void* value);
  void set_svm_arg(cl_uint index, const void* pointer);

  /// Held from the first argument that is set to the enqueue: cl_kernel keeps arguments and is not thread-safe.
  std::mutex& mutex() noexcept { return mutex_; }

 private:
  ContextDevicePtr device_;
  Handle<cl_kernel> kernel_;
  cl_uint num_args_;
  std::mutex mutex_;
};
using ClKernelPtr = std::shared_ptr<ClKernel>;

class ClProgram final : public Program {
 public:
  ClProgram(ContextDevicePtr device, Handle<cl_program> program, std::string source = {});
  static std::shared_ptr<ClProgram> from_source(const ContextDevicePtr& device, const std::string& source);
  /// Throws DriverError where the binary is of another device or driver, or damaged.
  static std::shared_ptr<ClProgram> from_binary(const ContextDevicePtr& device, const std::string& binary);

  cl_program get() const noexcept { return program_.get(); }
  /// For the device it was made with. Throws CompileError.
  void build(const std::string& options);

  KernelPtr kernel(const std::string& name) override;
  std::string binary() const override;
  std::string log() const override;
  const std::string& source() const noexcept { return source_; }

 private:
  [[noreturn]] void raise_compile_error(const std::string& options);
  ContextDevicePtr device_;
  Handle<cl_program> program_;
  std::string source_;
};
using ClProgramPtr = std::shared_ptr<ClProgram>;

/// "line 3: `int x = y;`" for the first error that a compiler's log places in the source; empty where it places none.
std::string first_error_line(const std::string& log, const std::string& source);

}  // namespace devarray::opencl
