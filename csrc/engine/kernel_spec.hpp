// What identifies an element-wise kernel: its structure, never its sizes or values. See docs/design.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "common/driver.hpp"
#include "common/dtype.hpp"
#include "common/small_vector.hpp"
#include "engine/op.hpp"

namespace devarray {

enum class Mode : std::uint8_t { linear, rows, flat };
enum class Access : std::uint8_t { linear, uniform, unit, row, strided };

/// Dims of an operand that are read shifted, a bit each, the outermost the lowest.
using ShiftMask = std::uint32_t;

const char* name_of(Mode mode);
const char* name_of(Access access);

struct SpecOperand {
  DType dtype;
  Access access;
  ShiftMask shifted = 0;
};
struct SpecNode {
  OpId op;
  DType compute, result;
  std::uint8_t nargs;
  std::uint16_t args[3];
};
struct SpecOutput {
  std::uint16_t value;
  DType dtype;
  Access access;
};

/// Neighbouring rows that a work-item of a GPU handles in rows mode; the code generator has it from the spec.
inline constexpr std::int64_t kRowsOfAnItem = 4;

/// The expression part is shared by element-wise kernels and reductions.
struct ExpressionSpec {
  SmallVector<SpecOperand, 8> leaves;
  SmallVector<DType, 8> scalars;
  SmallVector<SpecNode, 16> nodes;
  SmallVector<SpecOutput, 4> outputs;
};

struct ElementwiseSpec {
  Mode mode = Mode::linear;
  std::uint8_t ndim = 1, vec = 1;
  bool wide = true, alias = false;
  ExpressionSpec body;
};

/// A byte string that two specs share exactly if they have the same kernel.
class SpecKey {
 public:
  void add(std::uint8_t byte) { bytes_.push_back(static_cast<char>(byte)); }
  void add16(std::uint16_t v) {
    add(static_cast<std::uint8_t>(v));
    add(static_cast<std::uint8_t>(v >> 8));
  }
  void add(const ExpressionSpec& body);
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  SmallVector<char, 256> bytes_;
};

/// Looks a kernel up by key; on a miss `build` makes it (Python, with the engine lock held), and keeps it.
KernelPtr cached_kernel(Device& device, const SpecKey& key, const std::function<KernelPtr()>& build);
void clear_kernel_cache();
std::size_t kernel_cache_size();

struct ReductionSpec;

/// Set by bind/: renders and compiles; tells which access of which kernel has a number, where accesses are checked.
struct BuildHooks {
  std::string (*explain_access)(std::uint32_t site) = nullptr;
  // With `soon` the answer is null while the kernel is compiled in the background.
  KernelPtr (*reduction)(Device& device, const ReductionSpec& spec, bool soon) = nullptr;
  KernelPtr (*elementwise)(Device& device, const ElementwiseSpec& spec, bool soon) = nullptr;
};
BuildHooks& build_hooks();

}  // namespace devarray
