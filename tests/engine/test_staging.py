"""Large copies by threads and through page-locked blocks: the same bytes as any other copy, whatever the layout."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device")

VIEWS: dict[str, Any] = {
    "dense": lambda h: h,
    "transposed": lambda h: h.T,
    "axes moved": lambda h: h.transpose(1, 2, 0),
    "reversed": lambda h: h[::-1, :, ::-1],
    "every other row": lambda h: h[::2],
    "every third element": lambda h: h[..., ::3],
    "reversed steps": lambda h: h[::-2, 1::2, ::-3],
    "a box": lambda h: h[3:31, 2:17, 5:29],
    "one element a row": lambda h: h[..., 4],
}
SHAPE = (40, 24, 36)


@pytest.fixture(params=[(1, 4096), (1, 100), (1, 1 << 20)], ids=["small chunks", "odd chunks", "one chunk"])
def staged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every copy goes through staging blocks."""
    before = _core.set_staging(*request.param, True)
    yield
    _core.set_staging(*before)


def random(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    return (
        np.random.default_rng(seed).integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]
    )


@pytest.mark.usefixtures("staged")
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["uint8", "int32", "complex128"])
def test_staged_copies_move_the_elements_and_nothing_else(view: str, dtype: str, memory_kind: str) -> None:
    raw = random(SHAPE, {"complex128": "V16"}.get(dtype, dtype), 1)
    h = (
        raw.view(dtype)
        if dtype != "complex128"
        else raw.view(np.uint8).astype(np.complex128).reshape(*SHAPE, -1)[..., 0]
    )
    source = VIEWS[view](h)
    x = da.to_device(source)
    same(x, source)
    target = np.zeros(SHAPE, dtype)
    wanted = target.copy()
    VIEWS[view](wanted)[...] = source
    assert x.copy_to_host(VIEWS[view](target)) is not None
    assert (target == wanted).all()
    y = da.zeros(source.shape, dtype)
    y.copy_to_device(source)
    same(y, source)


@pytest.mark.usefixtures("staged")
def test_staged_copies_into_parts_of_an_array() -> None:
    x, wanted = da.zeros((50, 60), da.int32), np.zeros((50, 60), np.int32)
    source = random((20, 55), "int32", 2)
    x[5:45:2, 58:3:-1].copy_to_device(source)
    wanted[5:45:2, 58:3:-1] = source
    same(x, wanted)
    same(x[::-3, ::7], wanted[::-3, ::7])


@pytest.mark.usefixtures("staged")
def test_staged_copies_on_a_stream(device: da.Device) -> None:
    stream = da.queue(device)
    a = random((100_000,), "int32", 3)
    x = da.to_device(a, stream=stream)
    a_before, a[:] = a.copy(), 0  # pageable memory has been read when the call returns
    y = x + 1
    out = np.zeros_like(a)
    y.copy_to_host(out, stream=stream)
    stream.finish()
    same(out, a_before + 1)


@pytest.mark.usefixtures("staged")
def test_threads_share_the_staging_blocks() -> None:
    wrong = []

    def work(seed: int) -> None:
        a = random((30_000,), "int32", seed)
        for _ in range(10):
            if not np.array_equal(da.to_device(a).copy_to_host(), a):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("view", VIEWS)
def test_copies_that_threads_share(view: str) -> None:
    """Above a megabyte, without staging."""
    h = random((120, 96, 72), "float32", 4).view(np.int32)
    source = VIEWS[view](h)
    x = da.to_device(source)
    same(x, source)
    target = np.zeros_like(h)
    wanted = target.copy()
    VIEWS[view](wanted)[...] = source
    x.copy_to_host(VIEWS[view](target))
    assert (target == wanted).all()


def test_new_host_arrays_reuse_the_memory_of_dead_ones() -> None:
    da.alloc.free_host_memory()
    x = da.zeros(1 << 20, da.int32)
    first = x.copy_to_host()
    address = first.ctypes.data
    part = first[10:20]
    del first
    assert x.copy_to_host().ctypes.data != address  # a part keeps the whole alive
    assert da.alloc.held_host_bytes() > 0
    del part
    assert (x + 1).copy_to_host().ctypes.data in (address, x.copy_to_host().ctypes.data)
    held = da.alloc.held_host_bytes()
    assert held >= 4 << 20
    assert da.alloc.free_host_memory() == held
    assert da.alloc.held_host_bytes() == 0


def test_host_memory_that_is_held_has_a_bound() -> None:
    arrays = [_core.host_empty((300 << 20,), np.dtype("uint8")) for _ in range(5)]  # never touched, so never real
    del arrays
    assert da.alloc.held_host_bytes() <= 1 << 30
    da.alloc.free_host_memory()


SCRIPT = """
import os, sys
import numpy as np
import devarray as da
x = da.to_device(np.arange(1 << 20))
assert x.copy_to_host().sum() == (1 << 20) * ((1 << 20) - 1) // 2
if sys.argv[1] == "fork":
    child = os.fork()
    if child == 0:
        out = np.empty(1 << 20, np.int64)
        da._core.testing.copy_bytes(out, np.arange(1 << 20))
        os._exit(0 if out[-1] == (1 << 20) - 1 else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("fine")
"""


@pytest.mark.parametrize("how", ["exit", "fork"])
def test_the_copying_threads_survive_exit_and_fork(how: str) -> None:
    if how == "fork":
        pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")
    environment = os.environ | {"DEVARRAY_COPY_THREADS": "3"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT, how],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "fine"), done.stderr
