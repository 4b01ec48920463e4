#include "engine/place.hpp"

#include <utility>

namespace devarray {
namespace {

thread_local std::vector<PlaceRef> place_stack;
PlaceRef known;              // the process's default
std::uint64_t known_at = 0;  // default_resource_changes() when it was made

}  // namespace

PlaceRef default_place() {
  if (!place_stack.empty()) return place_stack.back();
  if (!known || known_at != default_resource_changes()) {
    PlaceRef made = process_default_place();  // may raise, and may change a default resource
    known_at = default_resource_changes();
    known = std::move(made);
  }
  return known;
}

PlaceRef place_for(const QueuePtr& queue, const ResourcePtr& allocator) {
  if (!queue && !allocator) return default_place();
  if (queue && allocator) return PlaceRef(new Place(queue, allocator));  // whatever hinders the default place
  const PlaceRef current = default_place();
  if (queue) {
    if (queue->device() == current->device) return PlaceRef(new Place(queue, current->resource));
    return PlaceRef(new Place(queue, default_resource(queue->device())));
  }
  if (allocator->device() == current->device) return PlaceRef(new Place(current->queue, allocator));
  return PlaceRef(new Place(allocator->device()->default_queue(), allocator));
}

void push_place(PlaceRef place) { place_stack.push_back(std::move(place)); }

void pop_place() { place_stack.pop_back(); }

}  // namespace devarray
