// Shifted values: read where they lie, by whatever uses them.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// A pending value: `n` with each axis moved by so many places towards higher indices; what leaves one end comes in at
/// the other. It reads the memory of `n`, which is evaluated, through shifted indices: no copy is made before somebody
/// wants one. Shifts of a shifted value add up.
NodeRef rolled(const NodeRef& n, const Dims& by);

}  // namespace devarray
