"""NumPy's ``out=``: results written into an array that is given."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.operations import OP
from devarray._array.protocols import PROTOCOLS
from devarray._runtime.config import config
from devarray.errors import DTypeError, ShapeError

_TAKES_INTO_ANY = np.lib.NumpyVersion(np.__version__) >= "2.5.0"

if TYPE_CHECKING:
    from devarray._typing import BoolLike

__all__ = ["checked_cast", "mask_of", "summed_in", "write_out"]


def write_out(
    name: str,
    result: Any,
    out: Any,
    *,
    where: BoolLike = True,
    casting: Any = "same_kind",
    spread: bool = False,
    inner: int = 0,
) -> Any:
    """The result, or `out` with the result written into it as NumPy casts it there.

    Parameters
    ----------
    name : str
        The function, for errors.
    result : Array
    out : Array, OpaqueArray of numbers, a tuple of one, or None
        Of the result's shape, and of a dtype that the result's goes to by the rule `casting`: NumPy's, or "back", which
        is that of functions for which NumPy computes in a copy of `out`. Its dtype goes safely to the result's then.
        "taken" is the same, but that since NumPy 2.5 the result is cast, with a warning where it is of another kind.
    where : Array or True
        The elements of `out` that are written.
    spread : bool
        Whether the result may be broadcast, as a ufunc's is.
    inner : int
        How many of its last axes may not, which are those of a product.

    Raises
    ------
    DTypeError, ShapeError
        `out` is no device array, or does not fit.
    """
    if where is not True:
        where = mask_of(name, where)
    if isinstance(out, tuple) and len(out) == 1:
        (out,) = out
    if out is None:
        return result if where is True else _spread_over(where, result)
    if isinstance(out, np.ndarray) and config.fallback == "allow":
        mask: Any = where.copy_to_host() if isinstance(where, _core.ArrayBase) else where  # type: ignore[attr-defined]
        rule: Any = "unsafe" if casting in ("back", "taken") else casting
        np.copyto(out, result.copy_to_host(), casting=rule, where=mask)
        return out
    dtype = out.dtype if isinstance(out, _core.ArrayBase) else PROTOCOLS["computed_in"](out)
    if dtype is None or not isinstance(result, _core.ArrayBase):
        raise DTypeError(
            f"{name}: output must be an array: out= is one device array, for a function of one result; "
            f"{type(out).__name__} was given"
        )
    result = checked_cast(name, result, dtype, casting)
    fits = result.shape == out.shape
    if spread and not fits and (not inner or result.shape[-inner:] == out.shape[-inner:]):
        fits = _core.broadcast_shapes(result.shape, out.shape) == out.shape
    if not fits:
        raise ShapeError(_wrong_shape(name, result.shape, out.shape, spread))
    if where is not True:
        kept = out if isinstance(out, _core.ArrayBase) else out.astype(dtype)
        result = _core.apply(OP["where"], where, result, kept)
    out[...] = result
    return out


def _wrong_shape(name: str, shape: tuple[int, ...], given: tuple[int, ...], spread: bool) -> str:
    """NumPy's words for an `out` that does not take a result: of ufuncs, and of other functions."""
    if spread:
        return f"{name}: non-broadcastable output operand with shape {given} doesn't match the broadcast shape {shape}"
    return f"{name}: Output array is the wrong shape: the result has shape {shape}, out= {given}"


def mask_of(name: str, where: Any) -> Any:
    """What `where=` says. Lists and numbers are truths, the elements of an array are bools, as NumPy has it.

    Raises
    ------
    DTypeError
        It is an array of another dtype: numbers, of which NumPy makes no truths either.
    """
    dtype = getattr(where, "dtype", None)
    if dtype is None or dtype == np.bool_ or isinstance(where, np.generic) or _core.is_value(where):
        return where
    raise DTypeError(f"{name}: where= is a mask of bools, not of {dtype}; compare it with something, as in x != 0")


def _spread_over(where: Any, result: Any) -> Any:
    """The result in the shape that it and the mask have together; what the mask leaves out may be anything."""
    shape = _core.broadcast_shapes(result.shape, np.shape(where))
    return result if shape == result.shape else _core.broadcast_to(result, shape)


def summed_in(x: object, dtype: object, out: object) -> Any:
    """The dtype of a sum or product of the elements of x into `out`, or None for the usual one.

    NumPy's is the one that both promote to, where none is asked for: bools in `out` make truths of bools, not counts.
    """
    if dtype is not None or out is None or not isinstance(x, _core.ArrayBase):
        return dtype
    of_out = out.dtype if isinstance(out, _core.ArrayBase) else PROTOCOLS["computed_in"](out)
    return None if of_out is None else _core.promote(x.dtype, of_out)


def checked_cast(name: str, x: Any, dtype: np.dtype[Any], casting: Any) -> Any:
    """x in another dtype; DTypeError where NumPy's rule, or that of :func:`write_out`, forbids it."""
    if casting == "taken" and _TAKES_INTO_ANY:
        if not np.can_cast(x.dtype, dtype, "same_kind"):
            text = "Implicit casting of output to a different kind is deprecated, as NumPy 2.5 has it: "
            warnings.warn(f"{text}{name} of {x.dtype} into {dtype}", DeprecationWarning, stacklevel=4)
        return x.astype(dtype, copy=False)
    if casting in ("back", "taken"):
        if not np.can_cast(dtype, x.dtype, "safe"):
            raise DTypeError(
                f"{name}: Cannot cast array data from {dtype!r} to {x.dtype!r} according to the rule 'safe': out= does "
                "not become the result's dtype"
            )
        return x.astype(dtype, copy=False)
    if not np.can_cast(x.dtype, dtype, casting):
        raise DTypeError(
            f"Cannot cast ufunc {name.removeprefix('numpy.').partition('.')[0]!r} output from {x.dtype!r} to {dtype!r} "
            f"with casting rule {casting!r}; cast it with astype()"
        )
    return x.astype(dtype, copy=False)
