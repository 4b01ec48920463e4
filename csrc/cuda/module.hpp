// Modules (loaded cubins or PTX) and the functions in them.
#pragma once

#include <utility>

#include "cuda/context.hpp"

namespace devarray::cuda {

class Function;

class Module final : public Program, public std::enable_shared_from_this<Module> {
 public:
  struct JitResult {
    std::string info, error;
  };

  /// Loads a cubin, PTX or fatbin. `options` are values of CUjit_option with their values. `messages`, if given,
  /// receives what the PTX compiler says, also when it fails.
  static std::shared_ptr<Module> load(const ContextPtr& context, std::string image,
                                      const std::vector<std::pair<int, std::uintptr_t>>& options = {},
                                      JitResult* messages = nullptr, std::string log = {});
  Module(ContextPtr context, CUmodule module, std::string image, std::string log)
      : context_(std::move(context)), module_(module), image_(std::move(image)), log_(std::move(log)) {}
  ~Module() override;

  KernelPtr kernel(const std::string& name) override;
  std::shared_ptr<Function> function(const std::string& name);
  std::string binary() const override { return image_; }
  std::string log() const override { return log_; }
  /// Address and size of a __device__, __constant__ or __managed__ variable.
  std::pair<CUdeviceptr, std::size_t> global(const std::string& name) const;
  CUmodule handle() const noexcept { return module_; }
  const ContextPtr& context() const noexcept { return context_; }

 private:
  ContextPtr context_;
  CUmodule module_;
  std::string image_, log_;
};

class Function final : public Kernel {
 public:
  Function(std::shared_ptr<Module> module, CUfunction function, std::string name);

  std::string name() const override { return name_; }
  std::size_t max_work_group_size() const override { return max_threads_; }
  CUfunction handle() const noexcept { return function_; }
  const ContextPtr& context() const noexcept { return module_->context(); }
  const std::shared_ptr<Module>& module() const noexcept { return module_; }
  int attribute(CUfunction_attribute attribute) const;
  void set_attribute(CUfunction_attribute attribute, int value) const;
  /// The bytes of each parameter, asked once; null where the driver does not say (before CUDA 12.4).
  const std::vector<std::size_t>* parameter_sizes() const;
  /// `parameters` holds the address of each argument.
  void launch(const unsigned (&grid)[3], const unsigned (&block)[3], void** parameters, unsigned shared_bytes,
              CUstream stream) const;
  /// The same with all arguments in one buffer, laid out as the kernel's parameters are.
  void launch_packed(const unsigned (&grid)[3], const unsigned (&block)[3], const void* buffer, std::size_t bytes,
                     unsigned shared_bytes, CUstream stream) const;
  int max_active_blocks(int block_size, std::size_t shared_bytes) const;
  /// The block size that fills the device best, and the least grid that does.
  std::pair<int, int> best_block_size(std::size_t shared_bytes, int limit) const;

  /// What a user fixed about later calls: the types of the arguments, as characters of Python's struct module.
  struct Prepared {
    bool valid = false;
    std::vector<char> types;
    unsigned shared_bytes = 0;
  } prepared;

  /// What the calls of CUDA 3 and older set one by one: param_seti, set_block_shape and so on.
  struct Packed {
    std::vector<char> buffer;
    unsigned block[3] = {1, 1, 1};
    unsigned shared_bytes = 0;
  } packed;

 private:
  void check_launch(CUresult result, const unsigned (&grid)[3], const unsigned (&block)[3],
                    unsigned shared_bytes) const;
  std::shared_ptr<Module> module_;
  CUfunction function_;
  std::string name_;
  std::size_t max_threads_ = 0;
  mutable std::once_flag sizes_asked_;
  mutable std::vector<std::size_t> sizes_;
};

}  // namespace devarray::cuda
