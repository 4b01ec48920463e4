"""Write devarray/_routines/math/elementwise.py and devarray/special/functions.py from the op table: a function a row.

    python tools/make_elementwise.py            writes the file
    python tools/make_elementwise.py --check    fails where a file is not what the table gives

The examples' values are NumPy's, or SciPy's.
"""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from elementwise_templates import CLIP, FIX, PART, ROUND, WHERE  # noqa: E402

from devarray.ops import table  # noqa: E402
from devarray.ops.table import FLOAT_FIRST, OPS, STEP, Op  # noqa: E402

INTERNAL = {"copy", "astype", "iota", "np_floor_divide", "np_remainder"}
ALIASES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atan2": "arctan2",
    "atanh": "arctanh", "bitwise_invert": "invert bitwise_not", "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift", "pow": "power", "remainder": "mod", "divide": "true_divide",
    "abs": "absolute", "conj": "conjugate", "deg2rad": "radians", "rad2deg": "degrees",
}  # fmt: skip
POSITIONAL_OR_KEYWORD = {"i0"}
"""Functions of NumPy's that are no ufuncs."""
INTEGER_ONLY = {"gcd", "lcm"}
BITS = ("bitwise_",)
REFERENCE = {"i0": np.i0, "round": np.round, "real": np.real, "imag": np.imag}

HEADER = '''"""Element-wise functions, one for each row of the op table.

Written by tools/make_elementwise.py: do not edit.

Each records its operation; chains run as one kernel when a value is needed. Operands are arrays and Python or NumPy
scalars, which take the arrays' dtype as NumPy 2 promotes them, and broadcast. All raise DTypeError for dtypes that the
operation does not take, ShapeError for shapes that do not broadcast, DeviceError for arrays of two devices.

As NumPy's ufuncs they take `out` (the array that the result goes to; it is returned), `where` (only these elements
of it are written) and `dtype` (to compute in). Of scalars alone they give what NumPy does, on the host. Those
of two operands have the ufuncs' methods ``reduce``, ``accumulate``, ``outer``, ``at`` and ``reduceat``
(:class:`devarray._primitives.ufunc_methods.Methods`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from typing import overload as _overload

import numpy as np

from devarray._array.operations import operation as _operation
from devarray._array.ufunc_call import elementwise as _elementwise
from devarray._array.ufunc_call import is_masked as _is_masked
from devarray._core import apply as _apply
from devarray._primitives.operands import calls_method as _calls_method
from devarray._primitives.operands import has_texts as _has_texts
from devarray._primitives.operands import of_texts as _of_texts
from devarray._primitives.operands import with_methods as _as_array
from devarray._primitives.ufunc_methods import add_methods as _add_methods
from devarray.array import OP, Array
from devarray.errors import DTypeError as _DTypeError
from devarray.errors import ValueError as _ValueError

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike, Signature

__all__ = [
{names}
]

Scalar: TypeAlias = bool | int | float | complex | np.generic
Operand: TypeAlias = Array | Scalar
_NONE = np._NoValue

{numbers}
'''


def example_inputs(op: Op) -> list[list]:
    """Host values for an example, inside the operation's domain."""
    if op.name in INTEGER_ONLY or op.name.startswith(BITS):
        return [[6, 5], [4, 2]][: op.nin]
    if op.name.startswith("logical_"):
        return [[True, False], [True, True]][: op.nin]
    if op.name in ("acosh",):
        return [[1.0, 2.0]]
    if op.name in ("asin", "acos", "atanh"):
        return [[0.0, 0.5]]
    if op.name == "conj" or op.name in ("real", "imag"):
        return [[1 + 2j, 3 - 1j]]
    if op.name in ("isfinite", "isinf", "isnan"):
        return [[1.0, float("inf"), float("nan")]]
    if op.name in ("ceil", "floor", "trunc", "round", "rint", "sign", "abs", "fabs", "negative", "signbit"):
        return [[-1.5, 0.25, 2.75]]
    if op.nin == 2:
        return [[1.0, 7.0], [2.0, 2.0]]
    return [[0.5, 4.0]]


def special_inputs(op: Op) -> list[list]:
    """Host values for an example of a special function."""
    if op.name in ("jn", "yn"):
        return [[2.0, 3.0], [0.5, 3.0]]
    if op.nin == 2:
        return [[1.5, 2.0], [0.5, 3.0]]
    if op.name in ("erfinv", "ndtri", "logit", "ellipk", "erfcinv"):
        return [[0.25, 0.5]]
    if op.name.endswith("dg"):
        return [[30.0, 45.0]]
    return [[0.5, 2.0]]


def source_of(values: list) -> str:
    return (
        "da.asarray(["
        + ", ".join(f"float({str(v)!r})" if v != v or v in (np.inf, -np.inf) else repr(v) for v in values)
        + "])"
    )


def example(op: Op) -> list[str]:
    if op.name == "where":
        call, expected = "da.where(da.asarray([True, False]), 1, 2)", np.array([1, 2])
    elif op.name == "clip":
        call, expected = "da.clip(da.asarray([1, 5, 9]), 2, 6)", np.array([2, 5, 6])
    elif op.flags & table.SPECIAL:
        from scipy import special

        inputs = special_inputs(op)
        expected = getattr(special, op.name)(*(np.array(v) for v in inputs))
        call = f"da.special.{op.name}({', '.join(source_of(v) for v in inputs)})"
    else:
        inputs = example_inputs(op)
        function = REFERENCE.get(op.name) or getattr(np, op.ufunc)
        expected = function(*(np.array(v) for v in inputs))
        call = f"da.{op.name}({', '.join(source_of(v) for v in inputs)})"
    if expected.dtype.kind in "fc" and not op.exact and not np.array_equal(expected, np.round(expected, 6)):
        # Rounded on both sides: the last bits differ between devices.
        return [f">>> {call}.copy_to_host().round(6)", repr(np.round(expected, 6))]
    return [f">>> {call}.copy_to_host()", repr(expected)]


def parameters(op: Op) -> tuple[str, str]:
    """(signature, call) of a row."""
    if op.nin == 1:
        return "x: Operand, /" + OUTPUT, "x"
    return "x1: Operand, x2: Operand, /" + OUTPUT, "x1, x2"


OUTPUT = (
    ', out: Array | None = None, *, where: BoolLike = True, casting: str = "same_kind", order: str = "K", '
    "dtype: DTypeLike | None = None, subok: bool = True, signature: Signature | None = None"
)

KINDS = ("bool", "signed integers", "unsigned integers", "floats", "complex numbers")
"""What the letters of a row's `compute` are for."""
BY_SIZE = "float16, float32 or float64, by their size,"


def kinds(op: Op, rule: str) -> str:
    """The kinds of operands for which a row has a rule, in words."""
    found = [kind for letter, kind in zip(op.compute, KINDS, strict=True) if letter == rule]
    if "signed integers" in found and "unsigned integers" in found:
        found[found.index("signed integers") : found.index("unsigned integers") + 1] = ["integers"]
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)


def result_dtype(op: Op) -> str:
    """What a row says of the result's dtype."""
    if op.result in "?8":
        return "bool" if op.result == "?" else "uint8"
    same = "the operands' promoted dtype" if op.nin > 1 else "the dtype of `x`"
    parts = []
    if "=" in op.compute or "r" in op.result:
        parts.append(same)
    if kinds(op, "1"):
        parts.append(f"int8 for {kinds(op, '1')}")
    if kinds(op, "f"):
        parts.append(f"{BY_SIZE} for {kinds(op, 'f')}")
    if kinds(op, "s"):
        parts.append("float32 for float32, float64 for all others")
    if kinds(op, "d"):
        real = kinds(op, "d").removesuffix(" and complex numbers").replace("integers, floats", "integers and floats")
        parts.append(f"float64 for {real}")
        parts += ["complex128 for complex numbers"] * (op.compute[4] == "d")
    if op.result == "r" and op.compute[4] != "-":
        parts.append("the real dtype of the same precision for complex numbers")
    return "; ".join(parts)


def entry(head: str, text: str) -> str:
    """A parameter, result or error in a docstring."""
    body = fill(text, 120, initial_indent=" " * 8, subsequent_indent=" " * 8, break_on_hyphens=False)
    return f"    {head}\n{body}"


def section(title: str, *entries: str) -> str:
    return "\n".join([f"    {title}", "    " + "-" * len(title), *entries])


OUT = entry(
    "out : Array, optional",
    "Where the result goes, and what is returned. It has the result's shape, and a dtype that the result casts to.",
)
OUT_WHERE_AND_DTYPE = (
    entry(
        "out : Array, optional",
        "Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.",
    ),
    entry(
        "where : array_like of bool",
        "The elements that are written; all by default. The others keep their values in `out`, and are undefined "
        "without it.",
    ),
    entry(
        'casting : {"no", "equiv", "safe", "same_kind", "unsafe"}',
        'NumPy\'s rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.',
    ),
    entry('order : {"K", "A", "C", "F"}', 'Memory order of the result. "K", as the operands, by default.'),
    entry("dtype : dtype, optional", "To compute in, in place of the operands' promoted dtype."),
    entry("subok : bool", "NumPy's, not used: there are no subclasses."),
    entry("signature : str or tuple of dtype, optional", "The dtypes of operands and result: of NumPy's loop to take."),
)


def operands(op: Op) -> str:
    refused = kinds(op, "-")
    text = "The operand" if op.nin == 1 else "The operands, which broadcast"
    text += f". Not {refused.replace(' and ', ' or ')}." if refused else "."
    if op.flags & FLOAT_FIRST:
        text += " Each is taken as a float by its own size."
    return entry("x : Array or scalar" if op.nin == 1 else "x1, x2 : Array or scalar", text)


def result(op: Op) -> str:
    shape = "the shape of `x`" if op.nin == 1 else "the shape that the operands broadcast to"
    text = f"A new array of {shape}, or `out`. Its dtype: {result_dtype(op)}."
    if not op.flags & table.SPECIAL:
        text += " Of scalars alone, NumPy's scalar."
    return entry("Array", text)


def errors(op: Op) -> list[str]:
    fits = "Where the operands do not broadcast, or not to the shape of `out`." if op.nin > 1 else ""
    found = [
        entry(
            "DTypeError",
            "Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.",
        ),
        entry("ShapeError", fits or "Where the result does not broadcast to the shape of `out`."),
    ]
    return found + [entry("DeviceError", "For arrays of different devices.")] * (op.nin > 1)


def documentation(op: Op) -> str:
    """The sections of a docstring that follow from the row."""
    return "\n\n".join([
        section("Parameters", operands(op), *OUT_WHERE_AND_DTYPE),
        section("Returns", result(op)),
        section("Raises", *errors(op)),
    ])  # fmt: skip


PARTS = {
    "real": "As ``val.real``: of a complex array a view, and a real one is returned as it is.",
    "imag": "As ``val.imag``: of a complex array a view, and of a real one zeros that cannot be written.",
}
SPECIAL = {"clip": CLIP, "round": ROUND, "where": WHERE, "real": PART, "imag": PART}


def function(op: Op) -> str:
    text = "\n    ".join("\n".join(example(op)).splitlines())
    if op.name in SPECIAL:
        return SPECIAL[op.name].format(
            name=op.name,
            summary=op.summary,
            example=text,
            real=PARTS.get(op.name, ""),
            out=OUT,
            sections=documentation(op),
        )
    signature, call = parameters(op)
    if op.name in POSITIONAL_OR_KEYWORD:
        signature = signature.replace(", /", "")
    head = f"def {op.name}(\n    " + ",\n    ".join(signature.split(", ")) + ",\n) -> Array:"
    inputs = f"({call},)" if op.nin == 1 else f"({call})"
    numpy_name = f"\n\n    NumPy's ``{op.ufunc}``." if op.ufunc and op.ufunc != op.name else ""
    return f'''
@_operation("{op.name}", {op.nin})
{head}
    """{op.summary}{numpy_name}

{documentation(op)}

    Examples
    --------
    >>> import devarray as da
    {text}
    """
    return _elementwise("{op.name}", {inputs}, out, where, casting, order, dtype, signature)
'''


SPECIAL_HEADER = '''"""SciPy's special functions, one for each row of the op table that is marked so.

Written by tools/make_elementwise.py: do not edit.

Each records its operation, as the functions of devarray/_routines/math/elementwise.py do. Within 8 ULP of the exact
value, or within SciPy's own error; tests/ops/test_special.py measures it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from devarray._array.operations import operation as _operation
from devarray._array.ufunc_call import elementwise as _elementwise
from devarray.array import Array

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike, Signature

__all__ = [
{names}
]

Scalar: TypeAlias = bool | int | float | complex | np.generic
Operand: TypeAlias = Array | Scalar
'''


def render_special() -> str:
    """The module of SciPy's functions."""
    rows = [op for op in OPS.values() if op.flags & table.SPECIAL]
    names = "\n".join(f'    "{name}",' for name in sorted(op.name for op in rows))
    return "\n".join([SPECIAL_HEADER.replace("{names}", names), *map(function, rows)])


def render() -> str:
    rows = [op for op in OPS.values() if op.name not in INTERNAL and not op.flags & (STEP | table.SPECIAL)]
    aliases = sorted((alias, name) for name, row in ALIASES.items() for alias in row.split())
    names = sorted(["fix", *(op.name for op in rows)] + [alias for alias, _ in aliases])
    numbers = "\n".join(
        f'_OP_{op.name}: int = OP["{op.name}"]' for op in rows if op.name in ("round", "where", "real", "imag")
    )
    parts = [HEADER.replace("{names}", "\n".join(f'    "{name}",' for name in names)).replace("{numbers}", numbers)]
    parts += [function(op) for op in rows]
    parts.append(FIX.format(out=OUT))
    lines = "\n".join(f"{alias} = {name}" for alias, name in aliases)
    return "\n".join(parts) + f"\n\n# NumPy's names\n{lines}\n\n_add_methods(globals())\n"


def main() -> None:
    wanted = {"_routines/math/elementwise.py": render(), "special/functions.py": render_special()}
    for place, text in wanted.items():
        path = ROOT / "devarray" / place
        if "--check" in sys.argv[1:]:
            if path.read_text() != text:
                sys.exit(f"{place} is not what the op table gives; run python tools/make_elementwise.py")
        else:
            path.write_text(text)


main()
