"""The op table: one row for each element-wise operation.

From a row derive the public function, the operator, the NumPy ufunc that it implements, its dtypes and its C text.
Names are the Array API standard's (2025.12) where it has one, else NumPy's.

A row's `compute` has one letter for each kind of promoted input dtype (bool, signed, unsigned, float, complex):

====  =====================================================================================
`=`   computed in the input's dtype
`f`   in the float that holds it (1 byte: float16, 2: float32, 4 and 8: float64), as NumPy's float functions do
`d`   in float64, or complex128 for complex
`s`   in float32 for float32, else in float64, as SciPy's functions do
`u`   in uint64
`l`   in int64
`1`   in int8 (arithmetic on bools that NumPy does in its smallest integer)
`?`   in bool
`-`   not defined: TypeError
====  =====================================================================================

`result` is `=` (the compute dtype), `?` (bool), `r` (the real dtype of a complex one) or `8` (uint8).
"""

from __future__ import annotations

from collections.abc import Mapping

from devarray.ops.dtypes import DTYPES, KIND, REAL_OF, SIZE

__all__ = [
    "COMMUTATIVE",
    "COMPARISON",
    "FLOAT_FIRST",
    "HEAVY",
    "INDEXED",
    "OPS",
    "SHIFT",
    "SPECIAL",
    "STEP",
    "VECTORS",
    "WHERE",
    "Op",
    "is_heavy",
    "table_for_core",
]

WHERE = 1
"""The first input is a bool and takes no part in promotion."""
COMPARISON = 2
"""Result is bool. A signed integer against a uint64 is compared by value: the generator sees the arguments' own dtypes,
although the promoted dtype, and so the node's compute dtype, is float64."""
SHIFT = 4
"""The second input counts bits: a Python int of any value is allowed."""
COMMUTATIVE = 8
"""The inputs may change places without changing a bit of the result."""
FLOAT_FIRST = 16
"""Each input becomes a float by its own size before promotion: int8 with uint8 is float16, not float32."""
INDEXED = 32
"""The value depends on the element's number, counted in C order."""
STEP = 64
"""A step of other functions (of drawing random numbers in devarray/random/, of `ldexp` and `frexp`), and no function of
its own."""
HEAVY = 256
"""Long code: compilers take several times what they take for a sum. `table_for_core` adds it to the row's flags."""
VECTORS = 512
"""The C text for real floats is as good for OpenCL's vectors. `table_for_core` adds it to the row's flags."""
EXACT = 1024
"""Exact for real numbers, or rounded once: a compiler that knows an operand makes the same bits of it as the device.
`table_for_core` adds it to the row's flags."""

SPECIAL = 128
"""A function of :mod:`devarray.special`, under SciPy's name."""


class Op:
    """One element-wise operation.

    Attributes
    ----------
    name : str
        The Array API standard's, else NumPy's.
    nin : int
        Number of inputs.
    compute, result : str
        Dtype rules, see the module's docstring.
    ufunc : str
        NumPy's ufunc of the same meaning, or empty.
    summary : str
        One line for documentation.
    flags : int
        WHERE, COMPARISON, SHIFT, COMMUTATIVE, FLOAT_FIRST, INDEXED, STEP, SPECIAL.
    exact : bool
        Whether the float result needs no rounding: it is an input, or a half whenever the inputs are.
    expressions : mapping
        C text by kind or by C type (`f16`), in the inputs `a`, `b`, `c`, as devarray/codegen/prelude/base.py reads it.
    """

    __slots__ = ("compute", "exact", "flags", "name", "nin", "result", "summary", "ufunc")

    def __init__(
        self,
        name: str,
        nin: int,
        compute: str,
        result: str,
        ufunc: str,
        summary: str,
        flags: int = 0,
        exact: bool = False,
    ) -> None:
        self.name, self.nin, self.compute, self.result = name, nin, compute, result
        self.ufunc, self.summary, self.flags, self.exact = ufunc, summary, flags, exact

    @property
    def expressions(self) -> Mapping[str, str]:
        from devarray.ops.expressions import EXPRESSIONS  # not before the first kernel is written

        return EXPRESSIONS[self.name]

    def compute_dtype(self, dtype: str) -> str | None:
        """Dtype to compute in for a promoted input dtype, or None where the operation is not defined."""
        rule = self.compute["biufc".index(KIND[dtype])]
        if rule == "=":
            return dtype
        if rule == "f":
            return {1: "float16", 2: "float32"}.get(SIZE[dtype], "float64")
        if rule == "s":
            return "float32" if dtype == "float32" else "float64"
        if rule == "d":
            return "complex128" if KIND[dtype] == "c" else "float64"
        return {"1": "int8", "u": "uint64", "l": "int64", "?": "bool", "-": None}[rule]

    def result_dtype(self, dtype: str) -> str | None:
        """Dtype of the result for a promoted input dtype, or None where the operation is not defined."""
        compute = self.compute_dtype(dtype)
        if compute is None:
            return None
        return {"=": compute, "?": "bool", "r": REAL_OF.get(compute, compute), "8": "uint8"}[self.result]


_SPECIAL_ROWS = """
    1 erf: Error function.
    1 erfc: 1 - erf(x), exact where that is small.
    1 erfcx: exp(x**2) * erfc(x).
    1 erfinv: Where the error function has the value x.
    1 erfcinv: Where erfc has the value x.
    1 ndtr: Chance that a normal variate is not above x.
    1 ndtri: Where `ndtr` has the value x.
    1 log_ndtr: Logarithm of `ndtr`.
    1 gamma: Gamma function.
    1 gammaln: Logarithm of the absolute value of the gamma function.
    1 gammasgn: Sign of the gamma function.
    1 rgamma: 1 / gamma(x).
    1 digamma: Derivative of the logarithm of the gamma function.
    2 beta: Beta function, gamma(a) * gamma(b) / gamma(a + b).
    2 betaln: Logarithm of the absolute value of the beta function.
    2 poch: Rising factorial, gamma(a + b) / gamma(a).
    1 expit: Logistic function, 1 / (1 + exp(-x)).
    1 log_expit: Logarithm of `expit`.
    1 logit: log(x / (1 - x)).
    2 xlogy: a * log(b), and 0 where a is 0.
    2 xlog1py: a * log1p(b), and 0 where a is 0.
    1 entr: -x * log(x), 0 at 0, and -inf below.
    2 rel_entr: a * log(a / b), 0 where a is 0, and inf outside.
    2 kl_div: a * log(a / b) - a + b, and inf outside.
    2 huber: Huber's loss of b: a square up to a, then linear.
    2 pseudo_huber: a**2 * (sqrt(1 + (b / a)**2) - 1).
    2 boxcox: (a**b - 1) / b, and log(a) where b is 0.
    2 boxcox1p: ((1 + a)**b - 1) / b, and log1p(a) where b is 0.
    2 inv_boxcox: Where `boxcox` with b has the value a.
    2 inv_boxcox1p: Where `boxcox1p` with b has the value a.
    1 exprel: (exp(x) - 1) / x, and 1 at 0.
    1 exp10: 10 raised to the input.
    1 cosm1: cos(x) - 1, exact near 0.
    1 sindg: Sine of an angle in degrees.
    1 cosdg: Cosine of an angle in degrees.
    1 tandg: Tangent of an angle in degrees.
    1 cotdg: Cotangent of an angle in degrees.
    1 i0e: exp(-abs(x)) * i0(x).
    1 i1: Modified Bessel function of the first kind, order 1.
    1 i1e: exp(-abs(x)) * i1(x).
    1 k0: Modified Bessel function of the second kind, order 0.
    1 k0e: exp(x) * k0(x).
    1 k1: Modified Bessel function of the second kind, order 1.
    1 k1e: exp(x) * k1(x).
    1 j0: Bessel function of the first kind, order 0.
    1 j1: Bessel function of the first kind, order 1.
    1 y0: Bessel function of the second kind, order 0.
    1 y1: Bessel function of the second kind, order 1.
    2 jn: Bessel function of the first kind, of integer order a at b; orders to 10**6.
    2 yn: Bessel function of the second kind, of integer order a at b; orders to 10**6.
    1 ellipk: Complete elliptic integral of the first kind, of the parameter m.
    1 ellipkm1: `ellipk` of 1 - x, exact near 0.
    1 exp1: Exponential integral of exp(-t) / t from x to infinity.
"""


def _special(line: str) -> Op:
    head, summary = line.strip().split(": ", 1)
    operands, name = head.split()
    return Op(name, int(operands), "ssss-", "=", "", summary, SPECIAL)


_ROWS = (
    # Arithmetic
    Op("add", 2, "=====", "=", "add", "Sum; of bools, their or.", COMMUTATIVE),
    Op("subtract", 2, "-====", "=", "subtract", "Difference."),
    Op("multiply", 2, "=====", "=", "multiply", "Product; of bools, their and.", COMMUTATIVE),
    Op("divide", 2, "ddd==", "=", "divide", "Quotient as a float."),
    Op("floor_divide", 2, "1===-", "=", "floor_divide", "Greatest integer not above the quotient."),
    Op("np_floor_divide", 2, "1===-", "=", "floor_divide", "`floor_divide` with NumPy's NaN for infinite dividends."),
    Op("remainder", 2, "1===-", "=", "remainder", "What floor division leaves; has the divisor's sign."),
    Op("fmod", 2, "1===-", "=", "fmod", "What truncated division leaves; has the dividend's sign.", exact=True),
    Op("pow", 2, "1====", "=", "power", "First input raised to the second."),
    Op("float_power", 2, "ddddd", "=", "float_power", "Power in float64 or complex128."),
    Op("negative", 1, "-====", "=", "negative", "The input with its sign changed.", exact=True),
    Op("positive", 1, "-====", "=", "positive", "The input itself.", exact=True),
    Op("abs", 1, "=====", "r", "absolute", "Absolute value, or magnitude.", exact=True),
    Op("fabs", 1, "fff=-", "=", "fabs", "Absolute value as a float.", exact=True),
    Op("sign", 1, "-====", "=", "sign", "-1, 0 or 1; of complex numbers, z / abs(z).", exact=True),
    Op("square", 1, "1====", "=", "square", "Product with itself."),
    Op("reciprocal", 1, "1====", "=", "reciprocal", "1 divided by the input."),
    Op("sqrt", 1, "fff==", "=", "sqrt", "Square root."),
    Op("cbrt", 1, "fff=-", "=", "cbrt", "Cube root."),
    Op("hypot", 2, "fff=-", "=", "hypot", "Square root of the sum of squares.", FLOAT_FIRST),
    Op("gcd", 2, "-==--", "=", "gcd", "Greatest common divisor.", COMMUTATIVE),
    Op("lcm", 2, "-==--", "=", "lcm", "Least common multiple.", COMMUTATIVE),
    # Rounding
    Op("ceil", 1, "====-", "=", "ceil", "Least integer not below the input.", exact=True),
    Op("floor", 1, "====-", "=", "floor", "Greatest integer not above the input.", exact=True),
    Op("trunc", 1, "====-", "=", "trunc", "Nearest integer towards zero.", exact=True),
    Op("round", 1, "=====", "=", "", "Nearest integer, ties to even.", exact=True),
    Op("rint", 1, "fff==", "=", "rint", "Nearest integer as a float, ties to even.", exact=True),
    # Exponentials and logarithms
    Op("exp", 1, "fff==", "=", "exp", "e raised to the input."),
    Op("exp2", 1, "fff==", "=", "exp2", "2 raised to the input."),
    Op("expm1", 1, "fff==", "=", "expm1", "exp(x) - 1, exact near zero."),
    Op("log", 1, "fff==", "=", "log", "Natural logarithm."),
    Op("log1p", 1, "fff==", "=", "log1p", "log(1 + x), exact near zero."),
    Op("log2", 1, "fff==", "=", "log2", "Logarithm to base 2."),
    Op("log10", 1, "fff==", "=", "log10", "Logarithm to base 10."),
    Op("logaddexp", 2, "fff=-", "=", "logaddexp", "log(exp(a) + exp(b)) without overflow.", FLOAT_FIRST),
    Op("logaddexp2", 2, "fff=-", "=", "logaddexp2", "log2(2**a + 2**b) without overflow.", FLOAT_FIRST),
    Op("i0", 1, "ddd=-", "=", "", "Modified Bessel function of the first kind, order 0."),
    # Trigonometric and hyperbolic
    Op("sin", 1, "fff==", "=", "sin", "Sine of an angle in radians."),
    Op("cos", 1, "fff==", "=", "cos", "Cosine of an angle in radians."),
    Op("tan", 1, "fff==", "=", "tan", "Tangent of an angle in radians."),
    Op("asin", 1, "fff==", "=", "arcsin", "Inverse sine, in radians."),
    Op("acos", 1, "fff==", "=", "arccos", "Inverse cosine, in radians."),
    Op("atan", 1, "fff==", "=", "arctan", "Inverse tangent, in radians."),
    Op("atan2", 2, "fff=-", "=", "arctan2", "Angle of the point (b, a), in radians.", FLOAT_FIRST),
    Op("sinh", 1, "fff==", "=", "sinh", "Hyperbolic sine."),
    Op("cosh", 1, "fff==", "=", "cosh", "Hyperbolic cosine."),
    Op("tanh", 1, "fff==", "=", "tanh", "Hyperbolic tangent."),
    Op("asinh", 1, "fff==", "=", "arcsinh", "Inverse hyperbolic sine."),
    Op("acosh", 1, "fff==", "=", "arccosh", "Inverse hyperbolic cosine."),
    Op("atanh", 1, "fff==", "=", "arctanh", "Inverse hyperbolic tangent."),
    Op("deg2rad", 1, "fff=-", "=", "deg2rad", "Degrees to radians."),
    Op("rad2deg", 1, "fff=-", "=", "rad2deg", "Radians to degrees."),
    # Comparison and choice
    Op("equal", 2, "=====", "?", "equal", "Whether the inputs are equal.", COMPARISON | COMMUTATIVE),
    Op("not_equal", 2, "=====", "?", "not_equal", "Whether the inputs differ.", COMPARISON | COMMUTATIVE),
    Op("less", 2, "=====", "?", "less", "Whether a < b.", COMPARISON),
    Op("less_equal", 2, "=====", "?", "less_equal", "Whether a <= b.", COMPARISON),
    Op("greater", 2, "=====", "?", "greater", "Whether a > b.", COMPARISON),
    Op("greater_equal", 2, "=====", "?", "greater_equal", "Whether a >= b.", COMPARISON),
    Op("maximum", 2, "=====", "=", "maximum", "The greater input; NaN if either is NaN.", exact=True),
    Op("minimum", 2, "=====", "=", "minimum", "The lesser input; NaN if either is NaN.", exact=True),
    Op("fmax", 2, "=====", "=", "fmax", "The greater input; a NaN only if both are.", exact=True),
    Op("fmin", 2, "=====", "=", "fmin", "The lesser input; a NaN only if both are.", exact=True),
    Op("clip", 3, "=====", "=", "clip", "The first input, kept between the second and the third.", exact=True),
    Op("where", 3, "=====", "=", "", "The second input where the first is true, else the third.", WHERE, True),
    Op("heaviside", 2, "fff=-", "=", "heaviside", "0 below zero, 1 above, b at zero.", FLOAT_FIRST, True),
    # Bits
    Op("bitwise_and", 2, "===--", "=", "bitwise_and", "And of the bits.", COMMUTATIVE),
    Op("bitwise_or", 2, "===--", "=", "bitwise_or", "Or of the bits.", COMMUTATIVE),
    Op("bitwise_xor", 2, "===--", "=", "bitwise_xor", "Exclusive or of the bits.", COMMUTATIVE),
    Op("bitwise_invert", 1, "===--", "=", "invert", "Every bit changed; of bools, their not."),
    Op("bitwise_left_shift", 2, "1==--", "=", "left_shift", "Bits moved up; zeros from below.", SHIFT),
    Op("bitwise_right_shift", 2, "1==--", "=", "right_shift", "Bits moved down; the sign from above.", SHIFT),
    Op("bitwise_count", 1, "1==--", "8", "bitwise_count", "Number of ones among the bits of the absolute value."),
    # Logic
    Op("logical_and", 2, "?????", "?", "logical_and", "Whether both inputs are non-zero.", COMMUTATIVE),
    Op("logical_or", 2, "?????", "?", "logical_or", "Whether an input is non-zero.", COMMUTATIVE),
    Op("logical_xor", 2, "?????", "?", "logical_xor", "Whether just one input is non-zero.", COMMUTATIVE),
    Op("logical_not", 1, "?????", "?", "logical_not", "Whether the input is zero."),
    # Parts and predicates
    Op("isfinite", 1, "=====", "?", "isfinite", "Whether the input is neither infinite nor NaN."),
    Op("isinf", 1, "=====", "?", "isinf", "Whether the input is infinite."),
    Op("isnan", 1, "=====", "?", "isnan", "Whether the input is NaN."),
    Op("signbit", 1, "fff=-", "?", "signbit", "Whether the sign bit is set."),
    Op("copysign", 2, "fff=-", "=", "copysign", "The first input with the second's sign.", FLOAT_FIRST, True),
    Op("nextafter", 2, "fff=-", "=", "nextafter", "The next number from a towards b.", FLOAT_FIRST, True),
    Op("spacing", 1, "fff=-", "=", "spacing", "Signed distance to the next number away from zero.", exact=True),
    Op("conj", 1, "1====", "=", "conjugate", "Complex conjugate.", exact=True),
    Op("real", 1, "=====", "r", "", "Real part.", exact=True),
    Op("imag", 1, "=====", "r", "", "Imaginary part; zeros for real input.", exact=True),
    # The engine's own: the cast to the node's compute dtype is all that happens
    Op("astype", 1, "=====", "=", "", "The input in another dtype.", exact=True),
    Op("copy", 1, "=====", "=", "", "The input.", exact=True),
    Op("iota", 2, "-====", "=", "", "First input plus the element's number times the second.", INDEXED),
    # Random numbers: steps of devarray/random/
    Op("philox", 3, "--u--", "=", "", "Word number a of Philox4x64-10 with the key (b, c), uint64.", STEP),
    Op("philox_half", 3, "--u--", "=", "", "Half word number a of the same: an even a is the lower half.", STEP),
    # Indexing by integer arrays: steps of devarray/_primitives/gather.py
    Op("index_place", 3, "-l---", "=", "", "Distance of index a of an axis of size b, c bytes a step.", STEP),
    Op("take", 3, "=====", "=", "", "The element of table a at distance b; c is the queue's flag.", STEP),
    Op("bounded", 2, "--u--", "=", "", "The random word a as a number below b, uint64; b = 0 is 2**64.", STEP),
    Op("normal_tail", 1, "---=-", "=", "", "Where a normal distribution has the upper tail a, at most 0.5.", STEP),
    Op("draw_gamma", 2, "dddd-", "=", "", "Gamma variate of shape b from the uniform a.", STEP),
    Op("draw_poisson", 2, "dddd-", "=", "", "Poisson variate of mean b from the uniform a.", STEP),
    Op("draw_vonmises", 2, "dddd-", "=", "", "Von Mises variate of concentration b from the uniform a.", STEP),
    Op("draw_zipf", 2, "dddd-", "=", "", "Zipf variate of exponent b from the uniform a.", STEP),
    Op("draw_binomial", 3, "dddd-", "=", "", "Successes in b trials of chance c, from the uniform a.", STEP),
    # Numbers by their exponents: steps of ldexp and frexp
    Op("scale_by_power", 2, "---=-", "=", "", "First input times 2 to the power of the second, a whole number.", STEP),
    Op("mantissa", 1, "---=-", "=", "", "The input times the power of two that makes it from 1/2 to 1.", STEP, True),
    Op("exponent", 1, "---=-", "=", "", "The exponent of the power of two beside the mantissa.", STEP),
    *map(_special, _SPECIAL_ROWS.strip().splitlines()),
)

_DIVISIONS = ("divide", "floor_divide", "np_floor_divide", "remainder", "fmod", "reciprocal", "gcd", "lcm")
_POWERS = ("pow", "float_power", "sqrt", "cbrt", "hypot", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10")
_ANGLES = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")
_HEAVY = frozenset((*_DIVISIONS, *_POWERS, *_ANGLES, "logaddexp", "logaddexp2", "i0", "nextafter", "spacing"))

_EXACT = frozenset(
    (
        *("add", "subtract", "multiply", "divide", "negative", "positive", "abs", "square", "sqrt", "copy", "where"),
        *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "minimum", "maximum", "fmin", "fmax"),
    )
)

_FOR_VECTORS = ("add", "subtract", "multiply", "divide", "negative", "square", "copy")

OPS: dict[str, Op] = {row.name: row for row in _ROWS}
"""Every op by name, in the order of the core's op numbers."""


def is_heavy(name: str) -> bool:
    """Whether an op's code is long, for which compilers take their time: functions, divisions, what users write."""
    op = OPS.get(name)
    return op is None or name in _HEAVY or bool(op.flags & (STEP | SPECIAL))


def table_for_core() -> list[tuple[str, int, list[int], list[int], int, str]]:
    """The table as the C++ core takes it.

    Returns
    -------
    list of (name, nin, compute, result, flags, ufunc)
        `compute` and `result` give, for each of the 14 promoted input dtypes in the core's order, the dtype's number,
        or -1 where the op is not defined for it. `flags` is the sum of WHERE (1), COMPARISON (2), SHIFT (4),
        COMMUTATIVE (8), FLOAT_FIRST (16), INDEXED (32), STEP (64), SPECIAL (128), HEAVY (256), VECTORS (512) and
        EXACT (1024).
        `ufunc` is NumPy's name of it, which messages give, or empty.
    """
    number: dict[str | None, int] = {dtype: i for i, dtype in enumerate(DTYPES)}
    number[None] = -1
    rules: dict[tuple[str, str], tuple[list[int], list[int]]] = {}  # many rows have the same
    for op in _ROWS:
        if (op.compute, op.result) not in rules:
            rules[op.compute, op.result] = (
                [number[op.compute_dtype(dtype)] for dtype in DTYPES],
                [number[op.result_dtype(dtype)] for dtype in DTYPES],
            )
    rows = []
    for op in _ROWS:
        heavy = HEAVY if is_heavy(op.name) else 0
        vectors = VECTORS if op.name in _FOR_VECTORS else 0
        exact = EXACT if op.name in _EXACT else 0
        rows.append((op.name, op.nin, *rules[op.compute, op.result], op.flags | heavy | vectors | exact, op.ufunc))
    return rows
