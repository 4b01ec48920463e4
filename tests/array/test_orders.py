"""NumPy's memory orders, and the parameters beside them: values and strides as NumPy's."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da

DTYPES = ("bool", "int8", "uint16", "int64", "float32", "float64", "complex64")
LAYOUTS = {
    "C": lambda x: x,
    "F": lambda x: x.T.copy().T,
    "axes moved": lambda x: x.transpose(2, 0, 1),
    "every second": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1],
    "backwards in F": lambda x: x.T.copy().T[:, ::-1],
}


def pair(layout: str, dtype: str = "float64") -> tuple[np.ndarray, da.Array]:
    """One array on the host and on the device, in one layout."""
    host = np.arange(24).reshape(2, 3, 4).astype(dtype)
    device = da.empty((2, 3, 4), dtype)
    device[...] = da.asarray(host)
    return LAYOUTS[layout](host), LAYOUTS[layout](device)


def assert_same(ours: da.Array, theirs: np.ndarray) -> None:
    assert isinstance(ours, da.Array)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_array_equal(ours.copy_to_host(), theirs)
    assert steps(ours) == steps(theirs)


def steps(x: Any) -> tuple[int, ...]:
    """Strides of the axes that have more than one element; those of the others mean nothing."""
    return tuple(step for step, size in zip(x.strides, x.shape, strict=True) if size > 1) if x.size else ()


ORDERED: dict[str, tuple[str, Callable[..., Any]]] = {
    "asarray": ("CFAK", lambda xp, x, order: xp.asarray(x, order=order)),
    "asarray to float32": ("CFAK", lambda xp, x, order: xp.asarray(x, np.float32, order)),
    "asarray copied": ("CFAK", lambda xp, x, order: xp.asarray(x, order=order, copy=True)),
    "asanyarray": ("CFAK", lambda xp, x, order: xp.asanyarray(x, None, order)),
    "array": ("CFAK", lambda xp, x, order: xp.array(x, order=order)),
    "array of five axes": ("CFAK", lambda xp, x, order: xp.array(x, order=order, ndmin=5, subok=True)),
    "copy": ("CFAK", lambda xp, x, order: xp.copy(x, order)),
    "copy method": ("CFAK", lambda xp, x, order: x.copy(order)),
    "astype": ("CFAK", lambda xp, x, order: x.astype("complex64", order)),
    "astype of the same": ("CFAK", lambda xp, x, order: x.astype(x.dtype, order=order, copy=False)),
    "astype by rule": ("CFAK", lambda xp, x, order: x.astype("complex128", order, "same_kind", True, True)),
    "ravel": ("CFAK", lambda xp, x, order: xp.ravel(x, order)),
    "flatten": ("CFAK", lambda xp, x, order: x.flatten(order)),
    "reshape": ("CFA", lambda xp, x, order: xp.reshape(x, (x.size // 2, 2), order)),
    "zeros_like": ("CFAK", lambda xp, x, order: xp.zeros_like(x, None, order)),
    "ones_like": ("CFAK", lambda xp, x, order: xp.ones_like(x, np.int16, order, True)),
    "full_like": ("CFAK", lambda xp, x, order: xp.full_like(x, 1, order=order, subok=False)),
    "full_like of another shape": ("CFAK", lambda xp, x, order: xp.full_like(x, 1, order=order, shape=(2, 2, 5))),
    "full_like of fewer axes": ("CFAK", lambda xp, x, order: xp.full_like(x, 1, order=order, shape=(2, 5))),
    "zeros": ("CF", lambda xp, x, order: xp.zeros(x.shape, x.dtype, order)),
    "ones": ("CF", lambda xp, x, order: xp.ones(x.shape, x.dtype, order)),
    "full": ("CF", lambda xp, x, order: xp.full(x.shape, 1, x.dtype, order)),
    "full of a row": ("CF", lambda xp, x, order: xp.full(x.shape, x[0], order=order)),
    "eye": ("CF", lambda xp, x, order: xp.eye(3, 4, 1, x.dtype, order)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ORDERED)
def test_orders(name: str, layout: str) -> None:
    orders, call = ORDERED[name]
    host, device = pair(layout)
    for order in orders + orders.lower():
        assert_same(call(da, device, order), call(np, host, order))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", "CFAK")
def test_orders_of_every_dtype(order: str, dtype: str) -> None:
    host, device = pair("axes moved", dtype)
    assert_same(da.asarray(device, order=order), np.asarray(host, order=order))
    assert_same(device.astype("complex128", order), host.astype("complex128", order))
    assert_same(da.asarray(host, order=order), np.asarray(host, order=order))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("order", [None, *"CFAK"])
def test_host_arrays_keep_their_order(layout: str, order: str | None) -> None:
    host, _ = pair(layout)
    ours, theirs = da.array(host, order=order), np.array(host, order=order)
    assert_same(ours, theirs)
    assert_same(da.asarray(host.tolist(), order=order), np.asarray(host.tolist(), order=order))


def test_dense_in_one_order() -> None:
    host, device = pair("axes moved")
    assert_same(da.ascontiguousarray(device, np.float32), np.ascontiguousarray(host, np.float32))
    assert_same(da.asfortranarray(device, like=device), np.asfortranarray(host))
    assert da.asfortranarray(3).shape == (1,)
    assert_same(da.require(device, None, ["F", "O"]), np.require(host, None, ["F", "O"]))


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.zeros(3, order="K"),
        lambda xp: xp.empty((3, 3), order="A"),
        lambda xp: xp.asarray([1], order="Q"),
        lambda xp: xp.ones(3).copy("CF"),
        lambda xp: xp.ones((3, 3)).reshape(9, order="K"),
        lambda xp: xp.asarray(xp.ones((2, 3)), order="F", copy=False),
        lambda xp: xp.ones(3).astype(int, order="B"),
        lambda xp: xp.sort(xp.ones(3), kind="bogus"),
        lambda xp: xp.sort(xp.ones(3), kind="stable", stable=True),
        lambda xp: xp.argsort(xp.ones(3), order="f0"),
        lambda xp: xp.partition(xp.ones(3), 1, kind="quick"),
        lambda xp: xp.take(xp.ones(3), xp.asarray([0]), mode="bogus"),
        lambda xp: xp.linspace(0, 1, -1),
        lambda xp: xp.concatenate([xp.ones(2), xp.ones((2, 2))]),
    ],
)
def test_value_errors(call: Callable[[Any], Any]) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError):
            call(xp)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp: xp.zeros(3, order=1),
        lambda xp: xp.asarray([1], like=3),
        lambda xp: xp.concatenate([xp.ones(2)], out=xp.ones(2), dtype=np.float32),
        lambda xp: xp.concatenate([xp.ones(2)], dtype=np.int32),
        lambda xp: xp.stack([xp.ones(2)], dtype=np.int32),
        lambda xp: xp.vstack([xp.ones(2)], dtype=np.float32, casting="safe"),
        lambda xp: xp.concatenate([xp.ones(2)], out=xp.ones(2, np.int32)),
        lambda xp: xp.ones(3).astype(np.int32, casting="safe"),
        lambda xp: xp.arange(),
        lambda xp: xp.linspace(0, 1, 2.5),
    ],
)
def test_type_errors(call: Callable[[Any], Any]) -> None:
    for xp in (np, da):
        with pytest.raises(TypeError):
            call(xp)


JOINED: dict[str, Callable[..., Any]] = {
    "concatenate": lambda xp, x, **more: xp.concatenate([x, x], 1, **more),
    "concat flat": lambda xp, x, **more: xp.concat([x, x], None, **more),
    "stack": lambda xp, x, **more: xp.stack([x, x, x], 1, **more),
    "stack at the end": lambda xp, x, **more: xp.stack([x, x], -1, **more),
    "hstack": lambda xp, x, **more: xp.hstack([x, x], **more),
    "vstack": lambda xp, x, **more: xp.vstack(tup=[x, x], **more),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", JOINED)
def test_joined(name: str, layout: str) -> None:
    host, device = pair(layout)
    call = JOINED[name]
    assert_same(call(da, device), call(np, host))
    assert_same(call(da, device, dtype=np.float32), call(np, host, dtype=np.float32))
    assert_same(call(da, device, dtype="int8", casting="unsafe"), call(np, host, dtype="int8", casting="unsafe"))


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_joined_into_out(dtype: str) -> None:
    host, device = pair("C", "int16")
    for join, shape in ((np.concatenate, (4, 3, 4)), (np.stack, (2, 2, 3, 4))):
        out = da.zeros(shape, dtype)
        assert getattr(da, join.__name__)([device, device], 0, out) is out
        assert_same(out, join([host, host], 0, np.zeros(shape, dtype)))


def test_joined_into_its_own_memory() -> None:
    device = da.arange(6)
    da.concatenate([device[3:], device[:3]], out=device)
    assert device.tolist() == [3, 4, 5, 0, 1, 2]


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("num", [0, 1, 2, 7])
@pytest.mark.parametrize("ends", [(0, 1), (3.5, 3.5), ([0, 10], [1, 5]), ([[1.0], [2.0]], [3, 4, 5]), (1j, 2)])
def test_linspace(ends: Any, num: int, endpoint: bool) -> None:
    ours, step = da.linspace(*ends, num, endpoint, True)
    theirs, wanted = np.linspace(*ends, num, endpoint, True)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=1e-15)
    np.testing.assert_allclose(step.copy_to_host() if isinstance(step, da.Array) else step, wanted, rtol=1e-15)
    if np.ndim(ends[0]):
        device = [da.asarray(end) for end in ends]
        for axis in (-1, 1):
            across = np.linspace(*ends, num, endpoint, axis=axis, dtype=int)
            np.testing.assert_array_equal(
                da.linspace(*device, num, endpoint, axis=axis, dtype=int).copy_to_host(), across
            )


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_take_modes(mode: str, axis: int | None) -> None:
    host, device = pair("F")
    places = [[-30, 1], [5, 100]]
    assert_same(da.take(device, places, axis, None, mode), np.take(host, places, axis, None, mode))
    assert_same(device.take(da.asarray(places), axis=axis, mode=mode), host.take(places, axis=axis, mode=mode))


def test_numbers_of_the_device_are_numbers() -> None:
    host, device = pair("C")
    two = da.asarray(2)
    assert_same(da.tile(device, two), np.tile(host, 2))
    assert_same(da.tile(device, (two, 1, two)), np.tile(host, (2, 1, 2)))
    assert_same(da.roll(device, two, 1), np.roll(host, 2, 1))
    assert_same(da.roll(device, two), np.roll(host, 2))
    assert_same(da.roll(device, np.int64(1), np.int64(1)), np.roll(host, np.int64(1), np.int64(1)))
    assert_same(da.repeat(device, two, axis=0), np.repeat(host, 2, axis=0))
    assert_same(da.linspace(0, 1, two), np.linspace(0, 1, 2))
    assert_same(da.arange(two, stop=da.asarray(7), step=two), np.arange(2, 7, 2))
    assert_same(da.arange(0, 5, 2, np.float32), np.arange(0, 5, 2, np.float32))
    assert_same(da.arange(stop=3), np.arange(stop=3))


def test_along_the_flattened_array() -> None:
    host, device = pair("F")
    order = host.argsort(None)
    assert_same(da.take_along_axis(device, da.asarray(order), None), np.take_along_axis(host, order, None))
    host = host.copy("F")
    host[np.unravel_index(order[:3], host.shape)] = 99
    da.put_along_axis(device, da.asarray(order[:3]), 99, None)
    np.testing.assert_array_equal(device.copy_to_host(), host)


def test_padding_by_a_function_of_the_callers() -> None:
    def ends(row: Any, width: tuple[int, int], axis: int, options: dict[str, Any]) -> None:
        row[: width[0]] = options["value"] + axis
        row[row.shape[0] - width[1] :] = -1

    host, device = pair("C")
    wanted = np.pad(host, ((1, 2), (0, 1), (2, 0)), ends, value=5)
    np.testing.assert_array_equal(da.pad(device, ((1, 2), (0, 1), (2, 0)), ends, value=5).copy_to_host(), wanted)
    for xp, x in ((np, host), (da, device)):
        with pytest.raises(ValueError, match="value"):
            xp.pad(x, 1, "edge", value=5)


def test_like_says_where() -> None:
    there = da.use(allocator=da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(da.device())))
    with there:
        model = da.ones(3)
    made = [
        da.zeros(3, like=model),
        da.ones(3, like=model),
        da.full(3, 1, like=model),
        da.empty(3, like=model),
        da.arange(3, like=model),
        da.asarray([1], like=model),
        da.array([1], like=model),
        da.eye(3, like=model),
        da.identity(3, like=model),
        da.tri(3, like=model),
        da.fromiter(range(3), int, like=model),
        da.frombuffer(b"abc", np.uint8, like=model),
        da.fromfunction(lambda i: i, (3,), like=model),
        da.require([1.0], like=model),
        da.loadtxt(["1 2"], like=model),
    ]
    assert all(x.allocator is model.allocator for x in made)
    assert da.zeros(3, like=np.ones(3)).allocator is da.zeros(3).allocator


LIKE = {
    "arange": (3,),
    "array": ([1, 2],),
    "asanyarray": ([1, 2],),
    "asarray": ([1, 2],),
    "ascontiguousarray": ([1, 2],),
    "asfortranarray": ([[1, 2], [3, 4]],),
    "empty": ((2, 0),),
    "eye": (3,),
    "frombuffer": (bytes(range(16)),),
    "fromfunction": (lambda i, j: i + j, (2, 2)),
    "fromiter": ([1, 2], float),
    "fromstring": ("1 2",),
    "full": ((2,), 3),
    "genfromtxt": (["1 2", "3 4"],),
    "identity": (2,),
    "loadtxt": (["1 2", "3 4"],),
    "ones": (3,),
    "require": ([1, 2],),
    "tri": (3,),
    "zeros": (3,),
}


def takes_like(name: str) -> bool:
    found = getattr(np, name)
    return callable(found) and not isinstance(found, type) and "like : array_like" in (found.__doc__ or "")


@pytest.mark.parametrize("name", sorted(filter(takes_like, dir(np))))
def test_numpys_functions_of_nep_35_make_arrays_like_ours(name: str, tmp_path: Path) -> None:
    if name == "fromfile":
        np.arange(3.0).tofile(tmp_path / "x")
    arguments = (tmp_path / "x",) if name == "fromfile" else LIKE[name]
    options = {"sep": " "} if name == "fromstring" else {}
    wanted = getattr(np, name)(*arguments, **options)
    like = da.ones(1)  # kept: frombuffer and fromstring of NumPy 2.4 use what the call alone holds after its end
    for module in (np, da):
        made = getattr(module, name)(*arguments, like=like, **options)
        assert isinstance(made, da.Array)
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.copy_to_host(), wanted)


def test_copies_keep_the_order_of_memory() -> None:
    for x in (da.asfortranarray(da.ones((2, 3))), da.ones((2, 3, 4)).transpose(1, 0, 2)):
        for made in (copy.copy(x), copy.deepcopy(x)):
            assert made.strides == x.strides
            assert not da.shares_memory(made, x)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_files_and_pickles_keep_columns(layout: str, tmp_path: Path) -> None:
    host = LAYOUTS[layout](np.arange(24.0).reshape(2, 3, 4))
    ours = LAYOUTS[layout](da.asarray(np.arange(24.0).reshape(2, 3, 4)))
    made = {}
    for xp, x in ((np, host), (da, ours)):
        xp.save(tmp_path / "x.npy", x)
        xp.savez(tmp_path / "x.npz", x=x)
        with xp.load(tmp_path / "x.npz") as archive:
            stored = archive["x"]
        made[xp] = [xp.load(tmp_path / "x.npy"), stored, *(pickle.loads(pickle.dumps(x, n)) for n in (2, 5))]
        made[xp].append((tmp_path / "x.npy").read_bytes())
    assert made[da].pop() == made[np].pop()
    for found, wanted in zip(made[da], made[np], strict=True):
        np.testing.assert_array_equal(found.copy_to_host(), wanted)
        assert found.strides == wanted.strides
        assert found.base is None


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pending", [False, True])
def test_array_copies_in_the_order_of_its_argument(layout: str, pending: bool) -> None:
    host = LAYOUTS[layout](np.arange(24.0).reshape(2, 3, 4))
    ours = LAYOUTS[layout](da.asarray(np.arange(24.0).reshape(2, 3, 4)))
    ours, host = (ours + 1, host + 1) if pending else (ours, host)
    found, wanted = da.array(ours), np.array(host)
    np.testing.assert_array_equal(found.copy_to_host(), wanted)
    assert found.strides == wanted.strides
    assert not da.shares_memory(found, ours)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_copy_to_another_order_is_one_launch(layout: str, order: str) -> None:
    host, ours = pair(layout)
    ours.evaluate()
    before = da.stats()["launches"]
    made = ours.copy(order).evaluate()
    assert da.stats()["launches"] - before <= 1
    assert_same(made, host.copy(order))
