// How far the host may run ahead of a device.
#pragma once

#include "common/driver.hpp"

namespace devarray {

/// The host runs ahead of a queue by kLaunchesInFlight launches and no more: some drivers (PoCL) keep every waiting
/// command in memory, others (CUDA) let the caller wait in the launch, with all locks that it holds.
/// note_launch counts, after a launch; make_room waits, before the engine's lock is taken, so that threads which feed
/// other devices go on. The queue is marked every kLaunchesInFlight / 2 launches, or with the launch of what is held
/// back then, which a mark would launch too soon.
void note_launch(Queue& queue);
void mark_launches(Queue& queue);
void make_room(Queue& queue);

}  // namespace devarray
