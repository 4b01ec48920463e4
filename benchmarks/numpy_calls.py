"""What calls on a million elements cost beside NumPy, on a device of the CPU, where many first meet the library.

    python benchmarks/numpy_calls.py [--device NAME] [--json FILE] [part of a call ...]

Milliseconds of the quickest of several rounds that end with a wait, and their ratio; only calls that contain one of the
parts, if any are given. `f` and `d` are float32 and float64 numbers between 0 and 1, `i` int64 below 1000, `b` bools,
`c` complex64, `u` uint8, `s` sorted float64, `v` 1000 float32; `m` is a matrix of 1000 x 1000, `k` 300 of its rows'
numbers, `p` a permutation. `x`, `y` and `z` are a vector, a matrix and an int64 vector that are written to.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import devarray as da

CALLS = """
f + f; f * 2 + 1; np.exp(f); np.sin(d); np.sqrt(f); d ** 2; d ** 0.5; i // 7; i % 7; f > 0.5; np.where(b, f, 0)
np.clip(f, 0.2, 0.8); np.abs(c); np.hypot(f, f); c * c; np.round(d, 2); f.astype("float64"); i.astype("float32")
np.logical_and(b, b)
x.__iadd__(d); x[1:].__iadd__(x[:-1])
f.sum(); d.sum(); i.sum(); b.sum(); u.sum(); m.sum(axis=0); m.sum(axis=1); f.mean(); f.std(); m.std(axis=0)
m.var(axis=1)
f.min(); f.argmax(); m.argmax(axis=0); m.argmax(axis=1); np.any(b); np.all(b); np.count_nonzero(b); np.nansum(d)
np.ptp(d)
np.cumsum(d); np.cumsum(m, axis=0); np.cumsum(m, axis=1); np.maximum.accumulate(d); np.diff(d)
np.sort(d); np.sort(i); np.sort(m, axis=0); np.argsort(d); np.partition(d, 1000); np.median(d); np.median(m, axis=0)
np.percentile(d, [5, 50, 95]); np.unique(i); np.unique(d); np.searchsorted(s, d); np.histogram(d, bins=100)
np.bincount(i)
np.bincount(i, weights=d); np.digitize(d, s[::20000]); np.isin(i, k); np.interp(d, s[::1000], s[::1000])
np.nonzero(b); f[b]; m[k]; m[:, k]; d[p]; np.take(m, k, axis=1); np.delete(m, k, axis=0)
np.compress(b[:1000], m, axis=0)
x.__setitem__(b, 0); x.__setitem__(p, d); y.__setitem__(k, 1); y.__setitem__((slice(None), k), 0); np.add.at(z, i, 1)
np.concatenate([m, m], axis=1); np.stack([f, f], axis=1); np.tile(m, (2, 2)); np.repeat(f, 3); np.roll(m, 7, axis=1)
m.T.copy(); np.flip(m, axis=1).copy(); np.pad(m, 1); np.tril(m); np.packbits(u > 127); np.convolve(d, v[:5])
m @ m; m @ v; np.dot(f, f); np.vdot(c, c); np.outer(v, v); np.einsum("ij,ij->i", m, m); np.einsum("ij,jk->ik", m, m)
np.kron(m[:30, :30], m[:30, :30]); np.linalg.norm(m); np.linalg.norm(m, axis=1); np.linalg.inv(m[:300, :300])
np.linalg.svd(m[:100, :100]); np.fft.fft(c); np.fft.rfft(d); np.fft.fft2(m); np.cov(m[:100]); np.allclose(d, d)
np.arange(1000000); np.linspace(0, 1, 1000000); np.eye(1000); np.ones((1000, 1000))
np.random.default_rng(0).random(1000000)
np.random.default_rng(0).normal(size=1000000); np.random.default_rng(0).permutation(1000000)
"""


def operands() -> dict[str, np.ndarray]:
    """The host's arrays."""
    rng, n = np.random.default_rng(0), 1_000_000
    d, i = rng.random(n), rng.integers(0, 1000, n)
    f, m = rng.random(n, dtype=np.float32), rng.random((1000, 1000), dtype=np.float32)
    return {
        "f": f, "d": d, "i": i, "b": f > 0.5, "c": (d + 1j * d[::-1]).astype(np.complex64), "m": m, "s": np.sort(d),
        "u": rng.integers(0, 256, n).astype(np.uint8), "v": m[0].copy(), "k": rng.integers(0, 1000, 300),
        "p": rng.permutation(n), "x": d.copy(), "y": m.copy(), "z": i.copy(),
    }  # fmt: skip


def quickest(call: Callable[[], Any], finish: Callable[[Any], None]) -> float:
    """Milliseconds."""
    finish(call())
    times: list[float] = []
    start = time.perf_counter()
    while len(times) < 2 or (len(times) < 9 and time.perf_counter() - start < 1):
        begin = time.perf_counter()
        finish(call())
        times.append(time.perf_counter() - begin)
    return min(times) * 1e3


def settle(result: Any) -> None:
    """Have everything computed that a call left pending."""
    for part in result if isinstance(result, tuple | list) else [result]:
        if isinstance(part, da.Array):
            part.evaluate()
    da.synchronize()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--device")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device, host = da.device(options.device), operands()
    print(f"{device}, NumPy {np.__version__}\n{'call':60}{'NumPy ms':>10}{'devarray ms':>13}{'ratio':>8}")
    rows = {}
    with da.use(device):
        moved = {name: da.asarray(array) for name, array in host.items()}
        for line in CALLS.strip().replace("\n", "; ").split("; "):
            if options.parts and not any(part in line for part in options.parts):
                continue
            code = compile(line, line, "eval")
            theirs = quickest(lambda code=code: eval(code, {"np": np, **host}), lambda _: None)
            ours = quickest(lambda code=code: eval(code, {"np": da, **moved}), settle)
            rows[line] = {"numpy_ms": theirs, "devarray_ms": ours}
            print(f"{line:60}{theirs:10.3f}{ours:13.3f}{ours / theirs:8.2f}", flush=True)
    ratios = np.array([row["devarray_ms"] / row["numpy_ms"] for row in rows.values()])
    quicker, slow = np.count_nonzero(ratios < 1), np.count_nonzero(ratios > 2)
    print(f"{len(rows)} calls: {quicker} quicker than NumPy, {slow} take more than twice its time")
    print(f"geometric mean of the ratios: {np.exp(np.log(ratios).mean()):.2f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
