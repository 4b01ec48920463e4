"""From kernel source to a kernel: kernels in memory, the disk cache (rule 16), the drivers' compilers, the counters.

A cache file holds one compiled program. Its name is a hash of everything that decides the binary: the source, the
options, the device with its compiler and driver versions, and this module's schema. Files are written under another
name and renamed, so that processes share the folder; the source lies beside the binary.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from devarray import _core
from devarray._runtime.arguments import expect
from devarray._runtime.background import Background
from devarray._runtime.settings import cache_bytes, cache_dir, config
from devarray.errors import CompileError, DriverError

if TYPE_CHECKING:
    from devarray._runtime.cache_folder import CacheFolder
    from devarray.codegen.language.dialect import Dialect

# The renderers, cachefiles and hashlib are imported where a kernel is made: most of a program's time is not there.

__all__ = ["SCHEMA", "cache_info", "clear_cache", "dialect", "get", "load_kernels", "save_kernels", "wait_for_kernels"]

SCHEMA = 1
"""Raised whenever cache files of earlier versions must not be used."""

_MAGIC = b"devarray"
_DIGEST = 32
_lock = threading.Lock()
_background = Background()
# Both by the device's serial number: an id is given to the next object. C++ finds these kernels by the structure of
# their expressions, too, and loses those that go from here.
_Key = tuple[int, str, str | None, str]
_kernels: dict[_Key, _core.Kernel] = {}
_dialects: dict[int, Dialect] = {}
_shipped: dict[str, bytes] = {}
"""Compiled programs that `load_kernels` read, by the names of their cache files."""


def dialect(device: _core.Device) -> Dialect:
    """Return the renderer of kernels for a device.

    Parameters
    ----------
    device : Device
        What the kernels run on.

    Returns
    -------
    Dialect
        One for all devices that their compilers see alike.

    Examples
    --------
    >>> import devarray as da
    >>> from devarray import compiler
    >>> compiler.dialect(da.device()) is compiler.dialect(da.device())
    True
    """
    if not isinstance(device, _core.Device):
        expect("dialect", "device", device, _core.Device)
    known = _dialects.get(device.serial)
    if known is None:
        from devarray.codegen.language.dialect import dialect_for

        _forget_devices()
        choices = {"type": device.type, "strategy": device.strategy, "check_bounds": config.check_bounds}
        known = dialect_for(device.driver, {**device.caps, **choices})
        # Devices that their compilers see alike share one, by which plans are kept.
        known = next(
            (other for other in _dialects.values() if (other.driver, other.caps) == (known.driver, known.caps)), known
        )
        _dialects[device.serial] = known
    return known


def _forget_devices() -> None:
    """Let go of what belongs to devices that are gone with their contexts."""
    live = set(_core.live_devices())
    if _dialects.keys() <= live:
        return
    with _lock:
        for serial in _dialects.keys() - live:
            del _dialects[serial]
        for key in [key for key in _kernels if key[0] not in live]:
            del _kernels[key]
        _core.count_kernels(len(_kernels), 0)


def get(device: _core.Device, source: str, name: str = "k", options: str | None = None) -> _core.Kernel:
    """Return a kernel, from memory, from disk or from the compiler.

    Parameters
    ----------
    device : Device
        What it runs on.
    source : str
        In the device's language, of the engine's signature (docs/design.md).
    name : str, default "k"
        Of the kernel in the source.
    options : str, optional
        The dialect's build options by default.

    Returns
    -------
    Kernel
        The same one for the same arguments, as long as it stays in memory.

    Raises
    ------
    CompileError
        With the compiler's log and the source.
    """
    if not isinstance(device, _core.Device):
        expect("get", "device", device, _core.Device)
    key = (device.serial, name, options, source)
    kernel = _kernels.get(key)
    if kernel is None:
        with _background.ahead(key):
            kernel = _kernels.get(key)  # the background may just have made it
            if kernel is None:
                kernel = _program(device, source, _options(device, options)).kernel(name)
                _keep(key, kernel)
    return kernel


def get_soon(device: _core.Device, source: str) -> _core.Kernel | None:
    """The kernel "k" of a source, from memory or from disk; None while it is compiled in the background."""
    key = (device.serial, "k", None, source)
    kernel = _kernels.get(key)
    if kernel is not None:
        return kernel
    if key in _background.failed:
        return get(device, source)  # raises what is wrong
    if not _background.knows(key):
        program = _stored(device, source, _options(device, None))
        if program is not None:
            kernel = program.kernel("k")
            _keep(key, kernel)
            return kernel
        _background.submit(key, lambda: get(device, source))
    return None


def wait_for_kernels() -> None:
    """Return when the background has compiled all kernels that it was given.

    On CPU devices the host does the work of a new kernel until it is compiled (`config.background`); benchmarks wait
    for it here.

    Examples
    --------
    >>> import devarray as da
    >>> da.compiler.wait_for_kernels()
    """
    _background.wait()


def _options(device: _core.Device, options: str | None) -> str:
    return dialect(device).options if options is None else options


def _keep(key: _Key, kernel: _core.Kernel) -> None:
    """Hold a kernel, and let go of those used least of late where there are more than `config.kernels`.

    A clock: the oldest goes, or comes back as the newest where it was used since it was looked at last. So a use sets a
    flag and moves nothing. What a launch still needs of a kernel that goes, its driver keeps.
    """
    _forget_devices()
    dropped = []
    with _lock:
        while len(_kernels) >= config.kernels:
            oldest = next(iter(_kernels))
            looked_at = _kernels.pop(oldest)
            if looked_at.take_use():
                _kernels[oldest] = looked_at
            else:
                dropped.append(looked_at)
        _kernels[key] = kernel  # with its flag down: what is used once goes before what is used again
        _core.count_kernels(len(_kernels), len(dropped))


def _program(device: _core.Device, source: str, options: str) -> _core.Program:
    if config.debug >= 4:
        from devarray._runtime.logs import log

        log(4, f"source for {device}, options {options!r}\n{source}")
    program = _stored(device, source, options)
    if program is not None:
        return program
    program = _compile(device, source, options)
    folder = _folder()
    if folder is not None:
        name = _cache_name(device.driver, device.caps["fingerprint"], options, source)
        _publish(folder, name, source, program.binary)
    return _lean(device, program, options)


def _stored(device: _core.Device, source: str, options: str) -> _core.Program | None:
    """A compiled program from a file that was loaded, or from the disk cache; None where neither has it."""
    folder = _folder()
    if folder is None and not _shipped:
        return None
    name = _cache_name(device.driver, device.caps["fingerprint"], options, source)
    binary = _shipped.get(name)
    if binary is None and folder is not None:
        binary = _read(folder, name + ".bin")
    if binary is None:
        return None
    try:
        program = device.load(binary, options)
    except (DriverError, CompileError):  # whole, yet not what this driver takes: it is made anew
        _shipped.pop(name, None)
        if folder is not None:
            folder.remove(name + ".bin")
        return None
    _core.count_compilation(True)
    return program


def _cache_name(driver: str, fingerprint: str, options: str, source: str) -> str:
    """The name of a kernel's cache files, which stands for everything that decides the binary."""
    import hashlib

    identity = "\0".join((str(SCHEMA), driver, fingerprint, options, source))
    return hashlib.sha256(identity.encode()).hexdigest()[:40]


def _publish(folder: CacheFolder, name: str, source: str, binary: bytes) -> None:
    import hashlib

    whole = _MAGIC + hashlib.sha256(binary).digest() + binary
    folder.write({name + ".src": source.encode(), name + ".bin": whole}, cache_bytes())


def _lean(device: _core.Device, program: _core.Program, options: str) -> _core.Program:
    """The program without what its compiler left in memory: CPU runtimes keep it (Intel's 2.8 of 3.2 MB, PoCL 1 of 1.1)
    with a program that they built, and not with one that they loaded, which takes 2 ms."""
    if device.type != "cpu":
        return program
    try:
        return device.load(program.binary, options)
    except (DriverError, CompileError):
        return program


def _compile(device: _core.Device, source: str, options: str) -> _core.Program:
    from devarray._runtime.compiler_waits import waiting

    _core.count_compilation(False)
    path = cache_dir()
    try:
        with waiting(str(device), None if path is None else str(path)):
            return device.build(source, options)
    except CompileError as error:
        raise CompileError(f"{error}\n{error.log}".rstrip()) from error


def _folder() -> CacheFolder | None:
    """The disk cache's folder, or None where it is off."""
    from devarray._runtime.cache_folder import cache_folder

    path = cache_dir()
    return None if path is None else cache_folder(str(path), "DEVARRAY_CACHE_DIR")


def _read(folder: CacheFolder, name: str) -> bytes | None:
    """A cache file's binary, or None where it is missing or broken."""
    import hashlib

    data = folder.read(name)
    if data is None:
        return None
    head, digest, binary = data[: len(_MAGIC)], data[len(_MAGIC) :][:_DIGEST], data[len(_MAGIC) + _DIGEST :]
    if head != _MAGIC or hashlib.sha256(binary).digest() != digest:
        folder.remove(name)
        return None
    return binary


def cache_info() -> dict[str, object]:
    """Return folder, number of kernels and bytes of the disk cache.

    Returns
    -------
    dict
        ``folder`` (a path, None where the cache is off), ``kernels`` and ``bytes``.

    Examples
    --------
    >>> import devarray as da
    >>> sorted(da.compiler.cache_info())
    ['bytes', 'folder', 'kernels']
    """
    folder = _folder()
    files = [] if folder is None else folder.files()
    return {
        "folder": None if folder is None else folder.path,
        "kernels": sum(name.endswith(".bin") for _, _, name in files),
        "bytes": sum(size for _, size, _ in files),
    }


def clear_cache() -> None:
    """Delete all cached kernels, in memory and on disk."""
    _background.wait()
    with _lock:
        _kernels.clear()
        _shipped.clear()
        _core.clear_kernel_cache()
        _core.count_kernels(0, 0)
    folder = _folder()
    if folder is not None:
        for _, _, name in folder.files():
            folder.remove(name)


def save_kernels(path: str | os.PathLike[str], device: _core.Device | None = None) -> dict[str, int]:
    """Write the kernels that this process holds to a file, to be shipped with a program and loaded by it.

    Sources are written, and compiled programs beside them where the disk cache has them. At most `config.kernels` are
    held. ``python -m devarray warmup SCRIPT`` runs a program and does this.

    Parameters
    ----------
    path : str or path-like
        The file, which is replaced.
    device : Device, optional
        Whose kernels; those of all devices by default.

    Returns
    -------
    dict
        ``kernels`` written, and ``binaries`` among them.

    Raises
    ------
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> import devarray as da
    >>> roots = da.sqrt(da.arange(100000.0)).evaluate()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "roots.kernels")
    ...     written = da.compiler.save_kernels(path)
    ...     loaded = da.compiler.load_kernels(path)
    >>> sorted(written), sorted(loaded)
    (['binaries', 'kernels'], ['binaries', 'compiled', 'skipped'])
    """
    from devarray._runtime import kernel_file

    folder, stored = _folder(), []
    with _lock:
        keys = list(_kernels)
    for serial, name, options, source in keys:
        made_for = _dialects.get(serial)
        if made_for is None or (device is not None and device.serial != serial):
            continue
        taken = made_for.options if options is None else options
        identity = _cache_name(made_for.driver, made_for.caps["fingerprint"], taken, source)
        binary = _shipped.get(identity)
        if binary is None and folder is not None:
            binary = _read(folder, identity + ".bin")
        made = (made_for.driver, made_for.strategy, name, options, source, identity, binary)
        stored.append(kernel_file.StoredKernel(*made))
    kernel_file.write(os.fspath(path), stored)
    return {"kernels": len(stored), "binaries": sum(kernel.binary is not None for kernel in stored)}


def load_kernels(path: str | os.PathLike[str], device: _core.Device | None = None) -> dict[str, int]:
    """Load kernels that `save_kernels` wrote, so that their first use waits for no compiler.

    Programs that were compiled by this compiler for a device like this one are loaded when they are needed, and go to
    the disk cache; other kernels are compiled now, from their sources.

    Parameters
    ----------
    path : str or path-like
        It must belong to this user or to root, and nobody else may write it, since kernels run as this user.
    device : Device, optional
        What they are for; the default device by default.

    Returns
    -------
    dict
        ``binaries`` that need no compiler, kernels that were ``compiled``, and those ``skipped``: made for another kind
        of device, or not taken by this one.

    Raises
    ------
    OSError
        If the file cannot be read.
    Error
        If others may write it.
    ValueError
        If it is no such file, or broken.

    Examples
    --------
    `save_kernels` has one.
    """
    from devarray._runtime import kernel_file
    from devarray._runtime.devices import device as find

    target = find() if device is None else device
    here, folder = dialect(target), _folder()
    known = set() if folder is None else {name for _, _, name in folder.files()}
    counts = {"binaries": 0, "compiled": 0, "skipped": 0}
    for kernel in kernel_file.read(os.fspath(path)):
        if (kernel.driver, kernel.strategy) != (here.driver, here.strategy):
            counts["skipped"] += 1
            continue
        options = here.options if kernel.options is None else kernel.options
        name = _cache_name(here.driver, here.caps["fingerprint"], options, kernel.source)
        if kernel.binary is not None and kernel.identity == name:
            _shipped[name] = kernel.binary
            if folder is not None and name + ".bin" not in known:
                _publish(folder, name, kernel.source, kernel.binary)
            counts["binaries"] += 1
            continue
        try:
            get(target, kernel.source, kernel.name, kernel.options)
        except (CompileError, DriverError):
            counts["skipped"] += 1
        else:
            counts["compiled"] += 1
    return counts


def elementwise_source(device: _core.Device, spec: dict[str, Any]) -> str:
    """The source of a fused kernel, by its spec's fields."""
    from devarray.codegen.kernels import elementwise
    from devarray.codegen.kernels.spec import ElementwiseSpec

    return elementwise.render(ElementwiseSpec(**spec), dialect(device))


def build_elementwise(device: _core.Device, spec: dict[str, Any], soon: bool) -> _core.Kernel | None:
    """The kernel of a spec, by its fields. With `soon`, the caller can do without it: None until it is compiled."""
    source = elementwise_source(device, spec)
    return get_soon(device, source) if soon else get(device, source)


def build_reduction(device: _core.Device, spec: dict[str, Any], soon: bool) -> _core.Kernel | None:
    """As `build_elementwise`."""
    from devarray.codegen.kernels import reduction

    source = reduction.render(reduction.ReductionSpec(**spec), dialect(device))
    return get_soon(device, source) if soon else get(device, source)


def explain_access(site: int) -> str:
    from devarray.codegen.language import bounds

    return bounds.explain(site)
