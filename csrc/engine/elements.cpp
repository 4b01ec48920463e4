#include "engine/elements.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/allocate.hpp"
#include "engine/assign.hpp"

namespace devarray {
namespace {

/// Elements outside of what is written that a write looks at and leaves: more are moved, so that they are looked at
/// once.
constexpr std::size_t kMostLeft = 64;
/// Bytes from one element to the next up to which both are copied with what lies between.
constexpr std::int64_t kNear = 256;

std::vector<NodeRef> elements_of(const Storage& storage, const Extent& written) {
  std::vector<NodeRef> found;
  std::size_t left = 0;
  for (Node* view = storage.views; view; view = view->next) {
    if (!view->element || view->owners == 0) continue;
    const Extent e = view->extent();
    if (e.low < written.high && written.low < e.high)
      found.emplace_back(view);
    else
      ++left;
  }
  if (left <= kMostLeft) return found;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return elements_of(storage, {-most, most});
}

/// A row of elements that are copied by one launch.
struct Run {
  std::size_t end;      ///< after its last element
  std::int64_t count;   ///< elements copied, those between them included
  std::int64_t stride;  ///< in the storage
};

/// The longest run from element `first` on of elements sorted by dtype and place.
Run run_from(const std::vector<NodeRef>& sorted, std::size_t first) {
  const std::int64_t low = sorted[first]->offset, itemsize = sorted[first]->itemsize();
  const auto belongs = [&](std::size_t i) { return i < sorted.size() && sorted[i]->dtype == sorted[first]->dtype; };
  const auto step = [&](std::size_t i) { return sorted[i]->offset - sorted[i - 1]->offset; };
  std::size_t end = first + 1;
  while (belongs(end) && step(end) <= kNear && (sorted[end]->offset - low) % itemsize == 0) ++end;
  const Run near{end, (sorted[end - 1]->offset - low) / itemsize + 1, itemsize};
  end = first + 1;
  const std::int64_t stride = belongs(end) ? step(end) : 0;
  while (stride > 0 && belongs(end) && step(end) == stride) ++end;
  if (end <= near.end) return near;
  return {end, static_cast<std::int64_t>(end - first), stride};
}

void move_run(const std::vector<NodeRef>& sorted, std::size_t first, const Run& run) {
  const NodeRef source(sorted[first]);
  const std::int64_t low = source->offset, itemsize = source->itemsize();
  const NodeRef there = Node::derived_leaf(source->storage, source->dtype, Dims{run.count}, Dims{run.stride}, low);
  const NodeRef copy = empty(source->place, source->dtype, Dims{run.count});
  assign(*copy, there);
  copy->storage->locked = true;  // values that were read share it
  for (std::size_t i = first; i < run.end; ++i)
    sorted[i]->move_element(copy->storage, (sorted[i]->offset - low) / run.stride * itemsize);
}

/// Gives back large memory that nobody but elements keeps.
void settle_orphans() {
  for (std::vector<Storage*>& orphans = *orphaned_storages; !orphans.empty();) {
    const StorageRef storage(orphans.back());
    orphans.pop_back();
    storage->orphan = false;
    if (storage->use_count() == storage->elements + 1) settle_elements(*storage);
  }
}

}  // namespace

void settle_elements(Storage& storage, const Extent& written) {
  if (!storage.elements) return;
  EngineLock lock;
  const StorageRef keep(&storage);
  std::vector<NodeRef> found = elements_of(storage, written);
  std::sort(found.begin(), found.end(), [](const NodeRef& a, const NodeRef& b) {
    return std::tuple(a->dtype, a->offset) < std::tuple(b->dtype, b->offset);
  });
  for (std::size_t i = 0; i < found.size();) {
    const Run run = run_from(found, i);
    move_run(found, i, run);
    i = run.end;
  }
}

void settle_elements(Storage& storage) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  settle_elements(storage, {-most, most});
}

void become_element(Node& view) {
  if (becomes_element_by_mark(view)) return view.mark_element();
  EngineLock lock;  // another thread's write, which has settled the elements, ends first
  if (orphaned_storages) settle_orphans();
  view.mark_element();
  if (view.storage->exposed) settle_elements(*view.storage, view.extent());
}

}  // namespace devarray
