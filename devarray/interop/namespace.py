"""The Array API standard's view of devarray: the namespace, its version, and what it can do on which device."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np

from devarray import _core
from devarray._routines.dtypes import isdtype
from devarray._runtime.devices import Device, device, devices
from devarray.errors import ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["NamespaceInfo", "__array_api_version__", "__array_namespace_info__"]

__array_api_version__ = "2025.12"

_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")  # each a superset of those before it
_STANDARD = tuple(name for name in DTYPES if name != "float16")  # the standard does not know float16


def array_namespace(api_version: str | None = None) -> ModuleType:
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(f"devarray follows the Array API standard {', '.join(_VERSIONS)}, not {api_version!r}")
    return sys.modules["devarray"]


class NamespaceInfo:
    """What devarray can do and on which devices, as the Array API standard's inspection functions.

    Examples
    --------
    >>> import devarray as da
    >>> info = da.__array_namespace_info__()
    >>> info.capabilities()["boolean indexing"]
    True
    """

    def capabilities(self) -> dict[str, Any]:
        """What the namespace supports, on every device.

        Returns
        -------
        dict
            ``"boolean indexing"`` and ``"data-dependent shapes"`` (bool), ``"max dimensions"`` (int).

        Examples
        --------
        >>> import devarray as da
        >>> da.__array_namespace_info__().capabilities()["max dimensions"]
        64
        """
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _core.limits()["dims"],
        }

    def default_device(self) -> Device:
        """The device that new arrays live on where none is given.

        Examples
        --------
        >>> import devarray as da
        >>> da.__array_namespace_info__().default_device() is da.device()
        True
        """
        return device(None)

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype]:
        """Dtypes of results for which none is given, on a device (the default one for None).

        Returns
        -------
        dict
            By ``"real floating"``, ``"complex floating"``, ``"integral"`` and ``"indexing"``.

        Examples
        --------
        >>> import devarray as da
        >>> da.__array_namespace_info__().default_dtypes()["integral"]
        dtype('int64')
        """
        double = _has_float64(device)
        return {
            "real floating": np.dtype(np.float64 if double else np.float32),
            "complex floating": np.dtype(np.complex128 if double else np.complex64),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype]:
        """The standard's dtypes that a device (the default one for None) computes with.

        Parameters
        ----------
        device : Device or str, optional
        kind : str or tuple of str, optional
            As :func:`devarray.isdtype` takes it; all kinds by default.

        Returns
        -------
        dict
            By name. float64 and complex128 are missing on a device without float64.

        Examples
        --------
        >>> import devarray as da
        >>> list(da.__array_namespace_info__().dtypes(kind="signed integer"))
        ['int8', 'int16', 'int32', 'int64']
        """
        missing = () if _has_float64(device) else ("float64", "complex128")
        there = {name: np.dtype(name) for name in _STANDARD if name not in missing}
        return there if kind is None else {name: dtype for name, dtype in there.items() if isdtype(dtype, kind)}

    def devices(self) -> tuple[Device, ...]:
        """All devices, the best first.

        Examples
        --------
        >>> import devarray as da
        >>> da.device() in da.__array_namespace_info__().devices()
        True
        """
        return _Devices(devices())


class _Devices(tuple[Device, ...]):
    """The tuple that version 2025.12 asks for; ``devices() + [None]``, of programs for the list that earlier ones had,
    gives that list."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        return [*self, *other] if isinstance(other, list) else tuple.__add__(self, other)

    def __radd__(self, other: Any) -> Any:
        return [*other, *self] if isinstance(other, list) else NotImplemented


def _has_float64(spec: Device | str | None) -> bool:
    return bool(device(spec).fp64)


def __array_namespace_info__() -> NamespaceInfo:
    """What devarray can do and on which devices: the Array API standard's inspection functions.

    Returns
    -------
    NamespaceInfo
        Its methods return capabilities, devices and dtypes.

    Examples
    --------
    >>> import devarray as da
    >>> sorted(da.__array_namespace_info__().default_dtypes())
    ['complex floating', 'indexing', 'integral', 'real floating']
    """
    return NamespaceInfo()
