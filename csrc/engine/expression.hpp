// The walk over a pending expression that every launch starts with: what it reads, computes and must keep.
#pragma once

#include <array>
#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"
#include "engine/plan.hpp"

namespace devarray {

/// One memory operand of a launch: a view seen in the iteration space.
struct Operand {
  Storage* storage = nullptr;
  DType dtype = DType::bool_;
  Dims strides;             ///< bytes, one for each dimension of the iteration space
  std::int64_t offset = 0;  ///< bytes from the block's start
  bool repeated = false;    ///< all strides are 0
  bool table = false;       ///< read at places that an operation works out: kernels get its address
  Dims shifts;              ///< as Node::shifts, one for each dimension; empty where there are none
};

/// A pending expression over one iteration space, in order of evaluation, each value once.
class Expression {
 public:
  /// Evaluates first what is pending below `root` with another shape than `space`, then walks. `root` may be a leaf.
  /// `fits()` says whether the limits hold; if not, `cut()` evaluates the part of the graph that is best cut off.
  Expression(Node& root, const Dims& space);
  /// A part of a graph: pending nodes of one shape, each behind its inputs, which are among them or evaluated.
  explicit Expression(const std::vector<NodeRef>& part);
  /// The same over rows of `space`: reductions of them, and what is computed from their results, are among the nodes.
  /// What `others` read is not needed for them.
  Expression(const std::vector<NodeRef>& part, const Dims& space, const std::vector<NodeRef>& others);

  /// Whether one kernel takes the expression, with `results` memory arguments beside the living interior values.
  bool fits(std::size_t results = 1) const { return !excess(results); }
  /// What it has too much of for one kernel.
  Excess excess(std::size_t results = 1) const;
  /// Whether an operation depends on the element's number.
  bool counts_elements() const;
  /// Whether an operand is read with its axes shifted.
  bool has_shifts() const;
  /// Whether an operand is read at places that an operation works out.
  bool has_tables() const;
  /// Whether each element is computed from the operands' elements at its own place, whatever its number.
  bool reads_in_place() const { return !counts_elements() && !has_shifts() && !has_tables(); }
  /// Evaluates what partition.hpp chooses, the root itself only `with_root`, then walks again. Returns whether anything
  /// was left to cut off.
  bool cut(bool with_root = false);

  Node& root() const { return root_; }
  const Dims& space() const { return space_; }
  /// Whether an interior value that no array holds is needed outside, by a value that somebody can still read.
  bool shares_values() const;
  /// Evaluates the root and all that shares values with it in one kernel, or says that one does not take them.
  bool evaluate_whole_graph();
  /// The value id of a node of this expression.
  std::uint16_t id_of(const Node& n) const;
  /// Whether `n` is part of the expression.
  bool contains(const Node& n) const { return n.epoch == epoch_; }
  /// Whether an operation outside reads the value.
  bool is_read_outside(const Node& n) const;
  /// Nodes that something outside still needs; the root is not among them, but for a part of a graph, which has none.
  const SmallVector<Node*, 8>& living() const { return living_; }
  /// One of them is held elsewhere, too, where what needs it will find it.
  void leave_out(const Node& n);
  /// Those of the living ones that are worth their bytes. The others stay pending, and whatever uses them computes
  /// them, from memory that is not donated then: the differences of all pairs of points and their like, made by a few
  /// quick operations from memory of an eighth of their size; on GPUs, too, large ones that read hardly more than they
  /// write, which many a program never asks for again: locals of a function, a loop's former value. So this is not for
  /// a kernel that writes to memory which the expression reads.
  /// `wanted` is stored in any case, and `with_read` what other pending values read. In the order of recording, since
  /// what reads a result of the same kernel counts it.
  SmallVector<Node*, 8> stored(const Node* wanted = nullptr, bool with_read = false);
  /// The same for one value, the root among them.
  bool stores(Node& n);
  /// It is stored in any case: stores() takes what is computed from it as reading it.
  void note_result(const Node& n);
  /// Puts right what the values left pending say of what they read. After the launch.
  void renumber_left() const;
  /// Whether the leaf's value is needed by nothing but this expression, and by nothing in it once more.
  bool can_donate(const Node& leaf) const;

  /// One operand for each distinct view, in the order of leaf ids.
  std::vector<Operand> operands;
  /// For each operand, a node that stands for it (the first one met).
  SmallVector<Node*, 8> leaf_nodes;
  SmallVector<Node*, 8> scalar_nodes;
  SmallVector<Node*, 16> nodes;

  /// Strides of fresh memory for a node's value: NumPy's K order of what that value alone is computed from, whatever
  /// else the kernel reads (memory_order.hpp). C order wins where operands disagree, so that what follows from C order
  /// is a view of it.
  Dims result_strides(const Node& n) const;

  /// Slots of a launch beside sizes, offsets and strides: scalars and shifts.
  std::size_t further_slots() const;

  /// What a profile notes of it: names and number of the operations, bytes read, lines. The operands' strides are over
  /// `sizes`.
  ActivityRecord described(const Dims& sizes) const;

  void fill(ExpressionSpec& spec) const;  ///< scalars and nodes; leaves and outputs need accesses
  void append_scalar_slots(SmallVector<std::int64_t, 64>& slots) const;

 private:
  void walk();
  void find_living(const Node* except);
  /// Gives an operation that repeats another one on the same values that one's id, and leaves it out.
  void merge_repeated();
  void merge_scalars(const std::vector<std::uint16_t>& number);
  int text_weight() const;
  void order_by_age();
  void visit(Node& n);
  void add_leaf(Node& n);
  /// What a node's value is computed from.
  struct Sources {
    SmallVector<bool, 16> read;  ///< of each operand: whether it is one
    bool fills = false;          ///< whether an operation among them only fills an array
    int weight = 0;              ///< of the operations
    std::uint64_t results = 0;   ///< bytes of results of the same kernel that are read in place of their operands
  };
  Sources sources_of(const Node& n, bool up_to_results) const;
  bool leaves_pending(Node& n, const Sources& from);

  static constexpr std::uint16_t kNone = 0xFFFF;

  Node& root_;
  Dims space_;
  std::uint64_t epoch_ = 0;
  std::array<std::uint16_t, 32> newest_at_;  ///< by a hash of storage and offset: an operand, or kNone
  SmallVector<std::uint16_t, 8> older_at_;   ///< for each operand, another one of the same hash, or kNone
  SmallVector<Node*, 8> living_;
  SmallVector<bool, 16> read_again_;  ///< operands that values which are not stored are computed from; empty: none
  SmallVector<bool, 16> results_;     ///< nodes that stores() decided for; empty: none
  std::vector<NodeRef> left_;         ///< those it decided against for now, which are to be renumbered afterwards
};

/// Whether a value that arrays hold may stay pending behind a kernel that uses it: a large one of a GPU, a few times.
/// To compute it takes so many operations and reads so many bytes. `in_parts`: the kernel computes views of it that
/// have no more elements together than it has, so that nothing is done twice but if the whole value is asked for.
bool may_be_computed_again(const Node& n, int weight, std::uint64_t reads, bool in_parts = false);

/// Bytes of the elements that strides over `sizes` reach, those that are repeated once.
std::uint64_t bytes_reached(const Dims& sizes, const Dims& strides, DType dtype);

/// Bytes of parameters of a launch over `ndim` dims.
std::size_t parameter_bytes(std::size_t memory, std::size_t ndim, std::size_t further_slots);
/// Whether they are more than the device takes.
Excess parameter_excess(std::size_t memory, std::size_t ndim, std::size_t further_slots, const Device& device);

}  // namespace devarray
