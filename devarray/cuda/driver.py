"""The driver under ``pycuda.driver``'s full name: what `devarray.cuda` has."""

from __future__ import annotations

import devarray.cuda as _cuda
from devarray.cuda import *  # noqa: F403

__all__ = list(_cuda.__all__)
