"""Importing this module initialises CUDA and makes a context current, as ``pycuda.autoinit`` does.

The context is the device's primary one, so that devarray's arrays can be used in it.
"""

from __future__ import annotations

from .autoprimaryctx import context, device

__all__ = ["context", "device"]
