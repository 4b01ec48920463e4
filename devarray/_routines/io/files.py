"""Reading and writing arrays in NumPy's file formats. Everything is copied through the host."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._array.order import stored_on_host
from devarray._primitives.convert import asarray, asarray_or_texts
from devarray._primitives.host_masked import host_masked
from devarray._primitives.opaque import OpaqueArray
from devarray._routines.io.archives import on_device
from devarray._runtime.devices import Device, Queue
from devarray.array import Array
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["fromfile", "fromstring", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"]


def _host(x: object) -> Any:
    if isinstance(x, Array):
        return stored_on_host(x)
    return x.copy_to_host() if isinstance(x, OpaqueArray) else x


def _made(found: Any, **place: Any) -> Any:
    """What NumPy read, on the device: fields unpacked are a list; what is masked stays on the host, with its mask."""
    if isinstance(found, list):
        return [_made(field, **place) for field in found]
    return host_masked(found) if isinstance(found, np.ma.MaskedArray) else asarray_or_texts(found, **place)


def save(file: Any, arr: Any, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's format .npy. Waits for the copy to the host.

    Parameters
    ----------
    file : str, path or binary file
        A path gets the ending ``.npy`` where it has none.
    arr : array_like
        The array.
    allow_pickle : bool
        Whether objects of the host may be pickled. True by default.

    Examples
    --------
    >>> import devarray as da, io
    >>> file = io.BytesIO()
    >>> da.save(file, da.arange(3))
    >>> _ = file.seek(0)
    >>> da.load(file).copy_to_host()
    array([0, 1, 2])
    """
    np.save(file, _host(arr), allow_pickle=allow_pickle)


def savez(file: Any, *args: Any, allow_pickle: bool = True, **kwds: Any) -> None:
    """Write arrays to an archive in NumPy's format .npz. Waits for the copies to the host.

    Parameters
    ----------
    file : str, path or binary file
        A path gets the ending ``.npz`` where it has none.
    *args : array_like
        Arrays that get the names ``arr_0``, ``arr_1`` and so on.
    allow_pickle : bool
        Whether objects of the host may be pickled. True by default.
    **kwds : array_like
        Arrays by their names.

    Examples
    --------
    >>> import devarray as da, io
    >>> file = io.BytesIO()
    >>> da.savez(file, da.arange(3), x=da.ones(2))
    >>> _ = file.seek(0)
    >>> with da.load(file) as archive:
    ...     sorted(archive), archive["x"].copy_to_host()
    (['arr_0', 'x'], array([1., 1.]))
    """
    np.savez(file, *map(_host, args), allow_pickle=allow_pickle, **{name: _host(x) for name, x in kwds.items()})


def savez_compressed(file: Any, *args: Any, allow_pickle: bool = True, **kwds: object) -> None:
    """Write arrays to a compressed archive: see :func:`savez`.

    Parameters
    ----------
    file : str, path or binary file
        A path gets the ending ``.npz`` where it has none.
    *args : array_like
        Arrays that get the names ``arr_0``, ``arr_1`` and so on.
    allow_pickle : bool
        Whether objects of the host may be pickled. True by default.
    **kwds : array_like
        Arrays by their names.

    Examples
    --------
    >>> import devarray as da, io
    >>> file = io.BytesIO()
    >>> da.savez_compressed(file, x=da.zeros(1000))
    >>> len(file.getvalue()) < 1000
    True
    """
    host = {name: _host(x) for name, x in kwds.items()}
    np.savez_compressed(file, *map(_host, args), allow_pickle=allow_pickle, **host)


def load(
    file: Any,
    mmap_mode: Any = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: Any = "ASCII",
    *,
    max_header_size: int = 10000,
    device: Device | str | None = None,
    allocator: Any = None,
    queue: Queue | None = None,
) -> Any:
    """The array in a file of NumPy's format .npy, or the arrays of an archive .npz, on the device.

    Parameters
    ----------
    file : str, path or binary file
        The file.
    mmap_mode : str, optional
        NumPy's, for reading on the host. What is written to the file, by "r+", is a ``memmap`` there; by "r" the array
        is read-only.
    allow_pickle : bool
        Whether pickled objects may be read. False by default.
    fix_imports : bool
        NumPy's, for reading on the host.
    encoding : str
        NumPy's, for reading on the host.
    max_header_size : int
        NumPy's, in bytes.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array or mapping
        Of an archive a mapping of names to Arrays, each copied to the device when it is asked for; to be closed as
        NumPy's is.

    Raises
    ------
    ValueError
        For a file of another format, or pickled objects that are not allowed.

    Examples
    --------
    >>> import devarray as da, io
    >>> file = io.BytesIO()
    >>> da.save(file, da.arange(3))
    >>> _ = file.seek(0)
    >>> da.load(file).copy_to_host()
    array([0, 1, 2])
    """
    found: Any = np.load(file, mmap_mode, allow_pickle, fix_imports, encoding, max_header_size=max_header_size)
    return on_device(found, device=device, allocator=allocator, queue=queue)


# --- text, and bytes without a header ------------------------------------------------------------------------------


def loadtxt(
    fname: object,
    dtype: object = float,
    comments: object = "#",
    delimiter: object = None,
    converters: object = None,
    skiprows: int = 0,
    usecols: object = None,
    unpack: bool = False,
    ndmin: int = 0,
    encoding: str | None = None,
    max_rows: int | None = None,
    *,
    quotechar: str | None = None,
    like: object = None,
    device: Device | str | None = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """The numbers of a text file, as :func:`numpy.loadtxt` reads them.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        The file, or its lines.
    dtype : dtype
        float64 by default.
    comments, delimiter, converters, skiprows, usecols, unpack, ndmin, encoding, max_rows : optional
        As in :func:`numpy.loadtxt`.
    quotechar : optional
        As in :func:`numpy.loadtxt`.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import devarray as da
    >>> da.loadtxt(["1 2", "3 4"]).copy_to_host()
    array([[1., 2.],
           [3., 4.]])
    """
    found = np.loadtxt(  # type: ignore[call-overload]
        fname,
        dtype,
        comments,
        delimiter,
        converters,
        skiprows,
        usecols,
        unpack,
        ndmin,
        encoding,
        max_rows,
        quotechar=quotechar,
    )
    return _made(found, like=like, device=device, allocator=allocator, queue=queue)


def genfromtxt(
    fname: object,
    dtype: DTypeLike | None = float,
    comments: str = "#",
    delimiter: object = None,
    skip_header: int = 0,
    skip_footer: int = 0,
    converters: object = None,
    missing_values: object = None,
    filling_values: object = None,
    usecols: object = None,
    names: object = None,
    excludelist: object = None,
    deletechars: str = " !#$%&'()*+,-./:;<=>?@[\\]^{|}~",
    replace_space: str = "_",
    autostrip: bool = False,
    case_sensitive: bool = True,
    defaultfmt: str = "f%i",
    unpack: object = None,
    usemask: bool = False,
    loose: bool = True,
    invalid_raise: bool = True,
    max_rows: object = None,
    encoding: object = None,
    *,
    ndmin: int = 0,
    like: object = None,
    device: Device | str | None = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """The numbers of a text file with missing values, as :func:`numpy.genfromtxt` reads them.

    Parameters
    ----------
    fname : str, path, file or iterable of str
        The file, or its lines.
    dtype : dtype
        float64 by default.
    comments, delimiter, skip_header, skip_footer, converters, missing_values, filling_values : optional
        As in :func:`numpy.genfromtxt`.
    usecols, names, excludelist, deletechars, replace_space, autostrip, case_sensitive, defaultfmt : optional
        As in :func:`numpy.genfromtxt`.
    unpack, usemask, loose, invalid_raise, max_rows, encoding, ndmin : optional
        As in :func:`numpy.genfromtxt`; masked arrays are NumPy's, on the host.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import devarray as da
    >>> da.genfromtxt(["1,,3"], delimiter=",", filling_values=0).copy_to_host()
    array([1., 0., 3.])
    """
    found = np.genfromtxt(  # type: ignore[call-overload]
        fname,
        dtype,
        comments,
        delimiter,
        skip_header,
        skip_footer,
        converters,
        missing_values,
        filling_values,
        usecols,
        names,
        excludelist,
        deletechars,
        replace_space,
        autostrip,
        case_sensitive,
        defaultfmt,
        unpack,
        usemask,
        loose,
        invalid_raise,
        max_rows,
        encoding,
        ndmin=ndmin,
    )
    return _made(found, like=like, device=device, allocator=allocator, queue=queue)


def savetxt(
    fname: Any,
    X: Any,
    fmt: Any = "%.18e",
    delimiter: str = " ",
    newline: str = "\n",
    header: str = "",
    footer: str = "",
    comments: str = "# ",
    encoding: str | None = None,
) -> None:
    r"""Write an array as text, as :func:`numpy.savetxt` does. Waits for the copy to the host.

    Parameters
    ----------
    fname : str, path or file
        The file.
    X : array_like
        Of one or two dimensions.
    fmt, delimiter, newline, header, footer, comments, encoding : optional
        As in :func:`numpy.savetxt`.

    Examples
    --------
    >>> import devarray as da, io
    >>> file = io.StringIO()
    >>> da.savetxt(file, da.arange(3), "%d")
    >>> file.getvalue()
    '0\n1\n2\n'
    """
    np.savetxt(fname, _host(X), fmt, delimiter, newline, header, footer, comments, encoding)


def fromfile(
    file: Any,
    dtype: DTypeLike | None = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: object = None,
    device: Device | str | None = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    r"""The elements of a file without a header, as :func:`numpy.fromfile` reads them.

    Parameters
    ----------
    file : str, path or file
        The file.
    dtype : dtype, optional
        float64 by default.
    count : int
        Number of elements; -1, the default, is all.
    sep : str
        Text between the numbers of a text file; empty, the default, for bytes.
    offset : int
        Bytes to skip. 0 by default.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    DTypeError
        Where `file` is neither an open file nor a path.

    Examples
    --------
    >>> import devarray as da, tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"\x01\x02\x03"), file.flush()
    ...     da.fromfile(file.name, da.uint8, offset=1).copy_to_host()
    array([2, 3], dtype=uint8)
    """
    if not isinstance(file, str | bytes | os.PathLike) and not hasattr(file, "fileno"):
        raise DTypeError(f"fromfile: file is an open file or its path, not {type(file).__name__}")
    found = np.fromfile(file, np.float64 if dtype is None else dtype, count, sep, offset)
    return asarray(found, like=like, device=device, allocator=allocator, queue=queue)


def fromstring(
    string: str,
    dtype: DTypeLike | None = None,
    count: int = -1,
    *,
    sep: str,
    like: object = None,
    device: Device | str | None = None,
    allocator: object = None,
    queue: Queue | None = None,
) -> Array:
    """The numbers of a text, as :func:`numpy.fromstring` reads them.

    Parameters
    ----------
    string : str
        The text.
    dtype : dtype, optional
        float64 by default.
    count : int
        Number of elements; -1, the default, is all.
    sep : str
        Text between the numbers.
    like, device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        A new one-dimensional array.

    Examples
    --------
    >>> import devarray as da
    >>> da.fromstring("1, 2, 3", dtype=int, sep=",").copy_to_host()
    array([1, 2, 3])
    """
    found = np.fromstring(string, float if dtype is None else dtype, count, sep=sep)
    return asarray(found, like=like, device=device, allocator=allocator, queue=queue)
