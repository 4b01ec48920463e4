#include "engine/throttle.hpp"

#include <utility>

#include "common/gil.hpp"
#include "engine/config.hpp"

namespace devarray {

void make_room(Queue& queue) {
  if (!queue.flight.due) [[likely]]
    return;
  const EventPtr behind = std::exchange(queue.flight.due, nullptr);
  GilRelease unlocked(GilRelease::HeldBack::stays);  // the device has enough to do
  behind->wait();
}

void mark_launches(Queue& queue) {
  Queue::Flight& flight = queue.flight;
  if (flight.unmarked < kLaunchesInFlight / 2 || queue.holds_back.load(std::memory_order_relaxed)) return;
  flight.unmarked = 0;
  make_room(queue);  // where nobody has since: work that is not begun outside of the engine's lock
  flight.due = std::exchange(flight.mark, queue.record());
}

void note_launch(Queue& queue) {
  ++queue.flight.unmarked;
  mark_launches(queue);
}

}  // namespace devarray
