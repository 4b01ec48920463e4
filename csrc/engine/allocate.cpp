#include "engine/allocate.hpp"

#include <utility>

#include "common/gil.hpp"
#include "engine/attempt.hpp"
#include "engine/kept_launch.hpp"
#include "engine/reduce_rows.hpp"
#include "engine/stencil_queue.hpp"
#include "memory/block_record.hpp"

namespace devarray {

namespace {

StorageRef storage_on(Ref<Block> block, const PlaceRef& place) {
  note_block(*block);  // with the GIL, which tells the line
  return StorageRef(new Storage(std::move(block), place));
}

}  // namespace

StorageRef try_allocate_storage(const PlaceRef& place, std::int64_t nbytes) {
  if (place->queue->holds_back.load(std::memory_order_relaxed)) [[unlikely]]
    StencilChain::of(*place->queue).free_dead();
  Ref<Block> block = place->resource->try_allocate(static_cast<std::size_t>(nbytes), place->queue);
  return block ? storage_on(std::move(block), place) : nullptr;
}

StorageRef allocate_storage(const PlaceRef& place, std::int64_t nbytes) {
  if (StorageRef storage = try_allocate_storage(place, nbytes)) return storage;
  PlanOf::spoil();
  MemoryResource& resource = *place->resource;
  const auto bytes = static_cast<std::size_t>(nbytes);
  if (Ref<Block> block = Attempt::left_memory(resource, bytes, place->queue))
    return storage_on(std::move(block), place);
  const Attempt::Aside aside;
  const auto allocate = [&](GilRelease::HeldBack held) {
    GilRelease unlocked(held);  // the driver may wait
    return resource.allocate(bytes, place->queue);
  };
  Ref<Block> block;
  try {
    block = allocate(GilRelease::HeldBack::stays);
  } catch (const OutOfMemoryError&) {
    if (!place->queue->holds_back.load(std::memory_order_relaxed)) throw;
    block = allocate(GilRelease::HeldBack::goes);  // it keeps memory
  }
  aside.end(block, resource, bytes, place->queue);
  return storage_on(std::move(block), place);
}

NodeRef empty(const PlaceRef& place, DType dtype, const Dims& shape, bool fortran) {
  if (!waiting_reductions.empty()) [[unlikely]]
    launch_what_keeps_memory();
  const auto itemsize = static_cast<std::int64_t>(size_of(dtype));
  const std::int64_t nbytes = byte_size(shape, itemsize);
  Dims strides = fortran ? f_strides(shape, itemsize) : c_strides(shape, itemsize);
  return Node::derived_leaf(allocate_storage(place, nbytes), dtype, shape, std::move(strides), 0);
}

NodeRef empty_in_order(const PlaceRef& place, DType dtype, const Dims& shape, const Dims& strides) {
  const std::int64_t nbytes = byte_size(shape, static_cast<std::int64_t>(size_of(dtype)));
  return Node::derived_leaf(allocate_storage(place, nbytes), dtype, shape, strides, 0);
}

}  // namespace devarray
