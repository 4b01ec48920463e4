// What a large graph computes or is given more than once: equal scalars, and operations on the same values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/driver.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Operations from which on it pays to look for repeated ones. Fewer are memory's work, and kernels of small
/// expressions would differ by which numbers happen to be the same.
constexpr std::size_t repeats_from(Strategy strategy) { return strategy == Strategy::cpu ? 24 : 64; }

/// For each scalar a number, the same for equal values of the same dtype: they are counted from 0 as they come.
std::vector<std::uint16_t> equal_scalars(std::span<Node* const> scalars);

}  // namespace devarray
