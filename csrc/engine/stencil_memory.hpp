// Memory of a chain's results that nobody will read: most have theirs only until the next step is linked with them.
//
// A result that only the chain has is never written, and what later steps read of it they have in local memory. Its
// memory goes back while the chain is held: the launches' entries for it are null then. Where steps are launched one by
// one after all, it gets memory once more.
#pragma once

#include "engine/stencil_links.hpp"

namespace devarray {

/// Takes the memory from the results that nobody but the chain has and its kernel does not touch. The caller lets go of
/// it last: with some allocators that launches the chain.
std::vector<Ref<Block>> take_dead_memory(StencilSteps& steps);

/// The result in `block`, where the chain can do without that: the next step, whose storage has it, too, is to write
/// its own result there. `more` is how that step is linked.
bool can_hand_over(const StencilSteps& steps, const StencilLinks& more, const Block* block, StencilResult& result);

/// Whether the kernel of a chain reads nothing in the memory of a result: neither there nor around.
bool is_unread(const StencilSteps& steps, StencilResult result);

/// Takes the memory from a result. Its entries are null from then on, and that of `steps.freed` says what it had.
Ref<Block> take_memory(StencilSteps& steps, StencilResult result);

/// While steps are launched one by one: memory for the freed results of a step, before it is launched; throws
/// OutOfMemoryError, and may be called again. And an end to that of results which no later step reads, afterwards.
void lend_memory(StencilSteps& steps, std::size_t step, Queue& queue);
void end_loans(StencilSteps& steps, std::size_t step);

/// Memory without a launch of what is held back: it would be why more is asked for. Other threads may run.
Ref<Block> allocate_beside(MemoryResource& resource, std::size_t bytes, const QueuePtr& queue);

}  // namespace devarray
