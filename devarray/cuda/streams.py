"""The driver's own streams, and streams made elsewhere, under numba.cuda's names."""

from __future__ import annotations

from .._core import cuda as _cuda

__all__ = ["default_stream", "external_stream", "legacy_default_stream", "per_thread_default_stream"]


def default_stream() -> _cuda.Stream:
    """Return the current context's default stream, which orders with all others: the legacy one.

    Returns
    -------
    Stream
        Its handle is 0.

    Notes
    -----
    numba.cuda's function of that name.

    Examples
    --------
    >>> int(cuda.default_stream())
    0
    """
    return _cuda.Stream.from_handle(0)


def legacy_default_stream() -> _cuda.Stream:
    """Return the legacy default stream, by the handle that means it whatever the caller was compiled for.

    Returns
    -------
    Stream
        Its handle is 1.

    Notes
    -----
    numba.cuda's function of that name; ``CU_STREAM_LEGACY``.

    Examples
    --------
    >>> int(cuda.legacy_default_stream())
    1
    """
    return _cuda.Stream.from_handle(1)


def per_thread_default_stream() -> _cuda.Stream:
    """Return this thread's default stream, which does not wait for the default streams of other threads.

    Returns
    -------
    Stream
        Its handle is 2.

    Notes
    -----
    numba.cuda's function of that name; ``CU_STREAM_PER_THREAD``.

    Examples
    --------
    >>> int(cuda.per_thread_default_stream())
    2
    """
    return _cuda.Stream.from_handle(2)


def external_stream(ptr: object, owner: object = None) -> _cuda.Stream:
    """Return a stream for one that another library made.

    Parameters
    ----------
    ptr : int or object
        The driver's handle, or an object with ``__cuda_stream__``.
    owner : object, optional
        Kept alive as long as the result.

    Returns
    -------
    Stream
        It does not destroy what it stands for.

    Notes
    -----
    numba.cuda's function of that name.

    Examples
    --------
    >>> mine = cuda.Stream()
    >>> cuda.external_stream(int(mine), mine) == mine
    True
    """
    return _cuda.Stream.from_handle(ptr, owner)
