// What the driver's compiler of PTX, and its linker, are told.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cuda/api.hpp"

namespace devarray::cuda {

/// The option arrays of cuModuleLoadDataEx and cuLinkCreate: the caller's, and buffers for the log, into which later
/// calls write. Values are integers cast to pointers.
struct JitOptions {
  using Pairs = std::vector<std::pair<int, std::uintptr_t>>;
  static constexpr std::size_t kLogBytes = 16384;

  std::vector<CUjit_option> keys;
  std::vector<void*> values;
  std::string info = std::string(kLogBytes, '\0'), error = std::string(kLogBytes, '\0');

  explicit JitOptions(const Pairs& options) {
    for (auto [key, value] : options) add(static_cast<CUjit_option>(key), value);
    add(CU_JIT_INFO_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(info.data()));
    add(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, kLogBytes);
    add(CU_JIT_ERROR_LOG_BUFFER, reinterpret_cast<std::uintptr_t>(error.data()));
    add(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, kLogBytes);
  }
  JitOptions(const JitOptions&) = delete;
  JitOptions& operator=(const JitOptions&) = delete;

  void add(CUjit_option key, std::uintptr_t value) {
    keys.push_back(key);
    values.push_back(reinterpret_cast<void*>(value));
  }
};

}  // namespace devarray::cuda
