// How many elements of its operands a work-item of a GPU takes side by side.
#include <algorithm>
#include <cstdlib>

#include "engine/expression.hpp"
#include "engine/launch.hpp"

namespace devarray {
namespace {

/// Elements whose random words are one block of a stream, where they follow each other in it: 8 of half words, else 4;
/// 1 where there are none. What is long is not had so many times, what draws and rejects once.
int elements_of_a_block(const Expression& e) {
  constexpr std::size_t kLong = 48;  // nodes
  static const OpId word = ops().find("philox"), half = ops().find("philox_half");
  int elements = 1;
  for (const Node* n : e.nodes) {
    if (n->op != kNoOp && ops()[n->op].name.starts_with("draw_")) return 1;
    if (n->op != word && n->op != half) continue;
    const Node& number = *n->inputs[0].node;
    if (number.is_pending() && number.op == core_ops().iota && number.dtype == n->dtype)
      elements = std::max(elements, n->op == half && e.nodes.size() <= kLong ? 8 : 4);
  }
  return elements;
}

constexpr std::size_t kLongExpression = 64;  // nodes
constexpr std::size_t kAccess = 16;          // bytes that a work-item loads at once

/// Whether a long expression has several divisions and roots of float64. A work-item with one element has them without
/// branches (codegen/kernels/elementwise_body.py), which takes too many registers for two: an equation of state of
/// 4 million elements takes an H200 68 us so, 73 in pairs; several in one launch 87 and 119 each.
bool divides_float64(const Expression& e) {
  static const OpId divide = ops().find("divide"), root = ops().find("sqrt");
  const auto is_checked = [](const Node* n) {
    return (n->op == divide || n->op == root) && n->compute == DType::float64;
  };
  return e.nodes.size() >= kLongExpression && std::ranges::count_if(e.nodes, is_checked) >= 3;
}

}  // namespace

/// Whether so many work-items leave units idle while others wait for the results of long expressions: as many more
/// with fewer elements each have more of them under way at once.
bool ElementwiseLaunch::leaves_units_idle(std::int64_t items) const {
  constexpr std::int64_t kItemsOfAUnit = 1024;  // that hide the time which an operation takes
  const auto units = static_cast<std::int64_t>(std::max<std::size_t>(place_.device->caps().compute_units, 1));
  return e_.nodes.size() >= kLongExpression && items < kItemsOfAUnit * units;
}

/// For operands that lie by elements one after the other: what one access of 16 bytes holds of the widest of them.
/// Where one of them is not aligned to that, as many elements by single accesses, those of a group side by side: a
/// work-item with one element asks for too little at once to fill the memory's latency.
int ElementwiseLaunch::vector_width() {
  if (e_.counts_elements()) return elements_of_a_block(e_);  // kernels of such see themselves what is aligned
  std::size_t widest = 1;
  for (const Operand& o : e_.operands)
    if (!o.repeated) widest = std::max(widest, size_of(o.dtype));
  for (const Target& t : targets_) widest = std::max(widest, size_of(t.dtype));
  std::size_t vec = std::min<std::size_t>(8, std::max<std::size_t>(1, 16 / widest));
  if (widest == 8 && divides_float64(e_)) vec = 1;
  while (vec > 1 && leaves_units_idle(element_count(sizes_) / static_cast<std::int64_t>(vec))) vec /= 2;
  const std::size_t whole = vec;
  const auto limit = [&](const Storage& s, std::int64_t offset, DType t) {
    const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(s.block->offset) + offset);
    while (vec > 1 && at % (vec * size_of(t)) != 0) vec /= 2;
  };
  for (const Operand& o : e_.operands)
    if (!o.repeated) limit(*o.storage, o.offset, o.dtype);
  for (const Target& t : targets_) limit(*t.storage, t.offset, t.dtype);
  spec_.apart = vec < whole && !place_.device->exact_launches();
  return static_cast<int>(spec_.apart ? whole : vec);
}

/// Elements of a short row that a work-item handles side by side: as many as all operands that change along the row
/// have in aligned accesses, wherever a row begins.
int ElementwiseLaunch::narrow_width() const {
  if (sizes_.empty() || e_.counts_elements() || e_.has_shifts()) return 1;
  std::int64_t vec = 8;
  const auto limit = [&](const Storage& s, const Dims& strides, std::int64_t offset, std::int64_t size) {
    if (strides.back() != size) vec = 1;
    std::int64_t together = static_cast<std::int64_t>(s.block->offset) + offset;  // what all addresses are multiples of
    for (std::size_t i = 0; i + 1 < strides.size(); ++i) together |= strides[i];
    while (vec > 1 && (vec * size > static_cast<std::int64_t>(kAccess) || together % (vec * size) != 0)) vec /= 2;
  };
  for (const Operand& o : e_.operands)
    if (!o.repeated && o.strides.back() != 0)
      limit(*o.storage, o.strides, o.offset, static_cast<std::int64_t>(size_of(o.dtype)));
  for (const Target& t : targets_) limit(*t.storage, t.strides, t.offset, static_cast<std::int64_t>(size_of(t.dtype)));
  while (vec > 1 && sizes_.back() % vec != 0) vec /= 2;
  return static_cast<int>(vec);
}

/// Whether work-items take 16 bytes of the widest operand along long rows, as of dense arrays, where they would have an
/// element of several rows. Neighbouring rows share what an array is read for at several places.
bool ElementwiseLaunch::takes_vectors() const {
  std::size_t widest = 1;
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const Operand& o = e_.operands[i];
    if (o.strides.back() != 0) widest = std::max(widest, size_of(o.dtype));
    for (std::size_t k = 0; k < i; ++k)
      if (e_.operands[k].storage == o.storage) return false;
  }
  for (const Target& t : targets_) widest = std::max(widest, size_of(t.dtype));
  const int vec = narrow_width();
  return static_cast<std::size_t>(vec) * widest >= kAccess && !needs_64_bits() && !e_.has_tables() &&
         !leaves_units_idle(element_count(sizes_) / vec);
}

}  // namespace devarray
