"""The words of users' kernels: CUDA's and OpenCL's spellings of one thing, for either compiler.

A text written in the common subset of CUDA C and OpenCL C goes through unchanged. What only one of the two spells so
(`threadIdx.x`, `__device__`, `T(0)`, `sqrtf`; `get_global_id(0)`, `__local`) is put in the other's words. Lines keep
their numbers, so that a compiler's message points into the user's text.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from devarray.codegen.language import cuda_words
from devarray.codegen.language.dialect import Dialect

__all__ = ["CONSTANTS", "WORD", "defined_names", "global_pointers", "library", "options", "translate"]

WORD = re.compile(r"[A-Za-z_]\w*")
_QUALIFIERS = r"(?:static|inline|__inline__|__forceinline__|__noinline__|__host__|__device__)"
_DEVICE = re.compile(rf"\b(?:{_QUALIFIERS}\s+)*__device__(?:\s+{_QUALIFIERS})*\b")
_TYPEDEF = re.compile(r"\btypedef\b[^;{}]*?\b(\w+)\s*;")
_BY_VALUE = re.compile(r"\b(?:size_t|ptrdiff_t|bool)\b(?=\s*(?:const\s+)?\w+\s*$)")
_AXES = {"x": 0, "y": 1, "z": 2}
_INDICES = {"threadIdx": "LOCAL_ID", "blockIdx": "GROUP_ID", "blockDim": "LOCAL_SIZE", "gridDim": "GROUPS"}
_CALLS = {
    "get_global_id": "GLOBAL_ID",
    "get_global_size": "GLOBAL_SIZE",
    "get_local_id": "LOCAL_ID",
    "get_local_size": "LOCAL_SIZE",
    "get_group_id": "GROUP_ID",
    "get_num_groups": "GROUPS",
}

_TYPES = {
    "int8_t": "i8",
    "int16_t": "i16",
    "int32_t": "i32",
    "int64_t": "i64",
    "uint8_t": "u8",
    "uint16_t": "u16",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "float16": "f16",
    "complex64": "c64",
    "complex128": "c128",
}
_CUDA_TYPES = {"uchar": "u8", "ushort": "u16", "uint": "u32", "ulong": "u64", "ptrdiff_t": "i64"}

_SINGLE = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "cospi",
    "erf", "erfc", "exp", "exp2", "exp10", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot",
    "lgamma", "log", "log10", "log1p", "log2", "nextafter", "pow", "remainder", "rint", "round", "rsqrt", "sin",
    "sinh", "sinpi", "sqrt", "tan", "tanh", "tgamma", "trunc",
]  # fmt: skip
_UNARY = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfc", "exp", "exp2",
    "exp10", "expm1", "fabs", "floor", "log", "log10", "log1p", "log2", "rint", "round", "rsqrt", "sin", "sinh", "sqrt",
    "tan", "tanh", "tgamma", "trunc",
]  # fmt: skip
_BINARY = ["atan2", "copysign", "fmax", "fmin", "fmod", "hypot", "pow"]
_FN = "static inline __attribute__((overloadable))"
_NVRTCS_ALONE = re.compile(
    r"--?(?:std=|maxrregcount|gpu-architecture|arch=|generate-line-info$|lineinfo$|device-debug$|default-device$"
    r"|fmad=true$)"
)
"""Options of NVRTC's that change no result, or choose a standard of C++, which OpenCL C is not."""
_INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")


def translate(text: str, dialect: Dialect, types: Iterable[str] = ()) -> str:
    """A user's text in the words of a dialect.

    Parameters
    ----------
    text : str
    dialect : Dialect
    types : iterable of str
        Names of types beside C's own: `T(x)` is a conversion in C++ alone.
    """
    return _to_opencl(text, types) if dialect.driver == "opencl" else _to_cuda(text)


def options(given: Iterable[str], dialect: Dialect) -> list[str]:
    """A user's options of the compiler in the words of a dialect: OpenCL's compilers refuse all that they do not know.

    Parameters
    ----------
    given : iterable of str
    dialect : Dialect
    """
    if dialect.driver != "opencl":
        return list(given)
    fast = ("--use_fast_math", "-use_fast_math")
    return ["-cl-fast-relaxed-math" if o in fast else o for o in given if not _NVRTCS_ALONE.match(o)]


def _to_opencl(text: str, types: Iterable[str]) -> str:
    text = re.sub(r'\bextern\s+"C"\s*', "", text)
    text = re.sub(r"#\s*include\s*<pyopencl-complex\.h>", "", text)  # library() has it
    text = cuda_words.in_opencl(text)
    text = _DEVICE.sub("static inline", text)
    text = re.sub(r"\b__global__\b", "KERNEL", text)
    text = re.sub(r"\b__shared__\b", "LOCAL", text)
    text = re.sub(r"\b__constant__\b", "constant", text)
    text = re.sub(r"\b__restrict__\b", "restrict", text)
    text = re.sub(r"\b(?:__forceinline__|__noinline__|__host__)\b", "", text)
    text = re.sub(r"\b__syncthreads\s*\(\s*\)", "BARRIER", text)
    text = re.sub(r"\bunsigned\s+long\s+long(?:\s+int)?\b", "u64", text)
    text = re.sub(r"\blong\s+long(?:\s+int)?\b", "i64", text)
    # OpenCL's `long long` has 128 bits.
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)(?:([uU])(?:ll|LL)|(?:ll|LL)([uU]?))\b", r"\1\2\3L", text)
    for word, macro in _INDICES.items():
        for axis, number in _AXES.items():
            text = re.sub(rf"\b{word}\.{axis}\b", f"{macro}({number})", text)
    text = re.sub(r"\b(?:static|reinterpret)_cast\s*<([^<>]*)>\s*\(", r"(\1)(", text)
    names = "|".join(["bool", "char", "short", "int", "long", "float", "double", "u64", "i64", "size_t", *types])
    return re.sub(rf"(?<![\w.>])(?<!\bunsigned )(?<!\bsigned )({names})\s*\((?!\s*\*)", r"(\1)(", text)


def _to_cuda(text: str) -> str:
    for word, macro in _CALLS.items():
        text = re.sub(rf"\b{word}\s*\(\s*([012])\s*\)", rf"{macro}(\1)", text)
    text = re.sub(r"\b(?:__)?kernel\s+void\b", "KERNEL void", text)
    text = re.sub(r"\b__global\b(?!_)", "", text)
    text = re.sub(r"\bglobal\s+(?=(?:const\s+|volatile\s+)*(?:unsigned\s+|signed\s+)?\w+\s*\*)", "", text)
    text = re.sub(r"\b__local\b", "__shared__", text)
    text = re.sub(r"\brestrict\b", "__restrict__", text)
    return re.sub(r"\bbarrier\s*\([^()]*\)", "__syncthreads()", text)


def global_pointers(text: str) -> str:
    """An OpenCL text whose kernels' pointer parameters are in global memory where nothing else is said.

    Sizes and truths, which OpenCL's kernels do not take as such, are integers of 64 and 8 bits.
    """

    def qualify(match: re.Match[str]) -> str:
        parameters = [
            re.sub(r"^(\s*)", r"\1global ", p)
            if "*" in p and not re.search(r"\b(?:__)?(?:global|local|constant)\b|\bLOCAL\b", p)
            else _BY_VALUE.sub(lambda found: {"size_t": "ulong", "ptrdiff_t": "long", "bool": "b8"}[found[0]], p)
            for p in match[2].split(",")
        ]
        return f"{match[1]}({','.join(parameters)})"

    return re.sub(r"(\bKERNEL\b[^;{}()]*?\bvoid\s+\w+\s*)\(([^()]*)\)", qualify, text)


def defined_names(text: str) -> list[str]:
    """Names that a text defines at its outermost level: functions, types, macros, constants."""
    flat = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    names = re.findall(r"^\s*#\s*define\s+(\w+)", flat, re.M)
    flat = re.sub(r"^\s*#.*$", " ", flat, flags=re.M)
    depth, outer = 0, []
    for part in re.split(r"([{}])", flat):
        if part in "{}" and part:
            depth += 1 if part == "{" else -1
            outer.append(part)
        elif depth == 0:
            outer.append(part)
    top = "".join(outer)
    names += re.findall(r"(\w+)\s*\([^(){};]*\)\s*\{", top)
    names += re.findall(r"\b(?:struct|enum|union)\s+(\w+)", top)
    names += re.findall(r"\btypedef\b[^;]*?(\w+)\s*;", top)
    names += re.findall(r"\b(\w+)\s*(?:\[[^\]]*\]\s*)*=", top)
    return list(dict.fromkeys(name for name in names if name not in ("if", "for", "while", "switch")))


CONSTANTS: dict[str, tuple[str, Any]] = {
    **{name: ("float64", value) for name, value in {
        "M_E": math.e, "M_LOG2E": math.log2(math.e), "M_LOG10E": math.log10(math.e), "M_LN2": math.log(2),
        "M_LN10": math.log(10), "M_PI": math.pi, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4, "M_1_PI": 1 / math.pi,
        "M_2_PI": 2 / math.pi, "M_2_SQRTPI": 2 / math.sqrt(math.pi), "M_SQRT2": math.sqrt(2),
        "M_SQRT1_2": math.sqrt(0.5), "DBL_MAX": sys.float_info.max, "DBL_MIN": sys.float_info.min,
        "DBL_EPSILON": sys.float_info.epsilon,
    }.items()},
    "FLT_MAX": ("float32", float(np.finfo("f4").max)),
    "FLT_MIN": ("float32", float(np.finfo("f4").tiny)),
    "FLT_EPSILON": ("float32", float(np.finfo("f4").eps)),
    "INFINITY": ("float32", math.inf),
    "NAN": ("float32", math.nan),
    "INT_MAX": ("int32", 2**31 - 1),
    "INT_MIN": ("int32", -(2**31)),
    "UINT_MAX": ("uint32", 2**32 - 1),
}  # fmt: skip
"""Constants of C's headers, which OpenCL C has and NVRTC has not, and their dtypes."""

_INTRINSICS = {
    "__expf": "exp", "__exp10f": "exp10", "__logf": "log", "__log2f": "log2", "__log10f": "log10", "__sinf": "sin",
    "__cosf": "cos", "__tanf": "tan", "__powf": "pow",
}  # fmt: skip
"""CUDA's quick functions of floats, and those that OpenCL takes for them: its own quick ones may have 11 bits."""
_NATIVES = {
    "native_exp": "__expf", "native_exp10": "__exp10f", "native_log": "__logf", "native_log2": "__log2f",
    "native_log10": "__log10f", "native_sin": "__sinf", "native_cos": "__cosf", "native_tan": "__tanf",
    "native_powr": "__powf", "native_divide": "__fdividef", "native_sqrt": "sqrtf", "native_rsqrt": "rsqrtf",
    "native_exp2": "exp2f", "native_recip": "__frcp_rn",
}  # fmt: skip
"""OpenCL's quick functions of floats, and CUDA's."""


def _constant(name: str) -> str:
    """A constant in CUDA C."""
    dtype, value = CONSTANTS[name]
    if not math.isfinite(value):
        return f"__int_as_float({'0x7f800000' if math.isinf(value) else '0x7fc00000'})"
    if dtype == "int32" and value < 0:
        return f"({value + 1} - 1)"
    return f"{value!r}{ {'float32': 'f', 'uint32': 'u'}.get(dtype, '') }"


def library(texts: Sequence[str], dialect: Dialect) -> str:
    """Definitions of those of the other language's words that texts use."""
    used = set(WORD.findall("\n".join(texts)))
    lines = [f"#define {word} {ours}" for word, ours in _TYPES.items() if word in used]
    if dialect.driver == "cuda":
        lines += [f"#define {word} {ours}" for word, ours in _CUDA_TYPES.items() if word in used]
        lines += [text for word, text in _CUDA_FUNCTIONS.items() if word in used]
        lines += [f"#define {word} {ours}" for word, ours in _NATIVES.items() if word in used]
        known = {name for text in texts for name in defined_names(text)} if used & CONSTANTS.keys() else set()
        for word in CONSTANTS.keys() & used - known:
            lines += [f"#ifndef {word}", f"#define {word} {_constant(word)}", "#endif"]
        return "".join(f"{line}\n" for line in lines)
    own = {name for text in texts for name in _TYPEDEF.findall(text)} if lines else set()
    lines = [line for line in lines if line.split()[1] not in own]
    if any(word.startswith(("cfloat_", "cdouble_")) for word in used):
        lines += _complex_numbers("fp64" in dialect.layers)
    lines += [f"#define {word} {ours}f" for word, ours in _INTRINSICS.items() if word in used]
    used |= {f"{ours}f" for word, ours in _INTRINSICS.items() if word in used}
    lines += cuda_words.definitions(used, "\n".join(texts), "fp64" in dialect.layers)
    lines += _of_floats(name for name in _SINGLE if f"{name}f" in used)
    lines += _overloads(used, "double" if "fp64" in dialect.layers else "float")
    return "".join(f"{line}\n" for line in lines)


_CUDA_FUNCTIONS = {
    "clamp": "template <class X, class L, class H> static __device__ X clamp(X x, L low, H high)"
    " { return x < (X)low ? (X)low : x > (X)high ? (X)high : x; }",
    "mad": "template <class X> static __device__ X mad(X a, X b, X c) { return a * b + c; }",
    "mix": "template <class X> static __device__ X mix(X a, X b, X t) { return a + (b - a) * t; }",
}


def _complex_numbers(double: bool) -> list[str]:
    """PyOpenCL's complex numbers, which are the engine's own types here."""
    header = (Path(__file__).parents[2] / "cl" / "include" / "pyopencl-complex.h").read_text()
    return ["#define ENGINE_COMPLEX_TYPES", *["#define PYOPENCL_DEFINE_CDOUBLE"] * double, header]


def _of_floats(names: Iterable[str]) -> list[str]:
    """C's functions of floats, such as `sqrtf`: what they are given becomes a float."""
    lines = []
    for name in names:
        count = 3 if name == "fma" else 2 if name in (*_BINARY, "fdim", "nextafter", "remainder") else 1
        taken, given = (", ".join(f"{kind}{x}" for x in "xyz"[:count]) for kind in ("float ", ""))
        lines += [f"{_FN} float user_{name}f({taken}) {{ return {name}({given}); }}", f"#define {name}f user_{name}f"]
    return lines


def _overloads(used: set[str], real: str) -> list[str]:
    """C++'s overloads of the mathematical functions, which OpenCL C has for equal floating-point types alone."""
    lines = []
    floats = ["float"] if real == "float" else ["float", "double"]
    for name in _UNARY:
        if name in used:
            lines += [f"{_FN} {t} user_{name}({t} x) {{ return {name}(x); }}" for t in floats]
            lines += [f"{_FN} {real} user_{name}({t} x) {{ return {name}(({real})x); }}" for t in _INTEGERS]
            lines.append(f"#define {name} user_{name}")
    for name in _BINARY:
        if name in used:
            for a in (*floats, "int", "uint", "long", "ulong"):
                for b in (*floats, "int", "uint", "long", "ulong"):
                    wide = a if a == b and a in floats else real
                    lines.append(f"{_FN} {wide} user_{name}({a} x, {b} y) {{ return {name}(({wide})x, ({wide})y); }}")
            lines.append(f"#define {name} user_{name}")
    for name, less in (("min", "y < x"), ("max", "x < y")):
        if name in used:
            order = [*_INTEGERS[4:], *floats]
            for i, a in enumerate(order):
                for j, b in enumerate(order):
                    wide = order[max(i, j)]
                    # CUDA's take the number where one is a NaN.
                    chosen = f"f{name}(x, y)" if wide in floats else f"{less} ? y : x"
                    body = f"const {wide} x = a, y = b; return {chosen};"
                    lines.append(f"{_FN} {wide} user_{name}({a} a, {b} b) {{ {body} }}")
            lines.append(f"#define {name} user_{name}")
    if "abs" in used:
        lines += [f"{_FN} {t} user_abs({t} x) {{ return x < 0 ? -x : x; }}" for t in ("int", "long")]
        lines += [f"{_FN} {t} user_abs({t} x) {{ return fabs(x); }}" for t in floats]
        lines.append("#define abs user_abs")
    return lines + _atomics(used, real)


def _atomics(used: set[str], real: str) -> list[str]:
    """CUDA's atomic functions on global memory, of the types that OpenCL has them for, and sums of floats."""
    lines = []
    kinds = [("int", "atomic"), ("uint", "atomic")]
    if real == "double":  # a device with one has the other, too
        kinds += [("long", "atom"), ("ulong", "atom")]
    places = [(space, *kind) for space in ("global", "local") for kind in kinds]
    for name in ("add", "sub", "min", "max", "and", "or", "xor", "xchg"):
        cuda = {"xchg": "atomicExch"}.get(name, f"atomic{name.capitalize()}")
        if cuda in used:
            lines += [
                f"{_FN} {t} {cuda}(volatile {space} {t}* p, {t} v) {{ return {prefix}_{name}(p, v); }}"
                for space, t, prefix in places
            ]
    for name, following in (("Inc", "old >= most ? 0 : old + 1"), ("Dec", "old == 0 || old > most ? most : old - 1")):
        if f"atomic{name}" in used:
            lines += [
                f"{_FN} uint atomic{name}(volatile {space} uint* p, uint most) {{ uint old = *p, seen;"
                f" for (;;) {{ seen = atomic_cmpxchg(p, old, {following});"
                f" if (seen == old) return old; old = seen; }} }}"
                for space in ("global", "local")
            ]
    if "atomicExch" in used:
        lines += [
            f"{_FN} float atomicExch(volatile {space} float* p, float v) {{ return atomic_xchg(p, v); }}"
            for space in ("global", "local")
        ]
    if "atomicCAS" in used:
        lines += [
            f"{_FN} {t} atomicCAS(volatile {space} {t}* p, {t} c, {t} v) {{ return {prefix}_cmpxchg(p, c, v); }}"
            for space, t, prefix in places
        ]
    if "atomicAdd" in used:
        for t, bits, swap in (("float", "uint", "atomic_cmpxchg"), ("double", "ulong", "atom_cmpxchg")):
            if t == "double" and real != "double":
                continue
            lines += [
                f"{_FN} {t} atomicAdd(volatile {space} {t}* p, {t} v) {{"
                f" {bits} old = *(volatile {space} {bits}*)p, seen;"
                f" for (;;) {{ seen = {swap}((volatile {space} {bits}*)p, old, as_{bits}(as_{t}(old) + v));"
                f" if (seen == old) return as_{t}(old); old = seen; }} }}"
                for space in ("global", "local")
            ]
    extensions = ("base", "extended") if lines and real == "double" else ()
    return [f"#pragma OPENCL EXTENSION cl_khr_int64_{name}_atomics : enable" for name in extensions] + lines
