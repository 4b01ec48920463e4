"""Frames of device memory, for what sends such without the host (UCX): ``distributed``'s family "cuda".

Elsewhere arrays travel by pickle's protocol 5: their values are one frame of the host's memory beside a short header,
which needs nothing to be registered at either end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize

from devarray._primitives.convert import asarray
from devarray.array import Array

__all__ = ["dump", "load"]


@cuda_serialize.register(Array)
def dump(x: Array) -> tuple[dict[str, Any], list[Array]]:
    """An array's bytes, on its device, and what they are.

    Parameters
    ----------
    x : Array
        Of any layout; what is not dense is copied.

    Returns
    -------
    header : dict
        Shape and dtype.
    frames : list of Array
        One of bytes.
    """
    dense = x.evaluate().ravel()
    return {"shape": x.shape, "dtype": x.dtype.str}, [dense.view(np.uint8)]


@cuda_deserialize.register(Array)
def load(header: dict[str, Any], frames: list[Any]) -> Array:
    """The array over a frame.

    Parameters
    ----------
    header : dict
        Of :func:`dump`.
    frames : list
        One object with the CUDA array interface, or an Array.

    Returns
    -------
    Array
        In the frame's memory.
    """
    (frame,) = frames
    return asarray(frame).view(np.dtype(header["dtype"])).reshape(header["shape"])
