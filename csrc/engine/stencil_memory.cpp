#include "engine/stencil_memory.hpp"

#include <algorithm>
#include <utility>

#include "common/gil.hpp"
#include "engine/attempt.hpp"
#include "engine/kept_launch.hpp"
#include "memory/block_record.hpp"

namespace devarray {
namespace {

using ChainLinks = SmallVector<std::uint8_t, 16>;

/// The leaves that read a result, by step and leaf.
template <class Visit>
void each_reader(const ChainLinks& links, StencilResult r, Visit&& visit) {
  for (std::size_t i = 0; i < links.size(); i += 6)
    if (links[i + 2] == r.step && links[i + 3] == r.output) visit(links.data() + i);
}

const StencilFrame* frame_of(const std::vector<StencilFrame>& frames, StencilResult r) {
  for (const StencilFrame& f : frames)
    if (f.result.step == r.step && f.result.output == r.output) return &f;
  return nullptr;
}

/// References to a result's block that leaves linked with it have. False where one reads memory around a window.
bool count_readers(const ChainLinks& links, const std::vector<StencilFrame>& frames, StencilResult r, bool bounded,
                   std::uint32_t& count) {
  bool around = false;
  each_reader(links, r, [&](const std::uint8_t* link) {
    ++count;
    around |= bounded && (link[4] != kNoDistance || link[5] != kNoDistance);
  });
  return !around || frame_of(frames, r);
}

/// Whether the block is that of `own` operands, and no other operand's of the chain.
bool is_block_of(const StencilSteps& steps, const Block* block, std::uint32_t own) {
  for (const StencilLaunch& l : steps.launches)
    for (const Ref<Block>& b : l.blocks) own -= b.get() == block;
  return own == 0;
}

Ref<Block>& block_of(StencilSteps& steps, StencilResult r) {
  StencilLaunch& l = steps.launches[r.step];
  return l.blocks[leaves_of(*l.stage) + r.output];
}

bool is_dead(const StencilSteps& steps, StencilResult r, const Block& block) {
  std::uint32_t own = 1;
  return count_readers(steps.links, steps.frames, r, steps.bounded, own) &&
         block.use_count() == own + steps.sides_of(&block) && is_block_of(steps, &block, own);
}

}  // namespace

std::vector<Ref<Block>> take_dead_memory(StencilSteps& steps) {
  std::vector<Ref<Block>> taken;
  for (std::size_t s = 0; s < steps.launches.size(); ++s) {
    const StencilLaunch& l = steps.launches[s];
    for (std::size_t o = 0; o < l.returnable.size(); ++o) {
      const Block* const block = l.blocks[leaves_of(*l.stage) + o].get();
      if (block && l.returnable[o] && is_dead(steps, {s, o}, *block)) taken.push_back(take_memory(steps, {s, o}));
    }
  }
  return taken;
}

bool can_hand_over(const StencilSteps& steps, const StencilLinks& more, const Block* block, StencilResult& result) {
  for (std::size_t s = 0; s < steps.launches.size(); ++s) {
    const StencilLaunch& l = steps.launches[s];
    for (std::size_t o = 0; o < l.returnable.size(); ++o) {
      if (l.blocks[leaves_of(*l.stage) + o].get() != block) continue;
      result = {s, o};
      std::uint32_t own = 1, next = 0;
      return l.returnable[o] && count_readers(steps.links, steps.frames, result, more.bounded, own) &&
             count_readers(more.links, more.frames, result, more.bounded, next) &&
             block->use_count() == own + 1 + steps.sides_of(block) && is_block_of(steps, block, own);
    }
  }
  return false;
}

bool is_unread(const StencilSteps& steps, StencilResult r) {
  const StencilLaunch& l = steps.launches[r.step];
  std::uint32_t own = 1;
  return count_readers(steps.links, steps.frames, r, steps.bounded, own) &&
         is_block_of(steps, l.blocks[leaves_of(*l.stage) + r.output].get(), own);
}

Ref<Block> take_memory(StencilSteps& steps, StencilResult r) {
  Ref<Block> block = std::exchange(block_of(steps, r), nullptr);
  std::erase_if(steps.sides, [&](const StencilLaunch& side) { return side.blocks[0] == block; });
  each_reader(steps.links, r, [&](const std::uint8_t* link) { steps.launches[link[0]].blocks[link[1]] = nullptr; });
  steps.freed.push_back({r.step, r.output, block->size, block->offset, block->owner, nullptr});
  return block;
}

void lend_memory(StencilSteps& steps, std::size_t step, Queue& queue) {
  for (FreedResult& f : steps.freed) {
    if (f.step != step || f.loan) continue;
    f.loan = allocate_beside(*f.owner, f.size, queue.shared_from_this());
    note_block(*f.loan);
    if (const StencilFrame* const frame = frame_of(steps.frames, {f.step, f.output})) {
      const StencilLaunch& from = steps.launches[step];
      const std::size_t itemsize = size_of(from.stage->spec.body.outputs[f.output].dtype);
      queue.fill(*f.loan->allocation, f.loan->offset, frame->bits, itemsize, f.size);  // of which it writes a part
    }
    const MemoryArg argument{f.loan->allocation->handle(), f.loan->allocation->is_buffer()};
    const auto place = [&](std::size_t reader, std::size_t operand) {
      StencilLaunch& l = steps.launches[reader];
      l.memory[operand] = argument;
      l.slots[l.stage->slot_of[operand]] +=
          static_cast<std::int64_t>(f.loan->offset) - static_cast<std::int64_t>(f.offset);
    };
    place(step, leaves_of(*steps.launches[step].stage) + f.output);
    each_reader(steps.links, {f.step, f.output}, [&](const std::uint8_t* link) { place(link[0], link[1]); });
  }
}

void end_loans(StencilSteps& steps, std::size_t step) {
  for (FreedResult& f : steps.freed) {
    std::size_t last = f.step;
    each_reader(steps.links, {f.step, f.output},
                [&](const std::uint8_t* link) { last = std::max<std::size_t>(last, link[0]); });
    if (last == step) f.loan = nullptr;
  }
}

Ref<Block> allocate_beside(MemoryResource& resource, std::size_t bytes, const QueuePtr& queue) {
  if (Ref<Block> block = resource.try_allocate(bytes, queue)) return block;
  PlanOf::spoil();
  if (Ref<Block> block = Attempt::left_memory(resource, bytes, queue)) return block;
  const Attempt::Aside aside;
  Ref<Block> block;
  {
    GilRelease unlocked(GilRelease::HeldBack::stays);
    block = resource.allocate(bytes, queue);
  }
  aside.end(block, resource, bytes, queue);
  return block;
}

}  // namespace devarray
