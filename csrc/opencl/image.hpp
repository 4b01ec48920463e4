// Images, samplers and pipes.
#pragma once

#include <memory>
#include <vector>

#include "opencl/memory.hpp"

namespace devarray::opencl {

/// Colour channels an order has; bytes a channel (or, for packed types, a pixel) takes. Throw ValueError for numbers
/// that name none.
unsigned channel_count(cl_channel_order order);
unsigned channel_bytes(cl_channel_type type);
bool is_packed(cl_channel_type type);
unsigned pixel_bytes(const cl_image_format& format);

class Image final : public MemoryObject {
 public:
  using MemoryObject::MemoryObject;
  static std::shared_ptr<Image> create(const ContextDevicePtr& device, cl_mem_flags flags,
                                       const cl_image_format& format, const cl_image_desc& description, void* host,
                                       KeepAlive keep_alive = {});
};
using ImagePtr = std::shared_ptr<Image>;

class Pipe final : public MemoryObject {
 public:
  using MemoryObject::MemoryObject;
  static std::shared_ptr<Pipe> create(const ContextDevicePtr& device, cl_mem_flags flags, cl_uint packet_size,
                                      cl_uint max_packets);
};
using PipePtr = std::shared_ptr<Pipe>;

class Sampler {
 public:
  explicit Sampler(Handle<cl_sampler> sampler) : sampler_(std::move(sampler)) {}
  /// Pairs of sampler_properties and values, without the terminating zero. Falls back to the older entry point on
  /// platforms before OpenCL 2.0, which takes the three standard properties.
  static std::shared_ptr<Sampler> create(const ContextDevice& device, std::vector<cl_sampler_properties> properties);
  cl_sampler get() const noexcept { return sampler_.get(); }

 private:
  Handle<cl_sampler> sampler_;
};
using SamplerPtr = std::shared_ptr<Sampler>;

}  // namespace devarray::opencl
