"""Devices, queues and the defaults that new arrays take.

A device is named by an object of :func:`devices`, or by a string: ``"cuda"``, ``"opencl"``, ``"gpu"``, ``"cpu"`` for
the first of that sort, ``"cuda:1"``, ``"opencl:0"`` for one by number, or any other text for the first device whose
platform, version or name contains it (``"pocl"``, ``"intel"``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from devarray import _core
from devarray._runtime import install
from devarray._runtime.config import config
from devarray._runtime.settings import value_of
from devarray.errors import DeviceError, DriverError, DTypeError, MissingDriverError

__all__ = ["Device", "Event", "Queue", "default_device", "device", "devices", "queue", "synchronize", "use"]

_DRIVERS = ("cuda", "opencl")  # the best first
_RANKS = {"gpu": 0, "accelerator": 1, "cpu": 2}

Device = _core.Device
Queue = _core.Queue
Event = _core.Event


@lru_cache(maxsize=1)
def devices() -> tuple[Device, ...]:
    """All devices, the best first: CUDA, OpenCL GPUs, then CPU runtimes.

    Returns
    -------
    tuple of Device
        At least one.

    Raises
    ------
    MissingDriverError
        Where no driver is found; the message says what to install.

    Examples
    --------
    >>> import devarray as da
    >>> len(da.devices()) > 0
    True
    """
    found = [device for driver in _DRIVERS for device in _of(driver)[0]]
    if not found:
        reasons = [problem for driver in _DRIVERS if (problem := _of(driver)[1])]
        _of.cache_clear()  # the next call tries again
        for problem in reversed(reasons):
            if not isinstance(problem, MissingDriverError):
                raise problem
        raise MissingDriverError(
            f"no OpenCL or CUDA device was found. Install a CPU runtime with  {install.command('cpu')}  (Intel's, "
            f"x86-64) or  {install.command('pocl')}, or a GPU driver. " + " ".join([*map(str, reasons), *_left_out()])
        )
    return tuple(found)


@lru_cache(maxsize=len(_DRIVERS))
def _of(driver: str) -> tuple[list[Device], Exception | None]:
    """A driver's devices, the best first; and the error, where it has none.

    A driver is asked where one of its devices may be meant: OpenCL's libraries are tried in processes of their own,
    which takes a second or two, and with a GPU whose memory is full the other driver may still work.
    """
    try:
        found = list((_core.cuda.devices if driver == "cuda" else _core.cl.devices)())
    except (MissingDriverError, DriverError) as problem:
        return [], problem
    return sorted(found, key=lambda d: _RANKS[d.type]), None


def _first(fits: Callable[[Device], bool], drivers: tuple[str, ...] = _DRIVERS) -> Device | None:
    """The best device that fits, without a look at the drivers behind its own."""
    return next((device for driver in drivers for device in _of(driver)[0] if fits(device)), None)


def device(spec: Device | str | None = None) -> Device:
    """The device that a name stands for.

    Parameters
    ----------
    spec : Device, str or None
        The name, as this module describes it; None is the current device.

    Returns
    -------
    Device
        The first one that the name fits.

    Raises
    ------
    DeviceError
        Where no device has such a name.
    DTypeError
        Where `spec` is neither a Device nor a string.

    Examples
    --------
    >>> import devarray as da
    >>> da.device("cpu").type
    'cpu'
    """
    if isinstance(spec, Device):
        return spec
    if spec is None:
        return _core.current_place()[0]
    if not isinstance(spec, str):
        raise DTypeError(f"a device is a Device or a string, not {type(spec).__name__}")
    text = spec.strip().lower()
    driver, _, number = text.partition(":")
    if driver in _DRIVERS and (not number or number.isdigit()):
        found = _first(lambda d: not number or d.index == int(number), (driver,))
    elif text in _RANKS:
        found = _first(lambda d: d.type == text)
    else:
        found = _first(lambda d: text in f"{d.caps['platform']} {d.name} {d.caps['version']}".lower())
    if found is None:
        raise DeviceError(f"no device answers to {spec!r}; {_what_there_is(text)}")
    return found


def _what_there_is(wanted: str) -> str:
    """The devices, and why a library that may have been meant gave none."""
    return "; ".join([f"there are {', '.join(map(str, devices()))}", *_left_out(wanted)])


def _left_out(wanted: str = "") -> list[str]:
    """Libraries that are here and gave no device, each with the reason."""
    return [
        f"{library} ({origin}): {problem}"
        for library, origin, platforms, problem in _core.cl.libraries()
        if not platforms and "No such file" not in problem and wanted.strip().lower() in f"{library} {origin}".lower()
    ]


def reduce_device(given: Device) -> tuple[Any, tuple[str]]:
    """How pickle writes a device: `device` of its name, which finds the one of that name where it is read."""
    if given not in devices():
        raise TypeError(f"{given!r} cannot be pickled: it is in a context of its own, which belongs to this process")
    return device, (f"{given.driver}:{given.index}",)


@lru_cache(maxsize=1)
def default_device() -> Device:
    """The device that new arrays live on where none is given: that of DEVARRAY_DEVICE, or the best one.

    Returns
    -------
    Device
        The same one in every call.

    Raises
    ------
    DeviceError
        Where DEVARRAY_DEVICE names no device.
    MissingDriverError
        Where no driver is found.

    Examples
    --------
    >>> import devarray as da
    >>> da.default_device() in da.devices()
    True
    """
    name = value_of("DEVARRAY_DEVICE")
    try:
        chosen = device(name) if name else _first(lambda d: True) or devices()[0]
    except DeviceError:
        raise DeviceError(f"DEVARRAY_DEVICE={name}: no such device; {_what_there_is(name)}") from None
    if config.debug >= 1:
        from devarray._runtime.logs import log

        log(1, f"default device {chosen}, {chosen.caps['platform']} {chosen.caps['version']}")
    return chosen


def queue(device: Device | str | None = None) -> Queue:
    """A new in-order queue of a device; on CUDA a stream.

    Parameters
    ----------
    device : Device or str, optional
        The device; the current one by default.

    Returns
    -------
    Queue
        The new queue.

    Raises
    ------
    DeviceError
        Where no device has such a name.

    Examples
    --------
    >>> import devarray as da
    >>> q = da.queue()
    >>> x = da.ones(3, queue=q)
    >>> x.queue is q
    True
    """
    from devarray._runtime.devices import device as find

    return find(device).create_queue()


def synchronize(target: Device | Queue | None = None) -> None:
    """Evaluate everything pending, then wait until a device's default queue, or a queue, is done.

    Parameters
    ----------
    target : Device, Queue or None
        What to wait for; by default the current queue.

    Raises
    ------
    DTypeError
        For anything else.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones(10) + 1
    >>> da.synchronize()
    >>> x.pending
    False
    """
    if not isinstance(target, Device | Queue | None):
        raise DTypeError(f"synchronize waits for a Device or a Queue, not {type(target).__name__}")
    _core.evaluate_all()
    if target is None:
        _core.wait(_core.current_place()[1])
    else:
        _core.wait(target if isinstance(target, Queue) else target.default_queue)


@contextmanager
def use(
    device: Device | str | None = None,
    *,
    allocator: object = None,
    queue: Queue | None = None,
    fallback: str | None = None,
    host_operands: str | None = None,
) -> Iterator[None]:
    """Set where new arrays of this thread live, and what goes between host and device, inside a ``with`` block.

    Parameters
    ----------
    device : Device or str, optional
        The device; the current one by default.
    allocator : memory resource, optional
        Where memory comes from, see :mod:`devarray.alloc`. By default that of the device.
    queue : Queue, optional
        The queue that orders the work. By default that of the device.
    fallback : {"raise", "warn", "allow"}, optional
        What to do where no device kernel exists, as ``devarray.config.fallback``; for this thread.
    host_operands : {"move", "raise"}, optional
        What to do with NumPy arrays beside device arrays, as ``devarray.config.host_operands``; for this thread.

    Raises
    ------
    DeviceError
        Where `device`, `allocator` and `queue` do not belong to one device.
    ValueError
        For a `fallback` or `host_operands` that there is not.

    Examples
    --------
    >>> import devarray as da
    >>> pool = da.alloc.PoolMemoryResource(da._core.DeviceMemoryResource(da.device()))
    >>> with da.use(allocator=pool):
    ...     x = da.zeros(100)
    >>> x.allocator is pool
    True
    >>> with da.use(host_operands="raise"):
    ...     da.config.host_operands
    'raise'
    """
    _core.push_place(*resolve_place(device, allocator, queue))
    try:
        with config._scope(fallback, host_operands):
            yield
    finally:
        _core.pop_place()


def resolve_place(spec: Device | str | None, allocator: object, queue: Queue | None) -> tuple[Queue | None, Any]:
    """(queue, memory resource) for what a creating function was given; None where the default is meant."""
    if queue is not None and not isinstance(queue, _core.Queue):
        raise DTypeError(f"a queue is a Queue, such as devarray.queue() makes, or None, not {queue!r:.60}")
    if allocator is not None and not isinstance(allocator, _core.MemoryResource):
        of_queue = spec is None and queue is not None
        allocator = _core.as_allocator(allocator, _core.device_of(queue, None) if of_queue else device(spec))
    if spec is not None:
        chosen = device(spec)
        for name, own in (("queue", (queue, None)), ("allocator", (None, allocator))):
            if own != (None, None) and _core.device_of(*own) is not chosen:
                raise DeviceError(
                    f"device={chosen} and {name}= of {_core.device_of(*own)} do not agree; give one of them"
                )
        if queue is None and allocator is None and not _is_current(chosen):
            queue, allocator = chosen.default_queue, _core.default_allocator(chosen)
    return queue, allocator


def _is_current(chosen: Device) -> bool:
    """Whether new arrays live on a device by themselves. What hinders another one, the default, does not matter."""
    try:
        return chosen is _core.current_place()[0]
    except DeviceError:
        if chosen is default_device():
            raise
        return False


_memory_was_set = False


def default_place() -> tuple[Queue, object]:
    """Asked for at the first array, and again when a default allocator was replaced."""
    global _memory_was_set
    chosen = default_device()
    kind = None if _memory_was_set else value_of("DEVARRAY_MEMORY")
    if kind:
        try:
            upstream = _core.DeviceMemoryResource(chosen, kind)
        except DeviceError as error:
            raise DeviceError(f"DEVARRAY_MEMORY={kind}: {error}") from None
        from devarray._alloc.chosen import chosen_defaults

        pool = _core.PoolMemoryResource(upstream)
        _core.set_default_allocator(chosen, pool)
        chosen_defaults.add(pool)
    _memory_was_set = True  # from now on what the program sets holds; a kind that there is not is told each time
    return chosen.default_queue, _core.default_allocator(chosen)
