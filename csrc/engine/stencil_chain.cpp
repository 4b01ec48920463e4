#include "engine/stencil_chain.hpp"

#include <algorithm>
#include <utility>

#include "common/gil.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"
#include "engine/partition.hpp"
#include "engine/profile.hpp"
#include "engine/stencil_memory.hpp"
#include "engine/stencil_queue.hpp"
#include "memory/block_record.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostSteps = 5;         ///< of a chain
constexpr int kMostWeight = 160;              ///< operations of a step: from then on memory does not bound it
constexpr std::size_t kMostLocal = 48 << 10;  ///< bytes of local memory

/// Of local memory that a chain with one more step needs: two steps have theirs at a time, each what the next one reads
/// at other places.
std::size_t local_bytes(const StencilSteps& steps, const StencilLinks& more) {
  constexpr std::uint8_t kHere = kNoDistance;
  const std::int64_t elements = kTileColumns * steps.tile.rows + 2 * kReach * (kTileColumns + 1);
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

/// Whether the results of a chain and of one more step take little of the device's memory: those that are wanted, or
/// lie where steps read around them, have it until the chain is launched.
bool has_room(const StencilSteps& steps, const std::vector<const Block*>& blocks, std::size_t leaves, const Device& d) {
  std::size_t bytes = 0;
  for (std::size_t i = leaves; i < blocks.size(); ++i) bytes += blocks[i]->size;
  for (const StencilLaunch& l : steps.launches)
    for (std::size_t i = leaves_of(*l.stage); i < l.blocks.size(); ++i) bytes += l.blocks[i] ? l.blocks[i]->size : 0;
  return bytes <= d.caps().global_memory / kShareOfMemory;
}

std::size_t parameters_of(const StencilStage& s, const SmallVector<std::int64_t, 64>& slots) {
  return 8 * (slots.size() + s.slot_of.size());
}

}  // namespace

StencilStagePtr stencil_stage(const ElementwiseSpec& spec, SmallVector<std::uint16_t, 32> slot_of,
                              SmallVector<bool, 8> replaceable, std::uint64_t bytes, const Device& device) {
  if (device.strategy() != Strategy::gpu || device.exact_launches() || spec.mode != Mode::rows || spec.ndim != 2 ||
      spec.wide || bytes < static_cast<std::uint64_t>(config().large_bytes()))
    return nullptr;
  auto stage = std::make_shared<StencilStage>();
  for (const SpecNode& n : spec.body.nodes) {
    if (has_flag(n.op, Op::indexed)) return nullptr;
    stage->weight += weight_of(n.op);
  }
  const auto is_exact = [](DType t) { return t != DType::float16; };  // others are computed as they are stored
  for (const SpecOperand& l : spec.body.leaves)
    if (l.access == Access::table || !is_exact(l.dtype)) return nullptr;
  for (const SpecOutput& o : spec.body.outputs)
    if (o.access != Access::unit || !is_exact(o.dtype)) return nullptr;
  if (stage->weight > kMostWeight || slot_of.size() > 24) return nullptr;
  stage->spec = spec;
  stage->slot_of = std::move(slot_of);
  stage->replaceable = std::move(replaceable);
  return stage;
}

StencilOffer::StencilOffer(const StencilStagePtr& stage, const Place& place, std::span<Storage* const> storages,
                           std::size_t leaves, const SmallVector<std::int64_t, 64>& slots, bool in_batch)
    : place_(place), storages_(storages), leaves_(leaves) {
  Queue& queue = *place.queue;
  if (in_batch) return;
  const bool side = leaves == 0 && storages.size() == 1 && storages[0]->framing;
  if (!stage && !side && !queue.holds_back.load(std::memory_order_relaxed)) return;
  StencilChain& chain = StencilChain::of(queue);
  if (!chain.holds()) Attempt::settle(queue);  // a batch
  const bool alone = may_be_held(storages, queue);
  for (const Storage* s : storages) blocks_.push_back(s->block.get());
  if (side && alone) {
    if (chain.steps().launches.size() == kMostSteps)
      Attempt::settle(queue);  // what it is a side of is no step of that one
    held_ = side_ = chain.may_take_sides() && !chain.steps().uses(blocks_[0]);
    if (held_) return;
  }
  if (chain.holds()) {
    held_ = linked_ = alone && stage && goes_on(*stage, slots);
    passes_ = alone && !held_ && !chain.steps().launches.empty() && chain.is_apart(leaves, blocks_);
    if (passes_) chain.launch_sides_of(blocks_);
    if (held_ || passes_) return;
    if (!chain.steps().launches.empty() || !(alone && stage && begins(*stage, slots))) Attempt::settle(queue);
  }
  held_ = alone && stage && begins(*stage, slots);
}

/// Whether it is the next step of the chain.
bool StencilOffer::goes_on(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots) {
  StencilChain& chain = StencilChain::of(*place_.queue);
  chain.free_dead();
  const StencilSteps& steps = chain.steps();
  if (!chain.may_grow() || steps.launches.size() == kMostSteps) return false;
  std::size_t parameters = parameters_of(stage, slots);
  for (const StencilLaunch& l : steps.launches) parameters += parameters_of(*l.stage, l.slots);
  const std::size_t most = std::min(kMostParameters, place_.device->caps().max_parameter_bytes);
  if (!has_room(steps, blocks_, leaves_, *place_.device) || !link_step(steps, stage, slots, blocks_, links_) ||
      local_bytes(steps, links_) > std::min(kMostLocal, place_.device->caps().local_memory))
    return false;
  find_frames();
  parameters += sizeof(StencilFrame::bits) * (steps.frames.size() + links_.frames.size());
  return parameters <= most && find_memory(stage);
}

/// Of the windows that it reads around, those whose memory holds one value there.
void StencilOffer::find_frames() {
  const StencilSteps& steps = StencilChain::of(*place_.queue).steps();
  for (std::size_t i = 0; links_.bounded && i < links_.links.size(); i += 6) {
    const std::uint8_t* const link = links_.links.data() + i;
    const StencilResult result{link[2], link[3]};
    const Storage& s = *storages_[link[1]];
    const auto known = [&](const StencilFrame& f) {
      return f.result.step == result.step && f.result.output == result.output;
    };
    if ((link[4] == kNoDistance && link[5] == kNoDistance) || !s.frame || s.frame->writes != s.writes ||
        std::any_of(links_.frames.begin(), links_.frames.end(), known))
      continue;
    const StencilLaunch& from = steps.launches[result.step];
    const std::int64_t* const window = from.slots.data() + from.stage->slot_of[leaves_of(*from.stage) + result.output];
    if (window[0] == static_cast<std::int64_t>(s.block->offset) + s.frame->first && window[1] == s.frame->pitch &&
        steps.size(0) == s.frame->rows && steps.size(1) == s.frame->columns)
      links_.frames.push_back({result, {s.frame->bits[0], s.frame->bits[1]}});
  }
}

/// Memory for the results that would be written where the chain or the launch itself reads: other groups of work-items
/// may still be reading then. None where the chain can do without what it has there.
bool StencilOffer::find_memory(const StencilStage& stage) {
  const StencilSteps& steps = StencilChain::of(*place_.queue).steps();
  const std::uint64_t changes = steps.changes;
  const auto leaves_end = blocks_.begin() + static_cast<std::ptrdiff_t>(leaves_);
  for (std::size_t i = leaves_; i < blocks_.size(); ++i) {
    if (!steps.uses(blocks_[i]) && std::find(blocks_.begin(), leaves_end, blocks_[i]) == leaves_end) continue;
    if (!stage.replaceable[i - leaves_]) return false;
    StencilResult result;
    if (can_hand_over(steps, links_, blocks_[i], result)) {
      taken_over_.emplace_back(i, result);
      continue;
    }
    try {
      fresh_.emplace_back(i, allocate_beside(*place_.resource, blocks_[i]->size, place_.queue));
    } catch (const OutOfMemoryError&) {
      return false;
    }
    note_block(*fresh_.back().second);
  }
  return steps.changes == changes;  // other threads may have run
}

/// Whether a chain begins with it: it reads an array at several places.
bool StencilOffer::begins(const StencilStage& stage, const SmallVector<std::int64_t, 64>& slots) const {
  constexpr std::int64_t kAround = 2 * kReach;  // so that no place is outside by more than the size of the array
  if (stage.alone >= kMostAlone || (slots[0] & 0xFFFFFFFF) < kMostTileRows + kAround ||
      (slots[1] & 0xFFFFFFFF) < kTileColumns + kAround)
    return false;
  const auto leaves = blocks_.begin(), end = leaves + static_cast<std::ptrdiff_t>(leaves_);
  for (std::size_t i = leaves_; i < blocks_.size(); ++i)
    if (!stage.replaceable[i - leaves_] && std::find(leaves, end, blocks_[i]) != end) return false;
  return std::any_of(leaves, end, [&](const Block* block) { return std::count(leaves, end, block) > 1; });
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
    if (i < leaves_) continue;
    storages_[i]->note_write();
    launch.returnable.push_back(launch.blocks[i]->owner == storages_[i]->place->resource);
  }
  StencilChain& chain = StencilChain::of(*place_.queue);
  if (side_) return chain.take_side(std::move(launch));
  chain.take(std::move(launch), linked_ ? &links_ : nullptr);
  for (const auto& [operand, result] : taken_over_) chain.hand_over(result);
}

}  // namespace devarray
