#include "cuda/event.hpp"

#include <cstring>

namespace devarray::cuda {

std::shared_ptr<Event> Event::create(const ContextPtr& context, unsigned flags) {
  Current current(*context);
  CUevent event = nullptr;
  api().cuEventCreate(&event, flags);
  return std::make_shared<Event>(context, event, false);
}

std::shared_ptr<Event> Event::pooled(const ContextPtr& context) {
  return std::make_shared<Event>(context, context->take_event(), true);
}

std::shared_ptr<Event> Event::from_ipc(const ContextPtr& context, const std::string& handle) {
  CUipcEventHandle ipc{};
  if (handle.size() != sizeof ipc)
    throw ValueError("an event's IPC handle has " + std::to_string(sizeof ipc) + " bytes, not " +
                     std::to_string(handle.size()));
  std::memcpy(&ipc, handle.data(), sizeof ipc);
  Current current(*context);
  CUevent event = nullptr;
  api().cuIpcOpenEventHandle(&event, ipc);
  return std::make_shared<Event>(context, event, false);
}

Event::~Event() {
  if (pooled_) {
    context_->give_event(event_);
  } else if (CurrentForRelease current(*context_); current) {
    api().cuEventDestroy_v2.status(event_);
  }
}

bool Event::done() {
  Current current(*context_);
  const CUresult result = api().cuEventQuery.status(event_);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) fail(result, "cuEventQuery");
  return result == CUDA_SUCCESS;
}

void Event::wait() {
  Current current(*context_);
  api().cuEventSynchronize(event_);
}

void Event::record(CUstream stream) {
  Current current(*context_);
  api().cuEventRecord(event_, stream);
}

float Event::milliseconds_since(const Event& start) const {
  Current current(*context_);
  float milliseconds = 0;
  api().event_elapsed_time(&milliseconds, start.event_, event_);
  return milliseconds;
}

std::string Event::ipc_handle() const {
  Current current(*context_);
  CUipcEventHandle ipc{};
  api().cuIpcGetEventHandle(&ipc, event_);
  return std::string(reinterpret_cast<const char*>(&ipc), sizeof ipc);
}

}  // namespace devarray::cuda
