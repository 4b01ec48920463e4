"""Tables whose rows are reduced and used again: devarray beside jax.jit, microseconds until done.

    python benchmarks/rows.py --device cuda
    python benchmarks/rows.py --device cuda --shapes 1000000x16,8192x1024 --dtypes float32

`limit` is what the bytes in and out take at `--bandwidth`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import libraries
import numpy as np

import devarray as da

_CALLS, _ROUNDS = 20, 5  # behind one another; the least counts

SHAPES = "2000000x10,4000000x3,1000000x16,1000000x32,8192x1024,8192x8192,20000x1000"


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def of_unit_length(xp: Any, x: Any) -> Any:
    return x / xp.sqrt((x * x).sum(1))[:, None]


def lengths(xp: Any, x: Any) -> Any:
    return xp.sqrt((x * x).sum(1))


def standardised(xp: Any, x: Any) -> Any:
    return (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)


def sums_of_shares(xp: Any, x: Any) -> Any:
    return softmax(xp, x).sum(0)


def two_products(xp: Any, x: Any) -> Any:
    return x.T @ xp.tanh(x @ x[0])


PROGRAMS: tuple[Callable[[Any, Any], Any], ...] = (
    softmax, of_unit_length, lengths, standardised, sums_of_shares, two_products
)  # fmt: skip


def microseconds(call: Callable[[], Any], finish: Callable[[Any], None]) -> float:
    finish(call())
    best = float("inf")
    for _ in range(_ROUNDS):
        begin = time.perf_counter()
        for _ in range(_CALLS):
            made = call()
        finish(made)
        best = min(best, (time.perf_counter() - begin) / _CALLS)
    return 1e6 * best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--dtypes", default="float32,float64")
    parser.add_argument("--bandwidth", type=float, default=3e12, help="bytes a second, of the limit")
    options = parser.parse_args()
    device = da.device(options.device)
    ours = libraries.DevArray(device)
    peers, reasons = libraries.available(["jax"], device)
    print(*reasons, sep="\n")
    if peers:
        import jax

        jax.config.update("jax_enable_x64", True)
    print("| table | program | devarray | jax.jit | jax.jit by devarray | limit |\n|---|---|---:|---:|---:|---:|")
    for dtype in options.dtypes.split(","):
        for shape in options.shapes.split(","):
            rows, columns = map(int, shape.split("x"))
            host = np.random.default_rng(0).standard_normal((rows, columns)).astype(dtype)
            x = ours.to_device(host)
            for program in PROGRAMS:
                mine = microseconds(lambda p=program, a=x: ours.evaluate(p(ours.xp, a)), ours.finish)
                theirs = float("nan")
                for peer in peers:
                    y = peer.to_device(host)
                    compiled = jax.jit(lambda a, p=program, xp=peer.xp: p(xp, a))
                    theirs = microseconds(lambda f=compiled, a=y: f(a), peer.finish)
                written = {lengths: rows * host.itemsize, sums_of_shares: 0, two_products: 0}
                limit = 1e6 * (host.nbytes + written.get(program, host.nbytes)) / options.bandwidth
                name = program.__name__.replace("_", " ")
                print(
                    f"| {rows} x {columns} {dtype} | {name} | {mine:.1f} | {theirs:.1f} | {theirs / mine:.2f} | "
                    f"{limit:.1f} |"
                )


if __name__ == "__main__":
    main()
