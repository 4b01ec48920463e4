"""From kernel source to a kernel: kernels in memory, the disk cache (rule 16), the drivers' compilers, the counters."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, cast

from devarray import _core
from devarray._runtime import disk_cache, forks, prebuilt
from devarray._runtime.arguments import expect
from devarray._runtime.background import Background
from devarray._runtime.config import config
from devarray._runtime.disk_cache import SCHEMA
from devarray._runtime.settings import cache_dir
from devarray._runtime.side_by_side import do_side_by_side
from devarray.errors import CompileError, DriverError

if TYPE_CHECKING:
    from devarray.codegen.language.dialect import Dialect

# The renderers are imported where a kernel is made: most of a program's time is not there.

__all__ = ["SCHEMA", "cache_info", "clear_cache", "dialect", "get", "load_kernels", "save_kernels", "wait_for_kernels"]

_TOGETHER = 4
"""Kernels that the background compiles as one program at most: a caller may have to wait for it."""

_background = Background()
_lock = _background.lock
forks.watch(_background)
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
    if known is None or known.caps["contract"] != config.contract:
        from devarray.codegen.language.dialect import dialect_for

        _forget_devices()
        choices = {"type": device.type, "strategy": device.strategy, "check_bounds": config.check_bounds}
        choices["contract"] = config.contract
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
        Those of generated text by default.

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
        with _waiting(device), _background.ahead(key):
            kernel = _kernels.get(key)  # the background may just have made it
            if kernel is None:
                kernel = _made(device, source, _options(device, options), name)
                _keep(key, kernel)
                _background.failed.discard(key)
    return kernel


def get_together(device: _core.Device, wanted: Sequence[tuple[str, str]]) -> list[_core.Kernel]:
    """The kernels of several sources, given with their names. What a CPU's compiler must make becomes one program: most
    of its time is a program's, whatever that holds. Those of GPUs compile at the same time."""
    serial = device.serial
    found = [_kernels.get((serial, name, None, source)) for source, name in wanted]
    if None not in found:
        return cast("list[_core.Kernel]", found)
    missing = [source for (source, name), kernel in zip(wanted, found, strict=True) if kernel is None and name == "k"]
    sources = list(dict.fromkeys(missing))
    if len(sources) > 1 and _joins(device):
        with _waiting(device), _background.ahead(*((serial, "k", None, source) for source in sources)):
            _make_together(device, sources)
    elif len(sources) > 1 and device.type != "cpu":
        do_side_by_side([partial(get, device, source) for source in sources])
    return [get(device, source, name) for source, name in wanted]


def _joins(device: _core.Device) -> bool:
    return device.driver == "opencl" and device.strategy == "cpu" and not config.check_bounds


def _make_together(device: _core.Device, sources: Sequence[str]) -> None:
    """Keep the kernels "k" of sources. Those that do not compile, or not together, are left to `get`."""
    from devarray._runtime.joined import joined

    options = _options(device, None)
    missing = {}
    for source in sources:
        key = (device.serial, "k", None, source)
        kernel = _kernels.get(key) or _stored(device, source, options, "k")
        if kernel is None:
            missing[_name_in_program(disk_cache.identity(device, source, options))] = source
        elif key not in _kernels:
            _keep(key, kernel)
    text = joined(missing) if len(missing) > 1 else None
    if text is None:
        return
    try:
        program = device.build(text, options)
    except (CompileError, DriverError):
        return
    for source in missing.values():
        _log_source(device, source, options)
        _core.count_compilation(False)
        disk_cache.store(device, source, options, program.binary)
    program = _lean(device, program, options)
    for name, source in missing.items():
        _keep((device.serial, "k", None, source), program.kernel(name))


def get_soon(device: _core.Device, source: str) -> _core.Kernel | None:
    """The kernel "k" of a source, from memory or from disk; None while it is compiled in the background."""
    key = (device.serial, "k", None, source)
    kernel = _kernels.get(key)
    if kernel is not None:
        return kernel
    if key in _background.failed:
        return get(device, source)  # raises what is wrong
    if not _background.knows(key):
        kernel = _stored(device, source, _options(device, None), "k")
        if kernel is not None:
            _keep(key, kernel)
            return kernel
        _background.submit(key, lambda: _make_soon(device, source))
    return None


def _make_soon(device: _core.Device, source: str) -> None:
    """A background's job: the kernel of a source, and some that wait for their turn."""
    sources = [source]
    if _joins(device):
        sources += [key[3] for key in _background.take(_TOGETHER - 1, lambda key: key[0] == device.serial)]
        if len(sources) > 1:
            _make_together(device, sources)
    for each in sources:
        get(device, each)


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
    return dialect(device).generated_options if options is None else options


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


def _made(device: _core.Device, source: str, options: str, name: str) -> _core.Kernel:
    _log_source(device, source, options)
    kernel = _stored(device, source, options, name)
    if kernel is not None:
        return kernel
    program = _compile(device, source, options)
    disk_cache.store(device, source, options, program.binary)
    return _lean(device, program, options).kernel(name)


def _log_source(device: _core.Device, source: str, options: str) -> None:
    if config.debug >= 4:
        from devarray._runtime.logs import log

        log(4, f"source for {device}, options {options!r}\n{source}")


def _stored(device: _core.Device, source: str, options: str, name: str) -> _core.Kernel | None:
    """A kernel that is compiled already: in a file that was loaded, in the disk cache or in the package. Or None."""
    if disk_cache.folder() is None and not _shipped and device.driver != "cuda":
        return None
    identity = disk_cache.identity(device, source, options)
    binary = _binary(identity)
    if binary is None:
        binary = prebuilt.binary(device.driver, device.caps, options, source)
    if binary is None:
        return None
    try:
        program = device.load(binary, options)
        try:
            kernel = program.kernel(name)
        except DriverError:  # of several sources
            kernel = program.kernel(_name_in_program(identity))
    except (DriverError, CompileError):  # whole, yet not what this driver takes: it is made anew
        _shipped.pop(identity, None)
        if folder := disk_cache.folder():
            folder.remove(identity + ".bin")
        return None
    _core.count_compilation(True)
    return kernel


def _binary(identity: str) -> bytes | None:
    folder, binary = disk_cache.folder(), _shipped.get(identity)
    return disk_cache.read(folder, identity + ".bin") if binary is None and folder is not None else binary


def _name_in_program(identity: str) -> str:
    """What the kernel "k" of a source is named in a program that holds those of several."""
    return "k_" + identity[:24]


def _lean(device: _core.Device, program: _core.Program, options: str) -> _core.Program:
    """The program without what its compiler left in memory: CPU runtimes keep it (Intel's 2.8 of 3.2 MB, PoCL 1 of 1.1)
    with a program that they built, and not with one that they loaded, which takes 2 ms."""
    if device.type != "cpu":
        return program
    try:
        return device.load(program.binary, options)
    except (DriverError, CompileError):
        return program


@contextmanager
def _waiting(device: _core.Device) -> Iterator[None]:
    """Count the time inside as a wait for the compiler, where it compiles, and nobody else waits for it."""
    from devarray._runtime.compiler_waits import note

    begin, before = time.perf_counter(), _core.stats()["compilations"]
    try:
        yield
    finally:
        made = _core.stats()["compilations"]
        if made > before and not _background.at_work():
            path = cache_dir()
            note(begin, time.perf_counter(), (before, made), str(device), None if path is None else str(path))


def _compile(device: _core.Device, source: str, options: str) -> _core.Program:
    _core.count_compilation(False)
    try:
        return device.build(source, options)
    except CompileError as error:
        raise CompileError(f"{error}\n{error.log}".rstrip()) from error


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
    folder = disk_cache.folder()
    files = [] if folder is None else folder.files()
    return {
        "folder": None if folder is None else folder.path,
        "kernels": sum(name.endswith(".bin") for _, _, name in files),
        "bytes": sum(size for _, size, _ in files),
    }


def clear_cache() -> None:
    """Delete all cached kernels, in memory and on disk."""
    _background.wait()
    _background.failed.clear()
    with _lock:
        _kernels.clear()
        _shipped.clear()
        _core.clear_kernel_cache()
        _core.count_kernels(0, 0)
    folder = disk_cache.folder()
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

    stored = []
    with _lock:
        keys = list(_kernels)
    for serial, name, options, source in keys:
        made_for = _dialects.get(serial)
        if made_for is None or (device is not None and device.serial != serial):
            continue
        taken = made_for.generated_options if options is None else options
        identity = disk_cache.cache_name(made_for.driver, made_for.caps["fingerprint"], taken, source)
        binary = _binary(identity) or prebuilt.binary(made_for.driver, made_for.caps, taken, source)
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
    here, folder = dialect(target), disk_cache.folder()
    known = set() if folder is None else {name for _, _, name in folder.files()}
    counts = {"binaries": 0, "compiled": 0, "skipped": 0}
    for kernel in kernel_file.read(os.fspath(path)):
        if (kernel.driver, kernel.strategy) != (here.driver, here.strategy):
            counts["skipped"] += 1
            continue
        options = here.generated_options if kernel.options is None else kernel.options
        name = disk_cache.cache_name(here.driver, here.caps["fingerprint"], options, kernel.source)
        if kernel.binary is not None and kernel.identity == name:
            _shipped[name] = kernel.binary
            if folder is not None and name + ".bin" not in known:
                disk_cache.publish(folder, name, kernel.source, kernel.binary)
            counts["binaries"] += 1
            continue
        try:
            get(target, kernel.source, kernel.name, kernel.options)
        except (CompileError, DriverError):
            counts["skipped"] += 1
        else:
            counts["compiled"] += 1
    return counts
