"""Small pending values that a kernel repeats along its axes: GPUs compute them inside it, with the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import moderate

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

X, W = moderate("float32", (300, 200), 1), moderate("float32", (200,), 2)


def _layer_norm(xp: Any, x: Any, w: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / xp.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(1e-5))


def _held(xp: Any, x: Any, w: Any) -> Any:
    s = xp.sqrt((x * x).sum(0))
    return x / s, x * s + 1, s


def _chain(xp: Any, x: Any, w: Any) -> Any:
    s = x.sum(0)
    t = s * 2
    u = t + 1
    return x * u * t, u


def _mixed(xp: Any, x: Any, w: Any) -> Any:
    b = w.sum() * 2
    return (x - (x.sum(1, keepdims=True) + b)) * b


def _decaying(xp: Any, x: Any, w: Any) -> Any:
    t = w.sum()
    for _ in range(12):
        t = t * 0.5 + 0.25
        x = x * t
    return x, t


def _shifted(xp: Any, x: Any, w: Any) -> Any:
    x = x + 0
    row = x[0] * 2
    x[1:] -= row
    x[0] = row + 1
    return x * row


PROGRAMS: dict[str, tuple[Callable[..., Any], int]] = {  # and the most launches on a GPU
    "a norm": (lambda xp, x, w: w / xp.sqrt((w * w).sum()), 2),
    "layer norm": (_layer_norm, 4),
    "held": (_held, 4),
    "a chain": (_chain, 3),
    "an outer product": (lambda xp, x, w: (w[:, None] * 2) * (w + 1), 1),
    "sizes mixed": (_mixed, 3),
    "a number that decays": (_decaying, 5),
    "written afterwards": (_shifted, 9),
    "a fill": (lambda xp, x, w: xp.ones((300, 1), "f4") * 3 + x, 3),
    "a function": (lambda xp, x, w: x * xp.exp(-(w * w)), 2),
    "many functions": (lambda xp, x, w: x * xp.exp(-xp.sqrt(xp.cos(w * w) ** 2)), 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_launches(name: str) -> None:
    program, most = PROGRAMS[name]
    x, w = da.asarray(X).evaluate(), da.asarray(W).evaluate()
    expected = program(np, X, W)
    for _ in range(4):  # from the third time on GPUs repeat the plan of the second
        before = da.stats()["launches"]
        made = program(da, x, w)
        for part in made if isinstance(made, tuple) else (made,):
            part.evaluate()
        launches = da.stats()["launches"] - before
        pairs = zip(made, expected, strict=True) if isinstance(made, tuple) else [(made, expected)]
        for ours, theirs in pairs:
            scale = float(np.abs(theirs).max())
            np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=2e-5, atol=1e-6 * scale)
    if x.device.strategy == "gpu" and da.config.deferred:
        assert launches <= most


def test_bits_are_those_of_separate_operations() -> None:
    x, w = da.asarray(X), da.asarray(W)
    for program, _ in PROGRAMS.values():
        deferred = program(da, x, w)
        deferred = deferred if isinstance(deferred, tuple) else (deferred,)
        here = [part.copy_to_host() for part in deferred]
        kept = da.config.deferred
        da.config.deferred = False
        try:
            eager = program(da, x, w)
        finally:
            da.config.deferred = kept
        for ours, theirs in zip(here, eager if isinstance(eager, tuple) else (eager,), strict=True):
            assert np.array_equal(ours, theirs.copy_to_host())


def test_what_is_held_and_used_often_is_stored() -> None:
    w, x = da.asarray(W).evaluate(), da.asarray(X).evaluate()
    scale = w * 2
    for _ in range(6):
        (x * scale).evaluate()
    if x.device.strategy == "gpu" and da.config.deferred:
        assert not scale.pending
    assert np.array_equal(scale.copy_to_host(), W * 2)
