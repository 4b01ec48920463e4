"""CUDA's functions and types in OpenCL C: what a user's text in CUDA C finds on a device of OpenCL.

Definitions follow the CUDA Math API and the CUDA C++ Programming Guide. What only warps have (shuffles, ballots,
`warpSize`) and roundings other than to the nearest have none: a text with these does not compile, and the error names
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from devarray.codegen.language.templates import matching

__all__ = ["WORDS", "definitions", "dynamic_memory", "in_opencl", "of_warps", "outer_constants"]

_FN = "static inline __attribute__((overloadable))"
WORDS = frozenset(("__global__", "__device__", "__shared__", "threadIdx", "blockIdx"))
"""Those that say that a text is CUDA's, where a name is a function of either language."""

_MACROS: dict[str, str] = {
    "__fdividef(x, y)": "((float)(x) / (float)(y))",
    # integers
    "__popc(x)": "((int)popcount((uint)(x)))",
    "__popcll(x)": "((int)popcount((ulong)(x)))",
    "__clz(x)": "((int)clz((uint)(x)))",
    "__clzll(x)": "((int)clz((ulong)(x)))",
    "__mulhi(x, y)": "mul_hi((int)(x), (int)(y))",
    "__umulhi(x, y)": "mul_hi((uint)(x), (uint)(y))",
    "__mul64hi(x, y)": "mul_hi((long)(x), (long)(y))",
    "__umul64hi(x, y)": "mul_hi((ulong)(x), (ulong)(y))",
    "__hadd(x, y)": "hadd((int)(x), (int)(y))",
    "__rhadd(x, y)": "rhadd((int)(x), (int)(y))",
    "__uhadd(x, y)": "hadd((uint)(x), (uint)(y))",
    "__urhadd(x, y)": "rhadd((uint)(x), (uint)(y))",
    "__sad(x, y, z)": "(abs_diff((int)(x), (int)(y)) + (uint)(z))",
    "__usad(x, y, z)": "(abs_diff((uint)(x), (uint)(y)) + (uint)(z))",
    "umin(x, y)": "min((uint)(x), (uint)(y))",
    "umax(x, y)": "max((uint)(x), (uint)(y))",
    "llmin(x, y)": "min((long)(x), (long)(y))",
    "llmax(x, y)": "max((long)(x), (long)(y))",
    "ullmin(x, y)": "min((ulong)(x), (ulong)(y))",
    "ullmax(x, y)": "max((ulong)(x), (ulong)(y))",
    "labs(x)": "((long)abs((long)(x)))",
    "llabs(x)": "((long)abs((long)(x)))",
    # bits of floating-point numbers
    "__float_as_int(x)": "as_int((float)(x))",
    "__float_as_uint(x)": "as_uint((float)(x))",
    "__int_as_float(x)": "as_float((int)(x))",
    "__uint_as_float(x)": "as_float((uint)(x))",
    "__double_as_longlong(x)": "as_long((double)(x))",
    "__longlong_as_double(x)": "as_double((long)(x))",
    "__hiloint2double(high, low)": "as_double((ulong)(uint)(high) << 32 | (uint)(low))",
    "__double2hiint(x)": "((int)(as_ulong((double)(x)) >> 32))",
    "__double2loint(x)": "((int)as_ulong((double)(x)))",
    # arithmetic
    "__frcp_rn(x)": "(1.0f / (float)(x))",
    "__fsqrt_rn(x)": "sqrt((float)(x))",
    "__frsqrt_rn(x)": "rsqrt((float)(x))",
    "__fmaf_rn(x, y, z)": "fma((float)(x), (float)(y), (float)(z))",
    "__drcp_rn(x)": "(1.0 / (double)(x))",
    "__dsqrt_rn(x)": "sqrt((double)(x))",
    "__fma_rn(x, y, z)": "fma((double)(x), (double)(y), (double)(z))",
    "fdividef(x, y)": "((float)(x) / (float)(y))",
    "__saturatef(x)": "fmin(fmax((float)(x), 0.0f), 1.0f)",
    # functions of C's and of CUDA's library
    "rcbrt(x)": "(1 / cbrt(x))",
    "rcbrtf(x)": "(1.0f / cbrt((float)(x)))",
    "rhypot(x, y)": "(1 / hypot(x, y))",
    "rhypotf(x, y)": "(1.0f / hypot((float)(x), (float)(y)))",
    "norm3d(x, y, z)": "hypot(hypot(x, y), z)",
    "norm3df(x, y, z)": "hypot(hypot((float)(x), (float)(y)), (float)(z))",
    "rnorm3d(x, y, z)": "(1 / hypot(hypot(x, y), z))",
    "rnorm3df(x, y, z)": "(1.0f / hypot(hypot((float)(x), (float)(y)), (float)(z)))",
    "norm4d(x, y, z, w)": "hypot(hypot(x, y), hypot(z, w))",
    "norm4df(x, y, z, w)": "hypot(hypot((float)(x), (float)(y)), hypot((float)(z), (float)(w)))",
    "ldexpf(x, n)": "ldexp((float)(x), (int)(n))",
    "scalbn(x, n)": "ldexp(x, (int)(n))",
    "scalbnf(x, n)": "ldexp((float)(x), (int)(n))",
    "scalbln(x, n)": "ldexp(x, (int)(n))",
    "scalblnf(x, n)": "ldexp((float)(x), (int)(n))",
    "ilogbf(x)": "ilogb((float)(x))",
    "logbf(x)": "logb((float)(x))",
    "lrint(x)": "convert_long_rte(x)",
    "lrintf(x)": "convert_long_rte((float)(x))",
    "llrint(x)": "convert_long_rte(x)",
    "llrintf(x)": "convert_long_rte((float)(x))",
    "lround(x)": "((long)round(x))",
    "lroundf(x)": "((long)round((float)(x)))",
    "llround(x)": "((long)round(x))",
    "llroundf(x)": "((long)round((float)(x)))",
    "nearbyint(x)": "rint(x)",
    "nearbyintf(x)": "rint((float)(x))",
    # memory and order
    "__ldg(p)": "(*(p))",
    "__ldca(p)": "(*(p))",
    "__ldcg(p)": "(*(p))",
    "__ldcs(p)": "(*(p))",
    "__threadfence()": "mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)",
    "__threadfence_block()": "mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)",
    "__threadfence_system()": "mem_fence(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)",
    "assert(x)": "((void)0)",
    # constants
    "nullptr": "NULL",
    "CUDART_INF_F": "INFINITY",
    "CUDART_NAN_F": "NAN",
    "CUDART_PI_F": "3.141592654f",
    "CUDART_SQRT_TWO_F": "1.414213562f",
    "CUDART_INF": "((double)INFINITY)",
    "CUDART_NAN": "((double)NAN)",
    "CUDART_PI": "3.1415926535897931",
    "CUDART_SQRT_TWO": "1.4142135623730951",
}

_FUNCTIONS: dict[str, list[str]] = {
    "__ffs": ["int NAME(uint x) { return 32 - (int)clz(x & -x); }"],
    "__ffsll": ["int NAME(ulong x) { return 64 - (int)clz(x & -x); }"],
    "__mul24": ["int NAME(int x, int y) { return (int)((uint)(x << 8 >> 8) * (uint)(y << 8 >> 8)); }"],
    "__umul24": ["uint NAME(uint x, uint y) { return (x & 0xFFFFFF) * (y & 0xFFFFFF); }"],
    "__brev": [
        "uint NAME(uint x) { uint r = 0; for (int i = 0; i < 32; ++i) r = r << 1 | (x >> i & 1); return r; }",
    ],
    "__brevll": [
        "ulong NAME(ulong x) { ulong r = 0; for (int i = 0; i < 64; ++i) r = r << 1 | (x >> i & 1); return r; }",
    ],
    "__byte_perm": [
        "uint NAME(uint x, uint y, uint s) { const ulong v = (ulong)y << 32 | x; uint r = 0;"
        " for (int i = 0; i < 4; ++i) { const uint at = s >> 4 * i, b = (uint)(v >> 8 * (at & 7)) & 0xFF;"
        " r |= (at & 8 ? (b & 0x80 ? 0xFFu : 0u) : b) << 8 * i; } return r; }"
    ],
    "__funnelshift_l": [
        "uint NAME(uint low, uint high, uint n) { return (uint)(((ulong)high << 32 | low) << (n & 31) >> 32); }"
    ],
    "__funnelshift_r": [
        "uint NAME(uint low, uint high, uint n) { return (uint)(((ulong)high << 32 | low) >> (n & 31)); }"
    ],
    "__funnelshift_lc": [
        "uint NAME(uint low, uint high, uint n) { return n > 31 ? low : (uint)(((ulong)high << 32 | low) << n >> 32); }"
    ],
    "__funnelshift_rc": [
        "uint NAME(uint low, uint high, uint n) { return n > 31 ? high : (uint)(((ulong)high << 32 | low) >> n); }"
    ],
    "__dp4a": [
        "int NAME(int a, int b, int c) { const char4 x = as_char4(a), y = as_char4(b);"
        " return c + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }",
        "uint NAME(uint a, uint b, uint c) { const uchar4 x = as_uchar4(a), y = as_uchar4(b);"
        " return c + x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w; }",
    ],
    "sincosf": ["void NAME(float x, float* s, float* c) { *s = sin(x); *c = cos(x); }"],
    "__sincosf": ["void NAME(float x, float* s, float* c) { *s = sin(x); *c = cos(x); }"],
    "sincospif": ["void NAME(float x, float* s, float* c) { *s = sinpi(x); *c = cospi(x); }"],
    "modff": ["float NAME(float x, float* whole) { return modf(x, whole); }"],
    "frexpf": ["float NAME(float x, int* exponent) { return frexp(x, exponent); }"],
    "remquof": ["float NAME(float x, float y, int* quotient) { return remquo(x, y, quotient); }"],
    "__fadd_rn": ["float NAME(float x, float y) { return x + y; }"],
    "__fsub_rn": ["float NAME(float x, float y) { return x - y; }"],
    "__fmul_rn": ["float NAME(float x, float y) { return x * y; }"],
    "__fdiv_rn": ["float NAME(float x, float y) { return x / y; }"],
    "__dadd_rn": ["double NAME(double x, double y) { return x + y; }"],
    "__dsub_rn": ["double NAME(double x, double y) { return x - y; }"],
    "__dmul_rn": ["double NAME(double x, double y) { return x * y; }"],
    "__ddiv_rn": ["double NAME(double x, double y) { return x / y; }"],
}
"""Functions of which an argument is used twice, that write through pointers, or whose results no compiler contracts."""

_OF_REALS = {
    "sincos": "void NAME(REAL x, REAL* s, REAL* c) { *s = sin(x); *c = cos(x); }",
    "sincospi": "void NAME(REAL x, REAL* s, REAL* c) { *s = sinpi(x); *c = cospi(x); }",
}
"""Functions that are overloaded for all floating-point types of the device."""
_SPECIAL = {
    "erfinv": "erfinv",
    "erfcinv": "erfcinv",
    "erfcx": "erfcx",
    "normcdf": "ndtr",
    "normcdfinv": "ndtri",
    "j0": "j0",
    "j1": "j1",
    "y0": "y0",
    "y1": "y1",
    "cyl_bessel_i0": "i0",
    "cyl_bessel_i1": "i1",
}
"""Functions that OpenCL has none of, and the prelude's (codegen/prelude/special.py)."""
_ROUNDED = {"rn": "rte", "rz": "rtz", "rd": "rtn", "ru": "rtp"}
_INTEGERS = {"int": "int", "uint": "uint", "ll": "long", "ull": "ulong"}
_VECTORS = "char|uchar|short|ushort|int|uint|long|ulong|float|double"


def _conversions() -> Iterator[tuple[str, str]]:
    """CUDA's conversions that round as their names say; floats beyond an integer's ends become those."""
    for mode, suffix in _ROUNDED.items():
        for name, kind in _INTEGERS.items():
            for real in ("float", "double"):
                yield f"__{real}2{name}_{mode}(x)", f"convert_{kind}_sat_{suffix}(({real})(x))"
                yield f"__{name}2{real}_{mode}(x)", f"convert_{real}_{suffix}(({kind})(x))"
        yield f"__double2float_{mode}(x)", f"convert_float_{suffix}((double)(x))"


_BY_NAME = {macro.partition("(")[0]: (macro, text) for macro, text in (*_MACROS.items(), *_conversions())}


def definitions(used: set[str], text: str, double: bool) -> list[str]:
    """Definitions of the words that texts use, a line each.

    Parameters
    ----------
    used : set of str
        All words of the texts.
    text : str
        The texts.
    double : bool
        Whether the device has float64.
    """
    reals = ("float", "double") if double else ("float",)
    of_cuda = bool(used & WORDS)
    lines = [f"#define {macro} {body}" for name, (macro, body) in _BY_NAME.items() if name in used]
    for name, functions in _FUNCTIONS.items():
        if name in used:
            lines += [_function(f, name) for f in functions]
            lines.append(f"#define {name} user_{name}")
    for name, function in _OF_REALS.items():
        if name in used and (of_cuda or name != "sincos"):  # OpenCL's own has two arguments
            lines += [_function(function, name).replace("REAL", real) for real in reals]
            lines.append(f"#define {name} user_{name}")
    for name, ours in _SPECIAL.items():
        if f"{name}f" in used:
            lines.append(f"#define {name}f(x) {ours}_f32((float)(x))")
        if name in used and re.search(rf"\b{name}\s*\(", text):
            for real, bits in zip(reals, ("f32", "f64"), strict=False):
                lines.append(f"{_FN} {real} user_{name}({real} x) {{ return {ours}_{bits}(x); }}")
            lines.append(f"#define {name} user_{name}")
    lines += [f"typedef struct {name} {name};" for name in _structures(text)] if of_cuda else []
    return lines + (list(_structures_of_numbers(used)) if of_cuda else [])


def _function(text: str, name: str) -> str:
    return f"{_FN} {text.replace('NAME', f'user_{name}')}"


def _structures(text: str) -> list[str]:
    """Structures that C++ calls by their names alone."""
    named = re.findall(r"^\s*struct\s+(?:__align__\s*\(\d+\)\s*)?(\w+)\s*\{", text, re.M)
    return [name for name in dict.fromkeys(named) if not re.search(rf"\btypedef\b[^;{{}}]*\b{name}\b\s*;", text)]


def _structures_of_numbers(used: set[str]) -> Iterator[str]:
    """Vectors of three, which have no fourth number behind them in CUDA, and of one, which OpenCL has not."""
    for kind in _VECTORS.split("|"):
        for size, members in ((1, "x"), (3, "x, y, z")):
            vector, made = f"{kind}{size}", f"make_{kind}{size}"
            if not used & {vector, made}:
                continue
            yield f"struct user_{vector} {{ {kind} {members}; }};"
            yield f"#define {vector} struct user_{vector}"
            yield f"#define {made}({members}) ((struct user_{vector}){{ {members} }})"


def of_warps(log: str) -> str:
    """A function of warps that a compiler's log names as unknown, or an empty text."""
    found = re.search(r"\b(__(?:shfl|ballot|any|all|activemask|syncwarp|match|reduce)\w*|warpSize)\b", log)
    return found[1] if found else ""


def in_opencl(text: str) -> str:
    """A text with CUDA's spelling of what has one of its own in OpenCL C, on the same lines."""
    text = re.sub(r"\b__launch_bounds__\s*\([^()]*\)", "", text)
    text = re.sub(r"\b__align__\s*\(([^()]*)\)", r"__attribute__((aligned(\1)))", text)
    text = re.sub(r"\b__restrict\b", "restrict", text)
    text = re.sub(r'\bnanf?\s*\(\s*"[^"]*"\s*\)', "NAN", text)
    text = re.sub(r"\b(make_)?(u?)longlong([1-4])\b", r"\1\2long\3", text)
    text = re.sub(rf"\bmake_({_VECTORS})([24])\s*\(", r"(\1\2)(", text)
    text = re.sub(r"\bauto(?=\s+\w+\s*=)", "__auto_type", text)
    return re.sub(r"\bconstexpr\b", "const", text)


def outer_constants(text: str) -> str:
    """A text whose constants outside of functions are in constant memory, where OpenCL C 1.2 has all of them."""
    depth, parts = 0, []
    for part in re.split(r"([{}()])", text):
        if depth == 0:
            part = re.sub(
                r"\b(?:static\s+)?const\s+(?:static\s+)?(?=(?:\w+\s+)+\w+\s*(?:\[[^\]]*\]\s*)*=)", "constant ", part
            )
        depth += (part in ("{", "(")) - (part in ("}", ")"))
        parts.append(part)
    return "".join(parts)


_DYNAMIC = re.compile(r"\bextern\s+(?:volatile\s+)?LOCAL\s+([^;\[\]{}]*?)(\w+)\s*\[\s*\]\s*;")
_KERNEL = re.compile(r"\bKERNEL\b[^;{}()]*?\bvoid\s+\w+\s*\(([^()]*)\)\s*\{")


def dynamic_memory(text: str) -> str:
    """A translated text whose kernels have dynamic shared memory as their last parameter, a pointer to local memory.

    A kernel's arrays of such memory begin at one address, as CUDA's do; where they stand outside of kernels, those that
    name them have them.
    """
    begin, parts, outer = 0, [], []
    for kernel in _KERNEL.finditer(text):
        if kernel.start() < begin:
            continue
        end = matching(text, kernel.end() - 1) + 1 or len(text)
        outer += _DYNAMIC.findall(text[begin : kernel.start()])
        parts.append(_DYNAMIC.sub("", text[begin : kernel.start()]))
        parts.append(_with_memory(text[kernel.start() : kernel.end()], kernel[1], text[kernel.end() : end], outer))
        begin = end
    return "".join((*parts, text[begin:])) if parts else text


def _with_memory(head: str, parameters: str, body: str, outer: list[tuple[str, str]]) -> str:
    named = [(kind, name) for kind, name in outer if re.search(rf"\b{name}\b", body)]
    found = [*named, *_DYNAMIC.findall(body)]
    if not found:
        return head + body
    types = [re.sub(r"__attribute__\(\(.*?\)\)\)|\bvolatile\b", "", kind).strip() for kind, _ in found]
    first = found[0][1]
    own = "" if parameters.strip() in ("", "void") else f"{parameters}, "
    at = head.rindex("(")
    others = zip(types[1:], found[1:], strict=True)
    views = "".join(f" LOCAL {kind}* {name} = (LOCAL {kind}*){first};" for kind, (_, name) in others)
    return f"{head[:at]}({own}LOCAL {types[0]}* {first}) {{{views}{_DYNAMIC.sub('', body)}"
