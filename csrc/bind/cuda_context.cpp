// Raw devices, contexts, streams and events, under PyCUDA's names.
#include <pybind11/operators.h>

#include "bind/cuda_common.hpp"
#include "bind/keep.hpp"
#include "cuda/context.hpp"
#include "cuda/event.hpp"
#include "cuda/graph.hpp"

namespace devarray::cuda {
namespace {

// A device of the driver, before any context.
struct RawDevice {
  CUdevice handle = 0;
  bool operator==(const RawDevice&) const = default;

  static RawDevice by_number(int number) {
    RawDevice device;
    const CUresult result = api().cuDeviceGet.status(&device.handle, number);
    if (result == CUDA_ERROR_INVALID_DEVICE)
      fail(result, "cuDeviceGet", "no device has number " + std::to_string(number) + "; there are " +
                                      std::to_string(count()));
    if (result != CUDA_SUCCESS) fail(result, "cuDeviceGet");
    return device;
  }
  static RawDevice by_bus_id(const std::string& bus_id) {
    RawDevice device;
    api().cuDeviceGetByPCIBusId(&device.handle, bus_id.c_str());
    return device;
  }
  static int count() {
    int n = 0;
    api().cuDeviceGetCount(&n);
    return n;
  }
  int attribute(int which) const {
    int value = 0;
    api().cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(which), handle);
    return value;
  }
  std::string name() const {
    char text[256] = {};
    api().cuDeviceGetName(text, sizeof text - 1, handle);
    return text;
  }
  std::string bus_id() const {
    char text[64] = {};
    api().cuDeviceGetPCIBusId(text, sizeof text - 1, handle);
    return text;
  }
  std::size_t total_memory() const {
    std::size_t bytes = 0;
    api().cuDeviceTotalMem_v2(&bytes, handle);
    return bytes;
  }
  py::bytes uuid() const {
    CUuuid id{};
    api().cuDeviceGetUuid_v2(&id, handle);
    return py::bytes(id.bytes, sizeof id.bytes);
  }
  bool can_access_peer(const RawDevice& other) const {
    int yes = 0;
    api().cuDeviceCanAccessPeer(&yes, handle, other.handle);
    return yes != 0;
  }
  // PyCUDA's way of reading attributes: dev.clock_rate.
  int lower_case_attribute(const std::string& name) const {
    py::str upper = py::str(name).attr("upper")();
    py::object members = python_class("devarray.cuda.constants", "device_attribute").attr("__members__");
    if (!members.contains(upper)) throw py::attribute_error("a CUDA Device has no attribute '" + name + "'");
    return attribute(py::cast<int>(members[upper]));
  }
};

void bind_device(py::module_& m) {
  py::class_<RawDevice>(m, "Device", "A CUDA device, by its number or its PCI bus id.")
      .def(py::init(&RawDevice::by_number), py::arg("number"))
      .def(py::init(&RawDevice::by_bus_id), py::arg("pci_bus_id"))
      .def_static("count", &RawDevice::count, "The number of CUDA devices.")
      .def("name", &RawDevice::name)
      .def("pci_bus_id", &RawDevice::bus_id)
      .def("uuid", &RawDevice::uuid, "The device's 16-byte identity.")
      .def("compute_capability",
           [](const RawDevice& d) {
             return py::make_tuple(d.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                   d.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
           }, "(major, minor)")
      .def("total_memory", &RawDevice::total_memory, "Bytes of memory on the device.")
      .def("get_attribute", &RawDevice::attribute, py::arg("attr"), "The value of a device_attribute.")
      .def("get_attributes",
           [](const RawDevice& d) {
             py::dict all;
             for (py::handle member : items_of(python_class("devarray.cuda.constants", "device_attribute"))) {
               int value = 0;
               const auto which = static_cast<CUdevice_attribute>(py::cast<int>(member));
               // A driver older than the list does not know its last members.
               if (api().cuDeviceGetAttribute.status(&value, which, d.handle) == CUDA_SUCCESS)
                 all[member] = value;
             }
             return all;
           }, "All attributes the driver knows, as a dict by device_attribute.")
      .def("make_context",
           [](const RawDevice& d, unsigned flags) { return Context::create(d.handle, flags); },
           py::arg("flags") = 0u, release_gil(), "A new context on this device, made current.")
      .def("retain_primary_context", [](const RawDevice& d) { return Context::retain_primary(d.handle); },
           release_gil(), "The device's primary context, in which devarray's arrays live; not made current.")
      .def("can_access_peer", &RawDevice::can_access_peer, py::arg("dev"))
      .def_property_readonly("handle", [](const RawDevice& d) { return d.handle; })
      .def("__getattr__", &RawDevice::lower_case_attribute)
      .def("__eq__", [](const RawDevice& a, const RawDevice& b) { return a == b; }, py::is_operator())
      .def("__hash__", [](const RawDevice& d) { return d.handle; })
      .def("__repr__", [](const RawDevice& d) {
        return "<devarray.cuda.Device " + std::to_string(d.handle) + " " + d.name() + ">";
      });
}

template <class Value, class Entry>
Value ask(const Entry& entry) {
  Value value{};
  entry(&value);
  return value;
}

// As a method it is about two contexts; called on the class, as PyCUDA has it, about the current one and its argument.
template <class Change>
void change_peer_access(const Context& self, const Context* peer, Change change) {
  if (!peer) return change(self.handle());
  Current current(self);
  change(peer->handle());
}

// An int of the driver as a member of a class of devarray.cuda.constants.
py::object constant(const char* name, int value) { return python_class("devarray.cuda.constants", name)(value); }

void bind_context(py::module_& m) {
  py::class_<Context, ContextPtr>(m, "Context", "A CUDA context. Made by Device.make_context or "
                                  "Device.retain_primary_context.")
      .def("push", &Context::push, "Make it current in this thread, on top of the present one.")
      .def_static("pop", &Context::pop, "Make the context below the current one current again.")
      .def("detach", &Context::detach, release_gil(),
           "Pop it if current; destroy it, and what lives in it, if make_context made it.")
      .def_static("get_current", &Context::current_or_null, "The current context, or None.")
      .def_static("get_device", [] {
        RawDevice device;
        api().cuCtxGetDevice(&device.handle);
        return device;
      })
      .def_static("synchronize", [] { api().cuCtxSynchronize(); }, release_gil(),
                  "Wait for all work of the current context.")
      .def_static("set_limit", [](int limit, std::size_t value) {
        api().cuCtxSetLimit(static_cast<CUlimit>(limit), value);
      }, py::arg("limit"), py::arg("value"))
      .def_static("get_limit", [](int limit) {
        std::size_t value = 0;
        api().cuCtxGetLimit(&value, static_cast<CUlimit>(limit));
        return value;
      }, py::arg("limit"))
      .def_static("set_cache_config", [](int config) {
        api().cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config));
      }, py::arg("cc"))
      .def_static("get_cache_config", [] {
        return constant("func_cache", ask<CUfunc_cache>(api().cuCtxGetCacheConfig));
      })
      .def_static("set_shared_config", [](int config) {
        api().context_set_shared_config(static_cast<CUsharedconfig>(config));
      }, py::arg("sc"), "Without effect since Volta, whose shared memory has one bank size.")
      .def_static("get_shared_config",
                  [] { return constant("shared_config", ask<CUsharedconfig>(api().context_get_shared_config)); })
      .def_static("get_stream_priority_range", [] {
        int least = 0, greatest = 0;
        api().cuCtxGetStreamPriorityRange(&least, &greatest);
        return py::make_tuple(least, greatest);
      }, "(least, greatest): the greatest priority has the lower number.")
      .def("get_api_version", [](const Context& c) {
        unsigned version = 0;
        api().cuCtxGetApiVersion(c.handle(), &version);
        return version;
      })
      .def("enable_peer_access", [](const Context& self, const Context* peer, unsigned flags) {
        change_peer_access(self, peer, [flags](CUcontext other) { api().cuCtxEnablePeerAccess(other, flags); });
      }, py::arg("peer") = py::none(), py::arg("flags") = 0u,
         "Let this context reach the memory of `peer`. Context.enable_peer_access(peer) does it for the current one.")
      .def("disable_peer_access", [](const Context& self, const Context* peer, unsigned) {
        change_peer_access(self, peer, [](CUcontext other) { api().cuCtxDisablePeerAccess(other); });
      }, py::arg("peer") = py::none(), py::arg("flags") = 0u)
      .def_property_readonly("handle", [](const Context& c) { return reinterpret_cast<std::uintptr_t>(c.handle()); })
      .def_property_readonly("device", [](const Context& c) { return RawDevice{c.device()}; })
      .def("__eq__", [](const Context& a, const Context& b) { return a.handle() == b.handle(); }, py::is_operator())
      .def("__hash__", [](const Context& c) { return reinterpret_cast<std::uintptr_t>(c.handle()); })
      .def("__repr__", [](const Context& c) {
        return std::string("<devarray.cuda.Context ") + (c.is_primary() ? "primary, " : "") + "device " +
               std::to_string(c.device()) + ">";
      });
}

// devarray.cuda.Stream(flags, priority), or one around the handle of somebody else's stream, which `owner` keeps alive.
std::shared_ptr<Stream> make_stream(unsigned flags, int priority) {
  return Stream::create(Context::current(), flags, priority);
}

void bind_stream(py::module_& m) {
  py::class_<Stream, Queue, std::shared_ptr<Stream>>(m, "Stream", "A queue of work that runs in order.")
      .def(py::init(&make_stream), py::arg("flags") = 0u, py::arg("priority") = 0)
      .def_static("from_handle", [](const py::object& stream, const py::object& owner) {
        return Stream::external(Context::current(), stream_handle(stream), keep_object(py::make_tuple(stream, owner)));
      }, py::arg("stream"), py::arg("owner") = py::none(),
         "A stream made elsewhere: an integer handle, or an object with __cuda_stream__.")
      .def_property_readonly("serial", [](const Stream& s) { return s.owned() ? s.serial() : 0; },
                             "A number that no other stream has or had; 0 for one that somebody else made.")
      .def("synchronize", &Stream::finish, release_gil(), "Wait for all work of this stream.")
      .def("is_done", &Stream::idle, release_gil(), "Whether all work of this stream is finished.")
      .def("wait_for_event", [](Stream& s, Event& event) { s.wait_event(event); }, py::arg("evt"),
           "Let work enqueued from now on wait for the event.")
      .def("begin_capture", [](Stream& s, int mode) {
        Graph::begin_capture(s, static_cast<CUstreamCaptureMode>(mode));
      }, py::arg("mode") = static_cast<int>(CU_STREAM_CAPTURE_MODE_GLOBAL),
         "Record what is enqueued from now on instead of running it.")
      .def("end_capture", &Graph::end_capture, "Stop recording; returns the Graph.")
      .def_property_readonly("is_capturing", &Graph::capturing)
      .def_property_readonly("priority", &Stream::priority)
      .def_property_readonly("context", &Stream::context)
      .def("__cuda_stream__", [](const Stream& s) { return py::make_tuple(0, s.handle()); })
      .def("__int__", &Stream::handle)
      .def("__eq__", [](const Stream& a, const Stream& b) { return a.raw() == b.raw(); }, py::is_operator())
      .def("__hash__", &Stream::handle)
      .def("__repr__", [](const Stream& s) {
        return "<devarray.cuda.Stream " + std::to_string(s.handle()) + " on device " +
               std::to_string(s.context()->device()) + ">";
      });
}

void bind_event(py::module_& m) {
  py::class_<Event, devarray::Event, std::shared_ptr<Event>>(m, "Event", "A mark in a stream's work.")
      .def(py::init([](unsigned flags) { return Event::create(Context::current(), flags); }), py::arg("flags") = 0u)
      .def("record", [](const py::object& self, const py::object& stream) {
        self.cast<Event&>().record(stream_handle(stream));
        return self;
      }, py::arg("stream") = py::none(), "Put the mark behind the stream's present work; returns the event.")
      .def("synchronize", [](const py::object& self) {
        auto& event = self.cast<Event&>();
        {
          GilRelease release;
          event.wait();
        }
        return self;
      }, "Wait until the mark is reached; returns the event.")
      .def("query", &Event::done, release_gil(), "Whether the mark is reached.")
      .def("time_since", [](const Event& end, const Event& start) { return end.milliseconds_since(start); },
           py::arg("event"), "Milliseconds from `event` to this one.")
      .def("time_till", [](const Event& start, const Event& end) { return end.milliseconds_since(start); },
           py::arg("event"), "Milliseconds from this event to `event`.")
      .def("ipc_handle", [](const Event& e) { return py::bytes(e.ipc_handle()); })
      .def_static("from_ipc_handle", [](const py::bytes& handle) {
        return Event::from_ipc(Context::current(), handle);
      }, py::arg("handle"))
      .def_property_readonly("handle", [](const Event& e) { return reinterpret_cast<std::uintptr_t>(e.handle()); })
      .def("__repr__", [](const Event& e) {
        return "<devarray.cuda.Event on device " + std::to_string(e.context()->device()) + ">";
      });
}

}  // namespace

void bind_contexts(py::module_& m) {
  bind_device(m);
  bind_context(m);
  bind_event(m);
  bind_stream(m);
}

}  // namespace devarray::cuda
