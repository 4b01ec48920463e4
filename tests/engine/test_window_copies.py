"""Copies between the host and views whose rows overlap, as those of sliding windows do: no rectangle of a driver's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "memory_kind")


@pytest.mark.parametrize("step", [1, 8, 700, 3000])
@pytest.mark.parametrize("width", [16, 2048])
def test_windows_of_a_row(width: int, step: int) -> None:
    h = np.arange(9000.0)
    windows = da.lib.stride_tricks.sliding_window_view(da.asarray(h), width)[::step]
    same(windows.copy_to_host(), sliding_window_view(h, width)[::step])


@pytest.mark.parametrize("steps", [(1, 7), (40, 3), (5, 50)])
def test_windows_of_a_matrix(steps: tuple[int, int]) -> None:
    h = np.arange(60 * 900, dtype=np.int32).reshape(60, 900)
    key = np.s_[:: steps[0], :: 16 * steps[1]]
    windows = da.lib.stride_tricks.sliding_window_view(da.asarray(h), (20, 600))[key]
    same(windows.copy_to_host(), sliding_window_view(h, (20, 600))[key])


def test_what_is_written_to_overlapping_rows_is_written() -> None:
    x = da.zeros(9000)
    rows = da.lib.stride_tricks.sliding_window_view(x, 2048, writeable=True)[::1024]
    rows.copy_to_device(np.full(rows.shape, 3.0))
    h = np.zeros(9000)
    sliding_window_view(h, 2048, writeable=True)[::1024] = 3
    same(x.copy_to_host(), h)
