"""The device that a user chooses, and a context on it, under ``pycuda.tools``' names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .. import errors as _errors
from .._core.cuda import Device

__all__ = ["get_default_device", "make_default_context"]


def _chosen_device() -> int | None:
    """The number in the environment's CUDA_DEVICE, else in the file .cuda_device of the user's home; None without."""
    text, place = os.environ.get("CUDA_DEVICE"), "CUDA_DEVICE"
    if text is None:
        file = Path.home() / ".cuda_device"
        if not file.is_file():
            return None
        text, place = file.read_text(), str(file)
    try:
        return int(text)
    except ValueError:
        raise _errors.ValueError(f"{place} is {text.strip()!r}; wanted is the number of a CUDA device") from None


def get_default_device(default: int = 0) -> Any:
    """The device that ``CUDA_DEVICE`` in the environment numbers, or the file ``.cuda_device`` of the user's home.

    Parameters
    ----------
    default : int
        The number where neither has one. 0 by default.

    Returns
    -------
    Device
        Of the CUDA driver.

    Raises
    ------
    ValueError
        If what stands there is no number.
    """
    chosen = _chosen_device()
    return Device(default if chosen is None else chosen)


def make_default_context(ctx_maker: Callable[[Any], Any] | None = None) -> Any:
    """A context on the device that `get_default_device` names, else on the first where one can be made.

    Parameters
    ----------
    ctx_maker : callable, optional
        (Device) -> Context; a new context by default. ``lambda device: device.retain_primary_context()`` gives the one
        that devarray's arrays live in.

    Returns
    -------
    Context
        As `ctx_maker` gives it.

    Raises
    ------
    DeviceError
        Where no device has a context.
    ValueError
        If CUDA_DEVICE or the file is no number.
    """
    make = ctx_maker or (lambda device: device.make_context())
    chosen = _chosen_device()
    if chosen is not None:
        return make(Device(chosen))
    failures = []
    for number in range(Device.count()):
        try:
            return make(Device(number))
        except _errors.Error as error:
            failures.append(f"device {number}: {error}")
    raise _errors.DeviceError(
        f"no CUDA device on which a context can be made; {'; '.join(failures) or 'there is none'}"
    )
