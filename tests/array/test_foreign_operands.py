"""Operators beside objects of other classes, by NumPy's rules: who converts, who is asked, who is left to it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
    "matmul",
)
COMPARISONS = ("lt", "le", "gt", "ge")
OPERATORS: dict[str, Any] = {
    **{name: getattr(operator, f"{name}_" if name in ("and", "or") else name) for name in ARITHMETIC + COMPARISONS},
    "divmod": divmod,
}
EQUALITIES = {"eq": operator.eq, "ne": operator.ne}
IN_PLACE = {f"i{name}": getattr(operator, f"i{name}") for name in ARITHMETIC if name not in ("truediv", "matmul")}


_MEMORY = np.array([5, 6, 7])


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    return np.asarray([5, 6, 7])


def _ufunc(self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
    return ufunc.__name__, method, [isinstance(x, Duck) for x in inputs]


class Duck:
    """An object of a class that no array knows."""


REFLECTED = {f"__r{name}__": lambda self, other, name=name: name for name in (*ARITHMETIC, "divmod")}
OWN = {f"__{name}__": lambda self, other, name=name: name for name in (*ARITHMETIC, *COMPARISONS, "divmod")}
ARRAY = {"__array__": _array}
CLASSES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "array": ARRAY,
    "array, reflected": ARRAY | REFLECTED,
    "array, own": ARRAY | REFLECTED | OWN,
    "array, no ufuncs": ARRAY | {"__array_ufunc__": None},
    "array, reflected, no ufuncs": ARRAY | REFLECTED | OWN | {"__array_ufunc__": None},
    "array, priority": ARRAY | {"__array_priority__": 10},
    "array, reflected, priority": ARRAY | REFLECTED | OWN | {"__array_priority__": 10},
    "array, reflected, low priority": ARRAY | REFLECTED | OWN | {"__array_priority__": -10},
    "reflected, no ufuncs": REFLECTED | OWN | {"__array_ufunc__": None},
    "reflected, priority": REFLECTED | OWN | {"__array_priority__": 10},
    "ufuncs": {"__array_ufunc__": _ufunc},
    "ufuncs, reflected": REFLECTED | OWN | {"__array_ufunc__": _ufunc},
    "ufuncs, reflected, priority": REFLECTED | OWN | {"__array_ufunc__": _ufunc, "__array_priority__": 10},
    "a sequence": {"__len__": lambda self: 3, "__getitem__": lambda self, i: [5, 6, 7][i]},
    "an interface": {"__array_interface__": _MEMORY.__array_interface__},
}


def compared(work: Any) -> None:
    """The same body with NumPy's array and with ours: values, what a class answered, or a TypeError."""
    x, y = np.array([1, 2, 3]), da.asarray([1, 2, 3])
    try:
        wanted = work(x)
    except TypeError:
        with pytest.raises(TypeError):
            work(y)
        return
    except ValueError:  # matmul of objects, which no device holds
        with pytest.raises((TypeError, ValueError)):
            work(y)
        return
    found = work(y)
    for ours, theirs in zip(found, wanted, strict=True) if isinstance(found, tuple) else [(found, wanted)]:
        if isinstance(ours, da.Array):
            same(ours, theirs)
        else:
            assert ours == theirs


@pytest.mark.parametrize("right", [True, False], ids=["on the right", "on the left"])
@pytest.mark.parametrize("sign", OPERATORS)
@pytest.mark.parametrize("kind", CLASSES)
def test_operators_beside_other_classes(kind: str, sign: str, right: bool) -> None:
    duck = type("Duck", (Duck,), CLASSES[kind])()
    compared(lambda x: OPERATORS[sign](x, duck) if right else OPERATORS[sign](duck, x))


@pytest.mark.parametrize("sign", EQUALITIES)
@pytest.mark.parametrize("kind", ["array", "array, reflected", "a sequence", "an interface"])
def test_equality_with_what_numpy_makes_arrays_of(kind: str, sign: str) -> None:
    duck = type("Duck", (Duck,), CLASSES[kind])()
    compared(lambda x: EQUALITIES[sign](x, duck))
    compared(lambda x: EQUALITIES[sign](duck, x))


@pytest.mark.parametrize("sign", IN_PLACE)
@pytest.mark.parametrize("kind", ["nothing", "array", "array, reflected", "a sequence", "an interface"])
def test_operators_in_place_write_where_the_array_lies(kind: str, sign: str) -> None:
    duck = type("Duck", (Duck,), CLASSES[kind])()

    def work(x: Any) -> Any:
        made = IN_PLACE[sign](x, duck)
        assert made is x
        return made

    compared(work)


def test_a_class_may_give_an_array_of_the_device() -> None:
    duck = type("Duck", (Duck,), {"__array__": lambda self, dtype=None, copy=None: da.asarray([5, 6, 7])})()
    same(da.asarray([1, 2, 3]) - duck, np.array([-4, -4, -4]))
    same(duck - da.asarray([1, 2, 3]), np.array([4, 4, 4]))


def test_objects_of_other_classes_move_by_hand_where_that_is_wanted() -> None:
    duck = type("Duck", (Duck,), CLASSES["array"])()
    with da.use(host_operands="raise"), pytest.raises(TypeError, match="asarray"):
        da.ones(3) + duck


TAKEN: dict[str, Any] = {
    "dot": lambda xp, x, y: x.dot(y),
    "full": lambda xp, x, y: xp.full(3, y),
    "full_like": lambda xp, x, y: xp.full_like(x, y),
    "isclose": lambda xp, x, y: xp.isclose(x, y),
    "allclose": lambda xp, x, y: xp.asarray(xp.allclose(x, y)),
}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize(
    "other",
    [type("Duck", (Duck,), ARRAY)(), memoryview(_MEMORY), range(3), bytearray(b"abc"), [1, 2, 3], 2, np.float32(3)],
    ids=lambda x: type(x).__name__,
)
def test_functions_take_what_numpy_makes_arrays_of(name: str, other: Any) -> None:
    same(TAKEN[name](da, da.asarray([1, 2, 3]), other), np.asarray(TAKEN[name](np, np.array([1, 2, 3]), other)))
