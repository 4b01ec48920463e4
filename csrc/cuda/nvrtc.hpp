// NVRTC, CUDA's run-time compiler: found, loaded and driven. Needs neither a GPU nor the driver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace devarray::cuda {

struct CompiledCode {
  std::string image;  ///< a cubin, or PTX
  std::string log;    ///< warnings included
};

class Nvrtc {
 public:
  int major() const noexcept { return major_; }
  int minor() const noexcept { return minor_; }
  bool takes_minimal() const noexcept { return major_ > 12 || (major_ == 12 && minor_ >= 4); }  ///< --minimal
  std::string version() const { return std::to_string(major_) + "." + std::to_string(minor_); }
  const std::string& path() const noexcept { return path_; }
  /// Compute capabilities it compiles for, ascending: 90 for sm_90.
  const std::vector<int>& supported_archs() const noexcept { return archs_; }

  /// `-arch=sm_XX` where it knows `capability`, else `-arch=compute_YY` of the highest it knows below, whose PTX the
  /// driver translates. Throws CompileError when all it knows are newer.
  std::string arch_option(int capability) const;

  /// Compiles to a cubin when the options name a real architecture (sm_XX), else to PTX. Throws CompileError.
  CompiledCode compile(const std::string& source, const std::vector<std::string>& options) const;

 private:
  friend std::unique_ptr<Nvrtc> load_nvrtc();
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  int major_ = 0, minor_ = 0;
  std::string path_;
  std::vector<int> archs_;
};

/// The compiler to use; throws MissingDriverError with what to install. Where several are found, one of the driver's
/// own major version is preferred: its cubins are sure to load.
const Nvrtc& nvrtc();

/// Where wheels keep it: asked once, before any lock is taken, for full paths. Set by the binder, which asks Python.
void set_nvrtc_finder(std::function<std::vector<std::string>()> finder);

/// Splits a command line at white space; single and double quotes keep it.
std::vector<std::string> split_options(const std::string& options);

}  // namespace devarray::cuda
