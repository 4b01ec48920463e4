// The table of entry points that every OpenCL object carries: its first field points to its vendor's table, whose
// order Khronos fixed (extension cl_khr_icd). Calling through it needs no ICD loader, and objects that another
// library in this process made work here, whichever loader made them.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "common/fork.hpp"

namespace devarray::opencl {

#define DEVARRAY_CL_ENTRY(name) decltype(&::name) name

/// Tables of older vendors end early: entries past the platform's OpenCL version must not be read.
struct Dispatch {
  // OpenCL 1.0
  DEVARRAY_CL_ENTRY(clGetPlatformIDs);
  DEVARRAY_CL_ENTRY(clGetPlatformInfo);
  DEVARRAY_CL_ENTRY(clGetDeviceIDs);
  DEVARRAY_CL_ENTRY(clGetDeviceInfo);
  DEVARRAY_CL_ENTRY(clCreateContext);
  DEVARRAY_CL_ENTRY(clCreateContextFromType);
  DEVARRAY_CL_ENTRY(clRetainContext);
  DEVARRAY_CL_ENTRY(clReleaseContext);
  DEVARRAY_CL_ENTRY(clGetContextInfo);
  DEVARRAY_CL_ENTRY(clCreateCommandQueue);
  DEVARRAY_CL_ENTRY(clRetainCommandQueue);
  DEVARRAY_CL_ENTRY(clReleaseCommandQueue);
  DEVARRAY_CL_ENTRY(clGetCommandQueueInfo);
  void* unused_1[1];
  DEVARRAY_CL_ENTRY(clCreateBuffer);
  void* unused_2[2];
  DEVARRAY_CL_ENTRY(clRetainMemObject);
  DEVARRAY_CL_ENTRY(clReleaseMemObject);
  DEVARRAY_CL_ENTRY(clGetSupportedImageFormats);
  DEVARRAY_CL_ENTRY(clGetMemObjectInfo);
  DEVARRAY_CL_ENTRY(clGetImageInfo);
  DEVARRAY_CL_ENTRY(clCreateSampler);
  DEVARRAY_CL_ENTRY(clRetainSampler);
  DEVARRAY_CL_ENTRY(clReleaseSampler);
  DEVARRAY_CL_ENTRY(clGetSamplerInfo);
  DEVARRAY_CL_ENTRY(clCreateProgramWithSource);
  DEVARRAY_CL_ENTRY(clCreateProgramWithBinary);
  DEVARRAY_CL_ENTRY(clRetainProgram);
  DEVARRAY_CL_ENTRY(clReleaseProgram);
  DEVARRAY_CL_ENTRY(clBuildProgram);
  void* unused_3[1];
  DEVARRAY_CL_ENTRY(clGetProgramInfo);
  DEVARRAY_CL_ENTRY(clGetProgramBuildInfo);
  DEVARRAY_CL_ENTRY(clCreateKernel);
  DEVARRAY_CL_ENTRY(clCreateKernelsInProgram);
  DEVARRAY_CL_ENTRY(clRetainKernel);
  DEVARRAY_CL_ENTRY(clReleaseKernel);
  DEVARRAY_CL_ENTRY(clSetKernelArg);
  DEVARRAY_CL_ENTRY(clGetKernelInfo);
  DEVARRAY_CL_ENTRY(clGetKernelWorkGroupInfo);
  DEVARRAY_CL_ENTRY(clWaitForEvents);
  DEVARRAY_CL_ENTRY(clGetEventInfo);
  DEVARRAY_CL_ENTRY(clRetainEvent);
  DEVARRAY_CL_ENTRY(clReleaseEvent);
  DEVARRAY_CL_ENTRY(clGetEventProfilingInfo);
  DEVARRAY_CL_ENTRY(clFlush);
  DEVARRAY_CL_ENTRY(clFinish);
  DEVARRAY_CL_ENTRY(clEnqueueReadBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueWriteBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueCopyBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueReadImage);
  DEVARRAY_CL_ENTRY(clEnqueueWriteImage);
  DEVARRAY_CL_ENTRY(clEnqueueCopyImage);
  DEVARRAY_CL_ENTRY(clEnqueueCopyImageToBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueCopyBufferToImage);
  DEVARRAY_CL_ENTRY(clEnqueueMapBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueMapImage);
  DEVARRAY_CL_ENTRY(clEnqueueUnmapMemObject);
  DEVARRAY_CL_ENTRY(clEnqueueNDRangeKernel);
  void* unused_4[1];
  DEVARRAY_CL_ENTRY(clEnqueueNativeKernel);
  void* unused_5[4];
  // cl_khr_gl_sharing
  void* unused_6[9];
  // cl_khr_d3d10_sharing
  void* unused_7[6];
  // OpenCL 1.1
  DEVARRAY_CL_ENTRY(clSetEventCallback);
  DEVARRAY_CL_ENTRY(clCreateSubBuffer);
  DEVARRAY_CL_ENTRY(clSetMemObjectDestructorCallback);
  DEVARRAY_CL_ENTRY(clCreateUserEvent);
  DEVARRAY_CL_ENTRY(clSetUserEventStatus);
  DEVARRAY_CL_ENTRY(clEnqueueReadBufferRect);
  DEVARRAY_CL_ENTRY(clEnqueueWriteBufferRect);
  DEVARRAY_CL_ENTRY(clEnqueueCopyBufferRect);
  // cl_ext_device_fission, cl_khr_gl_event
  void* unused_8[4];
  // OpenCL 1.2
  DEVARRAY_CL_ENTRY(clCreateSubDevices);
  DEVARRAY_CL_ENTRY(clRetainDevice);
  DEVARRAY_CL_ENTRY(clReleaseDevice);
  DEVARRAY_CL_ENTRY(clCreateImage);
  DEVARRAY_CL_ENTRY(clCreateProgramWithBuiltInKernels);
  DEVARRAY_CL_ENTRY(clCompileProgram);
  DEVARRAY_CL_ENTRY(clLinkProgram);
  DEVARRAY_CL_ENTRY(clUnloadPlatformCompiler);
  DEVARRAY_CL_ENTRY(clGetKernelArgInfo);
  DEVARRAY_CL_ENTRY(clEnqueueFillBuffer);
  DEVARRAY_CL_ENTRY(clEnqueueFillImage);
  DEVARRAY_CL_ENTRY(clEnqueueMigrateMemObjects);
  DEVARRAY_CL_ENTRY(clEnqueueMarkerWithWaitList);
  DEVARRAY_CL_ENTRY(clEnqueueBarrierWithWaitList);
  DEVARRAY_CL_ENTRY(clGetExtensionFunctionAddressForPlatform);
  void* unused_9[1];
  // cl_khr_d3d11_sharing, cl_khr_dx9_media_sharing, cl_khr_egl_image, cl_khr_egl_event
  void* unused_10[14];
  // OpenCL 2.0
  DEVARRAY_CL_ENTRY(clCreateCommandQueueWithProperties);
  DEVARRAY_CL_ENTRY(clCreatePipe);
  DEVARRAY_CL_ENTRY(clGetPipeInfo);
  DEVARRAY_CL_ENTRY(clSVMAlloc);
  DEVARRAY_CL_ENTRY(clSVMFree);
  DEVARRAY_CL_ENTRY(clEnqueueSVMFree);
  DEVARRAY_CL_ENTRY(clEnqueueSVMMemcpy);
  DEVARRAY_CL_ENTRY(clEnqueueSVMMemFill);
  DEVARRAY_CL_ENTRY(clEnqueueSVMMap);
  DEVARRAY_CL_ENTRY(clEnqueueSVMUnmap);
  DEVARRAY_CL_ENTRY(clCreateSamplerWithProperties);
  DEVARRAY_CL_ENTRY(clSetKernelArgSVMPointer);
  DEVARRAY_CL_ENTRY(clSetKernelExecInfo);
  // cl_khr_subgroups
  void* unused_11[1];
  // OpenCL 2.1
  DEVARRAY_CL_ENTRY(clCloneKernel);
  DEVARRAY_CL_ENTRY(clCreateProgramWithIL);
  DEVARRAY_CL_ENTRY(clEnqueueSVMMigrateMem);
  DEVARRAY_CL_ENTRY(clGetDeviceAndHostTimer);
  DEVARRAY_CL_ENTRY(clGetHostTimer);
  DEVARRAY_CL_ENTRY(clGetKernelSubGroupInfo);
  DEVARRAY_CL_ENTRY(clSetDefaultDeviceCommandQueue);
  // OpenCL 2.2
  void* unused_12[1];
  DEVARRAY_CL_ENTRY(clSetProgramSpecializationConstant);
  // OpenCL 3.0
  DEVARRAY_CL_ENTRY(clCreateBufferWithProperties);
  DEVARRAY_CL_ENTRY(clCreateImageWithProperties);
  DEVARRAY_CL_ENTRY(clSetContextDestructorCallback);
};
static_assert(sizeof(Dispatch) == 149 * sizeof(void*));

#undef DEVARRAY_CL_ENTRY

/// The vendor's table that an object carries.
template <class Object>
const Dispatch& vendors_table(Object* object) noexcept {
  return **reinterpret_cast<const Dispatch* const*>(object);
}

/// The vendor's table in a forked process: without the calls that would wait for threads that are not there.
const Dispatch& table_of_child(const Dispatch& vendors);

/// The entry points for a platform, device, context, queue, memory object, sampler, program, kernel or event.
template <class Object>
const Dispatch& table(Object* object) {
  if (forked()) [[unlikely]]
    return table_of_child(vendors_table(object));
  return vendors_table(object);
}

}  // namespace devarray::opencl
