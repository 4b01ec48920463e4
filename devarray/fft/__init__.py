"""Fourier transforms: the standard's extension ``fft``.

CPU devices use DUCC, ``pip install 'devarray[fft]'``, or NumPy's pocketfft, over mapped memory, CUDA devices cuFFT;
other GPUs, and CUDA devices without cuFFT, kernels of our own. float32 stays float32; integers and bool are transformed
in float64.
"""

from __future__ import annotations

from devarray._primitives.operands import namespace as _namespace
from devarray.fft.helpers import fftfreq, fftshift, ifftshift, rfftfreq
from devarray.fft.real import hfft, ihfft, irfft, irfft2, irfftn, rfft, rfft2, rfftn
from devarray.fft.standard import fft, fft2, fftn, ifft, ifft2, ifftn

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_namespace(globals(), __all__)
