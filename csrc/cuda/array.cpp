#include "cuda/array.hpp"

namespace devarray::cuda {
namespace {

CUDA_RESOURCE_DESC resource_of(const Array& array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array.handle();
  return resource;
}

CUtexObject make_texture(const CUDA_RESOURCE_DESC& resource, const Sampling& sampling) {
  CUDA_TEXTURE_DESC description{};
  for (int i = 0; i < 3; ++i) description.addressMode[i] = sampling.address[i];
  for (int i = 0; i < 4; ++i) description.borderColor[i] = sampling.border[i];
  description.filterMode = sampling.filter;
  description.flags = sampling.flags;
  CUtexObject object = 0;
  api().cuTexObjectCreate(&object, &resource, &description, nullptr);
  return object;
}

// References are what CUDA 12's compilers no longer make: a module of today has none.
void check_reference(CUresult result, const char* call, const std::string& name, const char* replacement) {
  if (result != CUDA_SUCCESS)
    fail(result, call,
         "the module has no reference '" + name + "'; compilers since CUDA 12 make none, pass a " + replacement +
             " as a kernel argument");
}

}  // namespace

std::shared_ptr<Array> Array::create(const ContextPtr& context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  Current current(*context);
  CUarray array = nullptr;
  api().cuArray3DCreate_v2(&array, &descriptor);
  return std::make_shared<Array>(context, array);
}

Array::~Array() {
  if (!array_) return;
  if (CurrentForRelease current(*context_); current) api().cuArrayDestroy.status(array_);
}

CUarray Array::handle() const {
  if (!array_) throw ValueError("this CUDA array was freed; make another one");
  return array_;
}

CUDA_ARRAY3D_DESCRIPTOR Array::descriptor() const {
  Current current(*context_);
  CUDA_ARRAY3D_DESCRIPTOR descriptor{};
  api().cuArray3DGetDescriptor_v2(&descriptor, handle());
  return descriptor;
}

void Array::free() {
  Current current(*context_);
  const CUarray array = handle();
  array_ = nullptr;
  api().cuArrayDestroy(array);
}

std::shared_ptr<TextureObject> TextureObject::over_array(const std::shared_ptr<Array>& array,
                                                         const Sampling& sampling) {
  Current current(*array->context());
  return std::make_shared<TextureObject>(array->context(), make_texture(resource_of(*array), sampling), array);
}

std::shared_ptr<TextureObject> TextureObject::over_memory(const ContextPtr& context, const CUDA_RESOURCE_DESC& resource,
                                                          const Sampling& sampling, std::shared_ptr<void> memory) {
  Current current(*context);
  return std::make_shared<TextureObject>(context, make_texture(resource, sampling), std::move(memory));
}

TextureObject::~TextureObject() {
  if (CurrentForRelease current(*context_); current) api().cuTexObjectDestroy.status(object_);
}

std::shared_ptr<SurfaceObject> SurfaceObject::over_array(const std::shared_ptr<Array>& array) {
  Current current(*array->context());
  const CUDA_RESOURCE_DESC resource = resource_of(*array);
  CUsurfObject object = 0;
  api().cuSurfObjectCreate(&object, &resource);
  return std::make_shared<SurfaceObject>(array, object);
}

SurfaceObject::~SurfaceObject() {
  if (CurrentForRelease current(*array_->context()); current) api().cuSurfObjectDestroy.status(object_);
}

std::shared_ptr<TextureReference> texture_reference(const std::shared_ptr<Module>& module, const std::string& name) {
  Current current(*module->context());
  CUtexref handle = nullptr;
  check_reference(api().cuModuleGetTexRef.status(&handle, module->handle(), name.c_str()), "cuModuleGetTexRef", name,
                  "TextureObject");
  return std::make_shared<TextureReference>(TextureReference{{module, handle, nullptr, nullptr}});
}

std::shared_ptr<SurfaceReference> surface_reference(const std::shared_ptr<Module>& module, const std::string& name) {
  Current current(*module->context());
  CUsurfref handle = nullptr;
  check_reference(api().cuModuleGetSurfRef.status(&handle, module->handle(), name.c_str()), "cuModuleGetSurfRef", name,
                  "SurfaceObject");
  return std::make_shared<SurfaceReference>(SurfaceReference{{module, handle, nullptr, nullptr}});
}

}  // namespace devarray::cuda
