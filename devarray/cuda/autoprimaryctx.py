"""Importing this module makes a device's primary context current in this thread.

The device is number CUDA_DEVICE of the environment, or the first. devarray's arrays live in the same context.
"""

from __future__ import annotations

import os

from . import Context, Device, init

__all__ = ["context", "device"]

init()
device: Device = Device(int(os.environ.get("CUDA_DEVICE", "0")))
context: Context = device.retain_primary_context()
context.push()
