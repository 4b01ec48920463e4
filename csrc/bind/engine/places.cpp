// The place of new arrays, for Python: `with devarray.use`, and what the default is.
#include "bind/engine/array.hpp"
#include "bind/memory/memory.hpp"
#include "bind/python/call.hpp"

namespace devarray {
namespace {

PlaceRef ask_for_default_place() {
  const auto pair = call_python(hooks().default_place).cast<std::pair<QueuePtr, ResourcePtr>>();
  return PlaceRef(new Place(pair.first, pair.second));
}

}  // namespace

void bind_engine_places(py::module_& m) {
  process_default_place = ask_for_default_place;
  m.def("push_place", [](const QueuePtr& q, const ResourcePtr& a) { push_place(place_for(q, a)); });
  m.def("pop_place", &pop_place);
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
