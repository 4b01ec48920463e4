"""NumPy's ``lib``: :mod:`devarray.lib.stride_tricks`."""

from devarray.lib import stride_tricks

__all__ = ["stride_tricks"]
