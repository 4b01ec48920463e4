// The CUDA driver, loaded at run time, and the checking of its results.
#pragma once

#include <string>

#include "common/driver.hpp"
#include "cuda/entry_points.hpp"

namespace devarray::cuda {

/// Throws OutOfMemoryError or DriverError for anything but success. `hint` is added to the driver's own words.
[[noreturn]] void fail(CUresult result, const char* call, const std::string& hint = {});
[[noreturn]] void fail_missing(const char* call);

/// "CUDA_ERROR_INVALID_VALUE" and "invalid argument"; never empty.
std::string error_name(CUresult result);
std::string error_text(CUresult result);

template <class Signature>
class EntryPoint;

/// One function of the driver: called like the function, it throws when the call fails.
template <class... Args>
class EntryPoint<CUresult(Args...)> {
 public:
  explicit EntryPoint(const char* name) : name_(name) {}

  void operator()(Args... args) const {
    if (!function_) fail_missing(name_);
    if (const CUresult result = function_(args...); result != CUDA_SUCCESS) [[unlikely]]
      fail(result, name_);
  }
  /// The bare result, for calls whose failure is an answer and for destructors. Never throws.
  CUresult status(Args... args) const noexcept { return function_ ? function_(args...) : CUDA_ERROR_NOT_FOUND; }

  explicit operator bool() const noexcept { return function_ != nullptr; }
  const char* name() const noexcept { return name_; }

 private:
  friend struct Api;
  using Function = CUresult(CUDAAPI*)(Args...);
  const char* name_;
  Function function_ = nullptr;
};

struct Api {
  Api(const std::string& library_path);

#define DEVARRAY_ENTRY(name) EntryPoint<decltype(::name)> name{#name};
  DEVARRAY_CUDA_ENTRY_POINTS(DEVARRAY_ENTRY)
#undef DEVARRAY_ENTRY
#define DEVARRAY_ENTRY(member, symbol, signature) EntryPoint<signature> member{symbol};
  DEVARRAY_CUDA_LEGACY_ENTRY_POINTS(DEVARRAY_ENTRY)
#undef DEVARRAY_ENTRY

  int driver_version = 0;  ///< 13000 for CUDA 13.0
  std::string path;        ///< the library's file
};

/// The loaded and initialised driver. Throws MissingDriverError where there is none or it cannot be used; tried again
/// at the next call.
const Api& api();

/// Null when api() has not succeeded yet. For destructors and for questions that must not load a driver.
const Api* loaded_api() noexcept;

/// The library that api() opens in place of libcuda.so.1. Only before the first use. For tests without a GPU.
void use_library(const std::string& path);

}  // namespace devarray::cuda
