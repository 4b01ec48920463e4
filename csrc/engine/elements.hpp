// Elements that were read: leaves whose value stays what it was when their storage is written (rule 5).
#pragma once

#include "engine/lock.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Makes a view of one element a value: whoever writes its storage moves it to memory of its own first. At once where
/// the memory is exposed, because its writers do not tell.
void become_element(Node& view);
/// Whether that is no more than a mark.
inline bool becomes_element_by_mark(const Node& view) {
  return !view.storage->exposed && !EngineLock::held() && (!orphaned_storages || orphaned_storages->empty());
}

/// Moves elements that arrays hold out of a storage that is about to be written between two of its bytes: by a copy on
/// the device for each run of neighbours, or of elements at even distances. Elements elsewhere stay, unless they are
/// many.
void settle_elements(Storage& storage, const Extent& written);
void settle_elements(Storage& storage);

}  // namespace devarray
