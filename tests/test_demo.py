"""The demo: the same labels under NumPy and devarray, and a report that says what the README promises."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import devarray as da
from devarray import _demo as demo
from devarray._runtime import install

pytest.importorskip("sklearn")


@pytest.fixture(scope="module")
def digits() -> demo.Digits:
    return demo.load_digits()


def test_the_data_are_the_1797_digits(digits: demo.Digits) -> None:
    assert digits.pixels.shape == (1797, 64)
    assert digits.pixels.dtype == np.float32
    assert (digits.pixels.min(), digits.pixels.max()) == (0, 16)


def test_neighbours_get_the_same_labels(device: da.Device, digits: demo.Digits) -> None:
    train, test = digits.pixels[: demo.TRAINING], digits.pixels[demo.TRAINING :]
    labels = digits.labels[: demo.TRAINING]
    (expected,) = demo.nearest_neighbours(np, train, labels, test)
    (result,) = demo.nearest_neighbours(da, *map(da.asarray, (train, labels, test)))
    assert (expected == digits.labels[demo.TRAINING :]).mean() > 0.95
    np.testing.assert_array_equal(result.copy_to_host(), expected)


def test_the_filter_takes_out_noise_as_numpy_does(device: da.Device) -> None:
    pytest.importorskip("PIL")
    photograph = demo.load_photograph()
    assert photograph.clean.shape == (3, 427, 640) and photograph.noisy.std() > photograph.clean.std()
    part = photograph.noisy[:, :70, :90]
    expected = np.stack(demo.bilateral_filter(np, *part))
    result = np.stack([x.copy_to_host() for x in demo.bilateral_filter(da, *map(da.asarray, part))])
    np.testing.assert_allclose(result, expected, atol=1e-5)
    clean = photograph.clean[:, demo.REACH : 70 - demo.REACH, demo.REACH : 90 - demo.REACH]
    assert demo.decibels(expected - clean) > 24, "20 with the noise"


def test_the_density_is_that_of_scikit_learn(device: da.Device) -> None:
    from sklearn.neighbors import KernelDensity

    rng = np.random.default_rng(3)
    points, x, y = rng.normal(size=(300, 2)), np.linspace(-2, 2, 7), np.linspace(-1, 3, 5)
    places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    fitted = KernelDensity(kernel="epanechnikov", bandwidth=0.75, rtol=1e-9).fit(points)
    (result,) = demo.density(da, *map(da.asarray, (points, x, y)), reach=0.75)
    np.testing.assert_allclose(
        result.copy_to_host().ravel(), np.exp(fitted.score_samples(places)), rtol=1e-6, atol=1e-9
    )


def test_clusters_and_centres_are_the_same(device: da.Device, digits: demo.Digits) -> None:
    expected = demo.kmeans(np, digits.pixels)
    result = demo.kmeans(da, da.asarray(digits.pixels))
    for ours, theirs in zip(result, expected, strict=True):
        np.testing.assert_array_equal(ours.copy_to_host(), theirs)


def test_components_are_those_of_the_covariance(device: da.Device, digits: demo.Digits) -> None:
    variances, directions = demo.principal_components(da, da.asarray(digits.pixels))
    values, vectors = np.linalg.eigh(np.cov(digits.pixels.astype(np.float64), rowvar=False))
    best = slice(None, -demo.COMPONENTS - 1, -1)
    np.testing.assert_allclose(variances.copy_to_host(), values[best], rtol=1e-3)
    alignment = np.abs((directions.copy_to_host() * vectors[:, best].T).sum(axis=1))
    np.testing.assert_allclose(alignment, 1, atol=1e-2)


def test_the_report(device: da.Device, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "digits.png"
    pytest.importorskip("matplotlib")
    assert demo.main(None, picture) == 0
    text = capsys.readouterr().out
    assert f"device   {device}\n" in text
    assert f"memory   {device.memory_kinds[0]}" in text
    assert "95.55% / 95.55%  same labels" in text
    assert "pool     active" in text
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_missing_scikit_learn_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(da.Error, match="needs scikit-learn.*" + re.escape(install.command("demo"))):
        demo.load_digits()


def test_missing_pillow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(da.Error, match="needs Pillow.*" + re.escape(install.command("demo"))):
        demo.load_photograph()


def test_missing_matplotlib_is_told_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(da.Error, match="--plot needs matplotlib.*" + re.escape(install.command("plot"))):
        demo.main(None, Path("never-written.png"))
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("nbytes", "text"), [(0, "0 bytes"), (1, "1 byte"), (1023, "1023 bytes"), (1536, "1.5 KiB"), (1 << 40, "1024 GiB")]
)
def test_sizes_read_well(nbytes: int, text: str) -> None:
    assert demo.size(nbytes) == text
