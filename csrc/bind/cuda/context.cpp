// Raw devices, contexts, streams and events, under PyCUDA's names.
#include "cuda/context.hpp"

#include <pybind11/operators.h>

#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_context.hpp"
#include "bind/docs/cuda_device.hpp"
#include "bind/docs/cuda_stream.hpp"
#include "bind/python/keep.hpp"
#include "cuda/event.hpp"
#include "cuda/graph.hpp"
#include "engine/mirror.hpp"

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
      fail(result, "cuDeviceGet",
           "no device has number " + std::to_string(number) + "; there are " + std::to_string(count()));
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
  py::class_<RawDevice>(m, "Device", docs::kDevice)
      .def(py::init(&RawDevice::by_number), py::arg("number"))
      .def(py::init(&RawDevice::by_bus_id), py::arg("pci_bus_id"))
      .def_static("count", &RawDevice::count, docs::kDeviceCount)
      .def("name", &RawDevice::name, docs::kDeviceName)
      .def("pci_bus_id", &RawDevice::bus_id, docs::kDevicePciBusId)
      .def("uuid", &RawDevice::uuid, docs::kDeviceUuid)
      .def(
          "compute_capability",
          [](const RawDevice& d) {
            return py::make_tuple(d.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                                  d.attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
          },
          docs::kDeviceComputeCapability)
      .def("total_memory", &RawDevice::total_memory, docs::kDeviceTotalMemory)
      .def("get_attribute", &RawDevice::attribute, py::arg("attr"), docs::kDeviceGetAttribute)
      .def(
          "get_attributes",
          [](const RawDevice& d) {
            py::dict all;
            for (py::handle member : items_of(python_class("devarray.cuda.constants", "device_attribute"))) {
              int value = 0;
              const auto which = static_cast<CUdevice_attribute>(py::cast<int>(member));
              // A driver older than the list does not know its last members.
              if (api().cuDeviceGetAttribute.status(&value, which, d.handle) == CUDA_SUCCESS) all[member] = value;
            }
            return all;
          },
          docs::kDeviceGetAttributes)
      .def(
          "make_context", [](const RawDevice& d, unsigned flags) { return Context::create(d.handle, flags); },
          py::arg("flags") = 0u, release_gil(), docs::kDeviceMakeContext)
      .def(
          "retain_primary_context", [](const RawDevice& d) { return Context::retain_primary(d.handle); }, release_gil(),
          docs::kDeviceRetainPrimaryContext)
      .def("can_access_peer", &RawDevice::can_access_peer, py::arg("dev"), docs::kDeviceCanAccessPeer)
      .def_property_readonly("handle", [](const RawDevice& d) { return d.handle; })
      .def("__getattr__", &RawDevice::lower_case_attribute)
      .def(
          "__eq__", [](const RawDevice& a, const RawDevice& b) { return a == b; }, py::is_operator())
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
  py::class_<Context, ContextPtr>(m, "Context", docs::kContext)
      .def("push", &Context::push, docs::kContextPush)
      .def_static("pop", &Context::pop, docs::kContextPop)
      .def("detach", &Context::detach, release_gil(), docs::kContextDetach)
      .def_static("get_current", &Context::current_or_null, docs::kContextGetCurrent)
      .def_static(
          "get_device",
          [] {
            RawDevice device;
            api().cuCtxGetDevice(&device.handle);
            return device;
          },
          docs::kContextGetDevice)
      .def_static(
          "synchronize", [] { api().cuCtxSynchronize(); }, release_gil(), docs::kContextSynchronize)
      .def_static(
          "set_limit", [](int limit, std::size_t value) { api().cuCtxSetLimit(static_cast<CUlimit>(limit), value); },
          py::arg("limit"), py::arg("value"), docs::kContextSetLimit)
      .def_static(
          "get_limit",
          [](int limit) {
            std::size_t value = 0;
            api().cuCtxGetLimit(&value, static_cast<CUlimit>(limit));
            return value;
          },
          py::arg("limit"), docs::kContextGetLimit)
      .def_static(
          "set_cache_config", [](int config) { api().cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config)); },
          py::arg("cc"), docs::kContextSetCacheConfig)
      .def_static(
          "get_cache_config", [] { return constant("func_cache", ask<CUfunc_cache>(api().cuCtxGetCacheConfig)); },
          docs::kContextGetCacheConfig)
      .def_static(
          "set_shared_config", [](int config) { api().context_set_shared_config(static_cast<CUsharedconfig>(config)); },
          py::arg("sc"), docs::kContextSetSharedConfig)
      .def_static(
          "get_shared_config",
          [] { return constant("shared_config", ask<CUsharedconfig>(api().context_get_shared_config)); },
          docs::kContextGetSharedConfig)
      .def_static(
          "get_stream_priority_range",
          [] {
            int least = 0, greatest = 0;
            api().cuCtxGetStreamPriorityRange(&least, &greatest);
            return py::make_tuple(least, greatest);
          },
          docs::kContextGetStreamPriorityRange)
      .def(
          "get_api_version",
          [](const Context& c) {
            unsigned version = 0;
            api().cuCtxGetApiVersion(c.handle(), &version);
            return version;
          },
          docs::kContextGetApiVersion)
      .def(
          "enable_peer_access",
          [](const Context& self, const Context* peer, unsigned flags) {
            change_peer_access(self, peer, [flags](CUcontext other) { api().cuCtxEnablePeerAccess(other, flags); });
          },
          py::arg("peer") = py::none(), py::arg("flags") = 0u, docs::kContextEnablePeerAccess)
      .def(
          "disable_peer_access",
          [](const Context& self, const Context* peer, unsigned) {
            change_peer_access(self, peer, [](CUcontext other) { api().cuCtxDisablePeerAccess(other); });
          },
          py::arg("peer") = py::none(), py::arg("flags") = 0u, docs::kContextDisablePeerAccess)
      .def_property_readonly("handle", [](const Context& c) { return reinterpret_cast<std::uintptr_t>(c.handle()); })
      .def_property_readonly("device", [](const Context& c) { return RawDevice{c.device()}; })
      .def(
          "__eq__", [](const Context& a, const Context& b) { return a.handle() == b.handle(); }, py::is_operator())
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
  py::class_<Stream, Queue, std::shared_ptr<Stream>>(m, "Stream", docs::kStream)
      .def(py::init(&make_stream), py::arg("flags") = 0u, py::arg("priority") = 0)
      .def_static(
          "from_handle",
          [](const py::object& stream, const py::object& owner) {
            return Stream::external(Context::current(), stream_handle(stream),
                                    keep_object(py::make_tuple(stream, owner)));
          },
          py::arg("stream"), py::arg("owner") = py::none(), docs::kStreamFromHandle)
      .def_property_readonly(
          "serial", [](const Stream& s) { return s.owned() ? s.serial() : 0; },
          "A number that no other stream has or had; 0 for one that somebody else made.")
      .def("synchronize", &Stream::finish, release_gil(), docs::kStreamSynchronize)
      .def("is_done", &Stream::idle, release_gil(), docs::kStreamIsDone)
      .def(
          "wait_for_event", [](Stream& s, Event& event) { s.wait_event(event); }, py::arg("evt"),
          docs::kStreamWaitForEvent)
      .def(
          "begin_capture",
          [](Stream& s, int mode) {
            stop_mirrors();
            Graph::begin_capture(s, static_cast<CUstreamCaptureMode>(mode));
          },
          py::arg("mode") = static_cast<int>(CU_STREAM_CAPTURE_MODE_GLOBAL), docs::kStreamBeginCapture)
      .def("end_capture", &Graph::end_capture, docs::kStreamEndCapture)
      .def_property_readonly("is_capturing", &Graph::capturing)
      .def_property_readonly("priority", &Stream::priority)
      .def_property_readonly("context", &Stream::context)
      .def("__cuda_stream__",
           [](const Stream& s) {
             stop_mirrors();
             return py::make_tuple(0, s.handle());
           })
      .def("__int__",
           [](const Stream& s) {
             stop_mirrors();
             return s.handle();
           })
      .def(
          "__eq__", [](const Stream& a, const Stream& b) { return a.raw() == b.raw(); }, py::is_operator())
      .def("__hash__", &Stream::handle)
      .def("__repr__", [](const Stream& s) {
        return "<devarray.cuda.Stream " + std::to_string(s.handle()) + " on device " +
               std::to_string(s.context()->device()) + ">";
      });
}

void bind_event(py::module_& m) {
  py::class_<Event, devarray::Event, std::shared_ptr<Event>>(m, "Event", docs::kEvent)
      .def(py::init([](unsigned flags) { return Event::create(Context::current(), flags); }), py::arg("flags") = 0u)
      .def(
          "record",
          [](const py::object& self, const py::object& stream) {
            self.cast<Event&>().record(stream_handle(stream));
            return self;
          },
          py::arg("stream") = py::none(), docs::kEventRecord)
      .def(
          "synchronize",
          [](const py::object& self) {
            auto& event = self.cast<Event&>();
            {
              GilRelease release;
              event.wait();
            }
            return self;
          },
          docs::kEventSynchronize)
      .def("query", &Event::done, release_gil(), docs::kEventQuery)
      .def(
          "time_since", [](const Event& end, const Event& start) { return end.milliseconds_since(start); },
          py::arg("event"), docs::kEventTimeSince)
      .def(
          "time_till", [](const Event& start, const Event& end) { return end.milliseconds_since(start); },
          py::arg("event"), docs::kEventTimeTill)
      .def(
          "ipc_handle", [](const Event& e) { return py::bytes(e.ipc_handle()); }, docs::kEventIpcHandle)
      .def_static(
          "from_ipc_handle", [](const py::bytes& handle) { return Event::from_ipc(Context::current(), handle); },
          py::arg("handle"), docs::kEventFromIpcHandle)
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
