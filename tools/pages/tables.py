"""Pages that are made of the package's own tables: settings, and errors with what to do about each."""

from __future__ import annotations

import inspect

from devarray import errors as module
from devarray._runtime.settings import SETTINGS

__all__ = ["errors", "settings"]

SWITCHES = ("deferred", "debug", "forbid_waits", "fallback", "host_operands", "kernels", "check_bounds", "limits")
GENERAL = ("object", "BaseException", "Exception", "LookupError", "ArithmeticError", "Warning")


SETTINGS_PAGE = """# Environment variables

devarray's own are read at import. A value that is not taken is an error there, a name that begins with `DEVARRAY_`
and is no setting a warning. An empty text is the default, but for `DEVARRAY_CACHE_DIR`. `devarray`, the command,
lists them with what they are set to.

| variable | default | takes | what for |
|---|---|---|---|
{own}

Switches that can be changed later are attributes of {{py:obj}}`devarray.config`: {switches}.
`with devarray.use(fallback=..., host_operands=...)` sets these two for a block of one thread.

## Those that others gave a meaning

| variable | default | takes | what for |
|---|---|---|---|
{others}
"""

ERRORS_PAGE = """# Errors, and what to do

All errors derive from `devarray.Error`, and from the builtin that NumPy raises in their place, so that a program's own
`except ValueError` goes on working. Each names what was given and what was wanted.

| error | when | what to do |
|---|---|---|
{table}

## Which line was it?

What can be known without data (shapes, dtypes, arguments) is raised by the call. Work that was recorded runs later:
an error of compiling or launching its kernel is raised where the work runs, which `DEVARRAY_EAGER=1` makes the line
that recorded it. What a device finds out while it works, such as an index out of bounds, is raised where the host
next waits for it; `DEVARRAY_CHECK_BOUNDS=1` names the launch, the operand and the expression.

| to see | set |
|---|---|
| which device and runtime are used, which are left out | `DEVARRAY_DEBUG=1`, or the command `devarray` |
| each kernel as it runs | `DEVARRAY_DEBUG=2` |
| why a chain of operations was cut | `DEVARRAY_DEBUG=3` |
| the kernels' sources | `DEVARRAY_DEBUG=4` |
| every wait for the device, as an error | `DEVARRAY_FORBID_WAITS=1` |
| every detour through the host, as an error | `DEVARRAY_FALLBACK=raise` |
| every NumPy array that moves to the device, as an error | `DEVARRAY_HOST_OPERANDS=raise` |
"""


def row(*cells: str) -> str:
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |"


def settings() -> str:
    """Every environment variable, from the table that the package reads."""
    rows = {r.name: row(f"`{r.name}`", r.default, r.takes, r.help) for r in SETTINGS.values()}
    own = [line for name, line in rows.items() if name.startswith("DEVARRAY_")]
    others = [line for line in rows.values() if line not in own]
    switches = ", ".join(f"`{name}`" for name in SWITCHES)
    return SETTINGS_PAGE.format(own="\n".join(own), others="\n".join(others), switches=switches)


def errors() -> str:
    """Every class of devarray.errors: what it is besides, when it is raised, what to do."""
    return ERRORS_PAGE.format(table="\n".join(map(error, module.__all__)))


def error(name: str) -> str:
    """A class as a line of the table; of its docstring the first line, and the paragraph that says what to do."""
    cls = getattr(module, name)
    bases = [base for base in cls.__mro__[1:] if base.__module__ in ("builtins", "numpy.linalg")]
    shown = ", ".join(f"`{base.__name__}`" for base in bases if base.__name__ not in GENERAL)
    when, _, rest = (inspect.getdoc(cls) or "").partition("\n\n")
    advice = rest.partition("What to do:")[2].partition("\n\n")[0]
    return row(f"{{py:obj}}`~devarray.errors.{name}`" + (f", a {shown}" if shown else ""), when, advice)
