#include "engine/mirror.hpp"

#include <cstring>

#include "engine/host/evaluator.hpp"
#include "engine/lock.hpp"
#include "engine/profile.hpp"
#include "engine/transfer.hpp"

namespace devarray {
namespace {

constexpr std::size_t kMostBytes = 1 << 15;  ///< of a storage: what a transfer of a few bytes takes little longer for
constexpr int kMostNodes = 24;               ///< of a value: more are quicker on the device
constexpr int kAsks = 2;                     ///< from which question on a storage has a mirror

bool stopped = false;

bool is_integer(DType t) { return kind_rank(kind_of(t)) == 1; }

bool has_mirror(const Storage& s) { return s.mirror && !s.exposed; }

bool may_have_mirror(const Storage& s) {
  return s.place->device->strategy() == Strategy::gpu && !s.exposed && s.block->size <= kMostBytes;
}

/// What a value is made of.
class Sources {
 public:
  /// False where there is more to it than elements of small storages and operations that the host has loops for.
  bool add(const Node& n) {
    if (++nodes_ > kMostNodes || n.dtype == DType::float16 || n.size() != 1) return false;
    switch (n.state) {
      case NodeState::scalar: return true;
      case NodeState::leaf:
        if (n.shifts || !may_have_mirror(*n.storage)) return false;
        storages_.push_back(n.storage);
        return true;
      case NodeState::pending: break;
    }
    DType inputs[3];
    if (n.is_pending_view || kind_of(n.compute) == Kind::complex || ops()[n.op].flags & Op::indexed ||
        !host::loop_for(n, inputs))
      return false;
    for (int i = 0; i < n.arity; ++i) {
      const DType from = n.inputs[i].node->dtype;
      if (is_integer(inputs[i]) && !is_integer(from) && from != DType::bool_) return false;  // beyond its range
      if (!add(*n.inputs[i].node)) return false;
    }
    return true;
  }
  bool all_have_mirrors() const {
    for (const StorageRef& s : storages_)
      if (!has_mirror(*s)) return false;
    return true;
  }
  /// Counts one more question. Whether each storage has a mirror, or has been asked often enough for one.
  bool ask() {
    bool enough = true;
    for (const StorageRef& s : storages_) {
      if (has_mirror(*s)) continue;
      if (s->asked < kAsks) ++s->asked;
      enough &= s->asked == kAsks;
    }
    return enough;
  }
  void make_mirrors() {
    for (const StorageRef& s : storages_)
      if (!has_mirror(*s)) make_mirror(s);
  }

 private:
  static void make_mirror(const StorageRef& s) {
    const auto size = static_cast<std::int64_t>(s->block->size);
    std::unique_ptr<char[]> bytes(new char[s->block->size]);
    const std::uint32_t writes = s->writes;
    copy_to_host(Node::leaf(s, DType::uint8, Dims{size}, Dims{1}, 0), {bytes.get(), Dims{1}}, nullptr, true);
    if (s->writes == writes) s->mirror = std::move(bytes);  // else by another thread meanwhile
  }

  std::vector<StorageRef> storages_;
  int nodes_ = 0;
};

/// The value's bytes in value form.
void compute(const Node& n, void* out) {
  alignas(16) std::int64_t bits[2] = {0, 0};
  if (n.state == NodeState::scalar) {
    encode_scalar(n.dtype, n.value, bits);
    std::memcpy(out, bits, host::value_size(n.dtype));
    return;
  }
  if (n.is_leaf()) {
    const char* const from = n.storage->mirror.get() + n.offset;
    if (const host::Convert load = host::loops().load(n.dtype))
      load(out, from, 1);
    else
      std::memcpy(out, from, size_of(n.dtype));
    return;
  }
  DType wanted[3];
  const host::Loop loop = host::loop_for(n, wanted);
  alignas(16) std::int64_t values[3][2] = {}, made[2] = {0, 0};
  const void* in[3] = {nullptr, nullptr, nullptr};
  for (int i = 0; i < n.arity; ++i) {
    compute(*n.inputs[i].node, values[i]);
    const DType from = n.inputs[i].node->dtype;
    if (const host::Convert cast = from == wanted[i] ? nullptr : host::loops().cast(from, wanted[i])) {
      cast(bits, values[i], 1);
      std::memcpy(values[i], bits, sizeof bits);
    }
    in[i] = values[i];
  }
  loop(made, in, 1, 0);
  std::memcpy(out, made, host::value_size(n.dtype));
}

bool is_asked_for(const Node& n) {
  return !stopped && n.place && n.place->device->strategy() == Strategy::gpu && !n.is_known() && !profiling() &&
         !debugging(2) && !config().check_bounds && !EngineLock::held();
}

}  // namespace

bool find_mirrored(const Node& n, void* out) {
  Sources sources;
  if (!is_asked_for(n) || !sources.add(n) || !sources.all_have_mirrors()) return false;
  compute(n, out);
  return true;
}

bool read_mirrored(const NodeRef& n, void* out) {
  Sources sources;
  if (!is_asked_for(*n)) return false;
  // What has memory of its own, a result, is one element: there is nothing more to read.
  if (n->is_leaf() && !n->is_view && !n->element && !has_mirror(*n->storage)) return false;
  if (!sources.add(*n) || !sources.ask()) return false;
  if (!sources.all_have_mirrors()) {
    sources.make_mirrors();
    return find_mirrored(*n, out);  // again: other threads may have run
  }
  note_wait("copy_to_host");
  compute(*n, out);
  return true;
}

void stop_mirrors() { stopped = true; }

}  // namespace devarray
