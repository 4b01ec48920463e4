// Runtimes in a process that was forked.
#pragma once

#include "opencl/api.hpp"

namespace devarray::opencl {

/// Notes a platform that was found, by what is known of its runtime: whether it works on without its threads.
void note_platform_for_forks(cl_platform_id platform);

}  // namespace devarray::opencl
