"""The device functions that kernels call: small C texts, each made for a type when a kernel names it.

A text is written once for several types. In it `T` stands for the type and `name_T` for that function of the same type
(`floor_divide_T` becomes `floor_divide_i32`), so that the names a text uses are its dependencies. `1.5_T` is a literal
of the type. The other tokens are listed at `_tokens`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from devarray.codegen.prelude.complex import COMPLEX
from devarray.codegen.prelude.convert import CONVERT, CONVERT_CUDA, EXTREMES_CUDA
from devarray.codegen.prelude.cpu import CPU
from devarray.codegen.prelude.gpu import GPU, GPU_CUDA, GPU_NVIDIA
from devarray.codegen.prelude.integer import INTEGER
from devarray.codegen.prelude.moments import MOMENTS
from devarray.codegen.prelude.nvidia import NVIDIA
from devarray.codegen.prelude.power import POWER, POWER_FP64
from devarray.codegen.prelude.random import RANDOM, RANDOM_CUDA
from devarray.codegen.prelude.real import BUILTINS, REAL
from devarray.codegen.prelude.special import SPECIAL, SPECIAL_FP64

__all__ = ["closure", "fill", "instantiate"]

_SUFFIXES = ["b8", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c64", "c128"]
_NAME = re.compile(rf"\b([A-Za-z]\w*)_({'|'.join(_SUFFIXES)})\b")
_TOKEN = re.compile(r"\b(0x[\da-f.p+-]+|\d[\d.]*(?:e[+-]?\d+)?)_[TR]\b|_([TRW])\b|\b([abcTURSW]|T_[A-Z]+)\b")

Texts = dict[tuple[str, str], str]


def _expand(texts: dict[tuple[str, str], str]) -> Texts:
    """(name, kinds) -> text as (name, kind or suffix) -> text."""
    expanded: Texts = {}
    for (name, kinds), text in texts.items():
        for kind in [kinds] if kinds in _SUFFIXES else kinds:
            expanded[name, kind] = text
    return expanded


_COMMON = (
    {(name, "f"): f"FN T {name}_T(const T x) {{ return {name}(x); }}" for name in BUILTINS[1]}
    | {(name, "f"): f"FN T {name}_T(const T x, const T y) {{ return {name}(x, y); }}" for name in BUILTINS[2]}
    | _expand(INTEGER)
    | _expand(REAL)
    | _expand(COMPLEX)
    | _expand(MOMENTS)
    | _expand(POWER)
    | _expand(CONVERT)
    | _expand(RANDOM)
    | _expand(SPECIAL)
)
_SPECIAL = MappingProxyType(
    {
        "cuda": _expand(CONVERT_CUDA) | _expand(EXTREMES_CUDA) | _expand(RANDOM_CUDA) | _expand(GPU_CUDA),
        "nvidia": _expand(NVIDIA) | _expand(GPU_NVIDIA),
        "gpu": _expand(GPU),
        "cpu": _expand(CPU),
        "fp64": _expand(POWER_FP64) | _expand(SPECIAL_FP64),
    }
)
"""Layers of texts that replace the common ones: for CUDA, NVIDIA's assembler, GPUs, CPUs, any device with float64."""


@cache
def _tokens(suffix: str) -> dict[str, str]:
    """Meaning of the tokens in a text that is made for a type."""
    kind, bits = suffix[0], int(suffix[1:])
    if kind in "biu":
        wide = max(bits, 32)
        top = bits - 1 if kind == "i" else bits
        return {
            "T": suffix,
            "U": f"u{wide}",  # the unsigned type to compute in: no undefined overflow
            "S": f"i{bits}",
            "W": f"u{bits}",
            "T_BITS": str(bits),
            "T_MIN": f"(({suffix})((u{wide})1 << {bits - 1}))" if kind == "i" else "0",
            "T_MAX": f"(({suffix})(((u64)1 << {top}) - 1))" if top < 64 else f"(({suffix})~(u64)0)",
        }
    real = f"f{bits // 2}" if kind == "c" else "f32" if suffix == "f16" else suffix
    double = real == "f64"
    constants = {
        "MAX": "0x1.fffffffffffffp1023" if double else "0x1.fffffep127f",
        "MIN": "0x1p-1022" if double else "0x1p-126f",  # the least normal number
        "EPS": "0x1p-52" if double else "0x1p-23f",
        "INF": "AS_F64(0x7ff0000000000000UL)" if double else "AS_F32(0x7f800000u)",
        "NAN": "AS_F64(0x7ff8000000000000UL)" if double else "AS_F32(0x7fc00000u)",
        "PI": "3.141592653589793" if double else "3.14159274f",
        "LNTWO": "0.6931471805599453" if double else "0.693147182f",
        "LNTWOLOW": "2.3190468138462996e-17" if double else "-1.90465430e-9f",  # log(2) - LNTWO
        "LN": "709.0" if double else "88.0f",  # exp of it is still finite
        "K": "512.0" if double else "64.0f",
        "EXPK": "2.2844135865397565e222" if double else "6.23514908e27f",  # exp(K)
        "DIGITS": "53" if double else "24",
        "BIAS": "1023" if double else "127",
        "SIGN": "0x8000000000000000UL" if double else "0x80000000u",
    }
    return {
        "T": suffix if kind == "c" else real,
        "R": real,
        "U": "u64" if double else "u32",
        "S": "i64" if double else "i32",
        "T_BITSOF": "AS_U64" if double else "AS_U32",
        "T_FROMBITS": "AS_F64" if double else "AS_F32",
    } | {f"T_{name}": text for name, text in constants.items()}


def instantiate(text: str, suffix: str) -> str:
    """`text` for one type."""
    return fill(text, suffix, {}).strip()


def fill(text: str, suffix: str, values: Mapping[str, str]) -> str:
    """`text` for one type, with the names in `values` replaced by their values."""
    tokens = _tokens(suffix)
    literal = "" if tokens.get("R") == "f64" else "f"

    def replace(match: re.Match[str]) -> str:
        number, function, token = match.groups()
        if number:
            return f"{number}{literal}"
        if function:
            return "_" + (suffix if function == "T" else tokens[function])
        return values.get(token) or tokens.get(token, token)

    return _TOKEN.sub(replace, text)


def _text(name: str, suffix: str, layers: tuple[str, ...]) -> str | None:
    for texts in (*(_SPECIAL[layer] for layer in layers), _COMMON):
        for key in ((name, suffix), (name, suffix[0])):
            if key in texts:
                return texts[key]
    return None


@cache
def _definition(name: str, suffix: str, layers: tuple[str, ...]) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """Text of one function and the functions that it calls, or None for a name that is not the prelude's."""
    text = _text(name, suffix, layers)
    if text is None:
        return None
    made = instantiate(text, suffix)
    return made, tuple(sorted({pair for pair in _NAME.findall(made) if pair != (name, suffix)}))


def closure(text: str, layers: tuple[str, ...]) -> list[str]:
    """The prelude functions that `text` needs, each behind those it calls itself.

    Parameters
    ----------
    text : str
    layers : tuple of {"cuda", "nvidia", "gpu", "cpu", "fp64"}
        What the device is, the most particular first.
    """
    done: dict[tuple[str, str], None] = {}
    parts: list[str] = []

    def visit(pair: tuple[str, str]) -> None:
        if pair in done:
            return
        done[pair] = None
        definition = _definition(*pair, layers)
        if definition is not None:
            made, needs = definition
            for need in needs:
                visit(need)
            parts.append(made)

    for pair in dict.fromkeys(_NAME.findall(text)):
        visit(pair)
    return parts
