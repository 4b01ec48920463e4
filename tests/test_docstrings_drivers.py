"""The docstrings of devarray.alloc, devarray.cl and devarray.cuda: what each has to say, and examples that run."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import driver_docs
import pytest

import devarray as da
from devarray import cl
from devarray.cl import tools

NO_EXAMPLE = {
    "devarray.cuda.TextureReference": "no compiler since CUDA 12 makes one",
    "devarray.cuda.SurfaceReference": "no compiler since CUDA 12 makes one",
    "devarray.cuda.Function.param_set_texref": "no compiler since CUDA 12 makes one",
    "devarray.cuda.IPCMemoryHandle.close": "needs another process",
}


def _has(library: str) -> Any:
    return lambda device: device.driver == "cuda" and find_spec(library)


NEEDS = {
    "devarray.alloc.cupy_allocator": _has("cupy"),
    "devarray.alloc.torch_allocator": _has("torch"),
    "devarray.alloc.CudaAsyncMemoryResource": lambda device: device.driver == "cuda",
    "devarray.alloc.CudaVirtualMemoryResource": lambda device: device.driver == "cuda",
    "devarray.cl.Device.device_and_host_timer": lambda device: getattr(device.platform, "host_timer_resolution", 0),
    "devarray.cl.Device.host_timer": lambda device: getattr(device.platform, "host_timer_resolution", 0),
    "devarray.cl.Kernel.get_sub_group_info": lambda device: getattr(device, "max_num_sub_groups", 0),
    "devarray.cl.Pipe": lambda device: getattr(device, "pipe_support", False),
}
"""Examples of what not every device has, and how to tell from the device."""


def _exempt(name: str) -> bool:
    return any(name == known or name.startswith(known + ".") for known in NO_EXAMPLE)


def _all() -> list[Any]:
    return [
        pytest.param(name, found, id=name)
        for namespace in driver_docs.NAMESPACES
        for name, found in driver_docs.documented(namespace)
    ]


@pytest.mark.parametrize(("name", "found"), _all())
def test_it_says_what_it_takes_and_shows_a_use(name: str, found: Any) -> None:
    text = driver_docs.text_of(found)
    summary = text.split("\n\n")[0]
    assert summary.endswith((".", "`")) and "\n" not in summary, (
        f"{name}: one line of purpose is wanted, not {summary!r}"
    )
    taken = driver_docs.taken_parameters(found)
    if taken is not None:
        assert driver_docs.told_parameters(text) == taken, f"{name} takes {taken}"
    assert ">>> " in text or _exempt(name), f"{name} has no example"


def _of(*namespaces: str) -> list[Any]:
    return [pytest.param(name, found, id=name) for space in namespaces for name, found in driver_docs.documented(space)]


@pytest.mark.parametrize(("name", "found"), _of("devarray.alloc"))
@pytest.mark.usefixtures("deferred")
def test_examples_of_allocators_run(name: str, found: Any, device: da.Device) -> None:
    import numpy as np

    if not NEEDS.get(name.removesuffix(".reset_peaks"), bool)(device):
        pytest.skip("the device has no such memory")
    known = {"np": np, "da": da, "alloc": da.alloc, "device": device, "queue": device.default_queue}
    known |= {part: getattr(da.alloc, part) for part in da.alloc.__all__}
    assert driver_docs.failures(name, driver_docs.text_of(found), known) == ""


@pytest.fixture(scope="module")
def opencl() -> dict[str, Any]:
    try:
        cl.get_platforms()
    except da.errors.MissingDriverError:
        pytest.skip("no OpenCL runtime")
    return driver_docs.cl_names()


@pytest.mark.parametrize(("name", "found"), _of("devarray.cl", "devarray.cl.tools"))
def test_examples_of_opencl_run(name: str, found: Any, opencl: dict[str, Any]) -> None:
    if not NEEDS.get(name, bool)(opencl["queue"].device):
        pytest.skip("the device has no such thing")
    known = driver_docs.cl_names() | {part: getattr(tools, part) for part in tools.__all__}
    assert driver_docs.failures(name, driver_docs.text_of(found), known) == ""
