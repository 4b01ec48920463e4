#include "engine/checks.hpp"

#include <algorithm>
#include <list>

#include "engine/flush.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

struct Flag {
  TimelinePtr timeline;  ///< of the queue
  Ref<Block> word;
  std::vector<std::string> uses;  ///< since the last look
};

/// The most recently used queues' flags. A flag that is waited for is never dropped unseen.
std::list<Flag>& flags() {
  static auto* all = new std::list<Flag>();  // not torn down after the drivers
  return *all;
}

constexpr std::size_t kQueues = 16;
constexpr std::size_t kUsesNamed = 3;

void write_zero(const Block& word, Queue& queue) {
  const std::int32_t zero = 0;
  queue.fill(*word.allocation, word.offset, &zero, sizeof zero, sizeof zero);
}

/// Looks at a flag whose queue has nothing left to do, or is gone: `reader` then stands in for it.
void look_at(Flag& flag, const QueuePtr& reader) {
  std::int32_t raised = 0;
  const Ref<Block> word = flag.word;
  const TimelinePtr timeline = flag.timeline;
  std::vector<std::string> uses = std::move(flag.uses);
  flag.uses.clear();
  {
    GilRelease unlocked;
    if (!timeline->open()) timeline->wait();
    reader->read(&raised, *word->allocation, word->offset, sizeof raised, true);
  }
  if (!raised) return;
  write_zero(*word, *reader);
  std::string text = "an index was out of bounds in ";
  for (std::size_t i = 0; i < std::min(uses.size(), kUsesNamed); ++i) text += (i ? "; or in " : "") + uses[i];
  if (uses.size() > kUsesNamed) text += "; or in a later one";
  throw IndexError(text + " (nothing outside the array was touched; the results hold arbitrary values there)");
}

/// A queue that can read the flag of one that is gone.
QueuePtr reader_of(const Flag& flag, const QueuePtr& nearest) {
  Device& device = flag.word->allocation->device();
  return nearest->device().get() == &device ? nearest : device.default_queue();
}

/// Flags of queues that are gone and not looked at yet: nobody will wait for such a queue, so that any wait does.
void look_at_orphans(const QueuePtr& nearest) {
  auto& all = flags();
  all.remove_if([](const Flag& f) { return !f.timeline->open() && f.uses.empty(); });
  for (;;) {
    const auto orphan =
        std::find_if(all.begin(), all.end(), [](const Flag& f) { return !f.timeline->open() && !f.uses.empty(); });
    if (orphan == all.end()) return;
    Flag flag = std::move(*orphan);
    all.erase(orphan);
    look_at(flag, reader_of(flag, nearest));
  }
}

Flag& flag_of(const PlaceRef& place) {
  auto& all = flags();
  const TimelinePtr& timeline = place->queue->timeline();
  const auto find = [&] { return std::find_if(all.begin(), all.end(), [&](const Flag& f) { return f.timeline == timeline; }); };
  if (const auto found = find(); found != all.end()) {
    all.splice(all.begin(), all, found);
    return all.front();
  }
  if (all.size() >= kQueues) {
    look_at_orphans(place->queue);
    if (!all.empty() && all.size() >= kQueues && all.back().uses.empty()) all.pop_back();
  }
  const PlaceRef at(new Place(place->queue, default_resource(place->device)));
  const Ref<Block> word = allocate_storage(at, sizeof(std::int32_t))->block;
  if (const auto found = find(); found != all.end()) return *found;  // another thread ran meanwhile
  all.push_front({timeline, word, {}});
  write_zero(*all.front().word, *place->queue);
  return all.front();
}

}  // namespace

NodeRef index_flag(const PlaceRef& place, const std::string& what) {
  Flag& flag = flag_of(place);
  if (flag.uses.size() <= kUsesNamed) flag.uses.push_back(what);
  const StorageRef storage(new Storage(flag.word, place));
  return Node::leaf(storage, DType::int32, Dims{1}, Dims{sizeof(std::int32_t)}, 0);
}

void check_indices(const QueuePtr& queue) {
  auto& all = flags();
  const auto own = std::find_if(all.begin(), all.end(), [&](const Flag& f) { return f.timeline == queue->timeline(); });
  if (own != all.end() && !own->uses.empty()) look_at(*own, queue);
  look_at_orphans(queue);
}

}  // namespace devarray
