"""Fourier transforms along one axis: passes of a Stockham transform of mixed radix through global memory.

Pass after pass, with span the product of the radices before: work-item j of n/R reads the R elements j, j + n/R, ...,
turns each by its twiddle factor, transforms them and writes them span apart. Elements end up in order, without a
permutation (Govindaraju et al., High performance discrete Fourier transforms on graphics processors, 2008). An inverse
transform is a forward one with real and imaginary parts swapped before and after.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

from devarray.codegen.kernels.fft_kernel import GROUP, FFTPass, FFTWhole, radices, render, render_whole
from devarray.codegen.kernels.launches import (
    Launch,
    Plan,
    View,
    ceil_div,
    collapse,
    scalar_slots,
)
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["plan_fft"]

_FEW = 8  # an innermost batch dim of at least so many elements is worth running along it
_LOCAL_BYTES = 32768  # of local memory, which every GPU has
_SHORTEST = 32  # powers of two from here on go through local memory, as far as that holds them


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
    groups = (ceil_div(count * (n // radix), GROUP),)
    roles = (here[0], there[0])
    return Launch(render(spec, dialect), "k", groups, GROUP, roles, tuple(slots), "rw")


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
    return Launch(render_whole(spec, dialect), "k", groups, GROUP, (here[0], there[0]), tuple(slots), "rw")


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
