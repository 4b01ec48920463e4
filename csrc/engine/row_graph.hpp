// Graphs of values whose rows are reduced: what one kernel of rows computes.
#pragma once

#include <optional>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// A value that has the shape of rows without the reduced axes, and what stands for it in a graph: the same operations
/// with those axes, of size 1. Views of reductions' results that show all of them are such values, too.
struct RowValue {
  NodeRef value, made;
};

/// Pending values that one kernel is to compute, reductions of values over `space` among them.
struct ReducedGraph {
  std::vector<NodeRef> nodes;  ///< each behind what it is computed from
  Dims space, kept;            ///< shapes of the values, and of what a row has one of
  std::size_t axes = 0;        ///< how many of the last ones are reduced
  bool vector = false;         ///< all axes are: the values have one row
  bool shared = false;         ///< all axes are, and no value is computed from a reduction's result: one walk does all
  std::vector<RowValue> row_values;

  /// Whether it is one element for each row.
  bool is_of_row(const Node& n) const;
  std::vector<NodeRef> values_of_rows() const;
  /// Gives the values of rows that are still pending the memory of what stands for them.
  void settle_row_values() const;
};

/// The graph below a value that is computed from reductions of rows which wait; the value is its last node, or its last
/// node stands for it. None where there is something else among it, or too many reductions.
std::optional<ReducedGraph> rows_below(Node& root);

/// Reductions that one kernel takes, each computed from others or not.
inline constexpr std::size_t kMostRowSteps = 4;

/// Whether a value is computed from a waiting reduction of values of that shape.
bool reduces_shape(Node& n, const Dims& shape);

/// How many reductions wait below a value.
std::size_t reductions_below(Node& n);

}  // namespace devarray
