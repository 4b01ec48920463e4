#include "engine/config.hpp"

#include <cstdio>

#include "common/error.hpp"

namespace devarray {

Config& config() {
  static Config c;
  return c;
}

Stats& stats() {
  static Stats s;
  return s;
}

void debug_line(int level, const std::string& line) {
  if (debugging(level)) std::fprintf(stderr, "devarray: %s\n", line.c_str());
}

void note_wait(const char* what) {
  stats().waits.fetch_add(1, std::memory_order_relaxed);
  if (config().forbid_waits)
    throw Error(std::string(what) + " waits for the device, and devarray.config.forbid_waits is set");
}

}  // namespace devarray
