"""Host arrays as kernel arguments: copied to the device before a call, back after it, or both."""

from __future__ import annotations

import numpy as np

from .._core import cuda as _cuda

__all__ = ["ArgumentHandler", "In", "InOut", "Out"]


class ArgumentHandler:
    """Base of the classes that turn a host array into a kernel argument.

    Parameters
    ----------
    array : numpy.ndarray
        C- or F-contiguous.

    Notes
    -----
    pycuda.driver's class of that name.

    Examples
    --------
    >>> cuda.ArgumentHandler(np.ones(4, np.float32)).get_device_alloc().nbytes
    16
    """

    def __init__(self, array: object) -> None:
        self.array = array
        self.dev_alloc: _cuda.DeviceAllocation | None = None

    def get_device_alloc(self) -> _cuda.DeviceAllocation:
        """Return the device memory that stands for the array, allocated at the first call.

        Returns
        -------
        DeviceAllocation
            Of the array's bytes, at least 1.

        Raises
        ------
        MemoryError
            If there is not that much.

        Examples
        --------
        >>> cuda.In(np.ones(4, np.float32)).get_device_alloc().nbytes
        16
        """
        if self.dev_alloc is None:
            self.dev_alloc = _cuda.mem_alloc(max(np.asarray(self.array).nbytes, 1))
        return self.dev_alloc

    def pre_call(self, stream: object) -> None:
        """Run before the kernel is launched.

        Parameters
        ----------
        stream : Stream or None
            That of the launch.

        Examples
        --------
        >>> cuda.In(np.ones(4, np.float32)).pre_call(None)
        """

    def post_call(self, stream: object) -> None:
        """Run after the kernel was launched.

        Parameters
        ----------
        stream : Stream or None
            That of the launch.

        Examples
        --------
        >>> argument = cuda.InOut(np.ones(4, np.float32))
        >>> argument.pre_call(None)
        >>> argument.post_call(None)
        """

    def _upload(self, stream: object) -> None:
        if stream is None:
            _cuda.memcpy_htod(self.get_device_alloc(), self.array)
        else:
            _cuda.memcpy_htod_async(self.get_device_alloc(), self.array, stream)

    def _download(self, stream: object) -> None:
        if stream is None:
            _cuda.memcpy_dtoh(self.array, self.get_device_alloc())
        else:
            _cuda.memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)


class In(ArgumentHandler):
    """A host array that is copied to the device before the call.

    Parameters
    ----------
    array : numpy.ndarray
        C- or F-contiguous.

    Examples
    --------
    >>> doublify(cuda.In(np.ones(4, np.float32)), block=(4, 1, 1))
    """

    def pre_call(self, stream: object) -> None:
        """Copy the array to the device.

        Parameters
        ----------
        stream : Stream or None
            That of the launch.

        Notes
        -----
        Calls ``cuMemcpyHtoD`` or, with a stream, ``cuMemcpyHtoDAsync``.

        Examples
        --------
        >>> cuda.In(np.ones(4, np.float32)).pre_call(None)
        """
        self._upload(stream)


class Out(ArgumentHandler):
    """A host array that is overwritten from the device after the call.

    Parameters
    ----------
    array : numpy.ndarray
        C- or F-contiguous.

    Examples
    --------
    >>> array = np.empty(4, np.float32)
    >>> count(cuda.Out(array), block=(4, 1, 1))
    >>> array.tolist()
    [0.0, 1.0, 2.0, 3.0]
    """

    def post_call(self, stream: object) -> None:
        """Copy the array from the device.

        Parameters
        ----------
        stream : Stream or None
            That of the launch.

        Notes
        -----
        Calls ``cuMemcpyDtoH`` or, with a stream, ``cuMemcpyDtoHAsync``.

        Examples
        --------
        >>> argument = cuda.InOut(np.ones(4, np.float32))
        >>> argument.pre_call(None)
        >>> argument.post_call(None)
        """
        self._download(stream)


class InOut(In, Out):
    """A host array that is copied to the device before the call, and back after it.

    Parameters
    ----------
    array : numpy.ndarray
        C- or F-contiguous.

    Examples
    --------
    >>> array = np.ones(4, np.float32)
    >>> doublify(cuda.InOut(array), block=(4, 1, 1))
    >>> array
    array([2., 2., 2., 2.], dtype=float32)
    """
