"""OpenCL under PyOpenCL's names: the driver objects below devarray's arrays, and everything around them."""

from __future__ import annotations
