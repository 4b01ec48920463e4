"""Matplotlib takes device arrays as they are: drawing hands out values, as printing does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def axes() -> Any:
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_a_line_has_the_array_s_values(axes: Any) -> None:
    x = da.linspace(0, 1, 9)
    (line,) = axes.plot(x, x * x)
    axes.figure.canvas.draw()
    assert (line.get_ydata(orig=False) == np.linspace(0, 1, 9) ** 2).all()


def test_an_image_has_the_array_s_values(axes: Any) -> None:
    image = axes.imshow(da.arange(6.0).reshape(2, 3))
    assert image.get_array().tolist() == [[0, 1, 2], [3, 4, 5]]


def test_bars_have_the_array_s_heights(axes: Any) -> None:
    bars = axes.bar(da.arange(3), da.asarray([3.0, 1.0, 2.0]))
    assert [bar.get_height() for bar in bars] == [3, 1, 2]


def test_a_histogram_counts(axes: Any) -> None:
    counts, _, _ = axes.hist(da.asarray([0.0, 0.1, 0.9]), bins=2, range=(0, 1))
    assert list(counts) == [2, 1]


@pytest.mark.parametrize("read", [np.asarray, np.ma.asarray, np.array])
def test_others_still_ask_for_the_host(read: Callable[..., Any]) -> None:
    with pytest.raises(da.errors.DTypeError, match="copy_to_host"):
        read(da.arange(3))


def test_drawing_is_counted(axes: Any) -> None:
    before = da.stats()["transfers_to_host"]
    axes.scatter(da.arange(3), da.arange(3))
    assert da.stats()["transfers_to_host"] > before
