#include "engine/unroll.hpp"

#include <vector>

#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/partition.hpp"
#include "engine/record.hpp"

namespace devarray {
namespace {

constexpr int kMaxUnrolledNodes = 32;  ///< operations below the value that is reduced

/// Copies an expression for one place along an axis of its space.
class Slice {
 public:
  Slice(const Expression& e, std::size_t axis, std::int64_t place, bool keep)
      : e_(e), axis_(axis), place_(place), keep_(keep), made_(e.nodes.size()) {}

  NodeRef of(Node& n) {
    if (n.state == NodeState::scalar) return NodeRef(&n);
    if (n.is_leaf()) return leaf(n);
    NodeRef& made = made_[n.id];
    if (made) return made;
    NodeRef in[3];
    for (int i = 0; i < n.arity; ++i) in[i] = of(*n.inputs[i].node);
    made = Node::pending(n.op, n.compute, n.dtype, without(n.shape, axis_, 1), n.place, in, n.arity);
    return made;
  }

 private:
  Dims without(const Dims& dims, std::size_t axis, std::int64_t kept) const {
    Dims out;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      if (i != axis)
        out.push_back(dims[i]);
      else if (keep_)
        out.push_back(kept);
    }
    return out;
  }

  NodeRef leaf(Node& n) const {
    const std::size_t missing = e_.space().size() - n.shape.size();  // leading axes that the leaf is repeated along
    if (axis_ < missing) return NodeRef(&n);
    const std::size_t axis = axis_ - missing;
    const std::int64_t offset = n.offset + (n.shape[axis] == 1 ? 0 : place_ * n.strides[axis]);
    return Node::view(n, n.dtype, without(n.shape, axis, 1), without(n.strides, axis, 0), offset);
  }

  const Expression& e_;
  const std::size_t axis_;
  const std::int64_t place_;
  const bool keep_;
  std::vector<NodeRef> made_;
};

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

bool pays(const Expression& e, const Node& x) {
  if (e.counts_elements() || e.has_shifts() || e.has_tables() || static_cast<int>(e.nodes.size()) > kMaxUnrolledNodes)
    return false;
  for (const Node* n : e.nodes)
    if (weight_of(n->op) > 1) return false;
  std::uint64_t bytes = 0;
  for (const Operand& o : e.operands) bytes += bytes_reached(e.space(), o.strides, o.dtype);
  return 4 * bytes <= static_cast<std::uint64_t>(x.nbytes());
}

}  // namespace

NodeRef unrolled(const NodeRef& x, const Reduction& r, DType accumulator, DType result) {
  if (!config().deferred || !x->is_pending() || r.axes.size() != 1) return nullptr;
  if (x->over_reduction) return nullptr;  // one kernel of rows may take in what waits below it
  // Complex zeros have signs that the kernels of reductions, which start from 0 or 1, lose.
  if (accumulator == DType::bool_ || kind_of(accumulator) == Kind::complex) return nullptr;
  if (r.kind != "sum" && r.kind != "prod") return nullptr;
  const auto axis = static_cast<std::size_t>(r.axes[0]);
  const std::int64_t n = x->shape[axis];
  if (n < 1 || n > kMaxUnrolled) return nullptr;
  const Expression e(*x, x->shape);
  if (!x->is_pending() || !pays(e, *x)) return nullptr;
  const OpId op = ops().find(r.kind == "sum" ? "add" : "multiply");
  std::vector<NodeRef> parts;
  for (std::int64_t place = 0; place < n; ++place) parts.push_back(Slice(e, axis, place, r.keepdims).of(*x));
  NodeRef total;
  for (const NodeRef& part : parts) {
    const NodeRef next = cast(part, accumulator);
    total = total ? combine(op, total, next) : started(next, r.kind);
  }
  for (const PostOp& p : r.post) {
    RecordArg args[2];
    args[0].node = total;
    if (p.scalar) {
      args[1].scalar.kind = Kind::real;
      args[1].scalar.re = *p.scalar;
    }
    total = record(p.op, args, p.scalar ? 2 : 1);
  }
  return cast(total, result);
}

}  // namespace devarray
