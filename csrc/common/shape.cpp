#include "common/shape.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "common/error.hpp"

namespace devarray {

std::string to_string(const Dims& shape) {
  std::string s = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + (shape.size() == 1 ? ",)" : ")");
}

/// As NumPy's texts about broadcasting have it, without spaces.
static std::string to_dense_string(const Dims& shape) {
  std::string s = to_string(shape);
  std::erase(s, ' ');
  return s;
}

void refuse_element_count(const Dims& shape) {
  throw ShapeError("shape " + to_string(shape) + " has more than 2**63 elements");
}

Dims c_strides(const Dims& shape, std::int64_t itemsize) {
  Dims strides(shape.size());
  std::int64_t step = itemsize;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Dims f_strides(const Dims& shape, std::int64_t itemsize) {
  Dims strides(shape.size());
  std::int64_t step = itemsize;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    strides[i] = step;
    step *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

bool is_c_contiguous(const Dims& shape, const Dims& strides, std::int64_t itemsize) {
  std::int64_t step = itemsize;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != step) return element_count(shape) == 0;
    step *= shape[i];
  }
  return true;
}

bool is_f_contiguous(const Dims& shape, const Dims& strides, std::int64_t itemsize) {
  std::int64_t step = itemsize;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && strides[i] != step) return element_count(shape) == 0;
    step *= shape[i];
  }
  return true;
}

Dims broadcast_shapes(const Dims& a, const Dims& b) {
  if (a == b) return a;
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& d = out[shift + i];
    if (d == shorter[i]) continue;
    if (d == 1)
      d = shorter[i];
    else if (shorter[i] != 1)
      throw ShapeError("operands could not be broadcast together with shapes " + to_dense_string(a) + " " +
                       to_dense_string(b) + ": their sizes must be equal or 1, counted from the last axis");
  }
  return out;
}

[[noreturn]] static void refuse_broadcast(const Dims& shape, const Dims& target) {
  throw ShapeError("could not broadcast input array from shape " + to_dense_string(shape) + " into shape " +
                   to_dense_string(target));
}

Dims broadcast_strides(const Dims& shape, const Dims& strides, const Dims& target) {
  if (shape == target) return strides;
  if (shape.size() > target.size()) refuse_broadcast(shape, target);
  Dims out(target.size(), 0);
  const std::size_t shift = target.size() - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == target[shift + i])
      out[shift + i] = strides[i];
    else if (shape[i] != 1)
      refuse_broadcast(shape, target);
  }
  return out;
}

std::optional<Dims> reshape_strides(const Dims& shape, const Dims& strides, const Dims& target, std::int64_t itemsize) {
  if (element_count(shape) == 0 || is_c_contiguous(shape, strides, itemsize)) return c_strides(target, itemsize);
  Dims from_shape, from_strides;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != 1) {
      from_shape.push_back(shape[i]);
      from_strides.push_back(strides[i]);
    }
  Dims out(target.size(), 0);
  // Walk both shapes in groups of equal element count; within a group the source must step evenly.
  std::size_t oi = 0, ni = 0;
  while (oi < from_shape.size() && ni < target.size()) {
    std::size_t oj = oi + 1, nj = ni + 1;
    std::int64_t op = from_shape[oi], np = target[ni];
    while (op != np) {
      if (np < op)
        np *= target[nj++];
      else
        op *= from_shape[oj++];
    }
    for (std::size_t k = oi; k + 1 < oj; ++k)
      if (from_strides[k] != from_shape[k + 1] * from_strides[k + 1]) return std::nullopt;
    out[nj - 1] = from_strides[oj - 1];
    for (std::size_t k = nj - 1; k > ni; --k) out[k - 1] = out[k] * target[k];
    oi = oj;
    ni = nj;
  }
  const std::int64_t last = ni > 0 ? out[ni - 1] : itemsize;
  for (; ni < target.size(); ++ni) out[ni] = last;
  return out;
}

bool keeps_axes(const Dims& shape, const Dims& view_shape, const Placement& view) {
  const Dims steps = c_strides(shape, 1);
  for (std::size_t i = 0; i < view_shape.size(); ++i) {
    if (view_shape[i] == 1 || view.strides[i] == 0) continue;
    std::size_t axis = 0;
    while (shape[axis] == 1 || steps[axis] > std::abs(view.strides[i])) ++axis;
    if (view.strides[i] % steps[axis] != 0) return false;
    if (std::abs(view.strides[i]) / steps[axis] * (view_shape[i] - 1) >= shape[axis]) return false;
  }
  return true;
}

Placement placement_of(const Placed& memory, const Dims& view_shape, const Placement& view, std::int64_t itemsize) {
  const auto times = [](std::int64_t step, std::int64_t stride) {
    std::int64_t bytes = 0;  // stays 0 where it does not fit: nobody steps along such an axis, of one element
    return __builtin_mul_overflow(step, stride, &bytes) ? 0 : bytes;
  };
  Placement seen{Dims(view_shape.size(), 0), memory.offset};
  if (is_c_contiguous(memory.shape, memory.strides, itemsize)) {
    for (std::size_t i = 0; i < view_shape.size(); ++i) seen.strides[i] = times(view.strides[i], itemsize);
    seen.offset += view.offset * itemsize;
    return seen;
  }
  const Dims steps = c_strides(memory.shape, 1);
  std::int64_t rest = view.offset;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    seen.offset += rest / steps[axis] * memory.strides[axis];
    rest %= steps[axis];
  }
  for (std::size_t i = 0; i < view_shape.size(); ++i)
    for (std::size_t axis = 0; axis < steps.size(); ++axis) {
      if (memory.shape[axis] == 1 || steps[axis] > std::abs(view.strides[i])) continue;
      seen.strides[i] = times(view.strides[i] / steps[axis], memory.strides[axis]);
      break;
    }
  return seen;
}

Extent extent_of(const Dims& shape, const Dims& strides, std::int64_t itemsize) {
  for (const std::int64_t size : shape)
    if (size == 0) return {0, 0};  // first of all: strides of views without elements may reach anywhere
  Extent e{0, itemsize};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t reach = (shape[i] - 1) * strides[i];
    (reach < 0 ? e.low : e.high) += reach;
  }
  return e;
}

bool lie_in_turn(const Dims& shape, const Elements& a, const Elements& b) {
  std::int64_t step = 0;  // any two elements of one lie so many bytes apart, or a multiple
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] > 1) step = std::gcd(step, std::gcd(a.strides[i], b.strides[i]));
  if (step == 0) return false;
  const std::int64_t from_b = ((a.offset - b.offset) % step + step) % step;
  return from_b >= b.itemsize && step - from_b >= a.itemsize;
}

/// Without the overflow of the least number, which a stride may be that nobody steps by.
static std::uint64_t magnitude(std::int64_t n) {
  return n < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
}

SmallVector<std::uint8_t, 8> k_order(const Dims& shape, const std::vector<const Dims*>& strides) {
  SmallVector<std::uint8_t, 8> order;
  for (std::size_t i = 0; i < shape.size(); ++i) order.push_back(static_cast<std::uint8_t>(i));
  // Insertion sort with the first operand that tells the two axes apart; stable, so C order where none does.
  const auto inner_first = [&](std::uint8_t a, std::uint8_t b) {  // does axis a belong inside of axis b?
    if (shape[a] == 1 || shape[b] == 1) return false;
    for (const Dims* s : strides) {
      if (s->empty()) continue;
      const std::uint64_t sa = magnitude((*s)[a]), sb = magnitude((*s)[b]);
      if (sa == 0 || sb == 0 || sa == sb) continue;
      return sa < sb;
    }
    return false;
  };
  for (std::size_t i = 1; i < order.size(); ++i)
    for (std::size_t j = i; j > 0 && inner_first(order[j - 1], order[j]); --j) std::swap(order[j - 1], order[j]);
  return order;
}

bool lies_by_rows(const Dims& shape, const Dims& strides) {
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1 || strides[i] == 0) continue;
    const std::int64_t step = std::abs(strides[i]);
    if (step >= last) return false;
    last = step;
  }
  return true;
}

SmallVector<std::uint8_t, 8> agreed_order(const Dims& shape, const std::vector<const Dims*>& strides) {
  enum class Say { none, inside, outside };
  const auto beside = [&](std::uint8_t a, std::uint8_t b) {  // where axis a belongs, which comes before b in C order
    Say say = Say::none;
    if (shape[a] == 1 || shape[b] == 1) return say;
    for (const Dims* s : strides) {
      const std::int64_t sa = std::abs((*s)[a]), sb = std::abs((*s)[b]);
      if (sa == 0 || sb == 0) continue;
      if (sa >= sb) return Say::outside;
      say = Say::inside;
    }
    return say;
  };
  SmallVector<std::uint8_t, 8> order;  // an insertion sort from the innermost axis outwards, as NumPy's iterator has it
  for (std::size_t n = 0; n < shape.size(); ++n) {
    const auto axis = static_cast<std::uint8_t>(shape.size() - 1 - n);
    std::size_t place = n;
    for (std::size_t i = n; i-- > 0;) {
      const Say say = beside(axis, order[i]);
      if (say == Say::outside) break;
      if (say == Say::inside) place = i;
    }
    order.push_back(axis);
    for (std::size_t i = n; i > place; --i) std::swap(order[i - 1], order[i]);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

Dims strides_in_order(const Dims& shape, const SmallVector<std::uint8_t, 8>& order, std::int64_t itemsize) {
  const Dims inner = c_strides(permuted(shape, order), itemsize);
  Dims strides = inner;
  for (std::size_t i = 0; i < order.size(); ++i) strides[order[i]] = inner[i];
  return strides;
}

Dims permuted(const Dims& dims, const SmallVector<std::uint8_t, 8>& order) {
  Dims out;
  for (std::uint8_t axis : order) out.push_back(dims[axis]);
  return out;
}

void collapse(Dims& shape, const std::vector<Dims*>& strides) {
  std::size_t kept = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool merge = kept > 0;
    for (Dims* s : strides) {
      if (!merge) break;
      merge = (*s)[kept - 1] == (*s)[axis] * shape[axis];
    }
    const std::size_t to = merge ? kept - 1 : kept;
    shape[to] = merge ? shape[to] * shape[axis] : shape[axis];
    for (Dims* s : strides) (*s)[to] = (*s)[axis];
    if (!merge) ++kept;
  }
  shape.resize(kept);
  for (Dims* s : strides) s->resize(kept);
}

SmallVector<std::uint8_t, 8> normalize_axes(const Dims& axes, std::size_t ndim) {
  SmallVector<std::uint8_t, 8> out;
  std::uint64_t seen = 0;
  const auto n = static_cast<std::int64_t>(ndim);
  for (std::int64_t axis : axes) {
    const std::int64_t a = axis < 0 ? axis + n : axis;
    if (a < 0 || a >= n)
      throw AxisError("axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                      std::to_string(ndim));
    if (seen >> a & 1) throw ShapeError("repeated axis in transpose: axis " + std::to_string(axis) + " is given twice");
    seen |= std::uint64_t{1} << a;
    out.push_back(static_cast<std::uint8_t>(a));
  }
  return out;
}

}  // namespace devarray
