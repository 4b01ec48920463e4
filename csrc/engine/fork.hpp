// What is looked at before a process forks.
#pragma once

#include <vector>

namespace devarray {

/// Whether no other thread is in a driver or holds a lock of ours, and the queues of CPU devices have come to their
/// end: what a fork copies then is whole. Looks for so many seconds. `pythons` are the system's numbers of
/// Python's threads; all others, which are the runtimes', have to sleep. The GIL is held, so that nobody begins
/// anything meanwhile; a thread that needs it to go on is met by letting go of it and asking again.
bool at_rest(double seconds, const std::vector<long>& pythons);

}  // namespace devarray
