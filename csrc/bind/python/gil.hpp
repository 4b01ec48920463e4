// The interpreter lock at shutdown. Before 3.14 Python ends a daemon thread that wants the lock then by pthread_exit:
// its unwinding runs destructors without the lock, and ends the process at the first function that is noexcept or
// catches everything. Such a thread sleeps here instead until the process is gone, as it does in 3.14.
#pragma once

#include <Python.h>

#include <exception>
#include <utility>

namespace devarray {

[[noreturn]] void sleep_for_ever() noexcept;

/// Calls `call`, which may run Python code or take the interpreter lock: for places where nothing may be unwound.
template <class F>
decltype(auto) without_unwinding(F&& call) {
#ifdef __GLIBCXX__
  try {
    return std::forward<F>(call)();
  } catch (...) {
    if (std::current_exception()) throw;
    sleep_for_ever();  // no error: pthread_exit unwinds
  }
#else
  return std::forward<F>(call)();
#endif
}

/// The interpreter lock for code that may run in any thread, with or without it.
class GilAcquire {
 public:
  GilAcquire() : state_(without_unwinding([] { return PyGILState_Ensure(); })) {}
  ~GilAcquire() {
    // Unwound by the interpreter's end. Once that has come, no thread has a state, and PyGILState_Check() says yes.
    if (!PyGILState_GetThisThreadState() || !PyGILState_Check()) sleep_for_ever();
    PyGILState_Release(state_);
  }
  GilAcquire(const GilAcquire&) = delete;
  GilAcquire& operator=(const GilAcquire&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Sets the hooks of common/gil.hpp.
void install_gil_hooks();

}  // namespace devarray
