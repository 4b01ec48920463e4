"""Planned Fourier transforms agree with NumPy's for every radix, layout and kind of data."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.fft import plan_fft
from devarray.codegen.kernels.fft_kernel import FFTPass, FFTWhole, radices, render, render_whole
from devarray.codegen.kernels.launches import View


def data(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, shape)
    return (x + 1j * rng.uniform(-1, 1, shape) if dtype.startswith("complex") else x).astype(dtype)


def transformed(
    runtime: Runtime, x: np.ndarray, out: np.ndarray, axis: int, n: int, load: str, store: str, inverse: bool
) -> np.ndarray:
    plan = plan_fft(view("in", x), view("out", out), axis, n, runtime.dialect, load=load, store=store, inverse=inverse)
    execute(runtime, plan, {"in": x, "out": out})
    return out


def near(ours: np.ndarray, wanted: np.ndarray) -> None:
    error, size = np.linalg.vector_norm(ours - wanted), np.linalg.vector_norm(wanted)
    assert error <= 4 * np.log2(max(2, ours.size)) * np.finfo(ours.dtype).eps * size


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7, 8, 11, 13, 16, 32, 42, 143, 256, 512, 1000, 2048, 4096, 8192])
@pytest.mark.parametrize("inverse", [False, True])
def test_every_radix(runtime: Runtime, n: int, inverse: bool) -> None:
    x = data((3, n), "complex64")
    ours = transformed(runtime, x, np.zeros_like(x), 1, n, "complex", "complex", inverse)
    near(ours, np.fft.ifft(x.astype("c16"), norm="forward") if inverse else np.fft.fft(x.astype("c16")))


def test_double_precision(runtime: Runtime) -> None:
    x = data((2, 96), "complex128")
    near(transformed(runtime, x, np.zeros_like(x), 1, 96, "complex", "complex", False), np.fft.fft(x))


@pytest.mark.parametrize("n", [1, 2, 9, 16, 60, 256])
@pytest.mark.heavy
def test_real_data_and_back(runtime: Runtime, n: int) -> None:
    x = data((3, n), "float32")
    half = transformed(runtime, x, np.zeros((3, n // 2 + 1), "c8"), 1, n, "real", "half", False)
    near(half, np.fft.rfft(x.astype("f8")))
    half = half + np.where(np.arange(n // 2 + 1) * 2 % n == 0, 1j, 0).astype("c8")  # counts for nothing
    near(transformed(runtime, half, np.zeros_like(x), 1, n, "half", "real", True), x * n)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("n", [16, 48, 64, 4096])
def test_any_axis_and_order_of_memory(runtime: Runtime, axis: int, n: int) -> None:
    shape = [3, 5, 19]
    shape[axis] = n
    x = data(tuple(shape), "complex64")
    for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[::-1, ::2]):
        for out in (np.zeros_like(x), np.zeros(x.T.shape, "c8").T):
            ours = transformed(runtime, given, out, axis, n, "complex", "complex", False)
            near(ours, np.fft.fft(given.astype("c16"), axis=axis))


def test_short_powers_of_two_take_one_launch() -> None:
    x = View.contiguous("in", "complex64", (7, 1024))
    plan = plan_fft(
        x, View.contiguous("out", "complex64", x.shape), 1, 1024, GPU, load="complex", store="complex", inverse=False
    )
    assert (len(plan.launches), plan.temporaries) == (1, {})


def test_radices_multiply_to_the_length() -> None:
    for n in range(1, 2000):
        found = radices(n)
        if found is None:
            assert any(n % prime == 0 for prime in range(17, n + 1) if all(prime % k for k in range(2, prime)))
        else:
            assert np.prod(found) == n
    with pytest.raises(ValueError, match="no small radices"):
        plan_fft(
            View.contiguous("in", "complex64", (17,)),
            View.contiguous("out", "complex64", (17,)),
            0,
            17,
            GPU,
            load="complex",
            store="complex",
            inverse=False,
        )


@needs_nvrtc
@pytest.mark.parametrize("across", [False, True])
@pytest.mark.heavy
def test_whole_transforms_compile_for_cuda(across: bool) -> None:
    for dtype, load, store in (("complex64", "real", "half"), ("complex128", "half", "real")):
        spec = FFTWhole(64, 8, dtype, 2, load, store, across, True, across, not across, 1 if across else -1, False)
        assert compiles_for_cuda(render_whole(spec, GPU))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("radix", [1, 5, 8, 16])
@pytest.mark.heavy
def test_compiles_for_cuda(radix: int, dtype: str) -> None:
    for load, store, first in (("real", "half", True), ("half", "real", True), ("complex", "complex", False)):
        for wide in (False, True):
            spec = FFTPass(radix, dtype, 2, load, store, not first, first, first, wide, wide)
            assert compiles_for_cuda(render(spec, GPU))
