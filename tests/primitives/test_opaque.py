"""Structured dtypes and floats of other packages: stored, moved, indexed, and computed with field by field."""

from __future__ import annotations

import copy
import pickle
import weakref
from pathlib import Path
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


def test_copies_have_memory_of_their_own() -> None:
    h = points()
    x = da.to_device(h)
    for make in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        made, one = make(x), make(x[1, 2])
        made["mass"] = -1
        one["mass"] = -1
        assert one.is_element and (x.copy_to_host() == h).all()
        assert (made["mass"].copy_to_host() == -1).all()


def test_fields_that_are_not_aligned_take_each_other() -> None:
    h = points(dtype=np.dtype([*PACKED.descr, ("d", "f8"), ("n", "i4")]))
    x = da.to_device(h)
    h = h.copy()
    for target, source in (("d", "n"), ("n", "value"), ("value", "tag"), ("tag", "d"), ("d", "d")):
        x[target] = x[source]
        h[target] = h[source]
        assert (x.copy_to_host() == h).all()


def test_zeros_like_of_texts_has_none() -> None:
    h = np.array([(b"one", 1, "eins")], [("name", "S4"), ("n", "i4"), ("text", "U4")])
    for made in (da.zeros_like(da.to_device(h)), np.zeros_like(da.to_device(h)), da.zeros_like([1], dtype=h.dtype)):
        assert made.copy_to_host().tolist() == np.zeros_like(h).tolist()


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
    with pytest.raises(ValueError, match=r"speed.*id, pos"):
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


def test_fields_that_are_not_aligned() -> None:
    h = points(dtype=PACKED)
    x = da.to_device(h)
    same(x["tag"], h["tag"])
    value = x["value"]
    assert isinstance(value, da.OpaqueArray) and value.dtype == np.float32 and value.shape == (4, 5)
    same(value.astype("f4") * 2, h["value"] * 2)
    same(value[::-1, 1].astype("f8"), h["value"][::-1, 1].astype("f8"))
    assert (value.copy_to_host() == h["value"]).all()
    x["value"] = da.arange(5.0) * 3  # broadcast, and converted
    x["value"][2, ::2] = -1
    x[3]["value"] = x["value"].astype("f4")[0]
    h["value"] = np.arange(5.0) * 3
    h["value"][2, ::2] = -1
    h[3]["value"] = h["value"][0]
    assert x.copy_to_host().tobytes() == h.tobytes()
    same(value * 2, h["value"] * 2)


@pytest.mark.parametrize("shape", [(4, 5), (), (0, 3)])
def test_records_as_other_records(shape: Any) -> None:
    h = points(shape, PACKED)
    x = da.to_device(h)
    for target in (
        np.dtype(PACKED.descr, align=True),
        np.dtype([("a", "i8"), ("b", "f8")]),
        np.dtype([("b", "f2"), ("a", "c8")]),  # by their order, not their names
        PACKED,
    ):
        back = x.astype(target).copy_to_host()
        assert back.dtype == target and (back == h.astype(target)).all()
    nested = points(shape, NESTED)
    target = np.dtype([("n", "i8"), ("rest", [("p", "f8"), ("q", "i4"), ("r", "u1")])])
    assert (da.to_device(nested).astype(target).copy_to_host() == nested.astype(target)).all()
    wide = points(shape, POINT)
    packed = np.dtype([(name, POINT[name].base, POINT[name].shape) for name in POINT.names[::-1]])[list(POINT.names)]
    assert (da.to_device(wide).astype(packed).copy_to_host() == wide.astype(packed)).all()
    for bad in ("f4", POINT, NESTED["inner"], np.dtype([("a", "i4"), ("b", [("c", "i4")])])):
        with pytest.raises(da.DTypeError, match=r"Cannot cast|fit"):
            x.astype(bad)


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


@pytest.mark.parametrize("name", ["sin", "degrees", "add", "where"])
def test_functions_of_numbers_name_it(name: str) -> None:
    x = da.OpaqueArray((2,), "i4,f4")
    operands = {"add": (x, x), "where": (x, x, x)}.get(name, (x,))
    with pytest.raises(TypeError, match="OpaqueArray"):
        getattr(da, name)(*operands)


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    h = np.arange(-8, 8, dtype=np.float32).astype(ml_dtypes.bfloat16).reshape(4, 4)
    x = da.to_device(h.T)
    back = x.copy_to_host()
    assert back.dtype == h.dtype and (back == h.T).all()
    assert (x[1:, ::2].copy_to_host() == h.T[1:, ::2]).all()
    same(x.astype("f4"), h.T.astype(np.float32))
    same(x.astype("i2"), h.T.astype(np.int16))
    with pytest.raises(da.DTypeError):
        x.astype([("a", "f4")])


def test_rounding_to_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    patterns = np.arange(0, 1 << 32, 65_521, dtype=np.uint64).astype(np.uint32)
    ties = (np.arange(1 << 16, dtype=np.uint32) << 16) + 0x8000
    h = np.concatenate([patterns, ties, ties - 1, ties + 1]).view(np.float32)
    x = da.OpaqueArray(h.shape, ml_dtypes.bfloat16)
    x[...] = da.asarray(h)
    with np.errstate(invalid="ignore"):
        wanted = h.astype(ml_dtypes.bfloat16)
    back = x.copy_to_host()
    number = ~np.isnan(h)
    assert (back.view(np.uint16)[number] == wanted.view(np.uint16)[number]).all()
    assert np.isnan(back[~number].astype(np.float32)).all()
    same(x.astype("f4"), back.astype(np.float32))
    doubles = np.linspace(-3, 3, 1001)
    y = da.to_device(doubles.astype(ml_dtypes.bfloat16))
    y[::2] = da.asarray(doubles)[::2] * 7
    assert (y.copy_to_host()[::2] == (doubles[::2] * 7).astype(ml_dtypes.bfloat16)).all()


_MOVES: dict[str, Any] = {
    "T": lambda xp, x: x.T,
    "transpose": lambda xp, x: x.transpose(0, 2, 1),
    "swapaxes": lambda xp, x: x.swapaxes(0, -1),
    "squeeze": lambda xp, x: x[:1].squeeze(),
    "squeeze an axis": lambda xp, x: x[:1, :1].squeeze(-3),
    "flatten": lambda xp, x: x.flatten(),
    "flatten, F": lambda xp, x: x.flatten("F"),
    "take": lambda xp, x: x.take([3, 0, -1]),
    "take of an axis": lambda xp, x: xp.take(x, [1, 0], axis=-1),
    "repeat": lambda xp, x: x.repeat(2, axis=1),
    "repeat all": lambda xp, x: xp.repeat(x, 3),
    "transpose()": lambda xp, x: xp.transpose(x),
    "reshape()": lambda xp, x: xp.reshape(x, (4, 3)),
    "copy()": lambda xp, x: xp.copy(x),
}


@pytest.mark.parametrize("name", _MOVES)
def test_records_move_as_numpys(name: str) -> None:
    h = np.zeros((2, 3, 2), [("n", "i4"), ("x", "f8")])
    h["n"], h["x"] = np.arange(12).reshape(h.shape), np.arange(12).reshape(h.shape) / 2
    wanted, found = _MOVES[name](np, h), _MOVES[name](da, da.to_device(h))
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.copy_to_host().tolist() == wanted.tolist()


def test_records_are_sorted_filled_and_written(tmp_path: Path) -> None:
    h = np.array([(2, 0.5), (1, 2.5), (1, 1.5)], [("n", "i4"), ("x", "f8")])
    x = da.to_device(h)
    assert x.argsort(order="x").tolist() == h.argsort(order="x").tolist()
    x.sort(order=["n", "x"])
    h.sort(order=["n", "x"])
    assert x.tolist() == h.tolist()
    assert x.tobytes() == h.tobytes()
    x.tofile(tmp_path / "bytes")
    assert (tmp_path / "bytes").read_bytes() == h.tobytes()
    da.save(tmp_path / "records.npy", x)
    assert np.load(tmp_path / "records.npy").tolist() == h.tolist()
    view = x[1:]
    x.fill((7, 0.25))
    assert view.tolist() == [(7, 0.25)] * 2


@pytest.mark.parametrize(
    "key",
    [
        [True, False, True, False],
        np.array([3, 0]),
        [2],
        (np.array([0, 1]), np.array([1, 0])),
        (slice(None), [1, 0]),
        (..., np.array([True, False])),
        np.array([[True, False], [False, True], [False, False], [True, True]]),
    ],
    ids=str,
)
@pytest.mark.parametrize("of", ["a record", "an array"])
def test_assigned_through_index_arrays_and_masks(key: Any, of: str) -> None:
    h = points((4, 2), PACKED)
    x = da.to_device(h)
    value = np.array((7, 2.5), PACKED)
    if of == "an array":
        value = np.broadcast_to(value, h[key].shape).copy()
        value["value"] += np.arange(value.size).reshape(value.shape)
    x[key] = da.to_device(value) if of == "an array" else value
    h[key] = value
    assert x.copy_to_host().tolist() == h.tolist()
    x[key] = (1, 0.5)
    h[key] = (1, 0.5)
    assert x.copy_to_host().tolist() == h.tolist()


def test_numpys_records_compare_with_those_of_the_device() -> None:
    h = np.array([(2, 0.5), (1, 2.5), (1, 1.5)], [("n", "i4"), ("x", "f8")])
    other = h.copy()
    other["x"][1] = 0
    x = da.to_device(h)
    for found, wanted in (
        (x != other, h != other),
        (np.equal(other, x), other == h),
        (np.not_equal(x, x), h != h),
    ):
        same(found, wanted)


def test_flags_are_numpys() -> None:
    numpys = np.zeros((2, 3), [("x", "f4"), ("n", "i8")])
    ours = da.asarray(numpys)
    views = [lambda a: a, lambda a: a.T, lambda a: a[:, ::2], lambda a: a[0], lambda a: a[:, :1], lambda a: a[:0]]
    for view in views:
        for flag in ("c_contiguous", "f_contiguous", "writeable", "forc", "fnc"):
            assert getattr(view(ours).flags, flag) == getattr(view(numpys).flags, flag), flag
    ours.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ours["x"] = 1
    assert da.asarray(np.zeros(3, [("x", "f4")])).swapaxes(0, 0).shape == (3,)


def test_weak_references() -> None:
    for x in (da.zeros(2, "i4,f4"), da.zeros(2, "M8[s]"), da.zeros(2)):
        assert weakref.ref(x)() is x
