"""vectorize, frompyfunc and jit: Python functions of elements as operations on arrays."""

from __future__ import annotations

import builtins
import copy
import inspect
import operator
from collections.abc import Callable, Iterable
from functools import update_wrapper
from numbers import Number
from typing import Any

import numpy as np

from devarray._array.ufunc_call import is_masked
from devarray._kernels import tracing
from devarray._kernels.arguments import place_near
from devarray._primitives.convert import asarray
from devarray._primitives.host import announce
from devarray._primitives.host_arrays import hosted
from devarray._primitives.host_calls import on_host_alone
from devarray._primitives.opaque_dtypes import PLAIN
from devarray._routines.manipulation.shapes import broadcast_to
from devarray.array import Array
from devarray.errors import DTypeError, Error, ValueError

__all__ = ["frompyfunc", "jit", "vectorize"]


class vectorize:
    """A Python function of numbers as a function of arrays.

    The function is followed once, with whole arrays: its operators record operations, which fuse. Where an ``if``, a
    conditional expression, ``and``, ``or`` or a chained comparison depends on values, both sides are computed and
    `where` chooses. What is not known to do with arrays what it does with each element cannot be followed: loops that
    depend on values, reductions, random numbers, what changes something, arrays that are no arguments, and functions
    whose source is not at hand. Then, and with a `signature`, the elements go through the host as
    ``devarray.config.fallback`` says.

    Parameters
    ----------
    pyfunc : callable, optional
        Of numbers. Left out where this is a decorator with arguments.
    otypes : str or sequence of dtype, optional
        Dtypes of the results; by default those that the operators give. Whole numbers are computed in 64 bits, as
        Python's have no limit; floats stay in their precision.
    doc : str, optional
        The documentation; the function's by default.
    excluded : set of int or str, optional
        Arguments that are handed to the function as they are.
    cache : bool, default False
        Taken for NumPy's sake: the function is not called for single elements.
    signature : str, optional
        Of a function of rows or matrices, ``"(m,n),(n)->(m)"``: it goes through the host.

    Raises
    ------
    TraceError
        At a call, where the function cannot be followed and `config.fallback` is "raise".

    Examples
    --------
    >>> import devarray as da
    >>> @da.vectorize
    ... def clipped(x, most):
    ...     if x > most:
    ...         return most
    ...     return x if x > 0 else 0
    >>> clipped(da.asarray([-1, 2, 7]), 5).copy_to_host()
    array([0, 2, 5])
    """

    def __init__(
        self,
        pyfunc: Callable[..., Any] | None = None,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self._settings = {"otypes": otypes, "doc": doc, "excluded": excluded, "cache": cache, "signature": signature}
        self.excluded = set(excluded or ())
        if isinstance(otypes, Array):
            raise DTypeError("vectorize takes the dtypes of results as otypes, not a device array")
        if otypes is not None and not isinstance(otypes, Iterable):
            raise ValueError(f"vectorize takes letters or a list of dtypes as otypes, not {otypes!r}")
        self.otypes = None if otypes is None else [np.dtype(t) for t in otypes]
        self.signature, self.cache = signature, cache
        if pyfunc is not None:
            self._set(pyfunc, doc)

    def _set(self, pyfunc: Callable[..., Any], doc: str | None) -> None:
        if not callable(pyfunc):
            raise DTypeError(
                f"vectorize takes a function, not {type(pyfunc).__name__}; signatures of types, as numba's, are not"
                " needed: write @devarray.vectorize, and otypes= for the results' dtypes"
            )
        self.pyfunc = pyfunc
        update_wrapper(self, pyfunc, updated=())  # without its attributes, which may have the names of these
        if doc is not None:
            self.__doc__ = doc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the function to arrays.

        Parameters
        ----------
        *args : array_like
            Broadcast against each other.
        **kwargs : array_like
            Likewise.

        Returns
        -------
        Array or tuple of Array
            Of the arguments' common shape.

        Raises
        ------
        ValueError
            Where an argument has no elements and there are no `otypes`, as NumPy has it.
        """
        if not hasattr(self, "pyfunc"):
            if len(args) != 1 or kwargs:
                raise DTypeError("vectorize was made without a function: the first call gives it, alone")
            made = copy.copy(self)
            made._set(args[0], self._settings["doc"])
            return made
        name = getattr(self.pyfunc, "__name__", "function")
        like = next((x for x in (*args, *kwargs.values()) if isinstance(x, Array)), None)
        place = {} if like is None else dict(zip(("queue", "allocator"), place_near(like), strict=True))
        given = [x if i in self.excluded else _operand(x, place) for i, x in enumerate(args)]
        named = {key: x if key in self.excluded else _operand(x, place) for key, x in kwargs.items()}
        arrays = [x for i, x in enumerate(given) if i not in self.excluded]
        arrays += [x for key, x in named.items() if key not in self.excluded]
        if not any(isinstance(x, Array) for x in arrays) and arrays:
            given = [x if i in self.excluded else _array_of(x, {}) for i, x in enumerate(given)]
            arrays = [x for i, x in enumerate(given) if i not in self.excluded] or arrays
        if any(map(is_masked, arrays)):
            return self._on_host(f"vectorize of {name} for masked arrays", given, named)
        if any(isinstance(x, np.ndarray) for x in arrays):
            return self._on_host(f"vectorize of {name} for texts or objects", given, named)
        if self.signature is not None:
            return self._on_host(f"vectorize of {name} with a signature", given, named)
        shape = np.broadcast_shapes(*(x.shape for x in arrays if isinstance(x, Array)))
        if any(x.size == 0 for x in arrays if isinstance(x, Array)):
            return self._of_nothing(shape, next(x for x in arrays if isinstance(x, Array)))
        _check_count(self.pyfunc, given, named)
        try:
            made = self._followed(given, named)
        except _NOT_FOLLOWED as error:  # what is wrong with the function itself is said there, too
            return self._on_host(f"vectorize of {name} ({error})", given, named)
        results = made if isinstance(made, tuple) else (made,)
        if not all(map(_is_number, results)):
            return self._on_host(f"vectorize of {name}, which gives no numbers", given, named)
        if self.otypes is not None and len(self.otypes) != len(results):
            raise ValueError(f"otypes has {len(self.otypes)} dtypes, and {name} returns {len(results)} values")
        like = next((x for x in arrays if isinstance(x, Array)), like)
        done = tuple(self._finished(x, place, shape, like, i) for i, x in enumerate(results))
        return done if isinstance(made, tuple) else done[0]

    def _followed(self, given: list[Any], named: dict[str, Any]) -> Any:
        """What following the function gives: for whole numbers of Python's, which do not wrap, in the dtypes that
        NumPy's scalars give."""
        wide = [x if i in self.excluded else _wide(x) for i, x in enumerate(given)]
        wide_named = {key: x if key in self.excluded else _wide(x) for key, x in named.items()}
        made = tracing.call_by_element(self.pyfunc, wide, wide_named, numbers=self.otypes is not None)
        if self.otypes is not None or all(map(operator.is_, (*wide, *wide_named.values()), (*given, *named.values()))):
            return made
        narrow = tracing.call_by_element(self.pyfunc, given, named)
        pairs = zip(_tuple(made), _tuple(narrow), strict=True)
        cast = tuple(x.astype(y.dtype) if isinstance(x, Array) and isinstance(y, Array) else x for x, y in pairs)
        return cast if isinstance(made, tuple) else cast[0]

    def _of_nothing(self, shape: tuple[int, ...], like: Array) -> Any:
        """Results without elements, for which the function is not called: their dtypes must be known."""
        if self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        made = tuple(_from_host(np.empty(shape, dtype), like) for dtype in self.otypes)
        return made[0] if len(made) == 1 else made

    def _finished(
        self, x: object, where: dict[str, Any], shape: tuple[int, ...], like: Array | None, place: int
    ) -> Array:
        """A result as an array of the common shape."""
        if not isinstance(x, Array):
            x = asarray(
                x,
                **(where or ({} if like is None else dict(zip(("queue", "allocator"), place_near(like), strict=True)))),
            )
        if self.otypes is not None:
            x = x.astype(self.otypes[place], copy=False)
        return x if x.shape == shape else broadcast_to(x, shape).copy()

    def _on_host(self, what: str, given: list[Any], named: dict[str, Any]) -> Any:
        """NumPy's vectorize, over copies on the host."""
        like = next((x for x in (*given, *named.values()) if isinstance(x, Array)), None)
        if like is not None:
            announce(what, like)
        host = np.vectorize(self.pyfunc, **{k: v for k, v in self._settings.items() if k != "doc"})
        made = host(*map(_on_host, given), **{key: _on_host(x) for key, x in named.items()})
        results = [_from_host(x, like) for x in _tuple(made)]
        return tuple(results) if isinstance(made, tuple) else results[0]


_NOT_FOLLOWED = (
    Error, ArithmeticError, AttributeError, LookupError, NameError, RecursionError, TypeError, builtins.ValueError
)  # fmt: skip
"""What stops following a function: NumPy's vectorize has an answer, or the function's own error."""


def _check_count(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> None:
    """Refuse arguments that a function does not take: the host could not call it either."""
    try:
        taken = inspect.signature(function)
    except (TypeError, builtins.ValueError):  # of C functions that do not tell theirs
        return
    try:
        taken.bind(*given, **named)
    except TypeError as error:
        raise DTypeError(f"{getattr(function, '__name__', 'function')}{taken}: {error}") from None


def _is_number(x: object) -> bool:
    return isinstance(x, Array) or (np.isscalar(x) and not isinstance(x, str | bytes))


def _from_host(x: np.ndarray, like: Array | None) -> Any:
    """A result of NumPy's on the device; texts and objects stay on the host."""
    place: dict[str, Any] = {} if like is None else dict(zip(("queue", "allocator"), place_near(like), strict=True))
    return asarray(x, **place) if x.dtype in PLAIN and not is_masked(x) else hosted(x)


def _tuple(x: object) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _on_host(x: object) -> Any:
    return x.copy_to_host() if isinstance(x, Array) else x


def _operand(x: object, place: dict[str, Any]) -> Any:
    """What operators take: arrays as they are, scalars of NumPy's dtypes, lists and NumPy's arrays on the device."""
    if isinstance(x, Array) or is_masked(x):
        return x
    if np.isscalar(x) and not isinstance(x, str):
        return np.asarray(x)[()]
    return _array_of(x, place)


def _wide(x: Any) -> Any:
    """Whole numbers in 64 bits: the function is one of Python's, which do not wrap."""
    narrow = isinstance(x, Array | np.generic) and x.dtype.kind in "iu" and x.dtype.itemsize < 8
    return x.astype("int64") if narrow else x


def _array_of(x: object, place: dict[str, Any]) -> Any:
    """On the device, but for texts and objects, which no device holds."""
    if is_masked(x):
        return x
    try:
        return asarray(x, **place)
    except DTypeError:
        return np.asarray(x)


def jit(function: Callable[..., Any] | None = None, **options: object) -> Any:
    """A Python function on arrays with branches on values.

    Arrays are deferred, so that what a function does is fused anyway; this lets it branch on values, too: ``if``,
    conditional expressions, ``and``, ``or`` and chained comparisons of arrays become :func:`where`.

    Parameters
    ----------
    function : callable, optional
        On arrays. Left out where this is a decorator with arguments.
    **options
        None are known; for a mistaken one, an error.

    Returns
    -------
    callable
        Of the same arguments.

    Raises
    ------
    DTypeError
        For what is no function, and for options.
    TraceError
        At a call, where a loop depends on values; it names the line.

    Examples
    --------
    >>> import devarray as da
    >>> @da.jit
    ... def relu(x):
    ...     return x if x > 0 else 0
    >>> relu(da.asarray([-2.0, 3.0])).copy_to_host()
    array([0., 3.])
    """
    if options:
        raise DTypeError(f"jit() got unexpected options: {', '.join(options)}; it takes none")
    if function is None:
        return jit
    if not callable(function):
        raise DTypeError(f"jit takes a function, not {type(function).__name__}")

    def followed(*args: object, **kwargs: object) -> Any:
        return tracing.call(function, *args, **kwargs)

    return update_wrapper(followed, function)


def frompyfunc(func: Callable[..., Any], /, nin: int, nout: int, *, identity: object = None) -> Callable[..., Any]:
    """A Python function of numbers as a function of arrays, as :class:`vectorize` follows it.

    NumPy's gives arrays of objects, which no device holds: the results here have the dtypes that the operators give.
    What are no numbers are objects, as NumPy's, and stay on the host; of scalars alone the result is the function's.
    `reduce`, `accumulate`, `outer` and NumPy's other methods of ufuncs run on the host.

    Parameters
    ----------
    func : callable
        Of `nin` numbers.
    nin : int
        Number of arguments.
    nout : int
        Number of results.
    identity : object, optional
        What `reduce` gives of nothing.

    Returns
    -------
    callable
        Of `nin` arrays; an Array, or a tuple of `nout`.

    Raises
    ------
    DTypeError
        At a call, for another number of arguments or results.

    Examples
    --------
    >>> import devarray as da
    >>> hypotenuse = da.frompyfunc(lambda a, b: (a * a + b * b) ** 0.5, 2, 1)
    >>> hypotenuse(da.asarray([3.0, 5.0]), da.asarray([4.0, 12.0])).copy_to_host()
    array([ 5., 13.])
    """
    return _PythonUfunc(func, np.frompyfunc(func, nin, nout, identity=identity))


_SCALARS = (int, float, complex, str, bytes, np.generic)


class _Objects(vectorize):
    """What of :func:`frompyfunc` cannot be followed: NumPy's function on the host."""

    def __init__(self, pyfunc: Callable[..., Any], theirs: np.ufunc) -> None:
        super().__init__(pyfunc)
        self._theirs = theirs

    def _of_nothing(self, shape: tuple[int, ...], like: Array) -> Any:
        made = tuple(hosted(np.empty(shape, object)) for _ in range(self._theirs.nout))
        return made[0] if len(made) == 1 else made

    def _on_host(self, what: str, given: list[Any], named: dict[str, Any]) -> Any:
        like = next((x for x in given if isinstance(x, Array)), None)
        if like is not None:
            announce(what, like)
        made = self._theirs(*map(_on_host, given))
        results = [_of_objects(x, like) for x in _tuple(made)]
        return tuple(results) if isinstance(made, tuple) else results[0]


def _of_objects(x: Any, like: Array | None) -> Any:
    """An array of objects on the device where all of them are numbers that it holds, else as it is."""
    numbers = isinstance(x, np.ndarray) and x.size and all(isinstance(part, Number | np.bool) for part in x.flat)
    return _from_host(np.array(x.tolist()), like) if numbers else hosted(x)


class _PythonUfunc:
    """What :func:`frompyfunc` gives: calls are followed, NumPy's methods of ufuncs run on the host."""

    def __init__(self, func: Callable[..., Any], theirs: np.ufunc) -> None:
        self._followed, self._theirs = _Objects(func, theirs), theirs
        self.__name__ = f"{getattr(func, '__name__', '?')} (vectorized)"
        self.__doc__ = func.__doc__

    def __call__(self, *args: object) -> Any:
        if len(args) != self.nin:
            raise DTypeError(f"{self.__name__} takes {self.nin} arguments; {len(args)} were given")
        if all(isinstance(x, _SCALARS) for x in args):
            return self._theirs(*args)
        results = self._followed(*args)
        if len(_tuple(results)) != self.nout:
            raise DTypeError(f"{self.__name__} gives {len(_tuple(results))} results, not {self.nout}")
        return results

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = getattr(self._theirs, name)
        return on_host_alone(found, f"{self.__name__}.{name}") if callable(found) else found
