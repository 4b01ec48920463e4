// What only the device can see: an index array out of bounds (rule 13) and, under DEVARRAY_CHECK_BOUNDS, an access of a
// kernel outside its arrays. Kernels note it in their queue's report; the host looks where it waits for that queue
// anyway.
#pragma once

#include <string>
#include <vector>

#include "engine/config.hpp"
#include "engine/node.hpp"

namespace devarray {

/// The flag word (one int32) of the place's queue, for a kernel about to be launched. `what` describes the use.
NodeRef index_flag(const PlaceRef& place, const std::string& what);

/// To be called when the queue's work is done. Throws once: Error where an access was out of bounds, IndexError where
/// the flag was raised.
void check_indices(const QueuePtr& queue);

/// What kernels get behind their own arguments where config().check_bounds is set; devarray/codegen/language/bounds.py
/// reads it.
struct BoundsArguments {
  MemoryArg report;
  std::vector<std::int64_t> slots;  ///< the report's offset, the launch's number, and each memory's first byte and end
};
BoundsArguments bounds_of(const Place& place, std::string what, const std::vector<const Block*>& blocks,
                          const MemoryArg* memory);

/// Slots of that for so many memory arguments.
inline std::size_t bounds_slots(std::size_t memory) { return config().check_bounds ? 2 * memory + 3 : 0; }

/// Adds it to a launch's arguments. `what` names the launch; `blocks` lie behind `memory`, one each.
template <class Memory, class Slots>
void add_bounds(const Place& place, std::string what, const std::vector<const Block*>& blocks, Memory& memory,
                Slots& slots) {
  const BoundsArguments more = bounds_of(place, std::move(what), blocks, memory.data());
  memory.push_back(more.report);
  for (std::int64_t slot : more.slots) slots.push_back(slot);
}

}  // namespace devarray
