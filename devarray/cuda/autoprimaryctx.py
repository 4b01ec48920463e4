"""Importing this module makes a device's primary context current in this thread.

`devarray.cuda.tools.make_default_context` says on which device. devarray's arrays live in the same context.
"""

from __future__ import annotations

from . import Context, Device, init
from ._contexts import make_default_context

__all__ = ["context", "device"]


def _primary_context(device: Device) -> Context:
    primary = device.retain_primary_context()
    primary.push()
    return primary


init()
context: Context = make_default_context(_primary_context)
device: Device = context.get_device()
