"""PyCUDA's names for the errors of ``devarray.cuda``. All of them belong to devarray's one family."""

from __future__ import annotations

from collections.abc import Sequence

from .. import errors

__all__ = ["CompileError", "Error", "LaunchError", "LogicError", "MemoryError", "RuntimeError"]

Error = errors.Error
MemoryError = errors.OutOfMemoryError


class LogicError(errors.DriverError):
    """The driver refused a call that the program should not have made in this way."""


class LaunchError(errors.DriverError):
    """A kernel failed. Often reported by a later call."""


class RuntimeError(errors.DriverError):
    """The driver failed for a reason outside the program."""


class CompileError(errors.CompileError):
    """A source did not compile.

    Attributes
    ----------
    msg, stdout, stderr : str
        What went wrong, and what the compiler said.
    command_line : tuple of str
        The compiler and its options.
    """

    msg: str
    stdout: str
    stderr: str
    command_line: tuple[str, ...]

    def __init__(self, msg: str, command_line: Sequence[str] = (), stdout: str = "", stderr: str = "") -> None:
        super().__init__(msg)
        self.msg = msg
        self.command_line = tuple(command_line)
        self.stdout = stdout
        self.stderr = stderr
        self.log = stderr or stdout
