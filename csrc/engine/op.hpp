// The op table as C++ sees it: filled at import from devarray/ops, which is where a row is written.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/dtype.hpp"

namespace devarray {

using OpId = std::uint16_t;
/// The op of a pending view and of a pending reduction, which no table has.
inline constexpr OpId kNoOp = 0xFFFF;

struct Op {
  enum Flag : unsigned {
    first_is_bool = 1,  ///< the first argument is a condition and takes no part in promotion (where)
    comparison = 2,     ///< Python integers of any size are allowed
    indexed = 32,       ///< its value depends on the element's number in C order (iota)
    heavy = 256,        ///< long code, for which compilers take their time
    vectors = 512,      ///< its C text is as good for vectors of real floats
    exact = 1024,       ///< exact, or rounded once: the same bits from a compiler that knows an operand
    float_first = 16,   ///< each input becomes a float by its own size before promotion
  };
  std::string name;
  std::string ufunc;  ///< NumPy's name, or empty
  int arity = 1;
  unsigned flags = 0;
  /// For each promoted input dtype: the dtype computed in (kOpaque: not allowed) and the result's.
  std::array<DType, kDTypes> compute{}, result{};

  /// The name that messages give it: NumPy's, where NumPy has it.
  const std::string& ufunc_name() const { return ufunc.empty() ? name : ufunc; }
};

class OpTable {
 public:
  OpId add(Op op);
  const Op& operator[](OpId id) const { return ops_[id]; }
  std::size_t size() const { return ops_.size(); }
  /// Throws Error for an unknown name.
  OpId find(const std::string& name) const;

 private:
  std::vector<Op> ops_;
};
namespace detail {
inline OpTable op_table;
}
inline OpTable& ops() { return detail::op_table; }

/// kNoOp has none.
inline bool has_flag(OpId op, Op::Flag flag) { return op != kNoOp && ops()[op].flags & flag; }

/// Rows that the engine itself uses.
struct CoreOps {
  OpId copy = 0, astype = 0, iota = 0, pow = 0, square = 0, reciprocal = 0;
};
inline CoreOps& core_ops() {
  static constinit CoreOps c;
  return c;
}

}  // namespace devarray
