#include "engine/hazards.hpp"

#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/lock.hpp"

namespace devarray {

void require_writable(const Node& leaf) {
  if (!leaf.writable)
    throw ValueError(
        "assignment destination is read-only: a broadcast view, a view of such memory, an array whose "
        "flags.writeable is False, or the value of an element, x[0], where x[0, ...] is a view; copy it first");
  for (std::size_t i = 0; i < leaf.shape.size(); ++i)
    if (leaf.shape[i] > 1 && leaf.strides[i] == 0)
      throw ValueError(
          "assignment destination is read-only: the array is a broadcast view, several of its elements share memory; "
          "copy it first");
}

Node* other_reader(const Storage& storage, const Expression* except, const Extent* written, const Node* inherits) {
  for (Node* view = storage.views; view; view = view->next) {
    if (!view->consumers) continue;
    if (written) {
      const Extent read = view->extent();
      if (read.high <= written->low || written->high <= read.low) continue;
    }
    for (Node::Input* c = view->consumers; c; c = c->next)
      if (c->consumer != inherits && (!except || !except->contains(*c->consumer))) return c->consumer;
  }
  return nullptr;
}

void evaluate_readers(Storage& storage) {
  EngineLock lock;
  const StorageRef keep(&storage);  // an element's own array may ask
  settle_elements(storage);
  while (Node* reader = other_reader(storage, nullptr)) evaluate_with_consumers(*reader);
}

void prepare_target(Node& n) {
  evaluate(n);
  require_writable(n);
  evaluate_readers(*n.storage);
}

void expose(Node& n) {
  evaluate(n);
  evaluate_readers(*n.storage);
  n.storage->place->queue->settle();
  n.storage->exposed = true;
  n.storage->unused = false;
}

void expect_no_use(Storage& s) {
  s.unused = true;
  s.block->timeline = nullptr;
}

namespace {

constexpr std::size_t kNotedBytes = std::size_t{1} << 20;  ///< of a block whose writes are worth an event
bool noting = false;  ///< whether queues read what others write; guarded by the GIL

}  // namespace

void start_noting_writes() { noting = true; }

void note_written(Storage& s) {
  Queue& queue = *s.place->queue;
  // By an exposed pointer others write what nobody notes; what is held back is not launched for this.
  if (!s.written && !s.exposed && !queue.holds_back && !queue.is_captured()) s.written = queue.mark();
}

void wait_for_writes(Storage& s, Queue& queue) {
  Queue& own = *s.place->queue;
  if (s.exposed || own.is_captured() || queue.is_captured()) return queue.wait_event(*own.mark());
  if (!s.written) s.written = own.mark();
  queue.wait_event(*s.written);
}

void acquire_read(Storage& s, const Place& place) {
  place.queue->settle();
  s.place->queue->settle();
  s.unused = false;
  if (s.place->queue != place.queue) wait_for_writes(s, *place.queue);
}

void acquire_write(Storage& s, const Place& place) {
  s.note_write();
  acquire_read(s, place);
  const Block& block = *s.block;
  const TimelinePtr& own = place.queue->timeline();
  const auto wait_for = [&](const TimelinePtr& timeline, EventPtr event) {
    if (timeline->in_order_with(*own)) return;
    if (!event) event = timeline->behind();
    if (event) place.queue->wait_event(*event);
  };
  if (block.timeline && block.timeline != s.place->queue->timeline())
    wait_for(block.timeline, nullptr);  // read last there
  for (auto& [timeline, event] : block.foreign_uses) wait_for(timeline, event);
}

void release_read(Storage& s, const Place& place) {
  if (s.place->queue != place.queue) s.block->used_on(place.queue);
}

void release_write(Storage& s, const Place& place) {
  s.note_write();
  if (s.place->queue == place.queue) {
    if (noting && s.block->size >= kNotedBytes) note_written(s);
    return;
  }
  s.block->used_on(place.queue);
  s.place->queue->wait_event(*place.queue->record());
}

}  // namespace devarray
