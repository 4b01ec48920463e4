#include "engine/host/svml.hpp"

#include <array>
#include <string>
#include <vector>

#include "common/dlib.hpp"

namespace devarray::host {

void* svml_functions[kSvml][2];

namespace {

#ifdef DEVARRAY_X86_LOOPS
/// The library for a set of instructions; the runtime loads the one that its kernels will call.
struct Library {
  const char* suffix;
  const char* lanes[2];  ///< of the functions of float32 and float64
  FindSvml find;         ///< null: not tried yet
};
constexpr Library kLibraries[] = {
    {"z0", {"f16", "8"}, find_svml_avx512},
    {"l9", {"f8", "4"}, find_svml_avx2},
    {"z1", {"f16", "8"}, find_svml_avx512},
    {"e9", {}, nullptr},
    {"h8", {}, nullptr},
};
constexpr const char* kNames[kSvml] = {
#define DEVARRAY_SVML_NAME(name) #name,
    DEVARRAY_SVML_OF_ONE(DEVARRAY_SVML_NAME) DEVARRAY_SVML_OF_TWO(DEVARRAY_SVML_NAME)
#undef DEVARRAY_SVML_NAME
};

/// Of the one library that the process has; null where there is none, or one of several might be the kernels'.
FindSvml find_loaded() {
  const Library* found = nullptr;
  DynamicLibrary library;
  for (const Library& each : kLibraries) {
    const DynamicLibrary loaded = DynamicLibrary::loaded(std::string("libocl_svml_") + each.suffix + ".so");
    if (!loaded) continue;
    if (found) return nullptr;
    found = &each;
    library = loaded;
  }
  if (!found || !found->find) return nullptr;
  for (int f = 0; f < kSvml; ++f)
    for (int wide = 0; wide < 2; ++wide) {
      const std::string name = std::string("__ocl_svml_") + found->suffix + "_" + kNames[f] + found->lanes[wide];
      svml_functions[f][wide] = library.symbol<void*>(name.c_str());
      if (!svml_functions[f][wide]) return nullptr;
    }
  return found->find;
}
#else
FindSvml find_loaded() { return nullptr; }
#endif

/// The loops of every row; the ones between scalars second.
using Loops = std::array<std::array<Loop, kDTypes>, 2>;

std::vector<Loops> loops_of_rows() {
  std::vector<Loops> rows;
  const FindSvml find = find_loaded();
  if (!find) return rows;
  rows.resize(ops().size());
  for (std::size_t id = 0; id < rows.size(); ++id) {
    const std::string& name = ops()[static_cast<OpId>(id)].name;
    for (std::size_t t = 0; t < kDTypes; ++t) {
      rows[id][0][t] = find(name.c_str(), static_cast<DType>(t));
      const Loop between = find((name + ":scalars").c_str(), static_cast<DType>(t));
      rows[id][1][t] = between ? between : rows[id][0][t];
    }
  }
  return rows;
}

}  // namespace

Loop svml_loop(const Device& device, OpId op, DType compute, bool scalars) {
  if (device.caps().platform != "Intel(R) OpenCL" || device.type() != DeviceType::cpu) return nullptr;
  if (device.strategy() != Strategy::cpu) return nullptr;             // kernels have functions of their own there
  static const auto* rows = new std::vector<Loops>(loops_of_rows());  // the runtime is loaded: here is its device
  return op < rows->size() ? (*rows)[op][scalars][static_cast<std::size_t>(compute)] : nullptr;
}

}  // namespace devarray::host
