"""The device arrays in what a task of Dask is given: in containers, functions with arguments, and tasks in the task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from dask._task_spec import Alias, DataNode, Task

from devarray._primitives.opaque import OpaqueArray
from devarray._routines.transfers import to_device
from devarray._runtime.devices import Device, Queue
from devarray.array import Array
from devarray.dask.fused import Placed

__all__ = ["all_on", "arrays_in", "fused_chunks", "moved"]

_OURS = (Array, OpaqueArray)
_Parts = Callable[[Any], Iterable[Any]]


def _parts_of_a_task(x: Task) -> Iterable[Any]:
    return (x.func, *x.args, *x.kwargs.values()) if x.kwargs else (x.func, *x.args)


class _Kinds(dict[type, "_Parts | None"]):
    """What gives the parts of values of a type, or None."""

    def __missing__(self, kind: type) -> _Parts | None:
        self[kind] = found = _parts_of_kind(kind)
        return found


_KINDS = _Kinds()


def _parts_of_kind(kind: type) -> _Parts | None:
    if issubclass(kind, (list, tuple)):
        return iter
    if issubclass(kind, dict):
        return dict.values
    if issubclass(kind, partial):
        return lambda x: (*x.args, *x.keywords.values())
    if issubclass(kind, Placed):
        return lambda x: (x.node,)
    if issubclass(kind, DataNode):
        return lambda x: (x.value,)
    if issubclass(kind, Task) and not issubclass(kind, Alias):
        return _parts_of_a_task
    return None


def _gather(x: Any, found: list[Any]) -> None:
    if isinstance(x, _OURS):
        found.append(x)
    elif (parts := _KINDS[type(x)]) is not None:
        for part in parts(x):
            _gather(part, found)


def arrays_in(x: Any) -> list[Any]:
    """All of them.

    Parameters
    ----------
    x : object
        A value, a container, or a task.

    Returns
    -------
    list of Array or OpaqueArray
        In order.
    """
    found: list[Any] = []
    _gather(x, found)
    return found


def fused_chunks(x: Any) -> list[Any]:
    """Chunks that are there already, which Dask fuses into the task that reads them; no arguments of its function.

    Parameters
    ----------
    x : object
        A task.

    Returns
    -------
    list of Array or OpaqueArray
        In order.
    """
    if isinstance(x, DataNode):
        return arrays_in(x.value) if isinstance(x.key, tuple) else []
    parts = None if isinstance(x, _OURS) else _KINDS[type(x)]
    return [] if parts is None else [chunk for part in parts(x) for chunk in fused_chunks(part)]


def all_on(device: Device, arrays: Iterable[Any]) -> bool:
    """Whether a device has all of them.

    Parameters
    ----------
    device : Device
        The device.
    arrays : iterable of Array or OpaqueArray
        The arrays.

    Returns
    -------
    bool
        True for none.
    """
    return all(x.device is device for x in arrays)


def moved(x: Any, device: Device, queue: Queue) -> Any:
    """The same with the device arrays in it on one device.

    Parameters
    ----------
    x : object
        A value, a container, or a task.
    device : Device
        Where they are wanted.
    queue : Queue
        Of that device, which copies those that lie elsewhere.

    Returns
    -------
    object
        `x` itself where nothing lies elsewhere.
    """
    return x if all_on(device, arrays_in(x)) else _moved(x, device, queue)


def _moved(x: Any, device: Device, queue: Queue) -> Any:
    """Of what has an array on another device."""
    if isinstance(x, _OURS):
        return to_device(x, device=device, stream=queue)

    def each(parts: Iterable[Any]) -> list[Any]:
        return [moved(part, device, queue) for part in parts]

    def named(parts: dict[Any, Any]) -> dict[Any, Any]:
        return dict(zip(parts, each(parts.values()), strict=True))

    if isinstance(x, (list, tuple)):
        return type(x)._make(each(x)) if hasattr(x, "_make") else type(x)(each(x))
    if isinstance(x, dict):
        return named(x)
    if isinstance(x, partial):
        return partial(x.func, *each(x.args), **named(x.keywords))
    if isinstance(x, DataNode):
        return DataNode(x.key, moved(x.value, device, queue))
    if isinstance(x, Task):
        made = x.copy()
        made.func, made.args, made.kwargs = moved(x.func, device, queue), tuple(each(x.args)), named(x.kwargs)
        return made
    return x
