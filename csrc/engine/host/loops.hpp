// Loops of the host's interpreter: one for each operation and compute dtype whose result is fully specified, so that
// it has the bits of the kernels. See evaluator.hpp; svml.hpp has those of functions that a runtime's library defines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/dtype.hpp"

namespace devarray::host {

/// Values of `n` neighbouring elements from those of the inputs, all in value form: bools are 0 or 1, float16 is held
/// as a float, all else lies as in memory. `first` is the number of the first element (iota alone asks). The output may
/// be one of the inputs.
using Loop = void (*)(void* out, const void* const* in, std::size_t n, std::int64_t first);
/// Between memory and value form, and between dtypes.
using Convert = void (*)(void* out, const void* in, std::size_t n);

/// Bytes of an element in value form.
constexpr std::size_t value_size(DType t) { return t == DType::float16 ? 4 : size_of(t); }

/// How a reduction kernel of a CPU orders the values of one output: csrc/engine/reduce_plan.hpp chooses it, and
/// devarray/codegen/kernels/reduction.py writes the kernel that it is the order of.
struct FoldOrder {
  enum class Walk : std::uint8_t {
    lane,    ///< row layout, one lane: `unroll` accumulators, which are added as a tree
    lanes,   ///< row layout, `lanes` lanes side by side of `unroll` accumulators each
    narrow,  ///< column layout, outputs in registers: blocks of `unroll` rows
    strip    ///< column layout, strips: blocks of `unroll` rows, several added up where sums are careful
  };
  Walk walk = Walk::lane;
  int lanes = 1, unroll = 1;
  std::int64_t stretch = 0;  ///< elements that are walked without a break: the innermost reduced size, or all
  std::int64_t piece = 0;    ///< strips: rows between the pieces that are walked side by side
  std::int64_t chunk = 0;    ///< elements of each group that shares the output; all where there is one group
};
/// Accumulates `total` values of each of `rows` outputs, in value form and in the order of the reduced dims; the first
/// values of neighbouring outputs lie `step` bytes apart.
using Fold = void (*)(void* out, const void* values, std::int64_t total, const FoldOrder& order, std::int64_t rows,
                      std::int64_t step);
/// The same of kFoldColumns outputs whose values lie side by side, `step` values further for each next one: column
/// layout.
using FoldColumns = void (*)(void* out, const void* values, std::int64_t total, std::int64_t step,
                             const FoldOrder& order);
inline constexpr int kFoldColumns = 16;

// As the code generator has them: elements between pieces of memory that are walked side by side, least rows of one.
inline constexpr std::int64_t kApart = 8192, kLeastRows = 8;

enum class FoldKind : std::uint8_t { sum, prod, min, max, any, all, argmin, argmax, count };
inline constexpr int kFoldKinds = 9;

struct LoopSet {
  /// The loops of each compute dtype, which may be null; null where there are none. `name` is the op's row; for a
  /// comparison by value of a signed integer with a uint64 it is followed by ":iu", for the reverse by ":ui"; for a
  /// clip between scalars by ":scalars".
  const Loop* (*find)(const char* name);
  Convert (*cast)(DType from, DType to);  ///< null where they are the same
  Convert (*load)(DType t);               ///< from memory to value form; null where they are the same
  Convert (*store)(DType t);              ///< the reverse
  Fold (*fold)(FoldKind kind, DType accumulator);
  FoldColumns (*fold_columns)(FoldKind kind, DType accumulator);  ///< null where there is none
};

/// The quickest that this machine has.
const LoopSet& loops();

// One for each set of instructions that the sources are compiled for.
extern const LoopSet baseline_loops;
#ifdef DEVARRAY_X86_LOOPS
extern const LoopSet avx2_loops;
extern const LoopSet avx512_loops;
#endif

}  // namespace devarray::host
