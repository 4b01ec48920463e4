// Evaluation: from pending nodes to launches.
#pragma once

#include "engine/expression.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Makes `n` a leaf: one kernel for the expression below it, where the limits allow. No wait.
void evaluate(Node& n);

/// Evaluates every pending expression that reads `storage`.
void evaluate_readers(Storage& storage);

/// Everything pending anywhere that an array still holds.
void evaluate_all();

/// Throws ValueError where a leaf must not be written: it is read-only, or several of its elements share memory.
void require_writable(const Node& leaf);

/// target[...] = value, broadcast and cast. The target's other readers are evaluated first; the right side is fused
/// into the store unless it reads the target at other places than those being written.
void assign(Node& target, const NodeRef& value);

/// Fresh memory at a place, in its queue's order.
StorageRef allocate_storage(const PlaceRef& place, std::int64_t nbytes);

/// A fresh uninitialised leaf in C or Fortran order. Throws ShapeError for a shape that no array has.
NodeRef empty(const PlaceRef& place, DType dtype, const Dims& shape, bool fortran = false);

/// A C-contiguous leaf with the value of `n`: itself where it is one already.
NodeRef contiguous(const NodeRef& n);

/// Orders work that is about to be enqueued on `place.queue` behind what the storage still waits for.
void acquire_read(Storage& storage, const Place& place);
void acquire_write(Storage& storage, const Place& place);
/// Notes that enqueued work on `place.queue` reads the storage, or writes it: then its own queue waits for that work.
void release_read(Storage& storage, const Place& place);
void release_write(Storage& storage, const Place& place);

/// After a launch: lets the host run ahead of the device by kLaunchesInFlight launches and no more, because some
/// drivers (PoCL) keep every waiting command in memory.
void limit_flight(Queue& queue);

/// Gives memory arguments and the element-wise launch geometry.
MemoryArg memory_arg(const Storage& storage);
LaunchDims elementwise_dims(const Device& device, const Kernel& kernel, Mode mode, int vec, const Dims& sizes);

}  // namespace devarray
