"""The driver's own streams, and streams made elsewhere, under numba.cuda's names."""

from __future__ import annotations

from typing import Any

from .._core import cuda as _cuda

__all__ = ["default_stream", "external_stream", "legacy_default_stream", "per_thread_default_stream"]


def default_stream() -> _cuda.Stream:
    """Return the current context's default stream, which orders with all others: the legacy one."""
    return _cuda.Stream.from_handle(0)


def legacy_default_stream() -> _cuda.Stream:
    """Return the legacy default stream, by the handle that means it whatever the caller was compiled for."""
    return _cuda.Stream.from_handle(1)


def per_thread_default_stream() -> _cuda.Stream:
    """Return this thread's default stream, which does not wait for the default streams of other threads."""
    return _cuda.Stream.from_handle(2)


def external_stream(ptr: Any, owner: Any = None) -> _cuda.Stream:
    """Return a `Stream` for a stream that another library made.

    Parameters
    ----------
    ptr : int or object
        The driver's handle, or an object with ``__cuda_stream__``.
    owner : object, optional
        Kept alive as long as the result.
    """
    return _cuda.Stream.from_handle(ptr, owner)
