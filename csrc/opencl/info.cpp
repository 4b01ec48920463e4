#include "opencl/info.hpp"

// Khronos's own headers, which some systems have in place of NVIDIA's, lack these of cl_nv_device_attribute_query.
#ifndef CL_DEVICE_PCI_BUS_ID_NV
#define CL_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT_NV 0x4007
#define CL_DEVICE_PCI_BUS_ID_NV 0x4008
#define CL_DEVICE_PCI_SLOT_ID_NV 0x4009
#define CL_DEVICE_PCI_DOMAIN_ID_NV 0x400A
#endif

namespace devarray::opencl {
namespace {

using enum InfoType;

#define ROW(name, type) {#name, CL_PLATFORM_##name, type}
constexpr InfoRow kPlatform[] = {
    ROW(PROFILE, text),
    ROW(VERSION, text),
    ROW(NAME, text),
    ROW(VENDOR, text),
    ROW(EXTENSIONS, text),
    ROW(HOST_TIMER_RESOLUTION, uint64),
    ROW(NUMERIC_VERSION, version),
    ROW(EXTENSIONS_WITH_VERSION, versions),
};
#undef ROW

#define ROW(name, type) {#name, CL_DEVICE_##name, type}
constexpr InfoRow kDevice[] = {
    ROW(TYPE, uint64),
    ROW(VENDOR_ID, uint32),
    ROW(MAX_COMPUTE_UNITS, uint32),
    ROW(MAX_WORK_ITEM_DIMENSIONS, uint32),
    ROW(MAX_WORK_GROUP_SIZE, size),
    ROW(MAX_WORK_ITEM_SIZES, sizes),
    ROW(PREFERRED_VECTOR_WIDTH_CHAR, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_SHORT, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_INT, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_LONG, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_FLOAT, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_DOUBLE, uint32),
    ROW(PREFERRED_VECTOR_WIDTH_HALF, uint32),
    ROW(NATIVE_VECTOR_WIDTH_CHAR, uint32),
    ROW(NATIVE_VECTOR_WIDTH_SHORT, uint32),
    ROW(NATIVE_VECTOR_WIDTH_INT, uint32),
    ROW(NATIVE_VECTOR_WIDTH_LONG, uint32),
    ROW(NATIVE_VECTOR_WIDTH_FLOAT, uint32),
    ROW(NATIVE_VECTOR_WIDTH_DOUBLE, uint32),
    ROW(NATIVE_VECTOR_WIDTH_HALF, uint32),
    ROW(MAX_CLOCK_FREQUENCY, uint32),
    ROW(ADDRESS_BITS, uint32),
    ROW(MAX_READ_IMAGE_ARGS, uint32),
    ROW(MAX_WRITE_IMAGE_ARGS, uint32),
    ROW(MAX_READ_WRITE_IMAGE_ARGS, uint32),
    ROW(MAX_MEM_ALLOC_SIZE, uint64),
    ROW(IMAGE2D_MAX_WIDTH, size),
    ROW(IMAGE2D_MAX_HEIGHT, size),
    ROW(IMAGE3D_MAX_WIDTH, size),
    ROW(IMAGE3D_MAX_HEIGHT, size),
    ROW(IMAGE3D_MAX_DEPTH, size),
    ROW(IMAGE_MAX_BUFFER_SIZE, size),
    ROW(IMAGE_MAX_ARRAY_SIZE, size),
    ROW(IMAGE_SUPPORT, boolean),
    ROW(MAX_PARAMETER_SIZE, size),
    ROW(MAX_SAMPLERS, uint32),
    ROW(MEM_BASE_ADDR_ALIGN, uint32),
    ROW(MIN_DATA_TYPE_ALIGN_SIZE, uint32),
    ROW(SINGLE_FP_CONFIG, uint64),
    ROW(DOUBLE_FP_CONFIG, uint64),
    ROW(HALF_FP_CONFIG, uint64),
    ROW(GLOBAL_MEM_CACHE_TYPE, uint32),
    ROW(GLOBAL_MEM_CACHELINE_SIZE, uint32),
    ROW(GLOBAL_MEM_CACHE_SIZE, uint64),
    ROW(GLOBAL_MEM_SIZE, uint64),
    ROW(MAX_CONSTANT_BUFFER_SIZE, uint64),
    ROW(MAX_CONSTANT_ARGS, uint32),
    ROW(LOCAL_MEM_TYPE, uint32),
    ROW(LOCAL_MEM_SIZE, uint64),
    ROW(ERROR_CORRECTION_SUPPORT, boolean),
    ROW(HOST_UNIFIED_MEMORY, boolean),
    ROW(PROFILING_TIMER_RESOLUTION, size),
    ROW(ENDIAN_LITTLE, boolean),
    ROW(AVAILABLE, boolean),
    ROW(COMPILER_AVAILABLE, boolean),
    ROW(LINKER_AVAILABLE, boolean),
    ROW(EXECUTION_CAPABILITIES, uint64),
    ROW(QUEUE_PROPERTIES, uint64),
    ROW(QUEUE_ON_HOST_PROPERTIES, uint64),
    ROW(QUEUE_ON_DEVICE_PROPERTIES, uint64),
    ROW(NAME, text),
    ROW(VENDOR, text),
    ROW(PROFILE, text),
    ROW(VERSION, text),
    ROW(EXTENSIONS, text),
    ROW(OPENCL_C_VERSION, text),
    ROW(BUILT_IN_KERNELS, text),
    ROW(IL_VERSION, text),
    ROW(LATEST_CONFORMANCE_VERSION_PASSED, text),
    ROW(SPIR_VERSIONS, text),
    ROW(PLATFORM, platform),
    {"DRIVER_VERSION", CL_DRIVER_VERSION, text},
    ROW(PARENT_DEVICE, device),
    ROW(PARTITION_MAX_SUB_DEVICES, uint32),
    ROW(PARTITION_PROPERTIES, properties),
    ROW(PARTITION_AFFINITY_DOMAIN, properties),
    ROW(PARTITION_TYPE, properties),
    ROW(REFERENCE_COUNT, uint32),
    ROW(PREFERRED_INTEROP_USER_SYNC, boolean),
    ROW(PRINTF_BUFFER_SIZE, size),
    ROW(IMAGE_PITCH_ALIGNMENT, uint32),
    ROW(IMAGE_BASE_ADDRESS_ALIGNMENT, uint32),
    ROW(MAX_GLOBAL_VARIABLE_SIZE, size),
    ROW(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, size),
    ROW(QUEUE_ON_DEVICE_PREFERRED_SIZE, uint32),
    ROW(QUEUE_ON_DEVICE_MAX_SIZE, uint32),
    ROW(MAX_ON_DEVICE_QUEUES, uint32),
    ROW(MAX_ON_DEVICE_EVENTS, uint32),
    ROW(SVM_CAPABILITIES, uint64),
    ROW(MAX_PIPE_ARGS, uint32),
    ROW(PIPE_MAX_ACTIVE_RESERVATIONS, uint32),
    ROW(PIPE_MAX_PACKET_SIZE, uint32),
    ROW(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, uint32),
    ROW(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, uint32),
    ROW(PREFERRED_LOCAL_ATOMIC_ALIGNMENT, uint32),
    ROW(MAX_NUM_SUB_GROUPS, uint32),
    ROW(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, boolean),
    ROW(NUMERIC_VERSION, version),
    ROW(EXTENSIONS_WITH_VERSION, versions),
    ROW(ILS_WITH_VERSION, versions),
    ROW(BUILT_IN_KERNELS_WITH_VERSION, versions),
    ROW(OPENCL_C_ALL_VERSIONS, versions),
    ROW(OPENCL_C_FEATURES, versions),
    ROW(ATOMIC_MEMORY_CAPABILITIES, uint64),
    ROW(ATOMIC_FENCE_CAPABILITIES, uint64),
    ROW(DEVICE_ENQUEUE_CAPABILITIES, uint64),
    ROW(NON_UNIFORM_WORK_GROUP_SUPPORT, boolean),
    ROW(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, boolean),
    ROW(GENERIC_ADDRESS_SPACE_SUPPORT, boolean),
    ROW(PIPE_SUPPORT, boolean),
    ROW(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size),
    ROW(COMPUTE_CAPABILITY_MAJOR_NV, uint32),
    ROW(COMPUTE_CAPABILITY_MINOR_NV, uint32),
    ROW(REGISTERS_PER_BLOCK_NV, uint32),
    ROW(WARP_SIZE_NV, uint32),
    ROW(GPU_OVERLAP_NV, boolean),
    ROW(KERNEL_EXEC_TIMEOUT_NV, boolean),
    ROW(INTEGRATED_MEMORY_NV, boolean),
    ROW(ATTRIBUTE_ASYNC_ENGINE_COUNT_NV, uint32),
    ROW(PCI_BUS_ID_NV, uint32),
    ROW(PCI_SLOT_ID_NV, uint32),
    ROW(PCI_DOMAIN_ID_NV, uint32),
    ROW(PROFILING_TIMER_OFFSET_AMD, uint64),
    ROW(TOPOLOGY_AMD, topology),
    ROW(BOARD_NAME_AMD, text),
    ROW(GLOBAL_FREE_MEMORY_AMD, sizes),
    ROW(SIMD_PER_COMPUTE_UNIT_AMD, uint32),
    ROW(SIMD_WIDTH_AMD, uint32),
    ROW(SIMD_INSTRUCTION_WIDTH_AMD, uint32),
    ROW(WAVEFRONT_WIDTH_AMD, uint32),
    ROW(GLOBAL_MEM_CHANNELS_AMD, uint32),
    ROW(GLOBAL_MEM_CHANNEL_BANKS_AMD, uint32),
    ROW(GLOBAL_MEM_CHANNEL_BANK_WIDTH_AMD, uint32),
    ROW(LOCAL_MEM_SIZE_PER_COMPUTE_UNIT_AMD, uint32),
    ROW(LOCAL_MEM_BANKS_AMD, uint32),
    ROW(THREAD_TRACE_SUPPORTED_AMD, uint32),
    ROW(GFXIP_MAJOR_AMD, uint32),
    ROW(GFXIP_MINOR_AMD, uint32),
    ROW(AVAILABLE_ASYNC_QUEUES_AMD, uint32),
    ROW(PREFERRED_WORK_GROUP_SIZE_AMD, size),
    ROW(MAX_WORK_GROUP_SIZE_AMD, size),
    ROW(PREFERRED_CONSTANT_BUFFER_SIZE_AMD, uint64),
    ROW(PCIE_ID_AMD, uint32),
    ROW(EXT_MEM_PADDING_IN_BYTES_QCOM, size),
    ROW(PAGE_SIZE_QCOM, size),
    ROW(ME_VERSION_INTEL, uint32),
    ROW(NUM_SIMULTANEOUS_INTEROPS_INTEL, uint32),
    ROW(SIMULTANEOUS_INTEROPS_INTEL, properties),
};
#undef ROW

#define ROW(name, type) {#name, CL_CONTEXT_##name, type}
constexpr InfoRow kContext[] = {
    ROW(REFERENCE_COUNT, uint32), ROW(NUM_DEVICES, uint32),        ROW(DEVICES, devices),
    ROW(PROPERTIES, properties),  ROW(INTEROP_USER_SYNC, boolean),
};
#undef ROW

#define ROW(name, type) {#name, CL_QUEUE_##name, type}
constexpr InfoRow kQueue[] = {
    ROW(CONTEXT, context),
    ROW(DEVICE, device),
    ROW(REFERENCE_COUNT, uint32),
    ROW(PROPERTIES, uint64),
    ROW(PROPERTIES_ARRAY, properties),
};
#undef ROW

#define ROW(name, type) {#name, CL_EVENT_##name, type}
constexpr InfoRow kEvent[] = {
    ROW(COMMAND_QUEUE, queue),    ROW(COMMAND_TYPE, uint32),
    ROW(REFERENCE_COUNT, uint32), ROW(COMMAND_EXECUTION_STATUS, int32),
    ROW(CONTEXT, context),
};
#undef ROW

#define ROW(name, type) {#name, CL_PROFILING_COMMAND_##name, type}
constexpr InfoRow kProfiling[] = {
    ROW(QUEUED, uint64), ROW(SUBMIT, uint64), ROW(START, uint64), ROW(END, uint64), ROW(COMPLETE, uint64),
};
#undef ROW

#define ROW(name, type) {#name, CL_MEM_##name, type}
constexpr InfoRow kMemory[] = {
    ROW(TYPE, uint32),
    ROW(FLAGS, uint64),
    ROW(SIZE, size),
    ROW(HOST_PTR, pointer),
    ROW(MAP_COUNT, uint32),
    ROW(REFERENCE_COUNT, uint32),
    ROW(CONTEXT, context),
    ROW(ASSOCIATED_MEMOBJECT, memory),
    ROW(OFFSET, size),
    ROW(USES_SVM_POINTER, boolean),
    ROW(PROPERTIES, properties),
};
#undef ROW

#define ROW(name, type) {#name, CL_IMAGE_##name, type}
constexpr InfoRow kImage[] = {
    ROW(FORMAT, image_format), ROW(ELEMENT_SIZE, size),     ROW(ROW_PITCH, size),     ROW(SLICE_PITCH, size),
    ROW(WIDTH, size),          ROW(HEIGHT, size),           ROW(DEPTH, size),         ROW(ARRAY_SIZE, size),
    ROW(BUFFER, memory),       ROW(NUM_MIP_LEVELS, uint32), ROW(NUM_SAMPLES, uint32),
};
#undef ROW

#define ROW(name, type) {#name, CL_PIPE_##name, type}
constexpr InfoRow kPipe[] = {
    ROW(PACKET_SIZE, uint32),
    ROW(MAX_PACKETS, uint32),
    ROW(PROPERTIES, properties),
};
#undef ROW

#define ROW(name, type) {#name, CL_SAMPLER_##name, type}
constexpr InfoRow kSampler[] = {
    ROW(REFERENCE_COUNT, uint32),
    ROW(CONTEXT, context),
    ROW(NORMALIZED_COORDS, boolean),
    ROW(ADDRESSING_MODE, uint32),
    ROW(FILTER_MODE, uint32),
    ROW(MIP_FILTER_MODE, uint32),
    ROW(LOD_MIN, float32),
    ROW(LOD_MAX, float32),
    ROW(PROPERTIES, properties),
    {"MIP_FILTER_MODE_KHR", CL_SAMPLER_MIP_FILTER_MODE, uint32},
    {"LOD_MIN_KHR", CL_SAMPLER_LOD_MIN, float32},
    {"LOD_MAX_KHR", CL_SAMPLER_LOD_MAX, float32},
};
#undef ROW

#define ROW(name, type) {#name, CL_PROGRAM_##name, type}
constexpr InfoRow kProgram[] = {
    ROW(REFERENCE_COUNT, uint32),
    ROW(CONTEXT, context),
    ROW(NUM_DEVICES, uint32),
    ROW(DEVICES, devices),
    ROW(SOURCE, text),
    ROW(BINARY_SIZES, sizes),
    ROW(BINARIES, binaries),
    ROW(NUM_KERNELS, size),
    ROW(KERNEL_NAMES, text),
    ROW(IL, text),
    ROW(SCOPE_GLOBAL_CTORS_PRESENT, boolean),
    ROW(SCOPE_GLOBAL_DTORS_PRESENT, boolean),
};
#undef ROW

#define ROW(name, type) {#name, CL_PROGRAM_BUILD_##name, type}
constexpr InfoRow kProgramBuild[] = {
    ROW(STATUS, int32),
    ROW(OPTIONS, text),
    ROW(LOG, text),
    {"BINARY_TYPE", CL_PROGRAM_BINARY_TYPE, uint32},
    ROW(GLOBAL_VARIABLE_TOTAL_SIZE, size),
};
#undef ROW

#define ROW(name, type) {#name, CL_KERNEL_##name, type}
constexpr InfoRow kKernel[] = {
    ROW(FUNCTION_NAME, text), ROW(NUM_ARGS, uint32), ROW(REFERENCE_COUNT, uint32),
    ROW(CONTEXT, context),    ROW(PROGRAM, program), ROW(ATTRIBUTES, text),
};
#undef ROW

#define ROW(name, type) {#name, CL_KERNEL_ARG_##name, type}
constexpr InfoRow kKernelArg[] = {
    ROW(ADDRESS_QUALIFIER, uint32),
    ROW(ACCESS_QUALIFIER, uint32),
    ROW(TYPE_NAME, text),
    ROW(TYPE_QUALIFIER, uint64),
    ROW(NAME, text),
};
#undef ROW

#define ROW(name, type) {#name, CL_KERNEL_##name, type}
constexpr InfoRow kKernelWorkGroup[] = {
    ROW(WORK_GROUP_SIZE, size),    ROW(COMPILE_WORK_GROUP_SIZE, sizes),
    ROW(LOCAL_MEM_SIZE, uint64),   ROW(PREFERRED_WORK_GROUP_SIZE_MULTIPLE, size),
    ROW(PRIVATE_MEM_SIZE, uint64), ROW(GLOBAL_WORK_SIZE, sizes),
};
constexpr InfoRow kKernelSubGroup[] = {
    ROW(MAX_SUB_GROUP_SIZE_FOR_NDRANGE, size),  ROW(SUB_GROUP_COUNT_FOR_NDRANGE, size),
    ROW(LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizes), ROW(MAX_NUM_SUB_GROUPS, size),
    ROW(COMPILE_NUM_SUB_GROUPS, size),
};
#undef ROW

}  // namespace

InfoTable platform_table() { return kPlatform; }
InfoTable device_table() { return kDevice; }
InfoTable context_table() { return kContext; }
InfoTable queue_table() { return kQueue; }
InfoTable event_table() { return kEvent; }
InfoTable profiling_table() { return kProfiling; }
InfoTable memory_table() { return kMemory; }
InfoTable image_table() { return kImage; }
InfoTable pipe_table() { return kPipe; }
InfoTable sampler_table() { return kSampler; }
InfoTable program_table() { return kProgram; }
InfoTable program_build_table() { return kProgramBuild; }
InfoTable kernel_table() { return kKernel; }
InfoTable kernel_arg_table() { return kKernelArg; }
InfoTable kernel_work_group_table() { return kKernelWorkGroup; }
InfoTable kernel_sub_group_table() { return kKernelSubGroup; }

const InfoRow* find_row(InfoTable table, cl_uint code) {
  for (const InfoRow& row : table)
    if (row.code == code) return &row;
  return nullptr;
}

}  // namespace devarray::opencl
