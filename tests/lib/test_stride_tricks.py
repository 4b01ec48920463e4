"""Views by strides: NumPy's sliding windows, and strides that stay inside the memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray.lib.stride_tricks import as_strided, sliding_window_view

pytestmark = pytest.mark.usefixtures("device")
WINDOWS = np.lib.stride_tricks.sliding_window_view


@pytest.mark.parametrize(
    ("shape", "window", "axis"),
    [
        ((10,), 3, None), ((10,), 10, 0), ((4, 6), (2, 3), None), ((4, 6), 3, 1), ((4, 6), (2, 2), (1, 1)),
        ((4, 6), 4, -2), ((0, 5), 2, 1), ((), (), None), ((7,), 1, 0), ((7,), 0, 0), ((3, 4, 5), (2, 4), (2, 1)),
    ],
)  # fmt: skip
def test_sliding_windows(shape: Any, window: Any, axis: Any) -> None:
    h = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    for view in (lambda a: a, lambda a: a[..., ::-1] if a.ndim else a):
        x, wanted = view(da.asarray(h)), WINDOWS(view(h), window, axis)
        same(sliding_window_view(x, window, axis), wanted)
        same(WINDOWS(x, window, axis), wanted)  # by NumPy's protocol
        if wanted.ndim:
            same(sliding_window_view(x, window, axis).sum(axis=-1), wanted.sum(axis=-1))


def test_windows_are_views() -> None:
    x = da.arange(8)
    windows = da.lib.stride_tricks.sliding_window_view(x, 3)
    x[2] = 100
    same(windows[:3, 0] * 2, np.array([0, 2, 200]))
    h = np.arange(8)
    h[2] = 100
    same(windows.max(axis=1), WINDOWS(h, 3).max(axis=1))


def test_strides() -> None:
    h = np.arange(12)
    x = da.asarray(h)
    same(as_strided(x, (3, 4), (8, 16)), np.lib.stride_tricks.as_strided(h, (3, 4), (8, 16)))
    same(as_strided(x, (12,), (-8,), offset=88), h[::-1])
    same(as_strided(x, strides=(0,)), np.zeros(12, int))
    same(as_strided(x[::2]), h[::2])


@pytest.mark.parametrize(
    ("work", "error", "message"),
    [
        (lambda x: as_strided(x, (13,)), ValueError, "outside the memory"),
        (lambda x: as_strided(x, (2,), (-8,)), ValueError, "outside the memory"),
        (lambda x: as_strided(x, (3, 4)), ValueError, "mismatch in length of strides and shape: 2 sizes, 1 strides"),
        (lambda x: sliding_window_view(x, 13), ValueError, "13 is greater than axis 0, which has 12"),
        (lambda x: sliding_window_view(x, -1), ValueError, "negative"),
        (lambda x: sliding_window_view(x, (2, 2)), ValueError, "must provide window_shape for all dimensions"),
        (lambda x: sliding_window_view(x, 2, 1), IndexError, "axis 1"),
    ],
)
def test_views_that_cannot_be(work: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        work(da.arange(12))


def test_numpys_as_strided_sees_what_a_view_is_of() -> None:
    """As SciPy's circulant() goes back from a view into what lies before it."""
    host = np.arange(7.0)
    x = da.asarray(host)
    with da.use(fallback="allow"):
        for start, strides in ((3, (-8, 8)), (3, (-8, 0)), (0, (8, 8)), (0, (8, 16))):
            wanted = np.lib.stride_tricks.as_strided(host[start:], (3, 3), strides)
            np.testing.assert_array_equal(np.lib.stride_tricks.as_strided(x[start:], (3, 3), strides), wanted)


def test_writeable_and_subok(device):
    x = da.arange(4)
    windows = da.lib.stride_tricks.sliding_window_view(x, 2, writeable=True, subok=False)
    windows[0] = 9
    assert x.tolist() == [9, 9, 2, 3]
    assert not da.lib.stride_tricks.sliding_window_view(x, 2).flags.writeable
    view = da.lib.stride_tricks.as_strided(x, (2,), (8,), False, False)
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    assert da.lib.stride_tricks.as_strided(x, (2,), (8,)).flags.writeable


@pytest.mark.parametrize("dtype", [[("n", "i4"), ("x", "f8")], "V3", [("u", "u1"), ("v", "<f4", (2,))]], ids=str)
def test_views_of_records(dtype: Any, device: da.Device) -> None:
    size = np.dtype(dtype).itemsize
    h = np.frombuffer(np.random.default_rng(0).bytes(12 * size), dtype).reshape(3, 4)
    x = da.asarray(h)
    for take in (
        lambda tricks, a: tricks.sliding_window_view(a, 2, 1),
        lambda tricks, a: tricks.sliding_window_view(a[::-1, ::2], (2, 2)),
        lambda tricks, a: tricks.as_strided(a, (2, 3), (5 * size, size)),
    ):
        wanted, found = take(np.lib.stride_tricks, h), take(da.lib.stride_tricks, x)
        assert (found.shape, found.copy_to_host().tobytes()) == (wanted.shape, wanted.tobytes())
    assert da.shares_memory(sliding_window_view(x, 2, 1), x)
    with pytest.raises(ValueError, match="read-only"):
        sliding_window_view(x, 2, 1)[0] = h[0, 0]
    with pytest.raises(ValueError, match="does not fit"):
        as_strided(x, (13,), (size,))
