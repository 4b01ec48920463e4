// Bins count sizes from above: those in (lower, upper] share a bin and `upper` is the size of its blocks, so that
// powers of two and their sixteenths are not rounded at all. A bin's index is the exponent of size - 1 followed by
// its leading bits.
#include <algorithm>
#include <bit>
#include <vector>

#include "common/small_vector.hpp"
#include "memory/free_store.hpp"
#include "memory/pool.hpp"

namespace devarray {
namespace {

/// Smaller requests are served by blocks of this size: drivers align to at least this much anyway.
constexpr std::size_t min_capacity = 256;
constexpr unsigned max_leading_bits = 7;
static_assert(min_capacity >> max_leading_bits >= 2, "the smallest bin has that many leading bits");

/// The held blocks of a bin that were last used on one queue, newest first, linked through `user`. Those of queues that
/// are gone share the lane of no queue, and know by themselves what they wait for.
struct Lane {
  const Timeline* timeline;
  Block* top;
};

/// Lanes are never empty. Their blocks keep the timelines alive.
struct Bin {
  SmallVector<Lane, 2> lanes;

  Lane* find(const Timeline* timeline) {
    for (Lane& lane : lanes)
      if (lane.timeline == timeline) return &lane;
    return nullptr;
  }
  Block* pop(Lane& lane) {
    Block* block = lane.top;
    lane.top = static_cast<Block*>(block->user);
    if (!lane.top) {
      lane = lanes.back();
      lanes.pop_back();
    }
    return block;
  }
  void push(Block& block) {
    if (!find(block.timeline.get())) give_up_lanes();  // before there is one more
    push(block, find(block.timeline.get()));
  }

 private:
  void push(Block& block, Lane* lane) {
    block.user = lane ? lane->top : nullptr;
    if (lane)
      lane->top = &block;
    else
      lanes.push_back({block.timeline.get(), &block});
  }
  /// Ends the lanes of queues that are gone.
  void give_up_lanes() {
    for (std::size_t i = lanes.size(); i > 0; --i) {
      if (!lanes[i - 1].timeline || lanes[i - 1].timeline->open()) continue;
      Block* next = lanes[i - 1].top;
      lanes[i - 1] = lanes.back();
      lanes.pop_back();
      while (Block* block = next) {
        next = static_cast<Block*>(block->user);
        block->leave_timeline();
        push(*block, find(nullptr));
      }
    }
  }
};

class BinStore final : public FreeStore {
 public:
  explicit BinStore(unsigned leading_bits) : leading_bits_(leading_bits), bins_(std::size_t{64} << leading_bits) {}

  Block* take(std::size_t bytes, const Timeline* timeline) override {
    Bin& bin = bins_[bin_of(bytes, leading_bits_)];
    Lane* lane = bin.find(timeline);
    if (!lane) lane = bin.find(nullptr);
    return lane && lane->top->foreign_uses.empty() ? pop(bin, *lane) : nullptr;
  }

  Block* take_any(std::size_t bytes, const Timeline* timeline, bool) override {
    Bin& bin = bins_[bin_of(bytes, leading_bits_)];
    if (bin.lanes.empty()) return nullptr;
    Lane* lane = bin.find(timeline);
    if (!lane) lane = bin.find(nullptr);
    return pop(bin, lane ? *lane : bin.lanes[0]);
  }

  bool put(Block& block) override {
    const std::size_t bin = bin_of(block.capacity, leading_bits_);
    // A block that was had in place of its bin's size, when that could not be had, serves no other request.
    if (block.capacity != bin_capacity(bin, leading_bits_)) return false;
    bins_[bin].push(block);
    ++held_blocks_;
    held_bytes_ += block.capacity;
    return true;
  }

  std::size_t growth(std::size_t bytes) const override {
    return bin_capacity(bin_of(bytes, leading_bits_), leading_bits_);
  }

  Block* adopt(Ref<Block> base, std::size_t) override {
    auto* block = new Block;
    block->allocation = base->allocation;
    block->offset = base->offset;
    block->capacity = base->size;
    block->timeline = std::move(base->timeline);
    block->base = std::move(base);
    return block;
  }

  Block* take_whole() override {
    for (; held_blocks_ > 0; whole_from_ = (whole_from_ + 1) % bins_.size()) {
      Bin& bin = bins_[whole_from_];
      if (!bin.lanes.empty()) return pop(bin, bin.lanes.back());
    }
    return nullptr;
  }

  std::size_t held_blocks() const override { return held_blocks_; }
  std::size_t held_bytes() const override { return held_bytes_; }
  std::size_t largest_hole() const override {
    for (std::size_t i = bins_.size(); i > 0; --i)
      if (!bins_[i - 1].lanes.empty()) return bin_capacity(i - 1, leading_bits_);
    return 0;
  }

 private:
  Block* pop(Bin& bin, Lane& lane) {
    Block* block = bin.pop(lane);
    --held_blocks_;
    held_bytes_ -= block->capacity;
    return block;
  }

  const unsigned leading_bits_;
  std::vector<Bin> bins_;
  std::size_t held_blocks_ = 0, held_bytes_ = 0;
  std::size_t whole_from_ = 0;  ///< where take_whole looks next
};

}  // namespace

std::size_t bin_of(std::size_t bytes, unsigned leading_bits) {
  const std::size_t top = std::max(bytes, min_capacity) - 1;
  const unsigned exponent = static_cast<unsigned>(std::bit_width(top)) - 1;
  return (std::size_t{exponent} << leading_bits) | ((top >> (exponent - leading_bits)) & ((1u << leading_bits) - 1));
}

std::size_t bin_capacity(std::size_t bin, unsigned leading_bits) {
  const std::size_t exponent = bin >> leading_bits;
  const std::size_t head = (std::size_t{1} << leading_bits) | (bin & ((1u << leading_bits) - 1));
  return (head + 1) << (exponent - leading_bits);
}

std::unique_ptr<FreeStore> bin_store(unsigned leading_bits) {
  return std::make_unique<BinStore>(std::min(leading_bits, max_leading_bits));
}

}  // namespace devarray
