"""True and False count as ints, but as sizes they are a mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da


@pytest.mark.parametrize("shape", [True, (True, 4), (4, True), [4, True]])
def test_truths_are_no_sizes_of_a_new_shape(shape: Any) -> None:
    for xp in (np, da):
        x = xp.arange(4)
        for call in (lambda x: x.reshape(shape), lambda x, xp=xp: xp.reshape(x, shape)):
            with pytest.raises(TypeError):
                call(x)
        with pytest.raises(TypeError):
            x[:1].reshape(True)


@pytest.mark.parametrize("shape", [True, (True, 2), [2, False], np.True_])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "broadcast_to"])
def test_truths_are_no_sizes(name: str, shape: Any) -> None:
    for xp in (np, da):
        with pytest.raises(TypeError):
            getattr(xp, name)(*([xp.asarray(1)] if name == "broadcast_to" else []), shape)
