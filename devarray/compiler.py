"""From kernel source to a kernel: the disk cache (rule 16), the drivers' compilers, and the counters.

A cache file holds one compiled program. Its name is a hash of everything that decides the binary: the source, the
options, the device with its compiler and driver versions, and this module's schema. Files are written under another
name and renamed, so that processes share the folder; the source lies beside the binary.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import TYPE_CHECKING

from devarray import _core
from devarray.config import cache_bytes, cache_dir, config
from devarray.errors import CompileError, DriverError

if TYPE_CHECKING:
    from pathlib import Path

    from devarray.codegen.dialect import Dialect

# The renderers, hashlib and tempfile are imported where a kernel is made: most of a program's time is not there.

__all__ = ["SCHEMA", "cache_info", "clear_cache", "dialect", "get"]

SCHEMA = 1
"""Raised whenever cache files of earlier versions must not be used."""

_MAGIC = b"devarray"
_DIGEST = 32
_lock = threading.Lock()
_kernels: dict[tuple[int, str, str, str], _core.Kernel] = {}
_dialects: dict[int, Dialect] = {}


def dialect(device: _core.Device) -> Dialect:
    """The renderer for a device."""
    key = id(device)
    if key not in _dialects:
        from devarray.codegen.dialect import dialect_for

        _dialects[key] = dialect_for(
            device.driver, {**device.caps, "type": device.type, "check_bounds": config.check_bounds}
        )
    return _dialects[key]


def get(device: _core.Device, source: str, name: str = "k", options: str | None = None) -> _core.Kernel:
    """The kernel `name` of `source`, from memory, from disk or from the compiler.

    Parameters
    ----------
    device : Device
    source : str
        In the device's language, of the engine's signature (docs/design.md).
    name : str
    options : str, optional
        The dialect's build options by default.

    Raises
    ------
    CompileError
        With the compiler's log and the source.
    """
    if options is None:
        options = dialect(device).options
    key = (id(device), name, options, source)
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _program(device, source, options).kernel(name)
        _kernels[key] = kernel
    return kernel


def _program(device: _core.Device, source: str, options: str) -> _core.Program:
    if config.debug >= 4:
        print(f"devarray: source for {device}, options {options!r}\n{source}", file=sys.stderr)
    folder = cache_dir()
    if folder is None:
        return _compile(device, source, options)
    import hashlib

    identity = "\0".join((str(SCHEMA), device.driver, device.caps["fingerprint"], options, source))
    path = folder / (hashlib.sha256(identity.encode()).hexdigest()[:40] + ".bin")
    binary = _read(path)
    if binary is not None:
        try:
            program = device.load(binary, options)
        except (DriverError, CompileError):
            path.unlink(missing_ok=True)  # whole, yet not what this driver takes: made anew below
        else:
            _core.count_compilation(True)
            return program
    program = _compile(device, source, options)
    _write(path, program.binary, source)
    return program


def _compile(device: _core.Device, source: str, options: str) -> _core.Program:
    _core.count_compilation(False)
    try:
        return device.build(source, options)
    except CompileError as error:
        raise CompileError(f"{error}\n{error.log}".rstrip()) from error


def _read(path: Path) -> bytes | None:
    """A cache file's binary, or None where it is missing or broken."""
    import hashlib

    try:
        data = path.read_bytes()
    except OSError:
        return None
    head, digest, binary = data[: len(_MAGIC)], data[len(_MAGIC) :][:_DIGEST], data[len(_MAGIC) + _DIGEST :]
    if head != _MAGIC or hashlib.sha256(binary).digest() != digest:
        path.unlink(missing_ok=True)
        return None
    return binary


def _write(path: Path, binary: bytes, source: str) -> None:
    """Publish a cache file; a folder that cannot be written only costs the cache."""
    import hashlib
    import tempfile

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in (
            (path.with_suffix(".src"), source.encode()),
            (path, _MAGIC + hashlib.sha256(binary).digest() + binary),
        ):
            handle, temporary = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, target)
        _trim(path.parent)
    except OSError as error:
        if config.debug >= 1:
            print(f"devarray: kernel cache not written: {error}", file=sys.stderr)


_writes_until_trim = 1


def _trim(folder: Path) -> None:
    """Now and then, delete the oldest files beyond the size that the cache may have."""
    global _writes_until_trim
    with _lock:
        _writes_until_trim -= 1
        if _writes_until_trim > 0:
            return
        _writes_until_trim = 200
    files = []
    for entry in os.scandir(folder):
        try:
            status = entry.stat()
        except FileNotFoundError:
            continue  # another process trims too
        files.append((status.st_mtime, status.st_size, entry.path))
    excess = sum(size for _, size, _ in files) - cache_bytes()
    for _, size, path in sorted(files):
        if excess <= 0:
            break
        _unlink(path)
        excess -= size


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):  # another process clears too
        os.unlink(path)


def cache_info() -> dict[str, object]:
    """Folder, number of kernels and bytes of the disk cache.

    Examples
    --------
    >>> import devarray as da
    >>> sorted(da.compiler.cache_info())
    ['bytes', 'folder', 'kernels']
    """
    folder = cache_dir()
    files = list(os.scandir(folder)) if folder is not None and folder.is_dir() else []
    return {
        "folder": None if folder is None else str(folder),
        "kernels": sum(entry.name.endswith(".bin") for entry in files),
        "bytes": sum(entry.stat().st_size for entry in files),
    }


def clear_cache() -> None:
    """Delete all cached kernels, in memory and on disk."""
    _kernels.clear()
    _core.clear_kernel_cache()
    folder = cache_dir()
    if folder is not None and folder.is_dir():
        for entry in os.scandir(folder):
            if entry.name.endswith((".bin", ".src")):
                _unlink(entry.path)


def _build_elementwise(device: _core.Device, spec: tuple) -> _core.Kernel:
    from devarray.codegen import elementwise
    from devarray.codegen.spec import ElementwiseSpec

    return get(device, elementwise.render(ElementwiseSpec(*spec), dialect(device)))


def _build_reduction(device: _core.Device, spec: tuple) -> _core.Kernel:
    from devarray.codegen import reduction

    return get(device, reduction.render(reduction.ReductionSpec(*spec), dialect(device)))


def _explain_access(site: int) -> str:
    from devarray.codegen import bounds

    return bounds.explain(site)


_core.set_hooks(
    {
        "build_elementwise": _build_elementwise,
        "build_reduction": _build_reduction,
        "explain_access": _explain_access,
    }
)
