"""Conversion of host operands: lists, scalars and NumPy arrays passed together with device arrays.

NumPy's functions take whatever `numpy.asarray` makes an array of. So do the public functions here: :func:`array_like`
reads in a function's signature which parameters are arrays, and moves what is not on a device to that of the others.
The public namespaces hand their functions through it; functions that call each other do not pass it again.
"""

from __future__ import annotations

import builtins
import inspect
import warnings
from collections.abc import Callable, Iterable
from numbers import Number
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._array.ufunc_call import is_masked
from devarray._primitives.binding import bound_as_numpys
from devarray._primitives.convert import DEEPEST, asarray, holds_arrays, listed, move_operand
from devarray._primitives.given import binder
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_dtypes import is_number
from devarray._primitives.opaque_numbers import computed_in, rounded
from devarray._primitives.opaque_texts import is_text
from devarray._primitives.small import SMALL
from devarray.array import Array
from devarray.errors import DTypeError, ValueError
from devarray.ops.table import OPS

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = [
    "MOVES",
    "are_asked",
    "array_like",
    "as_array",
    "as_arrays",
    "asarray_like",
    "calls_method",
    "dtype_beside_numbers",
    "has_texts",
    "namespace",
    "of_texts",
    "operands_on_device",
    "ufunc_of_objects",
    "wanted_fractions",
    "with_methods",
]

_ANNOTATIONS = ("Array", "Array | None", "Sequence[Array]", "_Reduced")
_OUTPUTS = ("out", "out2")
_OF_ANY = ("ArrayLike", "ArrayLike | None")
_WITHOUT_MASKS = frozenset(
    (
        *("asarray_chkfinite", "iscomplexobj", "isfortran", "isrealobj", "may_share_memory", "min_scalar_type"),
        *("ndim", "require", "shape", "shares_memory", "size"),
    )
)
"""Functions that read no element, or take what a mask hides."""
_WITH_MASKS = frozenset((*("ix_", "poly", "polyadd", "polymul", "polysub", "trim_zeros"),))
"""Functions that masked arrays are looked for in, also where the signature names no arrays."""
_OF_LISTS = ("Array", "Array | None", "_Reduced")
_ARRAYS = (Array, OpaqueArray)
_WEAK = (int, float, complex)
_NUMBERS = frozenset((*_WEAK, bool))
_OF_NUMBERS = frozenset(("concat", "concatenate"))
"""Functions that take Python's numbers beside arrays, which are weak; others of their kind make arrays of them."""
_SIMPLE = frozenset((int, float, complex, bool, str, type(None)))
_ARITHMETIC = frozenset(("all", "any", "mean", "prod", "std", "sum", "var"))
"""Functions that NumPy refuses texts for, with words of its own."""
_EXCHANGED = ("__dlpack__", "__cuda_array_interface__")
_MOVES = frozenset(("ravel", "repeat", "reshape", "squeeze", "swapaxes", "take", "transpose"))
"""Functions that are methods of arrays of records, too."""
MOVES = frozenset(
    (
        *("append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block", "broadcast_arrays"),
        *("broadcast_to", "column_stack", "compress", "delete", "diagonal", "dsplit", "dstack"),
        *("expand_dims", "extract", "flip", "fliplr", "flipud", "hsplit", "hstack"),
        *("insert", "matrix_transpose", "moveaxis", "permute_dims", "resize", "roll", "rollaxis"),
        *("rot90", "row_stack", "split", "take_along_axis", "tile", "unstack", "vsplit"),
        *("vstack", "where"),
    )
)
"""Functions whose results are elements of the arguments, all of them."""

RULED = MOVES | frozenset(
    (
        *("allclose", "array_equal", "array_equiv", "choose", "gradient", "intersect1d", "isclose"),
        *("isin", "lexsort", "meshgrid", "put", "select", "setdiff1d", "setxor1d"),
        *("union1d",),
    )
)
"""Those that arrays of records, dates or texts are looked for in, also where the signature has no arrays to convert."""

_BY_METHOD = frozenset(
    (
        *("all", "amax", "amin", "any", "argmax", "argmin", "argpartition"),
        *("argsort", "around", "choose", "compress", "cumprod", "cumsum", "max"),
        *("mean", "min", "nonzero", "prod", "ptp", "repeat", "reshape"),
        *("searchsorted", "squeeze", "std", "sum", "swapaxes", "take", "transpose"),
        *("var",),
    )
)
"""Functions in which NumPy calls the method of its argument: pandas' columns keep their index."""

_OF_DATES = frozenset(("diag", "diagflat"))
"""Functions that convert their arguments themselves, and move elements of dates, too."""

_OF_RECORDS = MOVES | frozenset(
    (
        *("argwhere", "array_equal", "choose", "count_nonzero", "flatnonzero"),
        *("nonzero", "pad", "place", "put", "putmask"),
    )
)
_ALL = 2**64 - 1
_FEW = 1000  # operands in a list that are all looked at
_MADE: set[Any] = set()  # what array_like gave


def asarray_like(x: ArrayLike, like: Array) -> Array:
    """`x` where `like` lives, in the dtype that NumPy gives it."""
    if isinstance(x, Array):
        return x
    if isinstance(x, OpaqueArray):
        return _of_numbers(x)
    if hasattr(x, "__array__") and not isinstance(x, np.ndarray | np.generic):  # which may give a device array
        return asarray(x)
    if isinstance(x, np.ndarray) or (isinstance(x, list | tuple) and _among(_is_ours, x)):
        return move_operand(x, like)
    return move_operand(np.asarray(x)[()], like)


def _of_numbers(x: OpaqueArray) -> Any:
    """The values of numbers that kernels do not load; of dates an error, since no function for them asks for that."""
    if x.dtype.kind in "mM":
        raise DTypeError(
            f"numbers are wanted, not {x.dtype}; take the counts of dates and durations by astype('int64')"
        )
    return x._numbers()


def wanted_fractions(name: str, dtype: Any, kept: np.dtype | None = None) -> np.dtype:
    """A dtype of floats or complex numbers, as what is asked for beside such elements; those `kept` lose no part."""
    asked = np.dtype(dtype)
    if kept is not None and kept.kind == "c" and asked.kind != "c":
        raise DTypeError(f"{name} of {kept} in {asked} would drop imaginary parts; take real() first")
    if asked.kind not in "fc":
        raise DTypeError(f"{name}: dtype is one of floats or complex numbers where the elements are, not {asked}")
    return asked


def as_arrays(*operands: Any) -> list[Array]:
    """All operands as arrays, those of the host beside the first device array, or on the default device."""
    operands = tuple(_of_numbers(x) if isinstance(x, OpaqueArray) else x for x in operands)
    first = next((x for x in operands if isinstance(x, Array)), None)
    if first is None:
        first = asarray(operands[0])
        return [first, *(asarray_like(x, first) for x in operands[1:])]
    return [asarray_like(x, first) for x in operands]


def dtype_beside_numbers(operands: Iterable[Any], arrays: Iterable[Array]) -> np.dtype:
    """What operands promote to, of which `arrays` were made. Python's numbers, not bools, are weak, as in NumPy."""
    return np.result_type(*(x if type(x) in _WEAK else a.dtype for x, a in zip(operands, arrays, strict=True)))


def operands_on_device(name: str, *operands: object) -> tuple[Any, ...]:
    """Operands of an element-wise function among which is no array: lists, NumPy arrays and what else makes arrays.

    Scalars stay as they are beside those; where there are nothing else, all become arrays.
    """
    of_host = [not isinstance(x, bool | int | float | complex | np.generic) for x in operands]
    alone = not any(of_host)
    return tuple(
        as_array(name, "an operand", x) if alone or move else x for x, move in zip(operands, of_host, strict=True)
    )


def as_array(name: str, parameter: str, x: object, like: Array | None = None) -> Any:
    """`x` as an array at the place of `like`; where it makes none, the error names function and parameter."""
    if isinstance(x, OpaqueArray) and is_number(x.dtype):
        return _of_numbers(x)
    if isinstance(x, _ARRAYS):
        return x
    try:
        return asarray(x) if like is None else move_operand(x, like)
    except (TypeError, builtins.ValueError) as error:
        what = f"{type(x).__name__} ({str(error).removeprefix('asarray: ')})"
        start = (
            f"ufunc {OPS[name].ufunc!r} not supported for the input types: " if name in OPS and OPS[name].ufunc else ""
        )
        kind = ValueError if isinstance(error, builtins.ValueError) else DTypeError  # of lists of several lengths
        raise kind(f"{start}{name}: {parameter} is an array or numbers that make one, not {what}") from None


def with_methods(name: str, parameter: str, x: object) -> Any:
    """`x` as what has the methods of arrays: :func:`as_array`, but an OpaqueArray or a masked one as it is."""
    return x if isinstance(x, OpaqueArray) or is_masked(x) else as_array(name, parameter, x)


def array_like(function: object, module: str) -> Any:
    """A public function of a module that takes, where it wants arrays, what NumPy makes arrays of.

    Arrays are the parameters that the signature annotates as ``Array``, ``Array | None``, ``Sequence[Array]`` or
    ``*arrays: Array``; for arrays of the device, which are nearly all, a look at their types in C is all that happens.
    What a function writes to (`out`, and the first array of one that returns None) is taken as it is, and so are the
    tuples that reductions (``_Reduced``) do on the host. In a class's body it is a method where NumPy's function is.
    """
    made = _with_arrays(function, module)
    if made is not function:
        made.__module__ = module  # where pickle finds it
    made = bound_as_numpys(made, getattr(function, "__name__", ""), module)
    if made is not function:
        _MADE.add(made)
    return made


def _with_arrays(function: Any, module: str) -> Any:
    """The function behind a conversion of its arguments to arrays, where its signature has any."""
    if not inspect.isfunction(function) or function in _MADE:
        return function
    signature = inspect.signature(function)
    wanted = {
        name: p for name, p in signature.parameters.items() if p.annotation in _ANNOTATIONS and name not in _OUTPUTS
    }
    ruled = not wanted and function.__name__ in RULED
    small = SMALL.get(f"{function.__module__}.{function.__name__}")
    theirs = _numpys(function.__name__, module)
    other, masks = function, _parameters_of_masks(function.__name__, signature)
    if masks and theirs is not None and not wanted and not ruled:
        other = _beside_masks(function, theirs)
    if other is function and not wanted and not ruled and not small:
        return function

    places, bind, writes = _places_of(signature, wanted), binder(signature), signature.return_annotation == "None"

    def convert(*args: Any, **kwargs: Any) -> Any:
        if places and not kwargs and len(args) > places[-1][0] and all(map(_is_plain, args)):
            like = next((args[place] for place, _ in places if isinstance(args[place], Array)), None)
            if like is not None:  # beside plain NumPy arrays, without the time that binding takes
                plain = list(args)
                for place, key in places:
                    plain[place] = as_array(function.__name__, key, args[place], like)
                return function(*plain, **kwargs)
        try:
            given = bind(args, kwargs)
        except TypeError:
            return function(*args, **kwargs)  # whose own error names it
        operands = list(given.arguments.values())
        if all(map(_holds_numbers, operands)):  # most calls
            _convert(function.__name__, given.arguments, wanted, writes)
            return function(*given.args, **given.kwargs)
        if any(_among(is_masked, x) for x in operands) and theirs is not None:
            return on_host_of(theirs, f"{function.__name__} of a masked array")(*args, **kwargs)
        if any(_among(_is_asked, x) for x in operands) and theirs is not None:
            return theirs(*args, **kwargs)
        if function.__name__ in _BY_METHOD and calls_method(function.__name__, *operands):
            return getattr(np, function.__name__)(*args, **kwargs)
        if any(_among(_is_date, x) for x in operands):
            return PROTOCOLS["of_dates"](function, given.args, given.kwargs)
        if _is_record(operands[0]) and function.__name__ in _MOVES:
            return getattr(operands[0], function.__name__)(*given.args[1:], **given.kwargs)
        if function.__name__ in _OF_RECORDS and any(_among(_is_record, x) for x in operands):
            return PROTOCOLS["of_records"](function, given.args, given.kwargs)
        if writes and computed_in(operands[0]) is not None:  # to the values, which then are copied back
            numbers = operands[0]._numbers()
            convert(numbers, *given.args[1:], **given.kwargs)
            operands[0][...] = numbers
            return None
        try:
            _convert(function.__name__, given.arguments, wanted, writes)
            made = function(*given.args, **given.kwargs)
        except DTypeError:
            arrays_of_text = has_texts(x for x in operands if not isinstance(x, str | bytes))
            refused = function.__name__ in _ARITHMETIC and not any(_among(_is_object, x) for x in operands)
            if not arrays_of_text or refused or not hasattr(np, function.__name__):
                raise
            return of_texts(function.__name__)(*args, **kwargs)
        return made if given.arguments.get("dtype") is not None else rounded(made, operands)

    arrays = sequences = lists = 0  # by their places; the last of 64 bits stands for all further ones
    for place, parameter in enumerate(signature.parameters.values()):
        if (parameter.name not in wanted and not (ruled and place < 2)) or parameter.kind is parameter.KEYWORD_ONLY:
            continue
        bits = _ALL - (1 << place) + 1 if parameter.kind is parameter.VAR_POSITIONAL else 1 << place
        arrays |= bits
        sequences |= bits if parameter.annotation == "Sequence[Array]" else 0
        lists |= bits if parameter.annotation in _OF_LISTS and parameter.name in wanted and not writes else 0
    if wanted or ruled:
        return _core.QuickFunction(function, convert, tuple(wanted), arrays, sequences, small, lists)
    return _core.QuickFunction(
        function, other, masks if other is not function else (), int(other is not function), 0, small, 0
    )


def _numpys(name: str, module: str) -> Any:
    """NumPy's function of that name, in its module of transforms or linear algebra where ours is there."""
    places = (np, *(getattr(np, part) for part in ("fft", "linalg") if part in module.split(".")))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        found = (getattr(place, name, None) for place in places)
        return next((x for x in found if x is not None and not isinstance(x, ModuleType)), None)


def _parameters_of_masks(name: str, signature: inspect.Signature) -> tuple[str, ...]:
    """The parameters in which masked arrays are looked for, of a function that converts its arguments by itself."""
    if name in _WITHOUT_MASKS:
        return ()
    named = tuple(p.name for p in signature.parameters.values() if p.annotation in _OF_ANY)
    return named or (tuple(signature.parameters)[:1] if name in _WITH_MASKS else ())


def _beside_masks(function: Any, theirs: Any) -> Any:
    """The function, or NumPy's on the host where an argument is masked."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if any(_among(is_masked, x) for x in (*args, *kwargs.values())):
            return on_host_of(theirs, f"{function.__name__} of a masked array")(*args, **kwargs)
        if function.__name__ in _OF_DATES and any(_among(_is_date, x) for x in (*args, *kwargs.values())):
            return PROTOCOLS["of_dates"](function, args, kwargs)
        return function(*args, **kwargs)

    return call


def _places_of(signature: inspect.Signature, wanted: dict[str, inspect.Parameter]) -> list[tuple[int, str]]:
    """Places and names of the arrays, where all of them must be given and are only read; else none."""
    required = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    if signature.return_annotation == "None" or not all(
        p.kind in required and p.default is p.empty and p.annotation == "Array" for p in wanted.values()
    ):
        return []
    return [(place, name) for place, name in enumerate(signature.parameters) if name in wanted]


def _is_plain(x: Any) -> bool:
    """Whether an argument is an array of numbers, or no array."""
    kind = type(x)
    return kind is Array or (kind is np.ndarray and x.dtype.kind in "biufc") or kind in _SIMPLE


def _holds_numbers(x: Any) -> bool:
    """Whether an argument is an array of numbers, no array, or a list of Python's numbers."""
    kind = type(x)
    return _is_plain(x) or ((kind is list or kind is tuple) and _NUMBERS.issuperset(map(type, x[:_FEW])))


def _convert(name: str, given: dict[str, Any], wanted: dict[str, inspect.Parameter], writes: bool) -> None:
    """Make arrays of the arguments that are to be."""
    like = next((x for key in wanted for x in _each(given.get(key)) if isinstance(x, Array)), None)
    if like is None:
        like = next((x for x in given.values() if isinstance(x, Array)), None)  # such as indices
    for key, parameter in wanted.items():
        value = given.get(key)
        if writes:
            if not isinstance(value, _ARRAYS) or value is None:
                raise DTypeError(f"{name} writes to {key}, which is a device array, not {type(value).__name__}")
            writes = False
        elif parameter.kind is parameter.VAR_POSITIONAL or parameter.annotation == "Sequence[Array]":
            value = listed(value)
            if isinstance(value, list | tuple):
                given[key] = made = [as_array(name, key, x, like) for x in value]
                if name in _OF_NUMBERS and any(type(x) in _WEAK for x in value):
                    dtype = dtype_beside_numbers(value, made)
                    given[key] = [x.astype(dtype, copy=False) for x in made]
            elif not isinstance(value, Array):
                given[key] = as_array(name, key, value, like)
        elif isinstance(value, tuple) and parameter.annotation == "_Reduced" and not holds_arrays(value):
            continue
        elif key in given and not (value is None and parameter.default is None):
            given[key] = as_array(name, key, value, like)


def _among(test: Callable[[object], bool], x: object) -> bool:
    """Whether something is true of an operand, or of what stands in it where it is a list; of long ones the first."""
    for _ in range(DEEPEST):
        if not isinstance(x, list | tuple) or not x:
            break
        if any(map(test, x[:_FEW])):
            return True
        x = x[0]
    return test(x)


def _is_ours(x: object) -> bool:
    return isinstance(x, _ARRAYS)


def has_texts(operands: Iterable[object]) -> bool:
    """Whether an operand is text or another object, or a list or NumPy array of what no device holds."""
    parts = (part for x in operands for part in (x if isinstance(x, list | tuple) else (x,)))
    return any(_among(_is_text, part) for part in parts)


def of_texts(name: str) -> Callable[..., Any]:
    """NumPy's function of texts and objects, whose results stay on the host as the texts do."""
    return on_host_of(getattr(np, name), f"{name} of texts")


def on_host_of(theirs: Callable[..., Any], name: str) -> Callable[..., Any]:
    """NumPy's function of what no device holds, whose results stay on the host as its arguments do."""
    from devarray._primitives.host_calls import on_host_alone  # few programs need it

    return on_host_alone(theirs, name, stacklevel=4)


def are_asked(operands: Iterable[object], method: str) -> bool:
    """Whether an operand's class says itself what NumPy's functions give: arrays with units, pandas' columns.

    Arrays of other devices' libraries are none of them: their memory is exchanged.
    """
    return any(_asks(type(x), method) for x in operands)


def _asks(kind: Any, method: str) -> bool:
    own = getattr(kind, method, None)
    if own is None or own is getattr(np.ndarray, method) or issubclass(kind, (*_ARRAYS, np.generic)):
        return False
    return issubclass(kind, np.ndarray) or not any(hasattr(kind, name) for name in _EXCHANGED)


def calls_method(name: str, first: Any, *others: Any) -> bool:
    """Whether NumPy calls the first operand's method, to which no operand of a device is given."""
    if not are_asked((first,), "__array_ufunc__") or any(_among(_is_ours, x) for x in others):
        return False
    return hasattr(first, {"amax": "max", "amin": "min", "around": "round"}.get(name, name))


def _is_asked(x: object) -> bool:
    return are_asked((x,), "__array_function__")


def ufunc_of_objects(ufunc: Any, name: str, operands: tuple[Any, ...], error: DTypeError, **kwargs: Any) -> Any:
    """What NumPy's ufunc gives for texts and objects, on the host; `error` where it has no loop for them."""
    if not isinstance(ufunc, np.ufunc) or not has_texts(operands):
        raise error
    try:
        return of_texts(ufunc.__name__)(*operands, **kwargs)
    except TypeError:
        if any(_among(_is_object, x) for x in operands):
            raise
        raise error from None


def _is_text(x: object) -> bool:
    if isinstance(x, str | bytes) or (isinstance(x, OpaqueArray) and is_text(x.dtype)):
        return True
    if isinstance(x, _ARRAYS) or not hasattr(x, "__array__"):
        return _is_object(x)
    try:
        return np.asarray(x).dtype.kind in "OSUT"
    except (TypeError, builtins.ValueError):  # it makes no host array; the error says so that led here
        return False


def _is_object(x: object) -> bool:
    """Whether NumPy computes with Python's operators on it: Decimal, Fraction, and arrays of objects."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind == "O"
    return isinstance(x, Number) and not isinstance(x, (*_WEAK, *_ARRAYS, np.generic))


def _is_date(x: object) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") in ("m", "M")


def _is_record(x: object) -> bool:
    return isinstance(x, OpaqueArray) and not is_number(x.dtype)


def _each(value: object) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def namespace(names: dict[str, Any], public: Iterable[str]) -> None:
    """Put the public functions of a module through :func:`array_like`."""
    for name in public:
        names[name] = array_like(names[name], names["__name__"])
