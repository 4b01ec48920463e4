// Queues, events, and host memory under transfers.
#include <cstdio>

#include "bind/docs/opencl_queue.hpp"
#include "bind/engine/recycle.hpp"
#include "bind/opencl/opencl.hpp"

namespace devarray::opencl {

std::string hex(const void* pointer) {
  char text[2 * sizeof pointer + 1];
  std::snprintf(text, sizeof text, "%zx", reinterpret_cast<std::size_t>(pointer));
  return text;
}

HostBuffer::HostBuffer(py::handle object, Access access, Layout layout) {
  int flags = layout == Layout::any ? PyBUF_STRIDES : PyBUF_ANY_CONTIGUOUS;
  if (access == Access::write) flags |= PyBUF_WRITABLE;
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) throw py::error_already_set();
}

HostBuffer::~HostBuffer() {
  if (!Py_IsInitialized()) return;
  GilAcquire gil;
  PyBuffer_Release(&view_);
}

NannyEvent::~NannyEvent() {
  if (!ward_ || shutting_down() || forked()) return;
  const cl_event event = get();
  if (PyGILState_Check()) {
    GilRelease release(GilRelease::HeldBack::stays);  // whose launch may fail
    table(event).clWaitForEvents(1, &event);
  } else {
    table(event).clWaitForEvents(1, &event);
  }
}

void NannyEvent::wait() {
  ClEvent::wait();
  ward_.reset();
}

std::vector<ClEventPtr> events_of(const CommandQueue& queue, py::handle wait_for) {
  warn_where_left(queue);
  return events_of(wait_for);
}

std::vector<ClEventPtr> events_of(py::handle wait_for) {
  std::vector<ClEventPtr> events;
  if (wait_for.is_none()) return events;
  for (py::handle event : items_of(wait_for)) {
    if (event.is_none()) throw py::type_error("wait_for holds None; events are wanted");
    events.push_back(event.cast<ClEventPtr>());
  }
  return events;
}

void warn_where_left(const CommandQueue& queue) {
  if (!queue.left()) return;
  const py::object category = py::module_::import("devarray.cl._errors").attr("CommandQueueUsedAfterExit");
  const char* text = "this CommandQueue is used after its with statement ended; use it inside, or make another one";
  if (PyErr_WarnEx(category.ptr(), text, 1) != 0) throw py::error_already_set();
}

PyObject* event_object(CommandQueue& queue, cl_event event) {
  queue.touch();
  if (PyObject* recycled = Recycler<ClEvent>::take()) {
    Recycler<ClEvent>::value(recycled).renew(Handle<cl_event>::adopt(event));
    return recycled;
  }
  return py::cast(std::make_shared<ClEvent>(Handle<cl_event>::adopt(event))).release().ptr();
}

ClEventPtr event_of(CommandQueue& queue, cl_event event) {
  queue.touch();
  return std::make_shared<ClEvent>(Handle<cl_event>::adopt(event));
}

namespace {

/// The callback's object, dropped with the GIL held whichever thread the driver calls from.
std::function<void(cl_int)> guarded_callback(py::function function) {
  auto held = std::shared_ptr<py::function>(new py::function(std::move(function)), [](py::function* f) {
    if (!Py_IsInitialized() || shutting_down()) return;  // leaked rather than touched without an interpreter
    GilAcquire gil;
    delete f;
  });
  return [held](cl_int status) {
    if (!Py_IsInitialized() || shutting_down()) return;
    GilAcquire gil;
    try {
      (*held)(status);
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("a callback of devarray.cl.Event");
    }
  };
}

struct ProfilingInfo {
  ClEventPtr event;
  cl_event get() const { return event->get(); }
};

void bind_events(py::module_& m) {
  py::class_<ClEvent, Event, ClEventPtr> cls(m, "Event", docs::kEvent);
  cls.def("wait", &ClEvent::wait, release_gil(), docs::kEventWait);
  cls.def(
      "set_callback",
      [](ClEvent& e, cl_int type, py::function callback) {
        std::function<void(cl_int)> guarded = guarded_callback(std::move(callback));
        GilRelease release;
        e.on_status(type, std::move(guarded));
      },
      py::arg("type"), py::arg("cb"), docs::kEventSetCallback);
  cls.def_property_readonly(
      "profile", [](const ClEventPtr& e) { return ProfilingInfo{e}; },
      "Times of the command in nanoseconds, on a queue that takes them.");
  cls.def(
      "get_profiling_info",
      [](const ClEvent& e, cl_uint param) {
        return info_value<cl_ulong>(DEVARRAY_CL_INFO(clGetEventProfilingInfo, e.get(), param),
                                    "clGetEventProfilingInfo");
      },
      py::arg("param"), docs::kEventGetProfilingInfo);
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto event = reinterpret_cast<cl_event>(p);
        return std::make_shared<ClEvent>(retain ? Handle<cl_event>::share(event) : Handle<cl_event>::adopt(event));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  def_info(cls, event_table(), DEVARRAY_CL_READER(ClEvent, clGetEventInfo));
  def_identity(cls);
  Recycler<ClEvent>::install(cls);

  py::class_<ProfilingInfo> profile(m, "ProfilingInfo", docs::kProfilingInfo);
  def_info(profile, profiling_table(), DEVARRAY_CL_READER(ProfilingInfo, clGetEventProfilingInfo));

  py::class_<NannyEvent, ClEvent, std::shared_ptr<NannyEvent>>(m, "NannyEvent", docs::kNannyEvent)
      .def(
          "get_ward", [](const NannyEvent& e) -> py::object { return e.ward() ? e.ward()->object() : py::none(); },
          docs::kNannyEventGetWard)
      .def("wait", &NannyEvent::wait, release_gil(), docs::kNannyEventWait);

  py::class_<UserEvent, ClEvent, std::shared_ptr<UserEvent>>(m, "UserEvent", docs::kUserEvent)
      .def(py::init([](const Context& context) { return std::make_shared<UserEvent>(context.get()); }),
           py::arg("context"))
      .def("set_status", &UserEvent::set_status, py::arg("status"), release_gil(), docs::kUserEventSetStatus);

  m.def(
      "wait_for_events",
      [](const py::object& events) {
        const auto list = events_of(events);
        GilRelease release;
        wait_for_events(list);
      },
      py::arg("events"), docs::kWaitForEvents);
}

CommandQueuePtr make_queue(const Context& context, const ClDevice* device, const py::object& properties) {
  const auto flags = properties.is_none() ? 0 : properties.cast<cl_command_queue_properties>();
  return CommandQueue::create(context.engine(device ? device->get() : nullptr), flags);
}

void bind_queues(py::module_& m) {
  py::class_<CommandQueue, Queue, CommandQueuePtr> cls(m, "CommandQueue", docs::kCommandQueue);
  cls.def(py::init(&make_queue), py::arg("context"), py::arg("device") = py::none(),
          py::arg("properties") = py::none());
  cls.def_property_readonly("in_order", &CommandQueue::in_order);
  cls.def_property_readonly("engine_device", &CommandQueue::engine_device);
  cls.def("_get_cl_version",
          [](const CommandQueue& q) { return version_pair(device_info(q.engine_device()->id())->platform_version); });
  const auto used = [](void (CommandQueue::*method)()) {
    return [method](CommandQueue& q) {
      warn_where_left(q);
      GilRelease release;
      (q.*method)();
    };
  };
  cls.def("flush", used(&CommandQueue::flush), docs::kCommandQueueFlush);
  cls.def("finish", used(&CommandQueue::finish), docs::kCommandQueueFinish);
  cls.def("__enter__", [](py::object self) { return self; });
  cls.def("__exit__", [](CommandQueue& q, const py::args&) {
    GilRelease release;
    q.finish();
    q.leave();
  });
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto raw = reinterpret_cast<cl_command_queue>(p);
        auto queue = retain ? Handle<cl_command_queue>::share(raw) : Handle<cl_command_queue>::adopt(raw);
        return share_queue(std::move(queue));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  def_info(cls, queue_table(), DEVARRAY_CL_READER(CommandQueue, clGetCommandQueueInfo));
  def_identity(cls);

  const auto synchronise = [](auto enqueue) {
    return [enqueue](CommandQueue& queue, const py::object& wait_for) {
      const auto events = events_of(queue, wait_for);
      GilRelease release;
      cl_event event = nullptr;
      enqueue(queue.get(), WaitList(events), &event);
      return event_of(queue, event);
    };
  };
  m.def("enqueue_marker", synchronise([](cl_command_queue q, const WaitList& w, cl_event* event) {
          DEVARRAY_CL(q, clEnqueueMarkerWithWaitList, q, w.size(), w.data(), event);
        }),
        py::arg("queue"), py::arg("wait_for") = py::none(), docs::kEnqueueMarker);
  m.def("enqueue_barrier", synchronise([](cl_command_queue q, const WaitList& w, cl_event* event) {
          DEVARRAY_CL(q, clEnqueueBarrierWithWaitList, q, w.size(), w.data(), event);
        }),
        py::arg("queue"), py::arg("wait_for") = py::none(), docs::kEnqueueBarrier);
}

}  // namespace

CommandQueuePtr share_queue(Handle<cl_command_queue> queue) {
  const cl_command_queue raw = queue.get();
  const auto context =
      info_value<cl_context>(DEVARRAY_CL_INFO(clGetCommandQueueInfo, raw, CL_QUEUE_CONTEXT), "clGetCommandQueueInfo");
  const auto device =
      info_value<cl_device_id>(DEVARRAY_CL_INFO(clGetCommandQueueInfo, raw, CL_QUEUE_DEVICE), "clGetCommandQueueInfo");
  return std::make_shared<CommandQueue>(ContextDevice::of(context, device), std::move(queue));
}

void bind_queue(py::module_& m) {
  bind_events(m);
  bind_queues(m);
}

}  // namespace devarray::opencl
