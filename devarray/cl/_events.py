"""Events that PyOpenCL's functions take and give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from devarray import _core
from devarray.errors import DTypeError

__all__ = ["event_behind", "wait_for_events", "working_queue"]


def wait_for_events(events: object) -> None:
    """Wait for the events of an argument such as ``wait_for``, where it is not None."""
    if events is None:
        return
    if not isinstance(events, Iterable):
        raise DTypeError(f"wait_for is a sequence of events, not {type(events).__name__}")
    for event in events:
        if not isinstance(event, _core.cl.Event | _core.Event):
            raise DTypeError(f"wait_for is a sequence of events; {type(event).__name__} is none")
        event.wait()


def event_behind(x: Any) -> Any:
    """An event behind the work on an array."""
    return working_queue(x).record()


def working_queue(x: Any) -> Any:
    """The queue that orders the work on an array, whatever its attribute ``queue`` says."""
    return x._place_queue() if hasattr(x, "_place_queue") else x.queue
