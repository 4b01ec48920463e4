"""Kernels that launches can do without: what becomes of an interrupt while one is made, and of one that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from oracle import same
from test_rows import waiting
from test_stencil_chains import cross, start

import devarray as da
from devarray import _core
from devarray._runtime import compiler
from devarray.codegen.kernels import elementwise, stencil_chain
from devarray.codegen.kernels.spec import ElementwiseSpec

__all__ = ["waiting"]

N = 1 << 16
RNG = np.random.default_rng(23)

pytestmark = pytest.mark.usefixtures("deferred", "kernels")

Raising = Callable[[Any, type[BaseException]], None]


@pytest.fixture
def raising(monkeypatch: pytest.MonkeyPatch) -> Raising:
    """Return a function by which the renderer of constants' kernels, or of batches', raises an error, or None."""
    render = elementwise.render

    def begin(is_meant: Callable[[ElementwiseSpec], bool], error: type[BaseException] | None) -> None:
        def rendered(spec: ElementwiseSpec, dialect: Any) -> str:
            if error and is_meant(spec):
                raise error("in the renderer")
            return render(spec, dialect)

        monkeypatch.setattr(elementwise, "render", rendered)

    return begin


def with_constants(spec: ElementwiseSpec) -> bool:
    return bool(spec.constants) and spec.sets == 1


def of_sets(spec: ElementwiseSpec) -> bool:
    return spec.sets > 1


def curve(x: Any) -> Any:
    y = (x * 0.375 + 1.25) / 7.0
    return ((y - 0.5) / 3.0 + x) * 1.5 - y / 11.0


def shorter(x: Any) -> Any:
    return x * 1.375 - x


KINDS = {"constants": (with_constants, curve, 1), "batches": (of_sets, shorter, 6)}
"""Which kernels, of which function, and how often it is evaluated before something else is asked for."""


def results_of(function: Callable[[Any], Any], x: Any, times: int) -> list[Any]:
    results = [function(x).evaluate() for _ in range(times)]
    da.synchronize()
    compiler.wait_for_kernels()
    return results


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_reaches_the_program(kind: str, raising: Raising) -> None:
    is_meant, function, times = KINDS[kind]
    host = RNG.standard_normal(N).astype("float32")
    x, wanted = da.asarray(host), function(host)
    raising(is_meant, KeyboardInterrupt)
    interrupts = 0
    for _ in range(10):
        try:
            results = results_of(function, x, times)
        except KeyboardInterrupt:
            interrupts += 1
            continue
        for result in results:
            same(result.copy_to_host(), wanted)
    assert interrupts
    made: list[ElementwiseSpec] = []
    raising(lambda spec: is_meant(spec) and bool(made.append(spec)), RuntimeError)
    for _ in range(6):
        for result in results_of(function, x, times):
            same(result.copy_to_host(), wanted)
    assert made, "it is made when nothing interrupts that"


@pytest.mark.usefixtures("plans")
def test_an_interrupt_leaves_a_store_undone_or_done(raising: Raising) -> None:
    """In place, so that a store that is made twice is seen."""
    host = RNG.standard_normal(N).astype("float32")
    x = da.asarray(host.copy()).evaluate()
    view = x[1:]  # it sees the memory, which is therefore written
    raising(with_constants, KeyboardInterrupt)
    interrupts = 0
    for _ in range(10):
        stored = curve(host)
        try:
            x[:] = curve(x)
            da.synchronize()  # a GPU's stores wait for the next one
        except KeyboardInterrupt:
            interrupts += 1
            raising(with_constants, None)
            if not np.array_equal(x.copy_to_host(), stored):
                stored = host
        host = stored
        same(x.copy_to_host(), host)
        same(view, host[1:])
    assert interrupts


@pytest.mark.usefixtures("plans")
def test_an_interrupt_leaves_a_store_that_waits(raising: Raising) -> None:
    host = RNG.standard_normal(N).astype("float32")
    x = da.asarray(host.copy()).evaluate()
    raising(with_constants, KeyboardInterrupt)
    interrupts = 0
    for _ in range(10):
        x[:] = curve(x)
        host[:] = curve(host)
        try:
            x.evaluate()
        except KeyboardInterrupt:
            interrupts += 1
            raising(with_constants, None)
        same(x.copy_to_host(), host)
    assert interrupts


@pytest.mark.usefixtures("plans")
@pytest.mark.parametrize("error", [da.CompileError, da.errors.OutOfMemoryError])
@pytest.mark.parametrize("kind", KINDS)
def test_errors_of_ours_are_done_without(kind: str, error: type[Exception], raising: Raising) -> None:
    is_meant, function, times = KINDS[kind]
    host = RNG.standard_normal(N).astype("float32")
    x, wanted = da.asarray(host), function(host)
    asked: list[ElementwiseSpec] = []
    raising(lambda spec: is_meant(spec) and not asked.append(spec), error)
    for _ in range(8):
        for result in results_of(function, x, times):
            same(result.copy_to_host(), wanted)
    assert asked


def swirl(xp: Any, u: Any) -> Any:
    return u - (cross(xp, u) - 3 * u) * u / 16


def eddy(xp: Any, u: Any) -> Any:
    return u + (cross(xp, u) - 5 * u) / (4 + u * u)


@pytest.mark.usefixtures("waiting")
@pytest.mark.parametrize(("step", "error"), [(swirl, KeyboardInterrupt), (eddy, da.CompileError)])
def test_steps_that_wait_are_not_lost(
    step: Any, error: type[BaseException], gpu_strategy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupt leaves them for later; where their kernel cannot be made they are launched one by one."""
    host = start((75, 140))
    raised: list[BaseException] = []

    def fail(*_: object) -> str:
        raised.append(error("in the renderer"))
        raise raised[-1]

    u = da.asarray(host)
    interrupted = pytest.raises(KeyboardInterrupt) if error is KeyboardInterrupt else nullcontext()
    with monkeypatch.context() as broken, interrupted:
        broken.setattr(stencil_chain, "render", fail)
        for _ in range(4):  # the queue is marked every 256 launches, and steps that wait are launched then
            u, host = step(da, u), step(np, host)
        np.testing.assert_allclose(u.copy_to_host(), host, rtol=1e-5, atol=1e-5)
    assert raised, "a kernel of several steps was wanted"
    np.testing.assert_allclose(u.copy_to_host(), host, rtol=1e-5, atol=1e-5)


def test_an_interrupt_while_a_reduction_that_waits_is_launched(
    gpu_strategy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What keeps memory that nobody has is launched before other memory is taken."""
    from devarray.codegen.kernels import reduction

    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 1000)
    try:
        host = RNG.standard_normal((8, 8192)).astype("float32")
        x = da.asarray(host)
        total = (x * x * 0.625).max()
        del x
        with monkeypatch.context() as broken:
            broken.setattr(reduction, "render", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                da.empty(1 << 20)
        same(total.copy_to_host(), (host * host * np.float32(0.625)).max())
    finally:
        _core.set_config("row_bytes", before)
