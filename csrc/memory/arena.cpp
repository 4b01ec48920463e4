// The splitting store. Each upstream block is a chunk, cut into segments that touch each other; a free segment merges
// with its free neighbours. Free segments are found by size through bins with bitmaps (a two-level segregated fit),
// one index for each queue that used segments last, so that a queue finds its own without a search.
//
// Small and large requests have chunks of their own: a small block that lives long would keep a large hole from
// closing. A chunk for small ones is shared by many; a large request that nothing free serves gets a chunk of its size.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "memory/free_store.hpp"

namespace devarray {
namespace {

constexpr std::size_t granule = 256;                         ///< sizes and offsets are multiples of it
constexpr std::size_t small_limit = std::size_t{512} << 10;  ///< requests up to this go to shared chunks
constexpr std::size_t shared_chunk = std::size_t{2} << 20;   ///< size of those
constexpr int fit_tries = 16;  ///< segments looked at in a bin whose sizes may be too small

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }
/// Sizes of large chunks are multiples of it. Growing requests share chunks so, for a driver's allocation and its end
/// take 80 µs on a GPU: a quarter of the power of two, but for large ones a sixteenth.
constexpr std::size_t large_step(std::size_t bytes) {
  const std::size_t power = std::bit_floor(bytes);
  return std::max(std::min(power / 4, std::size_t{8} << 20), power / 16);
}
constexpr bool is_small(std::size_t bytes) { return bytes <= small_limit; }

struct Chunk;

/// A piece of a chunk. Blocks in use are the `block` of their segment.
struct Segment {
  Block block;
  Chunk* chunk = nullptr;
  Segment *before = nullptr, *after = nullptr;             ///< neighbours by address
  Segment *previous_free = nullptr, *next_free = nullptr;  ///< in the bin of an index
  bool free = false;
  std::size_t size() const { return block.capacity; }
};

struct Chunk {
  Ref<Block> base;
  Segment *first = nullptr, *last = nullptr;
  bool small = false;
  bool whole() const { return first->free && !first->after; }
};

/// Free segments by size. Bin i holds sizes in [floor of bin i, floor of bin i + 1).
class Index {
 public:
  Index(const Timeline* timeline, bool small) : timeline(timeline), small(small) {}
  const Timeline* timeline;  ///< of the segments' last use; null: none
  const bool small;

  void insert(Segment& s) {
    Segment*& head = heads_[bin(s.size())];
    s.previous_free = nullptr;
    s.next_free = head;
    if (head) head->previous_free = &s;
    head = &s;
    words_[bin(s.size()) / 64] |= std::uint64_t{1} << (bin(s.size()) % 64);
    ++count_;
  }

  void remove(Segment& s) {
    if (s.next_free) s.next_free->previous_free = s.previous_free;
    if (s.previous_free) {
      s.previous_free->next_free = s.next_free;
    } else {
      const std::size_t i = bin(s.size());
      heads_[i] = s.next_free;
      if (!s.next_free) words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    }
    --count_;
  }

  /// The best of the first segments in the bin of `bytes`, else any of the next bin that is not empty.
  Segment* find(std::size_t bytes) const {
    if (count_ == 0) return nullptr;
    const std::size_t own = bin(bytes);
    if (Segment* best = best_of(own, bytes)) return best;
    const std::size_t next = next_used(own + 1);
    return next < bins ? best_of(next, bytes) : nullptr;
  }

  bool empty() const { return count_ == 0; }
  Segment* any() const {
    const std::size_t i = next_used(0);
    return i < bins ? heads_[i] : nullptr;
  }

  std::size_t largest() const {
    for (std::size_t w = words; w > 0; --w) {
      if (words_[w - 1] == 0) continue;
      std::size_t size = 0;
      for (Segment* s = heads_[(w - 1) * 64 + 63 - std::countl_zero(words_[w - 1])]; s; s = s->next_free)
        size = std::max(size, s->size());
      return size;
    }
    return 0;
  }

 private:
  static constexpr unsigned bits = 4;
  static constexpr std::size_t bins = std::size_t{64} << bits, words = bins / 64;

  static std::size_t bin(std::size_t bytes) {
    const std::size_t granules = bytes / granule + (std::size_t{1} << bits);  // so that every exponent has its bits
    const unsigned exponent = static_cast<unsigned>(std::bit_width(granules)) - 1;
    return (std::size_t{exponent} << bits) | ((granules >> (exponent - bits)) & ((1u << bits) - 1));
  }

  Segment* best_of(std::size_t i, std::size_t bytes) const {
    Segment* best = nullptr;
    int tries = fit_tries;
    for (Segment* s = heads_[i]; s && tries > 0; s = s->next_free, --tries) {
      if (s->size() < bytes || (best && best->size() <= s->size())) continue;
      best = s;
      if (s->size() == bytes) break;
    }
    return best;
  }

  std::size_t next_used(std::size_t from) const {
    std::size_t w = from / 64;
    if (w >= words) return bins;
    std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from % 64));
    while (word == 0) {
      if (++w == words) return bins;
      word = words_[w];
    }
    return w * 64 + static_cast<std::size_t>(std::countr_zero(word));
  }

  std::array<Segment*, bins> heads_{};
  std::array<std::uint64_t, words> words_{};
  std::size_t count_ = 0;
};

class ArenaStore final : public FreeStore {
 public:
  ~ArenaStore() override {
    for (Segment* s : spare_) delete s;
  }

  Block* take(std::size_t bytes, const Timeline* timeline) override {
    const std::size_t size = round_up(bytes, granule);
    Segment* found = find_in(timeline, is_small(bytes), size);
    if (!found && timeline) found = find_in(nullptr, is_small(bytes), size);
    return found ? cut(*found, size) : nullptr;
  }

  Block* take_any(std::size_t bytes, const Timeline* timeline, bool last_resort) override {
    const std::size_t size = round_up(bytes, granule);
    if (Block* block = take(bytes, timeline)) return block;
    if (Segment* found = find_anywhere(size, is_small(bytes))) return cut(*found, size);
    if (merge_across_queues())
      if (Segment* found = find_anywhere(size, is_small(bytes))) return cut(*found, size);
    if (last_resort)
      if (Segment* found = find_anywhere(size, !is_small(bytes))) return cut(*found, size);
    return nullptr;
  }

  bool put(Block& block) override {
    auto* segment = static_cast<Segment*>(block.user);
    if (!segment) return false;  // see adopt
    segment->free = true;
    held_bytes_ += segment->size();
    ++held_blocks_;
    if (segment->after && mergeable(*segment, *segment->after)) absorb_next(*segment);
    if (segment->before && mergeable(*segment->before, *segment)) {
      segment = segment->before;
      unindex(*segment);
      join(*segment);
    }
    index_of(*segment).insert(*segment);
    return true;
  }

  std::size_t growth(std::size_t bytes) const override {
    return is_small(bytes) ? shared_chunk : round_up(bytes, large_step(bytes));
  }

  Block* adopt(Ref<Block> base, std::size_t bytes) override {
    const std::size_t size = round_up(bytes, granule);
    if (base->size < size) {  // the upstream had no more than the bytes asked for: a block that is not kept
      auto* block = new Block;
      block->allocation = base->allocation;
      block->offset = base->offset;
      block->capacity = base->size;
      block->timeline = std::move(base->timeline);
      block->base = std::move(base);
      return block;
    }
    auto* chunk = new Chunk;
    Segment* segment = new_segment();
    segment->chunk = chunk;
    segment->block.allocation = base->allocation;
    segment->block.offset = base->offset;
    segment->block.capacity = base->size;
    segment->block.timeline = std::move(base->timeline);
    chunk->small = is_small(bytes);
    chunk->first = chunk->last = segment;
    chunk->base = std::move(base);
    chunks_.push_back(chunk);
    segment->free = true;
    ++held_blocks_;
    held_bytes_ += segment->size();
    index_of(*segment).insert(*segment);
    return cut(*segment, size);
  }

  Block* take_whole() override {
    for (std::size_t i = chunks_.size(); i > 0; --i) {
      merge_chunk(*chunks_[i - 1]);
      if (chunks_[i - 1]->whole()) return dissolve(i - 1);
    }
    return nullptr;
  }

  Block* take_outgrown(std::size_t bytes) override {
    if (is_small(bytes)) return nullptr;
    for (std::size_t i = 0; i < chunks_.size(); ++i)
      if (!chunks_[i]->small && chunks_[i]->whole()) return dissolve(i);
    return nullptr;
  }

  Stretch stretch(std::size_t bytes) const override {
    const std::size_t size = round_up(bytes, granule);
    for (auto at = chunks_.rbegin(); at != chunks_.rend(); ++at) {  // the last one made has room
      const Chunk* chunk = *at;
      if (chunk->small != is_small(bytes)) continue;
      const Segment& tail = *chunk->last;
      const std::size_t free = tail.free && tail.block.foreign_uses.empty() ? tail.size() : 0;
      return {chunk->base, size - std::min(size, free)};
    }
    return {};
  }

  bool stretched(const Block& base, std::size_t more) override {
    const auto chunk =
        std::find_if(chunks_.begin(), chunks_.end(), [&](const Chunk* c) { return c->base.get() == &base; });
    if (chunk == chunks_.end()) return false;
    Segment& tail = append(**chunk, more);
    ++held_blocks_;
    held_bytes_ += more;
    Segment* whole = &tail;
    if (mergeable(*tail.before, tail)) {
      whole = tail.before;
      unindex(*whole);
      join(*whole);
    }
    index_of(*whole).insert(*whole);
    return true;
  }

  Tail take_tail(std::size_t least) override {
    for (Chunk* chunk : chunks_) {
      merge_chunk(*chunk);
      Segment& tail = *chunk->last;
      if (!tail.free || !tail.before || tail.size() < least) continue;
      unindex(tail);
      tail.free = false;
      --held_blocks_;
      held_bytes_ -= tail.size();
      return {&tail.block, chunk->base};
    }
    return {};
  }

  void put_tail(Block& block, std::size_t cut) override {
    auto& tail = *static_cast<Segment*>(block.user);
    tail.block.capacity -= cut;
    if (tail.size() > 0) {
      put(block);
      return;
    }
    tail.chunk->last = tail.before;
    tail.before->after = nullptr;
    retire(tail);
  }

  std::size_t held_blocks() const override { return held_blocks_; }
  std::size_t held_bytes() const override { return held_bytes_; }
  std::size_t largest_hole() const override {
    std::size_t largest = 0;
    for (const auto& index : indices_) largest = std::max(largest, index->largest());
    return largest;
  }

 private:
  // Segments with uses on several queues, or on one that is gone, are kept with those of this key, which no queue has.
  const Timeline* mixed() const { return reinterpret_cast<const Timeline*>(this); }
  const Timeline* key_of(const Segment& s) const {
    return s.block.foreign_uses.empty() ? s.block.timeline.get() : mixed();
  }

  Index* find_index(const Timeline* key, bool small) const {
    for (const auto& index : indices_)
      if (index->timeline == key && index->small == small) return index.get();
    return nullptr;
  }

  Index& add_index(const Timeline* key, bool small) {
    return *indices_.emplace_back(std::make_unique<Index>(key, small));
  }

  /// Moves the segments of queues that are gone to the mixed ones.
  void give_up_indices(bool small) {
    for (std::size_t i = 0; i < indices_.size(); ++i) {  // by number: the mixed one may be added
      Index& index = *indices_[i];
      if (index.small != small || index.empty() || !index.timeline || index.timeline == mixed() ||
          index.timeline->open())
        continue;
      Index* known = find_index(mixed(), small);
      Index& all = known ? *known : add_index(mixed(), small);
      while (Segment* s = index.any()) {
        index.remove(*s);
        s->block.leave_timeline();
        all.insert(*s);
      }
    }
  }

  Index& index_of(const Segment& s) {
    const Timeline* key = key_of(s);
    if (Index* index = find_index(key, s.chunk->small)) return *index;
    give_up_indices(s.chunk->small);
    if (Index* index = find_index(key, s.chunk->small)) return *index;  // the mixed one
    for (const auto& index : indices_) {                                // an empty one is given the new key
      if (!index->empty() || index->small != s.chunk->small) continue;
      index->timeline = key;
      return *index;
    }
    return add_index(key, s.chunk->small);
  }

  void unindex(Segment& s) { find_index(key_of(s), s.chunk->small)->remove(s); }

  Segment* find_in(const Timeline* key, bool small, std::size_t size) const {
    const Index* index = find_index(key, small);
    return index ? index->find(size) : nullptr;
  }

  Segment* find_anywhere(std::size_t size, bool small) const {
    for (const auto& index : indices_) {
      if (index->small != small || index->timeline == mixed()) continue;
      if (Segment* found = index->find(size)) return found;
    }
    return find_in(mixed(), small, size);
  }

  /// Takes the first `size` bytes of a free segment into use; what is left stays free.
  Block* cut(Segment& segment, std::size_t size) {
    unindex(segment);
    const std::size_t left = segment.size() - size;
    if (left >= granule) {
      Segment* rest = new_segment();
      rest->chunk = segment.chunk;
      rest->before = &segment;
      rest->after = segment.after;
      if (rest->after)
        rest->after->before = rest;
      else
        rest->chunk->last = rest;
      segment.after = rest;
      rest->block.allocation = segment.block.allocation;
      rest->block.offset = segment.block.offset + size;
      rest->block.capacity = left;
      rest->block.timeline = segment.block.timeline;
      rest->block.foreign_uses = segment.block.foreign_uses;
      rest->free = true;
      segment.block.capacity = size;
      index_of(*rest).insert(*rest);
      ++held_blocks_;
    }
    segment.free = false;
    --held_blocks_;
    held_bytes_ -= segment.size();
    return &segment.block;
  }

  /// Whether two neighbours are free and need no event between them.
  static bool mergeable(const Segment& a, const Segment& b) {
    return a.free && b.free && a.block.foreign_uses.empty() && b.block.foreign_uses.empty() &&
           (a.block.timeline == b.block.timeline || !a.block.timeline || !b.block.timeline);
  }

  /// Merges a segment that is in no index with its successor, which is in one.
  void absorb_next(Segment& segment) {
    unindex(*segment.after);
    join(segment);
  }

  void join(Segment& segment) {
    Segment* next = segment.after;
    segment.block.take_uses(next->block);
    segment.block.capacity += next->size();
    segment.after = next->after;
    if (segment.after)
      segment.after->before = &segment;
    else
      segment.chunk->last = &segment;
    --held_blocks_;
    retire(*next);
  }

  /// Merges free neighbours whatever used them last; the result waits for all of it. True if there were any.
  bool merge_chunk(Chunk& chunk) {
    bool merged = false;
    for (Segment* s = chunk.first; s; s = s->after) {
      if (!s->free || !s->after || !s->after->free) continue;
      unindex(*s);
      while (s->after && s->after->free) absorb_next(*s);
      index_of(*s).insert(*s);
      merged = true;
    }
    return merged;
  }

  bool merge_across_queues() {
    bool merged = false;
    for (Chunk* chunk : chunks_) merged |= merge_chunk(*chunk);
    return merged;
  }

  /// Makes a free chunk a block that is all of what the upstream gave.
  Block* dissolve(std::size_t i) {
    Chunk* chunk = chunks_[i];
    chunks_[i] = chunks_.back();
    chunks_.pop_back();
    Segment& segment = *chunk->first;
    unindex(segment);
    --held_blocks_;
    held_bytes_ -= segment.size();
    auto* block = new Block;
    block->capacity = segment.size();
    block->take_uses(segment.block);
    block->base = std::move(chunk->base);
    retire(segment);
    delete chunk;
    return block;
  }

  /// A free segment of `bytes` behind the last one, in no index yet.
  Segment& append(Chunk& chunk, std::size_t bytes) {
    Segment& before = *chunk.last;
    Segment& tail = *new_segment();
    tail.chunk = &chunk;
    tail.before = &before;
    tail.after = nullptr;
    before.after = chunk.last = &tail;
    tail.block.allocation = before.block.allocation;
    tail.block.offset = before.block.offset + before.size();
    tail.block.capacity = bytes;
    tail.free = true;
    return tail;
  }

  Segment* new_segment() {
    if (spare_.empty()) {
      auto* segment = new Segment;
      segment->block.user = segment;
      return segment;
    }
    Segment* segment = spare_.back();
    spare_.pop_back();
    return segment;
  }

  void retire(Segment& segment) {
    segment.block.allocation = nullptr;
    segment.block.timeline = nullptr;
    segment.block.foreign_uses.clear();
    segment.chunk = nullptr;
    segment.before = segment.after = nullptr;
    segment.free = false;
    spare_.push_back(&segment);
  }

  std::vector<Chunk*> chunks_;
  std::vector<std::unique_ptr<Index>> indices_;
  std::vector<Segment*> spare_;  ///< segments not in use, kept so that a split needs no heap
  std::size_t held_blocks_ = 0, held_bytes_ = 0;
};

}  // namespace

std::unique_ptr<FreeStore> arena_store() { return std::make_unique<ArenaStore>(); }

}  // namespace devarray
