#include "engine/unroll.hpp"

#include <algorithm>
#include <vector>

#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/join.hpp"
#include "engine/partition.hpp"
#include "engine/record.hpp"
#include "engine/views.hpp"

namespace devarray {
namespace {

constexpr int kMaxUnrolledNodes = 32;            ///< operations below the value that is reduced
constexpr std::int64_t kMostOfWindow = 16;       ///< elements of a window, and loads for them
constexpr std::int64_t kMostOfWindowOnCpu = 15;  ///< of more its kernels of reductions add several numbers at a time
constexpr std::int64_t kManyOnCpu = 1 << 12;     ///< elements of a result, of which fewer are the host's

/// Copies an expression for one place along some axes of its space.
class Slice {
 public:
  /// `places`: of each axis, -1 for those that stay.
  Slice(const Expression& e, const Dims& places, bool keep)
      : e_(e), places_(places), keep_(keep), made_(e.nodes.size()) {}

  NodeRef of(Node& n) {
    if (n.state == NodeState::scalar) return NodeRef(&n);
    if (n.is_leaf()) return leaf(n);
    NodeRef& made = made_[n.id];
    if (made) return made;
    NodeRef in[3];
    for (int i = 0; i < n.arity; ++i) in[i] = of(*n.inputs[i].node);
    made = Node::pending(n.op, n.compute, n.dtype, without(n.shape, 1), n.place, in, n.arity);
    return made;
  }

 private:
  /// The place along an axis of a value that may lack leading axes of the space.
  std::int64_t place(const Dims& dims, std::size_t axis) const {
    return places_[e_.space().size() - dims.size() + axis];
  }

  Dims without(const Dims& dims, std::int64_t kept) const {
    Dims out;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (place(dims, i) < 0)
        out.push_back(dims[i]);
      else if (keep_)
        out.push_back(kept);
    }
    return out;
  }

  NodeRef leaf(Node& n) const {
    std::int64_t offset = n.offset;
    for (std::size_t axis = 0; axis < n.shape.size(); ++axis)
      if (n.shape[axis] > 1) offset += std::max<std::int64_t>(place(n.shape, axis), 0) * n.strides[axis];
    return Node::view(n, n.dtype, without(n.shape, 1), without(n.strides, 0), offset);
  }

  const Expression& e_;
  const Dims& places_;
  const bool keep_;
  std::vector<NodeRef> made_;
};

/// `x` at each place along the axes whose entry of `places` is not negative, in C order. All are cut before any is
/// used: what records may evaluate, and a walk over nodes begins their numbers again.
std::vector<NodeRef> slices_of(Node& x, const Expression& e, Dims places, bool keep) {
  std::vector<NodeRef> slices;
  std::size_t axis = 0;
  do {
    slices.push_back(Slice(e, places, keep).of(x));
    for (axis = places.size(); axis-- > 0;) {
      if (places[axis] < 0) continue;
      if (++places[axis] < x.shape[axis]) break;
      places[axis] = 0;
    }
  } while (axis < places.size());
  return slices;
}

NodeRef combine(OpId op, const NodeRef& a, const NodeRef& b) {
  RecordArg args[2];
  args[0].node = a;
  args[1].node = b;
  return record(op, args, 2);
}

/// Whether it is a square, which is never -0.0.
bool is_square(const Node& n) {
  if (!n.is_pending()) return false;
  return n.op == ops().find("square") || (n.op == ops().find("multiply") && n.inputs[0].node == n.inputs[1].node);
}

/// 0 + x for a sum of floats, as the kernels of reductions begin and NumPy does: the sum of -0.0 alone is 0.0.
NodeRef started(const NodeRef& x, const std::string& kind) {
  if (kind != "sum" || kind_of(x->dtype) != Kind::real || is_square(*x)) return x;
  RecordArg args[2];
  args[0].node = x;
  args[1].scalar.kind = Kind::real;
  return record(ops().find("add"), args, 2);
}

/// Whether a few quick operations on operands that can be cut into slices are all that is reduced.
bool suits(const Expression& e) {
  if (!e.reads_in_place()) return false;
  return std::all_of(e.nodes.begin(), e.nodes.end(), [](const Node* n) { return weight_of(n->op) == 1; });
}

/// Values of all pairs: what they are computed from is a fraction of them.
bool repeats_operands(const Expression& e, const Node& x) {
  std::uint64_t bytes = 0;
  for (const Operand& o : e.operands) bytes += bytes_reached(e.space(), o.strides, o.dtype);
  return 4 * bytes <= static_cast<std::uint64_t>(x.nbytes());
}

/// Windows, as blocks of pixels: several short axes between the others, of which no kernel of reductions makes rows or
/// columns.
bool has_windows(const Node& x, const Reduction& r) {
  constexpr std::int64_t kLeast = 1 << 16;  // elements of a GPU's result, each a work-item's
  if (r.axes.size() < 2) return false;
  const bool cpu = x.place->device->strategy() == Strategy::cpu;
  const auto last = std::minmax_element(r.axes.begin(), r.axes.end());
  const bool apart = *last.second - *last.first >= std::ssize(r.axes);
  std::int64_t count = 1;
  for (const std::int64_t axis : r.axes) count *= x.shape[static_cast<std::size_t>(axis)];
  return apart && count <= (cpu ? kMostOfWindowOnCpu : kMostOfWindow) &&
         x.size() / count >= (cpu ? kManyOnCpu : kLeast);
}

/// Rows of a CPU's array that fill no vector, where slices side by side do, and as few rows of many columns.
bool is_short(const Node& x, const Reduction& r) {
  constexpr std::int64_t kMostOfRow = 4, kMostOfColumn = 8, kColumns = 64;
  if (r.axes.size() != 1 || x.place->device->strategy() != Strategy::cpu) return false;
  const auto axis = static_cast<std::size_t>(r.axes[0]);
  const bool column = axis + 1 < x.shape.size();
  const std::int64_t count = x.shape[axis];
  return count > 1 && count <= (column ? kMostOfColumn : kMostOfRow) && x.size() / count >= kManyOnCpu &&
         (!column || x.shape.back() >= kColumns);
}

bool is_extreme(const std::string& kind) { return kind == "max" || kind == "min"; }
bool is_combined(const std::string& kind) { return is_total(kind) || is_extreme(kind); }

/// Complex zeros have signs that the kernels of reductions, which start from 0 or 1, lose.
bool keeps_zeros(DType accumulator) { return accumulator != DType::bool_ && kind_of(accumulator) != Kind::complex; }

OpId op_of(const std::string& kind) {
  return ops().find(kind == "sum" ? "add" : kind == "prod" ? "multiply" : kind == "max" ? "maximum" : "minimum");
}

/// What is reduced, written out: one value after the other, and what follows the reduction.
NodeRef combined(const std::vector<NodeRef>& values, const Reduction& r, DType accumulator, DType result) {
  NodeRef made = started(cast(values[0], accumulator), r.kind);
  for (std::size_t i = 1; i < values.size(); ++i) made = combine(op_of(r.kind), made, cast(values[i], accumulator));
  return cast(record_post(std::move(made), r), result);
}

}  // namespace

NodeRef unrolled(const NodeRef& x, const Reduction& r, DType accumulator, DType result) {
  if (!config().deferred || r.axes.empty() || x->is_of_another()) return nullptr;
  const bool windows = is_combined(r.kind) && (has_windows(*x, r) || is_short(*x, r));
  if (!windows && !(is_total(r.kind) && x->is_pending() && r.axes.size() == 1)) return nullptr;
  if (x->over_reduction) return nullptr;  // one kernel of rows may take in what waits below it
  if (!keeps_zeros(accumulator)) return nullptr;
  Dims places(x->shape.size(), -1);
  std::int64_t count = 1;
  for (const std::int64_t axis : r.axes) {
    places[static_cast<std::size_t>(axis)] = 0;
    count *= x->shape[static_cast<std::size_t>(axis)];
  }
  if (count < 1 || (!windows && count > kMaxUnrolled)) return nullptr;
  const Expression e(*x, x->shape);
  if (x->is_pending() ? !suits(e) : !x->is_read_in_place()) return nullptr;
  if (windows ? count * std::ssize(e.operands) > kMostOfWindow || count * std::ssize(e.nodes) > kMaxUnrolledNodes
              : std::ssize(e.nodes) > kMaxUnrolledNodes || !repeats_operands(e, *x))
    return nullptr;
  return combined(slices_of(*x, e, places, r.keepdims), r, accumulator, result);
}

NodeRef unrolled_parts(const Node& join, const Reduction& r, DType accumulator, DType result) {
  if (!is_combined(r.kind) || !keeps_zeros(accumulator)) return nullptr;
  const std::vector<NodeRef> values = values_along(join, r);
  if (values.empty()) return nullptr;
  const NodeRef made = combined(values, r, accumulator, result);
  if (!r.keepdims) return made;
  Dims shape = join.shape;
  shape[static_cast<std::size_t>(r.axes[0])] = 1;
  return reshaped(made, shape, {});
}

}  // namespace devarray
