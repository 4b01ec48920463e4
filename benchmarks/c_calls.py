"""The CUDA driver's calls from C, without Python between them: what no library can stay below."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

_SOURCE = r"""
#include <stddef.h>
#include <string.h>
typedef unsigned long long address;
typedef unsigned u;
static int (*launch)(void*, u, u, u, u, u, u, u, void*, void**, void**);
static int (*allocate)(address*, size_t), (*release)(address);
static int (*to_device)(address, const void*, size_t), (*to_host)(void*, address, size_t);
static int (*on_device)(address, address, size_t);
static int (*to_device_async)(address, const void*, size_t, void*), (*to_host_async)(void*, address, size_t, void*);
static int (*finish)(void*), (*host_memory)(void**, size_t, u);
static void *function, *parameters[4], *locked;
static address memory[4];
static char pageable[1024];

/* The calls in the order of NAMES, a kernel of four pointers, and four allocations of a kilobyte. */
int prepare(void** calls, void* f, address* allocations) {
  void** slots[] = {(void**)&launch, (void**)&allocate, (void**)&release, (void**)&to_device, (void**)&to_host,
                    (void**)&on_device, (void**)&to_device_async, (void**)&to_host_async, (void**)&finish,
                    (void**)&host_memory};
  for (size_t i = 0; i < sizeof slots / sizeof *slots; ++i) *slots[i] = calls[i];
  function = f;
  for (int i = 0; i < 4; ++i) { memory[i] = allocations[i]; parameters[i] = &memory[i]; }
  return host_memory(&locked, 1024, 0);
}
int call(void) { return launch(function, 1, 1, 1, 16, 1, 1, 0, NULL, parameters, NULL); }
int allocate_and_free(void) {
  address fresh;
  const int result = allocate(&fresh, 1 << 20);
  return result ? result : release(fresh);
}
int kilobyte_to_device(void) { return to_device(memory[0], pageable, 1024); }
int kilobyte_to_host(void) { return to_host(pageable, memory[0], 1024); }
int kilobyte_on_device(void) { return on_device(memory[0], memory[1], 1024); }
/* The quickest way that the driver has for a little of pageable memory. */
int there_and_back(void) {
  int result = to_device_async(memory[0], pageable, 64, NULL);
  if (!result) result = to_host_async(locked, memory[0], 64, NULL);
  if (!result) result = finish(NULL);
  memcpy(pageable, locked, 64);
  return result;
}
"""
_NAMES = (
    *("cuLaunchKernel", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemcpyDtoD_v2"),
    *("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemHostAlloc"),
)
FUNCTIONS = (
    "call",
    "allocate_and_free",
    "kilobyte_to_device",
    "kilobyte_to_host",
    "kilobyte_on_device",
    "there_and_back",
)


def driver_in_c() -> dict[str, Callable[[], None]]:
    """FUNCTIONS by name, in the current context; empty where there is no C compiler. ctypes adds some 0.1 us."""
    if not shutil.which("cc"):
        return {}
    from devarray import cuda
    from devarray.cuda.compiler import SourceModule

    folder = Path(tempfile.mkdtemp(prefix="devarray-c-"))
    (folder / "calls.c").write_text(_SOURCE)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "calls.c", "-o", "calls.so"], cwd=folder, check=True)
    library, driver = ctypes.CDLL(str(folder / "calls.so")), ctypes.CDLL("libcuda.so.1")
    shutil.rmtree(folder)
    kernel = 'extern "C" __global__ void f(float* a, float* b, float* c, float* d) {}'
    function = SourceModule(kernel, no_extern_c=True).get_function("f")
    memory = [cuda.mem_alloc(1024) for _ in range(4)]
    calls = (ctypes.c_void_p * len(_NAMES))(*(ctypes.cast(getattr(driver, n), ctypes.c_void_p).value for n in _NAMES))
    addresses = (ctypes.c_ulonglong * 4)(*map(int, memory))
    if library.prepare(calls, ctypes.c_void_p(function.function_handle), addresses):
        raise RuntimeError("the driver gave no page-locked memory")

    def checked(name: str) -> Callable[[], None]:
        once = getattr(library, name)

        def run(kept: tuple = (function, memory)) -> None:
            if once():
                raise RuntimeError(f"{name} failed")

        return run

    return {name: checked(name) for name in FUNCTIONS}
