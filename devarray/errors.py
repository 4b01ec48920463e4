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
    "ForkError",
    "HiddenTransferWarning",
    "IndexError",
    "LinAlgError",
    "MissingDriverError",
    "OutOfMemoryError",
    "OverflowError",
    "ShapeError",
    "ValueError",
    "ZeroDivisionError",
]


class Error(Exception):
    """Base of everything that devarray raises.

    What to do: catch it for whatever devarray may raise; raised as itself, it is a wait that `forbid_waits` forbids, an
    access out of bounds that `DEVARRAY_CHECK_BOUNDS` found, or a package that is missing, and its text says which.
    """


class ShapeError(Error, builtins.ValueError):
    """Shapes that do not fit together, or an axis or a size out of range.

    What to do: compare the two shapes that the text names; `x[:, None]`, `reshape` and `broadcast_to` make them fit.
    """


class AxisError(ShapeError, np.exceptions.AxisError):
    """An axis that the array does not have.

    What to do: give one from -x.ndim to x.ndim - 1. Also a :class:`numpy.exceptions.AxisError`, whose parameters it
    has; most are made of a text alone.

    Parameters
    ----------
    axis : str or int
        The text, or the axis.
    ndim : int, optional
        The number of axes that the array has.
    msg_prefix : str, optional
        What the text begins with.
    """


class DTypeError(Error, TypeError):
    """A dtype that the operation or the device does not take.

    What to do: `x.astype` to one that the text names; where a NumPy array or `np.asarray` is refused, move it by
    `devarray.asarray`, or the result by `copy_to_host`.
    """


class LinAlgError(Error, np.linalg.LinAlgError):
    """A matrix that is not square, is singular, or has a decomposition that did not converge.

    What to do: look at `linalg.cond` of the matrix; `linalg.lstsq` and `linalg.pinv` take singular ones.
    """


class IndexError(Error, builtins.IndexError):
    """An index outside its axis.

    What to do: an array of indices on the device is checked there, and the error comes where the host next waits:
    `devarray.synchronize()` behind the suspected line finds it, `DEVARRAY_CHECK_BOUNDS=1` names the operand.
    """


class DeviceError(Error, builtins.ValueError):
    """Arrays, queues or allocators of different devices where one is wanted, or a device that is not there.

    What to do: `x.to_device(other.device)`, or make both under `with devarray.use(device=...)`; the command
    ``devarray`` lists the devices.
    """


class ValueError(Error, builtins.ValueError):
    """A value that its parameter does not take.

    What to do: the text names the parameter and what it takes.
    """


class ZeroDivisionError(ValueError, builtins.ZeroDivisionError):
    """A step of zero, where a range of another length than zero would never end.

    What to do: give a step that is not zero, or `linspace` the number of elements.
    """


class BufferError(Error, builtins.BufferError, builtins.ValueError):
    """Memory that cannot be exchanged with another library, or not without a copy.

    What to do: allow the copy (`copy=None` or `copy=True`), or make the array in memory that both see, by
    `devarray.use(allocator=...)`.
    """


class OverflowError(Error, builtins.OverflowError):
    """A Python integer outside the range of the dtype it is to take.

    What to do: `x.astype` to a wider dtype first, as with NumPy 2.
    """


class MissingDriverError(Error, ImportError):
    """No runtime was found for what is asked. The message says what to install.

    What to do: run the command that the text names; the command ``devarray`` lists what was looked for, and where.
    """

    def __str__(self) -> str:
        """The text, with what pip is to be given here.

        That is found out where the text is read: a search for devices, which takes what there is, reads none.
        """
        from devarray._runtime.install import localised

        return localised(super().__str__())


class DriverError(Error, RuntimeError):
    """A driver call failed.

    What to do: look up the code's name in the driver's manual. After an illegal address the context is lost: start
    anew, with `DEVARRAY_CHECK_BOUNDS=1` where kernels are devarray's, under compute-sanitizer where they are yours.

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


class ForkError(Error, RuntimeError):
    """A forked process was to use a runtime whose threads only its parent has.

    What to do: start processes by `multiprocessing.get_context("spawn")` or `"forkserver"`, as joblib's loky does, or
    fork before the first use of a device. Reading arrays made before the fork, and small work, is possible on CPUs.
    """


class CompileError(Error, RuntimeError):
    """A kernel did not compile.

    What to do: in a kernel of yours, mend the line that the text shows; of a fused one, report it with the attribute
    `source`.

    Attributes
    ----------
    log, source : str
        What the compiler said, and what it was given.
    """

    log = ""
    source = ""


class OutOfMemoryError(Error, MemoryError):
    """Memory could not be had, after everything held was freed and waited for.

    What to do: `active` is what living arrays hold (`alloc.TrackingResourceAdaptor` says whose), a small `largest_hole`
    beside much `free` is fragmentation (`alloc.CudaVirtualMemoryResource`, or a pool for each size). Work in pieces.

    Attributes
    ----------
    asked, free, total, held, active, largest_hole : int
        Bytes; -1 where the driver does not say.
    """

    asked = free = total = held = active = largest_hole = -1
    # MemoryError's own makes MemoryErrors only, and is called by what brings errors to other processes.
    __new__ = Error.__new__  # type: ignore[assignment]


class HiddenTransferWarning(UserWarning):
    """A function has no device kernel and went through the host, as ``devarray.config.fallback`` allows.

    What to do: nothing, where it is rare; `devarray.use(fallback="raise")` finds the line, "allow" is silent.
    """
