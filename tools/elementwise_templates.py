"""Functions of math/elementwise.py that are no plain rows of the op table, as tools/make_elementwise.py writes them."""

CLIP = '''
def clip(
    a: Array,
    min: Any = _NONE,
    max: Any = _NONE,
    out: Array | None = None,
    *,
    a_min: Any = _NONE,
    a_max: Any = _NONE,
    **kwargs: Any,
) -> Array:
    """{summary}

    Parameters
    ----------
    a : array_like
        The values.
    min, max : Array or scalar, optional
        The bounds, which broadcast with `a`; there is none by default.
{out}
    a_min, a_max : Array or scalar, optional
        NumPy's names of the bounds.
    **kwargs
        `where`, `dtype`, `casting` and `order`, as of element-wise functions.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype.

    Raises
    ------
    ValueError
        Where a bound is given by both names.
    DTypeError
        Where `a` is no array, or the result does not cast to the dtype of `out`.
    ShapeError
        Where the operands do not broadcast, or `out` has another shape.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    {example}
    """
    if (a_min is not _NONE and min is not _NONE) or (a_max is not _NONE and max is not _NONE):
        raise _ValueError("clip: a_min and min, a_max and max are one parameter under two names; give one of them")
    low, high = min if a_min is _NONE else a_min, max if a_max is _NONE else a_max
    if not isinstance(a, Array):
        if _calls_method("clip", a, low, high):
            ends = (None if end is _NONE else end for end in (low, high))
            return np.clip(a, *ends, out=out, **kwargs)
        a = _as_array("clip", "a", a)
    return a.clip(None if low is _NONE else low, None if high is _NONE else high, out, **kwargs)
'''
ROUND = '''
def round(a: Array, decimals: int = 0, out: Array | None = None) -> Array:
    """{summary}

    Parameters
    ----------
    a : Array or scalar
        The values.
    decimals : int
        Decimal places; negative ones are before the point. 0 by default.
{out}

    Returns
    -------
    Array
        A new array of the shape and dtype of `a`, or `out`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where `a` is neither an array nor a scalar, or the result does not cast to the dtype of `out`.
    ShapeError
        Where `out` has another shape.

    Examples
    --------
    >>> import devarray as da
    {example}
    """
    if not isinstance(a, Array) and _calls_method("round", a):
        return np.round(a, decimals, out)
    if decimals == 0 and out is None and getattr(getattr(a, "dtype", None), "kind", "b") != "b":
        return _apply(_OP_round, a)
    if isinstance(a, bool | int | float | complex | np.generic):
        return np.round(a, decimals, out)
    return _as_array("round", "a", a).round(decimals, out)
'''
WHERE = '''
@_overload
def where(condition: Array, /) -> tuple[Array, ...]: ...


@_overload
def where(condition: Operand, x1: Operand, x2: Operand, /) -> Array: ...


def where(condition: Any, x1: Any = _NONE, x2: Any = _NONE, /) -> Any:
    """{summary}

    Of a condition alone the indices of its elements that are not zero, as :func:`devarray.nonzero`; this waits for
    their number.

    Parameters
    ----------
    condition : Array or scalar
        What is not zero is true.
    x1, x2 : Array or scalar
        The values where it is true, and where it is false. All three broadcast.

    Returns
    -------
    Array or tuple of Array
        A new array of the dtype that `x1` and `x2` promote to. Of a condition alone, one int64 array for each axis.

    Raises
    ------
    ValueError
        Where `x1` is given without `x2`.
    DTypeError
        For what is neither an array nor a scalar.
    ShapeError
        Where the operands do not broadcast.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    {example}
    """
    if x2 is _NONE:
        if x1 is not _NONE:
            raise _ValueError(
                "either both or neither of x and y should be given: "
                "where takes a condition alone, or with both of x1 and x2; x2 is missing"
            )
        return _as_array("where", "condition", condition).nonzero()
    try:
        return _apply(_OP_where, condition, x1, x2)
    except _DTypeError:
        if not _has_texts((x1, x2)) and not any(map(_is_masked, (condition, x1, x2))):
            raise
        return _of_texts("where")(condition, x1, x2)
'''
PART = '''
def {name}(val: Operand) -> Array:
    """{summary}

    {real}

    Parameters
    ----------
    val : Array or scalar
        The numbers.

    Returns
    -------
    Array
        Of the shape of `val`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        For what makes no array.

    Examples
    --------
    >>> import devarray as da
    {example}
    """
    if isinstance(val, bool | int | float | complex | np.generic):
        return _apply(_OP_{name}, val)
    return _as_array("{name}", "val", val).{name}
'''
FIX = '''
def fix(x: Operand, out: Array | None = None) -> Array:
    """Numbers rounded towards zero: :func:`trunc`.

    Parameters
    ----------
    x : Array or scalar
        The numbers.
{out}

    Returns
    -------
    Array
        A new array of the shape and dtype of `x`, or `out`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        For complex numbers, or where the result does not cast to the dtype of `out`.
    ShapeError
        Where `out` has another shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.fix(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  0.,  2.])
    """
    return trunc(x, out)
'''
