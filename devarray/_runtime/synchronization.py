"""Waiting where a block of a program ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._core import Queue

__all__ = ["auto_synchronize"]


@contextmanager
def auto_synchronize(queue: Queue) -> Iterator[Queue]:
    """What ``Queue.auto_synchronize`` gives."""
    yield queue
    queue.finish()
