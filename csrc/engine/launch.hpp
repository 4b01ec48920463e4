// One element-wise launch: from an expression to a kernel on a queue, or to the host where it is small.
#pragma once

#include <string>
#include <vector>

#include "engine/expression.hpp"
#include "engine/launch_batch.hpp"
#include "engine/node.hpp"

namespace devarray {

/// A memory operand that the launch writes.
struct Target {
  std::uint16_t value = 0;
  DType dtype = DType::bool_;
  StorageRef storage;
  Dims strides;  ///< over the space
  std::int64_t offset = 0;
  Node* node = nullptr;  ///< becomes a leaf on the storage; null for an assignment
};

/// One element-wise launch: puts the operands into iteration order, finds the kernel, and runs it. Small ones run on
/// the host where they can (host/evaluator.hpp).
class ElementwiseLaunch {
 public:
  ElementwiseLaunch(Expression& e, const Place& place) : e_(e), place_(place) {}

  void add_result(Node& n);
  void add_assignment(Node& target, std::uint16_t value);
  bool parameters_fit() const;
  void run();

 private:
  void choose_order();
  bool donate(Target& t, Node& n);
  void allocate(Target& t, Node& n);
  void collapse_space();
  void classify();
  Access access_of(const Dims& strides, std::int64_t itemsize, bool repeated) const;
  /// Of a GPU's launch: which operands it reads by tiles, since they lie along another dim than what it writes.
  void find_tiles();
  bool leaves_units_idle(std::int64_t items) const;
  int vector_width();
  int narrow_width() const;
  bool takes_vectors() const;
  bool needs_64_bits() const;
  std::int64_t part_size();
  void run_parts(std::int64_t size);
  bool can_turn() const;
  /// Notes which operands have the same strides, shifts or first element: what their addresses share is worked out
  /// once.
  void find_alike();
  /// Null while it is compiled in the background, where the host may do the work, which costs so much.
  KernelPtr kernel(std::int64_t cost);
  void execute();
  /// Whether the launch became a step of a chain, which needs no kernel of its own that was not made yet.
  bool hold_without_kernel();
  /// Without a kernel: false, and nothing is done, where the launch is not held back.
  bool enqueue(const KernelPtr& kernel);
  std::vector<BatchForm::Operand> operands_of_batch(const SmallVector<std::uint16_t, 32>& slot_of) const;
  /// For each target whether its memory is the launch's alone: not that of an array that is assigned to.
  SmallVector<bool, 8> replaceable_results() const;
  std::int64_t host_cost() const;
  bool suits_host() const;
  void run_on_host();
  std::string describe(const std::string& what) const;
  ActivityRecord profiled() const;
  PlannedKernel planned(const Planner& planner) const;

  Expression& e_;
  const Place& place_;
  std::vector<Target> targets_;
  std::vector<Node*> results_;
  SmallVector<std::uint8_t, 8> order_;
  bool in_c_order_ = true;
  bool in_parts_ = false;
  Dims sizes_;
  ElementwiseSpec spec_;
  SmallVector<bool, 16> taken_;  ///< operands whose storage was donated
};

/// Whether a launch over a large space on a GPU would go by tiles. Kernels of reductions have none: what they reduce is
/// computed first.
bool is_read_across(const Expression& e);
/// Elements of such a space: of fewer a launch costs more than what it saves.
inline constexpr std::int64_t kLeastReadAcross = 1 << 18;

/// Gives memory arguments and the element-wise launch geometry.
MemoryArg memory_arg(const Storage& storage);
/// A slot of a large launch, a size of 32 bits, with a bit that says which way its groups run: the other way than those
/// of the queue's last one, whose end the cache still has.
std::int64_t turned(std::int64_t size, Queue& queue);
/// Whether a launch that moves so many bytes is so large.
bool may_turn(const Device& device, std::uint64_t bytes);
/// `shifted_rows`: whether a leaf is read shifted along the last dim.
LaunchDims elementwise_dims(const Device& device, const Kernel& kernel, Mode mode, int vec, const Dims& sizes,
                            bool shifted_rows = false);
/// Those of a launch by tiles.
LaunchDims tile_dims(const ElementwiseSpec& spec, const Dims& sizes);

}  // namespace devarray
