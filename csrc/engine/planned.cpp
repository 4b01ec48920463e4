#include "engine/planned.hpp"

#include <algorithm>

#include "engine/allocate.hpp"
#include "engine/config.hpp"
#include "engine/elements.hpp"
#include "engine/evaluate.hpp"
#include "engine/expression.hpp"
#include "engine/hazards.hpp"
#include "engine/index_flags.hpp"
#include "engine/launch.hpp"
#include "engine/lock.hpp"
#include "engine/partition.hpp"
#include "engine/ranges.hpp"
#include "engine/record.hpp"
#include "engine/throttle.hpp"

namespace devarray {

void acquire_arrays(const char* what, const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  if (nodes.empty()) throw ValueError(std::string(what) + " needs at least one array");
  for (const NodeRef& n : nodes) evaluate(*n);
  for (std::size_t i = 0; i < nodes.size(); ++i)  // first: elements that are read here may move
    if (writes >> i & 1) settle_elements(*nodes[i]->storage);
  const Place& place = *nodes[0]->place;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Storage& s = *nodes[i]->storage;
    if (s.place->device != place.device) throw DeviceError(std::string(what) + " got arrays of two devices");
    if (writes >> i & 1) {
      prepare_target(*nodes[i]);
      acquire_write(s, place);
    } else {
      acquire_read(s, place);
    }
  }
}

void release_arrays(const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? release_write : release_read)(*nodes[i]->storage, *nodes[0]->place);
}

/// What a profile calls a kernel: generated ones are "k" or "k_<digits>", and called by the function that wants them.
std::string label(const Kernel& kernel) {
  std::string name = kernel.name();
  if (name != "k" && name.compare(0, 2, "k_") != 0) return name;
  const std::string asked = asked_function();
  return asked.empty() ? name : asked;
}

ActivityRecord profiled(const std::string& name, const std::vector<NodeRef>& nodes, std::uint64_t writes) {
  ActivityRecord record;
  record.name = name;
  record.operations = 1;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    (writes >> i & 1 ? record.written : record.read) += static_cast<std::uint64_t>(nodes[i]->nbytes());
  return record;
}

std::optional<OperandExpression> expression_of(const NodeRef& x) {
  constexpr std::size_t kMostLeaves = 3, kMostNodes = 16;
  if (!config().deferred || !x->is_pending() || x->is_of_another() || x->over_reduction) return std::nullopt;
  EngineLock lock;
  if (!x->is_pending()) return std::nullopt;
  const Expression e(*x, x->shape);
  if (!x->is_pending() || !e.reads_in_place()) return std::nullopt;
  if (e.operands.size() > kMostLeaves || e.nodes.size() > kMostNodes || e.nodes.empty()) return std::nullopt;
  int weight = 0;
  std::uint64_t reads = 0;
  for (const Node* n : e.nodes) weight += weight_of(n->op);
  for (const Operand& o : e.operands) reads += bytes_reached(e.space(), o.strides, o.dtype);
  if (!may_be_computed_again(*x, weight, reads)) return std::nullopt;
  OperandExpression made;
  for (std::size_t i = 0; i < e.operands.size(); ++i)
    made.leaves.push_back(
        Node::view(*e.leaf_nodes[i], e.operands[i].dtype, e.space(), e.operands[i].strides, e.operands[i].offset));
  e.fill(made.body);
  e.append_scalar_slots(made.slots);
  x->leave_pending();
  return made;
}

void launch_planned(const KernelPtr& kernel, const LaunchDims& dims, const std::vector<NodeRef>& nodes,
                    std::vector<std::int64_t> slots, std::uint64_t writes) {
  make_room(*nodes[0]->place->queue);
  EngineLock lock;
  acquire_arrays("launch", nodes, writes);
  const Place& place = *nodes[0]->place;
  std::vector<MemoryArg> memory;
  for (const NodeRef& n : nodes)
    memory.push_back(n->storage->block->allocation ? memory_arg(*n->storage) : MemoryArg{nullptr, false});
  // NVIDIA's OpenCL takes no null for an empty array, which the kernel never touches: any memory will do.
  const auto some = std::find_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return m.handle; });
  if (some != memory.end())
    std::replace_if(memory.begin(), memory.end(), [](const MemoryArg& m) { return !m.handle; }, MemoryArg(*some));
  kernel->note_use();
  if (config().check_bounds) {
    std::vector<const Block*> blocks;
    for (const NodeRef& n : nodes) blocks.push_back(n->storage->block.get());
    add_bounds(place, "a planned kernel", blocks, memory, slots);
  }
  const NamedRange range([&] { return label(*kernel); });
  const auto timer = timer_of(Activity::kernel, place.queue.get());
  place.queue->launch(*kernel, dims, memory.data(), memory.size(), slots.data(), slots.size());
  place.queue->walks_backwards = false;  // turned(), launch.hpp: these walk forwards
  if (timer) timer->done(profiled(label(*kernel), nodes, writes));
  note_launch(*place.queue);
  stats().launches.fetch_add(1, std::memory_order_relaxed);
  release_arrays(nodes, writes);
}

bool launch_prepared(const PreparedPlan& plan, std::vector<NodeRef> arrays) {
  std::vector<KernelPtr> held;
  for (const PreparedPlan::Step& step : plan.steps) {
    held.push_back(step.kernel.lock());
    if (!held.back()) return false;
  }
  const PlaceRef place = arrays[0]->place;
  for (const PreparedPlan::Temporary& t : plan.temporaries)
    arrays.push_back(t.cleared ? full(place, DType::uint8, {t.nbytes}, ScalarValue())
                               : empty(place, DType::uint8, {t.nbytes}));
  for (const NodeRef& n : arrays) evaluate(*n);
  for (const PreparedPlan::Step& step : plan.steps)  // before offsets are taken: elements that are read here may move
    for (std::size_t i = 0; i < step.memory.size(); ++i)
      if (step.writes >> i & 1) settle_elements(*arrays[step.memory[i]]->storage);
  std::vector<NodeRef> memory;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PreparedPlan::Step& step = plan.steps[i];
    memory.clear();
    for (const std::uint16_t number : step.memory) memory.push_back(arrays[number]);
    std::vector<std::int64_t> slots = step.slots;
    for (const auto& [slot, number] : step.offsets)
      slots[slot] = static_cast<std::int64_t>(arrays[number]->storage->block->offset) + arrays[number]->offset;
    launch_planned(held[i], step.dims, memory, std::move(slots), step.writes);
  }
  return true;
}

}  // namespace devarray
