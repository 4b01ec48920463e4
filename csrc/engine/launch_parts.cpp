#include <algorithm>
#include <utility>

#include "engine/config.hpp"
#include "engine/expression.hpp"
#include "engine/kept_launch.hpp"
#include "engine/launch.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kPartOf = 1024;  ///< elements of which each part has a multiple: vectors fit as in the whole

}  // namespace

/// How far along the first dim indices and distances have 32 bits; 0 where that is nowhere, or an element's place in
/// the whole counts.
std::int64_t ElementwiseLaunch::part_size() {
  if (sizes_.empty() || e_.counts_elements() || e_.has_tables()) return 0;
  const auto turns_around = [](const Operand& o) { return !o.shifts.empty() && o.shifts[0] != 0; };
  if (std::ranges::any_of(e_.operands, turns_around)) return 0;
  const std::int64_t whole = sizes_[0], unit = sizes_.size() == 1 ? kPartOf : 1;
  const auto fits = [&](std::int64_t size) {
    sizes_[0] = size;
    const bool narrow = !needs_64_bits();
    sizes_[0] = whole;
    return narrow;
  };
  if (whole <= unit || !fits(unit)) return 0;
  std::int64_t size = whole;
  for (std::int64_t parts = 2; size > unit && !fits(size); ++parts)
    size = ((whole + parts - 1) / parts + unit - 1) / unit * unit;
  return size;
}

/// Kernels that count in 32 bits are quicker: stencils by a third.
void ElementwiseLaunch::run_parts(std::int64_t size) {
  PlanOf::spoil();
  in_parts_ = true;
  const std::int64_t whole = sizes_[0];
  const bool alias = spec_.alias;
  std::vector<std::pair<std::int64_t*, std::int64_t>> offsets;  // and how far the next part is
  const auto add = [&](std::int64_t& offset, const Dims& strides) {
    offsets.emplace_back(&offset, strides.empty() ? 0 : strides[0] * size);
  };
  for (Operand& o : e_.operands) add(o.offset, o.strides);
  for (Target& t : targets_) add(t.offset, t.strides);
  const auto each = [&](const auto& work) {
    std::int64_t part = 0;
    for (; part * size < whole; ++part) {
      spec_ = ElementwiseSpec();
      spec_.alias = alias;
      sizes_[0] = std::min(size, whole - part * size);
      classify();
      work(part);
      for (const auto& [offset, step] : offsets) *offset += step;
    }
    for (const auto& [offset, step] : offsets) *offset -= part * step;
    sizes_[0] = whole;
  };
  std::vector<KernelPtr> kernels;  // all of them first: work that is interrupted there begins again
  each([&](std::int64_t) { kernels.push_back(kernel(INT64_MAX)); });
  each([&](std::int64_t part) { enqueue(kernels[static_cast<std::size_t>(part)]); });
}

}  // namespace devarray
