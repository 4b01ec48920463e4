"""What programs take from ``pyopencl.array`` beside arrays: an error, categories of warnings, and vector types."""

from __future__ import annotations

import warnings
from typing import Any

from devarray import errors
from devarray.cl import cltypes

__all__ = ["ArrayHasOffsetError", "DoubleDowncastWarning", "InconsistentOpenCLQueueWarning", "VecLookupWarner", "vec"]


class ArrayHasOffsetError(errors.ValueError):
    """An array does not start where a buffer object can, so it has no ``data``; take its ``base_data`` and ``offset``.

    Examples
    --------
    >>> from devarray.cl import array as cl_array
    >>> issubclass(cl_array.ArrayHasOffsetError, ValueError)
    True
    """


class InconsistentOpenCLQueueWarning(UserWarning):
    """The queues of an operation's arrays differ.

    PyOpenCL's category, for filters of warnings. Nothing is issued here: work waits for work on other queues.
    """


class DoubleDowncastWarning(UserWarning):
    """Double precision was asked for on a device without it.

    PyOpenCL's category, for filters of warnings. Nothing is issued here: what a device cannot do is an error.
    """


class VecLookupWarner:
    """Vector types under their old place: ``vec.float4`` is ``cltypes.float4``, with a warning.

    Examples
    --------
    >>> import warnings
    >>> from devarray.cl import array as cl_array, cltypes
    >>> with warnings.catch_warnings(action="ignore"):
    ...     cl_array.vec.float4 == cltypes.float4
    True
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(cltypes, name)
        warnings.warn(f"array.vec.{name} is deprecated; cltypes.{name} is its place", DeprecationWarning, stacklevel=2)
        return found


vec = VecLookupWarner()
"""Deprecated: the names of `devarray.cl.cltypes`."""
