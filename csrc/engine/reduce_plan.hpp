// The geometry of a reduction: which work-items share an output, how many groups share one, and what each loops over.
// Pure functions of shapes, strides and the device's figures. The kernel that belongs to a plan, its memory arguments
// and slots are described in devarray/codegen/kernels/reduction.py.
#pragma once

#include <vector>

#include "common/driver.hpp"
#include "common/dtype.hpp"
#include "common/small_vector.hpp"
#include "engine/kernel_spec.hpp"

namespace devarray {

/// A memory operand of the absorbed expression: a leaf, or an extra output.
struct ReduceOperand {
  DType dtype = DType::bool_;
  Dims kept, reduced;        ///< byte strides over the kept and over the reduced dims
  bool repeated = false;     ///< one element for all; its strides are not looked at
  bool written = false;      ///< an extra output
  std::uint64_t offset = 0;  ///< bytes from an aligned address to its first element
};

/// What is to be reduced. Dims outermost first, in any number; sizes of 1 and evenly stepped neighbours are welcome.
struct ReduceProblem {
  Dims kept, reduced;  ///< sizes
  std::vector<ReduceOperand> operands;
  Dims result;  ///< byte strides of the result over the kept dims
  DType accumulator = DType::float32;
  /// argmin, argmax: positions count in the order of the reduced dims, which is therefore left alone.
  bool indexed = false;
  std::size_t partial_bytes = 0;  ///< of one partial result
  /// Whether every order of the elements gives the same bits: all but sums and products of floats.
  bool exact = false;
  /// A sum, product or extreme by operations that C has for vectors, all values of one dtype.
  bool vectors = false;
  /// Of GPUs: several reductions of the same rows, or rows whose own reductions come first. A work-item has short rows
  /// whole; in column layout all columns are one's.
  bool whole_rows = false;
};

/// Puts the dims into the order in which memory is best walked, and collapses them. All in place; `kept` may end
/// empty, `reduced` has at least one dim.
void normalize(ReduceProblem& problem);

enum class ReduceLayout : std::uint8_t { row, column };
const char* name_of(ReduceLayout layout);

struct ReducePlan {
  // Part of the kernel's key, with the numbers of kept and reduced dims.
  ReduceLayout layout = ReduceLayout::row;
  bool flat = false, wide = true, split = false;
  bool vectors = false;  ///< `outs` rows are a work-item's, `lanes` elements a vector
  std::uint16_t outs = 1, lanes = 1, tile = 1, unroll = 1, pack = 1;
  std::uint16_t held = 0;      ///< where rows are whole: elements of one that a lane keeps in registers
  std::vector<Access> access;  ///< one for each operand

  // Of this launch.
  LaunchDims dims;
  std::int64_t chunk = 0;  ///< reduced elements for a group: the last slot where `split`
  bool turns = false;      ///< that slot is there in any case, and says which way groups run: turned(), launch.hpp
  std::size_t scratch_bytes = 0;  ///< partial results, need no initial value
  std::size_t counters = 0;       ///< 32-bit words, zero before the launch and zero again after it
};

/// More counters than this are never asked for: one cleared array of them serves every launch of a queue.
inline constexpr std::size_t kMaxReduceCounters = 65536;

/// Axes of at most so many elements are added up one after the other, so that unroll.hpp may write the sums out as
/// element-wise operations with the same bits. Of twice as many parts, two operands are half the arrays a kernel reads.
inline constexpr std::int64_t kMaxUnrolled = 8;

/// So few outputs along the innermost kept axis are one work-item's on GPUs, all of them.
inline constexpr std::int64_t kFewColumns = 4;

/// Rows of at most so many elements are a work-item's, in registers, where they are whole.
inline constexpr std::int64_t kMostHeldRow = 32;

/// Outputs in a work-item's registers: the same number as in codegen/kernels/reduction.py; a test compares.
inline constexpr std::int64_t kNarrow = 16;

/// `problem` must be normalized, and have at least one output. No reduced element is fine.
ReducePlan plan_reduction(const ReduceProblem& problem, Strategy strategy, const Capabilities& caps);

}  // namespace devarray
