"""NVIDIA's libraries, found at run time: by NVIDIA's cuda-pathfinder where it is installed, else in the wheels of this
environment, then among the system's.

NVRTC is loaded by the C++ core, which asks here for its places. cuBLAS, cuSOLVER and cuFFT are called through ctypes.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from devarray._runtime import install
from devarray.errors import DriverError, MissingDriverError, ValueError

from .._core import cuda as _cuda

__all__ = ["Library", "available", "candidates", "load", "nvrtc_candidates", "nvtx_candidates", "static_library"]

# The number in a library's file name, by CUDA's major version.
_NUMBERS = {"cublas": {13: 13, 12: 12}, "cusolver": {13: 12, 12: 11}, "cufft": {13: 12, 12: 11}}
_INT = 2**31
_TITLES = {"cublas": "cuBLAS", "cusolver": "cuSOLVER", "cufft": "cuFFT"}
_SYSTEM = ("/usr/local/cuda/lib64", "/usr/local/cuda-{major}/lib64", "/opt/cuda/lib64")


def nvrtc_candidates() -> list[str]:
    """Return full paths of NVRTC: cuda-pathfinder's, then those of wheels, in the order of ``sys.path``."""
    return list(dict.fromkeys([*_by_pathfinder("nvrtc"), *_in_wheels("nvrtc", "cuda_nvrtc")]))


def nvtx_candidates() -> list[str]:
    """Return where NVTX may lie, best first: paths, and names that the system's loader knows."""
    found = list(_by_pathfinder("nvtx"))
    for name in ("nvToolsExt", "nvtx3interop"):  # CUDA 12's name, and CUDA 13's
        found += _in_wheels(name, "nvtx")
    for file in ("libnvToolsExt.so.1", "libnvtx3interop.so.1", "libnvtx3interop.so"):
        found += [file, *(f"{folder}/{file}" for folder in _SYSTEM if "{" not in folder)]
    return list(dict.fromkeys(found))


@cache
def _by_pathfinder(name: str) -> tuple[str, ...]:
    """What NVIDIA's own search finds: in wheels, conda's environment, by the loader, under CUDA_PATH or CUDA_HOME.

    Nothing where the package is not installed, or finds nothing. It knows nothing of the driver's version, and loads
    what it finds; so ours goes on where its library is too new.
    """
    try:
        from cuda import pathfinder  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return ()
    try:
        path = pathfinder.load_nvidia_dynamic_lib(name).abs_path
    except (RuntimeError, OSError):  # not found, and found but not loaded
        return ()
    return (path,) if path else ()


def _in_wheels(name: str, folder: str) -> list[str]:
    """Of ``nvidia/cu13/lib`` (CUDA 13's wheels) and ``nvidia/<folder>/lib`` (CUDA 12's)."""
    found: dict[str, None] = {}
    for entry in sys.path:
        root = Path(entry or ".") / "nvidia"
        if root.is_dir():
            for pattern in (f"cu*/lib/lib{name}.so.[0-9]*", f"{folder}/lib/lib{name}.so.[0-9]*"):
                found.update((str(path.resolve()), None) for path in sorted(root.glob(pattern)))
    return list(found)


def static_library(name: str, folder: str | None = None) -> str:
    """The path of one of CUDA's static libraries, for the driver's linker.

    Parameters
    ----------
    name : str
        ``"cudadevrt"`` for ``libcudadevrt.a``.
    folder : str, optional
        Where it lies; by default it is looked for.
    """
    file = f"lib{name}.a"
    folders = [folder] if folder is not None else [*_static_by_pathfinder(name), *_static_folders()]
    for each in folders:
        if (path := Path(each) / file).is_file():
            return str(path)
    raise MissingDriverError(
        f"no {file} in {', '.join(folders)}: install CUDA's toolkit or NVIDIA's wheel nvidia-cuda-runtime, or give "
        "cuda_libdir, the folder that it is in"
    )


def _static_by_pathfinder(name: str) -> tuple[str, ...]:
    """The folder in which NVIDIA's own search finds a static library; nothing where it does not."""
    try:
        from cuda import pathfinder  # type: ignore[import-not-found, import-untyped, unused-ignore]

        return (str(Path(pathfinder.find_static_lib(name)).parent),)
    except (
        ImportError,
        AttributeError,
        builtins.ValueError,
        RuntimeError,
    ):  # absent, older, not its library, not found
        return ()


def _static_folders() -> Iterator[str]:
    """Of a toolkit that the environment names, of NVIDIA's wheels, of a toolkit in its usual place."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if toolkit := os.environ.get(variable):
            yield f"{toolkit}/lib64"
            yield f"{toolkit}/lib"
    for entry in sys.path:
        root = Path(entry or ".") / "nvidia"
        if root.is_dir():
            yield from map(str, sorted(root.glob("cu*/lib"), reverse=True))
            yield from map(str, root.glob("cuda_runtime/lib"))
    yield from (each for each in _SYSTEM if "{" not in each)
    yield "/usr/lib/x86_64-linux-gnu"
    yield "/usr/lib/aarch64-linux-gnu"


def candidates(name: str, driver_major: int) -> list[str]:
    """Where a library may lie, best first: paths, and names that the system's loader knows.

    Parameters
    ----------
    name : {"cublas", "cusolver", "cufft"}
    driver_major : int
        Of the CUDA version that the driver serves: newer libraries do not run on it.
    """
    numbers = {number: major for major, number in _NUMBERS[name].items() if major <= driver_major}
    found = [path for path in _by_pathfinder(name) if _number(path) in numbers]
    wheels: list[tuple[int, str]] = []
    for path in _in_wheels(name, name):
        if (number := _number(path)) in numbers:
            wheels.append((-numbers[number], path))
    found += [path for _, path in sorted(wheels, key=lambda pair: pair[0]) if path not in found]
    for number, major in numbers.items():
        file = f"lib{name}.so.{number}"
        found += [file, *(f"{folder.format(major=major)}/{file}" for folder in _SYSTEM)]
    return found


def _number(path: str) -> int:
    """The N of ``lib<name>.so.N``, behind links; 0 where the name does not say."""
    match = re.search(r"\.so\.(\d+)", os.path.realpath(path))
    return int(match[1]) if match else 0


class Library:
    """A loaded library whose functions answer a status, 0 where all went well.

    Attributes
    ----------
    name, path : str
    """

    def __init__(self, name: str, path: str, loaded: ctypes.CDLL) -> None:
        self.name, self.path = name, path
        self._loaded = loaded

    def has(self, function: str) -> bool:
        """Whether this version of the library has the function."""
        return hasattr(self._loaded, function)

    def _find(self, name: str) -> Any:
        try:
            return self._loaded[name]
        except AttributeError:
            raise MissingDriverError(f"{self.path} has no {name}; a newer {_TITLES[self.name]} is needed") from None

    def address(self, name: str) -> int:
        """Where the function lies. MissingDriverError where this version has none of that name."""
        return ctypes.cast(self._find(name), ctypes.c_void_p).value or 0

    def function(self, name: str, arguments: Sequence[Any]) -> Any:
        """The function, typed; its status is checked, and that its integers are of 32 bits where it takes such.

        MissingDriverError where this version has none of that name.
        """
        found = self._find(name)
        found.argtypes = list(arguments)
        found.restype = ctypes.c_int
        found.errcheck = self._check
        ints = [i for i, kind in enumerate(arguments) if kind is ctypes.c_int]

        def call(*given: Any) -> int:
            for i in ints:
                if not -_INT <= given[i] < _INT:  # ctypes would take its lower 32 bits
                    raise ValueError(
                        f"{_TITLES[self.name]}: {name} takes 32-bit integers, not {given[i]}; fewer or "
                        "smaller matrices at a time are wanted"
                    )
            return found(*given)

        return call if ints else found

    def _check(self, status: int, function: Any, arguments: object) -> int:
        if status:
            raise failure(self.name, function.__name__, status)
        return status


def failure(name: str, call: str, status: int) -> DriverError:
    """The error for a status that is not 0."""
    code_name = _STATUS[name].get(status, "unknown status")
    error = DriverError(f"{_TITLES[name]}: {call} failed: {code_name} ({status})")
    error.driver, error.call, error.code, error.code_name = "cuda", call, status, code_name
    return error


_STATUS = {
    "cublas": {
        1: "CUBLAS_STATUS_NOT_INITIALIZED",
        3: "CUBLAS_STATUS_ALLOC_FAILED",
        7: "CUBLAS_STATUS_INVALID_VALUE",
        8: "CUBLAS_STATUS_ARCH_MISMATCH",
        11: "CUBLAS_STATUS_MAPPING_ERROR",
        13: "CUBLAS_STATUS_EXECUTION_FAILED",
        14: "CUBLAS_STATUS_INTERNAL_ERROR",
        15: "CUBLAS_STATUS_NOT_SUPPORTED",
        16: "CUBLAS_STATUS_LICENSE_ERROR",
    },
    "cusolver": {
        1: "CUSOLVER_STATUS_NOT_INITIALIZED",
        2: "CUSOLVER_STATUS_ALLOC_FAILED",
        3: "CUSOLVER_STATUS_INVALID_VALUE",
        4: "CUSOLVER_STATUS_ARCH_MISMATCH",
        5: "CUSOLVER_STATUS_MAPPING_ERROR",
        6: "CUSOLVER_STATUS_EXECUTION_FAILED",
        7: "CUSOLVER_STATUS_INTERNAL_ERROR",
        8: "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        9: "CUSOLVER_STATUS_NOT_SUPPORTED",
    },
    "cufft": {
        1: "CUFFT_INVALID_PLAN",
        2: "CUFFT_ALLOC_FAILED",
        3: "CUFFT_INVALID_TYPE",
        4: "CUFFT_INVALID_VALUE",
        5: "CUFFT_INTERNAL_ERROR",
        6: "CUFFT_EXEC_FAILED",
        7: "CUFFT_SETUP_FAILED",
        8: "CUFFT_INVALID_SIZE",
        9: "CUFFT_UNALIGNED_DATA",
        11: "CUFFT_INVALID_DEVICE",
        14: "CUFFT_NOT_IMPLEMENTED",
        16: "CUFFT_NOT_SUPPORTED",
    },
}


@cache
def _find(name: str) -> Library | str:
    """The library, or what to say where there is none."""
    driver_major = _cuda.driver_version() // 1000
    if name == "cusolver":
        _find("cublas")  # its symbols are cuSOLVER's too: of two versions the one that is loaded first serves both
    refusals = []
    for path in candidates(name, driver_major):
        try:
            return Library(name, path, ctypes.CDLL(path, mode=ctypes.RTLD_LOCAL))
        except OSError as error:
            if "/" in path and Path(path).exists():
                refusals.append(str(error))
    extra = f"cuda{min(max(_NUMBERS[name]), max(driver_major, min(_NUMBERS[name])))}"
    seen = f" ({'; '.join(refusals)})" if refusals else ""
    return f"no {_TITLES[name]} was found for CUDA {driver_major}{seen}; {install.command(extra)} brings it"


def available(name: str) -> bool:
    """Whether the library is there."""
    return isinstance(_find(name), Library)


def load(name: str) -> Library:
    """The library; MissingDriverError says what to install where there is none.

    Parameters
    ----------
    name : {"cublas", "cusolver", "cufft"}
    """
    found = _find(name)
    if isinstance(found, str):
        raise MissingDriverError(found)
    return found
