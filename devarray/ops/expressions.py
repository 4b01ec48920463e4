"""C text of each op, by kind of the compute dtype (`b i u f c`) or by C type where one differs (`f16`).

`a`, `b` and `c` are the inputs, already of the compute dtype; `T`, `U` and `name_T` are as in the prelude: the type,
the unsigned type that integers are computed in without undefined overflow, and a function made for the type.
The keys `iu` and `ui` are comparisons of a signed integer with a uint64 and the reverse, which go by value. `by` is the
text for floats on CPUs where `b` is the same for all elements, `scalars` that for floats where both `b` and `c` are.
`by constant` is that for floats where `b` is written into the text and one of statements.py's `_is_by_constant`.
`checked` is the text for float32 and float64 without a branch, for operands and results that kernels have tested;
`checked f32` that of an op which has no branch otherwise either, but steps for special operands.
`INDEX` is the element's number; as a float it is `c`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["EXPRESSIONS"]

_UNARY_REAL = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "log10",
    "log1p",
    "log2",
    "sin",
    "sinh",
    "tan",
    "tanh",
]
_SPECIAL_UNARY = """erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr gamma gammaln gammasgn rgamma digamma expit
    log_expit logit entr exprel exp10 cosm1 sindg cosdg tandg cotdg i0e i1 i1e k0 k0e k1 k1e j0 j1 y0 y1 ellipk ellipkm1
    exp1"""
_SPECIAL_BINARY = """beta betaln poch xlogy xlog1py rel_entr kl_div huber pseudo_huber boxcox boxcox1p inv_boxcox
    inv_boxcox1p jn yn"""


def _kinds(**texts: str) -> dict[str, str]:
    """One entry for each letter of each keyword."""
    return {kind: text for kinds, text in texts.items() for kind in kinds}


def _calls(names: Iterable[str], kinds: str, arguments: str) -> dict[str, dict[str, str]]:
    return {name: dict.fromkeys(kinds, f"{name}_T({arguments})") for name in names}


def _arithmetic(sign: str) -> dict[str, str]:
    return _kinds(iu=f"(T)((U)a {sign} (U)b)", f=f"a {sign} b")


def _ordering(sign: str, function: str, iu: str, ui: str) -> dict[str, str]:
    return _kinds(biuf=f"a {sign} b", c=function) | {"iu": iu, "ui": ui}


_LESS, _EQUAL = "less_iu_i64(a, b)", "equal_iu_i64(a, b)"
_MORE, _LAUQE = "less_iu_i64(b, a)", "equal_iu_i64(b, a)"

EXPRESSIONS: Mapping[str, Mapping[str, str]] = {
    "add": _arithmetic("+") | {"b": "a | b", "c": "make_T(a.re + b.re, a.im + b.im)"},
    "subtract": _arithmetic("-") | {"c": "make_T(a.re - b.re, a.im - b.im)"},
    "multiply": _arithmetic("*") | {"b": "a & b", "c": "multiply_T(a, b)"},
    "divide": _kinds(f="a / b", c="divide_T(a, b)")
    | {
        "checked": "divide_near_T(a, b)",
        "checked inverse": "near_reciprocal_T(b)",
        "by constant": "divide_by_T(a, b)",
        "checked by constant": "divide_near_by_T(a, b)",
    },
    "pow": _kinds(iufc="pow_T(a, b)") | {"by": "pow_by_T(a, b)"},
    "float_power": _kinds(fc="pow_T(a, b)") | {"by": "pow_by_T(a, b)"},
    "negative": _kinds(iu="negative_T(a)", f="-a", c="make_T(-a.re, -a.im)"),
    "positive": _kinds(iufc="a"),
    "abs": _kinds(bu="a", i="absolute_T(a)", f="fabs_T(a)", c="abs_T(a)"),
    "sign": _kinds(ifc="sign_T(a)", u="(T)(a != 0)"),
    "square": _kinds(iu="(T)((U)a * (U)a)", f="a * a", c="square_T(a)"),
    "reciprocal": _kinds(iuc="reciprocal_T(a)", f="1.0_T / a") | {"checked": "near_reciprocal_T(a)"},
    "ceil": _kinds(biu="a", f="ceil_T(a)"),
    "floor": _kinds(biu="a", f="floor_T(a)"),
    "trunc": _kinds(biu="a", f="trunc_T(a)"),
    "round": _kinds(biu="a", f="rint_T(a)", c="make_T(rint_R(a.re), rint_R(a.im))"),
    "rint": _kinds(f="rint_T(a)", c="make_T(rint_R(a.re), rint_R(a.im))"),
    "deg2rad": _kinds(f="a * (T_PI / 180.0_T)"),
    "rad2deg": _kinds(f="a * (180.0_T / T_PI)"),
    "equal": _kinds(biuf="a == b", c="a.re == b.re && a.im == b.im") | {"iu": _EQUAL, "ui": _LAUQE},
    "not_equal": _kinds(biuf="a != b", c="a.re != b.re || a.im != b.im") | {"iu": f"!{_EQUAL}", "ui": f"!{_LAUQE}"},
    "less": _ordering("<", "less_T(a, b)", _LESS, f"!({_MORE} || {_LAUQE})"),
    "less_equal": _ordering("<=", "less_equal_T(a, b)", f"{_LESS} || {_EQUAL}", f"!{_MORE}"),
    "greater": _ordering(">", "less_T(b, a)", f"!({_LESS} || {_EQUAL})", _MORE),
    "greater_equal": _ordering(">=", "less_equal_T(b, a)", f"!{_LESS}", f"{_MORE} || {_LAUQE}"),
    "maximum": _kinds(biu="larger_T(a, b)", fc="maximum_T(a, b)") | {"f16": "maximum_T(a, b)"},
    "minimum": _kinds(biu="smaller_T(a, b)", fc="minimum_T(a, b)") | {"f16": "minimum_T(a, b)"},
    "fmax": _kinds(biu="larger_T(a, b)", fc="fmax_T(a, b)") | {"f16": "fmax_T(a, b)"},
    "fmin": _kinds(biu="smaller_T(a, b)", fc="fmin_T(a, b)") | {"f16": "fmin_T(a, b)"},
    "clip": _kinds(biu="clip_T(a, b, c)", fc="minimum_T(maximum_T(a, b), c)")
    | {"f16": "clip_T(a, b, c)", "scalars": "clip_T(a, b, c)"},
    "where": _kinds(biufc="a ? b : c"),
    "bitwise_and": _kinds(biu="a & b"),
    "bitwise_or": _kinds(biu="a | b"),
    "bitwise_xor": _kinds(biu="a ^ b"),
    "bitwise_invert": _kinds(b="!a", iu="~a"),
    "bitwise_left_shift": _kinds(iu="left_shift_T(a, b)") | {"integer known": "known_left_shift_T(a, b)"},
    "bitwise_right_shift": _kinds(iu="right_shift_T(a, b)") | {"integer known": "known_right_shift_T(a, b)"},
    "logical_and": _kinds(b="a & b"),
    "logical_or": _kinds(b="a | b"),
    "logical_xor": _kinds(b="a ^ b"),
    "logical_not": _kinds(b="!a"),
    "isfinite": _kinds(biu="1", fc="isfinite_T(a)"),
    "isinf": _kinds(biu="0", fc="isinf_T(a)"),
    "isnan": _kinds(biu="0", fc="isnan_T(a)"),
    "nextafter": {"f": "nextafter_T(a, b)", "f16": "nextafter_f16(a, b)"},
    "spacing": {"f": "spacing_T(a)", "f16": "spacing_f16(a)"},
    "conj": _kinds(biuf="a", c="make_T(a.re, -a.im)"),
    "real": _kinds(biuf="a", c="a.re"),
    "imag": _kinds(biuf="0", c="a.im"),
    "astype": _kinds(biufc="a"),
    "copy": _kinds(biufc="a"),
    "iota": _kinds(
        iu="(T)((U)a + (U)INDEX * (U)b)",
        f="a + c * b",
        c="make_T(a.re + c * b.re, a.im + c * b.im)",
    ),
    **_calls(_UNARY_REAL, "fc", "a"),
    "log": _kinds(fc="log_T(a)") | {"checked f32": "log_near_T(a)"},
    "sqrt": _kinds(fc="sqrt_T(a)") | {"checked": "sqrt_near_T(a)"},
    **_calls(("cbrt", "fabs", "i0", "signbit"), "f", "a"),
    **_calls(("bitwise_count",), "iu", "a"),
    **_calls(("atan2", "copysign", "heaviside", "hypot", "logaddexp", "logaddexp2"), "f", "a, b"),
    **{
        name: texts | {"integer by": f"{name}_by_T(a, b)"}
        for name, texts in _calls(("floor_divide", "remainder", "fmod"), "iuf", "a, b").items()
    },
    **_calls(("gcd", "lcm"), "iu", "a, b"),
    **_calls(_SPECIAL_UNARY.split(), "f", "a"),
    **_calls(_SPECIAL_BINARY.split(), "f", "a, b"),
    "scale_by_power": _kinds(f="scale_by_power_T(a, b)"),
    "mantissa": _kinds(f="mantissa_T(a)"),
    "exponent": _kinds(f="exponent_T(a)"),
    "philox": _kinds(u="philox_T(a, b, c)"),
    "philox_half": _kinds(u="philox_half_T(a, b, c)"),
    "index_place": _kinds(i="index_place_T(a, b, c)"),
    "take": {},  # devarray/codegen/kernels/statements.py
    "bounded": _kinds(u="bounded_T(a, b)"),
    "normal_tail": _kinds(f="normal_tail_T(a)"),
    "draw_gamma": _kinds(f="draw_gamma_T(a, b)"),
    "draw_poisson": _kinds(f="draw_poisson_T(a, b)"),
    "draw_vonmises": _kinds(f="draw_vonmises_T(a, b)"),
    "draw_zipf": _kinds(f="draw_zipf_T(a, b)"),
    "draw_binomial": _kinds(f="draw_binomial_T(a, b, c)"),
    "np_floor_divide": _kinds(iu="floor_divide_T(a, b)", f="np_floor_divide_T(a, b)"),
}
