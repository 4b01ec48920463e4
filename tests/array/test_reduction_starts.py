"""`initial=` beside `out=`: NumPy begins in the output, in its dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import near

import devarray as da

_BY_METHOD_AND_BY_NUMPY: list[Callable[..., Any]] = [
    lambda name, x, out, initial: getattr(x, name)(out=out, initial=initial),
    lambda name, x, out, initial: getattr(np, name)(x, out=out, initial=initial),
]


@pytest.mark.parametrize("initial", [0.7, -3, 2])
@pytest.mark.parametrize("wanted", ["bool", "int32", "uint8", "float32", "float64", "complex64"])
@pytest.mark.parametrize("given", ["bool", "uint8", "int64", "float32"])
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_what_a_reduction_begins_with_is_of_the_dtype_of_out(
    name: str, given: str, wanted: str, initial: float
) -> None:
    host = np.array([0.6, 1.5, 2.9]).astype(given)
    for call in _BY_METHOD_AND_BY_NUMPY:
        target = np.zeros((), wanted)
        ours = da.asarray(target)
        try:
            call(name, host, target, initial)
        except OverflowError:  # NumPy takes no number that the operand's dtype does not hold
            with pytest.raises(OverflowError):
                call(name, da.asarray(host), ours, initial)
        else:
            call(name, da.asarray(host), ours, initial)
        near(ours, target, 1)
