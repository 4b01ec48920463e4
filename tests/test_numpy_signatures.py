"""Our functions and methods take NumPy's parameters: under NumPy's names, at NumPy's places, with NumPy's defaults.

NumPy's signatures are read from NumPy; what it gives no signature for (some C functions before 2.4) is left out.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any

import numpy as np
import pytest

import devarray as da

PLACES = {
    "": (np, da),
    "linalg.": (np.linalg, da.linalg),
    "fft.": (np.fft, da.fft),
    "random.": (np.random.Generator, da.random.Generator),
    "ndarray.": (np.ndarray, da.Array),
}

DELIBERATE: dict[str, str] = {
    "ndarray.view:args": "the C function takes anything by position; the documented ones are dtype and type",
    "ndarray.choose:choices": "NumPy's method, too, takes them by position alone, one or several",
    "ndarray.choose:out": "by keyword, behind several choices, as in NumPy's method",
    "ndarray.choose:mode": "by keyword, behind several choices, as in NumPy's method",
    "clip:a_min": "the Array API standard wants its name, min, at this place; a_min is taken by keyword",
    "clip:a_max": "the Array API standard wants its name, max, at this place; a_max is taken by keyword",
    "random.standard_exponential:method": "numbers come by inversion, and 'inv' says so; 'zig' is NumPy's other way",
    "where:x": "None is no value of an array, and NumPy's sign for a condition alone; ours has its own sign",
    "where:y": "as x",
}
"""What ours do otherwise on purpose, and why. ``*`` in place of the name stands for all of them."""

NOT_YET: frozenset[str] = frozenset()
"""Names whose parameters are still to come. A name without a difference must not stand here."""


def shared_names() -> Iterator[str]:
    """The public functions and methods that NumPy and devarray both have; ufuncs are tested by the op table."""
    for prefix, (theirs, ours) in PLACES.items():
        for name in dir(theirs):
            function = getattr(theirs, name)
            if name.startswith("_") or isinstance(function, type | np.ufunc) or not callable(function):
                continue
            if hasattr(ours, name) and getattr(ours, name) is not function:
                yield prefix + name


def signatures(name: str) -> tuple[Signature, Signature] | None:
    prefix, _, last = name.rpartition(".")
    theirs, ours = PLACES[prefix + "." if prefix else ""]
    try:
        return inspect.signature(getattr(theirs, last)), inspect.signature(getattr(ours, last))
    except ValueError:
        return None


_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def differences(theirs: Signature, ours: Signature) -> dict[str, str]:
    """What ours lack of NumPy's parameters, by the parameter's name."""
    found: dict[str, str] = {}
    places = [p for p in ours.parameters.values() if p.kind in _BY_PLACE]
    takes_any_place = any(p.kind is Parameter.VAR_POSITIONAL for p in ours.parameters.values())
    for at, (name, parameter) in enumerate(theirs.parameters.items()):
        mine = ours.parameters.get(name)
        if parameter.kind is Parameter.VAR_KEYWORD:
            continue
        if parameter.kind is Parameter.VAR_POSITIONAL:
            if not takes_any_place:
                found[name] = "any number of positional arguments"
            continue
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            mine = places[at] if at < len(places) else None
            if mine is None:
                if not takes_any_place:
                    found[name] = f"argument {at} by position"
                continue
        elif mine is None or mine.kind not in _BY_NAME:
            found[name] = "missing" if mine is None else "not by keyword"
            continue
        elif parameter.kind in _BY_PLACE and (at >= len(places) or places[at].name != name):
            found[name] = f"not by position {at}"
            continue
        if not same_default(parameter.default, mine.default):
            found[name] = f"default {mine.default!r}, NumPy's {parameter.default!r}"
    return found


def same_default(theirs: Any, ours: Any) -> bool:
    """Whether two defaults mean the same. NumPy's `float` is None here: the device's default real dtype."""
    if theirs is Parameter.empty:
        return True
    if ours is Parameter.empty:
        return False
    if theirs is np._NoValue or (theirs in (float, np.float64) and ours is None):
        return True
    return theirs is ours or (type(theirs) is type(ours) and theirs == ours)


def remaining(name: str) -> dict[str, str]:
    pair = signatures(name)
    if pair is None:
        return {}
    allowed = DELIBERATE.keys()
    return {
        parameter: what
        for parameter, what in differences(*pair).items()
        if f"{name}:{parameter}" not in allowed and f"*:{parameter}" not in allowed
    }


@pytest.mark.parametrize("name", sorted(shared_names()))
def test_takes_numpys_parameters(name: str) -> None:
    found = remaining(name)
    if signatures(name) is None:
        pytest.skip("this NumPy gives no signature")
    if name in NOT_YET:
        assert found, f"{name} has all of NumPy's parameters: take it off NOT_YET"
    else:
        assert found == {}


def test_tables_name_what_both_have() -> None:
    names = set(shared_names())
    assert sorted(NOT_YET - names) == []
    for key in DELIBERATE:
        name, _, parameter = key.partition(":")
        pair = None if name == "*" else signatures(name)
        if pair is not None:
            assert parameter in differences(*pair), f"{key} makes no difference: take it off DELIBERATE"


@pytest.mark.parametrize(
    ("theirs", "ours", "wanted"),
    [
        (lambda a, b=1: 0, lambda a, b=1: 0, {}),
        (lambda a, b=1: 0, lambda a: 0, {"b": "missing"}),
        (lambda a, b=1: 0, lambda a, *, b=1: 0, {"b": "not by position 1"}),
        (lambda a, b=1: 0, lambda a, c=0, b=1: 0, {"b": "not by position 1"}),
        (lambda a, b=1: 0, lambda a, b=2: 0, {"b": "default 2, NumPy's 1"}),
        (lambda a, /, b=1: 0, lambda x, b=1, *, device=None: 0, {}),
        (lambda *a, b=1: 0, lambda a, b=1: 0, {"a": "any number of positional arguments"}),
    ],
)  # fmt: skip
def test_differences_are_found(theirs: Any, ours: Any, wanted: dict[str, str]) -> None:
    assert differences(inspect.signature(theirs), inspect.signature(ours)) == wanted


TAKEN_BY_NAME: dict[str, dict[str, Any]] = {
    "ndarray.argpartition": {"kth": 1},
    "ndarray.dot": {"b": [1, 2, 3, 4]},
    "ndarray.partition": {"kth": 1},
    "ndarray.put": {"indices": [0], "values": [5]},
    "ndarray.repeat": {"repeats": 2},
    "ndarray.searchsorted": {"v": 2},
    "ndarray.take": {"indices": [2, 0]},
}
"""Methods that take by name what their signature has by position alone: NumPy's parser knows more than it says."""


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("name", TAKEN_BY_NAME)
def test_takes_by_name_what_numpy_does(name: str) -> None:
    method, h = name.removeprefix("ndarray."), np.arange(4)
    x = da.asarray(h)
    wanted = getattr(h, method)(**TAKEN_BY_NAME[name])
    found = getattr(x, method)(**TAKEN_BY_NAME[name])
    assert (found is None and wanted is None) or np.array_equal(found.copy_to_host(), wanted)
    assert x.tolist() == h.tolist()


def by_place_alone(theirs: Signature, ours: Signature) -> list[str]:
    """Parameters that NumPy takes by position alone and ours by these names, too."""
    return [
        name
        for name, parameter in theirs.parameters.items()
        if parameter.kind is Parameter.POSITIONAL_ONLY
        and name != "self"
        and name in ours.parameters
        and ours.parameters[name].kind in _BY_NAME
    ]


@pytest.mark.parametrize("name", sorted(shared_names()))
def test_refuses_by_name_what_numpy_refuses(name: str) -> None:
    pair = signatures(name)
    if pair is None:
        pytest.skip("this NumPy gives no signature")
    assert by_place_alone(*pair) == [key for key in TAKEN_BY_NAME.get(name, ()) if key in pair[0].parameters]


@pytest.mark.parametrize("name", [name for name in dir(np) if isinstance(getattr(np, name), np.ufunc)])
def test_operands_of_ufuncs_have_no_names(name: str) -> None:
    ours = getattr(da, name, None)
    if ours is None:
        pytest.skip("devarray has no such function")
    places = list(inspect.signature(ours).parameters.values())[: getattr(np, name).nin]
    assert [p.name for p in places if p.kind is not Parameter.POSITIONAL_ONLY] == []
    with pytest.raises(TypeError):
        ours(**{p.name: 1.0 for p in places})
