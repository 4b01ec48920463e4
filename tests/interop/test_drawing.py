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


@pytest.mark.parametrize("draw", ["hist", "boxplot", "violinplot"])
def test_columns_are_data_sets_as_of_numpys_arrays(axes: Any, draw: str) -> None:
    values = np.random.default_rng(0).normal(size=(5, 3))
    drawn = getattr(axes, draw)(da.asarray(values))
    assert len(drawn[0] if draw == "hist" else drawn["medians" if draw == "boxplot" else "bodies"]) == 3


def test_a_surface_has_numpys_pixels() -> None:
    grid = *np.meshgrid(np.arange(30.0), np.arange(20.0)), np.random.default_rng(0).normal(size=(20, 30))
    pixels = []
    for arrays in (grid, [da.asarray(x) for x in grid]):
        figure = plt.figure(figsize=(2, 2), dpi=50)
        figure.add_subplot(projection="3d").plot_surface(*arrays)
        figure.canvas.draw()
        pixels.append(np.asarray(figure.canvas.buffer_rgba()).copy())
        plt.close(figure)
    assert (pixels[0] == pixels[1]).all()


@pytest.mark.parametrize(
    "key", [np.s_[::2, 1:], np.s_[::-1, ::3], np.s_[:, 4], np.s_[None, 2:, ::-2], np.s_[3:3], np.s_[1, 1], np.s_[::6]]
)
def test_host_copies_lie_as_the_array_does(key: Any) -> None:
    host = np.arange(42.0).reshape(7, 6)
    x = da.asarray(host)[key]
    with da.use(fallback="allow"):
        found = np.asarray(x)
    assert found.tolist() == host[key].tolist()
    if found.size > 1 and key != np.s_[::6]:
        assert [s for n, s in zip(found.shape, found.strides, strict=True) if n > 1] == [
            s for n, s in zip(x.shape, x.strides, strict=True) if n > 1
        ]


def test_what_repeats_or_lies_far_apart_comes_dense() -> None:
    with da.use(fallback="allow"):
        assert np.asarray(da.broadcast_to(da.arange(3), (4, 3))).tolist() == [[0, 1, 2]] * 4
        assert np.asarray(da.arange(1000)[::100]).strides == (8,)


def test_to_numpy_copies() -> None:
    x = da.arange(3)
    host = x.to_numpy()
    host[0] = 9
    assert (host.tolist(), x.tolist()) == ([9, 1, 2], [0, 1, 2])
