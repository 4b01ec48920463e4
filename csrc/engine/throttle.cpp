#include "engine/throttle.hpp"

#include <utility>

#include "common/gil.hpp"
#include "engine/config.hpp"

namespace devarray {

void throttle_queue(Queue& queue) {
  Queue::Flight& flight = queue.flight;
  if (++flight.unmarked < kLaunchesInFlight / 2) return;
  flight.unmarked = 0;
  const EventPtr behind = std::exchange(flight.mark, queue.record());
  if (!behind) return;
  GilRelease unlocked;
  behind->wait();
}

}  // namespace devarray
