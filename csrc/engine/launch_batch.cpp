#include "engine/launch_batch.hpp"

#include <algorithm>
#include <utility>

#include "common/assertion.hpp"
#include "common/gil.hpp"
#include "engine/attempt.hpp"
#include "engine/config.hpp"
#include "engine/launch.hpp"
#include "engine/profile.hpp"
#include "engine/throttle.hpp"

namespace devarray {
namespace {

/// In OpenCL each set's memory is arguments of its own, to choose from.
constexpr std::size_t kMostSets = 16, kMostSetsOfOpenCl = 8;
/// Equal launches in a row before one is held back: what comes once or twice never waits.
constexpr unsigned kInARow = 2;
/// Fewer elements are the host's time, more of them fill a GPU by themselves, or as a batch: others need not wait.
constexpr std::int64_t kLeastElementsOfSet = std::int64_t{1} << 14, kMostElementsOfSet = std::int64_t{1} << 22;
constexpr std::int64_t kElementsOfBatch = std::int64_t{1} << 24;
/// The same of all elements' operations: a kernel of several sets has more registers, which long expressions lack.
constexpr std::int64_t kMostOperationsOfSet = std::int64_t{1} << 27;
/// Kernels that are made for one plan, whose constants change.
constexpr unsigned kMostKernelsOfForm = 4;

/// Launches of all queues, and what else was asked of drivers: copies, waits.
std::uint64_t all_that_was_asked() {
  return stats().launches.load(std::memory_order_relaxed) + gil_hooks().releases.load(std::memory_order_relaxed);
}

}  // namespace

BatchFormPtr BatchForm::of(const ElementwiseSpec& spec, std::vector<Operand>&& operands, std::size_t slots,
                           std::int64_t elements, const LaunchDims& dims, const Device& device) {
  if (device.strategy() != Strategy::gpu || device.exact_launches() || spec.wide || spec.mode == Mode::tiles ||
      elements < kLeastElementsOfSet || elements > kMostElementsOfSet || dims.groups[2] != 1 ||
      elements * static_cast<std::int64_t>(spec.body.nodes.size()) > kMostOperationsOfSet)
    return nullptr;
  const auto is_table = [](const SpecOperand& o) { return o.access == Access::table; };
  if (std::ranges::any_of(spec.body.leaves, is_table)) return nullptr;  // what of it is read, strides do not tell
  const std::size_t most =
      std::min(kMostParameters, device.caps().max_parameter_bytes) / (8 * (operands.size() + slots));
  const std::size_t sets = std::min({most, device.driver() == DriverKind::cuda ? kMostSets : kMostSetsOfOpenCl,
                                     static_cast<std::size_t>(kElementsOfBatch / elements)});
  if (sets < 2) return nullptr;
  auto made = std::make_shared<BatchForm>();
  made->spec_ = spec;
  made->spec_.sets = static_cast<std::uint8_t>(sets);
  made->operands_ = std::move(operands);
  return made;
}

UsedMemories BatchForm::memory_of(std::span<Storage* const> storages,
                                  const SmallVector<std::int64_t, 64>& slots) const {
  UsedMemories used;
  for (std::size_t i = 0; i < storages.size(); ++i) {
    const Operand& o = operands_[i];
    used.push_back({storages[i]->block.get(), slots[o.slot] + o.extent.low, slots[o.slot] + o.extent.high});
  }
  return used;
}

void BatchForm::ask(Device& device, const std::vector<SpecConstant>& constants) {
  if (constants != spec_.constants || !chosen_) {
    if (chosen_ == kMostKernelsOfForm) return;
    ++chosen_;
    spec_.constants = constants;
    kernel_.reset();
  }
  if (!ask_for_kernel(device, spec_, kernel_)) alone_ = kMostAlone;
}

void LaunchBatch::note_next(const BatchForm& form, const UsedMemories& used) {
  const UsedMemory* const results = used.begin() + form.leaves();
  const auto was_written = [&](const UsedMemory& leaf) {
    return std::ranges::any_of(written_, [&](const UsedMemory& result) { return result.meets(leaf); });
  };
  const bool again =
      &form == last_ && seen_ == all_that_was_asked() && std::none_of(used.begin(), results, was_written);
  in_a_row_ = again ? in_a_row_ + 1 : 0;
  last_ = &form;
  written_.assign(results, used.end());
}

/// Whether it is one more set of what is held: no set writes what another one reads or writes.
bool LaunchBatch::goes_on(const BatchLaunch& launch, const UsedMemories& used) const {
  if (launching_ || launch.form != held_.form || launch.kernel != held_.kernel) return false;
  const std::size_t leaves = launch.form->leaves();
  std::size_t bytes = kept_bytes_;
  for (std::size_t i = 0; i < used.size(); ++i) {
    bytes += used[i].block->size;
    for (const Set& set : sets_)
      for (std::size_t k = i < leaves ? leaves : 0; k < used.size(); ++k)
        if (used[i].meets(set.used[k])) return false;
  }
  return bytes <= queue_.device()->caps().global_memory / kShareOfMemory;
}

BatchOffer::BatchOffer(BatchLaunch&& launch, const std::vector<SpecConstant>& constants, const Place& place,
                       std::span<Storage* const> storages, const SmallVector<std::int64_t, 64>& slots)
    : launch_(std::move(launch)) {
  Queue& queue = *place.queue;
  if (launch_.form && !launch_.form->pays()) launch_.form = nullptr;
  if (!launch_.form && !queue.holds_back.load(std::memory_order_relaxed)) return;
  LaunchBatch& batch = LaunchBatch::of(queue);
  const bool may = launch_.form && may_be_held(storages, queue);
  if (launch_.form) used_ = launch_.form->memory_of(storages, slots);
  if (batch.holds()) {
    held_ = may && batch.goes_on(launch_, used_);
    if (!held_) Attempt::settle(queue);
  }
  if (!launch_.form) return;
  batch_ = &batch;
  batch.note_next(*launch_.form, used_);
  if (held_ || !may || queue.holds_back.load(std::memory_order_relaxed) || batch.in_a_row_ < kInARow) return;
  together_ = launch_.form->kernel_for(constants);
  const auto& local = launch_.dims.local;
  held_ = together_ && together_->max_work_group_size() >= local[0] * local[1] * local[2];
}

void BatchOffer::hold_back(const SmallVector<MemoryArg, 32>& memory, const SmallVector<std::int64_t, 64>& slots,
                           std::span<Storage* const> storages) {
  LaunchBatch& batch = *batch_;
  LaunchBatch::Set set{memory, slots, {}, std::move(used_)};
  for (std::size_t i = 0; i < storages.size(); ++i) {
    Storage& s = *storages[i];
    s.unused = false;
    if (i >= launch_.form->leaves()) s.note_write();
    set.blocks.push_back(s.block);
    batch.kept_bytes_ += s.block->size;
  }
  DEVARRAY_ASSERT(batch.holds() || together_);
  if (!batch.holds()) {
    batch.held_ = launch_;
    batch.together_ = std::move(together_);
    batch.begin();
  }
  batch.sets_.push_back(std::move(set));
}

bool BatchOffer::wants_kernel() const {
  return batch_ && !held_ && batch_->in_a_row_ >= kInARow && launch_.form->pays();
}

void BatchOffer::note_done(Queue& queue) {
  if (!batch_) return;
  if (held_ && batch_->sets_.size() == launch_.form->sets()) {
    batch_->launch();
    note_launch(queue);
  }
  batch_->seen_ = all_that_was_asked();
}

void LaunchBatch::forget() {
  const std::vector<Set> old = std::exchange(sets_, {});  // ends last: what dies then may run programs
  const BatchLaunch launch = std::exchange(held_, {});
  together_ = nullptr;
  kept_bytes_ = 0;
}

void LaunchBatch::launch_held() {
  if (held_.turns) {
    const std::int64_t size = turned(sets_[0].slots[0], queue_);
    for (Set& set : sets_) set.slots[0] = size;
    if (queue_.walks_backwards) std::ranges::reverse(sets_);
  }
  if (sets_.size() > 1) {
    launch_together();
  } else {
    in_a_row_ = 0;
    const Set& set = sets_[0];
    queue_.launch_first(*held_.kernel, held_.dims, set.memory.data(), set.memory.size(), set.slots.data(),
                        set.slots.size());
  }
  held_.form->note_launched(sets_.size());
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  stats().bytes_moved.fetch_add(held_.bytes * sets_.size(), std::memory_order_relaxed);
  ++seen_;  // what else was asked meanwhile ends the row
}

/// Arguments as Dialect.kernel_of_sets (devarray/codegen/language/dialect.py) has them: in CUDA each set is a struct of
/// addresses and slots, in OpenCL memory arguments stand one by one. What is not used has any valid argument.
void LaunchBatch::launch_together() {
  const bool addresses = queue_.device()->driver() == DriverKind::cuda;
  std::vector<MemoryArg> memory;
  std::vector<std::int64_t> slots;
  for (std::size_t i = 0; i < held_.form->sets(); ++i) {
    const Set& set = sets_[i < sets_.size() ? i : 0];
    for (const MemoryArg& m : set.memory)
      if (addresses)
        slots.push_back(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(m.handle)));
      else
        memory.push_back(m);
    slots.insert(slots.end(), set.slots.begin(), set.slots.end());
  }
  LaunchDims dims = held_.dims;
  dims.groups[2] = sets_.size();
  together_->note_use();
  queue_.launch_first(*together_, dims, memory.data(), memory.size(), slots.data(), slots.size());
}

}  // namespace devarray
