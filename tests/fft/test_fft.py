"""Fourier transforms against NumPy's."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import host, moderate, same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

REAL_INPUT = ("rfft", "ihfft", "rfftn")
ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL_AXES = ("fftn", "ifftn", "rfftn", "irfftn")
NORMS = ("backward", "ortho", "forward")
# Powers of two, small factors, primes small and large, and lengths beyond what one work-group holds.
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 30, 31, 64, 97, 100, 128, 210, 243, 289, 360, 509, 512, 1000, 1021, 1024,
           2048, 4096, 4099, 5000, 8192, 10007, 16384)  # fmt: skip


def data(name: str, shape: tuple[int, ...], precision: str = "single", seed: int = 0) -> np.ndarray:
    dtype = {"single": ("float32", "complex64"), "double": ("float64", "complex128")}[precision]
    kind = dtype[0] if name in REAL_INPUT else dtype[1]
    skip_without(kind)
    return moderate(kind, shape, seed)


def agrees(name: str, x: np.ndarray, **kwargs: Any) -> None:
    """Within a few steps of the precision, relative to the root of the sum of squares (Higham, chapter 24)."""
    ours = host(getattr(da.fft, name)(da.asarray(x), **kwargs))
    numpys = getattr(np.fft, name)
    wanted = numpys(x, **kwargs)
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    wide = numpys(x.astype(np.result_type(x, np.float64)), **kwargs)
    if ours.size:
        error = float(np.linalg.vector_norm(ours - wide))
        length = max(2, *x.shape, *wide.shape)
        bound = 4 * np.log2(length) * np.finfo(ours.dtype).eps * float(np.linalg.vector_norm(wide))
        assert error <= bound + np.finfo(ours.dtype).tiny, f"{error} > {bound}"


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
@pytest.mark.parametrize("n", LENGTHS)
def test_every_length(name: str, n: int) -> None:
    agrees(name, data(name, (2, n)), n=n)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ONE_AXIS)
def test_one_axis(name: str, norm: str, precision: str) -> None:
    x = data(name, (3, 6, 5), precision)
    for axis in (-1, 0, 1):
        agrees(name, x, axis=axis, norm=norm)
        for n in (1, 4, 9):
            agrees(name, x, axis=axis, n=n, norm=norm)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", SEVERAL_AXES)
def test_several_axes(name: str, norm: str, precision: str) -> None:
    x = data(name, (3, 6, 5, 4), precision)
    for axes in (None, (-1,), (0, 1), (2, 0), (1, 2, 3), (3, 0, 1, 2)):
        agrees(name, x, axes=axes, norm=norm)
    agrees(name, x, axes=(1, 0), s=(4, 5), norm=norm)
    agrees(name, x, axes=(0, 3), s=(7, 3), norm=norm)


@pytest.mark.parametrize("name", ["fftn", "irfftn", "rfftn"])
def test_large_images(name: str) -> None:
    agrees(name, data(name, (128, 96)))
    agrees(name, data(name, (60, 5, 77)), axes=(0, 2))


VIEWS: dict[str, Any] = {
    "steps": lambda x: x[::2, ::3],
    "backwards": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "part": lambda x: x[3:9, 1:13],
    "broadcast": lambda x: x[:, :1, None] + 0 * x[:, None, :],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["fft", "rfft", "irfft", "fftn"])
def test_views(name: str, view: str) -> None:
    x = data(name, (12, 16))
    a = da.asarray(x)
    ours, wanted = getattr(da.fft, name)(VIEWS[view](a)), getattr(np.fft, name)(VIEWS[view](x))
    np.testing.assert_allclose(host(ours), wanted, rtol=0, atol=3e-5 * max(1.0, float(np.abs(wanted).max())))
    same(a, x, "the operand")


def test_inverse_of_real_data_reads_only_what_counts() -> None:
    x = data("irfft", (4, 5))  # imaginary parts of the first and last element count for nothing
    agrees("irfft", x, n=8)
    agrees("irfft", x, n=9)
    agrees("irfftn", x, s=(4, 8), axes=(0, 1))
    a = da.asarray(x)
    da.fft.irfftn(a)
    same(a, x, "the operand")


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float32", "float16"])
def test_real_dtypes_are_transformed_as_complex_ones(dtype: str) -> None:
    skip_without("float64" if dtype in ("bool", "int8", "uint32") else "float32")
    x = moderate(dtype, (4, 6))
    wide = np.complex64 if dtype in ("float16", "float32") else np.complex128
    ours = da.fft.fft(da.asarray(x))
    assert ours.dtype == wide
    np.testing.assert_allclose(host(ours), np.fft.fft(x.astype(wide)), rtol=0, atol=1e-5)


def test_pending_operands_and_scaled_results() -> None:
    x = data("fft", (5, 8))
    ours = da.fft.ifft(da.fft.fft(da.asarray(x) * 2 + 1)) - 1
    np.testing.assert_allclose(host(ours), x * 2, rtol=0, atol=1e-5)


def test_empty_stacks() -> None:
    assert da.fft.fft(da.ones((0, 4), dtype="float32")).shape == (0, 4)
    same(da.fft.fft(da.ones((2, 0), dtype="complex64"), n=3), np.zeros((2, 3), np.complex64))


def test_an_axis_named_twice_is_transformed_twice() -> None:
    for name in ("fftn", "ifftn", "irfftn"):
        agrees(name, data(name, (5, 6)), axes=(0, 1, 0))
    agrees("fftn", data("fftn", (5, 6)), s=(4, 7, 8), axes=(0, 1, -2))
    agrees("rfftn", data("rfftn", (5, 6)), axes=(0, 1, 1))


def test_refusals() -> None:
    x = da.ones((2, 4), dtype="float32")
    with pytest.raises(da.errors.ValueError, match="Invalid number of FFT data points"):
        da.fft.fft(x, n=0)
    with pytest.raises(da.errors.ValueError, match="Invalid norm value both"):
        da.fft.hfft(x, norm="both")  # type: ignore[arg-type]
    with pytest.raises(da.ShapeError, match="out of bounds"):
        da.fft.fft(x, axis=2)
    with pytest.raises(TypeError):
        da.fft.fft(x, axis=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(da.ShapeError, match="2 lengths do not fit 1 axes"):
        da.fft.fftn(x, s=(1, 2), axes=(0,))
    with pytest.raises(da.DTypeError, match="real arrays"):
        da.fft.rfft(x * 1j)
    transformed = host(da.fft.fft(np.ones(3)))  # type: ignore[arg-type]
    np.testing.assert_allclose(transformed, [3, 0, 0], atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies(name: str, n: int) -> None:
    skip_without("float64")
    np.testing.assert_allclose(host(getattr(da.fft, name)(n)), getattr(np.fft, name)(n), rtol=1e-15)
    np.testing.assert_allclose(host(getattr(da.fft, name)(n, d=0.25)), getattr(np.fft, name)(n, d=0.25), rtol=1e-15)
    assert getattr(da.fft, name)(n, dtype=da.float32).dtype == np.float32
    with pytest.raises(da.errors.ValueError, match="at least 1"):
        getattr(da.fft, name)(0)


@pytest.mark.parametrize("axes", [None, 0, -1, (0, 2), ()])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts(name: str, axes: Any) -> None:
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    same(getattr(da.fft, name)(da.asarray(x), axes=axes), getattr(np.fft, name)(x, axes=axes))


@given(st.integers(1, 400), st.integers(1, 3), st.integers(0, 99))
def test_inverse_undoes(n: int, batch: int, seed: int) -> None:
    x = moderate("complex64", (batch, n), seed)
    np.testing.assert_allclose(host(da.fft.ifft(da.fft.fft(da.asarray(x)))), x, rtol=0, atol=2e-5)
    real = x.real.copy()
    np.testing.assert_allclose(host(da.fft.irfft(da.fft.rfft(da.asarray(real)), n=n)), real, rtol=0, atol=2e-5)


def test_the_standards_names_are_taken_at_numpys_places() -> None:
    assert list(inspect.signature(da.fft.fft).parameters) == ["a", "n", "axis", "norm", "out"]
    assert list(inspect.signature(da.fft.fftn).parameters) == ["a", "s", "axes", "norm", "out"]


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_are_of_whole_numbers_of_elements(name: str) -> None:
    for n in (1.5, 4.0, np.float32(4)):
        for xp in (np, da):
            with pytest.raises(ValueError, match=r"n .* an integer"):
                getattr(xp.fft, name)(n)


@pytest.mark.parametrize("name", ["irfft2", "irfftn", "ifft2", "fft2"])
def test_operands_that_wait_keep_their_values(name: str) -> None:
    """A transform neither changes a pending operand nor sees what is written to its memory later."""
    x = data("fft", (64, 33), seed=3)
    ours = da.asarray(x)
    operand = ours * 2 + 1
    result = getattr(da.fft, name)(operand)
    scaled = result * 3
    ours[...] = 0
    same(host(operand), x * 2 + 1)
    wanted = getattr(np.fft, name)(x * 2 + 1)
    np.testing.assert_allclose(host(scaled), 3 * wanted, rtol=1e-4, atol=1e-4 * abs(wanted).max())
    np.testing.assert_allclose(host(result), wanted, rtol=1e-4, atol=1e-4 * abs(wanted).max())


def test_copies_for_transforms_that_overwrite() -> None:
    """What cuFFT overwrites is nobody's, whether the operand waits, or is wanted in another order of memory."""
    from devarray.fft.cufft import _scratch

    x = data("fft", (300, 200), seed=4)
    for ours, wanted in (
        (da.asarray(x), x),
        (da.asarray(x) * 2, x * 2),
        (da.asarray(x).T * 2, x.T * 2),
        (da.asarray(x)[::2, ::-1], x[::2, ::-1]),
        (da.broadcast_to(da.asarray(x[0]), (50, 200)), np.broadcast_to(x[0], (50, 200))),
    ):
        made = _scratch(ours)
        same(host(made), wanted)
        made[...] = 0
        same(host(ours), wanted)


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_of_what_waits(order: Any) -> None:
    """NumPy's results lie as their operands do, whether these wait or not."""
    x = np.asarray(data("fft", (24, 13), seed=5), order=order)
    ours = da.fft.irfft2(da.asarray(x, copy=True) * 2)
    assert ours.strides == np.fft.irfft2(x * 2).strides
    same(host(ours.T), host(ours).T)
