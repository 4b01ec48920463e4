// The adaptors that watch or react, and the Python that they call.
#include "memory/statistics.hpp"

#include "bind/docs/memory_statistics.hpp"
#include "bind/memory/callback.hpp"
#include "bind/memory/memory.hpp"
#include "memory/block_record.hpp"

namespace devarray {
namespace {

using namespace py::literals;

/// The Python stack of the calling thread, as traceback prints it.
std::string python_stack() {
  GilAcquire gil;
  const py::object lines = py::module_::import("traceback").attr("format_stack")();
  return py::str("").attr("join")(lines).cast<std::string>();
}

/// A Python callable as a std::function that takes the GIL, also to let go of it.
std::shared_ptr<py::object> hold(py::object object) {
  return std::shared_ptr<py::object>(new py::object(std::move(object)), [](py::object* held) {
    if (shutting_down() || !Py_IsInitialized()) return;
    GilAcquire gil;
    delete held;
  });
}

void bind_tracking(py::module_& m) {
  py::class_<TrackingResource, MemoryResource, std::shared_ptr<TrackingResource>>(m, "TrackingResourceAdaptor",
                                                                                  docs::kTrackingResourceAdaptor)
      .def(py::init([](ResourcePtr upstream, bool stacks) {
             return std::make_shared<TrackingResource>(
                 std::move(upstream), stacks ? TrackingResource::Describe(python_stack) : TrackingResource::Describe());
           }),
           "upstream"_a.none(false), "capture_stacks"_a = false)
      .def(
          "get_outstanding_allocations",
          [](const TrackingResource& r) {
            py::list list;
            for (const auto& e : r.outstanding())
              list.append(
                  py::dict("address"_a = e.address, "nbytes"_a = e.bytes, "number"_a = e.number, "stack"_a = e.place));
            return list;
          },
          docs::kTrackingResourceAdaptorGetOutstandingAllocations)
      .def(
          "get_outstanding_allocations_str",
          [](const TrackingResource& r) {
            std::string text;
            for (const auto& e : r.outstanding())
              text += "allocation " + std::to_string(e.number) + ": " + std::to_string(e.bytes) + " bytes\n" + e.place;
            return text;
          },
          docs::kTrackingResourceAdaptorGetOutstandingAllocationsStr)
      .def_property_readonly("allocated_bytes", &TrackingResource::allocated_bytes, "Bytes in use.");
}

void bind_logging(py::module_& m) {
  py::class_<LoggingResource, MemoryResource, std::shared_ptr<LoggingResource>>(m, "LoggingResourceAdaptor",
                                                                                docs::kLoggingResourceAdaptor)
      .def(py::init([](ResourcePtr upstream, const py::object& path) {
             const auto name = py::module_::import("os").attr("fspath")(path).cast<std::string>();
             return std::make_shared<LoggingResource>(std::move(upstream), name);
           }),
           "upstream"_a.none(false), "log_file_name"_a)
      .def_property_readonly("log_file_name", &LoggingResource::path)
      .def("flush", &LoggingResource::flush, release_gil(), docs::kLoggingResourceAdaptorFlush);
}

void bind_reactions(py::module_& m) {
  py::class_<FailureCallbackResource, MemoryResource, std::shared_ptr<FailureCallbackResource>>(
      m, "FailureCallbackResourceAdaptor", docs::kFailureCallbackResourceAdaptor)
      .def(py::init([](ResourcePtr upstream, py::object callback) {
             if (!PyCallable_Check(callback.ptr()))
               throw ValueError("callback is " + py::repr(callback).cast<std::string>() + "; it must be callable");
             return std::make_shared<FailureCallbackResource>(std::move(upstream),
                                                              [held = hold(std::move(callback))](std::size_t bytes) {
                                                                GilAcquire gil;
                                                                return (*held)(bytes).template cast<bool>();
                                                              });
           }),
           "upstream"_a.none(false), "callback"_a);

  py::class_<PrefetchResource, MemoryResource, std::shared_ptr<PrefetchResource>>(m, "PrefetchResourceAdaptor",
                                                                                  docs::kPrefetchResourceAdaptor)
      .def(py::init<ResourcePtr>(), "upstream"_a.none(false));
}

void bind_record(py::module_& m) {
  m.def("start_block_record", &start_block_record);
  m.def("stop_block_record", &stop_block_record);
  m.def("recording_blocks", &recording_blocks);
  m.def(
      "living_blocks",
      [] {
        py::list out;
        for (const LivingBlock& b : living_blocks())
          out.append(py::make_tuple(b.number, b.line, b.seconds, b.device, b.resource, b.kind, b.address, b.bytes,
                                    b.capacity));
        return out;
      },
      "living_blocks(): (number, line, seconds, device, resource, kind, address, nbytes, capacity) of each.");
  m.def(
      "block_events",
      [] {
        py::list out;
        for (const BlockEvent& e : block_events()) out.append(py::make_tuple(e.seconds, e.bytes, e.number));
        return out;
      },
      "block_events(): (seconds, bytes, number) of each allocation and, with negative bytes, each end.");
}

}  // namespace

void bind_memory_statistics(py::module_& m) {
  bind_record(m);
  bind_tracking(m);
  bind_logging(m);
  bind_reactions(m);
}

}  // namespace devarray
