#include "cuda/context.hpp"

#include <unordered_map>

namespace devarray::cuda {
namespace {

// Contexts by handle, so that one handle is one object. Never destroyed: contexts may outlive static objects.
struct Registry {
  std::mutex mutex;
  std::unordered_map<CUcontext, std::weak_ptr<Context>> contexts;
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

}  // namespace

ContextPtr Context::add(Kind kind, CUcontext handle, CUdevice device) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  std::weak_ptr<Context>& slot = r.contexts[handle];
  if (ContextPtr known = slot.lock(); known && known->alive()) {
    // Seen as somebody else's before, retained by us now.
    if (known->kind_ == Kind::foreign)
      known->kind_ = kind;
    else if (kind == Kind::primary)
      api().cuDevicePrimaryCtxRelease_v2.status(device);
    return known;
  }
  ContextPtr context(new Context(kind, handle, device));
  slot = context;
  return context;
}

ContextPtr Context::retain_primary(CUdevice device) {
  CUcontext handle = nullptr;
  api().cuDevicePrimaryCtxRetain(&handle, device);
  return add(Kind::primary, handle, device);
}

ContextPtr Context::create(CUdevice device, unsigned flags) {
  CUcontext handle = nullptr;
  api().context_create(&handle, flags, device);
  return add(Kind::created, handle, device);
}

ContextPtr Context::current_or_null() {
  thread_local std::weak_ptr<Context> last;  // most calls ask for the same one
  const Api& a = api();
  CUcontext handle = nullptr;
  a.cuCtxGetCurrent(&handle);
  if (!handle) return nullptr;
  if (ContextPtr known = last.lock(); known && known->handle() == handle && known->alive()) return known;
  ContextPtr context;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.contexts.find(handle);
    if (found != r.contexts.end()) context = found->second.lock();
  }
  if (!context || !context->alive()) {
    CUdevice device = 0;
    a.cuCtxGetDevice(&device);
    context = add(Kind::foreign, handle, device);
  }
  last = context;
  return context;
}

ContextPtr Context::current() {
  ContextPtr context = current_or_null();
  if (!context) fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxGetCurrent");
  return context;
}

Context::~Context() { release(); }

void Context::release() noexcept {
  HostSlot* slot = slot_.release();  // never freed at exit: the driver may be gone
  if (!alive_.exchange(false) || shutting_down()) return;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.contexts.find(handle_);
    if (found != r.contexts.end() && found->second.expired()) r.contexts.erase(found);
  }
  const Api* a = loaded_api();
  if (!a) return;
  if (slot && a->cuCtxPushCurrent_v2.status(handle_) == CUDA_SUCCESS) {
    delete slot;
    CUcontext popped = nullptr;
    a->cuCtxPopCurrent_v2.status(&popped);
  }
  if (kind_ == Kind::primary) a->cuDevicePrimaryCtxRelease_v2.status(device_);
  if (kind_ == Kind::created) a->cuCtxDestroy_v2.status(handle_);  // its events go with it
}

void Context::push() const {
  if (!alive_) throw DeviceError("the context was detached; make or retain another one");
  api().cuCtxPushCurrent_v2(handle_);
}

void Context::pop() {
  CUcontext handle = nullptr;
  api().cuCtxPopCurrent_v2(&handle);
}

void Context::detach() {
  if (!alive_) throw DeviceError("the context was detached before");
  CUcontext now = nullptr;
  api().cuCtxGetCurrent(&now);
  if (now == handle_) pop();
  if (kind_ == Kind::created) release();  // a primary context goes with its last user: arrays live in it too
}

CUevent Context::take_event() {
  {
    std::lock_guard lock(events_mutex_);
    if (!events_.empty()) {
      CUevent event = events_.back();
      events_.pop_back();
      return event;
    }
  }
  CUevent event = nullptr;
  api().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  return event;
}

void Context::give_event(CUevent event) noexcept {
  if (!alive_ || shutting_down()) return;
  try {
    std::lock_guard lock(events_mutex_);
    events_.push_back(event);
  } catch (const std::bad_alloc&) {
    // One event less for reuse; the driver frees it with the context.
  }
}

HostSlot* Context::slot(std::unique_lock<std::mutex>& lock) {
  lock = std::unique_lock(slot_mutex_, std::try_to_lock);
  if (!lock) return nullptr;
  if (!slot_) slot_ = std::make_unique<HostSlot>();
  return slot_.get();
}

Current::Current(const Context& context) {
  const Api& a = api();
  CUcontext now = nullptr;
  a.cuCtxGetCurrent(&now);
  if (now == context.handle()) [[likely]]
    return;
  if (!context.alive()) throw DeviceError("the context of this object was detached");
  if (!now) {
    a.cuCtxSetCurrent(context.handle());
    return;
  }
  a.cuCtxPushCurrent_v2(context.handle());
  pushed_ = true;
}

void Current::pop() noexcept {
  CUcontext handle = nullptr;
  api().cuCtxPopCurrent_v2.status(&handle);
}

CurrentForRelease::CurrentForRelease(const Context& context) noexcept {
  const Api* a = loaded_api();
  if (!a || shutting_down() || !context.alive()) return;
  CUcontext now = nullptr;
  if (a->cuCtxGetCurrent.status(&now) != CUDA_SUCCESS) return;
  if (now != context.handle()) pushed_ = a->cuCtxPushCurrent_v2.status(context.handle()) == CUDA_SUCCESS;
  usable_ = now == context.handle() || pushed_;
}

CurrentForRelease::~CurrentForRelease() {
  CUcontext handle = nullptr;
  if (pushed_) loaded_api()->cuCtxPopCurrent_v2.status(&handle);
}

}  // namespace devarray::cuda
