#include "engine/allocate.hpp"

#include <utility>

#include "common/gil.hpp"
#include "memory/block_record.hpp"

namespace devarray {

StorageRef allocate_storage(const PlaceRef& place, std::int64_t nbytes) {
  MemoryResource& resource = *place->resource;
  const auto bytes = static_cast<std::size_t>(nbytes);
  Ref<Block> block = resource.try_allocate(bytes, place->queue);
  if (!block) {
    GilRelease unlocked;  // the driver may wait
    block = resource.allocate(bytes, place->queue);
  }
  note_block(*block);  // with the GIL, which tells the line
  return StorageRef(new Storage(std::move(block), place));
}

NodeRef empty(const PlaceRef& place, DType dtype, const Dims& shape, bool fortran) {
  const auto itemsize = static_cast<std::int64_t>(size_of(dtype));
  const std::int64_t nbytes = byte_size(shape, itemsize);
  Dims strides = fortran ? f_strides(shape, itemsize) : c_strides(shape, itemsize);
  return Node::derived_leaf(allocate_storage(place, nbytes), dtype, shape, std::move(strides), 0);
}

}  // namespace devarray
