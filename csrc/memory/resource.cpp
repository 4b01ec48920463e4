#include "memory/resource.hpp"

#include <atomic>

#include "memory/block_record.hpp"
#include "memory/per_device.hpp"
#include "memory/pool.hpp"

namespace devarray {

void Block::dispose() noexcept {
  forget_block(*this);
  if (!owner) {
    delete this;
    return;
  }
  // Moved out first: this may be the last reference to the resource, which then ends after the block is back in it.
  ResourcePtr resource = std::move(owner);
  resource->deallocate(this);
}

namespace {

bool over(const std::pair<TimelinePtr, EventPtr>& use) { return use.second ? use.second->done() : use.first->over(); }

}  // namespace

void Block::move_to(const QueuePtr& q) {
  std::erase_if(foreign_uses, [&](const auto& use) { return use.first == q->timeline() || over(use); });
  if (timeline) {
    if (EventPtr event = timeline->behind()) foreign_uses.emplace_back(timeline, std::move(event));
  }
  timeline = q->timeline();
}

void Block::used_until(const TimelinePtr& other, EventPtr event) {
  if (other == timeline) return;
  for (auto& use : foreign_uses) {
    if (use.first != other) continue;
    if (use.second) use.second = std::move(event);  // the later one of a queue; a null one stands for this, too
    return;
  }
  foreign_uses.emplace_back(other, std::move(event));
}

void Block::note_all_of(const Queue& q) {
  if (!allocation) return;
  for (auto& use : foreign_uses) {
    if (use.first != q.timeline()) continue;
    use.second = nullptr;
    return;
  }
  foreign_uses.emplace_back(q.timeline(), nullptr);
}

void Block::hand_to(const QueuePtr& q) {
  // Nothing is dropped before all waits are enqueued: if the driver fails half-way, the block still knows its uses.
  if (timeline != q->timeline()) leave_timeline();
  bool ordered_by_driver = false;
  for (const auto& use : foreign_uses) {
    if (use.first == q->timeline()) continue;
    if (use.first->in_order_with(*q->timeline())) {
      ordered_by_driver = true;  // asks nothing: that is an error while a stream of that context is captured
      continue;
    }
    if (over(use)) continue;
    const EventPtr event = use.second ? use.second : use.first->behind();
    if (event) q->wait_event(*event);
  }
  if (ordered_by_driver) q->record();  // so that `q`, which stands for those uses from now on, is not idle before them
  foreign_uses.clear();
  timeline = q->timeline();
}

bool Block::quiet() {
  std::erase_if(foreign_uses, over);
  if (timeline && timeline->over()) timeline = nullptr;
  return !timeline && foreign_uses.empty();
}

void Block::wait() {
  for (const auto& [other, event] : foreign_uses) {
    if (event)
      event->wait();
    else
      other->wait();
  }
  foreign_uses.clear();
  if (timeline) timeline->wait();
  timeline = nullptr;
}

void Block::take_uses(Block& from) {
  const auto note = [this](TimelinePtr t, EventPtr event) {
    if (!t || t == timeline) return;
    for (auto& mine : foreign_uses) {
      if (mine.first != t) continue;
      mine.second = nullptr;  // which of two events is the later one is not known: a new one will stand for both
      return;
    }
    foreign_uses.emplace_back(std::move(t), std::move(event));
  };
  for (auto& [t, event] : from.foreign_uses) note(std::move(t), std::move(event));
  if (timeline)
    note(std::move(from.timeline), nullptr);
  else if (from.timeline) {
    timeline = std::move(from.timeline);
    std::erase_if(foreign_uses, [this](const auto& use) { return use.first == timeline; });
  }
  from.foreign_uses.clear();
  from.timeline = nullptr;
}

std::vector<EventPtr> Block::take_events() {
  std::vector<EventPtr> events;
  leave_timeline();
  for (auto& [other, event] : foreign_uses) {
    if (EventPtr pending = event ? std::move(event) : other->behind()) events.push_back(std::move(pending));
  }
  foreign_uses.clear();
  return events;
}

Ref<Block> MemoryResource::empty_block(const QueuePtr& queue) {
  Ref<Block> block(new Block);
  block->owner = shared_from_this();
  block->timeline = timeline_of(queue);
  return block;
}

namespace {

/// Never destroyed: arrays in other static objects may outlive it.
PerDevice<ResourcePtr>& defaults() {
  static auto* d = new PerDevice<ResourcePtr>;
  return *d;
}

std::atomic<std::uint64_t> changes{0};

}  // namespace

ResourcePtr default_resource(const DevicePtr& device) {
  return defaults().get(*device,
                        [&] { return pool_resource(direct_resource(device, device->memory_kinds().front())); });
}

void set_default_resource(const DevicePtr& device, ResourcePtr resource) {
  if (resource && resource->device() != device)
    throw DeviceError("the default allocator of " + device->label() + " cannot be a " + resource->describe() +
                      ": it must hand out memory of that device");
  defaults().set(*device, std::move(resource));
  changes.fetch_add(1, std::memory_order_release);
}

std::uint64_t default_resource_changes() noexcept { return changes.load(std::memory_order_acquire); }

}  // namespace devarray
