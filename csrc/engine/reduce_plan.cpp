#include "engine/reduce_plan.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "common/shape.hpp"

namespace devarray {
namespace {

constexpr std::int64_t kGpuGroup = 256;         // work-items
constexpr std::int64_t kGpuGroupsPerUnit = 8;   // groups that keep a GPU's compute unit busy
constexpr std::int64_t kGpuGroupsOfPlaces = 4;  // the same of an extreme's place, whose kernel has many registers,
constexpr std::int64_t kGpuWidePlaces = 4;      // where elements have so many bytes
constexpr std::int64_t kGpuGroupSteps = 2;      // that a group which shares an output has, at least
constexpr std::int64_t kGpuLeastParts = 4;      // of all elements: fewer take less time than their merge would
constexpr std::int64_t kGpuStripGroups = 4;     // the same where rows are walked: one round of groups, not a bit more
constexpr std::int64_t kGpuStripRounds = 2;  // of much memory: the first finds what the last launch left in the cache
constexpr std::int64_t kGpuMuchBytes = 1 << 25;
constexpr std::int64_t kGpuRowGroups = 2;       // where a work-item has whole rows, and many registers
constexpr std::int64_t kGpuFewBytes = 48;       // of its accumulators, up to which it has few
constexpr std::int64_t kGpuRowBytes = 512;      // of a row that a group reads side by side
constexpr std::int64_t kGpuLaneItems = 16;      // elements that a lane adds up before it is worth a merge of its own
constexpr std::int64_t kGpuLaneRows = 64;       // the same where a work-item has few columns, all of them
constexpr std::int64_t kGpuFewLanes = 64;       // and so many lanes have an output's rows, at least
constexpr std::int64_t kGpuSectorBytes = 32;    // the least that memory is read by: what lanes read side by side
constexpr std::int64_t kGpuRowOfALane = 64;     // bytes: its accesses find the rest of the row in the cache
constexpr std::int64_t kGpuAccess = 16;         // bytes that a work-item loads at once
constexpr std::int64_t kGpuNeighbours = 8;      // outputs or elements that a work-item takes side by side, at most
constexpr std::int64_t kGpuLoads = 32;          // that a work-item has under way, at most
constexpr std::int64_t kGpuMergeBytes = 32768;  // of a group's local memory that its lanes' values pass through
constexpr std::int64_t kGpuStageBytes = 24576;  // of a group's local memory that its rows pass through
constexpr std::int64_t kGpuRowsAhead = 4;       // of the same where neighbours share rows: each has several operands
constexpr std::int64_t kGpuUnitItems = 1024;    // work-items that keep a GPU's compute unit busy
constexpr std::int64_t kCpuGroupsPerUnit = 4;
constexpr std::int64_t kCpuGroupElements = 4096;  // less is not worth a group of its own
constexpr std::int64_t kCpuStripGroups = 4;       // for each compute unit: the last one merges all partial results
constexpr std::int64_t kCpuStripRows = 64;        // fewer are not worth partial results of their own
constexpr std::int64_t kCpuStripBytes = 32768;    // of accumulators that a group has in its cache
constexpr std::int64_t kStripArrays = 4;          // at most so many of these share the local memory
constexpr std::int64_t kCpuRowsAtOnce = 8;   // lines that a cache holds at once though they lie powers of two apart
constexpr std::int64_t kCpuNarrowRows = 16;  // one after the other, before their sums are added with care
constexpr std::int64_t kVectorLanes = 16;    // work-items that Intel's compiler makes one vector of
constexpr std::int64_t kVectorRows = 64;     // of a work-item, or of a group of them, at most
constexpr std::int64_t kShortLoop = 16;      // an innermost reduced dim below it has no loop of its own
constexpr std::int64_t kMaxParts = 65535;    // dimension 1 of a CUDA grid

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }
std::int64_t floor_power(std::int64_t n) {
  return n < 1 ? 1 : static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}
std::int64_t ceil_power(std::int64_t n) {
  return n < 1 ? 1 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

/// Of the elements that an operand has in the problem's space.
std::int64_t bytes_of(const ReduceOperand& o, const ReduceProblem& p) {
  auto bytes = static_cast<std::int64_t>(size_of(o.dtype));
  for (std::size_t i = 0; i < p.kept.size(); ++i)
    if (o.kept[i] != 0) bytes *= p.kept[i];
  for (std::size_t i = 0; i < p.reduced.size(); ++i)
    if (o.reduced[i] != 0) bytes *= p.reduced[i];
  return bytes;
}

/// The operand that moves most memory; its strides decide. Null where every operand is one element.
const ReduceOperand* dominant(const ReduceProblem& p) {
  const ReduceOperand* best = nullptr;
  std::int64_t most = -1;
  for (const ReduceOperand& o : p.operands) {
    if (o.repeated) continue;
    const std::int64_t bytes = bytes_of(o, p);
    if (bytes > most) {
      most = bytes;
      best = &o;
    }
  }
  return best;
}

class Planner {
 public:
  Planner(const ReduceProblem& problem, Strategy strategy, const Capabilities& caps)
      : p_(problem),
        gpu_(strategy == Strategy::gpu),
        warps_(caps.vendor.find("NVIDIA") != std::string::npos),
        // Intel's compiler makes vectors of neighbouring work-items, the other CPU compilers of a work-item's loops.
        vector_items_(caps.platform.find("Intel") != std::string::npos),
        units_(static_cast<std::int64_t>(std::max<std::size_t>(caps.compute_units, 1))),
        group_(std::min(kGpuGroup, floor_power(static_cast<std::int64_t>(caps.max_work_group_size)))),
        strip_bytes_(
            std::min(kCpuStripBytes, floor_power(static_cast<std::int64_t>(caps.local_memory) / kStripArrays))) {
    outputs_ = element_count(p_.kept);
    total_ = element_count(p_.reduced);
    inner_ = p_.reduced.back();
    if (const ReduceOperand* o = dominant(p_)) {
      itemsize_ = static_cast<std::int64_t>(size_of(o->dtype));
      much_ = bytes_of(*o, p_) >= kGpuMuchBytes;
      row_step_ = std::llabs(o->reduced.back());
      column_step_ = p_.kept.empty() ? 0 : std::llabs(o->kept.back());
    }
  }

  ReducePlan plan();

 private:
  bool columns_are_better() const;
  bool lie_along_columns() const;
  void rows_on_gpu();
  void short_rows_on_gpu();
  void rows_on_cpu();
  bool suits_vectors() const;
  void columns_on_gpu();
  void columns_on_cpu();
  void split(std::int64_t wanted_groups, std::int64_t least_chunk);
  void classify();
  std::int64_t loaded_at_once(bool reduced) const;
  bool is_of_pairs() const;
  std::int64_t columns_of_an_item(bool unrolled) const;
  std::int64_t columns_of_a_lane() const;
  bool is_packed(const ReduceOperand& o) const;
  bool needs_64_bits() const;
  std::int64_t groups() const;

  const ReduceProblem& p_;
  const bool gpu_, warps_, vector_items_;
  const std::int64_t units_, group_, strip_bytes_;
  std::int64_t outputs_ = 1, total_ = 1, inner_ = 1;
  std::int64_t itemsize_ = 4, row_step_ = 4, column_step_ = 0;
  std::int64_t outs_ = 1, lanes_ = 1, tile_ = 1, unroll_ = 1, pack_ = 1, parts_ = 1;
  std::int64_t strips_ = 1, width_ = 1;  // of the last kept dim, in column layout
  bool much_ = false;                    // memory, to read
  ReducePlan plan_;
};

/// Whether all operands lie by elements side by side along the outputs, or stay the same, and one does not along what
/// is reduced: sums of products of all rows with all columns, whose values would lie so.
bool Planner::lie_along_columns() const {
  bool any = false, apart = false;
  for (const ReduceOperand& o : p_.operands) {
    const auto size = static_cast<std::int64_t>(size_of(o.dtype));
    if (o.repeated) continue;
    if (o.kept.back() != 0 && o.kept.back() != size) return false;
    any |= o.kept.back() == size;
    apart |= o.reduced.back() != 0 && o.reduced.back() != size;
  }
  return any && apart;
}

bool Planner::columns_are_better() const {
  if (p_.kept.empty()) return false;
  if (!gpu_ && lie_along_columns()) return true;
  if (column_step_ == 0) return false;
  return row_step_ == 0 || column_step_ < row_step_;
}

/// Groups along dimension 0 of the launch.
std::int64_t Planner::groups() const {
  if (plan_.layout == ReduceLayout::row) return ceil_div(outputs_, outs_);
  return strips_ * (outputs_ / p_.kept.back());
}

/// Several groups to an output where there would be too few of them, about `least_chunk` elements or more to each.
void Planner::split(std::int64_t wanted_groups, std::int64_t least_chunk) {
  const std::int64_t have = groups();
  if (have * 2 > wanted_groups || have > static_cast<std::int64_t>(kMaxReduceCounters)) return;
  const std::int64_t parts = std::min({wanted_groups / have, total_ / least_chunk, kMaxParts});
  if (parts < (gpu_ && have == 1 ? kGpuLeastParts : 2)) return;
  // To the nearest step: a chunk of one step more than wanted leaves a third of the groups out.
  const std::int64_t step = lanes_ * unroll_, wanted = ceil_div(total_, parts);
  const std::int64_t least = ceil_div(ceil_div(total_, wanted_groups / have), step);
  plan_.chunk = std::max({(wanted + step / 4) / step, least, std::int64_t{1}}) * step;
  parts_ = ceil_div(total_, plan_.chunk);
  plan_.split = parts_ > 1;
}

/// Neighbours along the innermost axis, reduced or kept, that a work-item loads at once where they are aligned. The
/// order of a sum follows from it, and so it does not ask whether they are, nor which values are stored beside the sum;
/// where no order matters, it does, because what is stored is stored one by one, and best by neighbouring work-items.
std::int64_t Planner::loaded_at_once(bool reduced) const {
  if ((reduced ? row_step_ : column_step_) != itemsize_) return 1;
  std::int64_t widest = itemsize_;
  for (const ReduceOperand& o : p_.operands)
    if (!o.repeated && (reduced ? o.reduced : o.kept).back() != 0) {
      if (o.written && p_.exact) return 1;
      widest = std::max(widest, static_cast<std::int64_t>(size_of(o.dtype)));
    }
  return std::clamp<std::int64_t>(kGpuAccess / widest, 1, kGpuNeighbours);
}

/// Whether each operand stays the same along the outputs or along what is reduced, and no order matters: of all pairs'
/// values, a work-item takes several outputs' for one load.
bool Planner::is_of_pairs() const {
  return gpu_ && p_.exact && std::all_of(p_.operands.begin(), p_.operands.end(), [](const ReduceOperand& o) {
           const auto still = [](std::int64_t stride) { return stride == 0; };
           return !o.written && (o.kept.back() == 0 || std::all_of(o.reduced.begin(), o.reduced.end(), still));
         });
}

/// Whether what a work-item takes side by side of the operand begins at an aligned address, wherever that lies.
bool Planner::is_packed(const ReduceOperand& o) const {
  const bool row = plan_.layout == ReduceLayout::row;
  const std::int64_t count = !gpu_ ? 1 : row ? pack_ : tile_;
  const auto bytes = count * static_cast<std::int64_t>(size_of(o.dtype));
  const std::int64_t piece = p_.whole_rows && bytes % kGpuAccess == 0 ? kGpuAccess : bytes;
  if (count == 1 || floor_power(piece) != piece || piece > kGpuAccess || o.written) return false;
  if (row ? p_.reduced.size() > 1 : plan_.flat || p_.kept.back() % count != 0) return false;
  const auto even = [&](const Dims& strides, std::size_t dims) {
    return std::all_of(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(dims),
                       [&](std::int64_t stride) { return stride % piece == 0; });
  };
  return o.offset % static_cast<std::uint64_t>(piece) == 0 && even(o.kept, o.kept.size() - !row) &&
         even(o.reduced, o.reduced.size() - row);
}

void Planner::rows_on_gpu() {
  const std::int64_t loop = plan_.flat ? total_ : inner_;
  outs_ = group_;
  if (p_.whole_rows && outputs_ > 1 && p_.reduced.size() == 1 && total_ <= kMostHeldRow) return short_rows_on_gpu();
  if (total_ <= kMaxUnrolled) return;  // one after the other, as unrolled
  if (p_.reduced.size() == 1) pack_ = loaded_at_once(true);
  lanes_ = std::min(group_, floor_power(loop / 4));
  // Where there are outputs enough: each step of the merge costs as much as several elements.
  auto least = std::max<std::int64_t>(1, kGpuSectorBytes / static_cast<std::int64_t>(size_of(p_.accumulator)));
  if (pack_ > 1)
    least = loop * itemsize_ <= kGpuRowOfALane ? 1 : std::max<std::int64_t>(1, kGpuSectorBytes / (pack_ * itemsize_));
  while (lanes_ > least && loop / lanes_ < kGpuLaneItems && outputs_ * lanes_ >= 2 * units_ * kGpuUnitItems)
    lanes_ /= 2;
  outs_ = group_ / lanes_;
  const std::int64_t each = loop / lanes_;
  unroll_ = each >= (pack_ > 1 ? 8 : 16) ? 8 : each >= 4 ? 4 : 1;
  pack_ = std::min(pack_, unroll_);
  const bool few = p_.indexed && itemsize_ >= kGpuWidePlaces;
  split(units_ * (few ? kGpuGroupsOfPlaces : kGpuGroupsPerUnit), lanes_ * unroll_ * kGpuGroupSteps);
}

/// Rows in registers: of as many lanes as have one access each, where that is a power of two, else of one lane, through
/// local memory.
void Planner::short_rows_on_gpu() {
  const std::int64_t access = loaded_at_once(true), lanes = total_ / access;
  if (total_ > kMaxUnrolled && access > 1 && lanes * access == total_ && floor_power(lanes) == lanes) {
    lanes_ = lanes;
    pack_ = unroll_ = access;
    outs_ = group_ / lanes_;
  } else {
    unroll_ = total_ <= kMaxUnrolled ? 1 : kGpuNeighbours;
    pack_ = total_;
    std::int64_t widest = 1;
    for (const ReduceOperand& o : p_.operands) widest = std::max(widest, static_cast<std::int64_t>(size_of(o.dtype)));
    outs_ = std::min(group_, std::max<std::int64_t>(32, floor_power(kGpuStageBytes / ((total_ | 1) * widest))));
  }
  plan_.held = static_cast<std::uint16_t>(total_ / lanes_);
}

/// Whether each row can be one work-item's: there are enough of them, and all that is read lies side by side, or is
/// one element for the row.
bool Planner::suits_vectors() const {
  if (!p_.vectors || p_.reduced.size() > 1 || outputs_ < units_ * kCpuGroupsPerUnit) return false;
  for (const ReduceOperand& o : p_.operands) {
    const std::int64_t step = o.repeated ? 0 : o.reduced.back();
    if (o.written || (step != 0 && step != static_cast<std::int64_t>(size_of(o.dtype)))) return false;
  }
  return true;
}

void Planner::rows_on_cpu() {
  const std::int64_t loop = plan_.flat ? total_ : inner_;
  const std::int64_t several = std::max<std::int64_t>(1, outputs_ / (units_ * kCpuGroupsPerUnit));
  if (vector_items_ && loop >= 4 * kVectorLanes) {
    lanes_ = kVectorLanes;
    unroll_ = loop < 16 * kVectorLanes ? 4 : size_of(p_.accumulator) <= 4 ? 8 : 4;
    plan_.vectors = suits_vectors();
    if (plan_.vectors) outs_ = std::min(kVectorRows, floor_power(several));
  } else if (vector_items_) {
    unroll_ = loop >= kVectorLanes ? 8 : 1;  // its own loop is no vector: see loop_hint in reduction.py
    plan_.vectors = unroll_ > 1 && !p_.indexed && suits_vectors();
    outs_ = std::min(kVectorRows, plan_.vectors ? floor_power(several) : ceil_power(several));
  } else {
    outs_ = std::min<std::int64_t>(64, floor_power(several));
    unroll_ = loop >= 64 ? (size_of(p_.accumulator) <= 4 ? 32 : 16) : loop >= 16 ? 8 : 1;
  }
  split(units_ * kCpuGroupsPerUnit, kCpuGroupElements);
}

/// Neighbouring outputs of a work-item: as many as it loads at once, or all of a few. What does not differ between
/// them, it computes once.
std::int64_t Planner::columns_of_an_item(bool unrolled) const {
  const std::int64_t columns = p_.kept.back();
  if (p_.whole_rows && columns <= kNarrow) return columns_of_a_lane();
  if (unrolled) return 1;
  if (columns <= kFewColumns) return columns;
  const auto partial = static_cast<std::int64_t>(std::max<std::size_t>(p_.partial_bytes, 1));
  const std::int64_t count = std::min(
      is_of_pairs() ? std::clamp<std::int64_t>(2 * kGpuAccess / itemsize_, 1, kGpuNeighbours) : loaded_at_once(false),
      std::max<std::int64_t>(1, floor_power(kGpuMergeBytes / (group_ * partial))));
  const std::int64_t width = count * floor_power(std::min(group_, columns / count));
  // The last strip begins earlier, and reads once more what lies before it.
  return columns % width == 0 || columns >= kGpuNeighbours * kGpuRowBytes / itemsize_ ? count : 1;
}

/// All columns of a row are one work-item's, or where warps can shuffle, those of one access: as many in the kernel's
/// order as this one adds up in, which takes rows of 16.
std::int64_t Planner::columns_of_a_lane() const {
  const std::int64_t columns = p_.kept.back(), access = loaded_at_once(false);
  return warps_ && columns == kNarrow && access > 1 ? access : columns;
}

void Planner::columns_on_gpu() {
  const std::int64_t columns = p_.kept.back();
  const bool unrolled = total_ <= kMaxUnrolled;  // and so added up one after the other
  tile_ = columns_of_an_item(unrolled);
  const std::int64_t most = tile_ == 1 ? ceil_power(columns) : floor_power(columns / tile_);
  // More of a row side by side only where the reduced dim is too short for the remaining lanes.
  outs_ = std::min({group_, most, std::max<std::int64_t>(32, kGpuRowBytes / itemsize_) / floor_power(tile_)});
  lanes_ = group_ / outs_;
  while (lanes_ > 1 && (unrolled || total_ < 4 * lanes_)) {
    lanes_ /= 2;
    if (outs_ < most) outs_ *= 2;
  }
  // Pairs are read from caches, by any lane: groups of their own save the merge of several groups' results.
  const std::int64_t outers = outputs_ / columns;
  while (is_of_pairs() && outs_ > 2 && total_ >= 128 * lanes_ &&
         outers * ceil_div(columns, outs_ * tile_) < kGpuStripGroups * units_ * 3 / 4) {
    outs_ /= 2;
    lanes_ *= 2;
  }
  // Where there are outputs enough: what a work-item does besides its elements costs as much as a few of these.
  while (tile_ > 1 && outs_ == 1 && lanes_ > kGpuFewLanes && total_ < kGpuLaneRows * lanes_ &&
         outers * lanes_ >= 2 * units_ * kGpuUnitItems)
    lanes_ /= 2;
  const std::int64_t each = (plan_.flat ? total_ : inner_) / lanes_;
  const bool rounds = p_.whole_rows && much_;
  const std::int64_t most_rows = p_.whole_rows && outs_ > 1 ? kGpuRowsAhead : 8;
  unroll_ = unrolled ? 1 : each >= 8 ? std::min(most_rows, kGpuLoads / ceil_power(tile_)) : each >= 4 ? 4 : 1;
  width_ = outs_ * tile_;
  strips_ = ceil_div(columns, width_);
  const bool many = p_.whole_rows && tile_ * static_cast<std::int64_t>(size_of(p_.accumulator)) > kGpuFewBytes;
  const std::int64_t groups = many ? kGpuRowGroups : kGpuStripGroups * (rounds ? kGpuStripRounds : 1);
  if (!unrolled) split(units_ * groups, lanes_ * unroll_ * 2);
}

/// Work-items walk strips of several rows at once, as wide as their accumulators' cache: long pieces of memory.
void Planner::columns_on_cpu() {
  const std::int64_t columns = p_.kept.back();
  const auto held = static_cast<std::int64_t>(std::max<std::size_t>(size_of(p_.accumulator), p_.indexed ? 8 : 1));
  if (columns <= kNarrow) {
    tile_ = width_ = columns;
  } else {
    if (vector_items_) outs_ = kVectorLanes;
    tile_ = std::max<std::int64_t>(kNarrow + 1, floor_power(strip_bytes_ / held) / outs_);
    strips_ = ceil_div(columns, outs_ * tile_);
    width_ = ceil_div(ceil_div(columns, strips_), outs_) * outs_;
  }
  const std::int64_t loop = plan_.flat ? total_ : inner_;
  // As few as are unrolled are added up one after the other.
  unroll_ = tile_ > 1 && loop > 0 && loop <= kCpuRowsAtOnce
                ? loop
                : std::min(columns <= kNarrow ? kCpuNarrowRows : kCpuRowsAtOnce, floor_power(loop));
  split(units_ * kCpuStripGroups, std::max(kCpuStripRows, kCpuGroupElements / width_));
}

void Planner::classify() {
  for (const ReduceOperand& o : p_.operands) {
    const std::int64_t step = plan_.layout == ReduceLayout::row ? o.reduced.back() : o.repeated ? 0 : o.kept.back();
    bool fixed = gpu_ && !o.written;
    for (std::int64_t stride : o.reduced) fixed &= stride == 0;
    if (o.repeated && !o.written)
      plan_.access.push_back(Access::uniform);
    else if (step == static_cast<std::int64_t>(size_of(o.dtype)))
      plan_.access.push_back(fixed ? Access::fixed_unit : is_packed(o) ? Access::packed_unit : Access::unit);
    else if (step == 0)
      plan_.access.push_back(fixed ? Access::fixed_row : Access::row);
    else if (gpu_)
      plan_.access.push_back(fixed ? Access::fixed_strided : Access::strided);
    else
      plan_.access.push_back(access_by_steps(step, static_cast<std::int64_t>(size_of(o.dtype))));
  }
}

/// Whether indices along the reduced axes, or the distances in bytes that follow from them, have more than 32 bits.
bool Planner::needs_64_bits() const {
  // Loop counters run past the end by less than one step of all lanes and accumulators.
  constexpr std::int64_t kLimit = (std::int64_t{1} << 31) - (std::int64_t{1} << 16);
  if (total_ > kLimit) return true;
  for (const ReduceOperand& o : p_.operands) {
    const Extent e = extent_of(p_.reduced, o.reduced, static_cast<std::int64_t>(size_of(o.dtype)));
    if (e.high > kLimit || e.low < -kLimit) return true;
  }
  return false;
}

ReducePlan Planner::plan() {
  plan_.layout = columns_are_better() ? ReduceLayout::column : ReduceLayout::row;
  plan_.flat = p_.reduced.size() > 1 && inner_ < kShortLoop;
  if (plan_.layout == ReduceLayout::row)
    gpu_ ? rows_on_gpu() : rows_on_cpu();
  else
    gpu_ ? columns_on_gpu() : columns_on_cpu();
  plan_.wide = !gpu_ || needs_64_bits();
  plan_.turns = !plan_.wide;
  plan_.outs = static_cast<std::uint16_t>(outs_);
  plan_.lanes = static_cast<std::uint16_t>(lanes_);
  plan_.tile = static_cast<std::uint16_t>(tile_);
  plan_.unroll = static_cast<std::uint16_t>(unroll_);
  plan_.pack = static_cast<std::uint16_t>(pack_);
  plan_.dims.local[0] = plan_.vectors ? 1 : static_cast<std::size_t>(outs_ * lanes_);
  plan_.dims.groups[0] = static_cast<std::size_t>(groups());
  plan_.dims.groups[1] = static_cast<std::size_t>(parts_);
  if (plan_.split) {
    plan_.counters = plan_.dims.groups[0];
    plan_.scratch_bytes = plan_.dims.groups[0] * plan_.dims.groups[1] *
                          static_cast<std::size_t>(plan_.layout == ReduceLayout::row ? outs_ : width_) *
                          p_.partial_bytes;
  }
  classify();
  return plan_;
}

/// `dims` in the order of falling strides of `leading`, for the sizes and every operand.
void reorder(Dims& sizes, const std::vector<Dims*>& strides, const Dims* leading) {
  if (leading) {
    std::vector<const Dims*> keys{leading};
    for (const Dims* s : strides) keys.push_back(s);
    const auto order = k_order(sizes, keys);
    sizes = permuted(sizes, order);
    for (Dims* s : strides) *s = permuted(*s, order);
  }
  collapse(sizes, strides);
}

}  // namespace

const char* name_of(ReduceLayout layout) { return layout == ReduceLayout::row ? "row" : "column"; }

void normalize(ReduceProblem& p) {
  for (ReduceOperand& o : p.operands)
    if (o.repeated) {
      o.kept = Dims(p.kept.size(), 0);
      o.reduced = Dims(p.reduced.size(), 0);
    }
  const ReduceOperand* lead = dominant(p);
  const Dims lead_kept = lead ? lead->kept : p.result, lead_reduced = lead ? lead->reduced : Dims();
  std::vector<Dims*> kept{&p.result}, reduced;
  for (ReduceOperand& o : p.operands) {
    kept.push_back(&o.kept);
    reduced.push_back(&o.reduced);
  }
  reorder(p.kept, kept, &lead_kept);
  reorder(p.reduced, reduced, p.indexed || !lead ? nullptr : &lead_reduced);
  if (p.reduced.empty()) {
    p.reduced = Dims{1};
    for (Dims* s : reduced) *s = Dims{0};
  }
}

ReducePlan plan_reduction(const ReduceProblem& problem, Strategy strategy, const Capabilities& caps) {
  return Planner(problem, strategy, caps).plan();
}

}  // namespace devarray
