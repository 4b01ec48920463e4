"""What NVIDIA's libraries are asked, checked without a GPU: where they are looked for, and the parameters they get.

In place of cuBLAS and cuFFT stand NumPy and the documented meaning of the parameters, over the arrays' own memory.
"""

from __future__ import annotations

import ctypes
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import _core
from devarray._runtime import install
from devarray.cuda import cufft, libraries
from devarray.fft import cufft as transforms

# --- calling them -----------------------------------------------------------------------------------------------------


def test_integers_of_more_than_32_bits_are_refused() -> None:
    library = libraries.Library("cusolver", "the C library", ctypes.CDLL(None))
    absolute = library.function("abs", [ctypes.c_int])
    assert absolute(0) == 0
    for beyond in (2**31, -(2**31) - 1, 2**32):
        with pytest.raises(da.errors.ValueError, match=f"cuSOLVER: abs takes 32-bit integers, not {beyond}"):
            absolute(beyond)


def test_a_functions_address_is_the_librarys() -> None:
    loaded = ctypes.CDLL(None)
    library = libraries.Library("cublas", "the C library", loaded)
    assert library.address("abs") == ctypes.cast(loaded.abs, ctypes.c_void_p).value
    with pytest.raises(da.MissingDriverError, match="has no no_such_function"):
        library.address("no_such_function")


# --- finding them ---------------------------------------------------------------------------------------------------


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for file in ("cu13/lib/libcublas.so.13", "cublas/lib/libcublas.so.12", "cu13/lib/libcublasLt.so.13"):
        path = tmp_path / "nvidia" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setitem(sys.modules, "cuda", None)  # no cuda-pathfinder
    libraries._by_pathfinder.cache_clear()
    yield tmp_path.resolve() / "nvidia"
    libraries._by_pathfinder.cache_clear()


def test_wheels_come_first_and_the_newest_first(wheels: Path) -> None:
    found = libraries.candidates("cublas", 13)
    assert found[:2] == [str(wheels / "cu13/lib/libcublas.so.13"), str(wheels / "cublas/lib/libcublas.so.12")]
    assert "libcublas.so.13" in found[2:]


def test_no_library_is_newer_than_the_driver(wheels: Path) -> None:
    found = libraries.candidates("cublas", 12)
    assert found[0] == str(wheels / "cublas/lib/libcublas.so.12")
    assert not any(".so.13" in path for path in found)


@pytest.fixture
def pathfinder(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """NVIDIA's package, which finds libraries of CUDA 13 in an environment of conda, and no cuFFT."""
    package, module = ModuleType("cuda"), ModuleType("cuda.pathfinder")

    def load_nvidia_dynamic_lib(name: str) -> SimpleNamespace:
        if name == "cufft":
            raise RuntimeError("DynamicLibNotFoundError")
        return SimpleNamespace(abs_path=f"/conda/lib/lib{name}.so.{12 if name == 'cusolver' else 13}")

    module.load_nvidia_dynamic_lib = load_nvidia_dynamic_lib  # type: ignore[attr-defined]
    package.pathfinder = module  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cuda", package)
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", module)
    return module


@pytest.mark.usefixtures("pathfinder")
def test_what_nvidias_own_search_finds_comes_first(wheels: Path) -> None:
    found = libraries.candidates("cublas", 13)
    assert found[:2] == ["/conda/lib/libcublas.so.13", str(wheels / "cu13/lib/libcublas.so.13")]
    assert libraries.candidates("cusolver", 13)[0] == "/conda/lib/libcusolver.so.12"
    assert libraries.nvrtc_candidates() == ["/conda/lib/libnvrtc.so.13"]


@pytest.mark.usefixtures("pathfinder")
def test_ours_goes_on_where_it_finds_none_or_one_too_new(wheels: Path) -> None:
    assert libraries.candidates("cublas", 12)[0] == str(wheels / "cublas/lib/libcublas.so.12")
    assert libraries.candidates("cufft", 13)[0] == "libcufft.so.12"


@pytest.mark.parametrize(("version", "extra"), [(12080, "cuda12"), (13000, "cuda13"), (14000, "cuda13")])
def test_a_missing_library_names_the_extra(version: int, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        @staticmethod
        def driver_version() -> int:
            return version

    monkeypatch.setattr(libraries, "_cuda", Driver)
    monkeypatch.setattr(libraries, "candidates", lambda name, major: ["libthere_is_none.so.99"])
    libraries._find.cache_clear()
    try:
        assert not libraries.available("cufft")
        with pytest.raises(da.MissingDriverError, match="no cuFFT was found .*" + re.escape(install.command(extra))):
            libraries.load("cufft")
    finally:
        libraries._find.cache_clear()


def test_a_status_is_an_error() -> None:
    library = libraries.Library("cublas", "libc", ctypes.CDLL(None))
    call = library.function("abs", [ctypes.c_int])
    assert call(0) == 0
    with pytest.raises(da.DriverError, match=r"cuBLAS: abs failed: CUBLAS_STATUS_NOT_SUPPORTED \(15\)") as caught:
        call(-15)
    assert (caught.value.driver, caught.value.call, caught.value.code) == ("cuda", "abs", 15)
    assert library.has("abs") and not library.has("cublasFutureCall")
    with pytest.raises(da.MissingDriverError, match="a newer cuBLAS is needed"):
        library.function("cublasFutureCall", [])


# --- memory that both sides see -------------------------------------------------------------------------------------


@pytest.fixture
def visible(device: da.Device) -> Iterator[None]:
    """New arrays lie in memory whose addresses the host may use."""
    if "svm_fine" not in device.memory_kinds:
        pytest.skip("needs memory that the host sees at its address")
    with da.use(allocator=da.alloc.DeviceMemoryResource(device, "svm_fine")):
        yield


def at(address: int, dtype: Any, shape: tuple[int, ...], steps: tuple[int, ...]) -> np.ndarray:
    """Memory at an address; steps in elements."""
    size = np.dtype(dtype).itemsize
    first = np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
    return np.lib.stride_tricks.as_strided(first, shape, tuple(step * size for step in steps), writeable=True)


def test_work_of_a_library_needs_memory_with_an_address(device: da.Device) -> None:
    if "buffer" not in device.memory_kinds:
        pytest.skip("needs OpenCL buffers")
    x = da.ones((3,), allocator=da.alloc.DeviceMemoryResource(device, "buffer"))
    with pytest.raises(da.DeviceError, match="memory with an address"):
        _core.enqueue(lambda address: None, [x], 0)


@pytest.mark.usefixtures("visible")
def test_work_of_a_library_meets_hazards() -> None:
    x = da.zeros((4,))
    reader, pending = x + 1, da.ones((4,)) * 2

    def fill(target: int, given: int) -> str:
        da.synchronize()
        at(target, "f8", (4,), (1,))[...] = at(given, "f8", (4,), (1,))
        return "done"

    assert _core.enqueue(fill, [x, pending], 0b01) == "done"
    assert x.copy_to_host().tolist() == [2] * 4
    assert reader.copy_to_host().tolist() == [1] * 4, "a reader from before the write"

    def fails(target: int) -> None:
        raise RuntimeError("the library's")

    with pytest.raises(RuntimeError, match="the library's"):
        _core.enqueue(fails, [x], 1)


# --- cuBLAS ---------------------------------------------------------------------------------------------------------

_NAMES = {0: "float32", 5: "complex128"}  # cudaDataType_t


def run_calls(calls: Any) -> None:
    """cublasGemmStridedBatchedEx by its documentation: column-major, c = op(a) @ op(b)."""
    da.synchronize()
    for op_a, op_b, m, n, k, a, lda, step_a, b, ldb, step_b, c, ldc, step_c, count, data, _ in calls:
        dtype = np.dtype(_NAMES[data])
        assert lda >= (k if op_a else m) and ldb >= (n if op_b else k) and ldc >= m
        for i in range(count):
            left, right, made = (
                start + i * step * dtype.itemsize for start, step in ((a, step_a), (b, step_b), (c, step_c))
            )
            x = at(left, dtype, (m, k), (lda, 1) if op_a else (1, lda))
            y = at(right, dtype, (k, n), (ldb, 1) if op_b else (1, ldb))
            at(made, dtype, (m, n), (1, ldc))[...] = x @ y


VIEWS: dict[str, Any] = {
    "plain": lambda x: x,
    "steps": lambda x: x[..., ::2, ::2],
    "backwards": lambda x: x[..., ::-1, ::-1],
    "transposed": lambda x: x.mT,
    "one": lambda x: x[0, 1],
    "one transposed": lambda x: x[1, 1].T,
    "columns": lambda x: x[..., :6],
    "rows": lambda x: x[..., :6, :],
    "a column": lambda x: x[..., 2:3],
    "a row": lambda x: x[..., 2:3, :],
    "broadcast outside": lambda x: x[:1],
    "broadcast inside": lambda x: x[:, :1],
    "stack backwards": lambda x: x[::-1],
    "a stack": lambda x: x[0],
    "a vector": lambda x: x[0, 0, 0],
    "a vector down": lambda x: x[1, 2, :, 3],
}


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("first", VIEWS)
@pytest.mark.usefixtures("visible")
def test_products_of_views(first: str, dtype: str) -> None:
    testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")
    rng = np.random.default_rng(0)
    a = rng.integers(-3, 4, (2, 3, 12, 18)).astype(dtype)
    b = rng.integers(-3, 4, (2, 3, 18, 12)).astype(dtype)
    x, y = da.asarray(a), da.asarray(b)
    tried = 0
    for second in VIEWS:
        for left, right, ours_left, ours_right in ((a, b, x, y), (b, a, y, x), (a, a, x, x)):
            one, two = VIEWS[first](left), VIEWS[second](right)
            if one.shape[-1] != two.shape[max(two.ndim - 2, 0)]:
                continue
            wanted = one @ two
            arrays, calls = testing.blas_calls(VIEWS[first](ours_left), VIEWS[second](ours_right))
            run_calls(calls)
            np.testing.assert_array_equal(arrays[-1].copy_to_host(), wanted)
            tried += 1
    assert tried


@pytest.mark.usefixtures("visible")
def test_calls_for_a_product() -> None:
    """One for a matrix after a stack of rows, one for a stack, one for each index where the stack has no even step."""
    testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")

    def calls(x: Any, y: Any) -> list[Any]:
        _, found = testing.blas_calls(x, y)
        return [(call[2], call[3], call[4], call[-3]) for call in found]  # m, n, k and how many

    x, y = da.zeros((2, 3, 12, 18), "f4"), da.zeros((2, 3, 18, 12), "f4")
    assert calls(x, y[0, 0]) == [(12, 72, 18, 1)]
    assert calls(x, y) == [(12, 12, 18, 6)]
    assert calls(x[0, 0], y) == [(12, 12, 18, 6)]
    assert calls(x[:, ::2], y[:, ::2]) == [(12, 12, 18, 2)] * 2
    assert calls(x[0, 0, 0], y[0]) == [(12, 1, 18, 3)]


# --- cuFFT ----------------------------------------------------------------------------------------------------------

_TYPES = {"C": np.complex64, "Z": np.complex128, "R": np.float32, "D": np.float64}


class Plan:
    """cuFFT's advanced layout by its documentation. Along several axes it overwrites the input of real results."""

    work_bytes = 0

    def __init__(self, device: int, kind: str, sizes: Any, source: Any, target: Any, batch: int) -> None:
        assert source[2] > 0 and target[2] > 0
        self.kind, self.sizes, self.sides, self.batch = kind, list(sizes), (source, target), batch

    def execute(self, stream: int, source: int, target: int, area: int, direction: int) -> None:
        da.synchronize()
        half = [*self.sizes[:-1], self.sizes[-1] // 2 + 1]
        real_in, real_out = self.kind[0] in "RD", self.kind[2] in "RD"
        x = self._view(source, self.sides[0], half if real_out else self.sizes, self.kind[0])
        y = self._view(target, self.sides[1], half if real_in else self.sizes, self.kind[2])
        axes, count = tuple(range(1, len(self.sizes) + 1)), np.prod(self.sizes)
        if real_in:
            y[...] = np.fft.rfftn(x, axes=axes)
        elif real_out:
            y[...] = np.fft.irfftn(x.copy(), s=self.sizes, axes=axes) * count
            if len(self.sizes) > 1:
                x[...] = np.nan
        else:
            y[...] = np.fft.fftn(x, axes=axes) if direction == -1 else np.fft.ifftn(x, axes=axes) * count

    def _view(self, address: int, side: Any, shape: list[int], letter: str) -> np.ndarray:
        embed, stride, dist = side
        steps = [stride]
        for size in embed[:0:-1]:
            steps.append(steps[-1] * size)
        return at(address, _TYPES[letter], (self.batch, *shape), (dist, *steps[::-1]))


@pytest.mark.parametrize("axes", [[0], [1], [2], [3], [0, 1], [2, 3], [1, 3], [0, 1, 2], [3, 1], [0, 1, 2, 3], [1, 0]])
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x.T, lambda x: x[:, ::-1], lambda x: x[..., ::2], lambda x: x[:1]]
)
@pytest.mark.usefixtures("visible")
def test_transforms_of_views(axes: list[int], view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cufft, "plan", Plan)
    rng = np.random.default_rng(1)
    a = (rng.uniform(-1, 1, (3, 4, 5, 6)) + 1j * rng.uniform(-1, 1, (3, 4, 5, 6))).astype("c8")
    x, near = da.asarray(a), {"rtol": 0, "atol": 2e-4}
    for inverse, numpys in ((False, np.fft.fftn), (True, np.fft.ifftn)):
        wanted = numpys(view(a), axes=axes, norm="forward" if inverse else "backward")
        ours = transforms.complex_to_complex(view(x), axes, inverse)
        np.testing.assert_allclose(ours.copy_to_host(), wanted, **near)
    real = a.real.copy()
    ours = transforms.real_to_complex(view(da.asarray(real)), axes)
    np.testing.assert_allclose(ours.copy_to_host(), np.fft.rfftn(view(real), axes=axes), **near)
    for odd in (0, 1):
        sizes = [view(a).shape[axis] for axis in axes]
        sizes[-1] = 2 * (sizes[-1] - 1) + odd
        if sizes[-1]:
            wanted = np.fft.irfftn(view(a), s=sizes, axes=axes, norm="forward")
            ours = transforms.complex_to_real(view(x), sizes, axes)
            np.testing.assert_allclose(ours.copy_to_host(), wanted, **near)
    np.testing.assert_array_equal(x.copy_to_host(), a)
