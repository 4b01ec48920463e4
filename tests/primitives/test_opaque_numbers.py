"""Fields of packed records, which devices do not read in place, compute as NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
PACKED = np.dtype([("tag", "u1"), ("x", "f8"), ("n", "i4"), ("z", "c16")])


def records() -> np.ndarray:
    h = np.zeros(5, PACKED)
    h["tag"], h["x"], h["n"], h["z"] = [1, 2, 1, 2, 3], [0.5, 2, -1, 4, 3], range(5), np.arange(5) * (1 + 2j)
    return h


FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda r, xp: r["x"] + r["n"],
    "with a number": lambda r, xp: 2 / (1 + r["n"]) - r["x"] ** 2,
    "beside an array": lambda r, xp: xp.arange(5.0) * r["x"],
    "of an array": lambda r, xp: r["x"] - xp.arange(5.0),
    "comparison": lambda r, xp: (r["x"] > 1) & (r["n"] != 3) | (r["n"] == 2),
    "negative": lambda r, xp: -abs(r["x"]),
    "function": lambda r, xp: xp.sqrt(abs(r["z"])),
    "function of two": lambda r, xp: xp.maximum(r["x"], r["n"]),
    "numpy's ufunc": lambda r, xp: np.square(r["x"]),
    "reduction": lambda r, xp: xp.sum(r["x"]),
    "method": lambda r, xp: r["x"].mean(),
    "property": lambda r, xp: r["z"].real,
    "sorted": lambda r, xp: xp.sort(r["x"]),
    "places": lambda r, xp: r["n"][r["x"].argsort()] * 1,
    "joined": lambda r, xp: xp.concatenate([r["x"], r["n"]]),
    "product": lambda r, xp: r["x"] @ r["n"],
    "an element": lambda r, xp: r["x"][1] * 3,
    "where": lambda r, xp: xp.where(r["x"] > 1, r["x"], 0),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    same(FORMS[name](da.asarray(records()), da), np.asarray(FORMS[name](records(), np)))


def test_numbers_of_an_element() -> None:
    r = da.asarray(records())
    assert float(r["x"][3]) == 4.0 and int(r["n"][2]) == 2 and complex(r["z"][1]) == 1 + 2j
    assert [float(x) for x in r["x"]] == [0.5, 2, -1, 4, 3]


def test_in_place_operators_write_to_the_records() -> None:
    h, x = records(), da.asarray(records())
    for r in (h, x):
        field = r["x"]
        field += 1
        r["n"] *= 2
        r["x"][1:3] -= 0.25
    assert (x.copy_to_host() == h).all()
    with pytest.raises(da.DTypeError, match="same_kind"):
        x["n"] += 0.5


def test_sorted_and_filled_in_place() -> None:
    h, x = records(), da.asarray(records())
    for r in (h, x):
        r["x"].sort()
        r["n"].fill(7)
    assert (x.copy_to_host() == h).all()


@pytest.mark.parametrize("method", ["resize"])
def test_methods_that_write_are_refused(method: str) -> None:
    with pytest.raises(AttributeError, match="bytes of dtype"):
        getattr(da.asarray(records())["x"], method)(1)


def test_records_themselves_do_not_compute() -> None:
    x = da.asarray(records())
    with pytest.raises(TypeError):
        x + 1
    with pytest.raises(da.DTypeError):
        da.sin(x)
    with pytest.raises(TypeError):
        np.sin(x)
    same(x == x, np.ones(5, bool))
    assert len({x, x}) == 1


@pytest.mark.parametrize("dtype", [">i2", ">u4", ">f4", ">c8"])
def test_fields_of_the_other_order_of_bytes_compute(dtype: str) -> None:
    """As FITS and other files have them."""
    host = np.zeros(5, [("tag", "u1"), ("x", dtype)])
    host["x"] = np.arange(5) * (3 - 1j if dtype == ">c8" else 300)
    ours = da.asarray(host.copy())
    x = ours["x"]
    for of in (lambda a: a + a, lambda a: a.sum(), lambda a: a == a[2], lambda a: a[::-2] * 2, lambda a: a.copy() * 1):
        wanted = np.asarray(of(host["x"]))
        same(of(x), wanted.astype(wanted.dtype.newbyteorder("=")))
    x += 1
    ours["x"][1] = 77
    ours["x"][2:4] = da.asarray([5, 6])
    host["x"] += 1
    host["x"][1] = 77
    host["x"][2:4] = [5, 6]
    np.testing.assert_array_equal(ours.copy_to_host(), host)
    native = np.dtype(dtype).newbyteorder("=")
    same(x.astype(native), host["x"].astype(native))


TURNED: dict[str, Callable[[Any, Any], Any]] = {
    "the values": lambda xp, x: x.view(">f8").astype("f8"),
    "integers": lambda xp, x: x.view(">i8").astype("i8"),
    "of another size": lambda xp, x: x.view(">u2").astype("u2"),
    "complex": lambda xp, x: x.view(">c16").astype("c16"),
    "strided": lambda xp, x: x[::-2].view(">f8").astype("f8"),
    "rows": lambda xp, x: x.reshape(2, 2).view(">f8").T.astype("f8"),
    "single bytes": lambda xp, x: x.view(">u1"),
    "bytes of a file": lambda xp, x: xp.frombuffer(b"\0\0\0\1\0\0\0\2", xp.uint8).view(">u4").astype("u4"),
    "there and back": lambda xp, x: x.view(">f8").view("<f8"),
    "turned bytes": lambda xp, x: x.byteswap().view(">f8") + 1,
    "a sum": lambda xp, x: xp.asarray(x.byteswap().view(">f8").sum()),
    "elements that are not zero": lambda xp, x: xp.nonzero(x.byteswap().view(">f8"))[0],
    "equality": lambda xp, x: x.byteswap().view(">f8") == x,
    "bytes turned twice": lambda xp, x: x.view(">f8").byteswap().astype("f8"),
    "complex bytes turned": lambda xp, x: x.view(">c16").byteswap().astype("c16"),
    "turned in place": lambda xp, x: (x.view(">f8").byteswap(True), x)[1],
    "what is written": lambda xp, x: (x.view(">f8").__setitem__(slice(1, 3), 7), x.byteswap())[1],
}


@pytest.mark.parametrize("name", TURNED)
def test_views_in_another_order_of_bytes(name: str) -> None:
    host = np.array([1.5, 2.0, -0.0, 3.0])
    same(TURNED[name](da, da.asarray(host)), TURNED[name](np, host.copy()))
