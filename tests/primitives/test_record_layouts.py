"""Records in other orders of elements and bytes: ``flat``, ``reshape``, ``byteswap``, another dtype; against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

DTYPES: dict[str, Any] = {
    "aligned": [("n", "i8"), ("x", "f8")],
    "packed": [("n", "i4"), ("t", "S3"), ("x", ">f8")],
    "nested": [("in", [("n", "i2"), ("z", "c8", (2,))]), ("t", "U2"), ("when", "M8[s]")],
    "with a gap": {"names": ["n", "x"], "formats": ["i4", "f4"], "offsets": [8, 0], "itemsize": 16},
    "bytes": "V6",
}
LAYOUTS: dict[str, Any] = {
    "C": lambda x: x,
    "transposed": lambda x: x.T,
    "strided": lambda x: x[::-1, ::2],
}


def records(dtype: Any, *shape: int) -> np.ndarray:
    found = np.dtype(dtype)
    raw = np.random.default_rng(1).integers(0, 100, (*shape, found.itemsize), dtype=np.uint8)
    host = np.zeros(shape, found)
    host[...] = raw.view(found)[..., 0]
    return host


@pytest.fixture(params=[(d, layout) for d in DTYPES for layout in LAYOUTS], ids=str)
def both(request: pytest.FixtureRequest) -> tuple[np.ndarray, Any]:
    host = records(DTYPES[request.param[0]], 3, 4)
    return LAYOUTS[request.param[1]](host), LAYOUTS[request.param[1]](da.asarray(host))


def agree(ours: Any, theirs: np.ndarray) -> None:
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    assert repr(ours.tolist()) == repr(theirs.tolist())


@pytest.mark.parametrize("order", ["C", "F", "A"])
def test_reshape_in_an_order(both: tuple[np.ndarray, Any], order: str) -> None:
    host, x = both
    for shape in (host.shape[::-1], -1, (2, -1)):
        agree(x.reshape(shape, order=order), host.reshape(shape, order=order))
        agree(da.reshape(x, shape, order=order), np.reshape(host, shape, order=order))
    assert np.shares_memory(x.reshape(x.shape, copy=True), x) is False


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_one_axis_in_an_order(both: tuple[np.ndarray, Any], order: str) -> None:
    host, x = both
    if order == "K" and any(n < 0 for n in host.strides):
        pytest.skip("NumPy's order of negative strides is that of its copy")
    agree(x.ravel(order), host.ravel(order))
    agree(x.flatten(order), host.flatten(order))


def test_an_order_that_is_none() -> None:
    x = da.asarray(records("V6", 2, 3))
    for program in (lambda: x.reshape(6, order="K"), lambda: x.ravel("Z"), lambda: x.T.reshape(6, copy=False)):
        with pytest.raises(ValueError):
            program()


def bytes_of(x: np.ndarray) -> list[bytes]:
    """Of the fields: what lies between them is nobody's."""
    return [part for name in x.dtype.names for part in bytes_of(x[name])] if x.dtype.names else [x.tobytes()]


def test_byteswap(both: tuple[np.ndarray, Any]) -> None:
    host, x = both
    host = host.copy()
    assert bytes_of(x.byteswap().copy_to_host()) == bytes_of(host.byteswap())
    assert x.byteswap(inplace=True) is x
    assert bytes_of(x.copy_to_host()) == bytes_of(host.byteswap())


@pytest.mark.parametrize("key", [0, -1, slice(1, None, 2), ..., [3, 1], np.arange(6) > 2], ids=repr)
def test_flat(both: tuple[np.ndarray, Any], key: Any) -> None:
    host, x = both
    if isinstance(key, np.ndarray):
        key = np.arange(host.size) > 2
    one = isinstance(key, int)
    assert repr(x.flat[key].tolist()) == repr(host.flat[key].tolist())
    values = records(host.dtype, 3)[::-1]
    x.flat[key], host.flat[key] = (values[0], values[0]) if one else (values, values)
    agree(x, host)
    x.flat, host.flat = values[:1], values[:1]
    agree(x, host)


def test_flat_goes_through_the_elements() -> None:
    host = records(DTYPES["packed"], 2, 3)
    x = da.asarray(host)
    flat = x.T.flat
    assert [one.tolist() for one in flat] == [one.tolist() for one in host.T.flat]
    assert (len(flat), flat.base.shape) == (6, (3, 2))
    assert np.asarray(x.flat.copy().copy_to_host()).tolist() == host.ravel().tolist()


@pytest.mark.parametrize(
    "dtype", ["V4", "i4", "u1", ">i2", [("a", "i2"), ("b", "i2")], [("a", "u1", (8,))], "M8[s]"], ids=str
)
def test_another_dtype_is_assigned(dtype: Any) -> None:
    host = records([("n", "i4"), ("x", "f4")], 2, 4)
    x = da.asarray(host)
    memory = x.bytes
    x.dtype = dtype
    agree(x, host.view(dtype))  # NumPy warns of the assignment, since 2.5
    x[0] = x[1]
    assert memory[0].tolist() == memory[1].tolist()


def test_a_dtype_of_no_whole_number_is_not_assigned() -> None:
    x = da.asarray(records([("n", "i4"), ("x", "f4")], 2, 1))
    with pytest.raises(TypeError):
        x.dtype = "V3"
    with pytest.raises(TypeError):
        x.dtype = object
    assert x.dtype == np.dtype([("n", "i4"), ("x", "f4")])


def test_getfield() -> None:
    host = records([("n", "i4"), ("x", "f4")], 2, 3)
    x = da.asarray(host)
    for dtype, offset in (("f4", 4), ("i2", 6), ("V3", 5), ("u1", 0)):
        agree(x.getfield(dtype, offset), host.getfield(dtype, offset))
    x.getfield("i4")[...] = 7
    assert (x["n"] == 7).all()
    for program in (lambda: x.getfield("f8", 1), lambda: x.getfield("i1", -1)):
        with pytest.raises(ValueError, match="getfield"):
            program()


def test_another_unit_is_assigned_to_dates() -> None:
    host = np.array([1, 2], "M8[s]")
    x = da.asarray(host)
    x.dtype = np.dtype("m8[ms]")
    host = host.view("m8[ms]")
    agree(x, host)
    agree(x.byteswap(), host.byteswap())
    with pytest.raises(TypeError, match="datetime64"):
        x.dtype = "i4"
