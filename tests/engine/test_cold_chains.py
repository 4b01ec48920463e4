"""Chains of stencils before any kernel is compiled: what a first call compiles, and what that does to held steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_rows import launches, waiting
from test_stencil_chains import after, check, cross, diffusion, start, takes_few_arguments

import devarray as da
from devarray._runtime import compiler

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")

__all__ = ["waiting"]

SHAPE = (72, 136)


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch, device: da.Device, waiting: None) -> Iterator[None]:
    """No kernel is known, neither in memory nor on disk. A queue has had no launch: some hundreds end a chain."""
    if takes_few_arguments(device):
        pytest.skip("chains are short")
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", "")
    da.compiler.clear_cache()
    with da.use(queue=device.create_queue()):
        yield
        da.synchronize()


def compiled() -> int:
    return da.stats()["compilations"]


def test_steps_of_a_chain_need_no_kernels_of_their_own() -> None:
    host = start(SHAPE)
    u, before = da.asarray(host), compiled()
    ours = after(da, diffusion, u, 5)
    check(ours, after(np, diffusion, host, 5))
    assert compiled() == before + 1, "that of five steps"


def life(xp: Any, u: Any) -> Any:
    dead = u[:1, :1] * 0
    alive = dead + 1
    for _ in range(10):
        n = cross(xp, u)
        u = xp.where((n == 3) | ((u == 1) & (n == 2)), alive, dead)
    return u


def test_compiling_for_other_work_does_not_end_a_chain() -> None:
    host = start(SHAPE, "int32") % 2
    u = da.asarray(host)
    first = launches(lambda: check(life(da, u), life(np, host)))  # what is dead or alive is computed while steps wait
    before = compiled()
    assert launches(lambda: check(life(da, u), life(np, host))) == first
    assert compiled() == before


def test_a_step_that_goes_alone_gets_its_kernel() -> None:
    host = start(SHAPE)
    u, before = da.asarray(host), compiled()
    for _ in range(4):  # planned, kept, and repeated
        check(diffusion(da, u), diffusion(np, host))
    assert compiled() == before + 1


def test_a_kept_step_goes_alone_after_it_was_in_chains() -> None:
    host = start(SHAPE)
    u = da.asarray(host)
    for _ in range(4):
        after(da, diffusion, u, 5)
        da.synchronize()
    for _ in range(3):
        check(diffusion(da, u), diffusion(np, host))
    check(after(da, diffusion, u, 6), after(np, diffusion, host, 6))


def test_a_step_whose_kernel_does_not_compile_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    host = start(SHAPE)
    ours = diffusion(da, da.asarray(host))

    def refused(device: Any, source: str) -> Any:
        return compiler._compile(device, "no kernel at all", "")

    with monkeypatch.context() as patched:
        patched.setattr(compiler, "get", refused)
        for look in (ours.evaluate, ours.copy_to_host, da.synchronize):
            with pytest.raises(da.CompileError):
                look()
    check(ours, diffusion(np, host))
