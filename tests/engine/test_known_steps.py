"""Views whose neighbours are a few steps apart, or lie backward: kernels of CPUs are made for the distance."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same, skip_without, values

import devarray as da
from devarray.ops.dtypes import DTYPES

pytestmark = pytest.mark.usefixtures("device", "kernels")

STEPS = [1, -1, 2, -2, 3, 4, 5, 8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.heavy
def test_reads_and_writes(dtype: str) -> None:
    skip_without(dtype)
    host = values(dtype, (7, 8 * 133), 3)
    for step in STEPS:
        x, y = da.asarray(host), np.zeros_like(host)
        view, here = x[:, ::step][:, :133], host[:, ::step][:, :133]
        same(view.copy(), here)
        same(da.where(view == view, view, view)[::-1, ::-1].copy(), here[::-1, ::-1])
        out = da.asarray(y)
        out[:, ::step][:, :133] = view
        y[:, ::step][:, :133] = here
        same(out, y)


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.heavy
def test_reductions(axis: int | None) -> None:
    host = np.random.default_rng(2).integers(-99, 99, (301, 404))
    x = da.asarray(host)
    for step in STEPS:
        for view in (np.s_[:, ::step], np.s_[::step], np.s_[::step, ::step]):
            same(x[view].sum(axis), host[view].sum(axis))
            same((x[view] * 3).max(axis), (host[view] * 3).max(axis))
            same(x[view].argmin(axis), host[view].argmin(axis))
        same(x[:, ::step].T.sum(axis), host[:, ::step].T.sum(axis))


def test_one_program_over_views_of_other_steps() -> None:
    """What repeats finds its kernel by the distance, too."""
    host = np.random.default_rng(3).standard_normal((5, 9000)).astype("f4")
    x = da.asarray(host)
    for _ in range(3):
        for step in STEPS:
            view, here = x[:, ::step][:, :1000], host[:, ::step][:, :1000]
            same(abs(view) * 2 + view[::-1], abs(here) * 2 + here[::-1])


def test_columns_of_points_and_of_colours() -> None:
    rng = np.random.default_rng(4)
    p, image = rng.standard_normal((5000, 3)), rng.integers(0, 256, (60, 70, 4)).astype("u1")
    q, picture = da.asarray(p), da.asarray(image)
    same(q[:, 0] * q[:, 1] + q[:, 2], p[:, 0] * p[:, 1] + p[:, 2])
    same(picture[..., 0] // 2 + picture[..., 2] // 2, image[..., 0] // 2 + image[..., 2] // 2)
    q[:, 1] = q[:, 0] * 2
    p[:, 1] = p[:, 0] * 2
    same(q, p)
    picture[..., ::-1] = picture[..., [3, 1, 2, 0]]
    image[..., ::-1] = image[..., [3, 1, 2, 0]].copy()
    same(picture, image)


def test_parts_of_complex_numbers() -> None:
    host = values("complex64", (3, 700), 5)
    x = da.asarray(host)
    same(x.real + x.imag, host.real + host.imag)
    x.imag = x.real[:, ::-1].copy()
    host.imag = host.real[:, ::-1].copy()
    same(x, host)
