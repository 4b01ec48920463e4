"""NumPy's ndarray over memory of the host: of bytes, of arrays, of what processes share."""

from __future__ import annotations

from multiprocessing import shared_memory

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (((2,), "i4"), {"offset": 4}),
        (((3,), np.int16), {"strides": (4,)}),
        (((2, 2), np.int16, bytes(range(16))), {}),
        (((2, 2), np.int16, bytes(range(16)), 8), {"order": "F"}),
    ],
)
def test_the_bytes_are_numpys(args: tuple, named: dict) -> None:
    given = named if len(args) > 2 else {"buffer": bytes(range(16)), **named}
    made, expected = da.ndarray(*args, **given), np.ndarray(*args, **given)
    np.testing.assert_array_equal(made, expected)
    assert (made.dtype, made.strides) == (expected.dtype, expected.strides)
    np.testing.assert_array_equal((da.ones(made.shape, "int32") + made).copy_to_host(), expected + 1)


def test_what_is_written_is_in_the_memory() -> None:
    memory = shared_memory.SharedMemory(create=True, size=64)
    try:
        here = da.ndarray((8,), dtype=np.float64, buffer=memory.buf)
        with da.use(fallback="allow"):  # which is what writing to the host is
            here[:] = da.arange(8.0)
        here[2:4] *= 10
        there = np.ndarray((8,), np.float64, memory.buf)
        np.testing.assert_array_equal(there, [0, 1, 20, 30, 4, 5, 6, 7])
        assert da.sum(here).item() == 73
        del here, there
    finally:
        memory.close()
        memory.unlink()


def test_wrong_calls() -> None:
    with pytest.raises(da.DTypeError, match="the buffer is the host's"):
        da.ndarray((2,), "f8", da.zeros(2))
    with pytest.raises(da.DTypeError, match="lies in the host's memory"):
        da.ndarray((2,), "f8", bytes(16), device=da.device())
    with pytest.raises(TypeError, match="too small"):
        da.ndarray((3,), "f8", bytes(16))


@pytest.mark.parametrize("strides", [(12, 4), (4, 8), (0, 4), (4, 4), None])
def test_without_a_buffer_memory_is_made(strides: tuple[int, int] | None) -> None:
    made, expected = (xp.ndarray((2, 3), np.float32, strides=strides) for xp in (da, np))
    assert isinstance(made, da.Array)
    assert (made.strides, made.shape, made.flags.writeable) == (expected.strides, expected.shape, True)
    assert da.ndarray((2, 3), np.float32, buffer=None, offset=4).shape == (2, 3)
    if strides is None or 0 not in strides:
        for x in (made, expected):
            x[...] = 7
        np.testing.assert_array_equal(made.copy_to_host(), expected)


@pytest.mark.parametrize("strides", [(24, 8), (-12, 4), (4,), 4])
def test_strides_that_leave_the_memory_or_an_axis_out(strides: object) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError, match="strides"):
            xp.ndarray((2, 3), np.float32, strides=strides)
