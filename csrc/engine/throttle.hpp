// How far the host may run ahead of a device.
#pragma once

#include "common/driver.hpp"

namespace devarray {

/// After a launch: lets the host run ahead of the device by kLaunchesInFlight launches and no more, because some
/// drivers (PoCL) keep every waiting command in memory.
void throttle_queue(Queue& queue);

}  // namespace devarray
