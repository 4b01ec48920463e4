// Kernels over narrow tables: rows of few elements, in which operands lie by vectors.
#include <algorithm>
#include <cstdlib>

#include "engine/launch.hpp"

namespace devarray {

/// Elements of a short row that a work-item handles side by side: as many as all operands that change along the row
/// have in aligned accesses, wherever a row begins.
int ElementwiseLaunch::narrow_width() const {
  constexpr std::int64_t kAccess = 16;  // bytes that a work-item loads at once
  if (sizes_.empty() || e_.counts_elements() || e_.has_shifts()) return 1;
  std::int64_t vec = 8;
  const auto limit = [&](const Storage& s, const Dims& strides, std::int64_t offset, std::int64_t size) {
    if (strides.back() != size) vec = 1;
    std::int64_t together = static_cast<std::int64_t>(s.block->offset) + offset;  // what all addresses are multiples of
    for (std::size_t i = 0; i + 1 < strides.size(); ++i) together |= strides[i];
    while (vec > 1 && (vec * size > kAccess || together % (vec * size) != 0)) vec /= 2;
  };
  for (const Operand& o : e_.operands)
    if (!o.repeated && o.strides.back() != 0)
      limit(*o.storage, o.strides, o.offset, static_cast<std::int64_t>(size_of(o.dtype)));
  for (const Target& t : targets_) limit(*t.storage, t.strides, t.offset, static_cast<std::int64_t>(size_of(t.dtype)));
  while (vec > 1 && sizes_.back() % vec != 0) vec /= 2;
  return static_cast<int>(vec);
}

}  // namespace devarray
