"""What is written to numbers that kernels do not load: fields of packed records, bfloat16, another order of bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

PACKED = np.dtype([("k", "u1"), ("x", "f8"), ("n", "i4"), ("c", "c8")])


def packed() -> tuple[Any, Any]:
    host = np.zeros(6, PACKED)
    host["x"], host["n"], host["c"] = [-1, 2, 5, -3, 0.5, 1.7], range(6), 1 + 2j
    return da.to_device(host), host


def swapped() -> tuple[Any, Any]:
    x = np.array([-1, 2, 5, -3, 0.5, 1.7]).byteswap()
    return da.to_device(x).view(">f8"), x.view(">f8")


def pair(kind: str) -> tuple[Any, Any]:
    if kind == "swapped":
        return swapped()
    ours, theirs = packed()
    return ours["x"], theirs["x"]


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "clip": lambda np, w: np.clip(w, 0, 2, out=w),
    "method clip": lambda np, w: w.clip(0, 2, out=w),
    "clip by place": lambda np, w: w.clip(0, 2, w),
    "round": lambda np, w: np.round(w, out=w),
    "method round": lambda np, w: w.round(out=w),
    "add": lambda np, w: np.add(w, 1, out=w),
    "add by place": lambda np, w: np.add(w, 1, w),
    "add where": lambda np, w: np.add(w, 1, out=w, where=w > 0),
    "of integers": lambda np, w: np.add(np.arange(6), 1.5, out=w),
    "modf": lambda np, w: np.modf(w[:3], w[:3], w[3:]),
    "cumsum": lambda np, w: np.cumsum(w, out=w),
    "method cumsum": lambda np, w: w.cumsum(out=w),
    "sum": lambda np, w: np.sum(w.reshape(2, 3), axis=0, out=w[:3]),
    "mean": lambda np, w: np.mean(w.reshape(2, 3), axis=0, out=w[:3]),
    "max": lambda np, w: w.reshape(2, 3).max(0, w[:3]),
    "take": lambda np, w: np.take(w, [0, 1, 2], out=w[3:]),
    "method take": lambda np, w: w.take([0, 1, 2], out=w[3:]),
    "concatenate": lambda np, w: np.concatenate([w[:2], w[:4]], out=w),
    "accumulate": lambda np, w: np.add.accumulate(w, out=w),
    "reduce": lambda np, w: np.add.reduce(w.reshape(2, 3), axis=0, out=w[:3]),
    "at": lambda np, w: np.add.at(w, [0, 0], 2),
    "put": lambda np, w: np.put(w, [0], [5]),
    "method put": lambda np, w: w.put([1], [3]),
    "putmask": lambda np, w: np.putmask(w, w > 1, 0),
    "place": lambda np, w: np.place(w, w > 1, [0]),
    "put_along_axis": lambda np, w: np.put_along_axis(w, np.asarray([1]), 5, 0),
    "fill_diagonal": lambda np, w: np.fill_diagonal(w[:4].reshape(2, 2), 9),
    "flat item": lambda np, w: w.flat.__setitem__(0, 9),
    "flat slice": lambda np, w: w.flat.__setitem__(slice(1, 3), [7, 8]),
    "flat of columns": lambda np, w: w.reshape(2, 3).T.flat.__setitem__(1, 77),
    "flat": lambda np, w: setattr(w, "flat", 4),
    "real": lambda np, w: w.real.__setitem__(0, 9),
    "view": lambda np, w: w.view().__setitem__(0, 9),
    "@=": lambda np, w: w.__imatmul__(np.eye(6) * 2),
}


@pytest.mark.parametrize("kind", ["packed", "swapped"])
@pytest.mark.parametrize("name", CALLS)
def test_what_is_written_stays(name: str, kind: str) -> None:
    ours, theirs = pair(kind)
    made, wanted = CALLS[name](da, ours), CALLS[name](np, theirs)
    assert ours.copy_to_host().tolist() == theirs.tolist()
    if name not in ("@=", "flat"):
        assert type(made) is tuple or made is None or made.copy_to_host().tolist() == wanted.tolist()


@pytest.mark.parametrize("call", [np.add, np.multiply])
def test_numpys_own_ufuncs_write(call: Any) -> None:
    (ours, theirs), values = pair("packed"), np.arange(6.0)
    call(values, 3, out=ours)
    call(values, 3, out=theirs)
    call.at(ours, [0, 0], 2)
    call.at(theirs, [0, 0], 2)
    assert ours.copy_to_host().tolist() == theirs.tolist()


def test_bfloat16_is_written_rounded() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    host = np.array([-1, 2.5, 5, 0.7], ml_dtypes.bfloat16)
    x = da.to_device(host)
    for call in (lambda x: x.clip(0, 3, out=x), lambda x: x.round(out=x), lambda x: x.flat.__setitem__(0, 9)):
        call(x)
        call(host)
    np.add(x, 1, out=x)
    np.add(host, 1, out=host)
    assert x.dtype == host.dtype and x.copy_to_host().tolist() == host.tolist()


def test_parts_of_complex_numbers_are_views() -> None:
    ours, theirs = packed()
    for c in (ours["c"], theirs["c"]):
        c.real[1] = 5
        c.imag[2:] *= 2
        c.real = c.imag
    assert ours["c"].copy_to_host().tolist() == theirs["c"].tolist()
    assert ours["x"].imag.copy_to_host().tolist() == [0.0] * 6


def test_casts_and_shapes_are_checked() -> None:
    ours, _ = packed()
    with pytest.raises(da.DTypeError, match="same_kind"):
        da.add(ours["n"], 0.5, out=ours["n"])
    with pytest.raises(da.ShapeError):
        da.add(ours["x"], 1, out=ours["x"][:2])
    with pytest.raises(da.DTypeError):
        da.add(da.arange(6), 1, out=ours)


def test_conversions_take_numpys_parameters() -> None:
    (ours, _), (w, host) = packed(), pair("packed")
    assert w.astype("f8", copy=False) is w
    assert w.astype("f8").copy_to_host().tolist() == host.tolist()
    with pytest.raises(da.DTypeError, match="safe"):
        w.astype("i4", casting="safe")
    n, host_n = ours["n"], np.arange(6, dtype="i4")
    for made, wanted in ((da.c_[w, n], np.c_[host, host_n]), (da.r_[w, n], np.r_[host, host_n])):
        assert made.dtype == wanted.dtype and made.copy_to_host().tolist() == wanted.tolist()
    assert da.vander(w, 2).copy_to_host().tolist() == np.vander(host, 2).tolist()
    for x in (w, ours["c"]):
        kinds = da.iscomplexobj(x), da.isrealobj(x)
        assert kinds == (np.iscomplexobj(x.copy_to_host()), np.isrealobj(x.copy_to_host()))
