#include "engine/checks.hpp"

#include <algorithm>
#include <list>

#include "engine/flush.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

struct Flag {
  QueuePtr queue;
  NodeRef word;
  std::vector<std::string> uses;  ///< since the last look
};

/// The most recently used queues' flags. A flag that is waited for is never dropped.
std::list<Flag>& flags() {
  static auto* all = new std::list<Flag>();  // not torn down after the drivers
  return *all;
}

constexpr std::size_t kQueues = 16;
constexpr std::size_t kUsesNamed = 3;

void write_zero(const Node& word) {
  const std::int32_t zero = 0;
  const Block& block = *word.storage->block;
  word.place->queue->fill(*block.allocation, block.offset, &zero, sizeof zero, sizeof zero);
}

Flag& flag_of(const PlaceRef& place) {
  auto& all = flags();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Flag& f) { return f.queue == place->queue; });
  if (found != all.end()) {
    all.splice(all.begin(), all, found);
    return all.front();
  }
  const PlaceRef at(new Place(place->queue, default_resource(place->device)));
  all.push_front({place->queue, empty(at, DType::int32, Dims{1}), {}});
  write_zero(*all.front().word);
  if (all.size() > kQueues && all.back().uses.empty()) all.pop_back();
  return all.front();
}

}  // namespace

NodeRef index_flag(const PlaceRef& place, const std::string& what) {
  Flag& flag = flag_of(place);
  if (flag.uses.size() <= kUsesNamed) flag.uses.push_back(what);
  return flag.word;
}

void check_indices(const QueuePtr& queue) {
  for (Flag& flag : flags()) {
    if (flag.queue != queue || flag.uses.empty()) continue;
    std::int32_t raised = 0;
    const Block& block = *flag.word->storage->block;
    {
      GilRelease unlocked;
      queue->read(&raised, *block.allocation, block.offset, sizeof raised, true);
    }
    const std::vector<std::string> uses = std::move(flag.uses);
    flag.uses.clear();
    if (!raised) return;
    write_zero(*flag.word);
    std::string text = "an index was out of bounds in ";
    for (std::size_t i = 0; i < std::min(uses.size(), kUsesNamed); ++i) text += (i ? "; or in " : "") + uses[i];
    if (uses.size() > kUsesNamed) text += "; or in a later one";
    throw IndexError(text + " (nothing outside the array was touched; the results hold arbitrary values there)");
  }
}

}  // namespace devarray
