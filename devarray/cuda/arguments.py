"""Host arrays as kernel arguments: copied to the device before a call, back after it, or both."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import cuda as _cuda

__all__ = ["ArgumentHandler", "In", "InOut", "Out"]


class ArgumentHandler:
    """Base of the classes that turn a host array into a kernel argument.

    Parameters
    ----------
    array : numpy.ndarray
        C- or F-contiguous.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.dev_alloc: Any = None

    def get_device_alloc(self) -> Any:
        """Return the device memory that stands for the array, allocated at the first call."""
        if self.dev_alloc is None:
            self.dev_alloc = _cuda.mem_alloc(max(np.asarray(self.array).nbytes, 1))
        return self.dev_alloc

    def pre_call(self, stream: Any) -> None:
        """Run before the kernel is launched."""

    def post_call(self, stream: Any) -> None:
        """Run after the kernel was launched."""

    def _upload(self, stream: Any) -> None:
        if stream is None:
            _cuda.memcpy_htod(self.get_device_alloc(), self.array)
        else:
            _cuda.memcpy_htod_async(self.get_device_alloc(), self.array, stream)

    def _download(self, stream: Any) -> None:
        if stream is None:
            _cuda.memcpy_dtoh(self.array, self.get_device_alloc())
        else:
            _cuda.memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)


class In(ArgumentHandler):
    """The array is copied to the device before the call."""

    def pre_call(self, stream: Any) -> None:
        self._upload(stream)


class Out(ArgumentHandler):
    """The array is overwritten from the device after the call."""

    def post_call(self, stream: Any) -> None:
        self._download(stream)


class InOut(In, Out):
    """The array is copied to the device before the call, and back after it."""
