// What a pending value costs to compute from its operands: views of it, and elements taken of it, may be computed so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/node.hpp"

namespace devarray {

/// Operations from which on nobody computes a value once more.
inline constexpr std::size_t kMostSurveyed = 128;

/// What a value is computed by in its own kernel, in which nothing is left to be evaluated first.
struct Survey {
  std::size_t operations = 0, reads = 0;
  int weight = 0;
  std::uint64_t bytes = 0;               ///< read
  bool movable = true;                   ///< no element depends on its number, and no operand is shifted
  bool full = false, in_c_order = true;  ///< an operand that repeats nothing; all operands
  bool filled = true;                    ///< no operand at all
  SmallVector<const Node*, 8> leaves;    ///< of more than one element
};

Survey survey(Node& base);

}  // namespace devarray
