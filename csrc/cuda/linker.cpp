#include "cuda/linker.hpp"

#include <utility>

namespace devarray::cuda {

Linker::Linker(ContextPtr context, const JitOptions::Pairs& options) : context_(std::move(context)), options_(options) {
  Current current(*context_);
  api().cuLinkCreate_v2(static_cast<unsigned>(options_.keys.size()), options_.keys.data(), options_.values.data(),
                        &state_);
}

Linker::~Linker() {
  if (!state_) return;
  if (CurrentForRelease current(*context_); current) api().cuLinkDestroy.status(state_);
}

void Linker::require_open(const char* call) const {
  if (!state_) throw ValueError(std::string(call) + ": this linker has made its module; take a new one");
}

void Linker::check(CUresult result, const char* call, const std::string& what) const {
  if (result == CUDA_SUCCESS) return;
  const std::string said = options_.error.c_str();
  fail(result, call, said.empty() ? what : what + ": " + said);
}

void Linker::add_data(int type, std::string data, const std::string& name) {
  require_open("Linker.add_data");
  if (data.empty()) throw ValueError("Linker.add_data: " + name + " is empty");
  Current current(*context_);
  const std::size_t bytes = data.size() + (type == CU_JIT_INPUT_PTX);  // PTX ends with a null byte
  check(api().cuLinkAddData_v2.status(state_, static_cast<CUjitInputType>(type), data.data(), bytes, name.c_str(), 0,
                                      nullptr, nullptr),
        "cuLinkAddData", name);
}

void Linker::add_file(int type, const std::string& path) {
  require_open("Linker.add_file");
  Current current(*context_);
  check(api().cuLinkAddFile_v2.status(state_, static_cast<CUjitInputType>(type), path.c_str(), 0, nullptr, nullptr),
        "cuLinkAddFile", path);
}

std::shared_ptr<Module> Linker::link() {
  require_open("Linker.link_module");
  Current current(*context_);
  void* image = nullptr;
  std::size_t bytes = 0;
  check(api().cuLinkComplete.status(state_, &image, &bytes), "cuLinkComplete", "linking");
  std::string made(static_cast<const char*>(image), bytes);  // the driver's goes with the linker
  api().cuLinkDestroy.status(std::exchange(state_, nullptr));
  return Module::load(context_, std::move(made), {}, nullptr, options_.info.c_str());
}

}  // namespace devarray::cuda
