// Elements that were read, such as x[3]: values, as NumPy's scalars are (rule 5 in docs/design.md). An element starts
// as a view of x's memory, which costs nothing, and is copied out before that memory is written.
#pragma once

#include "engine/lock.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Makes a view of one element a value: it is marked, and a later write to its storage copies it to memory of its own
/// first. Exposed memory may be written without the engine's knowledge, so there it is copied at once.
void become_element(Node& view);
/// Whether become_element only sets the mark, with no lock to take, nothing to copy and no store that waits.
inline bool becomes_element_by_mark(const Node& view) {
  return !view.storage->exposed && !view.storage->awaits_store && !EngineLock::held() &&
         (!orphaned_storages || orphaned_storages->empty());
}

/// Before a write to the bytes `written` of a storage: copies the elements of it that are still held to memory of their
/// own, with one copy on the device for each run of elements at an even distance. Elements outside of these bytes stay,
/// unless they are many: each would be looked at again by every later write.
void settle_elements(Storage& storage, const Extent& written);
void settle_elements(Storage& storage);

}  // namespace devarray
