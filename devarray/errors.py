"""The one family of errors. Each class is also the builtin that NumPy raises in its place."""

from __future__ import annotations

import builtins

import numpy as np

__all__ = [
    "AxisError",
    "BufferError",
    "CompileError",
    "DTypeError",
    "DeviceError",
    "DriverError",
    "Error",
    "HiddenTransferWarning",
    "IndexError",
    "LinAlgError",
    "MissingDriverError",
    "OutOfMemoryError",
    "OverflowError",
    "ShapeError",
    "ValueError",
]


class Error(Exception):
    """Base of everything that devarray raises."""


class ShapeError(Error, builtins.ValueError):
    """Shapes that do not fit together, or an axis or a size out of range."""


class AxisError(ShapeError, builtins.IndexError):
    """An axis that the array does not have."""


class DTypeError(Error, TypeError):
    """A dtype that the operation or the device does not take."""


class LinAlgError(Error, np.linalg.LinAlgError):
    """A matrix that is not square, is singular, or has a decomposition that did not converge."""


class IndexError(Error, builtins.IndexError):
    """An index outside its axis."""


class DeviceError(Error, builtins.ValueError):
    """Arrays, queues or allocators of different devices where one is wanted."""


class ValueError(Error, builtins.ValueError):
    """A value that its parameter does not take."""


class BufferError(Error, builtins.BufferError, builtins.ValueError):
    """Memory that cannot be exchanged with another library, or not without a copy."""


class OverflowError(Error, builtins.OverflowError):
    """A Python integer outside the range of the dtype it is to take."""


class MissingDriverError(Error, ImportError):
    """No runtime was found for what is asked. The message says what to install."""


class DriverError(Error, RuntimeError):
    """A driver call failed.

    Attributes
    ----------
    driver, call, code_name : str
        ``"opencl"`` or ``"cuda"``, the entry point, and the name of the error code.
    code : int
    """

    driver = ""
    call = ""
    code = 0
    code_name = ""


class CompileError(Error, RuntimeError):
    """A kernel did not compile.

    Attributes
    ----------
    log, source : str
        What the compiler said, and what it was given.
    """

    log = ""
    source = ""


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be had, after everything held was freed and waited for.

    Attributes
    ----------
    asked, free, total, held, active, largest_hole : int
        Bytes; -1 where the driver does not say.
    """

    asked = free = total = held = active = largest_hole = -1


class HiddenTransferWarning(UserWarning):
    """A function has no device kernel and went through the host, as ``devarray.config.fallback`` allows."""
