#include "opencl/event.hpp"

#include <map>

namespace devarray::opencl {
namespace {

void CL_CALLBACK run_callback(cl_event, cl_int status, void* data) {
  const std::unique_ptr<std::function<void(cl_int)>> function(static_cast<std::function<void(cl_int)>*>(data));
  (*function)(status);
}

}  // namespace

bool ClEvent::done() {
  const auto status =
      info_value<cl_int>(DEVARRAY_CL_INFO(clGetEventInfo, get(), CL_EVENT_COMMAND_EXECUTION_STATUS), "clGetEventInfo");
  if (status < 0) throw ClError("the command of this event", status);
  if (status == CL_QUEUED) {  // not handed to the device yet, and without a flush it may never be
    const auto queue =
        info_value<cl_command_queue>(DEVARRAY_CL_INFO(clGetEventInfo, get(), CL_EVENT_COMMAND_QUEUE), "clGetEventInfo");
    if (queue) DEVARRAY_CL(queue, clFlush, queue);
  }
  return status == CL_COMPLETE;
}

void ClEvent::wait() {
  if (forked() && done()) return;
  const cl_event event = get();
  DEVARRAY_CL(event, clWaitForEvents, 1, &event);
}

void ClEvent::on_status(cl_int state, std::function<void(cl_int)> function) {
  auto data = std::make_unique<std::function<void(cl_int)>>(std::move(function));
  DEVARRAY_CL(get(), clSetEventCallback, get(), state, run_callback, data.get());
  data.release();  // run_callback owns it now
}

UserEvent::UserEvent(cl_context context)
    : ClEvent(Handle<cl_event>::adopt(DEVARRAY_CL_CREATE(context, clCreateUserEvent, context))) {}

void UserEvent::set_status(cl_int status) { DEVARRAY_CL(get(), clSetUserEventStatus, get(), status); }

void wait_for_events(const std::vector<ClEventPtr>& events) {
  std::map<cl_context, std::vector<cl_event>> by_context;  // one driver call takes the events of one context
  for (const ClEventPtr& event : events) {
    const auto context =
        info_value<cl_context>(DEVARRAY_CL_INFO(clGetEventInfo, event->get(), CL_EVENT_CONTEXT), "clGetEventInfo");
    by_context[context].push_back(event->get());
  }
  for (const auto& [context, list] : by_context)
    DEVARRAY_CL(context, clWaitForEvents, static_cast<cl_uint>(list.size()), list.data());
}

}  // namespace devarray::opencl
