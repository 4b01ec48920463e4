// CUDA arrays (texture memory), texture and surface objects, and the texture references of old modules.
#pragma once

#include "cuda/memory.hpp"
#include "cuda/module.hpp"

namespace devarray::cuda {

class Array {
 public:
  /// A depth of 0 is a two-dimensional array, a height of 0 a one-dimensional one.
  static std::shared_ptr<Array> create(const ContextPtr& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
  Array(ContextPtr context, CUarray array) : context_(std::move(context)), array_(array) {}
  ~Array();
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  /// Throws once freed.
  CUarray handle() const;
  CUDA_ARRAY3D_DESCRIPTOR descriptor() const;
  void free();
  const ContextPtr& context() const noexcept { return context_; }

 private:
  ContextPtr context_;
  CUarray array_;
};

/// How a texture is read.
struct Sampling {
  CUaddress_mode address[3] = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP};
  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
  unsigned flags = 0;
  float border[4] = {0, 0, 0, 0};
};

/// A texture as a kernel's argument; holds what it reads.
class TextureObject {
 public:
  static std::shared_ptr<TextureObject> over_array(const std::shared_ptr<Array>& array, const Sampling& sampling);
  /// Over linear memory, or with a pitch over rows of it, which `memory` keeps.
  static std::shared_ptr<TextureObject> over_memory(const ContextPtr& context, const CUDA_RESOURCE_DESC& resource,
                                                    const Sampling& sampling, std::shared_ptr<void> memory);
  TextureObject(ContextPtr context, CUtexObject object, std::shared_ptr<void> memory)
      : context_(std::move(context)), object_(object), memory_(std::move(memory)) {}
  ~TextureObject();
  CUtexObject handle() const noexcept { return object_; }

 private:
  ContextPtr context_;
  CUtexObject object_;
  std::shared_ptr<void> memory_;
};

class SurfaceObject {
 public:
  static std::shared_ptr<SurfaceObject> over_array(const std::shared_ptr<Array>& array);
  SurfaceObject(std::shared_ptr<Array> array, CUsurfObject object) : array_(std::move(array)), object_(object) {}
  ~SurfaceObject();
  CUsurfObject handle() const noexcept { return object_; }

 private:
  std::shared_ptr<Array> array_;
  CUsurfObject object_;
};

/// A texture or surface reference of a module; holds the module and what it is bound to.
template <class Handle>
struct Reference {
  std::shared_ptr<Module> module;
  Handle handle;
  std::shared_ptr<Array> array;
  std::shared_ptr<void> memory;
};
struct TextureReference final : Reference<CUtexref> {};
struct SurfaceReference final : Reference<CUsurfref> {};

std::shared_ptr<TextureReference> texture_reference(const std::shared_ptr<Module>& module, const std::string& name);
std::shared_ptr<SurfaceReference> surface_reference(const std::shared_ptr<Module>& module, const std::string& name);

}  // namespace devarray::cuda
