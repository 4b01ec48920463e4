#include "engine/ranges.hpp"

#include <mutex>

namespace devarray {
namespace {

std::mutex mutex;
RangeFunctions current;

}  // namespace

void set_range_functions(RangeFunctions functions) {
  const std::lock_guard lock(mutex);
  current = functions;
}

RangeFunctions range_functions() {
  const std::lock_guard lock(mutex);
  return current;
}

}  // namespace devarray
