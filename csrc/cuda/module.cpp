#include "cuda/module.hpp"

#include "cuda/jit_options.hpp"

namespace devarray::cuda {
std::shared_ptr<Module> Module::load(const ContextPtr& context, std::string image, const JitOptions::Pairs& options,
                                     JitResult* messages, std::string log) {
  if (image.empty()) throw ValueError("an empty binary; a cubin, PTX or fatbin was wanted");
  Current current(*context);
  JitOptions jit(options);
  CUmodule module = nullptr;
  const CUresult result = api().cuModuleLoadDataEx.status(
      &module, image.c_str(), static_cast<unsigned>(jit.keys.size()), jit.keys.data(), jit.values.data());
  const std::string error = jit.error.c_str(), info = jit.info.c_str();
  if (messages) *messages = {info, error};
  if (result == CUDA_ERROR_INVALID_PTX) throw CompileError("PTX does not compile: " + error, error, image);
  if (result != CUDA_SUCCESS) fail(result, "cuModuleLoadDataEx", error);
  if (!info.empty()) log += info;
  return std::make_shared<Module>(context, module, std::move(image), std::move(log));
}

Module::~Module() {
  if (CurrentForRelease current(*context_); current) api().cuModuleUnload.status(module_);
}

KernelPtr Module::kernel(const std::string& name) { return function(name); }

std::shared_ptr<Function> Module::function(const std::string& name) {
  Current current(*context_);
  CUfunction function = nullptr;
  const CUresult result = api().cuModuleGetFunction.status(&function, module_, name.c_str());
  if (result == CUDA_ERROR_NOT_FOUND)
    fail(result, "cuModuleGetFunction",
         "the module has no kernel '" + name + "'; is it declared extern \"C\" __global__?");
  if (result != CUDA_SUCCESS) fail(result, "cuModuleGetFunction");
  return std::make_shared<Function>(shared_from_this(), function, name);
}

std::pair<CUdeviceptr, std::size_t> Module::global(const std::string& name) const {
  Current current(*context_);
  CUdeviceptr address = 0;
  std::size_t size = 0;
  const CUresult result = api().cuModuleGetGlobal_v2.status(&address, &size, module_, name.c_str());
  if (result != CUDA_SUCCESS) fail(result, "cuModuleGetGlobal", "looking for the variable '" + name + "'");
  return {address, size};
}

Function::Function(std::shared_ptr<Module> module, CUfunction function, std::string name)
    : module_(std::move(module)), function_(function), name_(std::move(name)) {
  max_threads_ = static_cast<std::size_t>(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
}

int Function::attribute(CUfunction_attribute attribute) const {
  Current current(*context());
  int value = 0;
  api().cuFuncGetAttribute(&value, attribute, function_);
  return value;
}

void Function::set_attribute(CUfunction_attribute attribute, int value) const {
  Current current(*context());
  api().cuFuncSetAttribute(function_, attribute, value);
}

const std::vector<std::size_t>* Function::parameter_sizes() const {
  if (!api().cuFuncGetParamInfo) return nullptr;
  std::call_once(sizes_asked_, [this] {
    Current current(*context());
    std::size_t offset = 0, size = 0;
    while (api().cuFuncGetParamInfo.status(function_, sizes_.size(), &offset, &size) == CUDA_SUCCESS)
      sizes_.push_back(size);
  });
  return &sizes_;
}

namespace {

std::string dims_text(const unsigned (&d)[3]) {
  std::string text;
  for (const unsigned n : d) text.append(text.empty() ? "(" : ", ").append(std::to_string(n));
  return text.append(")");
}

}  // namespace

void Function::check_launch(CUresult result, const unsigned (&grid)[3], const unsigned (&block)[3],
                            unsigned shared_bytes) const {
  if (result == CUDA_SUCCESS) [[likely]]
    return;
  fail(result, "cuLaunchKernel",
       "kernel '" + name_ + "', grid " + dims_text(grid) + ", block " + dims_text(block) + " (at most " +
           std::to_string(max_threads_) + " threads), " + std::to_string(shared_bytes) + " bytes of shared memory");
}

void Function::launch(const unsigned (&grid)[3], const unsigned (&block)[3], void** parameters, unsigned shared_bytes,
                      CUstream stream) const {
  Current current(*context());
  check_launch(api().cuLaunchKernel.status(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                           shared_bytes, stream, parameters, nullptr),
               grid, block, shared_bytes);
}

void Function::launch_packed(const unsigned (&grid)[3], const unsigned (&block)[3], const void* buffer,
                             std::size_t bytes, unsigned shared_bytes, CUstream stream) const {
  Current current(*context());
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(buffer), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  check_launch(api().cuLaunchKernel.status(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                           shared_bytes, stream, nullptr, extra),
               grid, block, shared_bytes);
}

int Function::max_active_blocks(int block_size, std::size_t shared_bytes) const {
  Current current(*context());
  int blocks = 0;
  api().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, block_size, shared_bytes);
  return blocks;
}

std::pair<int, int> Function::best_block_size(std::size_t shared_bytes, int limit) const {
  Current current(*context());
  int grid = 0, block = 0;
  api().cuOccupancyMaxPotentialBlockSize(&grid, &block, function_, nullptr, shared_bytes, limit);
  return {block, grid};
}

}  // namespace devarray::cuda
