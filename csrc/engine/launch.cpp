#include "engine/launch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/constants.hpp"
#include "engine/hazards.hpp"
#include "engine/host/evaluator.hpp"
#include "engine/index_flags.hpp"
#include "engine/kept_launch.hpp"
#include "engine/naming_lines.hpp"
#include "engine/plan.hpp"
#include "engine/ranges.hpp"
#include "engine/stencil_chain.hpp"
#include "engine/steps.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// An innermost axis shorter than this is not worth a GPU's launch dimension.
constexpr std::int64_t kShortRowItems = 32;

ShiftMask mask_of(const Dims& shifts) {
  ShiftMask mask = 0;
  for (std::size_t dim = 0; dim < shifts.size(); ++dim)
    if (shifts[dim] != 0) mask |= ShiftMask{1} << dim;
  return mask;
}

}  // namespace

void ElementwiseLaunch::choose_order() {
  in_c_order_ = true;
  const Dims& space = e_.space();
  const auto usual = [&](const Dims& strides, DType t) { return is_c_contiguous(space, strides, size_of(t)); };
  for (const Operand& o : e_.operands) in_c_order_ &= o.repeated || usual(o.strides, o.dtype);
  for (const Target& t : targets_) in_c_order_ &= usual(t.strides, t.dtype);
  if (in_c_order_) return;
  if (e_.counts_elements()) {  // the flat index of the launch is then the element's own
    order_.resize(space.size());
    std::iota(order_.begin(), order_.end(), std::uint8_t{0});
    return;
  }
  std::vector<const Dims*> strides;
  for (const Target& t : targets_) strides.push_back(&t.strides);
  const Dims result = results_.empty() ? Dims{} : e_.result_strides(*results_.back());
  if (!results_.empty()) strides.push_back(&result);
  for (const Operand& o : e_.operands)
    if (!o.repeated) strides.push_back(&o.strides);
  order_ = k_order(space, strides);
}

bool ElementwiseLaunch::donate(Target& t, Node& n) {
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const Operand& o = e_.operands[i];
    Node& leaf = *e_.leaf_nodes[i];
    if (taken_[i] || o.strides != t.strides || o.repeated || !o.shifts.empty() ||
        static_cast<std::int64_t>(size_of(o.dtype)) != n.itemsize() || !e_.can_donate(leaf) ||
        o.storage->place->resource != place_.resource || o.storage->place->queue != place_.queue ||
        o.storage->block->size / 2 > static_cast<std::size_t>(n.nbytes()))
      continue;
    t.storage = leaf.storage;
    t.offset = o.offset;
    taken_[i] = true;
    spec_.alias = true;
    if (!Planner::current()) stats().donations.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void ElementwiseLaunch::allocate(Target& t, Node& n) {
  const Dims& space = e_.space();
  t.strides = in_c_order_ || e_.counts_elements() ? c_strides(space, n.itemsize()) : e_.result_strides(n);
  for (std::size_t i = 0; i < space.size(); ++i)
    if (space[i] == 1) t.strides[i] = 0;  // as operands have it, so that the two compare equal
  if (donate(t, n)) return;
  t.storage = allocate_storage(n.place, n.nbytes());
  t.offset = 0;
}

void ElementwiseLaunch::add_result(Node& n) { results_.push_back(&n); }

void ElementwiseLaunch::add_assignment(Node& target, std::uint16_t value) {
  Target t;
  t.value = value;
  t.dtype = target.dtype;
  t.storage = target.storage;
  t.strides = target.strides;
  t.offset = target.offset;
  targets_.push_back(std::move(t));
  for (const Operand& o : e_.operands) spec_.alias |= o.storage == target.storage.get();
}

bool ElementwiseLaunch::parameters_fit() const {
  return !parameter_excess(e_.operands.size() + targets_.size() + results_.size(), e_.space().size(),
                           e_.further_slots(), *place_.device);
}

void ElementwiseLaunch::collapse_space() {
  sizes_ = e_.space();
  std::vector<Dims*> strides;
  for (Operand& o : e_.operands) strides.push_back(&o.strides);
  for (Target& t : targets_) strides.push_back(&t.strides);
  std::vector<Dims> apart;  // strides that are uneven at each shifted axis, which stays by itself
  if (e_.has_shifts()) {
    apart.resize(e_.operands.size());
    for (std::size_t i = 0; i < e_.operands.size(); ++i) {
      Dims& shifts = e_.operands[i].shifts;
      if (shifts.empty()) continue;
      for (std::int64_t shift : shifts) apart[i].push_back(shift != 0);
      strides.insert(strides.end(), {&shifts, &apart[i]});
    }
  }
  if (!in_c_order_) {
    sizes_ = permuted(sizes_, order_);
    for (Dims* s : strides) *s = permuted(*s, order_);
  }
  collapse(sizes_, strides);
}

Access ElementwiseLaunch::access_of(const Dims& strides, std::int64_t itemsize, bool repeated) const {
  if (spec_.mode == Mode::linear) return repeated && !sizes_.empty() ? Access::uniform : Access::linear;
  if (repeated) return Access::uniform;
  if (strides.back() == itemsize || strides.back() == 0) return strides.back() ? Access::unit : Access::row;
  const bool cpu = place_.device->strategy() == Strategy::cpu;
  return cpu ? access_by_steps(strides.back(), itemsize) : Access::strided;
}

void ElementwiseLaunch::classify() {
  const auto even = [&](const Dims& strides, DType t) {
    return strides.empty() || strides[0] == static_cast<std::int64_t>(size_of(t));
  };
  bool linear = sizes_.size() <= 1 && !e_.has_shifts();
  for (const Operand& o : e_.operands) linear &= o.repeated || even(o.strides, o.dtype);
  for (const Target& t : targets_) linear &= even(t.strides, t.dtype);
  const bool gpu = place_.device->strategy() == Strategy::gpu;
  // On CPUs a vector that is half empty still costs less than an element's own division and its loads one by one.
  const bool rows = !gpu || sizes_.size() <= 1 || (sizes_.back() >= kShortRowItems && !takes_vectors());
  spec_.mode = linear ? Mode::linear : rows ? Mode::rows : Mode::flat;
  spec_.ndim = static_cast<std::uint8_t>(std::max<std::size_t>(sizes_.size(), 1));
  for (const Operand& o : e_.operands)
    spec_.body.leaves.push_back(
        {o.dtype,
         o.table ? Access::table : access_of(o.strides, static_cast<std::int64_t>(size_of(o.dtype)), o.repeated),
         mask_of(o.shifts)});
  if (!linear) find_tiles();
  e_.fill(spec_.body);
  for (const Target& t : targets_)
    spec_.body.outputs.push_back(
        {t.value, t.dtype, access_of(t.strides, static_cast<std::int64_t>(size_of(t.dtype)), false)});
  const bool single = !gpu || may_end_early(spec_.body);
  spec_.vec = static_cast<std::uint8_t>(single                     ? 1
                                        : linear                   ? vector_width()
                                        : spec_.mode == Mode::flat ? narrow_width()
                                                                   : 1);
  spec_.wide = !gpu || needs_64_bits();
  if (!spec_.wide && !linear) find_alike();
}

void ElementwiseLaunch::find_alike() {
  SmallVector<const Dims*, 16> strides;
  for (const Operand& o : e_.operands) strides.push_back(&o.strides);
  for (const Target& t : targets_) strides.push_back(&t.strides);
  bool any = false;
  for (std::size_t i = 0; i < strides.size(); ++i) {
    std::size_t first = 0;
    while (!(*strides[first] == *strides[i])) ++first;
    any |= first != i;
    spec_.alike.push_back(static_cast<std::uint8_t>(first));
  }
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    if (!spec_.body.leaves[i].shifted) continue;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      std::size_t first = 0;
      while (!spec_.body.leaves[first].shifted || e_.operands[first].shifts[dim] != e_.operands[i].shifts[dim]) ++first;
      any |= first != i;
      spec_.alike.push_back(static_cast<std::uint8_t>(first));
    }
  }
  for (const Operand& o : e_.operands) {
    std::size_t first = 0;
    while (e_.operands[first].storage != o.storage || e_.operands[first].offset != o.offset) ++first;
    any |= &e_.operands[first] != &o;
    spec_.alike.push_back(static_cast<std::uint8_t>(first));
  }
  if (!any) spec_.alike.clear();
}

/// Whether indices have more than 32 bits, or distances, which kernels count in elements (in bytes those of complex
/// numbers), or the strides in bytes that they are given.
bool ElementwiseLaunch::needs_64_bits() const {
  const std::int64_t limit = config().short_counts;
  const auto far = [&](const Dims& strides, DType t) {
    const auto size = static_cast<std::int64_t>(size_of(t)), unit = kind_of(t) == Kind::complex ? 1 : size;
    const Extent e = extent_of(sizes_, strides, size);
    return e.high / unit > limit || e.low / unit < -limit ||
           std::ranges::any_of(strides, [&](std::int64_t stride) { return std::abs(stride) > limit; });
  };
  if (element_count(sizes_) > limit) return true;
  if (spec_.mode == Mode::linear) return false;
  for (const Operand& o : e_.operands)
    if (far(o.strides, o.dtype)) return true;
  for (const Target& t : targets_)
    if (far(t.strides, t.dtype)) return true;
  return false;
}

KernelPtr ElementwiseLaunch::kernel(std::int64_t cost) {
  Device& device = *place_.device;
  return cached_kernel(device, SpecKey('e', spec_), [&](const std::string* source) {
    const bool soon = host::stands_in(place_, cost) && suits_host();
    return naming_lines(e_, [&] { return build_hooks().elementwise(device, spec_, soon, source); });
  });
}

bool ElementwiseLaunch::hold_without_kernel() {
  return spec_.mode == Mode::rows && place_.device->strategy() == Strategy::gpu &&
         !is_known(*place_.device, SpecKey('e', spec_)) && enqueue(nullptr);
}

bool ElementwiseLaunch::enqueue(const KernelPtr& kernel) {
  PlanOf* const plan = PlanOf::current();
  SmallVector<MemoryArg, 32> memory;
  SmallVector<std::int64_t, 64> slots;
  SmallVector<std::uint16_t, 32> slot_of;
  SmallVector<Storage*, 32> storages;
  if (sizes_.empty()) sizes_.push_back(1);
  for (std::int64_t d : sizes_) slots.push_back(d);
  const auto add = [&](const StorageRef& s, const Dims& strides, std::int64_t offset, Access access) {
    memory.push_back(memory_arg(*s));
    storages.push_back(s.get());
    slot_of.push_back(static_cast<std::uint16_t>(slots.size()));
    slots.push_back(static_cast<std::int64_t>(s->block->offset) + offset);
    if (access != Access::linear && access != Access::uniform && access != Access::table)
      for (std::int64_t stride : strides) slots.push_back(stride);
  };
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    const Operand& o = e_.operands[i];
    add(e_.leaf_nodes[i]->storage, o.strides, o.offset, spec_.body.leaves[i].access);
    if (spec_.body.leaves[i].shifted)
      for (std::int64_t shift : o.shifts) slots.push_back(shift);
  }
  for (std::size_t i = 0; i < targets_.size(); ++i)
    add(targets_[i].storage, targets_[i].strides, targets_[i].offset, spec_.body.outputs[i].access);
  const std::size_t first_scalar = slots.size();
  e_.append_scalar_slots(slots);
  std::uint64_t bytes = 0;
  for (const Operand& o : e_.operands) bytes += bytes_reached(sizes_, o.strides, o.dtype);
  for (const Target& t : targets_) bytes += bytes_reached(sizes_, t.strides, t.dtype);
  const bool turns = can_turn() && may_turn(*place_.device, bytes);
  const StencilStagePtr stage =
      in_parts_ ? nullptr : stencil_stage(spec_, slot_of, replaceable_results(), bytes, *place_.device);
  if (!kernel && !stage) return false;
  const StencilOffer offer(stage, place_, storages, e_.operands.size(), slots);
  if (!kernel && !offer.held()) return false;
  Dims room = sizes_;  // where random words are made by blocks, the first work-item may have elements before the first
  if (spec_.vec > 1 && e_.counts_elements()) room[0] += spec_.vec - 1;
  LaunchDims dims;
  const auto is_shifted = [](const Operand& o) { return !o.shifts.empty() && o.shifts.back() != 0; };
  const bool shifted_rows = std::ranges::any_of(e_.operands, is_shifted);
  if (kernel)
    dims = spec_.mode == Mode::tiles
               ? tile_dims(spec_, sizes_)
               : elementwise_dims(*place_.device, *kernel, spec_.mode, spec_.vec, room, shifted_rows);
  for (const std::uint16_t slot : slot_of)
    if (plan) plan->note_offset(slot);
  if (plan) plan->note_launch(e_, kernel, dims, slots, first_scalar, bytes);
  if (plan && turns) plan->note_turns(0);
  if (plan) plan->note_stage(stage);
  if (plan && !stage) {
    const std::int64_t elements = element_count(sizes_);
    plan->note_constants(Constants::of(spec_, slots, first_scalar, elements));
    plan->note_batch(BatchForm::of(spec_, operands_of_batch(slot_of), slots.size(), elements, dims, *place_.device));
  }
  if (offer.held()) {
    offer.hold_back({stage, kernel, dims, memory, slots, {}, bytes, turns});
    note_launch(*place_.queue);
    return true;
  }
  if (!offer.passes()) {
    for (const Operand& o : e_.operands) acquire_read(*o.storage, place_);
    for (const Target& t : targets_) acquire_write(*t.storage, place_);
  }
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const Operand& o : e_.operands) blocks.push_back(o.storage->block.get());
    for (const Target& t : targets_) blocks.push_back(t.storage->block.get());
    add_bounds(place_, describe(std::string("kernel ") + name_of(spec_.mode)), blocks, memory, slots);
  }
  if (turns) slots[0] = turned(slots[0], *place_.queue);
  const NamedRange range([&] { return profiled().name; });
  const auto timer = timer_of(Activity::kernel, place_.queue.get());
  const auto launch = offer.passes() ? &Queue::launch_first : &Queue::launch;
  ((*place_.queue).*launch)(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  if (timer) timer->done(profiled());
  note_launch(*place_.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(bytes, std::memory_order_relaxed);
  for (const Operand& o : e_.operands) release_read(*o.storage, place_);
  for (const Target& t : targets_) release_write(*t.storage, place_);
  if (debugging(2))
    debug_line(2, describe(std::string("kernel ") + name_of(spec_.mode)) + (timer ? timer->took() : ""));
  return true;
}

SmallVector<bool, 8> ElementwiseLaunch::replaceable_results() const {
  SmallVector<bool, 8> replaceable;
  for (const Target& t : targets_) replaceable.push_back(t.node != nullptr);
  return replaceable;
}

std::vector<BatchForm::Operand> ElementwiseLaunch::operands_of_batch(
    const SmallVector<std::uint16_t, 32>& slot_of) const {
  std::vector<BatchForm::Operand> operands;
  const auto add = [&](const Dims& strides, DType t) {
    const Dims& sizes = strides.empty() ? strides : sizes_;  // one element has none
    operands.push_back({slot_of[operands.size()], extent_of(sizes, strides, static_cast<std::int64_t>(size_of(t)))});
  };
  for (const Operand& o : e_.operands) add(o.strides, o.dtype);
  for (const Target& t : targets_) add(t.strides, t.dtype);
  return operands;
}

/// Whether its groups may run from the last one to the first: the kernel has that in a size of 32 bits (`_group` in
/// devarray/codegen/kernels/elementwise.py).
bool ElementwiseLaunch::can_turn() const { return !spec_.wide && (spec_.mode != Mode::flat || spec_.vec > 1); }

ActivityRecord ElementwiseLaunch::profiled() const {
  ActivityRecord record = e_.described(sizes_);
  if (record.name.empty()) record.name = "copy";
  for (const Target& t : targets_)
    record.written += size_of(t.dtype) * static_cast<std::uint64_t>(element_count(sizes_));
  return record;
}

PlannedKernel ElementwiseLaunch::planned(const Planner& planner) const {
  PlannedKernel k;
  const ActivityRecord record = profiled();
  k.device = place_.device;
  k.name = record.name;
  k.spec = spec_;
  k.sizes = sizes_;
  // What is to be allocated yet is in the host's reach where it is no buffer.
  const auto in_reach = [&](const Storage& s) { return !s.block->allocation || host::can_read(s, place_); };
  k.on_host = !planner.launched() && host::takes(place_, host_cost()) &&
              place_.resource->kind() != MemoryKind::buffer && host::Evaluator(e_).has_loops();
  for (const Operand& o : e_.operands) k.on_host = k.on_host && in_reach(*o.storage);
  k.read = record.read;
  k.written = record.written;
  for (const Node* n : e_.nodes) k.operations.push_back(planner.number_of(*n));
  for (std::size_t i = 0; i < e_.operands.size(); ++i) {
    k.inputs.push_back(planner.number_of(*e_.leaf_nodes[i]));
    k.input_bytes.push_back(bytes_reached(sizes_, e_.operands[i].strides, e_.operands[i].dtype));
  }
  for (const Target& t : targets_) {
    bool donated = false;
    for (const Operand& o : e_.operands) donated |= o.storage == t.storage.get();
    k.outputs.push_back({planner.number_of(*t.node), bytes_reached(sizes_, t.strides, t.dtype), donated});
  }
  for (const Node* n : e_.living())
    if (std::find(results_.begin(), results_.end(), n) == results_.end()) k.not_stored.push_back(planner.number_of(*n));
  return k;
}

std::string ElementwiseLaunch::describe(const std::string& what) const {
  return what + " " + to_string(sizes_) + ", " + std::to_string(e_.nodes.size()) + " operations, " +
         std::to_string(e_.operands.size()) + " read, " + std::to_string(targets_.size()) + " written";
}

std::int64_t ElementwiseLaunch::host_cost() const {
  constexpr std::int64_t kApartPerRow = 16;  // elements that are copied one by one, in the time of a row
  if (place_.device->strategy() != Strategy::cpu) return INT64_MAX;
  const std::int64_t elements = element_count(sizes_);
  if (elements == 0 || sizes_.empty()) return host::cost_of(e_, elements, 0);
  std::int64_t rows = sizes_.size() > 1 ? elements / sizes_.back() : 0;
  const auto add = [&](const Dims& strides, DType t) {
    if (strides.back() != 0 && strides.back() != static_cast<std::int64_t>(size_of(t))) rows += elements / kApartPerRow;
  };
  for (const Operand& o : e_.operands)
    if (!o.repeated) add(o.strides, o.dtype);
  for (const Target& t : targets_) add(t.strides, t.dtype);
  return host::cost_of(e_, elements, rows);
}

bool ElementwiseLaunch::suits_host() const {
  for (const Operand& o : e_.operands)
    if (!host::can_read(*o.storage, place_)) return false;
  for (const Target& t : targets_)
    if (!host::can_write(*t.storage, place_)) return false;
  return host::Evaluator(e_).has_loops();
}

void ElementwiseLaunch::run_on_host() {
  const auto timer = timer_of(Activity::host);
  SmallVector<const Dims*, 16> strides;
  for (const Operand& o : e_.operands) strides.push_back(&o.strides);
  SmallVector<host::Output, 8> outputs;
  for (const Target& t : targets_)
    outputs.push_back({t.value, t.dtype, static_cast<char*>(t.storage->block->host()) + t.offset, &t.strides, false,
                       t.storage.get()});
  host::Evaluator(e_).run(sizes_, strides.data(), outputs.data(), outputs.size());
  stats().host_runs.fetch_add(1, std::memory_order_relaxed);
  if (timer) timer->done(profiled());
  if (debugging(2)) debug_line(2, describe("host") + (timer ? timer->took() : ""));
}

void ElementwiseLaunch::execute() {
  const std::int64_t cost = host_cost();
  if (host::is_small(place_, cost) && suits_host() && host::takes_behind_short(place_, cost)) return run_on_host();
  classify();
  if (spec_.wide && place_.device->strategy() == Strategy::gpu)
    if (const std::int64_t size = part_size()) return run_parts(size);
  if (hold_without_kernel()) return host::note_launch(place_, cost);
  if (const KernelPtr k = kernel(cost)) {
    enqueue(k);
    return host::note_launch(place_, cost);
  }
  host::settle(place_);
  run_on_host();
}

void ElementwiseLaunch::run() {
  choose_order();
  taken_.resize(e_.operands.size(), false);
  for (Node* n : results_) {
    Target t;
    t.value = e_.id_of(*n);
    t.dtype = n->dtype;
    t.node = n;
    allocate(t, *n);
    targets_.push_back(std::move(t));
  }
  std::vector<Dims> result_strides;
  for (const Target& t : targets_) result_strides.push_back(t.strides);
  collapse_space();
  if (Planner* const planner = Planner::current(); planner) [[unlikely]] {
    classify();
    planner->add(planned(*planner));
  } else {
    execute();
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const Node* const n = targets_[i].node;
    if (!n) continue;
    const Dims plain = c_strides(n->shape, n->itemsize());
    for (std::size_t axis = 0; axis < plain.size(); ++axis)
      if (n->shape[axis] == 1) result_strides[i][axis] = plain[axis];
  }
  if (PlanOf* const plan = PlanOf::current())
    for (std::size_t i = 0; i < targets_.size(); ++i)
      plan->note_result(e_, targets_[i].node, *targets_[i].storage, result_strides[i]);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& t = targets_[i];
    if (t.node) t.node->materialize(std::move(t.storage), std::move(result_strides[i]), t.offset);
  }
  e_.renumber_left();
}

MemoryArg memory_arg(const Storage& s) {
  const Allocation& a = *s.block->allocation;
  return {a.handle(), a.is_buffer()};
}

}  // namespace devarray
