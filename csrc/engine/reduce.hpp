// Reductions: in one kernel with the pending expression that feeds them. Most are launched at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/node.hpp"
#include "engine/reduce_plan.hpp"

namespace devarray {

/// An element-wise operation on the reduced value: op(value) or op(value, scalar).
struct PostOp {
  OpId op = 0;
  std::optional<double> scalar;
  bool operator==(const PostOp&) const = default;
};

struct Reduction {
  std::string kind;                ///< sum prod min max any all argmin argmax count_nonzero deviation
  std::vector<std::int64_t> axes;  ///< none repeated, from 0
  bool keepdims = false;
  std::optional<DType> dtype;  ///< of sum and prod: accumulated and returned in it
  std::vector<PostOp> post;
  bool at_once = false;  ///< it does not wait for what is computed from it, however long its rows are
  /// The caller says that nobody will use the input again: it is not stored beside the reduction.
  bool input_dies = false;
  bool only_read = false;  ///< nobody writes to the result: it may be another array's
  /// A pending value below the input that the caller's temporary alone holds: it is not stored beside the reduction
  /// where the kernel computes rows. Only compared with nodes; of no reduction that waits.
  const Node* dying = nullptr;
};

/// Throws ShapeError, DTypeError, ValueError (no identity for an empty axis). Reductions of large arrays may
/// wait (reduce_rows.hpp); every other one is launched.
NodeRef reduce(const NodeRef& x, const Reduction& r);

/// The reduction "deviation" of real values, of integers in float64, on GPUs, where the mean and then the distances
/// from it would be two launches that read memory twice. Null elsewhere, and nothing is done: where one kernel keeps
/// rows, or all of a small array, on the chip between both, and where so few elements are added up that sums are
/// operations.
NodeRef reduce_deviation(const NodeRef& x, const Reduction& r);

/// Launches one that waits. Under the engine's lock.
void evaluate_reduction(Node& n);

bool is_arg(const std::string& kind);    ///< argmin, argmax
bool is_total(const std::string& kind);  ///< sum, prod
/// The sum of the squared distances from the mean, in one pass over memory: takes_deviation().
bool is_deviation(const std::string& kind);

/// Bytes of one partial result in scratch memory: those of partial_bytes() in codegen/kernels/reduction_spec.py, which
/// a test compares with these.
std::size_t partial_bytes(const std::string& kind, DType accumulator);

struct ReduceDtypes {
  DType accumulator, result;
};
ReduceDtypes dtypes_of(const Reduction& r, DType x);

/// What is done with the accumulated value, as specs have it: its dtypes are the accumulator's.
struct PostSpec {
  SmallVector<DType, 8> scalars;
  SmallVector<SpecNode, 16> nodes;
  std::uint8_t result = 0;  ///< value id
  SmallVector<std::int64_t, 8> slots;
};
PostSpec spec_of_post(const Reduction& r, DType accumulator);
/// The same as operations that are recorded.
NodeRef record_post(NodeRef value, const Reduction& r);

/// What identifies a reduction kernel; its dataclass is in devarray/codegen/kernels/reduction_spec.py.
struct ReductionSpec {
  ReducePlan plan;
  std::uint8_t nkept = 0, nreduced = 0;
  ExpressionSpec body;  ///< outputs are the extra ones
  std::string kind;
  DType accumulator = DType::float32;
  std::uint16_t value = 0;
  SmallVector<DType, 8> post_scalars;
  SmallVector<SpecNode, 16> post;
  std::uint8_t result_value = 0;
  DType result = DType::float32;
  std::vector<RowStep> steps;  ///< reductions of rows among the nodes
  /// Three numbers each: a leaf, another one of which it is one column, and which.
  SmallVector<std::uint8_t, 16> columns;

  template <class Visit>
  void each_field(Visit&& visit) const {
    visit("layout", plan.layout);
    visit("nkept", nkept);
    visit("nreduced", nreduced);
    visit("flat", plan.flat);
    visit("wide", plan.wide);
    visit("split", plan.split);
    visit("vectors", plan.vectors);
    visit("outs", plan.outs);
    visit("lanes", plan.lanes);
    visit("tile", plan.tile);
    visit("unroll", plan.unroll);
    visit("pack", plan.pack);
    visit("body", body);  // leaves, scalars, nodes, outputs
    visit("op", kind);
    visit("acc_dtype", accumulator);
    visit("value", value);
    visit("post_scalars", post_scalars);
    visit("post", post);
    visit("result", SpecResult{result_value, result});
    visit("steps", steps);
    visit("columns", columns);
  }
};

}  // namespace devarray
