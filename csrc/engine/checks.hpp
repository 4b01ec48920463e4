// Errors that only the device can see: an index array out of bounds (rule 13). Kernels raise a flag word of their queue;
// the host looks at it where it waits for that queue anyway.
#pragma once

#include <string>

#include "engine/node.hpp"

namespace devarray {

/// The flag word (one int32) of the place's queue, for a kernel about to be launched. `what` describes the use.
NodeRef index_flag(const PlaceRef& place, const std::string& what);

/// To be called when the queue's work is done. Throws IndexError, once, where the flag was raised.
void check_indices(const QueuePtr& queue);

}  // namespace devarray
