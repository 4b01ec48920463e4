"""Structured dtypes and floats of other packages: stored, moved, indexed, and computed with field by field."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

POINT = np.dtype([("id", "i4"), ("pos", "f4", (3,)), ("mass", "f4"), ("flag", "?"), ("spare", "u1", (3,))])
NESTED = np.dtype([("a", "i4"), ("inner", [("x", "f4"), ("y", "i2"), ("z", "i2")])])
PACKED = np.dtype([("tag", "u1"), ("value", "f4")])


def points(shape: Any = (4, 5), dtype: np.dtype = POINT, seed: int = 1) -> np.ndarray:
    h = np.zeros(shape, dtype)
    rng = np.random.default_rng(seed)
    for name in dtype.names or ():
        if dtype[name].names:
            for inner in dtype[name].names:
                h[name][inner] = rng.integers(0, 100, h[name][inner].shape)
        else:
            h[name] = rng.integers(0, 100, h[name].shape)
    return h


@pytest.mark.parametrize("dtype", [POINT, NESTED, PACKED], ids=["point", "nested", "packed"])
@pytest.mark.parametrize(
    "view",
    [lambda h: h, lambda h: h.T, lambda h: h[::-1, ::2], lambda h: h[1:3, 1]],
    ids=["dense", "T", "reversed", "part"],
)
def test_there_and_back(dtype: np.dtype, view: Any) -> None:
    h = view(points(dtype=dtype))
    x = da.to_device(h)
    assert (type(x), x.shape, x.dtype, x.size, x.nbytes) == (da.OpaqueArray, h.shape, dtype, h.size, h.nbytes)
    back = x.copy_to_host()
    assert back.dtype == dtype and (back == h).all()
    memory = points(dtype=dtype, seed=2)
    wanted = memory.copy()
    view(wanted)[...] = h
    assert x.copy_to_host(view(memory)) is not None
    assert memory.tobytes() == wanted.tobytes()


def test_fields_are_views() -> None:
    h = points()
    x = da.to_device(h)
    same(x["mass"], h["mass"])
    same(x["pos"], h["pos"])
    assert x["mass"].strides == h["mass"].strides
    x["mass"] *= 2
    x["pos"][..., 1] = 7
    x["flag"] = True
    h["mass"] *= 2
    h["pos"][..., 1] = 7
    h["flag"] = True
    assert (x.copy_to_host() == h).all()
    same(x["mass"].sum(), h["mass"].sum())
    with pytest.raises(IndexError, match=r"'speed'.*id, pos"):
        x["speed"]


def test_nested_fields() -> None:
    h = points(dtype=NESTED)
    x = da.to_device(h)
    inner = x["inner"]
    assert isinstance(inner, da.OpaqueArray)
    same(inner["y"] + 1, h["inner"]["y"] + 1)
    x["inner"]["x"][...] = 3
    h["inner"]["x"] = 3
    assert (x.copy_to_host() == h).all()


def test_fields_that_are_not_aligned_say_so() -> None:
    x = da.to_device(points(dtype=PACKED))
    same(x["tag"], points(dtype=PACKED)["tag"])
    with pytest.raises(da.DTypeError, match="align=True"):
        x["value"]
    aligned = np.dtype(PACKED.descr, align=True)
    h = points(dtype=PACKED).astype(aligned)
    same(da.to_device(h)["value"], h["value"])


def test_indexing_and_assignment() -> None:
    h = points()
    x = da.to_device(h)
    for key in (1, (1, 2), slice(None, None, -2), (slice(1, 3), 4), (..., 0), (None, 2), ..., (2, ..., slice(1, 4))):
        assert (x[key].copy_to_host() == h[key]).all()
        assert x[key].shape == h[key].shape
    record = x[3, 1]
    assert record.shape == () and record["id"].item() == h[3, 1]["id"]
    record["id"] = 1000
    assert x.copy_to_host()[3, 1]["id"] == 1000
    h[3, 1]["id"] = 1000
    x[0] = h[1]
    x[1:, 2] = x[:3, 0]
    wanted = h.copy()
    wanted[0] = h[1]
    wanted[1:, 2] = wanted[:3, 0]
    assert (x.copy_to_host() == wanted).all()
    with pytest.raises(IndexError):
        x[0, 0, 0]
    with pytest.raises(da.DTypeError):
        x[0] = da.to_device(points(5, NESTED))
    assert x.reshape(-1).shape == (20,)
    assert (x.reshape(2, 10).copy_to_host() == wanted.reshape(2, 10)).all()
    assert str(x[0, 0].item()) == str(wanted[0, 0].item())


def test_into_an_existing_array_and_from_scalars() -> None:
    h = points()
    x = da.OpaqueArray((4, 5), POINT)
    assert da.to_device(h, to=x) is x
    assert (x.copy_to_host() == h).all()
    scalar = da.to_device(h[0, 0])
    assert scalar.shape == () and str(scalar.item()) == str(h[0, 0].item())
    y = da.OpaqueArray((4, 5), POINT)
    y.copy_to_device(x)
    assert (y.copy().copy_to_host() == h).all()
    with pytest.raises(da.ShapeError):
        x.copy_to_device(h[0])
    with pytest.raises(da.DTypeError, match="copy_to_host"):
        np.asarray(x)
    for bad in (object, "S3", [("o", object)]):
        with pytest.raises(da.DTypeError):
            da.OpaqueArray(3, bad)
    assert "OpaqueArray(" in repr(x)


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    h = np.arange(-8, 8, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(4, 4)
    x = da.to_device(h.T)
    back = x.copy_to_host()
    assert back.dtype == h.dtype and (back == h.T).all()
    assert (x[1:, ::2].copy_to_host() == h.T[1:, ::2]).all()
    wide = (x.view("uint16").astype("uint32") << 16).view("float32")  # a bfloat16 is the upper half of a float32
    same(wide, h.T.astype(np.float32))
