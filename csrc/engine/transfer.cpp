#include "engine/transfer.hpp"

#include <cstring>
#include <memory>

#include "engine/checks.hpp"
#include "engine/config.hpp"
#include "engine/flush.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

/// Copies element by element between two strided host views; the innermost contiguous run at once.
void copy_strided(char* dst, const std::int64_t* dst_strides, const char* src, const std::int64_t* src_strides,
                  const std::int64_t* shape, std::size_t ndim, std::int64_t itemsize) {
  if (ndim == 0) {
    std::memcpy(dst, src, static_cast<std::size_t>(itemsize));
    return;
  }
  const std::int64_t n = shape[0];
  if (ndim == 1) {
    if (dst_strides[0] == itemsize && src_strides[0] == itemsize) {
      std::memcpy(dst, src, static_cast<std::size_t>(n * itemsize));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i)
      std::memcpy(dst + i * dst_strides[0], src + i * src_strides[0], static_cast<std::size_t>(itemsize));
    return;
  }
  for (std::int64_t i = 0; i < n; ++i)
    copy_strided(dst + i * dst_strides[0], dst_strides + 1, src + i * src_strides[0], src_strides + 1, shape + 1, ndim - 1,
                 itemsize);
}

/// The same after both sides were put into one order and merged where they step evenly.
void copy_host(void* dst, Dims dst_strides, const void* src, Dims src_strides, Dims shape, std::int64_t itemsize) {
  const auto order = k_order(shape, {&dst_strides, &src_strides});
  shape = permuted(shape, order);
  dst_strides = permuted(dst_strides, order);
  src_strides = permuted(src_strides, order);
  collapse(shape, {&dst_strides, &src_strides});
  copy_strided(static_cast<char*>(dst), dst_strides.data(), static_cast<const char*>(src), src_strides.data(), shape.data(),
               shape.size(), itemsize);
}

std::size_t block_offset(const Node& n) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(n.storage->block->offset) + n.offset);
}

}  // namespace

void wait_for(const Place& place, const char* what) {
  note_wait(what);
  {
    GilRelease unlocked;
    place.queue->finish();
  }
  check_indices(place.queue);
}

EventPtr copy_to_host(const NodeRef& value, const HostView& host, const QueuePtr& queue, bool blocking) {
  const Dims shape = value->shape;
  const std::int64_t itemsize = value->itemsize();
  {
    EngineLock lock;
    evaluate(*value);
  }
  if (value->size() == 0) return nullptr;
  if (blocking) note_wait("copy_to_host");
  stats().transfers_to_host.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_to_host.fetch_add(static_cast<std::uint64_t>(value->nbytes()), std::memory_order_relaxed);
  // Views that are dense in C order move as they are; others are gathered on the device first.
  NodeRef dense;
  {
    EngineLock lock;
    dense = contiguous(value);
  }
  const PlaceRef place = dense->place;
  const QueuePtr q = queue ? queue : place->queue;
  const Ref<Block> block = dense->storage->block;
  const std::size_t offset = block_offset(*dense), bytes = static_cast<std::size_t>(dense->nbytes());
  if (q != place->queue) q->wait_event(*place->queue->record());
  EventPtr event;
  const bool direct = is_c_contiguous(shape, host.strides, itemsize);
  if (direct) {
    GilRelease unlocked;
    event = q->read(host.data, *block->allocation, offset, bytes, blocking);
  } else {
    // Through a dense host copy, so that the bytes between the view's elements stay as they are.
    GilRelease unlocked;
    const std::unique_ptr<char[]> staging(new char[bytes]);
    q->read(staging.get(), *block->allocation, offset, bytes, true);
    copy_host(host.data, host.strides, staging.get(), c_strides(shape, itemsize), shape, itemsize);
  }
  if (q != place->queue) block->used_on(q);
  if (blocking) check_indices(place->queue);
  return event;
}

EventPtr copy_from_host(Node& leaf, const HostView& host, const QueuePtr& queue, bool blocking) {
  if (leaf.size() == 0) return nullptr;
  if (leaf.storage->read_only) throw ValueError("the array is a view of read-only memory and cannot be written; copy it first");
  const std::int64_t itemsize = leaf.itemsize();
  {
    EngineLock lock;
    evaluate_readers(*leaf.storage);
  }
  stats().transfers_to_device.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_to_device.fetch_add(static_cast<std::uint64_t>(leaf.nbytes()), std::memory_order_relaxed);
  const NodeRef target(&leaf);
  const NodeRef dense = leaf.c_contiguous() ? target : empty(leaf.place, leaf.dtype, leaf.shape);
  const QueuePtr home = leaf.place->queue, q = queue ? queue : home;
  const Ref<Block> block = dense->storage->block;
  acquire_write(*dense->storage, *leaf.place);
  if (q != home) q->wait_event(*home->record());
  const std::size_t offset = block_offset(*dense), bytes = static_cast<std::size_t>(leaf.nbytes());
  EventPtr event;
  {
    GilRelease unlocked;
    if (is_c_contiguous(leaf.shape, host.strides, itemsize)) {
      event = q->write(*block->allocation, offset, host.data, bytes, blocking);
    } else {
      const std::unique_ptr<char[]> staging(new char[bytes]);
      copy_host(staging.get(), c_strides(leaf.shape, itemsize), host.data, host.strides, leaf.shape, itemsize);
      q->write(*block->allocation, offset, staging.get(), bytes, true);
    }
  }
  if (q != home) home->wait_event(*q->record());
  if (dense != target) assign(leaf, dense);
  return event;
}

void copy_across(Node& target, const NodeRef& source) {
  const auto bytes = static_cast<std::size_t>(source->nbytes());
  if (bytes == 0) return;
  const std::unique_ptr<char[]> staging(new char[bytes]);
  const Dims dense = c_strides(source->shape, source->itemsize());
  copy_to_host(source, {staging.get(), dense}, nullptr, true);
  copy_from_host(target, {staging.get(), dense}, nullptr, true);
}

void read_item(const NodeRef& n, void* out) {
  if (n->size() != 1)
    throw ValueError("only an array of one element converts to a scalar; this one has shape " + to_string(n->shape));
  copy_to_host(n, {out, Dims(n->shape.size(), 0)}, nullptr, true);
}

}  // namespace devarray
