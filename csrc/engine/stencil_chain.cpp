#include "engine/stencil_chain.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/fork.hpp"
#include "common/gil.hpp"
#include "engine/config.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/partition.hpp"
#include "engine/profile.hpp"
#include "engine/stencil_links.hpp"
#include "memory/block_record.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostSteps = 4;         ///< of a chain
constexpr int kMostWeight = 160;              ///< operations of a step: from then on memory does not bound it
constexpr unsigned kMostAlone = 3;            ///< times that a launch is held back for nothing, one after the other
constexpr std::size_t kMostLocal = 48 << 10;  ///< bytes of local memory
constexpr std::size_t kMostParameters = 3500;

class StencilChain;
/// The chains that hold something back, and their queues.
std::vector<StencilChain*>& chains_that_hold() {
  static auto* chains = new std::vector<StencilChain*>;
  return *chains;
}
void launch_all();

/// The launches that a queue holds back.
class StencilChain final : public Queue::HeldBack {
 public:
  explicit StencilChain(Queue& queue) : queue_(queue) {}
  ~StencilChain() override { release(); }

  static StencilChain& of(Queue& queue) {
    if (!queue.held_back) queue.held_back = std::make_shared<StencilChain>(queue);
    return static_cast<StencilChain&>(*queue.held_back);
  }

  void launch(Queue& queue) override;
  void launch() { launch(queue_); }
  void take(StencilLaunch&& launch, const StencilLinks* linked);
  void release();
  bool holds() const { return !steps_.launches.empty(); }
  bool launching() const { return launching_; }
  const StencilSteps& steps() const { return steps_; }
  /// Whether a launch has nothing to do with what is held back.
  bool is_apart(std::size_t leaves, const std::vector<const Block*>& blocks) const;
  bool reads_last(std::size_t leaves, const std::vector<const Block*>& blocks) const;
  void note_last(std::size_t leaves, const std::vector<const Block*>& blocks) {
    last_.assign(blocks.begin() + static_cast<std::ptrdiff_t>(leaves), blocks.end());
  }

 private:
  void launch_each();
  bool launch_together();
  /// All of it but the stages.
  StencilChainSpec spec() const;
  KernelPtr kernel_of(StencilChainSpec& s) const;
  bool is_wanted(const Block& block) const;
  bool may_write(const StencilChainSpec& spec) const;
  std::uint64_t bytes_of(const StencilChainSpec& spec) const;

  Queue& queue_;
  StencilSteps steps_;
  std::vector<const Block*> last_;  ///< what the last stencil wrote: compared, never read
  bool launching_ = false;
};

void launch_all() {
  static bool at_work = false;  // under the GIL; a launch may let go of it
  if (std::exchange(at_work, true)) return;
  struct End {
    ~End() { at_work = false; }
  } end;
  while (!chains_that_hold().empty()) {
    StencilChain* const chain = chains_that_hold().back();
    if (chain->launching()) return;
    forked() ? chain->release() : chain->launch();  // a child process has no use for its parent's launches
  }
}

void StencilChain::take(StencilLaunch&& launch, const StencilLinks* linked) {
  if (linked) {
    for (std::uint8_t number : linked->links) steps_.links.push_back(number);
    steps_.margins.push_back({linked->rows, linked->columns});
    steps_.periodic = linked->periodic;
    steps_.bounded = linked->bounded;
  } else {
    steps_.margins.assign(1, Margin());
    chains_that_hold().push_back(this);
    gil_hooks().before_release.store(launch_all, std::memory_order_relaxed);
    queue_.holds_back.store(true, std::memory_order_relaxed);
  }
  steps_.launches.push_back(std::move(launch));
  ++steps_.changes;
}

void StencilChain::release() {
  const std::uint64_t changes = steps_.changes + 1;
  steps_ = StencilSteps();
  steps_.changes = changes;
  launching_ = false;
  queue_.holds_back.store(false, std::memory_order_relaxed);
  std::erase(chains_that_hold(), this);
  if (chains_that_hold().empty()) gil_hooks().before_release.store(nullptr, std::memory_order_relaxed);
}

bool StencilChain::is_apart(std::size_t leaves, const std::vector<const Block*>& blocks) const {
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (i < leaves ? steps_.writes(blocks[i]) : steps_.uses(blocks[i])) return false;
  return true;
}

bool StencilChain::reads_last(std::size_t leaves, const std::vector<const Block*>& blocks) const {
  for (const Block* block : last_)
    if (std::count(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(leaves), block) > 1) return true;
  return false;
}

void StencilChain::launch(Queue&) {
  EngineLock lock;
  if (!holds() || launching_) return;
  launching_ = true;
  struct End {
    StencilChain& chain;
    ~End() { chain.release(); }
  } end{*this};
  const StencilLaunch& last = steps_.launches.back();
  last_.clear();
  for (std::size_t i = leaves_of(*last.stage); i < last.blocks.size(); ++i) last_.push_back(last.blocks[i].get());
  if (steps_.launches.size() == 1) {
    ++last.stage->alone;
    return launch_each();
  }
  for (const StencilLaunch& l : steps_.launches) l.stage->alone = 0;
  if (!launch_together()) launch_each();
}

void StencilChain::launch_each() {
  for (StencilLaunch& l : steps_.launches) {
    if (l.turns) l.slots[0] = turned(l.slots[0], queue_);
    queue_.launch_first(*l.kernel, l.dims, l.memory.data(), l.memory.size(), l.slots.data(), l.slots.size());
    ++queue_.flight.unmarked;
    stats().launches.fetch_add(1, std::memory_order_relaxed);
    stats().bytes_moved.fetch_add(l.bytes, std::memory_order_relaxed);
  }
}

/// Whether anything but the chain has the memory of a result.
bool StencilChain::is_wanted(const Block& block) const {
  std::uint32_t own = 0;
  for (const StencilLaunch& l : steps_.launches)
    for (const Ref<Block>& b : l.blocks) own += b.get() == &block;
  return block.use_count() > own;
}

StencilChainSpec StencilChain::spec() const {
  StencilChainSpec s;
  s.links = steps_.links;
  s.neighbours = neighbours(steps_);
  s.bounded = steps_.bounded;
  s.columns = kTileColumns;
  s.rows = kTileRows;
  s.several = kTileRowsOfItem;
  for (std::size_t i = 0; i < steps_.launches.size(); ++i) {
    const StencilLaunch& l = steps_.launches[i];
    s.margins.push_back(static_cast<std::uint8_t>(steps_.margins[i].rows));
    s.margins.push_back(static_cast<std::uint8_t>(steps_.margins[i].columns));
    const std::size_t leaves = leaves_of(*l.stage);
    for (std::size_t o = leaves; o < l.blocks.size(); ++o) {
      if (!is_wanted(*l.blocks[o])) continue;
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

KernelPtr StencilChain::kernel_of(StencilChainSpec& s) const {
  const DevicePtr device = queue_.device();
  std::string key = std::to_string(device->serial());
  for (const StencilLaunch& l : steps_.launches) {
    const StencilStage* const stage = l.stage.get();
    key.append(reinterpret_cast<const char*>(&stage), sizeof stage);
  }
  for (const auto* numbers : {&s.links, &s.neighbours, &s.stored}) {
    key.push_back(static_cast<char>(numbers->size()));
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
  if (s.stored.empty()) return true;  // nobody will ever know
  if (!may_write(s)) return false;
  const std::uint64_t bytes = bytes_of(s);
  KernelPtr kernel;
  try {
    kernel = kernel_of(s);
  } catch (const CompileError&) {
    for (const StencilLaunch& l : steps_.launches) l.stage->alone = kMostAlone;
    return false;
  }
  constexpr std::size_t kGroup = kTileColumns * kTileRows / kTileRowsOfItem;
  if (!kernel || kernel->max_work_group_size() < kGroup) return false;
  LaunchDims dims;
  dims.local[0] = kGroup;
  const Margin margin = steps_.margins.back();
  const auto groups = [](std::int64_t n, std::int64_t per) { return static_cast<std::size_t>((n + per - 1) / per); };
  dims.groups[0] = groups(steps_.size(1), kTileColumns - 2 * margin.columns);
  dims.groups[1] = groups(steps_.size(0), kTileRows - 2 * margin.rows);
  if (dims.groups[1] > 65535) return false;
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  for (const StencilLaunch& l : steps_.launches) {
    for (const MemoryArg& m : l.memory) memory.push_back(m);
    for (std::int64_t slot : l.slots) slots.push_back(slot);
  }
  slots[0] = turned(slots[0], queue_);
  queue_.launch_first(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  ++queue_.flight.unmarked;
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

bool is_of_queue_alone(const Storage& s, const Queue& queue) {
  const Block& block = *s.block;
  return s.place->queue.get() == &queue && !s.exposed && block.foreign_uses.empty() &&
         (!block.timeline || block.timeline == queue.timeline());
}

/// Null where there is none. What is held back stays: it would be why more is asked for.
Ref<Block> allocate_beside(const Place& place, std::size_t bytes) {
  if (Ref<Block> block = place.resource->try_allocate(bytes, place.queue)) return block;
  PlanOf::spoil();
  try {
    GilRelease unlocked(GilRelease::HeldBack::stays);
    return place.resource->allocate(bytes, place.queue);
  } catch (const OutOfMemoryError&) {
    return nullptr;
  }
}

/// Of local memory that a chain with one more step needs: two steps have theirs at a time, each what the next one reads
/// at other places.
std::size_t local_bytes(const StencilSteps& steps, const StencilLinks& more) {
  constexpr std::uint8_t kHere = kNoDistance;
  const std::int64_t elements = kTileColumns * kTileRows + 2 * kReach * (kTileColumns + 1);
  std::vector<std::size_t> bytes(steps.launches.size(), 0);
  std::vector<std::pair<int, int>> counted;
  for (const auto* links : {&steps.links, &more.links})
    for (std::size_t i = 0; i < links->size(); i += 6) {
      const std::uint8_t* const link = links->data() + i;
      const std::pair<int, int> result(link[2], link[3]);
      if ((link[4] == kHere && link[5] == kHere) || std::find(counted.begin(), counted.end(), result) != counted.end())
        continue;
      counted.push_back(result);
      const DType t = steps.launches[link[2]].stage->spec.body.outputs[link[3]].dtype;
      bytes[link[2]] += size_of(t) * static_cast<std::size_t>(elements);
    }
  std::size_t most[2] = {0, 0};
  for (std::size_t s = 0; s < bytes.size(); ++s) most[s % 2] = std::max(most[s % 2], bytes[s]);
  return most[0] + most[1];
}

std::size_t parameters_of(const StencilStage& s, const SmallVector<std::int64_t, 64>& slots) {
  return 8 * (slots.size() + s.slot_of.size());
}

}  // namespace

StencilStagePtr stencil_stage(const ElementwiseSpec& spec, SmallVector<std::uint16_t, 32> slot_of,
                              SmallVector<bool, 8> replaceable, std::uint64_t bytes, const Device& device) {
  if (device.strategy() != Strategy::gpu || device.exact_launches() || spec.mode != Mode::rows || spec.ndim != 2 ||
      spec.wide || bytes < static_cast<std::uint64_t>(config().row_bytes))
    return nullptr;
  auto stage = std::make_shared<StencilStage>();
  for (const SpecNode& n : spec.body.nodes) {
    if (ops()[n.op].flags & Op::indexed) return nullptr;
    stage->weight += weight_of(n.op);
  }
  const auto is_exact = [](DType t) { return t != DType::float16; };  // others are computed as they are stored
  for (const SpecOperand& l : spec.body.leaves)
    if (!is_exact(l.dtype)) return nullptr;
  for (const SpecOutput& o : spec.body.outputs)
    if (o.access != Access::unit || !is_exact(o.dtype)) return nullptr;
  if (stage->weight > kMostWeight || slot_of.size() > 24) return nullptr;
  stage->spec = spec;
  stage->slot_of = std::move(slot_of);
  stage->replaceable = std::move(replaceable);
  return stage;
}

StencilOffer::StencilOffer(const StencilStagePtr& stage, const Place& place, const std::vector<Storage*>& storages,
                           std::size_t leaves, const SmallVector<std::int64_t, 64>& slots)
    : place_(place), storages_(storages), leaves_(leaves) {
  Queue& queue = *place.queue;
  if (!stage && !queue.holds_back.load(std::memory_order_relaxed)) return;
  StencilChain& chain = StencilChain::of(queue);
  bool alone = config().deferred && !profiling() && !debugging(2) && !config().check_bounds;
  for (const Storage* s : storages) {
    blocks_.push_back(s->block.get());
    alone = alone && is_of_queue_alone(*s, queue);
  }
  if (chain.holds()) {
    held_ = linked_ = alone && stage && goes_on(*stage, slots);
    passes_ = alone && !held_ && chain.is_apart(leaves, blocks_);
    if (held_ || passes_) return;
    queue.settle();
  }
  if (!stage) return;
  held_ = alone && begins(*stage, slots);
  if (!held_) chain.note_last(leaves, blocks_);
}

/// Whether it is the next step of the chain.
bool StencilOffer::goes_on(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots) {
  const StencilSteps& steps = StencilChain::of(*place_.queue).steps();
  if (steps.launches.size() == kMostSteps) return false;
  std::size_t parameters = parameters_of(stage, slots);
  for (const StencilLaunch& l : steps.launches) parameters += parameters_of(*l.stage, l.slots);
  const std::size_t most = std::min(kMostParameters, place_.device->caps().max_parameter_bytes);
  return parameters <= most && link_step(steps, stage, slots, blocks_, links_) &&
         local_bytes(steps, links_) <= kMostLocal && find_memory(stage);
}

/// Memory for the results that would be written where the chain or the launch itself reads: other groups of work-items
/// may still be reading then.
bool StencilOffer::find_memory(const StencilStage& stage) {
  const StencilSteps& steps = StencilChain::of(*place_.queue).steps();
  const std::uint64_t changes = steps.changes;
  const auto leaves_end = blocks_.begin() + static_cast<std::ptrdiff_t>(leaves_);
  for (std::size_t i = leaves_; i < blocks_.size(); ++i) {
    if (!steps.uses(blocks_[i]) && std::find(blocks_.begin(), leaves_end, blocks_[i]) == leaves_end) continue;
    if (!stage.replaceable[i - leaves_]) return false;
    Ref<Block> block = allocate_beside(place_, blocks_[i]->size);
    if (!block) return false;
    note_block(*block);
    fresh_.emplace_back(i, std::move(block));
  }
  return steps.changes == changes;  // other threads may have run
}

/// Whether a chain begins with it: it reads what the last stencil wrote, at several places.
bool StencilOffer::begins(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots) const {
  constexpr std::int64_t kAround = 2 * kReach;  // so that no place is outside by more than the size of the array
  if (stage.alone >= kMostAlone || (slots[0] & 0xFFFFFFFF) < kTileRows + kAround ||
      (slots[1] & 0xFFFFFFFF) < kTileColumns + kAround)
    return false;
  const auto leaves_end = blocks_.begin() + static_cast<std::ptrdiff_t>(leaves_);
  for (std::size_t i = leaves_; i < blocks_.size(); ++i)
    if (!stage.replaceable[i - leaves_] && std::find(blocks_.begin(), leaves_end, blocks_[i]) != leaves_end)
      return false;
  return StencilChain::of(*place_.queue).reads_last(leaves_, blocks_);
}

void StencilOffer::hold_back(StencilLaunch&& launch) const {
  for (Storage* s : storages_) launch.blocks.push_back(s->block);
  for (const auto& [operand, block] : fresh_) {
    Storage& s = *storages_[operand];
    launch.slots[launch.stage->slot_of[operand]] +=
        static_cast<std::int64_t>(block->offset) - static_cast<std::int64_t>(s.block->offset);
    s.block = block;
    launch.blocks[operand] = block;
    launch.memory[operand] = memory_arg(s);
  }
  for (std::size_t i = 0; i < storages_.size(); ++i) {
    storages_[i]->unused = false;
    if (i >= leaves_) storages_[i]->note_write();
  }
  StencilChain::of(*place_.queue).take(std::move(launch), linked_ ? &links_ : nullptr);
}

}  // namespace devarray
