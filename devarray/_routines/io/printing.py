"""Arrays as text: NumPy's functions, applied to copies on the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.arguments import expect
from devarray.array import Array

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["array2string", "array_repr", "array_str", "get_printoptions", "printoptions", "set_printoptions"]


_BY_PLACE = ("precision", "threshold", "edgeitems", "linewidth", "suppress", "nanstr", "infstr", "formatter")
_KINDS: dict[str, tuple[type, str]] = {
    "nanstr": (str, "a str or None"),
    "infstr": (str, "a str or None"),
    "formatter": (dict, "a dict of functions, or None"),
}
"""Options that NumPy takes unseen, and fails on when the next array is printed."""


def _require_options(function: str, given: dict[str, Any]) -> None:
    for name, (kind, what) in _KINDS.items():
        if given.get(name) is not None:
            expect(function, name, given[name], kind, what)
    made = given.get("override_repr")
    if made is not None and not callable(made):
        expect(function, "override_repr", made, (), "a function or None")


def _host(x: object) -> Any:
    return x.copy_to_host() if isinstance(x, Array | OpaqueArray) else x


def array2string(
    a: ArrayLike,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
    separator: str = " ",
    prefix: str = "",
    *,
    formatter: Any = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sign: Any = None,
    floatmode: Any = None,
    suffix: str = "",
    legacy: Any = None,
) -> str:
    """NumPy's text of an array. Waits for the device.

    Parameters
    ----------
    a : array_like
        The array.
    max_line_width : int, optional
        Characters in a line, as in :func:`numpy.array2string`.
    precision : int, optional
        Digits behind the point.
    suppress_small : bool, optional
        Whether numbers that are about zero are printed as zero.
    separator : str
        Between elements. A space by default.
    prefix : str
        Text of whose length lines are indented. Empty by default.
    formatter, threshold, edgeitems, sign, floatmode, suffix, legacy : optional
        As in :func:`numpy.array2string`.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import devarray as da
    >>> da.array2string(da.asarray([1.0, 2.5]), separator=", ")
    '[1. , 2.5]'
    """
    _require_options("array2string", {"formatter": formatter})
    return np.array2string(
        _host(a),
        max_line_width,
        precision,
        suppress_small,
        separator,
        prefix,
        formatter=formatter,
        threshold=threshold,
        edgeitems=edgeitems,
        sign=sign,
        floatmode=floatmode,
        suffix=suffix,
        legacy=legacy,
    )


def array_repr(
    arr: object, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """NumPy's ``repr`` of an array's values. Waits for the device.

    Parameters
    ----------
    arr : array_like
        The array.
    max_line_width : int, optional
        Characters in a line, as in :func:`numpy.array2string`.
    precision : int, optional
        Digits behind the point.
    suppress_small : bool, optional
        Whether numbers that are about zero are printed as zero.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_repr(da.asarray([1.0, 2.5]))
    'array([1. , 2.5])'
    """
    return np.array_repr(_host(arr), max_line_width, precision, suppress_small)


def array_str(
    a: ArrayLike, max_line_width: int | None = None, precision: int | None = None, suppress_small: bool | None = None
) -> str:
    """NumPy's ``str`` of an array's values. Waits for the device.

    Parameters
    ----------
    a : array_like
        The array.
    max_line_width : int, optional
        Characters in a line, as in :func:`numpy.array2string`.
    precision : int, optional
        Digits behind the point.
    suppress_small : bool, optional
        Whether numbers that are about zero are printed as zero.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> import devarray as da
    >>> da.array_str(da.asarray([1.0, 2.5]))
    '[1.  2.5]'
    """
    return np.array_str(_host(a), max_line_width, precision, suppress_small)


def get_printoptions() -> dict[str, Any]:
    """NumPy's print options, which also hold for arrays of the device.

    Returns
    -------
    dict
        The options by name.

    Examples
    --------
    >>> import devarray as da
    >>> da.get_printoptions()["precision"]
    8
    """
    return dict(np.get_printoptions())


def set_printoptions(
    precision: Any = None,
    threshold: Any = None,
    edgeitems: Any = None,
    linewidth: Any = None,
    suppress: Any = None,
    nanstr: Any = None,
    infstr: Any = None,
    formatter: Any = None,
    sign: Any = None,
    floatmode: Any = None,
    *,
    legacy: Any = None,
    override_repr: Any = None,
) -> None:
    """Set NumPy's print options, which also hold for arrays of the device.

    Parameters
    ----------
    precision, threshold, edgeitems, linewidth, suppress, nanstr, infstr, formatter, sign : optional
        As in :func:`numpy.set_printoptions`.
    floatmode, floatmode, legacy, override_repr : optional
        As in :func:`numpy.set_printoptions`.

    Raises
    ------
    DTypeError
        For a formatter, text or function of another type.

    Examples
    --------
    >>> import devarray as da
    >>> da.set_printoptions(precision=3)
    >>> da.array_str(da.asarray([1 / 3]))
    '[0.333]'
    >>> da.set_printoptions(precision=8)
    """
    _require_options(
        "set_printoptions",
        {"nanstr": nanstr, "infstr": infstr, "formatter": formatter, "override_repr": override_repr},
    )
    np.set_printoptions(
        precision,
        threshold,
        edgeitems,
        linewidth,
        suppress,
        nanstr,
        infstr,
        formatter,
        sign,
        floatmode,
        legacy=legacy,
        override_repr=override_repr,
    )


def printoptions(*args: Any, **options: Any) -> Any:
    """A context manager that sets NumPy's print options for the time of a block.

    Parameters
    ----------
    *args
        As in :func:`numpy.set_printoptions`.
    **options
        As in :func:`numpy.set_printoptions`.

    Returns
    -------
    context manager
        It returns the options that hold in the block.

    Raises
    ------
    DTypeError
        For a formatter, text or function of another type.

    Examples
    --------
    >>> import devarray as da
    >>> with da.printoptions(precision=2):
    ...     print(da.asarray([1 / 3]))
    [0.33]
    """
    _require_options("printoptions", dict(zip(_BY_PLACE, args, strict=False)) | options)
    return np.printoptions(*args, **options)
