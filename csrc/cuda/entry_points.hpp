// Every entry point of the CUDA driver API that devarray calls: its exported symbol, in one table.
//
// cuda.h renames many functions by macro (cuMemAlloc is cuMemAlloc_v2). The table spells the exported symbol, so that
// what is looked up does not depend on the header. LEGACY rows give the signature too: their symbols are exported by
// every driver since CUDA 12.0, while recent headers declare only a successor that older drivers lack.
#pragma once

#define CUDA_ENABLE_DEPRECATED  // texture references: deprecated, still in every driver
#include <cuda.h>

// clang-format off
#define DEVARRAY_CUDA_ENTRY_POINTS(X) \
  /* versions, devices, errors */ \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorName) X(cuGetErrorString) \
  X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGetName) X(cuDeviceGetAttribute) X(cuDeviceTotalMem_v2) \
  X(cuDeviceGetByPCIBusId) X(cuDeviceGetPCIBusId) X(cuDeviceGetUuid_v2) X(cuDeviceCanAccessPeer) \
  X(cuDeviceGetP2PAttribute) \
  /* contexts */ \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease_v2) X(cuDevicePrimaryCtxGetState) \
  X(cuCtxDestroy_v2) X(cuCtxPushCurrent_v2) X(cuCtxPopCurrent_v2) X(cuCtxSetCurrent) X(cuCtxGetCurrent) \
  X(cuCtxGetDevice) X(cuCtxSynchronize) X(cuCtxGetApiVersion) X(cuCtxGetLimit) X(cuCtxSetLimit) X(cuCtxGetCacheConfig) \
  X(cuCtxSetCacheConfig) X(cuCtxGetStreamPriorityRange) X(cuCtxEnablePeerAccess) X(cuCtxDisablePeerAccess) \
  /* streams and events */ \
  X(cuStreamCreate) X(cuStreamCreateWithPriority) X(cuStreamDestroy_v2) X(cuStreamQuery) X(cuStreamSynchronize) \
  X(cuStreamWaitEvent) X(cuStreamGetPriority) X(cuStreamGetFlags) X(cuStreamGetCtx) X(cuStreamAttachMemAsync) \
  X(cuStreamBeginCapture_v2) X(cuStreamEndCapture) X(cuStreamIsCapturing) \
  X(cuEventCreate) X(cuEventDestroy_v2) X(cuEventRecord) X(cuEventQuery) X(cuEventSynchronize) \
  X(cuIpcGetEventHandle) X(cuIpcOpenEventHandle) \
  /* memory */ \
  X(cuMemGetInfo_v2) X(cuMemAlloc_v2) X(cuMemAllocPitch_v2) X(cuMemFree_v2) X(cuMemAllocManaged) \
  X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemHostRegister_v2) X(cuMemHostUnregister) X(cuMemHostGetFlags) \
  X(cuMemHostGetDevicePointer_v2) X(cuMemGetAddressRange_v2) X(cuPointerGetAttribute) X(cuPointerGetAttributes) \
  X(cuMemAllocFromPoolAsync) X(cuMemFreeAsync) X(cuMemPoolCreate) X(cuMemPoolDestroy) X(cuMemPoolSetAttribute) \
  X(cuMemPoolGetAttribute) X(cuMemPoolTrimTo) \
  X(cuMemAddressReserve) X(cuMemAddressFree) X(cuMemCreate) X(cuMemRelease) X(cuMemMap) X(cuMemUnmap) X(cuMemSetAccess) \
  X(cuMemGetAllocationGranularity) \
  X(cuIpcGetMemHandle) X(cuIpcOpenMemHandle_v2) X(cuIpcCloseMemHandle) \
  X(cuMemcpy) X(cuMemcpyAsync) X(cuMemcpyHtoD_v2) X(cuMemcpyDtoH_v2) X(cuMemcpyDtoD_v2) \
  X(cuMemcpyHtoDAsync_v2) X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoDAsync_v2) \
  X(cuMemcpyPeer) X(cuMemcpyPeerAsync) X(cuMemcpyDtoA_v2) X(cuMemcpyAtoD_v2) X(cuMemcpyHtoA_v2) X(cuMemcpyAtoH_v2) \
  X(cuMemcpyAtoA_v2) X(cuMemcpy2D_v2) X(cuMemcpy2DUnaligned_v2) X(cuMemcpy2DAsync_v2) X(cuMemcpy3D_v2) \
  X(cuMemcpy3DAsync_v2) X(cuMemcpy3DPeer) X(cuMemcpy3DPeerAsync) \
  X(cuMemsetD8_v2) X(cuMemsetD16_v2) X(cuMemsetD32_v2) X(cuMemsetD8Async) X(cuMemsetD16Async) X(cuMemsetD32Async) \
  X(cuMemsetD2D8_v2) X(cuMemsetD2D16_v2) X(cuMemsetD2D32_v2) \
  X(cuMemsetD2D8Async) X(cuMemsetD2D16Async) X(cuMemsetD2D32Async) \
  /* modules, kernels, launches */ \
  X(cuModuleLoadDataEx) X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal_v2) \
  X(cuModuleGetTexRef) X(cuModuleGetSurfRef) \
  X(cuLinkCreate_v2) X(cuLinkAddData_v2) X(cuLinkAddFile_v2) X(cuLinkComplete) X(cuLinkDestroy) \
  X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuFuncSetCacheConfig) X(cuFuncGetParamInfo) \
  X(cuLaunchKernel) X(cuLaunchCooperativeKernel) X(cuLaunchHostFunc) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuOccupancyMaxPotentialBlockSize) \
  /* arrays, textures, surfaces */ \
  X(cuArrayCreate_v2) X(cuArray3DCreate_v2) X(cuArrayDestroy) X(cuArrayGetDescriptor_v2) \
  X(cuArray3DGetDescriptor_v2) X(cuTexObjectCreate) X(cuTexObjectDestroy) X(cuSurfObjectCreate) \
  X(cuSurfObjectDestroy) \
  X(cuTexRefSetArray) X(cuTexRefSetAddress_v2) X(cuTexRefSetAddress2D_v3) X(cuTexRefSetFormat) \
  X(cuTexRefSetAddressMode) X(cuTexRefSetFilterMode) X(cuTexRefSetFlags) X(cuTexRefGetAddressMode) \
  X(cuTexRefGetFilterMode) X(cuTexRefGetFormat) X(cuTexRefGetFlags) X(cuSurfRefSetArray) X(cuParamSetTexRef) \
  /* graphs */ \
  X(cuGraphCreate) X(cuGraphDestroy) X(cuGraphGetNodes) X(cuGraphInstantiateWithFlags) X(cuGraphExecUpdate_v2) \
  X(cuGraphExecDestroy) X(cuGraphUpload) X(cuGraphLaunch) X(cuGraphDebugDotPrint)

#define DEVARRAY_CUDA_LEGACY_ENTRY_POINTS(X) \
  X(context_create, "cuCtxCreate_v2", CUresult(CUcontext*, unsigned, CUdevice)) \
  X(event_elapsed_time, "cuEventElapsedTime", CUresult(float*, CUevent, CUevent)) \
  X(mem_prefetch_async, "cuMemPrefetchAsync", CUresult(CUdeviceptr, std::size_t, CUdevice, CUstream)) \
  X(mem_advise, "cuMemAdvise", CUresult(CUdeviceptr, std::size_t, CUmem_advise, CUdevice)) \
  X(context_get_shared_config, "cuCtxGetSharedMemConfig", CUresult(CUsharedconfig*)) \
  X(context_set_shared_config, "cuCtxSetSharedMemConfig", CUresult(CUsharedconfig)) \
  X(function_set_shared_config, "cuFuncSetSharedMemConfig", CUresult(CUfunction, CUsharedconfig)) \
  X(profiler_initialize, "cuProfilerInitialize", CUresult(const char*, const char*, int)) \
  X(profiler_start, "cuProfilerStart", CUresult()) \
  X(profiler_stop, "cuProfilerStop", CUresult())
// clang-format on
