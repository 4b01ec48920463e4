#include "engine/kernel_spec.hpp"

#include <unordered_map>

#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/kept_launch.hpp"
#include "engine/profile.hpp"
#include "engine/ranges.hpp"

namespace devarray {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};
struct Entry {
  std::weak_ptr<Kernel> kernel;
  std::shared_ptr<const std::string> source;  ///< of one that was not compiled yet when it was last asked for
};
using KernelMap = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;

/// Kernels by device and spec. devarray/_runtime/compiler.py keeps them alive, as many as the settings say; what it let
/// go of is gone from here, too.
struct Known {
  std::unordered_map<std::uint64_t, KernelMap> of_device;
  std::size_t entries = 0, sweep_at = 64;

  /// Drops the entries of kernels that are gone. Each comes after as many insertions as there were entries.
  void sweep() {
    entries = 0;
    for (auto device = of_device.begin(); device != of_device.end();) {
      std::erase_if(device->second, [](const auto& entry) { return entry.second.kernel.expired(); });
      entries += device->second.size();
      device = device->second.empty() ? of_device.erase(device) : std::next(device);
    }
    sweep_at = 2 * entries + 64;
  }
};
Known& known() {
  static auto* k = new Known;  // outlives every static that may use it
  return *k;
}

}  // namespace

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::linear: return "linear";
    case Mode::rows: return "rows";
    case Mode::flat: return "flat";
    default: return "tiles";
  }
}

const char* name_of(Access access) {
  switch (access) {
    case Access::linear: return "linear";
    case Access::uniform: return "uniform";
    case Access::table: return "table";
    case Access::unit: return "unit";
    case Access::row: return "row";
    case Access::tiled: return "tiled";
    case Access::fixed_unit: return "fixed:unit";
    case Access::fixed_row: return "fixed:row";
    case Access::fixed_strided: return "fixed:strided";
    case Access::packed_unit: return "packed:unit";
    case Access::backward: return "steps:-1:strided";
    case Access::by_2: return "steps:2:strided";
    case Access::by_3: return "steps:3:strided";
    case Access::by_4: return "steps:4:strided";
    default: return "strided";
  }
}

Access access_by_steps(std::int64_t stride, std::int64_t itemsize) {
  if (stride == -itemsize) return Access::backward;
  if (stride == 2 * itemsize) return Access::by_2;
  if (stride == 3 * itemsize) return Access::by_3;
  return stride == 4 * itemsize ? Access::by_4 : Access::strided;
}

void SpecKey::add(const std::string& text) {
  add(static_cast<std::uint8_t>(text.size()));
  for (char c : text) add(c);
}

void SpecKey::add(const SmallVector<DType, 8>& dtypes) {
  add(static_cast<std::uint16_t>(dtypes.size()));
  for (DType t : dtypes) add(t);
}

void SpecKey::add(const SmallVector<std::uint8_t, 16>& numbers) {
  add(static_cast<std::uint16_t>(numbers.size()));
  for (std::uint8_t number : numbers) add(number);
}

void SpecKey::add(const std::vector<RowStep>& steps) {
  add(static_cast<std::uint8_t>(steps.size()));
  for (const RowStep& s : steps) {
    add(s.node);
    add(s.kind);
    add(s.accumulator);
    add(s.value);
    add(s.post_scalars);
    add(s.post);
    add(s.result);
  }
}

void SpecKey::add(const std::vector<SpecConstant>& constants) {
  add(static_cast<std::uint16_t>(constants.size()));
  for (const SpecConstant& c : constants) {
    add(c.scalar);
    add(c.bits);
  }
}

void SpecKey::add_nodes(const SmallVector<SpecNode, 16>& nodes, bool wide_ids) {
  add(static_cast<std::uint16_t>(nodes.size()));
  for (const SpecNode& n : nodes) {
    add(n.op);
    add(n.compute);
    add(n.result);
    for (int i = 0; i < n.nargs; ++i) add_id(n.args[i], wide_ids);  // as many as the op takes
  }
}

void SpecKey::add(const ExpressionSpec& body) {
  const bool wide_ids = body.leaves.size() + body.scalars.size() + body.nodes.size() > 255;
  add(static_cast<std::uint8_t>(body.leaves.size()));
  for (const SpecOperand& l : body.leaves) {
    add(l.dtype);
    add(static_cast<std::uint8_t>(static_cast<std::uint8_t>(l.access) | (l.shifted ? 128 : 0)));
    if (l.shifted) add(l.shifted);
  }
  add(body.scalars);
  add_nodes(body.nodes, wide_ids);
  add(static_cast<std::uint8_t>(body.outputs.size()));
  for (const SpecOutput& o : body.outputs) {
    add_id(o.value, wide_ids);
    add(o.dtype);
    add(o.access);
  }
}

KernelPtr cached_kernel(Device& device, const SpecKey& key, const std::function<Built(const std::string*)>& build) {
  KernelMap& map = known().of_device[device.serial()];
  std::shared_ptr<const std::string> source;
  if (auto it = map.find(key.view()); it != map.end()) {
    if (KernelPtr kernel = it->second.kernel.lock()) {
      kernel->note_use();
      stats().memory_cache_hits.fetch_add(1, std::memory_order_relaxed);
      return kernel;
    }
    source = it->second.source;
  }
  PlanOf::spoil();  // others may run while a compiler works
  std::string owned(key.view());
  const NamedRange range([] { return "compile"; });
  const auto timer = timer_of(Activity::compilation);
  const Attempt::Aside aside;
  Built built = build(source.get());
  if (!built.kernel && source) return nullptr;
  if (built.kernel && timer) timer->done({.name = "compile"});
  if (++known().entries >= known().sweep_at) known().sweep();
  Entry& entry = known().of_device[device.serial()][std::move(owned)];
  entry.kernel = built.kernel;
  entry.source = built.kernel ? nullptr : std::make_shared<const std::string>(std::move(built.source));
  aside.end(built.kernel);
  return built.kernel;
}

bool is_known(Device& device, const SpecKey& key) {
  const KernelMap& map = known().of_device[device.serial()];
  const auto found = map.find(key.view());
  return found != map.end() && !found->second.kernel.expired();
}

namespace {

KernelPtr made_elementwise_kernel(Device& device, const ElementwiseSpec& spec, bool soon) {
  return cached_kernel(device, SpecKey('e', spec), [&](const std::string* source) {
    return build_hooks().elementwise(device, spec, soon, source);
  });
}

}  // namespace

KernelPtr elementwise_kernel(Device& device, const ElementwiseSpec& spec) {
  return made_elementwise_kernel(device, spec, false);
}

bool ask_for_kernel(Device& device, const ElementwiseSpec& spec, std::weak_ptr<Kernel>& kernel) {
  if (!kernel.expired()) return true;
  const ElementwiseSpec asked = spec;
  try {
    const KernelPtr made = made_elementwise_kernel(device, asked, true);
    if (asked.constants == spec.constants) kernel = made;
  } catch (const Error&) {
    return false;
  }
  return true;
}

void clear_kernel_cache() {
  known() = Known();
  clear_kept_launches();
}

std::size_t kernel_cache_size() {
  std::size_t n = 0;
  for (auto& [device, map] : known().of_device)
    for (auto& [key, entry] : map) n += !entry.kernel.expired();
  return n;
}

BuildHooks& build_hooks() {
  static BuildHooks hooks;
  return hooks;
}

}  // namespace devarray
