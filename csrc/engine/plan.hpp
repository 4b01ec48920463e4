// What evaluation would do: the same planning on a copy of the pending graph, with a note in place of each launch.
// devarray.explain() shows it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// What a kernel has only so much room for.
enum class Limit : std::uint8_t { none, nodes, leaves, scalars, extra_outputs, live_bytes, parameter_bytes };
const char* name_of(Limit limit);

/// A limit that was passed, what was wanted and what there is.
struct Excess {
  Limit limit = Limit::none;
  std::int64_t wanted = 0, most = 0;
  explicit operator bool() const { return limit != Limit::none; }
};

/// Why a kernel ends where it does.
struct CutReason {
  enum Kind : std::uint8_t {
    asked,  ///< it computes what is wanted, and nothing is left
    shape,  ///< its value has another shape than what reads it
    whole,  ///< values that others need, too: one kernel takes all that share them
    limit,  ///< one kernel does not take all that is pending
  };
  Kind kind = asked;
  Excess excess;  ///< that of the graph before the cut
  /// Of the connected operations, oldest first: how many there are, the most that one kernel takes, and how many were
  /// taken, since that costs the fewest bytes.
  std::size_t connected = 0, fitting = 0, taken = 0;
  Excess longest;                              ///< what ends those that fit
  double cost_taken = 0, cost_of_longest = 0;  ///< bytes an element and operation
};
const char* name_of(CutReason::Kind kind);

/// A value of the graph, numbered as it was recorded: inputs before what reads them.
struct PlannedValue {
  NodeState state = NodeState::leaf;
  OpId op = 0;
  DType compute = kOpaque, dtype = DType::bool_;
  Dims shape, strides;  ///< strides of a leaf
  std::uint32_t owners = 0;
  SourceLine line = 0;
  ScalarValue scalar;
  std::size_t memory = 0;  ///< of a leaf: a number that leaves on the same storage share
  std::vector<std::size_t> inputs;
};

/// A kernel that evaluation would launch. Values by their numbers.
struct PlannedKernel {
  struct Output {
    std::size_t value;
    std::uint64_t bytes;
    bool donated;  ///< it is written where an operand lies that nothing else needs
  };
  DevicePtr device;
  std::string name;
  ElementwiseSpec spec;
  Dims sizes;  ///< that it iterates over
  std::vector<std::size_t> operations, inputs;
  std::vector<std::uint64_t> input_bytes;
  std::vector<Output> outputs;
  std::vector<std::size_t> not_stored;  ///< needed later, and cheaper to compute again
  std::uint64_t read = 0, written = 0;  ///< bytes, as a profile counts them
  bool on_host = false;                 ///< small work that needs no launch
  CutReason reason;
};

struct Plan {
  std::vector<PlannedValue> values;
  std::vector<PlannedKernel> kernels;
  std::size_t result = 0;
};

/// What evaluate(n) would launch. Nothing is launched, allocated, compiled or counted, and the graph stays as it is.
Plan plan_evaluation(Node& n);

/// Takes notes while a plan is made.
class Planner {
 public:
  /// The one that is at work; null where evaluation is real. Under the engine's lock.
  static Planner*& current() { return current_; }

  void add(PlannedKernel&& kernel);
  /// What is known of the next kernel's end: `found` of the longest, and the cheapest place.
  void note_cut(const CutReason& found, std::size_t connected, std::size_t taken, double cost);
  std::size_t number_of(const Node& n) const { return number_of_(n); }
  /// A node of the graph is computed once more, as a view sees it.
  void note_copy(const Node& copy, const Node& of) { note_copy_(copy, of); }
  /// Whether a kernel was noted that a queue would be busy with.
  bool launched() const;

  CutReason reason;  ///< of the next kernel

 private:
  friend Plan plan_evaluation(Node& n);
  static inline Planner* current_ = nullptr;
  Plan plan_;
  std::function<std::size_t(const Node&)> number_of_;
  std::function<void(const Node&, const Node&)> note_copy_;
};

/// Sets the reason of the kernels launched while it lives, where a plan is made.
class Because {
 public:
  explicit Because(CutReason::Kind kind, Excess excess = {});
  ~Because();
  Because(const Because&) = delete;
  Because& operator=(const Because&) = delete;

 private:
  CutReason before_;
};

}  // namespace devarray
