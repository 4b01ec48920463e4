// The driver's linker: relocatable device code, libraries and PTX to one module.
#pragma once

#include "cuda/jit_options.hpp"
#include "cuda/module.hpp"

namespace devarray::cuda {

class Linker {
 public:
  Linker(ContextPtr context, const JitOptions::Pairs& options);
  ~Linker();
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  /// `type` is a CUjitInputType. Both throw ValueError once the module is linked.
  void add_data(int type, std::string data, const std::string& name);
  void add_file(int type, const std::string& path);
  /// The module of all that was added; once.
  std::shared_ptr<Module> link();
  /// What the linker has said so far.
  Module::JitResult messages() const { return {options_.info.c_str(), options_.error.c_str()}; }

 private:
  void require_open(const char* call) const;
  void check(CUresult result, const char* call, const std::string& what) const;

  ContextPtr context_;
  JitOptions options_;  ///< the driver writes to its buffers until the link is done
  CUlinkState state_ = nullptr;
};

}  // namespace devarray::cuda
