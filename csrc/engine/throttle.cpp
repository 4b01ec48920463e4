#include "engine/throttle.hpp"

#include <utility>

#include "common/gil.hpp"
#include "engine/config.hpp"

namespace devarray {

void note_launch(Queue& queue) {
  Queue::Flight& flight = queue.flight;
  if (++flight.unmarked < kLaunchesInFlight / 2) return;
  flight.unmarked = 0;
  flight.due = std::exchange(flight.mark, queue.record());
}

void make_room(Queue& queue) {
  if (!queue.flight.due) [[likely]]
    return;
  const EventPtr behind = std::exchange(queue.flight.due, nullptr);
  GilRelease unlocked;
  behind->wait();
}

}  // namespace devarray
