"""dtypes and their names in OpenCL C, as the table that libraries ask that generate kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from devarray._runtime.records import NUMBERS, RECORDS
from devarray.cl import _c_types
from devarray.cl._c_types import TypeNameNotKnown, dtype_to_ctype, get_or_register_dtype, register_dtype

__all__ = [
    "DTYPE_TO_NAME",
    "NAME_TO_DTYPE",
    "TYPE_REGISTRY",
    "DTypeRegistry",
    "TypeNameNotKnown",
    "dtype_to_ctype",
    "get_or_register_dtype",
    "register_dtype",
]


class _Names(Mapping[str, np.dtype]):
    """The dtypes of all names that are known."""

    def __getitem__(self, name: str) -> np.dtype:
        found = _c_types.dtype_named(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(NUMBERS | RECORDS)

    def __len__(self) -> int:
        return len(NUMBERS | RECORDS)


class DTypeRegistry:
    """The names that dtypes have in OpenCL C: one table, which `devarray.cl.tools` reads, too.

    Examples
    --------
    >>> from devarray.cl.compyte.dtypes import TYPE_REGISTRY
    >>> TYPE_REGISTRY.dtype_to_ctype("uint64"), TYPE_REGISTRY.get_or_register_dtype("float4").itemsize
    ('ulong', 16)
    """

    @property
    def dtype_to_name(self) -> Mapping[Any, str]:
        """The first name of each dtype."""
        return _c_types.names_of_dtypes()

    @property
    def name_to_dtype(self) -> Mapping[str, np.dtype]:
        """The dtype of each name."""
        return NAME_TO_DTYPE

    def get_or_register_dtype(self, names: str | Sequence[str], dtype: npt.DTypeLike | None = None) -> np.dtype:
        """Return the dtype of a C type, or give a dtype its names: `devarray.cl.tools.get_or_register_dtype`.

        Parameters
        ----------
        names : str or sequence of str
            In C.
        dtype : dtype, optional
            What they stand for from now on.

        Returns
        -------
        numpy.dtype
            What the names stand for.
        """
        return get_or_register_dtype(names, dtype)

    def dtype_to_ctype(self, dtype: npt.DTypeLike) -> str:
        """Return the name of a dtype in OpenCL C: `devarray.cl.tools.dtype_to_ctype`.

        Parameters
        ----------
        dtype : dtype
            One that has a name.

        Returns
        -------
        str
            The first of its names.
        """
        return dtype_to_ctype(dtype)


NAME_TO_DTYPE: Mapping[str, np.dtype] = _Names()
"""The dtype of each name."""
DTYPE_TO_NAME: Mapping[Any, str] = _c_types.names_of_dtypes()
"""The first name of each dtype."""
TYPE_REGISTRY = DTypeRegistry()
"""The one table."""
