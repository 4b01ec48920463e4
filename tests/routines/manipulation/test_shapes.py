"""Shapes, joining and splitting against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check
from hypothesis import given
from hypothesis import strategies as st
from oracle import on_both, same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
A = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
BODIES: dict[str, Any] = {
    "reshape": lambda xp, x: xp.reshape(x, (4, -1)),
    "reshape to 0-d and back": lambda xp, x: xp.reshape(xp.reshape(x[0, 0, 1], ()), (1, 1)),
    "reshape a transpose": lambda xp, x: xp.reshape(x.T, (6, 4)),
    "reshape in F order": lambda xp, x: x.reshape((6, 4), order="F"),
    "ravel": lambda xp, x: xp.ravel(x[:, ::-1]),
    "flatten": lambda xp, x: x.T.flatten(),
    "transpose": lambda xp, x: xp.transpose(x, (2, 0, 1)),
    "permute_dims": lambda xp, x: xp.permute_dims(x, (1, 2, 0)),
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x),
    "moveaxis": lambda xp, x: xp.moveaxis(x, (0, -1), (-1, 0)),
    "swapaxes": lambda xp, x: xp.swapaxes(x, 0, -1),
    "expand_dims": lambda xp, x: xp.expand_dims(x, (0, -1)),
    "squeeze": lambda xp, x: xp.squeeze(x[:1, None, :, 1:2], axis=(1, 3)),
    "squeeze all": lambda xp, x: xp.squeeze(x[:1, None, :, 1:2]),
    "flip": lambda xp, x: xp.flip(x, axis=(0, 2)),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x[:, :1], (5, 2, 3, 4)),
    "concatenate": lambda xp, x: xp.concatenate([x, x[:, ::-1] * 2, x[:, :0]], axis=1),
    "concatenate flat": lambda xp, x: xp.concatenate([x, x[0]], axis=None),
    "stack": lambda xp, x: xp.stack([x, x + 1], axis=-1),
    "vstack": lambda xp, x: xp.vstack([x[0, 0], x[0, 1] + 1]),
    "hstack": lambda xp, x: xp.hstack([x, x[:, :1]]),
    "unstack": lambda xp, x: xp.unstack(x, axis=1)[2],
    "split": lambda xp, x: xp.split(x, [1, 3], axis=2)[1],
    "split evenly": lambda xp, x: xp.split(x, 3, axis=1)[1],
    "roll": lambda xp, x: xp.roll(x, 5),
    "roll axes": lambda xp, x: xp.roll(x, (1, -1), axis=(0, 2)),
    "roll an axis twice": lambda xp, x: xp.roll(x, (1, 1), axis=2),
    "tile": lambda xp, x: xp.tile(x[0], (2, 1, 3)),
    "repeat": lambda xp, x: xp.repeat(x, 3, axis=1),
    "repeat flat": lambda xp, x: xp.repeat(x[0], 2),
    "atleast": lambda xp, x: xp.atleast_2d(x[0, 0]) + xp.atleast_1d(x[0, 0, 0]),
    "clip": lambda xp, x: xp.clip(x, 3, 17),
    "clip one side": lambda xp, x: x.clip(min=5),
    "where": lambda xp, x: xp.where(x % 2 == 0, x, -1),
    "round": lambda xp, x: (x / xp.asarray(np.float32(7))).astype(np.float32).round(1),
}


@pytest.mark.parametrize("name", BODIES)
def test_has_numpys_result(name: str) -> None:
    same(*on_both(BODIES[name], A))


def test_pending_arrays_have_shapes_too() -> None:
    for name, body in BODIES.items():
        same(*on_both(lambda xp, x, body=body: body(xp, x + 1), A), name)


NUMPYS = [
    "ravel", "transpose", "moveaxis", "swapaxes", "expand_dims", "flip", "broadcast_to", "concatenate", "stack",
    "vstack", "roll", "hstack", "tile", "repeat", "clip", "where", "squeeze", "split", "reshape",
]  # fmt: skip


@pytest.mark.parametrize("name", NUMPYS)
def test_numpys_own_function_on_a_device_array(name: str) -> None:
    ours = BODIES[name](np, da.asarray(A))
    assert isinstance(ours, da.Array)
    same(ours, BODIES[name](np, A))


def test_numpys_reductions_and_creations_on_a_device_array() -> None:
    x = da.asarray(A)
    for name in ("sum", "prod", "min", "max", "any", "all", "argmax", "argmin", "count_nonzero"):
        same(getattr(np, name)(x, axis=1), getattr(np, name)(A, axis=1), name)
    for name in ("zeros_like", "ones_like", "sort", "argsort", "tril", "copy"):
        ours = getattr(np, name)(x)
        assert isinstance(ours, da.Array)
        same(ours, getattr(np, name)(A), name)
    with da.use(fallback="raise"), pytest.raises(da.Error, match=r"is_busday.*goes through the host"):
        np.is_busday(x)


def test_joining_promotes() -> None:
    x, y = da.asarray(np.int8([1, 2])), da.asarray(np.float32([0.5]))
    same(da.concat([x, y]), np.concatenate([np.int8([1, 2]), np.float32([0.5])]))
    same(da.stack([x, x.astype(da.uint8)]), np.stack([np.int8([1, 2]), np.uint8([1, 2])]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: da.reshape(x, (5, 5)), r"array of size 24 into shape \(5, 5\): .* \(2, 3, 4\)"),
        (lambda x: da.reshape(x, (-1, -1)), r"-1"),
        (lambda x: da.reshape(x, (7, -1)), r"24"),
        (lambda x: x.T.reshape(24, copy=False), r"copy"),
        (lambda x: da.permute_dims(x, (0, 1)), r"3 axes.*2"),
        (lambda x: da.permute_dims(x, (0, 1, 1)), r"twice|repeated|once"),
        (lambda x: da.squeeze(x, axis=1), r"axis 1.*3"),
        (lambda x: da.broadcast_to(x, (2, 3, 5)), r"\(2,3,4\).*\(2,3,5\)"),
        (lambda x: da.concat([x, x[0]]), r"\(2, 3, 4\).*\(3, 4\)"),
        (lambda x: da.concat([]), r"at least one"),
        (lambda x: da.stack([x, x[:1]]), r"\(2, 3, 4\).*\(1, 3, 4\)"),
        (lambda x: x + x[:, :2], r"\(2,3,4\) \(2,2,4\)"),
        (lambda x: da.split(x, 5), r"2 .*5"),
        (lambda x: x @ x, r"\(2, 3, 4\)"),
        (lambda x: da.moveaxis(x, (0, 1), (0,)), r"2 .*1"),
        (lambda x: da.repeat(x, -1), r"-1"),
        (lambda x: da.sort(x, axis=3), r"axis 3"),
        (lambda x: da.expand_dims(x, 9), r"9"),
    ],
)
def test_shapes_that_do_not_fit_name_both(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(da.asarray(A))


@given(st.data())
def test_reshape_is_a_view_exactly_where_numpy_makes_one(data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from([(2, 3, 4), (6, 4), (24,), (2, 12), (4, 1, 6)]))
    target = data.draw(st.sampled_from([(2, 3, 4), (6, 4), (24,), (2, 12), (4, 6, 1), (3, 8), (2, 2, 2, 3)]))
    order = data.draw(st.permutations(range(len(shape))))
    a = np.arange(24, dtype=np.int16).reshape(shape).transpose(order)
    wanted = a.reshape(target)
    x = da.asarray(np.arange(24, dtype=np.int16).reshape(shape)).transpose(order)
    same(x.reshape(target), wanted)
    if np.shares_memory(a, wanted):
        y = x.reshape(target, copy=False)
        y += 1
        same(x, a + 1)
    else:
        with pytest.raises(ValueError, match="copy"):
            x.reshape(target, copy=False)


def test_the_only_axis_may_be_given_as_a_number() -> None:
    x = np.arange(3)
    for axis in (0, -1):
        check(lambda xp, a, axis=axis: xp.transpose(a, axis), x)
    check(lambda xp, a: xp.transpose(a, 1), x)
