#include "engine/stencil_queue.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/config.hpp"
#include "engine/launch.hpp"
#include "engine/stencil_memory.hpp"

namespace devarray {

void StencilChain::take(StencilLaunch&& launch, const StencilLinks* linked) {
  if (linked) {
    for (std::uint8_t number : linked->links) steps_.links.push_back(number);
    steps_.margins.push_back({linked->rows, linked->columns});
    steps_.frames.insert(steps_.frames.end(), linked->frames.begin(), linked->frames.end());
    steps_.periodic = linked->periodic;
    steps_.bounded = linked->bounded;
  } else {
    steps_.margins.assign(1, Margin());
    steps_.tile = queue_.device()->driver() == DriverKind::opencl ? kTileOfOpenCl
                  : launch.stage->spec.body.outputs.size() > 1    ? kTileOfSeveral
                                                                  : kTileOfOne;
    if (!holds()) begin();
  }
  steps_.launches.push_back(std::move(launch));
  ++steps_.changes;
}

void StencilChain::take_side(StencilLaunch&& launch) {
  if (!holds()) begin();
  steps_.sides.push_back(std::move(launch));
  ++steps_.changes;
}

void StencilChain::forget() {
  const StencilSteps old = std::exchange(steps_, StencilSteps());  // ends last: what dies then may run programs
  steps_.changes = old.changes + 1;
  launched_ = 0;
}

void StencilChain::free_dead() {
  if (!launching_ && launched_ == 0) take_dead_memory(steps_);  // let go of when it is no one's
}

void StencilChain::hand_over(StencilResult result) { take_memory(steps_, result); }

bool StencilChain::is_apart(std::size_t leaves, const std::vector<const Block*>& blocks) const {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (i < leaves ? steps_.writes(blocks[i]) : steps_.uses(blocks[i])) return false;
  return true;
}

void StencilChain::launch_held() {
  if (launched_ > 0 || steps_.launches.empty()) return launch_each();
  const StencilLaunch& last = steps_.launches.back();
  if (steps_.launches.size() == 1) {
    ++last.stage->alone;
    return launch_each();
  }
  for (const StencilLaunch& l : steps_.launches) l.stage->alone = 0;
  if (!launch_together()) launch_each();
}

/// Where there is no memory, the steps stay: who frees some finds the results right.
void StencilChain::lend(std::size_t step) {
  try {
    lend_memory(steps_, step, queue_);
  } catch (const OutOfMemoryError&) {
    stays_ = true;
    throw;
  }
}

/// Where it does not compile, the steps stay: nobody shall find results that were never written.
void StencilChain::make_kernel(StencilLaunch& l) {
  const DevicePtr device = queue_.device();
  const ElementwiseSpec& spec = l.stage->spec;
  stays_ = true;
  l.kernel = elementwise_kernel(*device, spec);
  stays_ = false;
  l.dims = elementwise_dims(*device, *l.kernel, spec.mode, spec.vec, {l.slots[0], l.slots[1]});
}

void StencilChain::launch_one(StencilLaunch& l) {
  if (!l.kernel) make_kernel(l);
  if (l.turns) l.slots[0] = turned(l.slots[0], queue_);
  queue_.launch_first(*l.kernel, l.dims, l.memory.data(), l.memory.size(), l.slots.data(), l.slots.size());
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(l.bytes, std::memory_order_relaxed);
}

bool StencilChain::does_without(const StencilLaunch& side, const StencilChainSpec& s) const {
  for (std::size_t step = 0; step < steps_.launches.size(); ++step) {
    const StencilLaunch& l = steps_.launches[step];
    for (std::size_t o = leaves_of(*l.stage); o < l.blocks.size(); ++o) {
      if (l.blocks[o] != side.blocks[0]) continue;
      const std::size_t output = o - leaves_of(*l.stage);
      bool stored = false;
      for (std::size_t i = 0; i < s.stored.size(); i += 2) stored |= s.stored[i] == step && s.stored[i + 1] == output;
      return !stored && is_unread(steps_, {step, output});
    }
  }
  return false;  // no step has to do with it
}

void StencilChain::launch_sides_of(const std::vector<const Block*>& blocks) {
  std::vector<StencilLaunch> found, others;  // first: a launch may let other threads run, which launch the rest
  for (StencilLaunch& side : steps_.sides) {
    const bool wanted = std::find(blocks.begin(), blocks.end(), side.blocks[0].get()) != blocks.end();
    (wanted ? found : others).push_back(std::move(side));
  }
  steps_.sides = std::move(others);
  for (StencilLaunch& side : found) launch_one(side);
}

void StencilChain::launch_sides(const StencilChainSpec* together) {
  for (; !steps_.sides.empty(); steps_.sides.erase(steps_.sides.begin()))
    if (!together || !does_without(steps_.sides.front(), *together)) launch_one(steps_.sides.front());
}

void StencilChain::launch_each() {
  launch_sides(nullptr);
  for (; launched_ < steps_.launches.size(); ++launched_) {
    lend(launched_);
    launch_one(steps_.launches[launched_]);
    end_loans(steps_, launched_);
  }
}

/// Whether anything but the chain has the memory of a result.
bool StencilChain::is_wanted(const Block& block) const {
  std::uint32_t own = 0;
  for (const StencilLaunch& l : steps_.launches)
    for (const Ref<Block>& b : l.blocks) own += b.get() == &block;
  return block.use_count() > own + steps_.sides_of(&block);
}

StencilChainSpec StencilChain::spec() const {
  StencilChainSpec s;
  s.links = steps_.links;
  s.neighbours = neighbours(steps_);
  for (const StencilFrame& f : steps_.frames)
    for (std::size_t number : {f.result.step, f.result.output}) s.frames.push_back(static_cast<std::uint8_t>(number));
  s.bounded = steps_.bounded;
  s.columns = kTileColumns;
  s.rows = static_cast<std::uint16_t>(steps_.tile.rows);
  s.several = static_cast<std::uint16_t>(steps_.tile.rows / steps_.tile.items);
  for (std::size_t i = 0; i < steps_.launches.size(); ++i) {
    const StencilLaunch& l = steps_.launches[i];
    s.margins.push_back(static_cast<std::uint8_t>(steps_.margins[i].rows));
    s.margins.push_back(static_cast<std::uint8_t>(steps_.margins[i].columns));
    const std::size_t leaves = leaves_of(*l.stage);
    for (std::size_t o = leaves; o < l.blocks.size(); ++o) {
      if (!l.blocks[o] || !is_wanted(*l.blocks[o])) continue;
      s.stored.push_back(static_cast<std::uint8_t>(i));
      s.stored.push_back(static_cast<std::uint8_t>(o - leaves));
      s.restrict = s.restrict && !(s.bounded && i + 1 < steps_.launches.size());
    }
  }
  return s;
}

/// Whether what is stored lies where no other group of work-items reads. Linked leaves are read around windows alone.
bool StencilChain::may_write(const StencilChainSpec& s) const {
  for (std::size_t i = 0; i < s.stored.size(); i += 2) {
    const StencilLaunch& from = steps_.launches[s.stored[i]];
    const Block* const block = from.blocks[leaves_of(*from.stage) + s.stored[i + 1]].get();
    std::size_t written = 0;
    for (std::size_t k = 0; k < steps_.launches.size(); ++k) {
      const StencilLaunch& l = steps_.launches[k];
      const std::size_t leaves = leaves_of(*l.stage);
      for (std::size_t o = 0; o < l.blocks.size(); ++o) {
        if (l.blocks[o].get() != block) continue;
        bool linked = false;
        for (std::size_t n = 0; n < s.links.size(); n += 6) linked |= s.links[n] == k && s.links[n + 1] == o;
        if (o >= leaves)
          ++written;
        else if (!linked)
          return false;
      }
    }
    if (written != 1) return false;
  }
  return true;
}

std::uint64_t StencilChain::bytes_of(const StencilChainSpec& s) const {
  const auto elements = static_cast<std::uint64_t>(steps_.size(0) * steps_.size(1));
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < s.stored.size(); i += 2)
    bytes += elements * size_of(steps_.launches[s.stored[i]].stage->spec.body.outputs[s.stored[i + 1]].dtype);
  for (std::size_t k = 0; k < steps_.launches.size(); ++k)
    for (std::size_t leaf = 0; leaf < leaves_of(*steps_.launches[k].stage); ++leaf) {
      const SpecOperand& operand = steps_.launches[k].stage->spec.body.leaves[leaf];
      bool linked = operand.access == Access::uniform;
      for (std::size_t n = 0; n < s.links.size(); n += 6) linked |= s.links[n] == k && s.links[n + 1] == leaf;
      if (!linked) bytes += elements * size_of(operand.dtype);
    }
  return bytes;
}

namespace {

/// Kernels by the stages' own objects, which kept launches share: a spec of several stages is long.
class ChainKernels {
 public:
  KernelPtr find(const std::string& key) const {
    const auto found = kernels_.find(key);
    const KernelPtr kernel = found == kernels_.end() ? nullptr : found->second.kernel.lock();
    if (kernel) {
      kernel->note_use();
      stats().memory_cache_hits.fetch_add(1, std::memory_order_relaxed);
    }
    return kernel;
  }
  void add(const std::string& key, const StencilSteps& steps, const KernelPtr& kernel) {
    if (kernels_.size() >= 256) kernels_.clear();
    Entry& entry = kernels_[key];
    entry.kernel = kernel;
    for (const StencilLaunch& l : steps.launches) entry.stages.push_back(l.stage);
  }
  static ChainKernels& all() {
    static auto* kernels = new ChainKernels;
    return *kernels;
  }

 private:
  struct Entry {
    std::vector<StencilStagePtr> stages;  ///< so that no other one gets their addresses
    std::weak_ptr<Kernel> kernel;
  };
  std::unordered_map<std::string, Entry> kernels_;
};

}  // namespace

KernelPtr StencilChain::kernel_of(StencilChainSpec& s) const {
  const DevicePtr device = queue_.device();
  std::string key = std::to_string(device->serial());
  for (const StencilLaunch& l : steps_.launches) {
    const StencilStage* const stage = l.stage.get();
    key.append(reinterpret_cast<const char*>(&stage), sizeof stage);
  }
  for (const auto* numbers : {&s.links, &s.neighbours, &s.frames, &s.stored}) {
    key += std::to_string(numbers->size()) + ' ';
    key.append(reinterpret_cast<const char*>(numbers->data()), numbers->size());
  }
  key.push_back(static_cast<char>(s.bounded));
  if (KernelPtr known = ChainKernels::all().find(key)) return known;
  for (const StencilLaunch& l : steps_.launches) s.stages.push_back(l.stage->spec);
  const KernelPtr kernel = cached_kernel(*device, SpecKey('t', s), [&](const std::string* source) {
    return build_hooks().stencil_chain(*device, s, false, source);
  });
  if (kernel) ChainKernels::all().add(key, steps_, kernel);
  return kernel;
}

bool StencilChain::launch_together() {
  StencilChainSpec s = spec();
  if (s.stored.empty()) {  // nobody will ever know
    launch_sides(&s);
    return true;
  }
  if (!may_write(s)) return false;
  const std::uint64_t bytes = bytes_of(s);
  KernelPtr kernel;
  try {
    kernel = kernel_of(s);
  } catch (const CompileError&) {
    for (const StencilLaunch& l : steps_.launches) l.stage->alone = kMostAlone;
    return false;
  } catch (...) {  // an interrupt
    stays_ = true;
    throw;
  }
  const auto group = static_cast<std::size_t>(kTileColumns * steps_.tile.items);
  if (!kernel || kernel->max_work_group_size() < group) return false;
  LaunchDims dims;
  dims.local[0] = group;
  const Margin margin = steps_.margins.back();
  const auto groups = [](std::int64_t n, std::int64_t per) { return static_cast<std::size_t>((n + per - 1) / per); };
  dims.groups[0] = groups(steps_.size(1), kTileColumns - 2 * margin.columns);
  dims.groups[1] = groups(steps_.size(0), steps_.tile.rows - 2 * margin.rows);
  if (dims.groups[1] > 65535) return false;
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  for (const StencilLaunch& l : steps_.launches) {
    for (std::size_t i = 0; i < l.memory.size(); ++i)  // what the kernel does not touch has any valid argument
      memory.push_back(l.blocks[i] ? l.memory[i] : steps_.launches[0].memory[0]);
    for (std::int64_t slot : l.slots) slots.push_back(slot);
  }
  for (const StencilFrame& f : steps_.frames)
    for (std::int64_t bits : f.bits) slots.push_back(bits);
  launch_sides(&s);
  slots[0] = turned(slots[0], queue_);
  queue_.launch_first(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

}  // namespace devarray
