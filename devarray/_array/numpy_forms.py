"""Array methods of NumPy's about bytes and files, and the attributes that NumPy lets a program set."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["NumPyFormMethods", "require_file", "require_path"]


class _NoSuchMethod(DTypeError, AttributeError):
    """A method of Python's numbers that the array does not have."""


def require_path(name: str, parameter: str, given: object) -> None:
    if not isinstance(given, str | bytes | os.PathLike):
        raise DTypeError(f"{name}: {parameter} is a path or an open file, not {type(given).__name__}")


def require_file(name: str, parameter: str, given: object) -> None:
    if not hasattr(given, "fileno") or not hasattr(given, "flush"):
        require_path(name, parameter, given)


class NumPyFormMethods(_core.ArrayBase):
    """Bytes, files and fields, as :class:`numpy.ndarray` has them."""

    __slots__ = ()

    def byteswap(self: Any, /, inplace: bool = False) -> Array:
        """The elements with their bytes in reverse order.

        Parameters
        ----------
        inplace : bool
            Whether to write them to the array itself. False by default.

        Returns
        -------
        Array
            A new array, or the array itself.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1, 256], da.uint16).byteswap().copy_to_host()
        array([256,   1], dtype=uint16)
        """
        unit = self.itemsize // (2 if self.dtype.kind == "c" else 1)
        dense = self.copy().reshape(-1)
        swapped = dense.view(np.uint8).reshape(-1, unit)[:, ::-1].copy() if unit > 1 else dense
        result = swapped.reshape(-1).view(self.dtype).reshape(self.shape)
        if not inplace:
            return result
        self[...] = result
        return self

    def tofile(self: Any, fid: Any, /, sep: str = "", format: str = "%s") -> None:
        """Write the values to a file, as :meth:`numpy.ndarray.tofile`. Waits for the device.

        Parameters
        ----------
        fid : file or str or path
            Where to.
        sep : str
            Between the elements of a text; empty, the default, writes bytes.
        format : str
            Of each element of a text.

        Examples
        --------
        >>> import devarray as da, tempfile
        >>> with tempfile.TemporaryFile() as file:
        ...     da.asarray([1, 2], da.int16).tofile(file)
        ...     _ = file.seek(0)
        ...     file.read()
        b'\\x01\\x00\\x02\\x00'
        """
        require_file("tofile", "fid", fid)
        self.copy_to_host().tofile(fid, sep, format)

    def dump(self: Any, /, file: Any) -> None:
        """Pickle the array into a file. Waits for the device.

        Parameters
        ----------
        file : str, path or file
            Where to.

        Examples
        --------
        >>> import devarray as da, io, pickle
        >>> file = io.BytesIO()
        >>> da.ones(2).dump(file)
        >>> _ = file.seek(0)
        >>> pickle.load(file).shape
        (2,)
        """
        if hasattr(file, "write"):
            pickle.dump(self, file, protocol=2)
            return
        require_path("dump", "file", file)
        with open(file, "wb") as opened:
            pickle.dump(self, opened, protocol=2)

    def dumps(self: Any, /) -> bytes:
        """The array's pickle. Waits for the device.

        Returns
        -------
        bytes
            What ``pickle.loads`` makes the array of.

        Examples
        --------
        >>> import devarray as da, pickle
        >>> pickle.loads(da.ones(2).dumps()).shape
        (2,)
        """
        return pickle.dumps(self)

    def getfield(self: Any, /, dtype: Any, offset: int = 0) -> Array:
        """A view of a part of each element as another dtype.

        Parameters
        ----------
        dtype : dtype
            Of the part.
        offset : int
            Bytes from the start of each element. 0 by default.

        Returns
        -------
        Array
            A view.

        Raises
        ------
        ValueError
            Where the part lies outside of the elements.

        Examples
        --------
        >>> import devarray as da
        >>> da.asarray([1 + 2j]).getfield(da.float64, 8).copy_to_host()
        array([2.])
        """
        target = np.dtype(dtype)
        if offset < 0 or offset + target.itemsize > self.itemsize:
            raise ValueError(
                f"getfield: {target} at byte {offset} does not lie within an element of {self.itemsize} bytes"
            )
        return _core.view(self, self.shape, self.strides, offset, target)

    def setfield(self: Any, val: Any, /, dtype: Any, offset: int = 0) -> None:
        """Write to a part of each element.

        Parameters
        ----------
        val : array_like
            What is written, which broadcasts.
        dtype : dtype
            Of the part.
        offset : int
            Bytes from the start of each element. 0 by default.

        Raises
        ------
        ValueError
            Where the part lies outside of the elements.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.asarray([1 + 2j])
        >>> x.setfield(5, da.float64, 8)
        >>> x.item()
        (1+5j)
        """
        self.getfield(dtype, offset)[...] = val

    # --- what NumPy's scalars have of Python's numbers -------------------------------------------------------------

    @property
    def is_integer(self: Any) -> Any:
        """Of a value: the method of Python's floats. Waits for the device; AttributeError for arrays with axes."""
        return _scalars_own(self, "is_integer")

    @property
    def as_integer_ratio(self: Any) -> Any:
        """Of a value: the method of Python's floats. Waits for the device; AttributeError for arrays with axes."""
        return _scalars_own(self, "as_integer_ratio")

    @property
    def hex(self: Any) -> Any:
        """Of a value in float64: the method of Python's floats. Waits; AttributeError for other arrays."""
        return _scalars_own(self, "hex")

    @property
    def matvec(self: Any) -> Any:
        """Of a matrix: the product with a vector, which SciPy's solvers ask for; AttributeError for others."""
        return _product_by(self, "matvec", lambda x: x)

    @property
    def rmatvec(self: Any) -> Any:
        """Of a matrix: the product of its adjoint with a vector; AttributeError for other arrays."""
        return _product_by(self, "rmatvec", lambda x: x.conj().T if x.dtype.kind == "c" else x.T)

    @property
    def numerator(self: Any) -> Any:
        """Of an integer value: itself, as Python's ints have it. Waits; AttributeError for other arrays."""
        return _scalars_own(self, "numerator")

    @property
    def denominator(self: Any) -> Any:
        """Of an integer value: 1, as Python's ints have it. Waits; AttributeError for other arrays."""
        return _scalars_own(self, "denominator")

    @property
    def bit_count(self: Any) -> Any:
        """Of an integer value: the method of Python's ints. Waits; AttributeError for other arrays."""
        return _scalars_own(self, "bit_count")


def _product_by(x: Any, name: str, of: Callable[[Any], Any]) -> Any:
    if x.ndim != 2:
        raise _NoSuchMethod(f"'Array' object has no attribute {name!r}: matrices have it; this one has shape {x.shape}")
    matrix = of(x)
    return lambda vector: matrix @ vector


def _scalars_own(x: Any, name: str) -> Any:
    found = None if x.ndim else getattr(x.copy_to_host()[()], name, None)
    if found is None:
        raise _NoSuchMethod(
            f"'Array' object has no attribute {name!r}: elements and results without axes have it, of the dtypes whose "
            f"scalars have it in NumPy; this one is of {x.dtype} and shape {x.shape}"
        )
    return found
