"""What NumPy makes an array of is an array to every function, and functions say what they take."""

from __future__ import annotations

import inspect
import pickle
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from oracle import host, same

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),  # decompositions of OpenCL GPUs
]

CALLS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda xp: xp.reshape([1, 2, 3, 4], (2, 2)),
    "roll of a tuple": lambda xp: xp.roll((1, 2, 3), 1),
    "flip of a NumPy array": lambda xp: xp.flip(np.arange(6).reshape(2, 3)),
    "sort": lambda xp: xp.sort([3.0, 1.0, 2.0]),
    "sum": lambda xp: xp.sum([1, 2]),
    "mean of a tuple": lambda xp: xp.mean((1, 2)),
    "concatenate": lambda xp: xp.concatenate([[1], np.asarray([2, 3])]),
    "broadcast_to a scalar": lambda xp: xp.broadcast_to(3, (2, 2)),
    "median": lambda xp: xp.median([1, 5, 2]),
    "tril": lambda xp: xp.tril([[1, 2], [3, 4]]),
    "zeros_like": lambda xp: xp.zeros_like([[1, 2]]),
    "clip": lambda xp: xp.clip([1, 5, 9], 2, 6),
    "inv": lambda xp: xp.linalg.inv([[2.0, 0.0], [0.0, 4.0]]),
    "fft": lambda xp: xp.fft.fft([1.0, 2.0]),
    "sliding windows": lambda xp: xp.lib.stride_tricks.sliding_window_view([1, 2, 3], 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_lists_scalars_and_numpy_arrays_are_arrays(name: str) -> None:
    ours = CALLS[name](da)
    assert isinstance(ours, da.Array)
    same(ours, CALLS[name](np))


def test_where_without_values_takes_a_list() -> None:
    assert host(da.where([0, 3, 4])[0]).tolist() == [1, 2]


def test_what_is_of_the_host_goes_where_the_others_are() -> None:
    queue = da.queue()
    x = da.ones(2, queue=queue)
    for result in (da.concat([[3.0], x]), da.dot([1.0, 2.0], x), da.broadcast_arrays(x, [1.0])[1]):
        assert result.queue is queue


@pytest.mark.parametrize("value", ["text", None, [None], object()], ids=["text", "none", "a list of none", "an object"])
def test_what_makes_no_array_is_named(value: Any) -> None:
    with pytest.raises(
        da.DTypeError, match=f"roll: a is an array or numbers that make one, not {type(value).__name__}"
    ):
        da.roll(value, 1)


@pytest.mark.parametrize("call", [lambda xp, x: xp.roll(x, 1), lambda xp, x: xp.sum(x), lambda xp, x: xp.add(x, 1)])
def test_lists_of_several_lengths_are_a_value_error(call: Any) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError, match="inhomogeneous shape"):
            call(xp, [[1], [1, 2]])


def test_what_is_written_to_is_an_array_already() -> None:
    with pytest.raises(da.DTypeError, match="put writes to a, which is a device array, not list"):
        da.put([1, 2], [0], 5)
    with pytest.raises(da.DTypeError, match="out="):
        da.sum(da.ones(2), out=[0.0])


def test_functions_keep_their_signatures_and_are_found_by_pickle() -> None:
    assert str(inspect.signature(da.swapaxes)).startswith("(a: 'Array', axis1: 'int', axis2: 'int')")
    for function in (da.swapaxes, da.linalg.inv, da.fft.fft):
        assert pickle.loads(pickle.dumps(function)) is function
        assert ">>>" in function.__doc__


def frames_of(module: str, call: Callable[[], Any]) -> int:
    """How many calls of a module's functions of Python a call is."""
    frames = []
    sys.setprofile(lambda frame, event, _: frames.append(frame.f_globals.get("__name__")) if event == "call" else None)
    try:
        call()
    finally:
        sys.setprofile(None)
    return frames.count(module)


X = np.arange(4.0)
ARRAYS: dict[str, Callable[..., Any]] = {
    "one": lambda xp, x: xp.expand_dims(x, 0),
    "a keyword that is no array": lambda xp, x: xp.flip(x, axis=0),
    "two": lambda xp, x: xp.dot(x, x),
    "one by keyword": lambda xp, x: xp.bincount(x.astype("int64"), weights=x),
    "a list of them": lambda xp, x: xp.concatenate([x, x]),
    "a tuple of them": lambda xp, x: xp.stack((x, x)),
    "any number": lambda xp, x: xp.broadcast_arrays(x, x, x)[2],
    "of another namespace": lambda xp, x: xp.fft.rfft(x),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_the_device_are_found_without_python(name: str) -> None:
    x = da.asarray(X)
    np.testing.assert_allclose(host(ARRAYS[name](da, x)), ARRAYS[name](np, X), rtol=1e-12)
    assert frames_of("devarray.operands", lambda: ARRAYS[name](da, x)) == 0


@pytest.mark.parametrize("place", [0, 1, 62, 63, 64, 69])
def test_any_of_many_arrays_may_be_the_hosts(place: int) -> None:
    x = da.asarray(X)
    many = [x] * 70
    many[place] = X
    assert all(type(result) is da.Array for result in da.broadcast_arrays(*many))


def test_a_list_with_one_of_the_host_is_moved() -> None:
    same(da.concat([da.asarray(X), [1.0], X]), np.concatenate([X, [1.0], X]))
    same(da.bincount(da.asarray([1, 2]), weights=[0.5, 2.0]), np.bincount([1, 2], weights=[0.5, 2.0]))


def test_functions_may_be_watched_and_bound_like_functions() -> None:
    assert weakref.ref(da.swapaxes)() is da.swapaxes
    assert inspect.isroutine(da.swapaxes)
    assert inspect.unwrap(da.swapaxes).__name__ == "swapaxes"
    held = type("Held", (da.Array,), {"flipped": da.flip})
    assert held.__dict__["flipped"].__get__(da.asarray(X))().tolist() == X[::-1].tolist()


def test_bound_functions_name_what_they_take_and_were_given() -> None:
    with pytest.raises(
        da.DTypeError, match=r"build takes \(source: str, options: str = ''\), not \(int, options=float\)"
    ):
        da.device().build(3, options=0.5)
    with pytest.raises(da.DTypeError, match=r"PoolMemoryResource takes \(upstream: MemoryResource.*\), not \(str\)"):
        da.alloc.PoolMemoryResource("device")
    with pytest.raises(da.DTypeError, match=r"axes is an int or a sequence of ints, not \['a', 'b'\]"):
        da.ones((2, 3)).transpose("ab")


@pytest.mark.parametrize("value_shape", [(1, 3), (1, 1, 2, 3), (1, 1, 1)])
def test_assignment_drops_leading_axes_of_size_one(value_shape: tuple[int, ...]) -> None:
    for value in (np.arange(np.prod(value_shape)).reshape(value_shape) + 1,):
        x, wanted = da.zeros((2, 3)), np.zeros((2, 3))
        x[...] = da.asarray(value) * 2
        wanted[...] = value * 2
        same(x, wanted)
    with pytest.raises(da.ShapeError):
        x[...] = da.ones((2, 2, 3))


def test_a_complex_number_in_an_array_of_bools_is_its_truth() -> None:
    x = da.zeros(3, da.bool)
    x[:2] = 2j
    x[1] = 0j
    assert x.tolist() == [True, False, False]


def test_ravel_is_dense() -> None:
    x = da.arange(6)
    flat = x[::-1].ravel()
    flat[...] = 0
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    assert flat.strides == (8,)
    dense = x.reshape(2, 3).ravel()
    dense[0] = 7
    assert x[0, ...].item() == 7


class _OfDevice:
    """A program's own class, whose ``__array__`` gives the arrays that the program knows."""

    def __init__(self, values: Any) -> None:
        self.values = da.asarray(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values


def test_objects_whose_array_is_a_device_array() -> None:
    x = _OfDevice([3, 1, 2])
    same(da.asarray(x), np.array([3, 1, 2]))
    same(da.asarray(x, dtype=da.float32), np.array([3, 1, 2], np.float32))
    assert da.sum(x).item() == 6
    same(da.maximum(x, 2), np.array([3, 2, 2]))
    same(da.bincount(x), np.array([0, 1, 1, 1]))
    same(da.intersect1d(x, _OfDevice([2, 3])), np.array([2, 3]))
    same(da.union1d(da.asarray([5]), x), np.array([1, 2, 3, 5]))


class Pair(NamedTuple):
    """What programs return and join again."""

    low: Any
    high: Any


def test_arrays_in_a_tuple_of_names() -> None:
    low, high = np.array([1, 2]), np.array([3, 4])
    for given in (Pair(da.asarray(low), da.asarray(high)), Pair(da.asarray(low), [3, 4])):
        same(da.stack(given), np.stack((low, high)))
        same(da.concat(given), np.concatenate((low, high)))
