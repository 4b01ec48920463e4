// Fresh memory for values.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// Fresh memory at a place, in its queue's order.
StorageRef allocate_storage(const PlaceRef& place, std::int64_t nbytes);

/// The same, or null where that would have to wait for a driver.
StorageRef try_allocate_storage(const PlaceRef& place, std::int64_t nbytes);

/// A fresh uninitialised leaf in C or Fortran order. Throws ShapeError for a shape that no array has.
NodeRef empty(const PlaceRef& place, DType dtype, const Dims& shape, bool fortran = false);

/// The same with the strides that its axes have in some order, without gaps.
NodeRef empty_in_order(const PlaceRef& place, DType dtype, const Dims& shape, const Dims& strides);

}  // namespace devarray
