// Small reductions on the host, in the order of summation of the kernel that the plan belongs to: the same bits.
#pragma once

#include "engine/host/evaluator.hpp"
#include "engine/reduce.hpp"

namespace devarray::host {

/// The host keeps all values that it reduces: so many at most, for a kernel that is not compiled yet.
inline constexpr std::int64_t kMostReduced = std::int64_t{1} << 20;

/// What a reduction launch has worked out, for the host.
struct ReductionWork {
  const Expression& expression;
  const ReduceProblem& problem;  ///< normalized; operands are the expression's, then the extra outputs
  const ReductionSpec& spec;
  const std::int64_t* post_slots;  ///< scalars of the post operations
  const Output* extras;            ///< interior values that are written, without strides; one for each extra output
  std::size_t extra_count;
  char* result;
};

/// Whether all it needs has a loop.
bool has_loops(const ReductionWork& work);
void run(const ReductionWork& work);

/// A reduction of all elements of a dense leaf, or of a few operations on one, without a plan for the rest; null where
/// it is none, or the host may not run it now. Called with the GIL, which is kept; null while a thread holds the engine
/// lock.
NodeRef reduce_at_once(Node& x, const Reduction& r, DType accumulator, DType result, const Dims& shape);

}  // namespace devarray::host
