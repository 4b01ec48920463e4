"""What calls on small arrays cost beside CuPy: mostly the host's work, which is what loops over small arrays feel.

    python benchmarks/calls.py [--json FILE]

Microseconds a call, eager, of the quickest of several rounds that end with a wait. Arrays of 256 elements, matrices of
16 x 16, on the first CUDA device.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import devarray as da

Calls = dict[str, Callable[[], Any]]


def _set(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def calls_of(xp: Any, put: Callable[[np.ndarray], Any], get: Callable[[Any], np.ndarray]) -> Calls:
    """The same calls for either library: its namespace, and its copies to and from the device."""
    host = np.arange(256, dtype=np.float32) % 37
    a, b, m, k = put(host), put(host[::-1].copy()), put(np.ones((16, 16), np.float32)), put(np.arange(256))
    i, mask = put(np.arange(16)[::-1].copy()), a > 3
    regular = put(np.eye(16, dtype=np.float32) * 16 + np.random.default_rng(0).random((16, 16), dtype=np.float32))
    return {
        **_elementwise(xp, a, b, mask),
        **_reductions(xp, a, m, mask),
        **_views(xp, a, m),
        "sort": lambda: xp.sort(a),
        "argsort": lambda: xp.argsort(a),
        "unique": lambda: xp.unique(a),
        "searchsorted": lambda: xp.searchsorted(k, k),
        "nonzero": lambda: xp.nonzero(mask),
        "a[mask]": lambda: a[mask],
        "a[mask] = 0": lambda: _set(a, mask, 0.0),
        "m[i]": lambda: m[i],
        "m[i] = 1": lambda: _set(m, i, 1.0),
        "take": lambda: xp.take(m, i, axis=0),
        "take_along_axis": lambda: xp.take_along_axis(a, k, axis=0),
        "zeros": lambda: xp.zeros((16, 16), dtype=np.float32),
        "full": lambda: xp.full((16,), 2.0),
        "empty": lambda: xp.empty((16,), dtype=np.float32),
        "arange": lambda: xp.arange(16),
        "linspace": lambda: xp.linspace(0, 1, 16),
        "asarray of an ndarray": lambda: xp.asarray(host),
        "concatenate": lambda: xp.concatenate([a, b]),
        "stack": lambda: xp.stack([a, b]),
        "roll": lambda: xp.roll(a, 3),
        "tile": lambda: xp.tile(a, 3),
        "repeat": lambda: xp.repeat(a, 3),
        "zeros_like": lambda: xp.zeros_like(a),
        "pad": lambda: xp.pad(a, 3),
        "matmul": lambda: m @ m,
        "matrix times vector": lambda: m @ m[0],
        "dot": lambda: xp.dot(a, b),
        "einsum": lambda: xp.einsum("ij,jk->ik", m, m),
        "linalg.solve": lambda: xp.linalg.solve(regular, regular),
        "linalg.inv": lambda: xp.linalg.inv(regular),
        "linalg.norm": lambda: xp.linalg.norm(a),
        "fft": lambda: xp.fft.fft(a),
        "rfft": lambda: xp.fft.rfft(a),
        "histogram": lambda: xp.histogram(a, bins=10),
        "median": lambda: xp.median(a),
        "item": lambda: a[3].item(),
        "to the host": lambda: get(a),
    }


def _elementwise(xp: Any, a: Any, b: Any, mask: Any) -> Calls:
    return {
        "a + b": lambda: a + b,
        "a + 1.0": lambda: a + 1.0,
        "a += b": lambda: a.__iadd__(b),
        "a * b + 1": lambda: a * b + 1.0,
        "a == b": lambda: a == b,
        "sqrt": lambda: xp.sqrt(a),
        "numpy.sqrt": lambda: np.sqrt(a),
        "where": lambda: xp.where(mask, a, b),
        "clip": lambda: xp.clip(a, 0.0, 1.0),
        "astype": lambda: a.astype(np.float64),
        "copy": lambda: a.copy(),
    }


def _reductions(xp: Any, a: Any, m: Any, mask: Any) -> Calls:
    return {
        "sum": lambda: xp.sum(a),
        "sum, axis 0": lambda: xp.sum(m, axis=0),
        "mean": lambda: xp.mean(a),
        "std": lambda: xp.std(a),
        "argmax": lambda: xp.argmax(a),
        "any": lambda: xp.any(mask),
        "cumsum": lambda: xp.cumsum(a),
    }


def _views(xp: Any, a: Any, m: Any) -> Calls:
    return {
        "a[10:50]": lambda: a[10:50],
        "m[2] = m[1]": lambda: _set(m, 2, m[1]),
        "m.T": lambda: m.T,
        "reshape": lambda: a.reshape(16, 16),
        "broadcast_to": lambda: xp.broadcast_to(a, (16, 256)),
        "flip": lambda: xp.flip(a),
    }


def microseconds(call: Callable[[], Any], wait: Callable[[], Any]) -> float:
    """Of the quickest of five rounds of some four milliseconds."""

    def round_of(count: int) -> float:
        start = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return (time.perf_counter() - start) / count * 1e6

    round_of(3)
    count = int(max(3, min(200, 4000 / round_of(3))))
    return min(round_of(count) for _ in range(5))


def measure() -> Iterator[tuple[str, float, float]]:
    """Name, our microseconds and CuPy's."""
    import cupy

    device = next(d for d in da.devices() if d.driver == "cuda")
    da.config.deferred = False
    with da.use(device=device):
        ours = calls_of(da, da.to_device, lambda x: x.copy_to_host())
        theirs = calls_of(cupy, cupy.asarray, cupy.asnumpy)
        for name, call in ours.items():
            wait = cupy.cuda.Device().synchronize
            yield name, microseconds(call, da.synchronize), microseconds(theirs[name], wait)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = sorted(measure(), key=lambda row: row[1] / row[2])
    print("| call, us | devarray | CuPy | ratio |\n|---|---:|---:|---:|")
    for name, ours, theirs in rows:
        print(f"| {name} | {ours:.2f} | {theirs:.2f} | {ours / theirs:.2f} |")
    if options.json:
        options.json.write_text(json.dumps({name: [ours, theirs] for name, ours, theirs in rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
