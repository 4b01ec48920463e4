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


@pytest.mark.parametrize("name", ["rand", "randn"])
def test_no_axes_give_a_value(name: str) -> None:
    assert np.isscalar(getattr(np.random, name)())
    drawn = getattr(da.random, name)()
    assert drawn.shape == () and not drawn.flags.writeable
    assert hash(drawn) == hash(drawn.item())


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_an_output_without_axes_stays_an_array(name: str) -> None:
    rng, again, out = da.random.default_rng(3), da.random.default_rng(3), da.zeros(())
    for _ in range(3):
        assert getattr(rng, name)(out=out) is out
        assert out.flags.writeable
        assert float(out) == float(getattr(again, name)())


@pytest.mark.parametrize("size", [((1, 2), 3), (1.5,), "a", 2.5])
def test_a_size_that_is_no_integers(size: Any) -> None:
    for rng in (np.random.default_rng(0), da.random.default_rng(0)):
        with pytest.raises(TypeError):
            rng.normal(size=size)
