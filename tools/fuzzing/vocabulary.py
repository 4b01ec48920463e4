"""What the programs of the fuzzer are made of: dtypes, lengths, operations, numbers."""

from __future__ import annotations

import math
import random

from devarray.ops.table import OPS, SPECIAL, STEP
from fuzzing import library

DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128")  # fmt: skip
LARGEST = 20_000
"""Elements of an array."""


def most_elements(shape: tuple[int, ...]) -> int:
    """Of an array of this shape, and of its reductions: an axis without elements becomes one of one."""
    return math.prod(n or 1 for n in shape)


LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 100, 257, 1000, 4099)
_NOT_HERE = {"np_floor_divide", "iota", "copy", "astype", "clip", "where", "pow", "float_power", "i0"}
_UNARY = [name for name, op in OPS.items() if op.nin == 1 and not op.flags & (STEP | SPECIAL) and name not in _NOT_HERE]
_BINARY = [
    name for name, op in OPS.items() if op.nin == 2 and not op.flags & (STEP | SPECIAL) and name not in _NOT_HERE
]
OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/", "remainder": "%", "bitwise_and": "&",
              "bitwise_or": "|", "bitwise_xor": "^", "less": "<", "less_equal": "<=", "equal": "==",
              "not_equal": "!=", "greater": ">", "greater_equal": ">=", "bitwise_left_shift": "<<",
              "bitwise_right_shift": ">>", "floor_divide": "//"}  # fmt: skip
_IN_PLACE = ("add", "subtract", "multiply", "divide", "remainder", "bitwise_and", "bitwise_or", "bitwise_xor")
REDUCTIONS = {"sum": "total", "prod": "shrinking", "mean": "total", "var": "deviation", "max": "extreme",
         "min": "extreme", "any": "exact", "all": "exact", "argmax": "exact", "argmin": "exact",
         "count_nonzero": "exact"}  # fmt: skip
_SCALARS = ("0", "1", "2", "3", "-1", "-2", "7", "100", "True", "0.5", "2.0", "-1.5", "1e3", "2j", "300", "-0.0")

AVOIDED: dict[str, tuple[str, str]] = {
    "gcd": ("b", "NumPy computes bools as int8, devarray refuses them"),
    "lcm": ("b", "as gcd"),
    "floor_divide": ("", "by rule 'finite': the standard's quotients of infinities"),
    "round": ("b", "NumPy's function is no ufunc, and rounds bools to float16"),
    "sign": ("c", "NumPy's of complex numbers is z / abs(z); rounded"),
}
"""Operation: kinds of dtypes that it does not get, and why."""

EXACT = {"divide", "sqrt", "square", "reciprocal", "remainder", "fmod", "hypot"}  # of real numbers
RULES = {"add": "sum", "subtract": "sum", "multiply": "product", "floor_divide": "finite", "remainder": "finite"}
RULES |= dict.fromkeys(("maximum", "minimum", "fmax", "fmin", "clip"), "extreme")
RULES |= dict.fromkeys(("negative", "positive", "conj", "real", "imag", "fabs", "where"), "same")
RULES |= dict.fromkeys(("signbit", "copysign", "spacing", "heaviside"), "sign") | {"nextafter": "next"}
RULES |= dict.fromkeys(("logaddexp", "logaddexp2"), "shifted") | {"log1p": "beside_one"}


class Vocabulary:
    """What the programs of a batch are made of.

    Parameters
    ----------
    seed : int
    """

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        self.dtypes = rng.sample(DTYPES, 2)
        self.lengths = [*rng.sample(LENGTHS[:8], 2), *rng.sample(LENGTHS, 2), 1]
        self.unary, self.binary = rng.sample(_UNARY, 2), [*rng.sample(_BINARY, 3), "add"]
        self.in_place = rng.sample(_IN_PLACE, 3)
        self.scalars = rng.sample(_SCALARS, 5)
        self.chains = [[rng.randrange(6) for _ in range(rng.randint(2, 6))] for _ in range(3)]
        self.reductions, self.movements = rng.sample(list(REDUCTIONS), 4), rng.sample(range(12), 5)
        self.library = rng.sample(list(library.FAMILIES), 4)
        self.kinds = rng.choices(("small", "bits", "special", "count"), (6, 2, 1, 1), k=2)
