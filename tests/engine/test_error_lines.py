"""Errors are raised by the line that caused them, or name it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler


@pytest.fixture
def eager() -> Iterator[None]:
    before = da.config.deferred
    da.config.deferred = False
    yield
    da.config.deferred = before


def put(x: da.Array, index: da.Array) -> None:
    x[index] = 1


@pytest.mark.usefixtures("device", "eager")
@pytest.mark.parametrize(
    "call",
    [
        lambda x, index: x[index],
        put,
        lambda x, index: da.take(x, index),
        lambda x, index: da.take_along_axis(x, index, axis=0),
    ],
)
def test_eager_indices_raise_at_the_call(call: Callable[..., Any]) -> None:
    x, index = da.arange(5), da.asarray([1, 5])
    with pytest.raises(IndexError, match="out of bounds"):
        call(x, index)
    da.synchronize()  # it is told once
    np.testing.assert_array_equal(x[da.asarray([4, 0])].copy_to_host(), [4, 0])


@pytest.mark.usefixtures("device", "deferred")
@pytest.mark.parametrize("reduced", [False, True])
def test_an_error_of_compiling_names_the_lines_of_the_operations(
    monkeypatch: pytest.MonkeyPatch, reduced: bool
) -> None:
    before = da.config.debug
    x = da.ones(77, dtype="f4").evaluate()
    da.synchronize()

    def refused(device: Any, source: str) -> Any:
        return compiler._compile(device, "no kernel at all", "")

    monkeypatch.setattr(compiler, "get", refused)
    monkeypatch.setattr(compiler, "get_soon", refused)
    try:
        da.config.debug = 1
        y = da.special.erf(x) * 1.625 + x  # the host has no loop of it
        with pytest.raises(da.CompileError) as caught:
            y.max().evaluate() if reduced else y.evaluate()
    finally:
        da.config.debug = before
        del y
    (note,) = caught.value.__notes__
    line = test_an_error_of_compiling_names_the_lines_of_the_operations.__code__.co_firstlineno
    assert note.startswith("the kernel's operations were recorded at") and __file__ in note
    assert any(f"{__file__}:{line + n}," in note for n in range(20))
