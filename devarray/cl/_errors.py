"""The errors of OpenCL calls, under PyOpenCL's names."""

from __future__ import annotations

from .. import errors

__all__ = [
    "ArgumentTypeError",
    "BuildError",
    "CommandQueueUsedAfterExit",
    "CompilerWarning",
    "Error",
    "LogicError",
    "MemoryError",
    "RepeatedKernelRetrieval",
    "RuntimeError",
]


class Error(errors.DriverError):
    """An OpenCL call failed.

    Attributes
    ----------
    code : int
        A `status_code`.
    call, routine : str
        The entry point.
    """

    @property
    def routine(self) -> str:
        """The entry point, under PyOpenCL's name for it."""
        return self.call

    def what(self) -> str:
        """The message."""
        return str(self)

    def is_out_of_memory(self) -> bool:
        """Whether the call failed for want of memory."""
        return self.code_name in ("MEM_OBJECT_ALLOCATION_FAILURE", "OUT_OF_RESOURCES", "OUT_OF_HOST_MEMORY")


class MemoryError(Error, errors.OutOfMemoryError):
    """Memory could not be had."""


class LogicError(Error):
    """The call was not valid."""


class ArgumentTypeError(LogicError, TypeError):
    """An argument of a kernel is of no type that kernels take, such as a Python number without a dtype."""


class RuntimeError(Error):
    """The call was valid and failed."""


class BuildError(RuntimeError, errors.CompileError):
    """A program did not compile; `log` and `source` say why."""


class CommandQueueUsedAfterExit(UserWarning):
    """A command queue was used after the end of its ``with`` statement."""


class CompilerWarning(UserWarning):
    """A compiler had something to say about a program that it built.

    PyOpenCL's category, for filters of warnings. Nothing is issued here: CPU runtimes have something to say about every
    program, and `Program.get_build_info` has the text.
    """


class RepeatedKernelRetrieval(UserWarning):
    """A kernel was taken from its program more than once.

    PyOpenCL's category, for filters of warnings. Nothing is issued here: a kernel costs one call of the driver.
    """
