#include "engine/kernel_spec.hpp"

#include <unordered_map>

#include "engine/config.hpp"

namespace devarray {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};
using KernelMap = std::unordered_map<std::string, KernelPtr, Hash, std::equal_to<>>;

std::unordered_map<Device*, KernelMap>& kernels() {
  static auto* map = new std::unordered_map<Device*, KernelMap>();  // outlives every static that may use it
  return *map;
}

}  // namespace

const char* name_of(Mode mode) {
  return mode == Mode::linear ? "linear" : mode == Mode::rows ? "rows" : "flat";
}

const char* name_of(Access access) {
  switch (access) {
    case Access::linear: return "linear";
    case Access::uniform: return "uniform";
    case Access::unit: return "unit";
    case Access::row: return "row";
    default: return "strided";
  }
}

void SpecKey::add(const ExpressionSpec& body) {
  add(static_cast<std::uint8_t>(body.leaves.size()));
  for (const SpecOperand& l : body.leaves) {
    add(static_cast<std::uint8_t>(l.dtype));
    add(static_cast<std::uint8_t>(l.access));
  }
  add(static_cast<std::uint8_t>(body.scalars.size()));
  for (DType t : body.scalars) add(static_cast<std::uint8_t>(t));
  add(static_cast<std::uint8_t>(body.nodes.size()));
  for (const SpecNode& n : body.nodes) {
    add16(n.op);
    add(static_cast<std::uint8_t>(n.compute));
    add(static_cast<std::uint8_t>(n.result));
    for (int i = 0; i < n.nargs; ++i) add(n.args[i]);
  }
  add(static_cast<std::uint8_t>(body.outputs.size()));
  for (const SpecOutput& o : body.outputs) {
    add(o.value);
    add(static_cast<std::uint8_t>(o.dtype));
    add(static_cast<std::uint8_t>(o.access));
  }
}

KernelPtr cached_kernel(Device& device, const SpecKey& key, const std::function<KernelPtr()>& build) {
  KernelMap& map = kernels()[&device];
  if (auto it = map.find(key.view()); it != map.end()) {
    stats().memory_cache_hits.fetch_add(1, std::memory_order_relaxed);
    return it->second;
  }
  std::string owned(key.view());
  KernelPtr kernel = build();
  return kernels()[&device].emplace(std::move(owned), std::move(kernel)).first->second;
}

void clear_kernel_cache() { kernels().clear(); }

std::size_t kernel_cache_size() {
  std::size_t n = 0;
  for (auto& [device, map] : kernels()) n += map.size();
  return n;
}

BuildHooks& build_hooks() {
  static BuildHooks hooks;
  return hooks;
}

}  // namespace devarray
