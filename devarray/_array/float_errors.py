"""errstate and seterr: errors of floating point, looked for in an operation's values where a program asks for them.

Devices keep no flags of such errors, and by default none is looked for, so that nothing waits. Inside of
`errstate(divide="raise")` each operation of the program's is computed when it is written, and its values are compared
with its operands': a NaN of operands that are none, an infinity of finite ones.
"""

from __future__ import annotations

import contextvars
import functools
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from devarray import _core
from devarray._array.operations import OP
from devarray._core import ArrayBase

__all__ = ["check", "check_method", "errstate", "seterr"]

_CATEGORIES = ("divide", "over", "under", "invalid")
_NUMPYS_OWN = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
_BITS = {"divide": 1, "over": 2, "under": 4, "invalid": 8}
_WORDS = {"divide": "divide by zero", "over": "overflow", "invalid": "invalid value"}
# Where an operation of NumPy's name divides by zero: the operand, and its value there.
_POLES = {
    **dict.fromkeys(("divide", "floor_divide", "divmod", "remainder", "fmod"), (1, (0,))),
    **dict.fromkeys(("reciprocal", "log", "log2", "log10", "power", "float_power"), (0, (0,))),
    "log1p": (0, (-1,)),
    "arctanh": (0, (-1, 1)),
}
_Function = TypeVar("_Function", bound=Callable[..., Any])

# Categories that were asked for by name, and whether the core counts this context among those that watch.
_STATE: contextvars.ContextVar[tuple[frozenset[str], bool]] = contextvars.ContextVar(
    "devarray_float_errors", default=(frozenset(), False)
)


def _named(settings: dict[str, Any]) -> frozenset[str]:
    if settings.get("all") is not None:
        return frozenset(_CATEGORIES)
    return frozenset(c for c in _CATEGORIES if settings.get(c) is not None)


def _ask(asked: frozenset[str]) -> None:
    """Have operations watched where one of these categories is not ignored."""
    modes: dict[str, str] = np.geterr()  # type: ignore[assignment]
    watch = any(modes[c] != "ignore" for c in asked if c in _WORDS)
    counted = _STATE.get()[1]
    if watch != counted:
        _core.count_float_watchers(1 if watch else -1, check)
    _STATE.set((asked, watch))


class errstate(np.errstate):
    """Errors of floating point in a block, as :class:`numpy.errstate`.

    Devices do not report such errors, so what is not named here is not looked for. A category that is named with
    another mode than "ignore" is: each operation of the program's in the block is computed at once, its values are
    looked at, and the error is raised or told where it was made. That waits for the device at each operation; it is
    for finding errors, not for fast code. Ufuncs, operators and casts are looked at, in their common forms and with
    `out`, `where` and `dtype`, and ufuncs' methods (`add.reduce`); reductions by name, products of matrices and
    functions made of several operations are not.

    Parameters
    ----------
    call : callable or object with a method write, optional
        As for :func:`numpy.seterrcall`: what "call" and "log" go to.
    all, divide, over, under, invalid : {"ignore", "warn", "raise", "call", "print", "log"}, optional
        What to do about all errors, division by zero, overflow, underflow (never found on devices) and invalid
        values.

    Raises
    ------
    FloatingPointError
        Inside of the block, where a category of mode "raise" is found.

    Examples
    --------
    >>> x = da.asarray([1.0, 0.0])
    >>> with da.errstate(divide="raise"):
    ...     1 / x
    Traceback (most recent call last):
        ...
    FloatingPointError: divide by zero encountered in divide
    """

    __slots__ = ("_before", "_settings")

    def __init__(
        self,
        /,
        *,
        call: Any = np._NoValue,
        all: str | None = None,
        divide: str | None = None,
        over: str | None = None,
        under: str | None = None,
        invalid: str | None = None,
    ) -> None:
        modes = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
        settings: dict[str, Any] = {} if call is np._NoValue else {"call": call}
        settings |= {category: mode for category, mode in modes.items() if mode is not None}
        super().__init__(**settings)
        self._settings = settings
        self._before: frozenset[str] = frozenset()

    def __enter__(self) -> None:
        super().__enter__()
        self._before = _STATE.get()[0]
        _ask(self._before | _named(self._settings))

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        _ask(self._before)

    def __call__(self, function: _Function) -> _Function:
        """`function` with its calls in such a block."""

        @functools.wraps(function)
        def inner(*arguments: Any, **keywords: Any) -> Any:
            with errstate(**self._settings):
                return function(*arguments, **keywords)

        return inner  # type: ignore[return-value]


def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
) -> dict[str, str]:
    """Say what is done about errors of floating point from now on, as :func:`numpy.seterr`.

    What is named is looked for on devices, as :class:`devarray.errstate` says, which does it for a block.

    Parameters
    ----------
    all, divide, over, under, invalid : {"ignore", "warn", "raise", "call", "print", "log"}, optional
        What to do about all errors, division by zero, overflow, underflow (never found on devices) and invalid
        values. None leaves a category as it is, and the mode that NumPy starts with ("warn", of underflow "ignore")
        ends the search, so that ``seterr(**before)`` undoes a call.

    Returns
    -------
    dict
        The modes before, by category.

    Examples
    --------
    >>> before = da.seterr(invalid="ignore")
    >>> before["invalid"]
    'warn'
    >>> _ = da.seterr(**before)
    """
    settings = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    before: Any = np.seterr(**settings)  # type: ignore[arg-type]
    now = _STATE.get()[0] | _named(settings)
    # What is set to what NumPy has without a word is no longer asked for, so that `seterr(**before)` undoes.
    modes: Any = np.geterr()
    _ask(frozenset(c for c in now if c not in _named(settings) or modes[c] != _NUMPYS_OWN[c]))
    return dict(before)


def check(name: str, operands: tuple[Any, ...], made: Any, where: Any = None, method: str = "") -> None:
    """Look at what an operation gave, for the categories asked for; the core calls it after each of the program's.

    `where` is the mask of a ufunc, which only its own call hands over; without it, operations of the library's own
    are passed over: what they compute on the way is no error of the program's. `method` is that of a ufunc, where it
    made the operation.
    """
    frame, level = sys._getframe(1), 2
    while name == "cast" and frame.f_back is not None and frame.f_code.co_name == "astype" and _is_ours(frame):
        frame, level = frame.f_back, level + 1  # the method and the function, where they are Python's
    if where is None and _is_ours(frame):
        return
    while frame.f_back is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    modes: Any = np.geterr()
    wanted: list[str] = [c for c in ("divide", "over", "invalid") if c in _STATE.get()[0] and modes[c] != "ignore"]
    results: tuple[Any, ...] = made if isinstance(made, tuple) else (made,)
    if not wanted or any(isinstance(x, np.ndarray) for x in results):
        return
    if name != "cast":
        ufunc = getattr(np, name, None)
        if not isinstance(ufunc, np.ufunc):
            return
        name = ufunc.__name__
    found: dict[str, Any] = {}
    for result in results:
        for category, places in _places(name, [_value(x) for x in operands], result, wanted):
            found[category] = places if category not in found else found[category] | places
    for category, places in found.items():
        if where is not None and where is not True:
            places = places & where
        if bool(places.any()):
            _tell(category, method or name, modes[category], level)


def check_method(method: str, x: ArrayBase, made: Any, joined: Callable[[Any], Any]) -> None:
    """Look at what a ufunc's method made of many elements each.

    `joined` is the same method of ``logical_or``: which of the results have an element that is true.
    """
    modes: Any = np.geterr()
    wanted = [c for c in ("over", "invalid") if c in _STATE.get()[0] and modes[c] != "ignore"]
    if made.dtype.kind not in "fc" or x.dtype.kind not in "fc":
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(frame):
        frame, level = frame.f_back, level + 1
    for category in wanted:
        found, known = ("isinf", "isfinite") if category == "over" else ("isnan", "isnan")
        before = joined(_apply(known, x) if known == found else _apply(known, x) ^ True)
        if bool((_apply(found, made) & (before ^ True)).any()):
            _tell(category, method, modes[category], level)


def _value(x: Any) -> Any:
    """An operand as an array, or as a number that has comparisons, isfinite and isnan."""
    if isinstance(x, ArrayBase):
        return x
    host = np.asarray(x)
    if host.dtype == object:  # an integer beyond 64 bits: finite, and no zero
        return 1.0
    return host if host.ndim else host.item()


def _is_ours(frame: Any) -> bool:
    module: str = frame.f_globals.get("__name__", "")
    return module == "devarray" or module.startswith("devarray.")


def _places(name: str, operands: list[Any], made: Any, wanted: list[str]) -> Iterator[tuple[str, Any]]:
    """Each category that can be, in NumPy's order, and where it is."""
    kind = made.dtype.kind
    if name == "cast":
        yield from _places_of_cast(operands[0], made, wanted)
        return
    pole = None
    if name in _POLES:
        number, values = _POLES[name]
        pole = functools.reduce(lambda a, b: a | b, (operands[number] == value for value in values))
    if kind in "iu":
        if pole is not None and name != "power" and "divide" in wanted:
            yield "divide", pole & (made == made)
        if name in ("floor_divide", "divmod") and kind == "i" and "over" in wanted:
            yield "over", (operands[0] == int(np.iinfo(made.dtype).min)) & (operands[1] == -1) & (made == made)
        return
    if kind not in "fc":
        return
    if "divide" in wanted or "over" in wanted:
        infinite = _apply("isinf", made)
        for x in operands:
            infinite = infinite & _is("isfinite", x)
        if pole is not None and "divide" in wanted:
            yield "divide", infinite & pole
        if "over" in wanted:
            yield "over", infinite if pole is None else infinite & (pole ^ True)
    if "invalid" in wanted:
        invalid = _apply("isnan", made)
        for x in operands:
            invalid = invalid & (_is("isnan", x) ^ True)
        yield "invalid", invalid


def _places_of_cast(x: Any, made: Any, wanted: list[str]) -> Iterator[tuple[str, Any]]:
    kinds = x.dtype.kind + made.dtype.kind
    if kinds[1] in "fc" and "over" in wanted:
        yield "over", _apply("isinf", made) & _is("isfinite", x)
    if kinds in ("fi", "fu") and "invalid" in wanted:
        limits = np.iinfo(made.dtype)
        # Both limits are exact in float64: the least, and one past the greatest.
        whole = _apply("trunc", x.astype(np.float64) if x.dtype.itemsize < 8 else x)
        yield "invalid", ((whole >= float(limits.min)) & (whole < float(limits.max) + (limits.bits < 64))) ^ True


def _apply(name: str, x: Any) -> Any:
    return _core.apply(OP[name], x)


def _is(name: str, x: Any) -> Any:
    """What isfinite and isnan are of an operand."""
    if isinstance(x, ArrayBase):
        return _apply(name, x)
    answer: Any = getattr(np, name)(x)
    return answer if isinstance(answer, np.ndarray) else bool(answer)


def _tell(category: str, name: str, mode: str, level: int) -> None:
    text = f"{_WORDS[category]} encountered in {name}"
    if mode == "raise":
        raise FloatingPointError(text)
    if mode == "warn":
        warnings.warn(text, RuntimeWarning, stacklevel=level + 1)
    elif mode == "print":
        print(f"Warning: {text}", file=sys.stderr)
    else:
        receiver: Any = np.geterrcall()
        if receiver is None:
            raise NameError(f"errors of mode {mode!r} need a receiver, and there is none: set one with seterrcall()")
        if mode == "call":
            receiver(_WORDS[category], _BITS[category])
        else:
            receiver.write(f"Warning: {text}\n")
