"""CUDA C++ source to code, by NVRTC, or by nvcc where one is named."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from .. import errors as _errors
from .._core import cuda as _cuda
from .._runtime.cache_folder import CacheFolder, cache_folder
from ._headers import with_headers
from ._nvcc import NVRTC, run_nvcc
from .errors import CompileError

__all__ = ["DEFAULT_NVCC_FLAGS", "compile", "compile_plain", "nvrtc_compile", "set_debugging"]

#: Options for every compilation that is not given its own; starts as the environment's PYCUDA_DEFAULT_NVCC_FLAGS.
DEFAULT_NVCC_FLAGS: list[str] = os.environ.get("PYCUDA_DEFAULT_NVCC_FLAGS", "").split()

# subprocess and tempfile are imported where they are used: they would take a quarter of the time that importing
# devarray.cuda takes.

# Part of the cache's key: raise it when what is stored, or how, changes.
_CACHE_SCHEMA = 1
# To which the folder is trimmed, the oldest files first.
_CACHE_BYTES = 1 << 30
_ARCHITECTURE_OPTIONS = {"-arch": "arch", "--gpu-architecture": "arch", "-code": "code", "--gpu-code": "code"}
_TARGETS = {True: ("cubin", "ptx"), False: ("cubin", "ptx", "fatbin")}
_WHO_MAKES = {True: "NVRTC, by which nvcc='nvcc' compiles, makes", False: "nvcc makes"}
_debugging = SimpleNamespace(on=False)


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
    include_dirs: Sequence[str] | None = (),
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
    target : {"cubin", "ptx", "fatbin"}, default "cubin"
        What is made; NVRTC makes no fatbin.

    Returns
    -------
    bytes
        The cubin, PTX or fatbin.

    Raises
    ------
    CompileError
        If the source does not compile; ``stderr`` has the compiler's log.
    MissingDriverError
        If there is no compiler.
    ValueError
        If the compiler makes no such target.

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
    words += [f"-I{folder}" for folder in include_dirs or ()]
    if _debugging.on:
        words += ["-G"] if nvcc == NVRTC else ["-g", "-G"]
        keep, cache_dir = True, False
    architecture = _architecture(_current_arch() if arch is None else arch, code, target)
    return _compiled(source, words, architecture, keep, nvcc, cache_dir, target)


def compile_plain(
    source: str, options: Sequence[str], keep: bool, nvcc: str, cache_dir: str | bool | None, target: str = "cubin"
) -> bytes:
    """Compile CUDA C++ as it is: what `compile` does once source and options are put together.

    Parameters
    ----------
    source : str
        CUDA C++, which ``extern "C"`` is not put around.
    options : sequence of str
        All of the compiler's; ``-arch`` and ``-code`` among them say for which architecture, by default that of the
        current context's device.
    keep : bool
        As for `compile`.
    nvcc : str
        As for `compile`.
    cache_dir : str, optional
        Where compiled code is kept; None keeps nothing.
    target : {"cubin", "ptx", "fatbin"}, default "cubin"
        As for `compile`.

    Returns
    -------
    bytes
        The code.

    Raises
    ------
    CompileError
        If the source does not compile.
    MissingDriverError
        If there is no compiler.

    Notes
    -----
    pycuda.compiler's function of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import compile_plain
    >>> source = 'extern "C" __global__ void one(int* x) { *x = 1; }'
    >>> compile_plain(source, ["-arch", "sm_90"], False, "nvcc", None)[:4]
    b'\\x7fELF'
    """
    words, named = _without_architecture(options)
    arch = named.get("arch") or named.get("code") or _current_arch()
    architecture = _architecture(arch, named.get("code"), target)
    return _compiled(source, words, architecture, keep, nvcc, cache_dir or False, target)


def set_debugging(flag: bool = True) -> None:
    """Compile every source from now on with symbols for debuggers, keep its files, and use no cache.

    Parameters
    ----------
    flag : bool, default True
        False ends it.

    Notes
    -----
    pycuda.driver's function of that name. The compiler is given ``-G``, and nvcc ``-g``, too.

    Examples
    --------
    >>> cuda.set_debugging()
    >>> cuda.set_debugging(False)
    """
    _debugging.on = bool(flag)


def _compiled(
    source: str, words: list[str], architecture: str, keep: bool, nvcc: str, cache_dir: str | bool | None, target: str
) -> bytes:
    by_nvrtc = nvcc == NVRTC
    if target not in _TARGETS[by_nvrtc]:
        raise _errors.ValueError(f"target is {target!r}; {_WHO_MAKES[by_nvrtc]} {', '.join(_TARGETS[by_nvrtc])}")
    if by_nvrtc:
        source, folders = with_headers(source)
        words = words + folders
    cache = _cache_folder(cache_dir)
    key = _cache_key(source, words, f"fatbin {architecture}" if target == "fatbin" else architecture, nvcc)
    kept = None if cache is None else cache.read(key)
    if kept is not None:
        return kept
    form = words, architecture
    image = _run_nvrtc(source, *form) if by_nvrtc else run_nvcc(source, nvcc, *form, target)
    if keep:
        _keep(source, image, target)
    if cache is not None:
        cache.write({key: image}, _CACHE_BYTES)
    return image


def _without_architecture(options: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The options without those of the architecture, and these by their names: "arch" and "code"."""
    words, named, rest = [], {}, iter(options)
    for word in rest:
        name, _, value = word.partition("=")
        if name not in _ARCHITECTURE_OPTIONS:
            words.append(word)
        else:
            named[_ARCHITECTURE_OPTIONS[name]] = value or next(rest, "")
    return words, named


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
    version = _cuda.nvrtc_info()["version"] if compiler == NVRTC else compiler
    text = repr((_CACHE_SCHEMA, version, architecture, options, source))
    return hashlib.sha256(text.encode()).hexdigest() + ".bin"
