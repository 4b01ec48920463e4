"""The kernels of Fourier transforms; devarray/codegen/kernels/fft.py plans them."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from devarray.codegen.kernels.launches import (
    address,
    indent,
    read,
    write,
)
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["GROUP", "FFTPass", "FFTWhole", "radices", "render", "render_whole"]

GROUP = 256
_PRIMES = (3, 5, 7, 11, 13)


def radices(n: int) -> list[int] | None:
    """Radices whose product is `n`, or None where it has a prime factor above 13.

    >>> radices(1024), radices(60), radices(17)
    ([16, 16, 4], [4, 3, 5], None)
    """
    found: list[int] = []
    twos = 0
    while n % 2 == 0:
        n, twos = n // 2, twos + 1
    if twos % 4 == 1 and twos > 1:  # 8 and 4 in place of 16 and 2
        found, twos = [8, 4], twos - 5
    found = [16] * (twos // 4) + ([1 << twos % 4] if twos % 4 else []) + found
    for prime in _PRIMES:
        while n % prime == 0:
            n //= prime
            found.append(prime)
    return (found or [1]) if n == 1 else None


@dataclass(frozen=True, slots=True)
class FFTPass:
    """One pass, as kernel "k". Memory: source, target. Slots: count (n / radix), span, n, elements kept, sizes of the
    batch dims; offset and strides (batch dims, axis) of source and target; 2 / (span * radix) as a scalar.

    Attributes
    ----------
    radix : int
    dtype : str
        Complex, of the computation.
    nbatch : int
        Batch dims after collapsing, at least 1.
    load : {"complex", "real", "half"}
        What the source holds; of a half transform the rest is mirrored.
    store : {"complex", "real", "half"}
        What the target gets; of a half transform only the elements kept.
    swap_load, swap_store : bool
        Whether real and imaginary parts are swapped, for an inverse.
    first : bool
        Whether the span is 1, so that there are no twiddle factors.
    across : bool
        Whether neighbouring work-items lie along the innermost batch dim, else along the axis.
    wide : bool
        Whether indices need 64 bits.
    """

    radix: int
    dtype: str
    nbatch: int
    load: str
    store: str
    swap_load: bool
    swap_store: bool
    first: bool
    across: bool
    wide: bool


@lru_cache(maxsize=256)
def render(spec: FFTPass, dialect: Dialect) -> str:
    """Source of the kernel "k" of a pass."""
    itype = "i64" if spec.wide or dialect.strategy == "cpu" else "u32"
    batch = numbered("b", spec.nbatch)
    names, sizes = [*batch, "j"], [*(f"({itype})s.v[{4 + dim}]" for dim in range(spec.nbatch)), f"({itype})s.v[0]"]
    if spec.across:
        names[-2:], sizes[-2:] = names[:-3:-1], sizes[:-3:-1]
    source = 4 + spec.nbatch
    target = source + spec.nbatch + 2
    lines = [
        f"const {itype} count = ({itype})s.v[0], span = ({itype})s.v[1], n = ({itype})s.v[2];",
        f"const {itype} flat = ({itype})(GROUP_ID(0) * {GROUP} + LOCAL_ID(0));",
        f"if (flat < count * {' * '.join(size for name, size in zip(names, sizes, strict=True) if name != 'j')}) {{",
        *indent(unravel(dialect, "flat", sizes, names, itype)),
        *indent([f"const {itype} e{r} = j + {r} * count;" for r in range(spec.radix)]),
        *(line for r in range(spec.radix) for line in indent(_load(spec, dialect, r, source, batch))),
        f"  const {itype} k = {'0' if spec.first else 'j % span'};",
        *(
            indent(_twiddle(spec, dialect, dialect.slot(target + spec.nbatch + 2, _real(spec))))
            if not spec.first
            else []
        ),
    ]
    text, results = _transform(spec, dialect, turned=not spec.first)
    lines += indent(text)
    lines.append(f"  const {itype} to = (j - k) * {spec.radix} + k;")
    for r, value in enumerate(results):
        lines += indent(_store(spec, dialect, r, value, target, batch))
    lines.append("}")
    kernel = dialect.kernel("k", "rw", target + spec.nbatch + 3, "\n".join(indent(lines)), group=GROUP)
    return dialect.program(kernel)


@dataclass(frozen=True, slots=True)
class FFTWhole:
    """A transform whose passes go through local memory, as kernel "k"; also a pass, of a large radix, of a longer one.
    Memory: source, target. Slots: transforms in all, elements kept, sizes of the batch dims; offset and strides (batch
    dims, axis) of source and target; for a pass 2 / (span * length) as a scalar.

    Attributes
    ----------
    length : int
        A power of two.
    together : int
        Transforms of one group.
    across_load, across_store : bool
        Whether work-items that are neighbours when loading, or storing, belong to different transforms.
    turned : int
        The batch dim that counts k, where elements get their twiddle factors when they are loaded; else -1.
    dtype, nbatch, load, store, swap_load, swap_store, wide
        As in :class:`FFTPass`.
    """

    length: int
    together: int
    dtype: str
    nbatch: int
    load: str
    store: str
    swap_load: bool
    swap_store: bool
    across_load: bool
    across_store: bool
    turned: int
    wide: bool


@lru_cache(maxsize=256)
def render_whole(spec: FFTWhole, dialect: Dialect) -> str:
    """Source of the kernel "k" of a whole transform."""
    itype = "i64" if spec.wide or dialect.strategy == "cpu" else "u32"
    n, factors = spec.length, radices(spec.length) or []
    lines = [
        f"LOCAL {CTYPE[spec.dtype]} kept[2][{spec.together * n}];",
        f"const {itype} group = ({itype})GROUP_ID(0) * {spec.together}, all = ({itype})s.v[0];",
    ]
    span = 1
    for i, radix in enumerate(factors):
        lines += _whole_pass(spec, dialect, itype, i, radix, span, i == len(factors) - 1)
        span *= radix
    slots = 2 + spec.nbatch + 2 * (spec.nbatch + 2) + (spec.turned >= 0)
    kernel = dialect.kernel("k", "rw", slots, "\n".join(indent(lines)), group=GROUP)
    return dialect.program(kernel)


def _whole_pass(
    spec: FFTWhole, dialect: Dialect, itype: str, number: int, radix: int, span: int, last: bool
) -> list[str]:
    """One pass: from global memory at the first, to it at the last, else between the two halves of local memory."""
    n, count, first = spec.length, spec.length // radix, number == 0
    batch, sizes = numbered("b", spec.nbatch), [f"({itype})s.v[{2 + d}]" for d in range(spec.nbatch)]
    source = 2 + spec.nbatch
    split = f"w = t / {count}, j = t % {count}"
    if spec.across_store if last else spec.across_load if first else False:
        split = f"j = t / {spec.together}, w = t % {spec.together}"
    inside = FFTPass(
        radix, spec.dtype, spec.nbatch, spec.load, spec.store, spec.swap_load, spec.swap_store, first, False, spec.wide
    )
    body = [f"const i32 {split}, span = {span}, n = {n};"]
    body += [f"const i32 e{r} = j + {r} * {count};" for r in range(radix)]
    if first or last:
        body += [
            f"const {itype} flat = group + w < all ? group + w : all - 1;",
            *unravel(dialect, "flat", sizes, batch, itype),
        ]
    if first:
        body += [line for r in range(radix) for line in _load(inside, dialect, r, source, batch)]
        if spec.turned >= 0:
            body += _turned_whole(spec, inside, dialect, source + 2 * (spec.nbatch + 2))
    else:
        value = f"kept[{(number - 1) % 2}][w * {n} + "
        body += [f"const {CTYPE[spec.dtype]} y{r} = {value}e{r}];" for r in range(radix)]
        body += [f"const {CTYPE[_real(inside)]} x{r}r = y{r}.re, x{r}i = y{r}.im;" for r in range(radix)]
    body.append(f"const i32 k = {'0' if first else f'j % {span}'};")
    if not first:
        turn = dialect.literal(2.0 / (span * radix), _real(inside))
        body += _twiddle(inside, dialect, turn)
    text, results = _transform(inside, dialect, turned=not first or spec.turned >= 0)
    body += [*text, f"const i32 to = (j - k) * {radix} + k;"]
    if last:
        target = source + spec.nbatch + 2
        stores = [
            line for r, value in enumerate(results) for line in _store(inside, dialect, r, value, target, batch, 1)
        ]
        body += ["if (group + w < all) {", *indent(stores), "}"]
    else:
        make = f"make_{CTYPE[spec.dtype]}"
        body += [
            f"kept[{number % 2}][w * {n} + to + {r * span}] = {make}({value}r, {value}i);"
            for r, value in enumerate(results)
        ]
    head = f"for (i32 t = LOCAL_ID(0); t < {spec.together * count}; t += {GROUP}) {{"
    return [head, *indent(body), "}", *([] if last else ["BARRIER;"])]


def _turned_whole(spec: FFTWhole, inside: FFTPass, dialect: Dialect, slot: int) -> list[str]:
    """Declares ``z<r>r`` and ``z<r>i``: the elements of a pass of a large radix, times their twiddle factors."""
    real = CTYPE[_real(inside)]
    suffix = _suffix(dialect, real)
    lines = [f"const {real} turn = {dialect.slot(slot, _real(inside))};"]
    for r in range(inside.radix):
        lines += [
            f"const {real} a{r} = ({real})((i64)b{spec.turned}_ * e{r}) * turn;",
            f"const {real} w{r}r = cospi{suffix}(a{r}), w{r}i = -sinpi{suffix}(a{r});",
            f"const {real} z{r}r = fma(x{r}r, w{r}r, -(x{r}i * w{r}i));",
            f"const {real} z{r}i = fma(x{r}r, w{r}i, x{r}i * w{r}r);",
        ]
    return lines


def _suffix(dialect: Dialect, real: str) -> str:
    return "f" if dialect.driver == "cuda" and real == "f32" else ""


def _transform(spec: FFTPass, dialect: Dialect, turned: bool) -> tuple[list[str], list[str]]:
    """The transform of the elements in registers: statements, and the names of the results."""
    return _Butterfly(spec.dtype, dialect).transform([f"{'z' if turned else 'x'}{r}" for r in range(spec.radix)])


def _real(spec: FFTPass) -> str:
    return "float32" if spec.dtype == "complex64" else "float64"


def _load(spec: FFTPass, dialect: Dialect, r: int, slot: int, batch: Sequence[str]) -> list[str]:
    """Declares ``x<r>r`` and ``x<r>i``."""
    real = CTYPE[_real(spec)]
    one, two = ("i", "r") if spec.swap_load else ("r", "i")
    if spec.load == "real":
        value = read(dialect, _real(spec), address(0, slot, [*batch, f"e{r}"]))
        return [f"const {real} x{r}{one} = {value}, x{r}{two} = 0;"]
    if spec.load == "complex":
        value = read(dialect, spec.dtype, address(0, slot, [*batch, f"e{r}"]))
        return [f"const {CTYPE[spec.dtype]} y{r} = {value};", f"const {real} x{r}{one} = y{r}.re, x{r}{two} = y{r}.im;"]
    value = read(dialect, spec.dtype, address(0, slot, [*batch, f"(2 * e{r} > n ? n - e{r} : e{r})"]))
    imaginary = f"(e{r} == 0 || 2 * e{r} == n ? 0 : 2 * e{r} > n ? -y{r}.im : y{r}.im)"
    return [f"const {CTYPE[spec.dtype]} y{r} = {value};", f"const {real} x{r}{one} = y{r}.re, x{r}{two} = {imaginary};"]


def _twiddle(spec: FFTPass, dialect: Dialect, turn: str) -> list[str]:
    """Declares ``z<r>r`` and ``z<r>i``: element r times the r-th power of the k-th root of unity. `turn` is the text of
    the angle between two roots, in half turns."""
    real = CTYPE[_real(spec)]
    suffix = _suffix(dialect, real)
    lines = [
        f"const {real} z0r = x0r, z0i = x0i, turn = {turn};",
        f"const i64 whole = (i64)span * {spec.radix};",
    ]
    for r in range(1, spec.radix):
        if r & (r - 1) == 0:
            # The angle in half turns, from -1 to 1, is exact where the length is a power of two.
            lines += [
                f"const i64 k{r} = (i64)k * {r};",
                f"const {real} a{r} = ({real})(2 * k{r} > whole ? k{r} - whole : k{r}) * turn;",
                f"const {real} w{r}r = cospi{suffix}(a{r}), w{r}i = -sinpi{suffix}(a{r});",
            ]
        else:
            high = 1 << r.bit_length() - 1
            low = r - high
            lines += [
                f"const {real} w{r}r = fma(w{high}r, w{low}r, -(w{high}i * w{low}i));",
                f"const {real} w{r}i = fma(w{high}r, w{low}i, w{high}i * w{low}r);",
            ]
    for r in range(1, spec.radix):
        lines += [
            f"const {real} z{r}r = fma(x{r}r, w{r}r, -(x{r}i * w{r}i));",
            f"const {real} z{r}i = fma(x{r}r, w{r}i, x{r}i * w{r}r);",
        ]
    return lines


def _store(
    spec: FFTPass, dialect: Dialect, r: int, value: str, slot: int, batch: Sequence[str], kept: int = 3
) -> list[str]:
    """Writes one result; `kept` is the slot with the number of elements that a half transform keeps."""
    one, two = (f"{value}i", f"{value}r") if spec.swap_store else (f"{value}r", f"{value}i")
    place = address(1, slot, [*batch, f"(to + {r} * span)"])
    if spec.store == "real":
        return [write(dialect, _real(spec), place, one)]
    statement = write(dialect, spec.dtype, place, f"make_{CTYPE[spec.dtype]}({one}, {two})")
    return [f"if (to + {r} * span < s.v[{kept}]) {{ {statement} }}"] if spec.store == "half" else [statement]


class _Butterfly:
    """Straight code for the transform of a few values in registers. A value `v` is the pair of names ``vr``, ``vi``."""

    def __init__(self, dtype: str, dialect: Dialect) -> None:
        self._real = "float32" if dtype == "complex64" else "float64"
        self._dialect = dialect
        self._lines: list[str] = []
        self._fresh = 0

    def transform(self, values: Sequence[str]) -> tuple[list[str], list[str]]:
        """Statements, and the names of the results in order."""
        results = self._powers_of_two(values) if len(values) & (len(values) - 1) == 0 else self._prime(values)
        return self._lines, results

    def _number(self, value: float) -> str:
        return self._dialect.literal(value, self._real)

    def _declare(self, re: str, im: str) -> str:
        name = f"u{self._fresh}_"
        self._fresh += 1
        self._lines.append(f"const {CTYPE[self._real]} {name}r = {re}, {name}i = {im};")
        return name

    def _powers_of_two(self, values: Sequence[str]) -> list[str]:
        n = len(values)
        if n == 1:
            return list(values)
        even, odd = self._powers_of_two(values[::2]), self._powers_of_two(values[1::2])
        turned = [self._turned(value, k, n) for k, value in enumerate(odd)]
        sums = [self._declare(f"{a}r + {b}r", f"{a}i + {b}i") for a, b in zip(even, turned, strict=True)]
        return sums + [self._declare(f"{a}r - {b}r", f"{a}i - {b}i") for a, b in zip(even, turned, strict=True)]

    def _turned(self, value: str, k: int, n: int) -> str:
        """`value` times ``exp(-2j * pi * k / n)``."""
        if k == 0:
            return value
        if 4 * k == n:
            return self._declare(f"{value}i", f"-{value}r")
        if 8 * k in (n, 3 * n):
            root = self._number(math.sqrt(0.5))
            parts = (f"{value}r + {value}i", f"{value}i - {value}r")
            if 8 * k == 3 * n:
                parts = (f"{value}i - {value}r", f"-({value}r + {value}i)")
            return self._declare(*(f"({part}) * {root}" for part in parts))
        root_of_unity = cmath.exp(-2j * math.pi * k / n)
        c, s = self._number(root_of_unity.real), self._number(root_of_unity.imag)
        return self._declare(f"fma({value}r, {c}, -({value}i * {s}))", f"fma({value}r, {s}, {value}i * {c})")

    def _prime(self, values: Sequence[str]) -> list[str]:
        """By the sums and differences of the values that mirror each other."""
        p = len(values)
        pairs = [(values[k], values[p - k]) for k in range(1, p // 2 + 1)]
        sums = [self._declare(f"{a}r + {b}r", f"{a}i + {b}i") for a, b in pairs]
        gaps = [self._declare(f"{a}r - {b}r", f"{a}i - {b}i") for a, b in pairs]
        results = [""] * p
        total = values[0]
        for value in sums:
            total = self._declare(f"{total}r + {value}r", f"{total}i + {value}i")
        results[0] = total
        for j in range(1, p // 2 + 1):
            even, odd = values[0], ""
            for k, (value, gap) in enumerate(zip(sums, gaps, strict=True), 1):
                angle = 2 * math.pi * (j * k % p) / p
                c, s = self._number(math.cos(angle)), self._number(math.sin(angle))
                even = self._declare(f"fma({value}r, {c}, {even}r)", f"fma({value}i, {c}, {even}i)")
                if odd:
                    odd = self._declare(f"fma({gap}r, {s}, {odd}r)", f"fma({gap}i, {s}, {odd}i)")
                else:
                    odd = self._declare(f"{gap}r * {s}", f"{gap}i * {s}")
            results[j] = self._declare(f"{even}r + {odd}i", f"{even}i - {odd}r")
            results[p - j] = self._declare(f"{even}r - {odd}i", f"{even}i + {odd}r")
        return results
