"""Operators between arrays and what NumPy makes arrays of: lists, tuples, ranges, NumPy's scalars and 0-d arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import close, on_both, same, silent

import devarray as da

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
BITS = {
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
}
OTHERS = {
    "list": [1, 5, 2],
    "tuple": (1, 5, 2),
    "range": range(1, 4),
    "nested": [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
}


def as_numpy(sign: str, ours: Any, wanted: Any) -> None:
    """The bits that NumPy gives; a power of floats is a driver's own, some units in the last place away."""
    close(ours, wanted, ulp=16 if sign.startswith("**") else 0)


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("sign", BINARY)
@pytest.mark.parametrize("dtype", ["float64", "int16"])
def test_lists_are_operands(sign: str, other: str, dtype: str) -> None:
    x = np.array([3, 2, 1], dtype)
    given, function = OTHERS[other], BINARY[sign]
    as_numpy(sign, *on_both(lambda xp, a: function(a, given), x))
    as_numpy(sign, *on_both(lambda xp, a: function(given, a), x))


@pytest.mark.parametrize("sign", BITS)
def test_lists_are_operands_of_bits(sign: str) -> None:
    x = np.array([3, 2, 1])
    function = BITS[sign]
    same(*on_both(lambda xp, a: function(a, [1, 5, 2]), x))
    same(*on_both(lambda xp, a: function((1, 5, 2), a), x))


def test_divmod_takes_lists() -> None:
    x = np.array([7, 8, 9])
    for k in (0, 1):
        same(*on_both(lambda xp, a, k=k: divmod(a, [2, 3, 4])[k], x))
        same(*on_both(lambda xp, a, k=k: divmod([20, 30, 40], a)[k], x))


@pytest.mark.parametrize("shape", [(), (1,), (2,)])
def test_a_list_is_not_repeated(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 2)
    same(*on_both(lambda xp, a: a * [1, 2], x))
    same(*on_both(lambda xp, a: [1, 2] * a, x))
    same(*on_both(lambda xp, a: (1, 2) * a, x))


INPLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
}


@pytest.mark.parametrize("sign", INPLACE)
@pytest.mark.parametrize("other", [[1.0, 5.0, 2.0], (2.0,), np.float64(3), np.array(3.0)], ids=repr)
def test_in_place_operators_write_the_array_that_is_there(sign: str, other: Any) -> None:
    if sign == "@=":
        other = np.diag([1.0, 2.0, 3.0]).tolist()

    def body(xp: Any, a: Any) -> Any:
        same_one, view = a, a[:2]
        a = INPLACE[sign](a, other)
        assert a is same_one
        return xp.concatenate([a.reshape(-1), view.reshape(-1)])

    x = np.array([3.0, 2.0, 4.0]) if sign != "@=" else np.arange(9.0).reshape(3, 3)
    as_numpy(sign, *on_both(body, x))


def test_an_in_place_product_of_matrices_goes_into_the_array() -> None:
    def body(xp: Any, a: Any, b: Any) -> Any:
        other_name = a
        a @= b
        return other_name

    a = np.arange(9.0).reshape(3, 3)
    same(*on_both(body, a, a + 1))
    x = da.ones((3, 3))
    with pytest.raises(ValueError, match=r"\(3, 2\)"):
        x @= da.ones((3, 2))


@pytest.mark.parametrize("sign", INPLACE)
@pytest.mark.parametrize("other", ["a", None, object()], ids=["str", "None", "object"])
def test_in_place_operators_refuse_what_is_no_operand(sign: str, other: Any) -> None:
    x = y = da.ones(3)
    with pytest.raises(TypeError):
        y = INPLACE[sign](y, other)
    assert y is x


class Reflecting:
    """Has reflected operators of its own, which arrays leave to it."""

    def __radd__(self, other: Any) -> str:
        return "added"

    def __rmatmul__(self, other: Any) -> str:
        return "multiplied"


def test_other_types_keep_their_own_operators() -> None:
    x = da.ones(3)
    assert x + Reflecting() == "added"
    assert x @ Reflecting() == "multiplied"
    x += Reflecting()
    assert x == "added"


@pytest.mark.parametrize("sign", [s for s in BINARY if s != "@"])
@pytest.mark.parametrize(
    "other", [np.float64(0.5), np.float32(0.5), np.int8(2), np.uint64(2), np.bool_(True), np.array(0.5)], ids=repr
)
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_numpys_scalars_stand_on_either_side(sign: str, other: Any, dtype: str) -> None:
    x = np.array([1, 2, 3], dtype)
    function = BINARY[sign]
    with silent():
        as_numpy(sign, *on_both(lambda xp, a: function(a, other), x))
        as_numpy(sign, *on_both(lambda xp, a: function(other, a), x))


@pytest.mark.parametrize("call", [lambda x, h: x + h, lambda x, h: h + x, lambda x, h: x == h, lambda x, h: h < x])
def test_numpy_arrays_are_moved_by_hand_where_that_is_wanted(call: Callable[[Any, Any], Any]) -> None:
    with da.use(host_operands="raise"), pytest.raises(TypeError, match="asarray"):
        call(da.ones(3), np.ones(3))


def test_numpy_arrays_are_not_added_in_place_where_they_are_refused() -> None:
    x = y = da.ones(3)
    with da.use(host_operands="raise"), pytest.raises(TypeError, match="asarray"):
        y += np.ones(3)
    assert y is x


def test_lists_with_arrays_inside_are_operands() -> None:
    same(*on_both(lambda xp, a: operator.add(a, [a, a]), np.arange(2.0)))


def test_functions_take_the_lists_that_operators_take() -> None:
    same(*on_both(lambda xp, a: xp.add(a, [1, 2, 3]), np.arange(3)))
    close(*on_both(lambda xp, a: np.hypot(a, [1, 2, 3]), np.arange(3.0)), ulp=4)


def test_lists_of_no_numbers_are_refused() -> None:
    with pytest.raises(TypeError, match="<U1"):
        operator.add(da.ones(1), ["a"])
    with pytest.raises(ValueError, match=r"could not be broadcast together with shapes \(3,\) \(2,\)"):
        operator.eq(da.ones(3), [1, 2])


@pytest.mark.parametrize("sequence", [[1, 2], (1, 2), "ab", b"ab"], ids=["list", "tuple", "str", "bytes"])
def test_an_integer_that_was_read_repeats_sequences(sequence: Any) -> None:
    counts = da.asarray([2, 0])
    assert sequence * counts[0] == sequence * 2 and counts[0] * sequence == 2 * sequence
    assert sequence * counts[1] == sequence * 0


@pytest.mark.parametrize("other", [object(), {}, None, "a"], ids=["object", "dict", "None", "text"])
@pytest.mark.parametrize("sign", ["+=", "-=", "*=", "**="])
def test_a_value_takes_no_objects_in_place(sign: str, other: Any) -> None:
    """Python would bind the name to what the operator answers, NotImplemented and all."""
    for start in (lambda: da.asarray([1.0, 2.0])[0], lambda: da.asarray([1.0, 2.0])):
        names = {"v": start(), "other": other}
        with pytest.raises(TypeError):
            exec(f"v {sign} other", names)
        assert isinstance(names["v"], da.Array)
