// Memory that the groups of one reduction meet in, beside their partial results.
#pragma once

#include "common/driver.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Counters that every kernel leaves at zero. One block for each queue.
Ref<Block> counters_for(const Place& place);
/// The same where the queue has them, else null.
Ref<Block> known_counters(const Queue& queue);
/// The first of them, for a planned kernel.
NodeRef group_counter(const PlaceRef& place);

/// The block's own start as a memory argument without an offset slot. Buffers are never parts of an allocation.
MemoryArg start_of(const Block& block);

}  // namespace devarray
