// The attributes that info queries answer: name, number and type of each. Attributes of the Python classes, the
// constant classes and get_info derive from these tables.
#pragma once

#include <cstddef>
#include <span>

#include "opencl/dispatch.hpp"

namespace devarray::opencl {

enum class InfoType : unsigned char {
  text,
  boolean,
  int32,
  uint32,
  uint64,
  float32,
  size,
  pointer,
  sizes,
  properties,  ///< arrays of size_t; of 64-bit properties
  version,
  versions,  ///< cl_version; array of cl_name_version
  platform,
  device,
  devices,
  context,
  queue,
  program,
  memory,
  image_format,
  binaries,  ///< CL_PROGRAM_BINARIES
  topology   ///< AMD's PCI address
};

struct InfoRow {
  const char* name;  ///< as PyOpenCL spells it: MAX_COMPUTE_UNITS
  cl_uint code;
  InfoType type;
};
using InfoTable = std::span<const InfoRow>;

InfoTable platform_table();
InfoTable device_table();
InfoTable context_table();
InfoTable queue_table();
InfoTable event_table();
InfoTable profiling_table();
InfoTable memory_table();
InfoTable image_table();
InfoTable pipe_table();
InfoTable sampler_table();
InfoTable program_table();
InfoTable program_build_table();
InfoTable kernel_table();
InfoTable kernel_arg_table();
InfoTable kernel_work_group_table();
InfoTable kernel_sub_group_table();

/// Null where the table lacks the code.
const InfoRow* find_row(InfoTable table, cl_uint code);

}  // namespace devarray::opencl
