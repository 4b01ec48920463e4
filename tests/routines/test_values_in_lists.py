"""Lists in which values that were read from arrays stand beside Python's numbers, given to functions as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

HOST = np.array([0.5, 1.5, 2.5])
CALLS = [
    "xp.array([x[0], x[1], x[2]])",
    "xp.array([[x[0], 1], [2, 3.5]])",
    "xp.array([[x[0], x[1]], [True, 2j]])",
    "xp.array([i[0], True, 2])",
    "xp.array([i[0], 2.5])",
    "xp.array([(x > 1)[1], True, 7])",
    "xp.array([x.astype('f4')[1], 2.5])",
    "xp.array([i.astype('u8')[1], 2])",
    "xp.array([i.astype('i1')[1], i[1]])",
    "xp.array([x[0], x[1]], dtype='f4')",
    "xp.array([[x[0]], [x[1], x[2]][:1]])",
    "xp.sum([x[0], x[1], 1])",
    "xp.sum([x[0], 1j])",
    "xp.sum([[1, 2], [3, x[0]]], axis=0)",
    "xp.mean([i[0], i[1]])",
    "xp.max([x[2], x[1]])",
    "xp.concatenate([x, [x[0]]])",
    "xp.concatenate([x, [x[0]], [1]])",
    "xp.concatenate([[1], [2.5, x[0]]])",
    "xp.concatenate([xp.array([1], 'f4'), [2]])",
    "xp.concatenate(([1], x))",
    "xp.vstack([[x[0], x[1]], [x[2], 1]])",
    "xp.hstack([[1, 2], [True, x[1]]])",
    "xp.stack([[x[0], i[1]], [3, 4]])",
    "xp.dot([1, 2], [3, i[1]])",
    "xp.matmul([[1, 2], [3, 4]], [x[0], x[1]])",
    "xp.cross([1, 0, 0], [0, 1, x[0]])",
    "xp.interp([1.5], [1, 2], [x[0], x[1]])",
    "xp.take([1, 2, 3], [0, i[1]])",
    "xp.unique([x[0], x[0], 1])",
    "xp.diag([1, x[1]])",
    "xp.where([True, False], [1, 2], [x[0], x[1]])",
    "xp.outer([1, x[1]], [2, 3])",
    "xp.argsort([3, x[0], 2])",
    "xp.percentile([1, 2, x[2]], 50)",
    "xp.bincount([0, i[1], i[1]])",
    "xp.linalg.norm([x[0], 4])",
    "xp.reshape([x[0], 1, 2, 3], (2, 2))",
]


@pytest.mark.parametrize("call", CALLS)
def test_as_numpy_does(call: str) -> None:
    def of(xp: Any, x: Any) -> Any:
        return eval(call, {"xp": xp, "x": x, "i": x.astype("int64")})

    same(of(da, da.asarray(HOST)), of(np, HOST))


def test_values_are_those_of_the_call() -> None:
    x = da.asarray(HOST)
    made = da.array([x[0], [x[1]][0], 3])
    x[0], x[1] = 7, 8
    assert made.tolist() == [0.5, 1.5, 3]


@pytest.mark.parametrize("call", ["da.put([1, 2], [0], [x[0]])", "da.copyto([1, 2], [x[0], 1])"])
def test_a_list_is_nothing_to_write_to(call: str) -> None:
    with pytest.raises(TypeError):
        eval(call, {"da": da, "x": da.asarray(HOST)})


@pytest.mark.parametrize("call", ["da.sum([[x[0]], [1, 2]])", "da.vstack([[x[0], 1], [1]])", "da.array([[x[0]], 1])"])
def test_uneven_rows_are_refused(call: str) -> None:
    with pytest.raises(ValueError):
        eval(call, {"da": da, "x": da.asarray(HOST)})


def test_beside_an_array_of_another_queue(device: da.Device) -> None:
    queue = device.create_queue()
    there = da.asarray(HOST, queue=queue)
    value = da.asarray(HOST)[1]
    assert da.asarray([value, 2.0]).queue is not queue
    assert da.concatenate([there, [1.0]]).queue is queue
    same(da.concatenate([there, [1.0]]), np.append(HOST, 1.0))
