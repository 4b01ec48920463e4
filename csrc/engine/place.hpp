// Where new arrays live: the innermost `with devarray.use`, or the process's default (rule 9).
#pragma once

#include "engine/node.hpp"

namespace devarray {

PlaceRef default_place();
/// The place of a queue and an allocator, of which what is not given is the current one's, or that device's default.
PlaceRef place_for(const QueuePtr& queue, const ResourcePtr& allocator);

/// Makes a place the calling thread's default, until pop_place().
void push_place(PlaceRef place);
void pop_place();

/// Set by bind/: the process's default, which Python chooses. Asked again when a device's default resource changed.
inline PlaceRef (*process_default_place)() = nullptr;

}  // namespace devarray
