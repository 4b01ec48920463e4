// What identifies an element-wise kernel: its structure, never its sizes, nor values but constants. See docs/design.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/driver.hpp"
#include "common/dtype.hpp"
#include "common/small_vector.hpp"
#include "engine/op.hpp"

namespace devarray {

enum class Mode : std::uint8_t { linear, rows, flat, tiles };
/// The fixed ones are of reductions on GPUs: of operands that stay where they are along all reduced axes. Where it is
/// backward, or by 2, 3 or 4, the neighbour is so many elements away: a number that the kernel has (see
/// access_by_steps()).
enum class Access : std::uint8_t {
  linear,
  uniform,
  table,
  unit,
  row,
  strided,
  tiled,
  fixed_unit,
  fixed_row,
  fixed_strided,
  packed_unit,
  backward,
  by_2,
  by_3,
  by_4
};

/// Dims of an operand that are read shifted, a bit each, the outermost the lowest.
using ShiftMask = std::uint32_t;

const char* name_of(Mode mode);
const char* name_of(Access access);
/// Of neighbours that lie `stride` bytes apart, in a kernel of a CPU: its compiler makes loads and stores of vectors,
/// and shuffles, of a small distance that it knows, and an access for each element of all others.
Access access_by_steps(std::int64_t stride, std::int64_t itemsize);

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

struct SpecResult {
  std::uint8_t value;
  DType dtype;
};

/// A reduction inside a kernel of rows: its own node, of op kNoOp, stands for its result.
struct RowStep {
  std::uint16_t node = 0;  ///< value id
  std::string kind;
  DType accumulator = DType::float32;
  std::uint16_t value = 0;
  SmallVector<DType, 8> post_scalars;
  SmallVector<SpecNode, 16> post;
  SpecResult result{};
};

/// Neighbouring rows that a work-item of a GPU handles in rows mode; the code generator has it from the spec.
inline constexpr std::int64_t kRowsOfAnItem = 4;

/// Work-items of a group in tiles mode.
inline constexpr std::int64_t kItemsOfTile = 256;

/// The expression part is shared by element-wise kernels and reductions.
struct ExpressionSpec {
  SmallVector<SpecOperand, 8> leaves;
  SmallVector<DType, 8> scalars;
  SmallVector<SpecNode, 16> nodes;
  SmallVector<SpecOutput, 4> outputs;
};

/// A scalar whose value is part of the kernel: its number, and the slot that a launch would have for it.
struct SpecConstant {
  std::uint16_t scalar;
  std::int64_t bits;
  bool operator==(const SpecConstant&) const = default;
};

/// What identifies an element-wise kernel. each_field() is the one list of its fields: the kernel's key is made from
/// it, and the arguments of the code generator's dataclass (devarray/codegen/kernels/spec.py), which has the same
/// names.
struct ElementwiseSpec {
  Mode mode = Mode::linear;
  std::uint8_t ndim = 1, vec = 1;
  bool wide = true, alias = false, apart = false;
  ExpressionSpec body;
  SmallVector<std::uint8_t, 16> alike;
  std::vector<SpecConstant> constants;
  std::uint8_t sets = 1;
  std::uint8_t across = 0;
  std::uint16_t tile_across = 0, tile_along = 0;

  template <class Visit>
  void each_field(Visit&& visit) const {
    visit("mode", mode);
    visit("ndim", ndim);
    visit("wide", wide);
    visit("vec", vec);
    visit("rows", std::uint8_t{kRowsOfAnItem});
    visit("alias", alias);
    visit("body", body);  // leaves, scalars, nodes, outputs
    visit("alike", alike);
    visit("constants", constants);
    visit("sets", sets);
    visit("apart", apart);
    visit("across", across);
    visit("tile_across", tile_across);
    visit("tile_along", tile_along);
  }
};

/// A byte string that two specs of a family share exactly if they have the same kernel.
class SpecKey {
 public:
  template <class Spec>
  SpecKey(char family, const Spec& spec) {
    add(family);
    spec.each_field([this](const char*, const auto& field) { add(field); });
  }
  std::string_view view() const { return {bytes_.data(), bytes_.size()}; }

 private:
  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void add(Number number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
      bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> 8 * i));
  }
  void add(const std::string& text);
  void add(const SmallVector<DType, 8>& dtypes);
  void add(const SmallVector<std::uint8_t, 16>& numbers);
  void add(const SmallVector<SpecNode, 16>& nodes) { add_nodes(nodes, false); }
  void add(const ExpressionSpec& body);
  void add(const SpecResult& result) {
    add(result.value);
    add(result.dtype);
  }
  void add(const std::vector<RowStep>& steps);
  void add(const std::vector<SpecConstant>& constants);
  void add(const std::vector<ElementwiseSpec>& stages) {
    add(static_cast<std::uint8_t>(stages.size()));
    for (const ElementwiseSpec& s : stages) s.each_field([this](const char*, const auto& field) { add(field); });
  }
  void add_nodes(const SmallVector<SpecNode, 16>& nodes, bool wide_ids);
  void add_id(std::uint16_t id, bool wide) { wide ? add(id) : add(static_cast<std::uint8_t>(id)); }

  SmallVector<char, 256> bytes_;
};

/// A kernel; without one, the source of the one that is compiled in the background.
struct Built {
  KernelPtr kernel;
  std::string source;
};

/// Looks a kernel up by key; on a miss `build` makes it (Python, with the engine lock held), and keeps it. It is given
/// the source where that was rendered before. Null while the kernel is compiled in the background.
KernelPtr cached_kernel(Device& device, const SpecKey& key, const std::function<Built(const std::string*)>& build);
/// Whether that would find one without making it.
bool is_known(Device& device, const SpecKey& key);
KernelPtr elementwise_kernel(Device& device, const ElementwiseSpec& spec);
/// Has a kernel made that no launch waits for, in the background: it is there at a later call. Python runs, others may,
/// too, and change the spec's constants. False where it cannot be made, which is no fault of a launch.
bool ask_for_kernel(Device& device, const ElementwiseSpec& spec, std::weak_ptr<Kernel>& kernel);
void clear_kernel_cache();
std::size_t kernel_cache_size();

struct ReductionSpec;
struct RowsSpec;
struct StencilChainSpec;

/// Set by bind/: renders and compiles; tells which access of which kernel has a number, where accesses are checked.
struct BuildHooks {
  std::string (*explain_access)(std::uint32_t site) = nullptr;
  // With `soon` there is no kernel while it is compiled in the background. With a source, nothing is rendered.
  Built (*reduction)(Device& device, const ReductionSpec& spec, bool soon, const std::string* source) = nullptr;
  Built (*rows)(Device& device, const RowsSpec& spec, bool soon, const std::string* source) = nullptr;
  Built (*elementwise)(Device& device, const ElementwiseSpec& spec, bool soon, const std::string* source) = nullptr;
  Built (*stencil_chain)(Device& device, const StencilChainSpec& spec, bool soon, const std::string* source) = nullptr;
};
BuildHooks& build_hooks();

}  // namespace devarray
