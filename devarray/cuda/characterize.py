"""What a device and its compiler are, under ``pycuda.characterize``'s names."""

from __future__ import annotations

import struct

import numpy as np

from devarray import cuda
from devarray.cuda.compiler import SourceModule

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def platform_bits() -> int:
    """Bits of an address on the host.

    Returns
    -------
    int
        64.

    Examples
    --------
    >>> from devarray.cuda import characterize
    >>> characterize.platform_bits()
    64
    """
    return 8 * struct.calcsize("P")


def has_stack() -> bool:
    """Whether the current device has a stack in its local memory.

    Returns
    -------
    bool
        True from compute capability 2.0 on.
    """
    return cuda.Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Whether the current device computes in float64.

    Returns
    -------
    bool
        True from compute capability 1.3 on.
    """
    return cuda.Context.get_device().compute_capability() >= (1, 3)


def sizeof(type_name: str, preamble: str = "") -> int:
    """Bytes of a type on the device.

    Parameters
    ----------
    type_name : str
        In CUDA C++.
    preamble : str, optional
        Source that declares it.

    Returns
    -------
    int
        As ``sizeof`` gives it to a kernel. Compiles one, and waits for it.
    """
    source = f'{preamble}\nextern "C" __global__ void size(unsigned long long *out) {{ *out = sizeof({type_name}); }}'
    found = np.zeros(1, np.uint64)
    SourceModule(source, no_extern_c=True).get_function("size")(cuda.Out(found), block=(1, 1, 1), grid=(1, 1))
    return int(found[0])
