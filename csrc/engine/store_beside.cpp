#include "engine/store_beside.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/whole_copy.hpp"

namespace devarray {
namespace {

/// Times large_bytes(), from which on two passes cost a GPU more than the launches for what lies around.
constexpr std::int64_t kLargeOnGpu = 4;

/// Whether so many bytes of a storage are worth it, and it is nobody's who would see another memory.
bool may_change_memory(const Storage& s, std::int64_t bytes) {
  const bool gpu = s.place->device->strategy() == Strategy::gpu;
  return bytes >= config().large_bytes() * (gpu ? kLargeOnGpu : 1) && is_most_of(s, bytes) && !s.exposed && !s.unused &&
         !s.read_only;
}

/// What lies around a target in its storage's memory: before it, behind it, and between its rows, planes and so on.
/// None where it is not made of whole elements, or indices lie within each other's reach.
std::optional<Around> find_around(const Node& target) {
  Around parts;
  const std::int64_t size = target.itemsize();
  const Extent all = target.extent();
  const auto whole = [&](std::int64_t bytes) { return bytes >= 0 && bytes % size == 0; };
  const auto end = static_cast<std::int64_t>(target.storage->block->size);
  const auto add = [&](std::size_t axes, std::int64_t bytes, std::int64_t offset) {
    PartAround part{Dims(target.shape.begin(), target.shape.begin() + axes),
                    Dims(target.strides.begin(), target.strides.begin() + axes), offset};
    if (axes > 0) --part.shape[axes - 1];
    part.shape.push_back(bytes / size);
    part.strides.push_back(size);
    if (element_count(part.shape) > 0) parts.push_back(std::move(part));
  };
  if (!whole(all.low) || !whole(end - all.high)) return {};
  add(0, all.low, 0);
  add(0, end - all.high, all.high);
  std::int64_t inner = size;  // bytes from the first element of an index to the end of its last
  for (std::size_t axis = target.shape.size(); axis-- > 0;) {
    const std::int64_t count = target.shape[axis], stride = target.strides[axis];
    if (count == 1) continue;
    if (!whole(stride - inner)) return {};
    add(axis + 1, stride - inner, target.offset + inner);
    inner += (count - 1) * stride;
  }
  return parts;
}

/// Memory around a view may hold any bytes: as truths or float16, whose NaNs are converted, they would be others.
DType dtype_of_bytes(DType t) { return size_of(t) <= 2 ? sized(Kind::unsigned_, static_cast<int>(size_of(t))) : t; }

NodeRef part_of(const Node& target, const PartAround& part) {
  return Node::derived_leaf(target.storage, dtype_of_bytes(target.dtype), part.shape, part.strides, part.offset);
}

}  // namespace

std::optional<Around> room_beside(const Node& target) {
  const Storage& s = *target.storage;
  if (!may_change_memory(s, target.nbytes()) || s.place != target.place || target.place->queue->is_captured())
    return {};
  if (s.block->use_count() > 1) Attempt::settle(*target.place->queue);  // steps that are held back have it, too
  if (s.block->use_count() > 1 || s.block->owner != target.place->resource) return {};
  return find_around(target);
}

NodeRef beside(const Node& target) {
  StorageRef storage = allocate_storage(target.place, static_cast<std::int64_t>(target.storage->block->size));
  return Node::derived_leaf(std::move(storage), target.dtype, target.shape, target.strides, target.offset);
}

bool may_inherit(const Node& copy) {
  if (!is_whole_copy(copy)) return false;
  const Node& of = *copy.inputs[0].node;
  return may_change_memory(*of.storage, of.nbytes());
}

void take_over(Node& target, const Node& made, const Around& around, Node* copy) {
  for (const PartAround& part : around) assign(*part_of(made, part), part_of(target, part));
  for (Storage* s : {target.storage.get(), made.storage.get()}) s->note_write();
  std::swap(target.storage->block, made.storage->block);
  if (copy && copy->is_pending()) take_memory(*copy, made.storage);
}

}  // namespace devarray
