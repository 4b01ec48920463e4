#include "memory/resource.hpp"

#include <map>
#include <mutex>

#include "memory/pool.hpp"

namespace devarray {

void Block::dispose() noexcept {
  if (!owner) {
    delete this;
    return;
  }
  // Moved out first: this may be the last reference to the resource, which then ends after the block is back in it.
  ResourcePtr resource = std::move(owner);
  resource->deallocate(this);
}

namespace {

/// An event behind all work of `q`, in reach of other queues; null if there is none left to wait for.
EventPtr event_behind(Queue& q) {
  if (q.idle()) return nullptr;
  EventPtr event = q.record();
  q.flush();  // OpenCL: an event that another queue waits for must have been submitted
  return event;
}

bool over(const std::pair<QueuePtr, EventPtr>& use) { return use.second ? use.second->done() : use.first->idle(); }

}  // namespace

void Block::move_to(const QueuePtr& q) {
  std::erase_if(foreign_uses, [&](const auto& use) { return use.first == q || over(use); });
  if (queue) {
    if (EventPtr event = event_behind(*queue)) foreign_uses.emplace_back(queue, std::move(event));
  }
  queue = q;
}

void Block::note_all_of(const QueuePtr& q) {
  if (!q || !allocation) return;
  for (auto& use : foreign_uses) {
    if (use.first != q) continue;
    use.second = nullptr;
    return;
  }
  foreign_uses.emplace_back(q, nullptr);
}

void Block::hand_to(const QueuePtr& q) {
  // Nothing is dropped before all waits are enqueued: if the driver fails half-way, the block still knows its uses.
  if (queue && queue != q) foreign_uses.emplace_back(std::move(queue), nullptr);
  for (const auto& use : foreign_uses) {
    if (use.first == q || over(use)) continue;
    const EventPtr event = use.second ? use.second : event_behind(*use.first);
    if (event) q->wait_event(*event);
  }
  foreign_uses.clear();
  queue = q;
}

bool Block::quiet() {
  std::erase_if(foreign_uses, over);
  if (queue && queue->idle()) queue = nullptr;
  return !queue && foreign_uses.empty();
}

void Block::wait() {
  for (const auto& [other, event] : foreign_uses) {
    if (event)
      event->wait();
    else
      other->finish();
  }
  foreign_uses.clear();
  if (queue) queue->finish();
  queue = nullptr;
}

void Block::take_uses(Block& from) {
  const auto note = [this](QueuePtr q, EventPtr event) {
    if (!q || q == queue) return;
    for (auto& mine : foreign_uses) {
      if (mine.first != q) continue;
      mine.second = nullptr;  // which of two events is the later one is not known: a new one will stand for both
      return;
    }
    foreign_uses.emplace_back(std::move(q), std::move(event));
  };
  for (auto& [q, event] : from.foreign_uses) note(std::move(q), std::move(event));
  if (queue)
    note(std::move(from.queue), nullptr);
  else if (from.queue) {
    queue = std::move(from.queue);
    std::erase_if(foreign_uses, [this](const auto& use) { return use.first == queue; });
  }
  from.foreign_uses.clear();
  from.queue = nullptr;
}

std::vector<EventPtr> Block::take_events() {
  std::vector<EventPtr> events;
  if (queue) foreign_uses.emplace_back(std::move(queue), nullptr);
  for (auto& [other, event] : foreign_uses) {
    if (EventPtr pending = event ? std::move(event) : event_behind(*other)) events.push_back(std::move(pending));
  }
  foreign_uses.clear();
  return events;
}

Ref<Block> MemoryResource::empty_block(const QueuePtr& queue) {
  Ref<Block> block(new Block);
  block->owner = shared_from_this();
  block->queue = queue;
  return block;
}

namespace {

struct Defaults {
  std::mutex mutex;
  std::map<const Device*, ResourcePtr> resources;
};

/// Never destroyed: arrays in other static objects may outlive it.
Defaults& defaults() {
  static auto* d = new Defaults;
  return *d;
}

}  // namespace

ResourcePtr default_resource(const DevicePtr& device) {
  Defaults& d = defaults();
  {
    std::lock_guard lock(d.mutex);
    if (auto it = d.resources.find(device.get()); it != d.resources.end()) return it->second;
  }
  // Made without the lock, since it asks the driver; if two threads come here, the first one's stays.
  ResourcePtr made = pool_resource(direct_resource(device, device->memory_kinds().front()));
  std::lock_guard lock(d.mutex);
  return d.resources.emplace(device.get(), std::move(made)).first->second;
}

void set_default_resource(const DevicePtr& device, ResourcePtr resource) {
  if (resource && resource->device() != device)
    throw DeviceError("the default allocator of " + device->label() + " cannot be a " + resource->describe() +
                      ": it must hand out memory of that device");
  Defaults& d = defaults();
  ResourcePtr old;  // ends outside the lock
  std::lock_guard lock(d.mutex);
  ResourcePtr& slot = d.resources[device.get()];
  old = std::move(slot);
  if (resource)
    slot = std::move(resource);
  else
    d.resources.erase(device.get());
}

}  // namespace devarray
