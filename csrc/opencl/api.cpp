#include "opencl/api.hpp"

namespace devarray::opencl {
namespace {

constexpr cl_int kPlatformNotFound = -1001;  // CL_PLATFORM_NOT_FOUND_KHR

ClError::Kind kind_of_status(cl_int code) {
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE) return ClError::Kind::memory;
  return code <= CL_INVALID_VALUE ? ClError::Kind::logic : ClError::Kind::runtime;
}

}  // namespace

ClError::ClError(const char* call, cl_int code, const std::string& hint)
    : DriverError("opencl", call, code, status_name(code), hint), kind(kind_of_status(code)) {}

const char* status_name(cl_int code) noexcept {
  switch (code) {
#define DEVARRAY_NAME(name) \
  case CL_##name: return #name;
    DEVARRAY_NAME(SUCCESS)
    DEVARRAY_NAME(DEVICE_NOT_FOUND)
    DEVARRAY_NAME(DEVICE_NOT_AVAILABLE)
    DEVARRAY_NAME(COMPILER_NOT_AVAILABLE)
    DEVARRAY_NAME(MEM_OBJECT_ALLOCATION_FAILURE)
    DEVARRAY_NAME(OUT_OF_RESOURCES)
    DEVARRAY_NAME(OUT_OF_HOST_MEMORY)
    DEVARRAY_NAME(PROFILING_INFO_NOT_AVAILABLE)
    DEVARRAY_NAME(MEM_COPY_OVERLAP)
    DEVARRAY_NAME(IMAGE_FORMAT_MISMATCH)
    DEVARRAY_NAME(IMAGE_FORMAT_NOT_SUPPORTED)
    DEVARRAY_NAME(BUILD_PROGRAM_FAILURE)
    DEVARRAY_NAME(MAP_FAILURE)
    DEVARRAY_NAME(MISALIGNED_SUB_BUFFER_OFFSET)
    DEVARRAY_NAME(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    DEVARRAY_NAME(COMPILE_PROGRAM_FAILURE)
    DEVARRAY_NAME(LINKER_NOT_AVAILABLE)
    DEVARRAY_NAME(LINK_PROGRAM_FAILURE)
    DEVARRAY_NAME(DEVICE_PARTITION_FAILED)
    DEVARRAY_NAME(KERNEL_ARG_INFO_NOT_AVAILABLE)
    DEVARRAY_NAME(INVALID_VALUE)
    DEVARRAY_NAME(INVALID_DEVICE_TYPE)
    DEVARRAY_NAME(INVALID_PLATFORM)
    DEVARRAY_NAME(INVALID_DEVICE)
    DEVARRAY_NAME(INVALID_CONTEXT)
    DEVARRAY_NAME(INVALID_QUEUE_PROPERTIES)
    DEVARRAY_NAME(INVALID_COMMAND_QUEUE)
    DEVARRAY_NAME(INVALID_HOST_PTR)
    DEVARRAY_NAME(INVALID_MEM_OBJECT)
    DEVARRAY_NAME(INVALID_IMAGE_FORMAT_DESCRIPTOR)
    DEVARRAY_NAME(INVALID_IMAGE_SIZE)
    DEVARRAY_NAME(INVALID_SAMPLER)
    DEVARRAY_NAME(INVALID_BINARY)
    DEVARRAY_NAME(INVALID_BUILD_OPTIONS)
    DEVARRAY_NAME(INVALID_PROGRAM)
    DEVARRAY_NAME(INVALID_PROGRAM_EXECUTABLE)
    DEVARRAY_NAME(INVALID_KERNEL_NAME)
    DEVARRAY_NAME(INVALID_KERNEL_DEFINITION)
    DEVARRAY_NAME(INVALID_KERNEL)
    DEVARRAY_NAME(INVALID_ARG_INDEX)
    DEVARRAY_NAME(INVALID_ARG_VALUE)
    DEVARRAY_NAME(INVALID_ARG_SIZE)
    DEVARRAY_NAME(INVALID_KERNEL_ARGS)
    DEVARRAY_NAME(INVALID_WORK_DIMENSION)
    DEVARRAY_NAME(INVALID_WORK_GROUP_SIZE)
    DEVARRAY_NAME(INVALID_WORK_ITEM_SIZE)
    DEVARRAY_NAME(INVALID_GLOBAL_OFFSET)
    DEVARRAY_NAME(INVALID_EVENT_WAIT_LIST)
    DEVARRAY_NAME(INVALID_EVENT)
    DEVARRAY_NAME(INVALID_OPERATION)
    DEVARRAY_NAME(INVALID_GL_OBJECT)
    DEVARRAY_NAME(INVALID_BUFFER_SIZE)
    DEVARRAY_NAME(INVALID_MIP_LEVEL)
    DEVARRAY_NAME(INVALID_GLOBAL_WORK_SIZE)
    DEVARRAY_NAME(INVALID_PROPERTY)
    DEVARRAY_NAME(INVALID_IMAGE_DESCRIPTOR)
    DEVARRAY_NAME(INVALID_COMPILER_OPTIONS)
    DEVARRAY_NAME(INVALID_LINKER_OPTIONS)
    DEVARRAY_NAME(INVALID_DEVICE_PARTITION_COUNT)
    DEVARRAY_NAME(INVALID_PIPE_SIZE)
    DEVARRAY_NAME(INVALID_DEVICE_QUEUE)
    DEVARRAY_NAME(INVALID_SPEC_ID)
    DEVARRAY_NAME(MAX_SIZE_RESTRICTION_EXCEEDED)
#undef DEVARRAY_NAME
    case kPlatformNotFound: return "PLATFORM_NOT_FOUND_KHR";
    default: return "UNKNOWN";
  }
}

void raise_status(const char* call, cl_int code) { throw ClError(call, code); }

void raise_missing(const char* call) {
  if (forked())
    throw ForkError(std::string("opencl: ") + call +
                    ": this process was forked from one that had used this OpenCL runtime, whose threads a fork does "
                    "not copy. Start processes by multiprocessing.get_context('spawn') or 'forkserver' (joblib's loky "
                    "does so), or fork before the first use of a device");
  throw ClError(call, CL_INVALID_OPERATION, "this platform does not have the entry point");
}

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == '\0' || c == ' ' || c == '\n'; };
  while (!text.empty() && blank(text.back())) text.pop_back();
  std::size_t first = 0;
  while (first < text.size() && blank(text[first])) ++first;
  return text.substr(first);
}

}  // namespace devarray::opencl
