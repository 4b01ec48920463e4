"""Fourier transforms along one axis: passes of a Stockham transform of mixed radix through global memory.

Pass after pass, with span the product of the radices before: work-item j of n/R reads the R elements j, j + n/R, ...,
turns each by its twiddle factor, transforms them and writes them span apart. Elements end up in order, without a
permutation (Govindaraju et al., High performance discrete Fourier transforms on graphics processors, 2008). An inverse
transform is a forward one with real and imaginary parts swapped before and after.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.elementwise import unravel
from devarray.codegen.kernels.launches import (
    Launch,
    Plan,
    View,
    address,
    ceil_div,
    collapse,
    indent,
    read,
    scalar_slots,
    write,
)
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["FFTPass", "FFTWhole", "plan_fft", "radices", "render", "render_whole"]

_GROUP = 256
_PRIMES = (3, 5, 7, 11, 13)
_FEW = 8  # an innermost batch dim of at least so many elements is worth running along it
_LOCAL_BYTES = 32768  # of local memory, which every GPU has
_SHORTEST = 32  # powers of two from here on go through local memory, as far as that holds them


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
    batch = [f"b{dim}" for dim in range(spec.nbatch)]
    names, sizes = [*batch, "j"], [*(f"({itype})s.v[{4 + dim}]" for dim in range(spec.nbatch)), f"({itype})s.v[0]"]
    if spec.across:
        names[-2:], sizes[-2:] = names[:-3:-1], sizes[:-3:-1]
    source = 4 + spec.nbatch
    target = source + spec.nbatch + 2
    lines = [
        f"const {itype} count = ({itype})s.v[0], span = ({itype})s.v[1], n = ({itype})s.v[2];",
        f"const {itype} flat = ({itype})(GROUP_ID(0) * {_GROUP} + LOCAL_ID(0));",
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
    kernel = dialect.kernel("k", "rw", target + spec.nbatch + 3, "\n".join(indent(lines)), group=_GROUP)
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
    kernel = dialect.kernel("k", "rw", slots, "\n".join(indent(lines)), group=_GROUP)
    return dialect.program(kernel)


def _whole_pass(
    spec: FFTWhole, dialect: Dialect, itype: str, number: int, radix: int, span: int, last: bool
) -> list[str]:
    """One pass: from global memory at the first, to it at the last, else between the two halves of local memory."""
    n, count, first = spec.length, spec.length // radix, number == 0
    batch, sizes = [f"b{dim}" for dim in range(spec.nbatch)], [f"({itype})s.v[{2 + d}]" for d in range(spec.nbatch)]
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
    head = f"for (i32 t = LOCAL_ID(0); t < {spec.together * count}; t += {_GROUP}) {{"
    return [head, *indent(body), "}", *([] if last else ["BARRIER;"])]


def _turned_whole(spec: FFTWhole, inside: FFTPass, dialect: Dialect, slot: int) -> list[str]:
    """Declares ``z<r>r`` and ``z<r>i``: the elements of a pass of a large radix, times their twiddle factors."""
    real = CTYPE[_real(inside)]
    suffix = _suffix(dialect, real)
    lines = [f"const {real} turn = {dialect.slot(slot, _real(inside))};"]
    for r in range(inside.radix):
        lines += [
            f"const {real} a{r} = ({real})((i64)b{spec.turned} * e{r}) * turn;",
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


@lru_cache(maxsize=256)
def plan_fft(
    source: View, target: View, axis: int, n: int, dialect: Dialect, *, load: str, store: str, inverse: bool
) -> Plan:
    """Unscaled transform of length `n` along an axis.

    Parameters
    ----------
    source, target : View
        Of one shape but for the size along `axis`, with any strides: `n`, or ``n // 2 + 1`` for a half transform.
    axis, n : int
        `n` has no prime factor above 13.
    dialect : Dialect
    load, store : {"complex", "real", "half"}
        What source and target hold.
    inverse : bool
    """
    factors = radices(n)
    if factors is None:
        raise ValueError(f"a transform of length {n} has no small radices")
    if target.size == 0:
        return Plan(())
    dtype = source.dtype if load != "real" else target.dtype
    others = [dim for dim in range(len(source.shape)) if dim != axis]
    batch, (from_batch, to_batch) = collapse(
        [target.shape[dim] for dim in others], [[view.strides[dim] for dim in others] for view in (source, target)]
    )
    across = batch[-1] >= _FEW and abs(target.strides[axis]) > abs(to_batch[-1])
    count = prod(batch)
    room = _room(dtype, dialect)
    whole = n >= _SHORTEST and n & (n - 1) == 0 and n * (_FEW if across else 1) <= room
    # Across, passes of small radices read and write whole cache lines anyway, and beat large ones.
    splits = not across and "half" not in (load, store)
    large = [n] if whole else _large_radices(n, room // _FEW) if splits else []
    between = _between(batch, n, SIZE[dtype], across)
    ends = (source.role, from_batch, source.strides[axis]), (target.role, to_batch, target.strides[axis])
    factors = large or factors
    places = [ends[0], *((f"fft{i % 2}", between[:-1], between[-1]) for i in range(len(factors) - 1)), ends[1]]
    span, launches = 1, []
    for i, radix in enumerate(factors):
        first, last = i == 0, i == len(factors) - 1
        kinds = _Kinds(load if first else "complex", store if last else "complex", inverse and first, inverse and last)
        make = _large_launch if large else _launch
        launches.append(
            make(n, radix, span, dtype, batch, places[i], places[i + 1], target.shape[axis], across, kinds, dialect)
        )
        span *= radix
    temporaries = {place[0]: count * n * SIZE[dtype] for place in places[1:-1]}
    return Plan(tuple(launches), temporaries)


@dataclass(frozen=True, slots=True)
class _Kinds:
    load: str
    store: str
    swap_load: bool
    swap_store: bool


_Place = tuple[str, tuple[int, ...], int]  # role, strides of the batch dims, stride of the axis


def _launch(
    n: int,
    radix: int,
    span: int,
    dtype: str,
    batch: tuple[int, ...],
    here: _Place,
    there: _Place,
    kept: int,
    across: bool,
    kinds: _Kinds,
    dialect: Dialect,
) -> Launch:
    """A pass of a small radix."""
    count = prod(batch)
    spec = FFTPass(
        radix=radix,
        dtype=dtype,
        nbatch=len(batch),
        load=kinds.load,
        store=kinds.store,
        swap_load=kinds.swap_load,
        swap_store=kinds.swap_store,
        first=span == 1,
        across=across,
        wide=count * n * 2 >= 2**31,
    )
    slots: list[int | str] = [n // radix, span, n, kept, *batch]
    for role, strides, step in (here, there):
        slots += [role, *strides, step]
    slots += _turn(span * radix, dtype)
    groups = (ceil_div(count * (n // radix), _GROUP),)
    roles = (here[0], there[0])
    return Launch(render(spec, dialect), "k", groups, _GROUP, roles, tuple(slots), "rw")


def _large_launch(
    n: int,
    radix: int,
    span: int,
    dtype: str,
    batch: tuple[int, ...],
    here: _Place,
    there: _Place,
    kept: int,
    across: bool,
    kinds: _Kinds,
    dialect: Dialect,
) -> Launch:
    """A pass of a large radix: whole transforms over more batch dims, j / span and k = j % span (see above for j)."""
    sizes, others = (n // radix // span, span), n // radix
    own = [
        (strides, (span * step * (radix if written else 1), step), (span if written else others) * step)
        for written, (_, strides, step) in enumerate((here, there))
    ]
    total, room = prod(batch) * others, _room(dtype, dialect)
    single = others == 1
    spec = FFTWhole(
        length=radix,
        together=max(_FEW if across or not single else 1, min(room // 2 // radix, 16)),
        dtype=dtype,
        nbatch=len(batch) + 2,
        load=kinds.load,
        store=kinds.store,
        swap_load=kinds.swap_load,
        swap_store=kinds.swap_store,
        across_load=across or not single,
        across_store=across or span > 1,
        turned=len(batch) + 1 if span > 1 else -1,
        wide=total * radix * 2 >= 2**31,
    )
    slots: list[int | str] = [total, kept, *batch, *sizes]
    for role, (strides, inner, step) in zip((here[0], there[0]), own, strict=True):
        slots += [role, *strides, *inner, step]
    if span > 1:
        slots += _turn(span * radix, dtype)
    groups = (ceil_div(total, spec.together),)
    return Launch(render_whole(spec, dialect), "k", groups, _GROUP, (here[0], there[0]), tuple(slots), "rw")


def _turn(whole: int, dtype: str) -> tuple[int, ...]:
    """The angle between two roots of unity, in half turns, as slots."""
    return scalar_slots(2.0 / whole, "float32" if dtype == "complex64" else "float64")


def _room(dtype: str, dialect: Dialect) -> int:
    """Elements that fit into one half of local memory."""
    return min(_LOCAL_BYTES, int(dialect.caps.get("local_memory") or _LOCAL_BYTES)) // (2 * SIZE[dtype])


def _large_radices(n: int, largest: int) -> list[int]:
    """Few powers of two of much the same size, none above `largest`; none at all where `n` is no large power of two.

    >>> _large_radices(1 << 24, 256), _large_radices(8192, 256), _large_radices(1000, 256)
    ([256, 256, 256], [128, 64], [])
    """
    bits, most = n.bit_length() - 1, largest.bit_length() - 1
    if n & (n - 1) or bits < 10:
        return []
    passes = ceil_div(bits, most)
    return [1 << (bits // passes + (i < bits % passes)) for i in range(passes)]


def _between(batch: Sequence[int], n: int, size: int, across: bool) -> tuple[int, ...]:
    """Strides, in bytes, of the batch dims and the axis between passes: contiguous, in the order of the work-items."""
    strides = [size] * len(batch)
    for dim in range(len(batch) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * batch[dim + 1]
    last = len(batch) - 1
    outer = [stride if across and dim == last else stride * n for dim, stride in enumerate(strides)]
    return (*outer, size * batch[-1] if across else size)
