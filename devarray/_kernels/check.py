"""Compilation of users' kernels, with messages that point into the user's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from devarray._runtime import compiler
from devarray.codegen.kernels.user import quoted
from devarray.codegen.language import words
from devarray.codegen.language.cplusplus.tokens import NotUnderstood
from devarray.errors import CompileError, DriverError, ValueError

if TYPE_CHECKING:
    from devarray._core import Device

__all__ = ["Compiled", "built", "compiled", "user_error"]


class Compiled(NamedTuple):
    """A kernel and its source."""

    kernel: Any
    source: str


def compiled(
    name: str,
    device: Any,
    render: Callable[[Any], str],
    texts: Mapping[str, str],
    options: Sequence[str] = (),
    kernel: str = "k",
) -> Compiled:
    """A kernel out of a user's text.

    Parameters
    ----------
    name : str
        The user's name for it.
    device : Device
    render : callable
        (dialect) -> source.
    texts : mapping
        The user's texts by the names that their lines have in the source.
    options : sequence of str
        Beside the dialect's own.
    kernel : str
        The kernel's name in the source.

    Raises
    ------
    CompileError
    """
    dialect = compiler.dialect(device)
    source = render(dialect)
    try:
        if options:
            made = built(device, source, kernel, options, [dialect.options])
        else:
            made = compiler.get(device, source, kernel)
    except CompileError as error:
        raise user_error(name, device, error, texts, source) from None
    return Compiled(made, source)


def built(device: Any, source: str, kernel: str, options: Sequence[str], further: Sequence[str] = ()) -> Any:
    """A kernel that is compiled with a user's options, put in the words of the device's compiler.

    Parameters
    ----------
    device : Device
    source, kernel : str
        The text, and the kernel's name in it.
    options : sequence of str
        The user's.
    further : sequence of str
        Ours.

    Raises
    ------
    ValueError
        For an option that the compiler does not know.
    """
    theirs = words.options(options, compiler.dialect(device))
    try:
        return compiler.get(device, source, kernel, " ".join([*further, *theirs]))
    except DriverError as error:
        if not theirs or error.code_name != "INVALID_BUILD_OPTIONS":
            raise
        raise ValueError(f"the compiler of {device} does not take the options {' '.join(theirs)!r}: {error}") from None


def not_in_c(name: str, device: Device, error: NotUnderstood, title: str, text: str) -> CompileError:
    """An error of what a user's text has of C++ that is not put in OpenCL C."""
    line = (*text.splitlines(), "")[min(error.line - 1, text.count("\n"))].strip()
    place = f"line {error.line} of {title}: `{line}`"
    return CompileError(f"the kernel {name!r} does not compile for {device}, {place}\nnot put in OpenCL C: {error}")


def user_error(
    name: str, device: Device | None, error: CompileError, texts: Mapping[str, str], source: str
) -> CompileError:
    """An error of the compiler in terms of the user's text."""
    log = error.log or getattr(error.__cause__, "log", "") or str(error)
    place = ""
    for line in log.splitlines():
        if "error" not in line:
            continue
        for title, text in texts.items():
            found = re.search(rf"{re.escape(quoted(title))}[:(](\d+)", line)
            lines = text.splitlines()
            if found and 1 <= int(found[1]) <= len(lines):
                place = f", line {found[1]} of {title}: `{lines[int(found[1]) - 1].strip()}`"
                break
        if place := place or _by_physical_line(line, source, texts):
            break
    made = CompileError(f"the kernel {name!r} does not compile for {device}{place}\n{log}".rstrip())
    made.log, made.source = log, source
    return made


def _by_physical_line(message: str, source: str, texts: Mapping[str, str]) -> str:
    """The place of an error by a compiler that passes over ``#line``, as NVIDIA's for OpenCL does."""
    found = re.search(r":(\d+):\d+: (?:fatal )?error", message)
    if not found:
        return ""
    before = source.splitlines()[: int(found[1]) - 1]
    number = 0
    for back, line in enumerate(reversed(before)):
        directive = re.match(r'\s*#line (\d+)(?:\s+"([^"]*)")?', line)
        if directive is None:
            continue
        number = number or int(directive[1]) + back
        if directive[2] is None:  # the file is that of one before
            continue
        title = next((title for title in texts if quoted(title) == directive[2]), None)
        lines = texts.get(title or "", "").splitlines()
        return f", line {number} of {title}: `{lines[number - 1].strip()}`" if title and number <= len(lines) else ""
    return ""
