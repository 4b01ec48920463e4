#include "engine/throttle.hpp"

#include <utility>

#include "common/gil.hpp"
#include "engine/config.hpp"

namespace devarray {

void make_room(Queue& queue) {
  if (!queue.flight.due) [[likely]]
    return;
  const EventPtr behind = std::exchange(queue.flight.due, nullptr);
  GilRelease unlocked;
  behind->wait();
}

void note_launch(Queue& queue) {
  Queue::Flight& flight = queue.flight;
  if (++flight.unmarked < kLaunchesInFlight / 2) return;
  flight.unmarked = 0;
  make_room(queue);  // where nobody has since: work that is not begun outside of the engine's lock
  flight.due = std::exchange(flight.mark, queue.record());
}

}  // namespace devarray
