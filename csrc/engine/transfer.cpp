#include "engine/transfer.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/allocate.hpp"
#include "engine/assign.hpp"
#include "engine/config.hpp"
#include "engine/evaluate.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/index_flags.hpp"
#include "engine/lock.hpp"
#include "engine/mirror.hpp"
#include "memory/host_memory.hpp"
#include "memory/staging.hpp"

namespace devarray {
namespace {

/// The largest row, in bytes, that is left to threads instead of the driver's rectangular copies, which take some time
/// a row.
constexpr std::int64_t kShortRowBytes = 64;

std::size_t block_offset(const Node& n) {
  return static_cast<std::size_t>(static_cast<std::int64_t>(n.storage->block->offset) + n.offset);
}

/// The two ends of a transfer, axis by axis, with the host's memory in C order where that is possible: axes by falling
/// stride, none of them negative. What the host has dense then moves as one piece, and the device does the reordering.
struct TransferEnds {
  TransferEnds(const NodeRef& device, const HostView& host)
      : device(device), host{static_cast<char*>(host.data), device->shape, host.strides, device->itemsize()} {
    if (is_dense()) return;
    const auto order = k_order(device->shape, {&host.strides});
    Dims shape = permuted(device->shape, order), strides = permuted(device->strides, order);
    Dims there = permuted(host.strides, order);
    std::int64_t offset = device->offset;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (there[i] >= 0 || shape[i] == 1) continue;  // nobody steps along an axis of size 1
      this->host.data += (shape[i] - 1) * there[i];
      offset += (shape[i] - 1) * strides[i];
      there[i] = -there[i];
      strides[i] = -strides[i];
    }
    this->device = Node::leaf(device->storage, device->dtype, shape, strides, offset);
    this->host.shape = shape;
    this->host.strides = there;
  }
  bool is_dense() const { return is_c_contiguous(host.shape, host.strides, host.itemsize); }
  std::size_t bytes() const { return static_cast<std::size_t>(device->nbytes()); }
  Allocation& memory() const { return *device->storage->block->allocation; }

  NodeRef device;
  StridedView host;
};

/// The device's side as the host sees it.
StridedView in_place(const TransferEnds& ends) {
  return {static_cast<char*>(ends.memory().host()) + block_offset(*ends.device), ends.device->shape,
          ends.device->strides, ends.host.itemsize};
}

/// The transfer as one rectangular copy of the driver, where both sides have rows and staging would not be quicker.
std::optional<Rect> rectangle(const TransferEnds& ends) {
  Dims shape = ends.device->shape, there = ends.host.strides, here = ends.device->strides;
  collapse(shape, {&there, &here});
  const std::size_t n = shape.size();
  const std::int64_t itemsize = ends.host.itemsize;
  if (n < 2 || n > 3 || there[n - 1] != itemsize || here[n - 1] != itemsize) return std::nullopt;
  if (shape[n - 1] * itemsize <= kShortRowBytes) return std::nullopt;
  for (std::size_t i = 0; i + 1 < n; ++i)
    if (there[i] <= 0 || here[i] <= 0) return std::nullopt;
  const std::int64_t row = shape[n - 1] * itemsize;  // rows that overlap, as windows do, are no rectangle to drivers
  if (there[n - 2] < row || here[n - 2] < row) return std::nullopt;
  if (worth_staging(ends.memory().device(), ends.host.data, ends.bytes())) return std::nullopt;
  Rect r;
  const auto size = [](std::int64_t v) { return static_cast<std::size_t>(v); };
  r.region[0] = size(shape[n - 1] * itemsize);
  r.device_offset = block_offset(*ends.device);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    r.region[i + 1] = size(shape[n - 2 - i]);
    r.device_pitch[i] = size(here[n - 2 - i]);
    r.host_pitch[i] = size(there[n - 2 - i]);
  }
  return r;
}

/// Whether a copy that the device makes after the call may still read this memory: all of it is page-locked, and lives
/// by that. Ordinary memory may be written or freed by its owner as soon as the call is back.
bool readable_later(Device& device, const StridedView& host) {
  const Extent e = extent_of(host.shape, host.strides, host.itemsize);
  return is_page_locked(device, host.data + e.low, static_cast<std::size_t>(e.high - e.low));
}

/// The queue by which one device copies to another; the same one each time. Never destroyed: copies may be under way
/// when the process ends.
QueuePtr copy_queue(Device& from, Device& to) {
  static auto* queues = new std::map<std::pair<std::uint64_t, std::uint64_t>, QueuePtr>;  // under the engine's lock
  QueuePtr& queue = (*queues)[{from.serial(), to.serial()}];
  if (!queue) queue = from.create_queue();
  return queue;
}

/// From one CUDA device to another, by a queue of the source's. On one of the target's the driver takes a queue of its
/// own, whose copies wait for all that either device has come to do.
void copy_between(Node& target, const NodeRef& source) {
  EngineLock lock;
  prepare_target(target);
  const Place& place = *target.place;
  const NodeRef from = contiguous(source);
  const NodeRef to = target.c_contiguous() ? NodeRef(&target) : empty(target.place, target.dtype, target.shape);
  const QueuePtr queue = copy_queue(*from->place->device, *place.device);
  Block &here = *from->storage->block, &there = *to->storage->block;
  from->storage->unused = false;
  wait_for_writes(*from->storage, *queue);
  acquire_write(*to->storage, place);
  queue->wait_event(*place.queue->record());  // the memory may be in use until then
  const EventPtr done =
      queue->copy(*there.allocation, block_offset(*to), *here.allocation, block_offset(*from), from->nbytes());
  here.used_until(queue->timeline(), done);
  place.queue->wait_event(*done);
  release_write(*to->storage, place);
  if (to.get() != &target) assign(target, to);
}

/// Bytes up to which the host copies with the GIL held, where there is nothing to wait for.
constexpr std::int64_t kQuickBytes = 16384;

/// Copies a few bytes that the host sees and nothing is under way for. False for all else.
bool read_at_once(const Node& value, const HostView& host) {
  const Block& block = *value.storage->block;
  if (value.nbytes() > kQuickBytes || !value.place->queue->seen_idle() ||
      !host::can_read(*value.storage, *value.place) || !is_near_host(*block.allocation))
    return false;
  const auto timer = timer_of(Activity::to_host);
  const auto bytes = static_cast<std::size_t>(value.nbytes());
  auto* from = static_cast<char*>(block.host()) + value.offset;
  if (value.c_contiguous() && is_c_contiguous(value.shape, host.strides, value.itemsize()))
    std::memcpy(host.data, from, bytes);
  else
    copy_strided({static_cast<char*>(host.data), value.shape, host.strides, value.itemsize()},
                 {from, value.shape, value.strides, value.itemsize()});
  if (timer) timer->done({.name = "copy_to_host", .device = value.place->device->label(), .read = bytes});
  check_indices(value.place->queue);
  return true;
}

/// Copies a few bytes into an array that nothing else sees and nothing is under way for, as into a fresh one. False for
/// all else.
bool write_at_once(Node& leaf, const HostView& host) {
  if (!leaf.is_leaf()) return false;
  const Storage& storage = *leaf.storage;
  const bool alone = storage.views == &leaf && !leaf.next && !leaf.consumers && !storage.elements && leaf.writable;
  if (!alone || leaf.nbytes() > kQuickBytes || EngineLock::held() || !leaf.place->queue->seen_idle() ||
      !host::can_write(storage, *leaf.place) || !is_near_host(*storage.block->allocation))
    return false;
  const auto timer = timer_of(Activity::to_device);
  put_at_once(leaf, host);
  const auto bytes = static_cast<std::size_t>(leaf.nbytes());
  if (timer) timer->done({.name = "to_device", .device = leaf.place->device->label(), .written = bytes});
  return true;
}

/// A value that the host knows. To the program this is the wait that it is for all others.
EventPtr copy_known(const Node& value, const HostView& host) {
  note_wait("copy_to_host");
  std::int64_t bits[2] = {0, 0};
  encode_scalar(value.dtype, value.value, bits);  // lies in memory as here: there is none in float16
  std::memcpy(host.data, bits, size_of(value.dtype));
  check_indices(value.place->queue);
  return nullptr;
}

}  // namespace

void put_at_once(Node& leaf, const HostView& host) {
  auto* to = static_cast<char*>(leaf.storage->block->host()) + leaf.offset;
  if (leaf.c_contiguous() && is_c_contiguous(leaf.shape, host.strides, leaf.itemsize()))
    std::memcpy(to, host.data, static_cast<std::size_t>(leaf.nbytes()));
  else
    copy_strided({to, leaf.shape, leaf.strides, leaf.itemsize()},
                 {static_cast<char*>(host.data), leaf.shape, host.strides, leaf.itemsize()});
}

void wait_for(const Place& place, const char* what) {
  note_wait(what);
  timed(Activity::wait, what, [&] {
    GilRelease unlocked;
    place.queue->finish();
  });
  check_indices(place.queue);
}

EventPtr copy_to_host(const NodeRef& value, const HostView& host, const QueuePtr& queue, bool blocking) {
  if (value->is_known() && blocking && !queue) return copy_known(*value, host);
  if (EngineLock::held()) EngineLock wait_for_its_holder;
  evaluate(*value);
  if (value->size() == 0) return nullptr;
  if (blocking) note_wait("copy_to_host");
  stats().transfers_to_host.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_to_host.fetch_add(static_cast<std::uint64_t>(value->nbytes()), std::memory_order_relaxed);
  if (blocking && !queue && read_at_once(*value, host)) return nullptr;
  const StorageRef source = value->storage;
  source->unused = false;
  TransferEnds ends(value, host);
  const bool in_host = is_near_host(ends.memory()) && (blocking || !ends.is_dense());
  const std::optional<Rect> rect =
      in_host || (ends.is_dense() && ends.device->c_contiguous()) ? std::nullopt : rectangle(ends);
  if (!in_host && !rect) {
    EngineLock lock;
    ends.device = contiguous(ends.device);
  }
  const PlaceRef place = ends.device->place;
  const QueuePtr q = queue ? queue : place->queue;
  const Ref<Block> block = ends.device->storage->block;
  // Read before the GIL is given up: another thread's write may move an element.
  const std::size_t from = block_offset(*ends.device);
  const StridedView here = in_host ? in_place(ends) : StridedView();
  if (q != place->queue) q->wait_event(*place->queue->record());
  EventPtr event;
  const auto timer = timer_of(Activity::to_host);
  {
    GilRelease unlocked;
    if (in_host) {
      q->finish();
      copy_strided(ends.host, here);
    } else if (rect) {
      event = q->read_rect(ends.host.data, *block->allocation, *rect, blocking);
    } else {
      event = read_to_host(*q, *block->allocation, from, ends.host, blocking);
    }
  }
  if (timer) timer->done({.name = "copy_to_host", .device = place->device->label(), .read = ends.bytes()});
  if (q != place->queue) block->used_on(q);
  if (value->storage != source)  // an element that was moved meanwhile: what was read may be what was written
    return copy_to_host(value, host, queue, blocking);
  if (blocking) check_indices(place->queue);
  return event;
}

EventPtr copy_from_host(Node& leaf, const HostView& host, const QueuePtr& queue, bool blocking) {
  if (leaf.size() == 0) return nullptr;
  const bool done = blocking && !queue && write_at_once(leaf, host);
  if (!done) {
    EngineLock lock;
    prepare_target(leaf);
  }
  stats().transfers_to_device.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_to_device.fetch_add(static_cast<std::uint64_t>(leaf.nbytes()), std::memory_order_relaxed);
  if (done) return nullptr;
  TransferEnds ends(NodeRef(&leaf), host);
  const NodeRef target = ends.device;
  blocking = blocking || !readable_later(ends.memory().device(), ends.host);
  const bool in_host = is_near_host(ends.memory()) && (blocking || !ends.is_dense());
  const std::optional<Rect> rect = in_host || target->c_contiguous() ? std::nullopt : rectangle(ends);
  if (!in_host && !rect && !target->c_contiguous()) ends.device = empty(target->place, target->dtype, target->shape);
  const QueuePtr home = leaf.place->queue, q = queue ? queue : home;
  const Ref<Block> block = ends.device->storage->block;
  acquire_write(*ends.device->storage, *leaf.place);
  if (q != home) q->wait_event(*home->record());
  EventPtr event;
  const auto timer = timer_of(Activity::to_device);
  {
    GilRelease unlocked;
    if (in_host) {
      q->finish();
      copy_strided(in_place(ends), ends.host);
    } else if (rect) {
      event = q->write_rect(*block->allocation, ends.host.data, *rect, blocking);
    } else {
      event = write_from_host(*q, *block->allocation, block_offset(*ends.device), ends.host, blocking);
    }
  }
  ends.device->storage->note_write();  // other threads may have looked meanwhile
  if (timer) timer->done({.name = "to_device", .device = home->device()->label(), .written = ends.bytes()});
  if (q != home) home->wait_event(*q->record());
  if (ends.device != target) assign(*target, ends.device);
  return event;
}

void copy_across(Node& target, const NodeRef& source) {
  const auto bytes = static_cast<std::size_t>(source->nbytes());
  if (bytes == 0) return;
  stats().transfers_between_devices.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_between_devices.fetch_add(bytes, std::memory_order_relaxed);
  if (source->place->device->driver() == DriverKind::cuda && target.place->device->driver() == DriverKind::cuda)
    return copy_between(target, source);
  const std::unique_ptr<char[]> staging(new char[bytes]);
  const Dims dense = c_strides(source->shape, source->itemsize());
  copy_to_host(source, {staging.get(), dense}, nullptr, true);
  copy_from_host(target, {staging.get(), dense}, nullptr, true);
}

void read_item(const NodeRef& n, void* out) {
  if (n->size() != 1)
    throw ValueError("can only convert an array of size 1 to a Python scalar; this one has shape " +
                     to_string(n->shape));
  if (read_mirrored(n, out)) return;
  copy_to_host(n, {out, Dims(n->shape.size(), 0)}, nullptr, true);
}

}  // namespace devarray
