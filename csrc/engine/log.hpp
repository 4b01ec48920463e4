// Where the engine's messages go. bind/ hands them to Python's logging.
#pragma once

#include <string>

namespace devarray {

/// Takes a message of a level of DEVARRAY_DEBUG. Called from any thread, with the engine's lock held or not.
using LogSink = void (*)(int level, const std::string& line) noexcept;
void set_log_sink(LogSink sink);

}  // namespace devarray
