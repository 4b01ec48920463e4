"""Launches of as many work-items as there are elements, on CPUs that take partial groups.

Nothing beyond is touched, and elements left over by vectors and groups have the bits of the others.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracle import skip_without, values

import devarray as da
from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.spec import ElementwiseSpec

pytestmark = pytest.mark.usefixtures("device", "kernels")

GUARD = 40
SIZES = [1, 2, 7, 8, 9, 31, 1023, 1024, 1025, 2057, 9_001]
DTYPES = ["float32", "float64", "uint8", "int64", "bool", "float16", "complex64", "complex128"]


def guarded(shape: tuple[int, ...], dtype: str) -> tuple[np.ndarray, da.Array, da.Array]:
    """A host array, the same on the device, and its view of that shape with elements before, behind and between."""
    size = int(np.prod(shape[:-1], dtype=int)) * (shape[-1] + GUARD) + GUARD
    whole = values(dtype, size, 3)
    on_device = da.asarray(whole)
    return whole, on_device, on_device[GUARD:].reshape(*shape[:-1], shape[-1] + GUARD)[..., : shape[-1]]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_a_line_is_written_whole_and_nothing_beside_it(n: int, dtype: str) -> None:
    skip_without(dtype)
    whole, on_device, view = guarded((n,), dtype)
    view[...] = view == view[::-1] if dtype == "bool" else view + view
    wanted = whole.copy()
    here = wanted[GUARD : GUARD + n]
    with np.errstate(all="ignore"):
        here[...] = here == here[::-1] if dtype == "bool" else here + here
    np.testing.assert_array_equal(on_device.copy_to_host(), wanted)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (5, 1), (17, 1025), (1025, 3), (1, 2000), (3, 4, 1500), (2, 40, 17)])
@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex128"])
def test_rows_are_written_whole_and_nothing_beside_them(shape: tuple[int, ...], dtype: str) -> None:
    skip_without(dtype)
    whole, on_device, view = guarded(shape, dtype)
    view[...] = view * 3 + view[..., :1]
    wanted = whole.copy()
    here = wanted[GUARD:].reshape(*shape[:-1], shape[-1] + GUARD)[..., : shape[-1]]
    with np.errstate(all="ignore"):
        here[...] = here * 3 + here[..., :1].copy()
    np.testing.assert_allclose(on_device.copy_to_host(), wanted, rtol=1e-6)


@pytest.mark.parametrize("function", ["exp", "sin", "log1p", "tanh", "cbrt", "erf", "tgamma"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_elements_that_vectors_leave_over_have_the_same_bits(function: str, dtype: str) -> None:
    skip_without(dtype)
    f = {"tgamma": da.special.gamma, "erf": da.special.erf}.get(function) or getattr(da, function)
    x = np.random.default_rng(4).uniform(0.1, 9, 2048).astype(dtype)
    y = da.asarray(x)
    whole = f(y).copy_to_host()
    for n in (1, 5, 1023, 1029, 2047):
        np.testing.assert_array_equal(f(y[:n].copy()).copy_to_host(), whole[:n])
        np.testing.assert_array_equal(f(y[2048 - n :].copy()).copy_to_host(), whole[2048 - n :])


@pytest.mark.parametrize("mode", ["linear", "rows", "flat"])
def test_kernels_test_no_bounds_where_launches_are_exact(mode: str) -> None:
    device = da.device()
    exact = device.strategy == "cpu" and device.caps["partial_groups"]
    access = "linear" if mode == "linear" else "unit"
    spec = ElementwiseSpec(
        mode=mode, ndim=1 if mode == "linear" else 2, wide=device.strategy == "cpu", vec=1, rows=4, alias=False,
        leaves=(("float32", access),), scalars=(), nodes=(("negative", "float32", "float32", (0,)),),
        outputs=((1, "float32", access),),
    )  # fmt: skip
    text = render(spec, da.compiler.dialect(device)).split("KERNEL")[-1]
    assert ("if (" not in text) == exact


def test_no_launch_of_gpus_is_exact() -> None:
    device = da.device()
    exact = da.compiler.dialect(device).exact_launches
    assert exact == (device.strategy == "cpu" and device.caps["partial_groups"])
    assert not (exact and device.driver == "cuda")
