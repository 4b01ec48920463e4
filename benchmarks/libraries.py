"""The libraries that are compared, each behind the same few methods."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

import devarray as da

__all__ = ["PEERS", "DevArray", "Library", "available"]

_WORK_ERRORS = (
    ArithmeticError, AttributeError, ImportError, LookupError, MemoryError, RuntimeError, TypeError, ValueError,
)  # fmt: skip


class Library:
    """One library on one device.

    Attributes
    ----------
    name : str
    version : str
    place : str
        What it runs on.
    xp : namespace
        NumPy's functions.
    lacks : frozenset of str
        Abilities that a `Case` may need and the library does not have.
    errors : tuple of exception types
        What its work may raise.
    """

    name: ClassVar[str]
    version: str
    place: str
    xp: Any
    lacks: frozenset[str] = frozenset()
    errors: tuple[type[Exception], ...] = _WORK_ERRORS

    def supports(self, needs: tuple[str, ...]) -> bool:
        abilities = {"axis", "slices", "broadcasting", "transposed"}
        return all(need not in self.lacks if need in abilities else hasattr(self.xp, need) for need in needs)

    def to_device(self, host: np.ndarray) -> Any:
        """A new array with the values of a host array."""
        raise NotImplementedError

    def to_host(self, array: Any) -> np.ndarray:
        """A new host array with the values; waits."""
        raise NotImplementedError

    def evaluate(self, array: Any) -> Any:
        """Enqueue what computes `array`, where the library defers it; returns the array."""
        return array

    def finish(self, array: Any) -> None:
        """Wait until `array` and all before it are computed."""

    def transposed(self, array: Any) -> Any:
        """The transpose of a matrix in new, contiguous memory."""
        return array.T.copy()


class DevArray(Library):
    """devarray, and the measure of the budgets: hand-written kernels through its own launch."""

    name = "devarray"

    def __init__(self, device: da.Device) -> None:
        self.device = device
        self.queue = device.default_queue
        self.version = da.__version__
        self.place = f"{device.caps['platform']}, {device.name}"
        self.xp = da
        self.errors = (*Library.errors, da.Error)

    def to_device(self, host: np.ndarray) -> da.Array:
        return da.to_device(host)

    def to_host(self, array: da.Array) -> np.ndarray:
        return array.copy_to_host()

    def evaluate(self, array: Any) -> Any:
        return array.evaluate() if isinstance(array, da.Array) else array

    def finish(self, array: Any) -> None:
        self.queue.finish()


class NumPy(Library):
    name = "numpy"

    def __init__(self, device: da.Device) -> None:
        self.version = np.__version__
        self.place = f"host, {os.cpu_count()} cores"
        self.xp = np

    def to_device(self, host: np.ndarray) -> np.ndarray:
        return host.copy()

    def to_host(self, array: np.ndarray) -> np.ndarray:
        return np.array(array)

    def transposed(self, array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.T)


class PyOpenCL(Library):
    """PyOpenCL's arrays from a memory pool, on the runtime that devarray uses."""

    name = "pyopencl"
    lacks = frozenset({"axis", "slices", "broadcasting", "transposed"})

    def __init__(self, device: da.Device) -> None:
        _register_runtimes()
        import pyopencl as cl
        import pyopencl.array as cl_array
        from pyopencl import clmath
        from pyopencl.tools import ImmediateAllocator, MemoryPool

        warnings.filterwarnings("ignore", category=cl.CompilerWarning)  # the compilers' chatter
        found = [(p, d) for p in cl.get_platforms() for d in p.get_devices() if _is_same(device, p.name, d.name)]
        if not found:
            raise LookupError(f"PyOpenCL finds no device like {device}")
        platform, chosen = found[0]
        self.version = cl.VERSION_TEXT
        self.place = f"{platform.name}, {chosen.name}"
        self.errors = (*Library.errors, cl.Error)
        self._array = cl_array
        self._context = cl.Context([chosen])  # kept, because Intel's queues do not keep theirs
        self.queue = cl.CommandQueue(self._context)
        self.pool = MemoryPool(ImmediateAllocator(self.queue))
        self.xp = SimpleNamespace(
            sqrt=clmath.sqrt, exp=clmath.exp, log=clmath.log, sum=cl_array.sum, cumsum=cl_array.cumsum
        )

    def to_device(self, host: np.ndarray) -> Any:
        return self._array.to_device(self.queue, host, allocator=self.pool)

    def to_host(self, array: Any) -> np.ndarray:
        return array.get()

    def finish(self, array: Any) -> None:
        self.queue.finish()


class CuPy(Library):
    name = "cupy"

    def __init__(self, device: da.Device) -> None:
        import cupy

        if device.type != "gpu":
            raise LookupError("CuPy runs on GPUs only")
        self.version = cupy.__version__
        self.place = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.xp = cupy
        self._stream = cupy.cuda.get_current_stream()

    def to_device(self, host: np.ndarray) -> Any:
        return self.xp.asarray(host)

    def to_host(self, array: Any) -> np.ndarray:
        return self.xp.asnumpy(array)

    def finish(self, array: Any) -> None:
        self._stream.synchronize()

    def transposed(self, array: Any) -> Any:
        return self.xp.ascontiguousarray(array.T)


class Torch(Library):
    name = "torch"

    def __init__(self, device: da.Device) -> None:
        import torch

        if device.type == "gpu" and not torch.cuda.is_available():
            raise LookupError("PyTorch finds no GPU")
        self._torch = torch
        self._device = "cuda" if device.type == "gpu" else "cpu"
        self.version = torch.__version__
        host = f"host, {torch.get_num_threads()} threads"
        self.place = torch.cuda.get_device_name() if self._device == "cuda" else host
        self.xp = SimpleNamespace(
            sqrt=torch.sqrt, exp=torch.exp, log=torch.log, where=torch.where, clip=torch.clip, argmax=torch.argmax,
            matmul=torch.matmul,
            max=lambda x, axis, keepdims: torch.amax(x, dim=axis, keepdim=keepdims),
            sum=lambda x, axis=None, keepdims=False: torch.sum(x, dim=axis, keepdim=keepdims),
            std=lambda x, axis: torch.std(x, dim=axis, correction=0),
            cumsum=lambda x: torch.cumsum(x, 0),
            sort=lambda x: torch.sort(x).values,
        )  # fmt: skip

    def to_device(self, host: np.ndarray) -> Any:
        return self._torch.tensor(host, device=self._device)

    def to_host(self, array: Any) -> np.ndarray:
        return np.array(array.cpu().numpy(), copy=self._device == "cpu")

    def finish(self, array: Any) -> None:
        if self._device == "cuda":
            self._torch.cuda.synchronize()

    def transposed(self, array: Any) -> Any:
        return array.T.contiguous()


class Jax(Library):
    """JAX without jit, as the others run."""

    name = "jax"

    def __init__(self, device: da.Device) -> None:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leaves memory to the others
        import jax

        jax.config.update("jax_default_matmul_precision", "highest")  # float32 products in float32, as the others
        jax.config.update("jax_enable_x64", True)  # and float64 stays float64
        self._jax = jax
        try:
            self._device = jax.devices("gpu" if device.type == "gpu" else "cpu")[0]
        except RuntimeError as error:
            raise LookupError(f"JAX: {error}") from error
        self.version = jax.__version__
        self.place = str(self._device)
        self.xp = jax.numpy

    def to_device(self, host: np.ndarray) -> Any:
        if self._device.platform == "cpu":
            host = host.copy()  # which JAX may otherwise share
        return self._jax.device_put(host, self._device)

    def to_host(self, array: Any) -> np.ndarray:
        return np.array(array)

    def finish(self, array: Any) -> None:
        self._jax.block_until_ready(array)

    def transposed(self, array: Any) -> Any:
        return self.xp.transpose(array)


PEERS: dict[str, Callable[[da.Device], Library]] = {
    library.name: library for library in (NumPy, PyOpenCL, CuPy, Torch, Jax)
}


def available(names: list[str], device: da.Device) -> tuple[list[Library], list[str]]:
    """(the libraries of those names that run here, why the others do not)."""
    found, reasons = [], []
    for name in names:
        if importlib.util.find_spec(name) is None:
            reasons.append(f"{name}: not installed")
            continue
        try:
            found.append(PEERS[name](device))
        except (ImportError, LookupError, RuntimeError) as error:
            reasons.append(f"{name}: {error}")
    return found, reasons


def _is_same(device: da.Device, platform: str, name: str) -> bool:
    if device.driver == "cuda":  # the same GPU by its other driver
        return device.name in name
    return platform == device.caps["platform"] and name == device.name


def _register_runtimes() -> None:
    """Register with PyOpenCL's loader the OpenCL libraries that devarray found, where nobody registered any."""
    libraries = [library for library, _, platforms, _ in da._core.cl.libraries() if platforms]
    if "OCL_ICD_VENDORS" in os.environ or not libraries:
        return
    folder = Path(tempfile.mkdtemp(prefix="devarray-icd-"))
    for number, library in enumerate(libraries):
        (folder / f"{number}.icd").write_text(f"{library}\n")
    os.environ["OCL_ICD_VENDORS"] = str(folder)
