"""Choosing devices, as a program's user wants it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from .. import _core
from .._runtime.arguments import expect

__all__ = ["choose_devices", "create_some_context"]


def create_some_context(interactive: bool | None = None, answers: list[str] | None = None) -> _core.cl.Context:
    """Make a context on the devices that the user chooses.

    Parameters
    ----------
    interactive : bool, optional
        As for `choose_devices`.
    answers : list of str, optional
        As for `choose_devices`.

    Returns
    -------
    Context
        Of those devices.

    Raises
    ------
    ValueError
        If an answer fits nothing.
    MissingDriverError
        If no OpenCL runtime was found.

    Examples
    --------
    >>> from devarray import cl
    >>> ctx = cl.create_some_context(answers=["0"])
    >>> ctx.num_devices
    1
    """
    return _core.cl.Context(choose_devices(interactive, answers))


def choose_devices(interactive: bool | None = None, answers: list[str] | None = None) -> list[_core.cl.Device]:
    """Choose devices as the user wants them.

    The answers come from `answers`, or from the environment variable ``DEVARRAY_CL_CTX`` (or ``PYOPENCL_CTX``),
    separated by colons: the platform, by its number or a part of its name, then devices, separated by commas. What is
    left open is asked for at a terminal where `interactive` allows, and is the first platform and its first device
    otherwise.

    Parameters
    ----------
    interactive : bool, optional
        Whether to ask; by default where nothing is answered and the input is a terminal.
    answers : list of str, optional
        In place of the environment's.

    Returns
    -------
    list of Device
        Of one platform.

    Raises
    ------
    ValueError
        If an answer fits nothing, or is left over.
    MissingDriverError
        If no OpenCL runtime was found.

    Examples
    --------
    >>> from devarray import cl
    >>> cl.choose_devices(answers=["0", "0"]) == cl.get_platforms()[0].get_devices()[:1]
    True
    """
    given = answers
    if given is None:
        variable = os.environ.get("DEVARRAY_CL_CTX", os.environ.get("PYOPENCL_CTX"))
        given = variable.split(":") if variable is not None else []
    left = list(given)
    if interactive is None:
        interactive = not given and sys.stdin is not None and sys.stdin.isatty()

    platforms = _core.cl.get_platforms()
    platform = _pick("platform", platforms, lambda p: p.name, left, interactive)[0]
    devices = platform.get_devices()
    if not devices:
        raise ValueError(f"the platform '{platform.name}' has no device")
    chosen = _pick("device", devices, lambda d: d.name, left, interactive, several=True)
    if left:
        raise ValueError(f"not all answers were used: {left}")
    return chosen


def _pick(
    what: str,
    options: list[Any],
    name: Callable[[Any], str],
    answers: list[str],
    interactive: bool,
    several: bool = False,
) -> list[Any]:
    if answers:
        answer = answers.pop(0)
        expect(f"the choice of a {what}", "an answer", answer, str)
    elif len(options) > 1 and interactive:
        for number, option in enumerate(options):
            print(f"[{number}] {name(option)}")
        answer = input(f"Choose a {what} [0]: ").strip()
    else:
        answer = ""
    parts = answer.split(",") if several else [answer]
    return [_match(what, options, name, part.strip()) for part in parts]


def _match(what: str, options: list[Any], name: Callable[[Any], str], answer: str) -> Any:
    if not answer:
        return options[0]
    if answer.isdecimal() and int(answer) < len(options):
        return options[int(answer)]
    for option in options:
        if answer.lower() in name(option).lower():
            return option
    raise ValueError(f"no {what} matches '{answer}'; there are {[name(option) for option in options]}")
