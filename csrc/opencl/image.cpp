#include "opencl/image.hpp"

namespace devarray::opencl {

unsigned channel_count(cl_channel_order order) {
  switch (order) {
    case CL_R:
    case CL_A:
    case CL_INTENSITY:
    case CL_LUMINANCE:
    case CL_Rx:
    case CL_DEPTH: return 1;
    case CL_RG:
    case CL_RA:
    case CL_RGx: return 2;
    case CL_RGB:
    case CL_RGBx:
    case CL_sRGB: return 3;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
    case CL_sRGBA:
    case CL_sBGRA:
    case CL_sRGBx: return 4;
    default: throw ValueError("no channel_order has the number " + std::to_string(order));
  }
}

bool is_packed(cl_channel_type type) {
  return type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 || type == CL_UNORM_INT_101010 ||
         type == CL_UNORM_INT_101010_2;
}

unsigned channel_bytes(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: return 1;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
    case CL_UNORM_SHORT_565:
    case CL_UNORM_SHORT_555: return 2;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
    case CL_UNORM_INT_101010:
    case CL_UNORM_INT_101010_2: return 4;
    default: throw ValueError("no channel_type has the number " + std::to_string(type));
  }
}

unsigned pixel_bytes(const cl_image_format& format) {
  const unsigned bytes = channel_bytes(format.image_channel_data_type);
  return is_packed(format.image_channel_data_type) ? bytes : bytes * channel_count(format.image_channel_order);
}

ImagePtr Image::create(const ContextDevicePtr& device, cl_mem_flags flags, const cl_image_format& format,
                       const cl_image_desc& description, void* host, KeepAlive keep_alive) {
  const cl_context context = device->context();
  auto memory =
      Handle<cl_mem>::adopt(DEVARRAY_CL_CREATE(context, clCreateImage, context, flags, &format, &description, host));
  return std::make_shared<Image>(device, std::move(memory), std::move(keep_alive));
}

PipePtr Pipe::create(const ContextDevicePtr& device, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets) {
  if (device->info().platform_version < 200) throw DeviceError(device->label() + " has no pipes: they need OpenCL 2.0");
  const cl_context context = device->context();
  auto memory = Handle<cl_mem>::adopt(
      DEVARRAY_CL_CREATE(context, clCreatePipe, context, flags, packet_size, max_packets, nullptr));
  return std::make_shared<Pipe>(device, std::move(memory));
}

SamplerPtr Sampler::create(const ContextDevice& device, std::vector<cl_sampler_properties> properties) {
  const cl_context context = device.context();
  if (device.info().platform_version >= 200) {
    properties.push_back(0);
    return std::make_shared<Sampler>(Handle<cl_sampler>::adopt(
        DEVARRAY_CL_CREATE(context, clCreateSamplerWithProperties, context, properties.data())));
  }
  cl_bool normalized = CL_TRUE;  // the defaults of the newer entry point
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  for (std::size_t i = 0; i + 1 < properties.size(); i += 2) {
    const auto value = properties[i + 1];
    if (properties[i] == CL_SAMPLER_NORMALIZED_COORDS)
      normalized = static_cast<cl_bool>(value);
    else if (properties[i] == CL_SAMPLER_ADDRESSING_MODE)
      addressing = static_cast<cl_addressing_mode>(value);
    else if (properties[i] == CL_SAMPLER_FILTER_MODE)
      filter = static_cast<cl_filter_mode>(value);
    else
      throw ClError("clCreateSampler", CL_INVALID_VALUE, "this sampler property needs OpenCL 2.0");
  }
  return std::make_shared<Sampler>(
      Handle<cl_sampler>::adopt(DEVARRAY_CL_CREATE(context, clCreateSampler, context, normalized, addressing, filter)));
}

}  // namespace devarray::opencl
