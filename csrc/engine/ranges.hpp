// Named ranges of the host's time for another profiler, NVIDIA's NVTX: one around each launch while a profile is taken.
#pragma once

#include <string>

#include "engine/profile.hpp"

namespace devarray {

/// nvtxRangePushA and nvtxRangePop of a library, or null.
struct RangeFunctions {
  int (*push)(const char* name) = nullptr;
  int (*pop)() = nullptr;
};

void set_range_functions(RangeFunctions functions);
RangeFunctions range_functions();

/// A range from here to the end of the block. `name` is asked only where a library was set and a profile is taken.
class NamedRange {
 public:
  template <class Name>
  explicit NamedRange(Name&& name) {
    if (!profiling()) return;
    functions_ = range_functions();
    if (functions_.push) functions_.push(std::string(name()).c_str());
  }
  ~NamedRange() {
    if (functions_.push) functions_.pop();
  }
  NamedRange(const NamedRange&) = delete;
  NamedRange& operator=(const NamedRange&) = delete;

 private:
  RangeFunctions functions_;
};

}  // namespace devarray
