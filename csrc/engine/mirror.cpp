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
constexpr std::int64_t kMostStored = 1024;   ///< elements of a store that a mirror takes, too
constexpr int kAsks = 2;                     ///< from which question for a plain element on a storage has a mirror

bool stopped = false;

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
        if (!n.is_read_in_place() || !may_have_mirror(*n.storage)) return false;
        storages_.push_back(n.storage);
        return true;
      case NodeState::pending: break;
    }
    DType inputs[3];
    if (n.is_of_another() || kind_of(n.compute) == Kind::complex || has_flag(n.op, Op::indexed) ||
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
  /// Counts one more question. Whether each storage has a mirror, or has been asked often enough for one: at once where
  /// an operation on one storage's elements would have to be launched first, which takes as long as the rest of it.
  bool ask(bool launch) {
    bool enough = true;
    const Storage* first = nullptr;
    for (const StorageRef& s : storages_) {
      if (has_mirror(*s)) continue;
      if (s->asked < kAsks) ++s->asked;
      if (!first) first = s.get();
      enough &= s->asked == kAsks || (launch && s.get() == first);
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
  return mirrors_in_use() && n.place && n.place->device->strategy() == Strategy::gpu && !n.is_known() &&
         !EngineLock::held();
}

/// The value's bytes in memory as an element of `dtype`, as a kernel casts and stores it. False where the host does
/// not know it.
bool stored_bytes(const Node& value, DType dtype, void* out) {
  Sources sources;
  if (dtype == DType::float16 || kind_of(dtype) == Kind::complex || kind_of(value.dtype) == Kind::complex) return false;
  if (is_integer(dtype) && !is_integer(value.dtype) && value.dtype != DType::bool_) return false;  // beyond its range
  if (!sources.add(value) || !sources.all_have_mirrors()) return false;
  alignas(16) std::int64_t bits[2] = {0, 0}, converted[2] = {0, 0};
  compute(value, bits);
  const host::Convert cast = value.dtype == dtype ? nullptr : host::loops().cast(value.dtype, dtype);
  if (value.dtype != dtype && !cast) return false;
  if (cast) cast(converted, bits, 1);
  const void* const from = cast ? converted : bits;
  std::memcpy(out, from, size_of(dtype));
  return true;
}

/// Writes an element at every place of a view, from `axis` on.
void fill_view(char* at, const Node& view, std::size_t axis, const char* element) {
  if (axis == view.shape.size()) {
    std::memcpy(at, element, size_of(view.dtype));
    return;
  }
  for (std::int64_t i = 0; i < view.shape[axis]; ++i) fill_view(at + i * view.strides[axis], view, axis + 1, element);
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
  if (!sources.add(*n) || !sources.ask(n->is_pending())) return false;
  if (!sources.all_have_mirrors()) {
    sources.make_mirrors();
    return find_mirrored(*n, out);  // again: other threads may have run
  }
  note_wait("copy_to_host");
  compute(*n, out);
  return true;
}

MirroredStore::MirroredStore(const Node& target, const Node& value)
    : storage_(*target.storage), writes_(storage_.writes) {
  if (!has_mirror(storage_) || target.size() > kMostStored || target.shifts || !mirrors_in_use()) return;
  alignas(16) char element[16];
  if (!stored_bytes(value, target.dtype, element)) return;
  mirror_ = std::move(storage_.mirror);
  fill_view(mirror_.get() + target.offset, target, 0, element);
}

void MirroredStore::done() {
  constexpr std::uint32_t kOfOneLaunch = 2;  // note_write() before it and after it
  if (mirror_ && storage_.writes - writes_ == kOfOneLaunch && may_have_mirror(storage_))
    storage_.mirror = std::move(mirror_);
}

void stop_mirrors() { stopped = true; }

bool mirrors_in_use() { return !stopped && !profiling() && !debugging(2) && !config().check_bounds; }

}  // namespace devarray
