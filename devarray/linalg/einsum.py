"""Einstein summation, by diagonals, sums, transposes and batched matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from operator import index
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._array.order import is_fortran, lies, order_of
from devarray._array.out import write_out
from devarray._primitives.operands import as_arrays
from devarray.array import Array, reduce
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.linalg.checks import one_device
from devarray.linalg.products import matmul

__all__ = ["einsum", "einsum_path"]

# Labels of ellipsis dimensions, apart from those that users write: the last one is -1, the one before it -2, ...
_Label = str | int
_Labels = list[_Label]
_LETTERS = ascii_uppercase + ascii_lowercase  # of the numbers 0 to 51, in the order of their letters


def einsum(
    *operands: Any,
    out: Array | None = None,
    optimize: Any = False,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "safe",
) -> Array:
    """Sums of products over axes that letters name.

    Parameters
    ----------
    *operands : str and array_like
        First the subscripts, as in :func:`numpy.einsum`: a letter for each axis of each operand, ``...`` for any other
        ones, which are broadcast; a letter twice in one operand takes its diagonal; after ``->`` the axes of the
        result, by default the letters that occur once, in alphabetical order. Then one or more arrays; they are
        contracted in pairs, in the order that :func:`numpy.einsum_path` finds. NumPy's other form is taken, too: each
        operand is followed by the list of its axes' numbers (0 to 51, or ``...``), and the result's list may come
        last.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    optimize : object, optional
        NumPy's, not used: the order is always chosen.
    dtype : dtype, optional
        To compute in, and of the result; that the operands' promote to by default.
    order : {"C", "F", "A", "K"}
        Memory order of the result. "K", as it comes, by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts to `dtype`. "safe" by default.

    Returns
    -------
    Array
        A new array of the dtype that the operands' promote to, or `out`.

    Raises
    ------
    ShapeError
        Where sizes of one letter differ, or an operand has other axes than its letters.
    ValueError
        For subscripts that cannot be read, or do not fit the number of operands.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> da.einsum("ij,jk->ik", x, x).copy_to_host()
    array([[ 7., 10.],
           [15., 22.]])
    >>> da.einsum("ii", x).item()
    5.0
    """
    if not operands:
        raise ValueError(
            "einsum: must specify the einstein sum subscripts string and at least one operand, or at least one "
            "operand and its corresponding subscripts list"
        )
    subscripts, *arrays = operands
    subscripts, operands = (subscripts, tuple(arrays)) if isinstance(subscripts, str) else _from_lists(operands)
    if not operands:
        raise ValueError("einsum: must specify the einstein sum subscripts string and at least one operand")
    if order != "K" or casting != "safe" or dtype is not None:
        order, dtype = order_of(order, name="einsum"), None if dtype is None else np.dtype(dtype)
        np.can_cast(np.int8, np.int8, casting)  # names what is no rule
    if isinstance(optimize, list | tuple):
        einsum_path(subscripts, *operands, optimize=optimize)  # refuses a path that leaves operands over
    if len(operands) == 2 and out is None and dtype is None and order == "K":
        x, y = operands
        if type(x) is type(y) is Array and x.dtype is y.dtype and x.device is y.device:
            product = _plan(subscripts, (x.shape, y.shape)).alone
            if product is not None:
                made = _multiplied(product, x, y)
                return made if product.shape else _core.as_value(made)
    if len(operands) != 1 or type(operands[0]) is not Array:
        operands = tuple(as_arrays(*operands))
        one_device("einsum", *operands)
    plan = _plan(subscripts, tuple(x.shape for x in operands))
    if plan.diagonals is not None and out is None and order == "K":
        (x,) = operands
        strides = x.strides
        return _core.view(x, plan.shape, tuple(sum(strides[axis] for axis in axes) for axes in plan.diagonals))
    if dtype is None and isinstance(out, Array):  # NumPy computes in what operands and result promote to
        dtype = _core.promote(_dtype_of(operands, None, casting), out.dtype)
        dtype = dtype if np.can_cast(dtype, out.dtype, casting) else None
    dtype = _dtype_of(operands, None if plan.is_view and out is None else dtype, casting)  # NumPy gives a view then
    terms: list[Any] = [
        _diagonal(labels, x if x.dtype is dtype else x.astype(dtype, copy=False))
        for labels, x in zip(plan.inputs, operands, strict=True)
    ]
    for product in plan.products:
        terms.append(_multiplied(product, *(terms[number] for number in product.terms)))
        for number in product.terms:
            terms[number] = None
    x = _prepared(plan.last, terms[-1])
    x = x if x.shape == plan.shape else _core.broadcast_to(x, plan.shape).copy()
    if order == "A":
        order = "F" if all(is_fortran(one, "A") for one in operands) else "C"
    return write_out(
        "einsum", _core.as_value(x if lies(x, order) else x.copy(order)), out, casting=casting, spread=True
    )


def _dtype_of(operands: Sequence[Array], wanted: Any, casting: Any) -> np.dtype:
    """What operands promote to, or `wanted` where the casts to it are allowed."""
    dtype = operands[0].dtype
    for x in operands[1:]:
        dtype = _core.promote(dtype, x.dtype)
    if wanted is None:
        return dtype
    for x in operands:
        if not np.can_cast(x.dtype, wanted, casting):
            raise DTypeError(
                f"einsum: Cannot cast array data from {x.dtype!r} to {np.dtype(wanted)!r} according to the rule "
                f"{casting!r}"
            )
    return np.dtype(wanted)


def _from_lists(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """``x, [0, 1], y, [1, 2], [0, 2]`` as ``"AB,BC->AC"`` and the operands."""

    def text(numbers: object) -> str:
        if isinstance(numbers, np.ndarray | Array):
            numbers = numbers.tolist()
        if not isinstance(numbers, list | tuple | range):
            raise DTypeError(f"einsum: an operand is followed by a list of its axes' numbers, not by {numbers!r}")
        return "".join("..." if number is Ellipsis else letter(index(number)) for number in numbers)

    def letter(number: int) -> str:
        if not 0 <= number < len(_LETTERS):
            raise ValueError(
                f"einsum: subscript is not within the valid range [0, {len(_LETTERS)}): axes are numbered from 0 to "
                f"{len(_LETTERS) - 1}, not {number}"
            )
        return _LETTERS[number]

    pairs, rest = given[: len(given) // 2 * 2], given[len(given) // 2 * 2 :]
    subscripts = ",".join(map(text, pairs[1::2]))
    return "->".join([subscripts, *map(text, rest)]), pairs[::2]


def _parse(subscripts: str, ndims: Sequence[int]) -> tuple[list[_Labels], _Labels]:
    text = subscripts.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        raise ValueError(
            f"einsum: {'more' if len(parts) > len(ndims) else 'fewer'} operands provided to einstein sum function than "
            f"specified in the subscripts string: {subscripts!r} has {len(parts)} terms for {len(ndims)} operands"
        )
    inputs = [_term(subscripts, part, ndim, i) for i, (part, ndim) in enumerate(zip(parts, ndims, strict=True))]
    dots = max((sum(isinstance(label, int) for label in labels) for labels in inputs), default=0)
    broadcast: _Labels = list(range(-dots, 0))
    if arrow:
        if right.count("...") == 0 and dots:
            raise ValueError(
                "einsum: output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
                f"provided to broadcast the extra dimensions: {subscripts!r} has ... on the left only; the result "
                "needs it too"
            )
        output = _term(subscripts, right, len(right.replace("...", "")) + dots)
    else:
        letters = [label for labels in inputs for label in labels if isinstance(label, str)]
        output = [*broadcast, *sorted(label for label in set(letters) if letters.count(label) == 1)]
    known = {label for labels in inputs for label in labels}
    for label in output:
        if label not in known:
            raise ValueError(
                f"einsum: einstein sum subscripts string included output subscript {label!r} which never appeared in "
                f"an input: {subscripts!r}"
            )
        if output.count(label) > 1:
            raise ValueError(
                f"einsum: einstein sum subscripts string includes output subscript {label!r} multiple times: "
                f"{subscripts!r}"
            )
    return inputs, output


_TOO_MANY = "einstein sum subscripts string contains too many subscripts for operand"
_TOO_FEW = (
    "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
    "the extra dimensions"
)


def _term(subscripts: str, part: str, ndim: int, number: int = 0) -> _Labels:
    before, dots, after = part.partition("...")
    for letter in before + after:
        if not (letter.isascii() and letter.isalpha()):
            raise ValueError(
                f"einsum: invalid subscript {letter!r} in einstein sum subscripts string, subscripts must be letters: "
                f"{subscripts!r}"
            )
    others = ndim - len(before) - len(after)
    if others < 0 or (others and not dots):
        raise ShapeError(
            f"einsum: {f'{_TOO_MANY} {number}' if others < 0 else _TOO_FEW}: {part!r} of {subscripts!r} does not fit "
            f"an operand of {ndim} dimensions"
        )
    return [*before, *range(-others, 0), *after]


def _sizes(subscripts: str, inputs: Sequence[_Labels], shapes: Sequence[tuple[int, ...]]) -> dict[_Label, int]:
    sizes: dict[_Label, int] = {}
    for number, (labels, shape) in enumerate(zip(inputs, shapes, strict=True)):
        own: dict[_Label, int] = {}
        for label, size in zip(labels, shape, strict=True):
            if own.setdefault(label, size) != size:  # a diagonal, whose axes do not spread
                raise ShapeError(
                    f"einsum: dimensions in operand {number} for collapsing index {label!r} don't match ({own[label]} "
                    f"!= {size}): {subscripts!r}"
                )
            known = sizes.setdefault(label, size)
            if known == 1:
                sizes[label] = size
            elif size not in (1, known):
                raise ShapeError(
                    "einsum: operands could not be broadcast together with remapped shapes [original->remapped]: "
                    f"{label!r} of {subscripts!r} has sizes {known} and {size}"
                )
    return sizes


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> tuple[list[Any], str]:
    """The order in which NumPy would contract the operands of :func:`einsum`, and its cost.

    Only shapes matter: nothing runs on the device.

    Parameters
    ----------
    *operands : str and array_like
        As of :func:`einsum`.
    optimize : bool, str, list or tuple
        ``"greedy"`` (the default) or ``"optimal"``, a pair of that and a limit of memory, a path, or False.
    einsum_call : bool
        NumPy's own, for itself. False by default.

    Returns
    -------
    path : list
        ``"einsum_path"``, then the numbers of the operands of each step.
    text : str
        NumPy's account of the cost.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones((2, 3))
    >>> da.einsum_path("ij,kj->ik", x, x)[0]
    ['einsum_path', (0, 1)]
    """
    given = [_shape_of(x) if isinstance(x, Array) else x for x in operands]
    more: Any = {"einsum_call": True} if einsum_call else {}
    return np.einsum_path(*given, optimize=optimize, **more)


def _shape_of(x: Array) -> np.ndarray:
    """An array of the host with x's shape and dtype, of one element's memory."""
    return np.broadcast_to(np.empty((), x.dtype), x.shape)


# --- plans: they follow from subscripts and shapes, and are kept ---------------------------------------------------


class _Step(NamedTuple):
    """What is done to a term before a product: in this order, and None is nothing."""

    key: tuple[Any, ...] | None  # picks axes of size 1 away, which the other term has in full size
    gone: tuple[int, ...]  # axes that are summed over
    axes: tuple[int, ...] | None
    shape: tuple[int, ...] | None
    spread: tuple[Any, ...] | None  # a key with the other term's axes


class _Product(NamedTuple):
    """A product of two terms, numbered as they come: the operands, then the products."""

    terms: tuple[int, int]
    left: _Step
    right: _Step
    shape: tuple[int, ...] | None  # of the result of a matrix product; None: element by element


class _Plan(NamedTuple):
    inputs: tuple[_Labels, ...]
    products: tuple[_Product, ...]
    last: _Step  # which gives the result, but for axes that are broadcast to its shape
    shape: tuple[int, ...]
    is_view: bool
    alone: _Product | None  # a matrix product that is all there is to do for arrays of one dtype
    diagonals: tuple[tuple[int, ...], ...] | None  # the operand's axes of each axis of a view by diagonals


_Form = tuple[_Labels, tuple[int, ...]]
"""Labels and shape of a term."""


@lru_cache(maxsize=512)
def _plan(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> _Plan:
    inputs, output = _parse(subscripts, [len(shape) for shape in shapes])
    sizes = _sizes(subscripts, inputs, shapes)
    forms = [_diagonal_form(labels, shape) for labels, shape in zip(inputs, shapes, strict=True)]
    left = list(range(len(forms)))  # numbers of the terms that are to be multiplied still
    products = []

    def multiply(first: int, second: int, needed: set[_Label]) -> int:
        product, form = _contraction((first, second), forms[first], forms[second], needed, sizes)
        products.append(product)
        forms.append(form)
        return len(forms) - 1

    for pair in _order(subscripts, shapes):
        chosen = [left.pop(i) for i in sorted(pair, reverse=True)][::-1]
        needed = set(output).union(*(forms[number][0] for number in left))
        while len(chosen) > 2:
            wanted = needed.union(*(forms[number][0] for number in chosen[2:]))
            chosen[:2] = [multiply(chosen[0], chosen[1], wanted)]
        left.append(multiply(chosen[0], chosen[1], needed) if len(chosen) == 2 else chosen[0])
    (result,) = left
    form, gone = _summed(forms[result], set(output))
    axes = tuple(form[0].index(label) for label in output if label in form[0])
    alone = len(shapes) == 1  # then the result is another array than the operand in any case
    last = _Step(None, gone, axes if alone else _unless_sorted(axes), None, None)
    # An axis of size 1 that another operand would have broadcast may be missing nowhere: every output label is known.
    shape = tuple(sizes[label] for label in output)
    is_view = alone and set(inputs[0]) == set(output)
    whole = len(products) == 1 and not any(last) and all(len(set(labels)) == len(labels) for labels in inputs)
    whole = whole and products[0].shape == shape
    diagonals = None
    if is_view and len(output) < len(inputs[0]):  # axes of size 1 have any stride
        several = [[i for i, other in enumerate(inputs[0]) if other == label and shapes[0][i] > 1] for label in output]
        diagonals = tuple(map(tuple, several))
    return _Plan(tuple(inputs), tuple(products), last, shape, is_view, products[0] if whole else None, diagonals)


def _order(subscripts: str, shapes: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Which terms to contract, step by step; results go to the end of the list."""
    if len(shapes) <= 2:
        return [tuple(range(len(shapes)))]
    stand_ins = [np.broadcast_to(np.empty(()), shape) for shape in shapes]
    return [tuple(step) for step in np.einsum_path(subscripts, *stand_ins, optimize="greedy")[0][1:]]


def _unless_sorted(axes: tuple[int, ...]) -> tuple[int, ...] | None:
    return None if axes == tuple(range(len(axes))) else axes


def _summed(form: _Form, needed: set[Any]) -> tuple[_Form, tuple[int, ...]]:
    """A term without the axes that nothing needs any more, and these axes."""
    labels, shape = form
    gone = tuple(i for i, label in enumerate(labels) if label not in needed)
    kept = [i for i in range(len(labels)) if i not in gone]
    return ([labels[i] for i in kept], tuple(shape[i] for i in kept)), gone


def _squeezed(form: _Form, others: _Labels, sizes: dict[_Label, int]) -> tuple[_Form, tuple[Any, ...] | None]:
    """A term without the axes of size 1 that the other one has in full size, and the key for it."""
    labels, shape = form
    kept = [i for i, label in enumerate(labels) if not (shape[i] == 1 != sizes[label] and label in others)]
    if len(kept) == len(labels):
        return form, None
    key = tuple(slice(None) if i in kept else 0 for i in range(len(shape)))
    return ([labels[i] for i in kept], tuple(shape[i] for i in kept)), key


def _contraction(
    terms: tuple[int, int], first: _Form, second: _Form, needed: set[_Label], sizes: dict[_Label, int]
) -> tuple[_Product, _Form]:
    """Product of two terms, summed over what neither the result nor another term needs."""
    first, key = _squeezed(first, second[0], sizes)
    second, other_key = _squeezed(second, first[0], sizes)
    (left, x), gone = _summed(first, needed.union(second[0]))
    (right, y), other_gone = _summed(second, needed.union(left))
    shared = [label for label in left if label in right]
    summed = [label for label in shared if label not in needed]
    batch = [label for label in shared if label in needed]
    rows = [label for label in left if label not in right]
    columns = [label for label in right if label not in left]

    def step(place: int, axes: Sequence[int], shape: Any, spread: Any) -> _Step:
        return _Step((key, other_key)[place], (gone, other_gone)[place], _unless_sorted(tuple(axes)), shape, spread)

    size_left, size_right = dict(zip(left, x, strict=True)), dict(zip(right, y, strict=True))
    outer = tuple(size_left[label] for label in batch)
    m, n = tuple(size_left[label] for label in rows), tuple(size_right[label] for label in columns)
    result = [*batch, *rows, *columns]
    if not summed:
        before = step(0, [left.index(label) for label in (*batch, *rows)], None, (..., *(None,) * len(columns)))
        added = (*(slice(None),) * len(batch), *(None,) * len(rows), ...)
        after = step(1, [right.index(label) for label in (*batch, *columns)], None, added)
        both = tuple(max(size_left[label], size_right[label]) for label in batch)
        return _Product(terms, before, after, None), (result, (*both, *m, *n))
    depth = prod(size_left[label] for label in summed)
    before = step(0, [left.index(label) for label in (*batch, *rows, *summed)], (*outer, prod(m), depth), None)
    order = [right.index(label) for label in (*batch, *summed, *columns)]
    after = step(1, order, (*outer, depth, prod(n)), None)
    shape = (*outer, *m, *n)
    return _Product(terms, before, after, shape), (result, shape)


def _diagonal_form(labels: _Labels, shape: tuple[int, ...]) -> _Form:
    """What :func:`_diagonal` makes of a term."""
    while len(set(labels)) < len(labels):
        label = next(label for label in labels if labels.count(label) > 1)
        size = max(size for size, other in zip(shape, labels, strict=True) if other == label)
        others = [i for i, other in enumerate(labels) if other != label]
        labels, shape = [*(labels[i] for i in others), label], (*(shape[i] for i in others), size)
    return labels, shape


# --- what a plan says, done ----------------------------------------------------------------------------------------


def _diagonal(labels: _Labels, x: Array) -> Array:
    """Each label once: the axes that share one become their diagonal, behind the others."""
    while len(set(labels)) < len(labels):
        label = next(label for label in labels if labels.count(label) > 1)
        places = [i for i, other in enumerate(labels) if other == label]
        others = [i for i in range(x.ndim) if i not in places]
        size = max(x.shape[i] for i in places)
        if any(x.shape[i] not in (1, size) for i in places):
            raise ShapeError(f"einsum: the axes {label!r} of an operand of shape {x.shape} differ in size")
        step = sum(x.strides[i] for i in places if x.shape[i] > 1)
        x = _core.view(x, (*(x.shape[i] for i in others), size), (*(x.strides[i] for i in others), step))
        labels = [*(labels[i] for i in others), label]
    return x


def _prepared(step: _Step, x: Array) -> Array:
    if step.key is not None:
        x = x[step.key]
    if step.gone:
        x = reduce(x, "any", step.gone, False) if x.dtype.kind == "b" else reduce(x, "sum", step.gone, False, x.dtype)
    if step.axes is not None:
        x = _core.permute(x, step.axes)
    if step.shape is not None and x.shape != step.shape:
        x = x.reshape(step.shape)
    return x if step.spread is None else x[step.spread]


def _multiplied(product: _Product, x: Array, y: Array) -> Array:
    x, y = _prepared(product.left, x), _prepared(product.right, y)
    if product.shape is None:
        return x * y
    made = matmul(x, y)
    return made if made.shape == product.shape else made.reshape(product.shape)
