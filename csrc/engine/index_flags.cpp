#include "engine/index_flags.hpp"

#include <algorithm>
#include <deque>
#include <list>

#include "engine/allocate.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/lock.hpp"

namespace devarray {
namespace {

/// As kernels write it: `index` by codegen/kernels/cooperation.py, the rest by codegen/language/bounds.py.
struct Report {
  std::int32_t index = 0;   ///< number of the index array, from 1, that was out of bounds
  std::int32_t access = 0;  ///< 1 where an access was out of bounds: then the rest describes the first one
  std::int64_t launch = 0, site = 0, memory = 0, at = 0, bytes = 0, begin = 0, end = 0;
};

/// Behind the report lies memory that accesses out of bounds go to instead, as much as the widest one needs.
constexpr std::int64_t kReportBytes = 256;

struct Launch {
  std::int64_t number;
  std::string what;
};

/// A queue's report.
struct Watch {
  TimelinePtr timeline;  ///< of the queue
  Ref<Block> report;
  std::vector<std::string> uses;  ///< of Report::index since the last look
  std::deque<Launch> launches;    ///< checked ones since the last look

  bool idle() const { return uses.empty() && launches.empty(); }
};

/// The most recently used queues' reports. One that is waited for is never dropped unseen.
std::list<Watch>& watches() {
  static auto* all = new std::list<Watch>();  // not torn down after the drivers
  return *all;
}

constexpr std::size_t kQueues = 16;
constexpr std::size_t kUsesNamed = 3;
constexpr std::size_t kLaunchesNamed = 4096;

void clear(const Block& report, Queue& queue) {
  const std::int32_t zero = 0;
  queue.fill(*report.allocation, report.offset, &zero, sizeof zero, sizeof(Report));
}

std::string text_of(const Report& r, const std::deque<Launch>& launches) {
  std::string kernel = "a kernel launched long before";
  for (const Launch& l : launches)
    if (l.number == r.launch) kernel = l.what;
  const auto site = static_cast<std::uint32_t>(r.site);
  const std::string where = build_hooks().explain_access ? build_hooks().explain_access(site) : std::string();
  return kernel + " reached out of bounds: memory argument m" + std::to_string(r.memory) + ", bytes " +
         std::to_string(r.at - r.begin) + " to " + std::to_string(r.at - r.begin + r.bytes) + " of " +
         std::to_string(r.end - r.begin) + (where.empty() ? "" : ", in " + where) +
         " (the access was left out; the results of this launch and of what followed it hold arbitrary values)";
}

/// Looks at the report of a queue that has nothing left to do, or is gone: `reader` then stands in for it.
void look_at(Watch& watch, const QueuePtr& reader) {
  Report report;
  const std::size_t bytes = watch.launches.empty() ? sizeof report.index : sizeof report;
  const Ref<Block> block = watch.report;
  const TimelinePtr timeline = watch.timeline;
  // A use that is recorded and not launched yet (take.hpp) holds the report beside the watch and this function.
  const bool all_launched = block->use_count() <= 2;
  const std::vector<std::string> uses = watch.uses;
  const std::deque<Launch> launches = std::move(watch.launches);
  if (all_launched) watch.uses.clear();
  watch.launches.clear();
  {
    GilRelease unlocked;
    if (!timeline->open()) timeline->wait();
    reader->read(&report, *block->allocation, block->offset, bytes, true);
  }
  if (!report.index && !report.access) return;
  clear(*block, *reader);
  if (report.access) throw Error(text_of(report, launches));
  std::string text = "an index was out of bounds in ";
  for (std::size_t i = 0; i < std::min(uses.size(), kUsesNamed); ++i) text += (i ? "; or in " : "") + uses[i];
  if (uses.size() > kUsesNamed) text += "; or in a later one";
  throw IndexError(text + " (nothing outside the array was touched; the results hold arbitrary values there)");
}

/// A queue that can read the report of one that is gone.
QueuePtr reader_of(const Watch& watch, const QueuePtr& nearest) {
  Device& device = watch.report->allocation->device();
  return nearest->device().get() == &device ? nearest : device.default_queue();
}

/// Reports of queues that are gone and not looked at yet: nobody will wait for such a queue, so that any wait does.
void look_at_orphans(const QueuePtr& nearest) {
  auto& all = watches();
  all.remove_if([](const Watch& w) { return !w.timeline->open() && w.idle(); });
  for (;;) {
    const auto orphan =
        std::find_if(all.begin(), all.end(), [](const Watch& w) { return !w.timeline->open() && !w.idle(); });
    if (orphan == all.end()) return;
    Watch watch = std::move(*orphan);
    all.erase(orphan);
    look_at(watch, reader_of(watch, nearest));
  }
}

Watch& watch_of(const PlaceRef& place) {
  auto& all = watches();
  const TimelinePtr& timeline = place->queue->timeline();
  const auto find = [&] {
    return std::find_if(all.begin(), all.end(), [&](const Watch& w) { return w.timeline == timeline; });
  };
  if (const auto found = find(); found != all.end()) {
    all.splice(all.begin(), all, found);
    return all.front();
  }
  if (all.size() >= kQueues) {
    look_at_orphans(place->queue);
    if (all.size() >= kQueues && all.back().idle()) all.pop_back();
  }
  const PlaceRef at(new Place(place->queue, default_resource(place->device)));
  const Ref<Block> report = allocate_storage(at, kReportBytes)->block;
  if (const auto found = find(); found != all.end()) return *found;  // another thread ran meanwhile
  all.push_front({timeline, report, {}, {}});
  clear(*all.front().report, *place->queue);
  return all.front();
}

}  // namespace

NodeRef index_flag(const PlaceRef& place, const std::string& what) {
  Watch& watch = watch_of(place);
  if (watch.uses.size() <= kUsesNamed) watch.uses.push_back(what);
  const StorageRef storage(new Storage(watch.report, place));
  return Node::leaf(storage, DType::int32, Dims{1}, Dims{sizeof(std::int32_t)}, 0);
}

void check_indices(const QueuePtr& queue) {
  auto& all = watches();
  const auto own =
      std::find_if(all.begin(), all.end(), [&](const Watch& w) { return w.timeline == queue->timeline(); });
  if (own != all.end() && !own->idle()) look_at(*own, queue);
  look_at_orphans(queue);
}

BoundsArguments bounds_of(const Place& place, std::string what, const std::vector<const Block*>& blocks,
                          const MemoryArg* memory) {
  static std::int64_t number = 0;  // the engine's lock is held
  const PlaceRef at(new Place(place.queue, place.resource));
  Watch& watch = watch_of(at);
  watch.launches.push_back({++number, std::move(what)});
  if (watch.launches.size() > kLaunchesNamed) watch.launches.pop_front();
  const Block& report = *watch.report;
  BoundsArguments more{{report.allocation->handle(), report.allocation->is_buffer()},
                       {static_cast<std::int64_t>(report.offset), number}};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = *blocks[i];
    std::int64_t begin = 0, size = 0;
    if (block.allocation) {
      const char* start = static_cast<const char*>(block.allocation->handle());
      const auto moved = memory[i].is_buffer ? 0 : start - static_cast<const char*>(memory[i].handle);
      begin = moved + static_cast<std::int64_t>(block.offset);
      size = static_cast<std::int64_t>(block.size);
    }
    more.slots.push_back(begin);
    more.slots.push_back(begin + size);
  }
  return more;
}

}  // namespace devarray
