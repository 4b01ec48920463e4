"""NumPy's functions beyond the standard: shapes and memory, diagonals, grids, choices, bits, files."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import near
from numpy_cases import CASES, WRONG, Body, after
from oracle import DTYPES, host, moderate, on_both, same, silent

import devarray as da
from devarray.interop.numpy_functions import names

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
]
ROUNDED = {"geomspace", "logspace"}  # powers and logarithms differ in their last bits


def compare(name: str, ours: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple | list):
        assert type(ours) is type(wanted)
        assert len(ours) == len(wanted)
        for mine, theirs in zip(ours, wanted, strict=True):
            compare(name, mine, theirs)
    elif isinstance(wanted, bool | int | str):
        assert ours == wanted
    elif name in ROUNDED:
        got = host(ours)
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, rtol=64 * np.finfo(wanted.dtype).eps, atol=1e-300)
    else:
        assert isinstance(ours, da.Array) or name.startswith("save")
        same(ours, wanted)


def results(xp: Any, body: Body, arrays: tuple[np.ndarray, ...]) -> tuple[Any, Any]:
    """Of the body over arrays of the device, in the namespace given, and of NumPy over its own."""
    ours = body(xp, *(da.asarray(a) for a in arrays))
    with silent():
        return ours, body(np, *(a.copy() for a in arrays))


@pytest.mark.parametrize("name", CASES)
def test_ours_under_numpys_name(name: str) -> None:
    for body, arrays in CASES[name]:
        compare(name, *results(da, body, arrays))


@pytest.mark.parametrize("name", sorted(set(names()) & set(CASES)))
def test_numpys_own_on_arrays_of_the_device(name: str) -> None:
    for body, arrays in CASES[name]:
        if arrays:
            compare(name, *results(np, body, arrays))


@pytest.mark.parametrize("number", range(len(WRONG)), ids=lambda i: f"{WRONG[i][0]}-{i}")
def test_what_numpy_refuses_is_refused_with_its_kind_of_error(number: int) -> None:
    name, body = WRONG[number]
    x = moderate("float32", (4, 6), 1)
    with pytest.raises((ValueError, TypeError, IndexError)) as numpys:
        body(np, x.copy())
    kinds = tuple(kind for kind in (ValueError, TypeError, IndexError) if isinstance(numpys.value, kind))
    with pytest.raises(kinds) as ours:
        body(da, da.asarray(x))
    assert isinstance(ours.value, da.Error), f"{name}: {ours.value!r}"


# --- what NumPy's results do not show ------------------------------------------------------------------------------


def test_these_wait_for_nothing() -> None:
    x, k = da.asarray(moderate("float32", (4, 6), 1)), da.asarray(moderate("int32", (4, 6), 3) % 3)
    values = da.asarray(moderate("float32", 5, 2))
    da.config.forbid_waits = True
    try:
        parts = [
            da.select([x > 1, x < 0], [x, 2 * x], 7),
            da.choose(k, [x, -x, x * x], mode="wrap"),
            da.block([[x, x], [x, x]]),
            da.insert(x, [1, 2], 3.0, axis=1),
            da.delete(x, [0, 2, 4], axis=1),
            da.delete(values, [0, 2, 4]),
            da.resize(x, (7, 9)),
            da.tril_indices(5)[0],
            da.lexsort((k, x)) if x.device.strategy == "gpu" else x,
            da.packbits(k),
            da.unravel_index(k % 24, (4, 6))[1],
            da.ravel_multi_index((k, k), (4, 6), mode="clip"),
            da.vander(values),
            da.diag(values),
            da.geomspace(1, values * values + 1, 5),
        ]
        da.putmask(x, x > 0, values)
        da.place(x, x > 0, values)
        da.put(x, k, values)
        da.fill_diagonal(x, values)
        da.copyto(x, values[0], where=k > 0)
        for part in parts:
            part.evaluate()
    finally:
        da.config.forbid_waits = False
    assert all(part.size for part in parts)


@pytest.mark.usefixtures("deferred")
@pytest.mark.parametrize("value", [-1, 24])
def test_indices_of_the_device_raise_at_the_next_wait(value: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rule 13; those that the host sees raise at the call."""
    monkeypatch.setattr(da.config, "host_elements", 0)
    x, i = da.zeros((4, 6)), da.asarray([0, value])
    calls = [
        lambda: da.unravel_index(i, (4, 6)),
        lambda: da.ravel_multi_index((i, [0, 0]), (24, 2)),
        lambda: da.choose(i, [1] * 24),
    ]
    for call in [*calls, lambda: da.put(x, i * 30, 1.0)]:
        call()
        with pytest.raises(IndexError, match="out of bounds"):
            da.synchronize()
    same(x.reshape(-1)[1:], np.zeros(23))


@pytest.mark.parametrize("places", [[], [0], [-1], [0, -1], [5, 6, 7], [7, 3], [2, 2, 9, -4], range(1, 400, 3)])
def test_delete_of_one_run_of_two_and_of_many(places: list[int]) -> None:
    h = np.random.default_rng(5).random((403, 5)).astype(np.float32)
    x, places = da.asarray(h), list(places)
    for where in (places, np.array(places, int)) if places else (places,):
        same(da.delete(x, where, axis=0), np.delete(h, where, axis=0))
        same(da.delete(x[::-1, 2], where), np.delete(h[::-1, 2], where))
        same(da.delete(x, where), np.delete(h, where))
        same(da.delete(x.T, where, 1), np.delete(h.T, where, 1))
    same(da.delete(x, da.arange(403), axis=0), np.delete(h, np.arange(403), axis=0))
    same(da.delete(x, da.asarray(h[:, 0] > 0.3), axis=0), np.delete(h, h[:, 0] > 0.3, axis=0))


@pytest.mark.parametrize("v", [7, [7], [1, 2], [1, 2, 3], [1, 2, 3, 4], np.arange(6).reshape(2, 3)])
def test_put_repeats_values(v: Any) -> None:
    for ind in ([5], [0, 3, -1], [[1, 2], [0, 11]]):
        h = np.arange(12).reshape(3, 4)
        x = da.asarray(h)
        da.put(x, ind, v)
        np.put(h, ind, v)
        same(x, h)


def test_writing_through_views() -> None:
    a = moderate("float32", (6, 6), 1)
    x = da.asarray(a)
    for xp, target in ((da, x), (np, a)):
        view = target[1:5:2, ::-2].T
        xp.put(view, xp.asarray([0, 4]), xp.asarray([50.0, 60.0], dtype=np.float32))
        xp.putmask(view, view < 0, [1, 2, 3])
        xp.place(view, view < 2, np.float32([4, 5]))
        xp.fill_diagonal(target[::-1], 9)
        with pytest.raises(ValueError, match="read-only"):
            xp.diag(target[:2])[...] = 3
        diagonal = xp.diagonal(target, 1)
        diagonal.flags.writeable = True
        diagonal[...] = 3
    same(x, a)
    for name in ("rot90", "fliplr", "flipud", "atleast_3d", "trim_zeros"):
        assert da.shares_memory(getattr(da, name)(x), x), name
    assert all(da.shares_memory(part, x) for part in da.array_split(x, 4))


def test_memory_orders() -> None:
    x = da.asarray(moderate("float32", (4, 6), 1))
    assert da.ascontiguousarray(x) is x or da.shares_memory(da.ascontiguousarray(x), x)
    assert da.ascontiguousarray(x.T).is_c_contiguous()
    assert da.asfortranarray(x).strides == (4, 16)
    same(da.asfortranarray(x), host(x))
    assert da.shares_memory(da.asfortranarray(x.T), x)
    assert da.ascontiguousarray(x[0, 0]).shape == da.asfortranarray(3.0).shape == (1,)
    assert da.asanyarray(x, order="F").is_f_contiguous()
    wide = da.broadcast_to(x[:1], (4, 6))
    assert not da.shares_memory(da.require(wide, requirements="W"), x)
    assert da.shares_memory(da.require(x, requirements=["C", "A", "WRITEABLE"]), x)
    assert not da.shares_memory(da.require(x, requirements="CO"), x)
    assert da.require(x, np.float64, ["F"]).strides == (8, 32)
    for wrong in (["C", "F"], ["X"]):
        with pytest.raises(da.errors.ValueError, match="require"):
            da.require(x, requirements=wrong)
    with pytest.raises(da.errors.ValueError, match="infinities"):
        da.asarray_chkfinite(da.asarray([1.0, np.inf]))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "complex64"])
def test_files(dtype: str, tmp_path: Any) -> None:
    a = moderate(dtype, (3, 5), 1)
    da.save(tmp_path / "a", da.asarray(a).T)
    same(da.load(tmp_path / "a.npy"), a.T)
    da.savez(tmp_path / "b.npz", da.asarray(a), a[0], point=da.asarray(a)[0, 0])
    with da.load(tmp_path / "b.npz") as archive:
        assert sorted(archive) == ["arr_0", "arr_1", "point"]
        same(archive["arr_0"], a)
        same(archive["arr_1"], a[0])
        same(archive["point"], a[0, 0])
    file = io.BytesIO()
    np.save(file, da.asarray(a))
    file.seek(0)
    same(da.load(file), a)


def test_print_options_are_numpys() -> None:
    x = da.asarray([1 / 3, 2.0])
    before = da.get_printoptions()
    assert before == np.get_printoptions()
    with da.printoptions(precision=2):
        assert da.array_str(x) == str(np.array([1 / 3, 2.0])) == str(x)
    da.set_printoptions(precision=5)
    try:
        assert np.get_printoptions()["precision"] == 5
    finally:
        da.set_printoptions(**before)


def test_masks_of_the_device_are_counted_there() -> None:
    a = moderate("int32", 50, 1)
    x = da.asarray(a)
    same(da.insert(x, x > 2, 9), np.insert(a, a > 2, 9))
    same(da.delete(x, x > 2), np.delete(a, a > 2))
    same(da.trim_zeros(x * 0), np.trim_zeros(a * 0))
    for mine, theirs in zip(da.unravel_index([3, 4], (2, 3)), np.unravel_index([3, 4], (2, 3)), strict=True):
        same(mine, theirs)


def test_out_through_numpy() -> None:
    a, i = moderate("float32", (4, 6), 1), np.array([0, 1, 1, 0, 0, 1])
    x, out = da.asarray(a), da.zeros((4, 6))
    assert np.choose(da.asarray(i), [x, -x], out=out) is out
    same(out, np.choose(i, [a, -a]).astype(np.float64))
    out = da.zeros((2, 6), "f4")
    np.compress([True, False, True, False], x, 0, out=out)
    same(out, a[::2])
    wide = da.zeros((2, 6))
    try:  # NumPy before 2.5 reads such an `out` first
        np.compress([True, False, True, False], a, 0, out=np.zeros((2, 6)))
    except TypeError:
        with pytest.raises(TypeError, match="safe"):
            np.compress([True, False, True, False], x, 0, out=wide)
    else:
        np.compress([True, False, True, False], x, 0, out=wide)
        same(wide, a[::2].astype(np.float64))
    total = da.zeros(4)
    assert np.sum(x, 1, out=total) is total
    near(total, a.astype(np.float64).sum(1), 4)


POSITIONAL: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(["all", "amax", "amin", "any", "argmax", "argmin", "argsort", "count_nonzero"], (0,)),
    **dict.fromkeys(["flip", "max", "min", "sort"], (0,)),
    **dict.fromkeys(["mean", "nanprod", "nansum", "prod", "std", "sum", "var"], (0, np.float64)),
    **dict.fromkeys(["array", "asarray", "ones_like", "zeros_like"], (np.int16,)),
    "diff": (2, 0),
    "full_like": (3, np.int16),
    "repeat": (2, 1),
    "reshape": ((6, 4), "F"),
    "roll": (1, 0),
    "take": (np.array([0, 2]), 1),
    "take_along_axis": (np.zeros((1, 6), np.int64), 0),
    "tril": (1,),
    "triu": (1,),
}


@pytest.mark.parametrize("name", POSITIONAL)
def test_arguments_by_position_as_numpy_has_them(name: str) -> None:
    a = moderate("float32", (4, 6), 1).round()
    same(getattr(da, name)(da.asarray(a), *POSITIONAL[name]), getattr(np, name)(a, *POSITIONAL[name]))


def test_more_by_position() -> None:
    a = moderate("float32", (4, 6), 1)
    x = da.asarray(a)
    same(da.eye(3, 4, 1, np.int32), np.eye(3, 4, 1, np.int32))
    same(da.linspace(0, 1, 5, False), np.linspace(0, 1, 5, False))
    same(da.linspace(0, 1), np.linspace(0, 1))
    same(da.concat([x, x], 1), np.concatenate([a, a], 1))
    same(da.stack([x, x], 1), np.stack([a, a], 1))
    same(da.searchsorted(x[0] * 0, x, "right"), np.searchsorted(a[0] * 0, a, "right"))
    assert da.empty_like(x, np.int8).dtype == np.int8


def test_array_copies() -> None:
    x = da.ones(3)
    assert not da.shares_memory(da.array(x), x)
    assert da.array(x, copy=None) is x
    assert da.array(x, ndmin=3).shape == (1, 1, 3)
    same(da.array([[1, 2], [3, 4]], np.float32), np.array([[1, 2], [3, 4]], np.float32))


EVERY_DTYPE: dict[str, Body] = {
    "append": lambda xp, x, b: xp.append(x, x[::-1], 0),
    "insert": lambda xp, x, b: xp.insert(x, [1, 3], x[:, :2], 1),
    "delete": lambda xp, x, b: xp.delete(x, [0, 2, 5], 1),
    "resize": lambda xp, x, b: xp.resize(x, (5, 7)),
    "block": lambda xp, x, b: xp.block([[x, b], [b, x]]),
    "trim_zeros": lambda xp, x, b: xp.trim_zeros(x * 0 if x.dtype != bool else b),
    "diag": lambda xp, x, b: xp.diag(x[0], -1),
    "compress": lambda xp, x, b: xp.compress(b[0], x, 1),
    "select": lambda xp, x, b: xp.select([b, ~b[::-1]], [x, x[::-1]], 1),
    "choose": lambda xp, x, b: xp.choose(b * 1, [x, x[::-1]]),
    "lexsort": lambda xp, x, b: xp.lexsort((b, x)),
    "rot90": lambda xp, x, b: xp.rot90(x),
    "array_split": lambda xp, x, b: xp.array_split(x, 3)[1],
    "copyto": after(lambda xp, x, b: xp.copyto(x, x[::-1], where=b)),
    "put": after(lambda xp, x, b: xp.put(x, [3, 1, 20], x[0])),
    "putmask": after(lambda xp, x, b: xp.putmask(x, b, x[0, ::-1])),
    "place": after(lambda xp, x, b: xp.place(x, b, x[1])),
    "fill_diagonal": after(lambda xp, x, b: xp.fill_diagonal(x, x[1])),
    "piecewise": lambda xp, x, b: xp.piecewise(x, [b], [1, lambda v: v[::-1]]),
}


@pytest.mark.parametrize("name", EVERY_DTYPE)
@pytest.mark.heavy
def test_every_dtype(name: str) -> None:
    b = moderate("bool", (4, 6), 7)
    for dtype in DTYPES:
        if dtype in ("float64", "complex128") and not da.device().fp64:
            continue
        a = moderate(dtype, (4, 6), 3)
        same(*on_both(lambda xp, x, m: EVERY_DTYPE[name](xp, x[:, ::-1], m), a, b), dtype)


def test_packed_bits_of_many() -> None:
    a = np.random.default_rng(0).integers(0, 2, (37, 1003), np.uint8)
    for axis in (None, 0, 1):
        packed = da.packbits(da.asarray(a), axis)
        same(packed, np.packbits(a, axis))
        same(
            da.unpackbits(packed, axis, a.size if axis is None else a.shape[axis]), a.reshape(-1) if axis is None else a
        )


METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "argpartition": lambda x, i: x.argpartition(2, 0)[2] * 0,
    "argsort": lambda x, i: x.argsort(0, kind="stable"),
    "argsort, flat": lambda x, i: x.argsort(None, stable=True),
    "choose": lambda x, i: i.choose([x, -x, x * 2]),
    "compress": lambda x, i: x.compress([True, False, True], 0),
    "cumprod": lambda x, i: i.cumprod(1),
    "cumsum": lambda x, i: i.cumsum(dtype=np.int16),
    "diagonal": lambda x, i: x.diagonal(1),
    "nonzero": lambda x, i: i.nonzero()[1],
    "partition": lambda x, i: (x.partition(1), x[:, 1])[1],
    "put": lambda x, i: (x[::-1].put([0, 5], [7, 8]), x)[1],
    "repeat": lambda x, i: x.repeat(2, 1),
    "searchsorted": lambda x, i: np.sort(x[0]).searchsorted(x, "right"),
    "sort": lambda x, i: (x[:, ::-1].sort(0), x)[1],
    "take": lambda x, i: x.take(i, axis=1),
    "tobytes": lambda x, i: np.array(list(x.T.tobytes())),
    "trace": lambda x, i: i.trace(1),
    "trace of more": lambda x, i: i[None].trace(0, 2, 1, np.int8),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name: str) -> None:
    a, i = moderate("float32", (4, 6), 1), moderate("int32", (4, 6), 3) % 3
    same(METHODS[name](da.asarray(a), da.asarray(i)), METHODS[name](a.copy(), i.copy()))


def test_bits_of_bytes_that_are_seen_as_bool() -> None:
    """Any byte that is not zero is true, whoever wrote it."""
    h = np.array([2, 0, 1, 128, 0, 0, 255, 1, 4], np.uint8)
    for order in ("big", "little"):
        same(da.packbits(da.asarray(h).view(da.bool), bitorder=order), np.packbits(h != 0, bitorder=order))
