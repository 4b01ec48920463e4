// Views of evaluated values: other shapes, strides and dtypes over the same memory, and whether they may be written.
#pragma once

#include <optional>

#include "engine/node.hpp"

namespace devarray {

/// A view by strides, its first element `offset` bytes from that of `n`. Throws ShapeError where it leaves the memory,
/// ValueError where elements would not be aligned.
NodeRef strided_view(const NodeRef& n, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset,
                     bool read_only);

/// The elements in another shape, one size of which may be -1. A view where strides can express it, else a copy; always
/// a copy where `copy` is true, ValueError in place of a copy where it is false.
NodeRef reshaped(const NodeRef& n, Dims shape, std::optional<bool> copy);

/// The axes in another order, in which each stands once.
NodeRef with_axes(const NodeRef& n, const Dims& axes);

/// A read-only view that repeats elements. Throws ShapeError where `shape` is none that `n` broadcasts to.
NodeRef broadcast_view(const NodeRef& n, const Dims& shape);

/// What an array shows after flags.writeable = `writable`: the same memory by a leaf of its own, so that views made
/// before keep their state. A view becomes writable only where the memory's own array is; a value never (`is_value`).
NodeRef with_writable(const NodeRef& n, bool writable, bool is_value);

/// A leaf in memory that the engine did not allocate: exposed, and checked to lie in it. A queue and an allocator that
/// are not given are the device's default.
NodeRef adopted(const AllocationPtr& memory, DType dtype, const Dims& shape, const Dims& strides, std::int64_t offset,
                const QueuePtr& queue, const ResourcePtr& allocator, bool read_only);

/// Memory of other libraries may start at an address that the dtype cannot be read at: throws ValueError.
void check_start(const Allocation& memory, DType dtype);

}  // namespace devarray
