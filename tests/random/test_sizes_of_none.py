"""``size=()`` gives an array without axes, as NumPy's does; no size gives a value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

DRAWS: dict[str, tuple[Any, ...]] = {
    "random": (),
    "normal": (),
    "integers": (10,),
    "poisson": (3,),
    "choice": (4,),
    "exponential": (),
    "gamma": (2.0,),
    "binomial": (10, 0.5),
    "vonmises": (0, 1),
    "hypergeometric": (5, 5, 3),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_size_without_axes(name: str) -> None:
    theirs, ours = np.random.default_rng(0), da.random.default_rng(0)
    assert isinstance(getattr(theirs, name)(*DRAWS[name], size=()), np.ndarray)
    drawn = getattr(ours, name)(*DRAWS[name], size=())
    assert drawn.shape == () and drawn.flags.writeable
    drawn[...] = 0
    assert not drawn
    again = getattr(da.random.default_rng(0), name)(*DRAWS[name])
    assert again.shape == () and not again.flags.writeable
    assert getattr(da.random.default_rng(0), name)(*DRAWS[name], size=()) == again
    assert hash(again) == hash(again.item())


def test_what_was_drawn_takes_a_result() -> None:
    out = da.random.random(())
    da.sum(da.arange(3.0), out=out)
    assert float(out) == 3
