// Where new arrays live: the innermost `with devarray.use`, or the process's default.
#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"

namespace devarray {
namespace {

thread_local std::vector<PlaceRef> place_stack;
PlaceRef default_place_ref;
std::uint64_t default_place_changes = 0;  ///< of the default resources, when it was made

}  // namespace

PlaceRef default_place() {
  if (!place_stack.empty()) return place_stack.back();
  if (!default_place_ref || default_place_changes != default_resource_changes()) {
    const auto pair =
        without_unwinding([] { return py::handle(hooks().default_place)(); }).cast<std::pair<QueuePtr, ResourcePtr>>();
    default_place_changes = default_resource_changes();
    default_place_ref = PlaceRef(new Place(pair.first, pair.second));
  }
  return default_place_ref;
}

PlaceRef place_for(const QueuePtr& queue, const ResourcePtr& allocator) {
  if (!queue && !allocator) return default_place();
  const PlaceRef current = default_place();
  if (queue && allocator) return PlaceRef(new Place(queue, allocator));
  if (queue) {
    if (queue->device() == current->device) return PlaceRef(new Place(queue, current->resource));
    return PlaceRef(new Place(queue, default_resource(queue->device())));
  }
  if (allocator->device() == current->device) return PlaceRef(new Place(current->queue, allocator));
  return PlaceRef(new Place(allocator->device()->default_queue(), allocator));
}

void bind_engine_places(py::module_& m) {
  m.def("push_place", [](const QueuePtr& q, const ResourcePtr& a) { place_stack.push_back(place_for(q, a)); });
  m.def("pop_place", [] { place_stack.pop_back(); });
  m.def("device_of", [](const QueuePtr& q, const ResourcePtr& a) {
    return q ? q->device() : a ? a->device() : default_place()->device;
  });
  m.def("current_place", [] {
    const PlaceRef p = default_place();
    return py::make_tuple(p->device, p->queue, p->resource);
  });
  m.def(
      "require_room",
      [](const py::int_& nbytes, const QueuePtr& queue, const ResourcePtr& allocator) {
        int beyond = 0;
        const long long asked = PyLong_AsLongLongAndOverflow(nbytes.ptr(), &beyond);
        const PlaceRef place = place_for(queue, allocator);
        if (beyond > 0)
          throw ShapeError("no array has " + std::string(py::str(nbytes)) + " bytes; the most are 2**63 - 1");
        if (asked > 0) place->device->require_room(place->resource->kind(), static_cast<std::size_t>(asked));
      },
      py::arg("nbytes"), py::arg("queue") = py::none(), py::arg("allocator") = py::none(),
      "Refuses more bytes in one piece than the place could ever hold, before anything is done for them.");
}

}  // namespace devarray
