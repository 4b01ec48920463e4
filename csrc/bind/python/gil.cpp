#include "bind/python/gil.hpp"

#include <pthread.h>
#include <unistd.h>

#include "common/gil.hpp"

namespace devarray {

void sleep_for_ever() noexcept {
  while (true) pause();
}

void install_gil_hooks() {
  gil_hooks().held = []() noexcept { return PyGILState_Check() != 0; };
  gil_hooks().release = []() -> void* { return PyEval_SaveThread(); };
  gil_hooks().acquire = [](void* state) noexcept {
    without_unwinding([&] { PyEval_RestoreThread(static_cast<PyThreadState*>(state)); });
  };
  Py_AtExit(&wait_for_threads_away);
  pthread_atfork(nullptr, nullptr, [] { gil_hooks().away = 0; });  // those threads are not in the child
}

}  // namespace devarray
