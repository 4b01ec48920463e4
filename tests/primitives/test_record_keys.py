"""Keys of records: masks and None stand for as many axes as NumPy's do, and none reaches into an element's bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

FIELDS = np.dtype([("n", "<i4")])
SHAPES = ((), (4,), (2, 4))
DIAGONAL = np.eye(4, dtype=bool)  # as many truths as an element has bytes
KEYS = {
    "None": None,
    "(None,)": (None,),
    "True": True,
    "False": False,
    "np.True_": np.True_,
    "0-d mask": np.array(True),
    "0-d mask, none": np.array(False),
    "(True,)": (True,),
    "(None, True)": (None, True),
    "(True, True)": (True, True),
    "(True, 0)": (True, 0),
    "(0, True)": (0, True),
    "(False, ...)": (False, ...),
    "mask": np.array([True, False, True, True]),
    "mask of two axes": DIAGONAL,
    "the same in a list": DIAGONAL.tolist(),
    "the same beside an Ellipsis": (..., DIAGONAL),
    "mask of the records' two axes": DIAGONAL[:2],
    "mask and index": (DIAGONAL[:2] | DIAGONAL[2:], 0),
    "mask and slice": (DIAGONAL[:2] | DIAGONAL[2:], slice(1, 2)),
    "three slices": (slice(None),) * 3,
    "indices for three axes": (np.array([0]),) * 3,
}


def records(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype="<i4").reshape((*shape, 1)).view(dtype)[..., 0]


def attempt(function: Any) -> Any:
    """The shape and the bytes of what a function gives, or that it raises."""
    try:
        made = function()
    except IndexError:
        return IndexError
    host = made.copy_to_host() if hasattr(made, "copy_to_host") else np.asarray(made)
    return host.shape, host.dtype, host.tobytes()


def on_device(key: Any) -> Any:
    parts = tuple(da.asarray(k) if isinstance(k, np.ndarray) else k for k in (key if type(key) is tuple else (key,)))
    return parts if type(key) is tuple else parts[0]


@pytest.mark.parametrize("where", ["host", "device"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [FIELDS, np.dtype("V4")], ids=["fields", "bytes"])
@pytest.mark.parametrize("name", KEYS)
def test_keys_are_numpys(name: str, dtype: np.dtype, shape: tuple[int, ...], where: str) -> None:
    h, key = records(shape, dtype), KEYS[name]
    x, ours = da.asarray(h), on_device(key) if where == "device" else key
    assert attempt(lambda: x[ours]) == attempt(lambda: h[key])

    def stored(array: Any, key: Any) -> Any:
        array[key] = np.array(7, "<i4").view(dtype)[()]
        return array

    wanted = attempt(lambda: stored(h.copy(), key))
    assert attempt(lambda: stored(x, ours)) == wanted
    if wanted is IndexError:
        assert x.copy_to_host().tobytes() == h.tobytes()


@pytest.mark.parametrize("dtype", ["float64", "M8[D]", "V4", FIELDS], ids=str)
def test_nothing_is_put_into_an_empty_array(dtype: Any) -> None:
    x = da.asarray(np.empty(0, dtype))
    with pytest.raises(IndexError, match="cannot replace elements of an empty array"):
        da.put(x, [0, -1], x, mode="wrap")
    da.put(x, np.empty(0, int), x)
