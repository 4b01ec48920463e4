"""CUDA C++ source to code, by NVRTC, or by nvcc where one is named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

from .. import errors as _errors
from .._core import cuda as _cuda
from .._runtime.cache_folder import CacheFolder, cache_folder
from ._headers import with_headers
from .errors import CompileError

__all__ = ["DEFAULT_NVCC_FLAGS", "compile", "nvrtc_compile"]

#: Options for every compilation that is not given its own; starts as the environment's PYCUDA_DEFAULT_NVCC_FLAGS.
DEFAULT_NVCC_FLAGS: list[str] = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

# subprocess and tempfile are imported where they are used: they would take a quarter of the time that importing
# devarray.cuda takes.

# Part of the cache's key: raise it when what is stored, or how, changes.
_CACHE_SCHEMA = 1
# To which the folder is trimmed, the oldest files first.
_CACHE_BYTES = 1 << 30


def nvrtc_compile(source: str, arch: str | None = None, options: Sequence[str] | str = ()) -> bytes:
    """Compile CUDA C++ by NVRTC. Needs neither a GPU nor the driver.

    Parameters
    ----------
    source : str
    arch : str, optional
        ``"sm_90"`` gives a cubin for that architecture, ``"compute_90"`` PTX. By default NVRTC's own.
    options : sequence of str or str, optional
        NVRTC's options.

    Returns
    -------
    bytes
        The cubin or PTX.

    Raises
    ------
    CompileError
        With the compiler's log and the line of the source.

    Examples
    --------
    >>> from devarray.cuda.compiler import nvrtc_compile
    >>> nvrtc_compile('extern "C" __global__ void f(int* a) { *a = 1; }', "sm_90")[:4]
    b'\\x7fELF'
    """
    image, _ = _cuda.nvrtc_compile(source, arch, options)
    return image


def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | bool | None = None,
    include_dirs: Sequence[str] = (),
    target: str = "cubin",
) -> bytes:
    """Compile CUDA C++ and return the cubin, without loading it.

    Parameters
    ----------
    source : str
        CUDA C++.
    nvcc : str, default "nvcc"
        The default compiles by NVRTC. A path to an nvcc compiles by that.
    options : sequence of str, optional
        The compiler's options, by default `DEFAULT_NVCC_FLAGS`.
    keep : bool, default False
        Keep the source and the result in a temporary folder, and print which.
    no_extern_c : bool, default False
        Do not wrap the source in ``extern "C" { ... }``.
    arch : str, optional
        The architecture, by default that of the current context's device.
    code : str, optional
        The same, where it is a real one (``"sm_90"``); it goes before `arch`.
    cache_dir : str or False, optional
        Where compiled code is kept: by default the environment's PYCUDA_CACHE_DIR, or a folder of the user. False
        (or PYCUDA_DISABLE_CACHE in the environment) keeps nothing.
    include_dirs : sequence of str, default ()
        Where included files are looked for.
    target : {"cubin", "ptx"}, default "cubin"
        What is made.

    Returns
    -------
    bytes
        The cubin or PTX.

    Raises
    ------
    CompileError
        If the source does not compile; ``stderr`` has the compiler's log.
    MissingDriverError
        If there is no compiler.

    Notes
    -----
    pycuda.compiler's function of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import compile
    >>> compile("__global__ void one(int* x) { *x = 1; }", arch="sm_90", cache_dir=False)[:4]
    b'\\x7fELF'
    """
    if not no_extern_c:
        source = 'extern "C" {\n#line 1\n' + source + "\n}\n"
    words = list(DEFAULT_NVCC_FLAGS if options is None else options)
    words += [f"-I{folder}" for folder in include_dirs]
    if arch is None:
        arch = _current_arch()
    with_nvcc = nvcc != "nvcc"
    if not with_nvcc:
        source, folders = with_headers(source)
        words += folders
    architecture = _architecture(arch, code, target)
    cache = _cache_folder(cache_dir)
    key = _cache_key(source, words, architecture, nvcc if with_nvcc else "nvrtc")
    kept = None if cache is None else cache.read(key)
    if kept is not None:
        return kept
    image = (
        _run_nvcc(source, nvcc, words, architecture, target) if with_nvcc else _run_nvrtc(source, words, architecture)
    )
    if keep:
        _keep(source, image, target)
    if cache is not None:
        cache.write({key: image}, _CACHE_BYTES)
    return image


def _current_arch() -> str:
    major, minor = _cuda.Context.get_device().compute_capability()
    return f"sm_{major}{minor}"


def _architecture(arch: str, code: str | None, target: str) -> str:
    """NVRTC's and nvcc's one option: a real architecture makes a cubin, a virtual one PTX."""
    if target == "ptx":
        return arch.replace("sm_", "compute_")
    return code if code is not None and code.startswith("sm_") else arch.replace("compute_", "sm_")


def _run_nvrtc(source: str, options: list[str], architecture: str) -> bytes:
    try:
        return nvrtc_compile(source, architecture, options)
    except _errors.CompileError as error:
        command = ("nvrtc", f"-arch={architecture}", *options)
        raise CompileError(str(error), command, stderr=error.log) from error


def _run_nvcc(source: str, nvcc: str, options: list[str], architecture: str, target: str) -> bytes:
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory(prefix="devarray-") as folder:
        file = Path(folder) / "kernel.cu"
        file.write_text(source)
        command = [nvcc, f"--{target}", f"-arch={architecture}", *options, file.name, "-o", f"kernel.{target}"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        except FileNotFoundError as error:
            raise _errors.MissingDriverError(
                f"no compiler {nvcc!r}; give the path of an installed nvcc, or leave nvcc at its default to use NVRTC"
            ) from error
        if done.returncode != 0:
            message = f"nvcc compilation failed with status {done.returncode}: {done.stderr or done.stdout}"
            raise CompileError(message, command, done.stdout, done.stderr)
        return (Path(folder) / f"kernel.{target}").read_bytes()


def _keep(source: str, image: bytes, target: str) -> None:
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="devarray-"))
    (folder / "kernel.cu").write_text(source)
    (folder / f"kernel.{target}").write_bytes(image)
    print(f"*** compiler output in {folder}")


def _cache_folder(cache_dir: str | bool | None) -> CacheFolder | None:
    if cache_dir is False or os.environ.get("PYCUDA_DISABLE_CACHE"):
        return None
    if isinstance(cache_dir, str):
        return cache_folder(cache_dir, "cache_dir")
    chosen = os.environ.get("PYCUDA_CACHE_DIR")
    if chosen:
        return cache_folder(chosen, "PYCUDA_CACHE_DIR")
    base = os.environ.get("XDG_CACHE_HOME")
    folder = (Path(base) if base else Path.home() / ".cache") / "devarray" / "cuda"
    return cache_folder(str(folder), "PYCUDA_CACHE_DIR")


def _cache_key(source: str, options: list[str], architecture: str, compiler: str) -> str:
    version = _cuda.nvrtc_info()["version"] if compiler == "nvrtc" else compiler
    text = repr((_CACHE_SCHEMA, version, architecture, options, source))
    return hashlib.sha256(text.encode()).hexdigest() + ".bin"
