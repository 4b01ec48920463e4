// The walk over a pending expression that every launch starts with: what it reads, computes and must keep.
#pragma once

#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// One memory operand of a launch: a view seen in the iteration space.
struct Operand {
  Storage* storage = nullptr;
  DType dtype = DType::bool_;
  Dims strides;             ///< bytes, one for each dimension of the iteration space
  std::int64_t offset = 0;  ///< bytes from the block's start
  bool repeated = false;    ///< all strides are 0
};

/// A pending expression over one iteration space, in order of evaluation, each value once.
class Expression {
 public:
  /// Evaluates first what is pending below `root` with another shape than `space`, then walks. `root` may be a leaf.
  /// `fits()` says whether the limits hold; if not, `cut()` evaluates the root's inputs and walks again.
  Expression(Node& root, const Dims& space);

  bool fits() const;
  /// Whether an operation depends on the element's number.
  bool counts_elements() const;
  void cut();

  Node& root() const { return root_; }
  const Dims& space() const { return space_; }
  /// The value id of a node of this expression.
  std::uint8_t id_of(const Node& n) const;
  /// Whether `n` is part of the expression.
  bool contains(const Node& n) const { return n.epoch == epoch_; }
  /// Interior nodes that something outside still needs, the root not among them.
  const SmallVector<Node*, 8>& living() const { return living_; }
  /// Whether the leaf's value is needed by nothing but this expression.
  bool can_donate(const Node& leaf) const;

  /// One operand for each distinct view, in the order of leaf ids.
  std::vector<Operand> operands;
  /// For each operand, a node that stands for it (the first one met).
  SmallVector<Node*, 8> leaf_nodes;
  SmallVector<Node*, 8> scalar_nodes;
  SmallVector<Node*, 16> nodes;

  /// Strides of fresh memory for a node's value: NumPy's K order of what that value alone is computed from, whatever
  /// else the kernel reads. C order wins where operands disagree, so that what follows from C order is a view of it.
  Dims result_strides(const Node& n) const;

  /// What a profile notes of it: names and number of the operations, bytes read, lines.
  ActivityRecord described() const;

  void fill(ExpressionSpec& spec) const;  ///< scalars and nodes; leaves and outputs need accesses
  void append_scalar_slots(SmallVector<std::int64_t, 64>& slots) const;

 private:
  void evaluate_foreign_shapes();
  void walk();
  void visit(Node& n);
  void add_leaf(Node& n);
  /// Whether each operand is one of those that the node's value is computed from.
  SmallVector<bool, 16> read_by(const Node& n) const;

  Node& root_;
  Dims space_;
  std::uint64_t epoch_ = 0;
  SmallVector<Node*, 8> living_;
};

}  // namespace devarray
