#include "engine/config.hpp"

#include "common/error.hpp"
#include "engine/log.hpp"

namespace devarray {
namespace {

LogSink log_sink = nullptr;

}  // namespace

void set_log_sink(LogSink sink) { log_sink = sink; }

void debug_line(int level, const std::string& line) {
  if (debugging(level) && log_sink) log_sink(level, line);
}

void note_wait(const char* what) {
  stats().waits.fetch_add(1, std::memory_order_relaxed);
  if (config().forbid_waits)
    throw Error(std::string(what) + " waits for the device, and devarray.config.forbid_waits is set");
}

}  // namespace devarray
