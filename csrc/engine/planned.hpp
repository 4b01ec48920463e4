// Work that was planned elsewhere, on the memory of arrays: kernels of the Python side, calls of libraries.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// Arrays that work on the first one's queue uses. Their values are evaluated, and the work is ordered behind what else
/// uses them; it writes those whose bit is set in `writes`. Called under an EngineLock. `what` names the caller in
/// errors: DeviceError for arrays of two devices, ValueError for none, or for one that must not be written.
void acquire_arrays(const char* what, const std::vector<NodeRef>& nodes, std::uint64_t writes);
/// Orders what comes later behind that work.
void release_arrays(const std::vector<NodeRef>& nodes, std::uint64_t writes);

/// What a profile notes of a launch on such arrays.
ActivityRecord profiled(const std::string& name, const std::vector<NodeRef>& nodes, std::uint64_t writes);

/// Launches a kernel of the engine's signature, whose memory arguments are the arrays.
void launch_planned(const KernelPtr& kernel, const LaunchDims& dims, const std::vector<NodeRef>& nodes,
                    std::vector<std::int64_t> slots, std::uint64_t writes);

/// What a pending value is computed by, for a planned kernel that computes it where it would read it.
struct OperandExpression {
  std::vector<NodeRef> leaves;          ///< views of the value's shape
  ExpressionSpec body;                  ///< scalars and nodes, the value's last
  SmallVector<std::int64_t, 64> slots;  ///< of the scalars
};
/// None where it is to be read from memory: it has some, is small, or takes more than storing it. It stays pending.
std::optional<OperandExpression> expression_of(const NodeRef& x);

/// A plan of several launches, ready to run again on other arrays of the same form: kernels in place of sources,
/// numbers in place of roles. Memory is numbered: the arrays, then the temporaries.
struct PreparedPlan {
  struct Step {
    std::weak_ptr<Kernel> kernel;  ///< the kernel cache decides how long it lives
    LaunchDims dims;
    std::vector<std::uint16_t> memory;
    std::vector<std::int64_t> slots;
    std::vector<std::pair<std::uint16_t, std::uint16_t>> offsets;  ///< slots that take the byte offset of a memory
    std::uint64_t writes = 0;
  };
  struct Temporary {
    std::int64_t nbytes = 0;
    bool cleared = false;
  };
  std::vector<Step> steps;
  std::vector<Temporary> temporaries;
};

/// Launches it. False, and nothing is done, where one of its kernels is gone.
bool launch_prepared(const PreparedPlan& plan, std::vector<NodeRef> arrays);

}  // namespace devarray
