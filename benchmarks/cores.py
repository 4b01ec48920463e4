"""Large work on a CPU by one core and by more, beside loops that Numba compiles and one pass over the memory.

    python benchmarks/cores.py [--device NAME] [--cores 1,2] [--seconds 1.0] [--cases REGEX] [--json FILE]

Each number of cores is a process of its own that is bound to so many. devarray runs the NumPy text; Numba, where it is
installed, the same arithmetic element by element, ``@njit(parallel=True, fastmath=False)``, into memory that is there
already. The libraries take turns; medians. `pass` is what the bytes that go in and come out take at the bandwidth of a
pass over memory by as many cores (benchmarks/passes.py).
"""

from __future__ import annotations

import argparse
import inspect
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import whole_tables
from passes import memory_pass
from timing import Block, Effort, stopwatch, take_turns

import devarray as da

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Case:
    """`text` of NumPy arrays, `loop`: the same of an element's numbers, or a function of Numba's on whole arrays."""

    name: str
    text: Callable[..., Any]
    data: Callable[[np.random.Generator], Arrays]
    loop: str
    outputs: int = 1  # as many arrays of the data's shape; 0 for a number
    whole: bool = False


def triad(xp: Any, a: Any, b: Any) -> Any:
    return a + 2 * b


def gauss(xp: Any, x: Any) -> Any:
    return xp.exp(-x * x) * xp.sin(3 * x)


def escape(xp: Any, c: Any, d: Any) -> Any:
    a, b = 0 * c, 0 * d
    for _ in range(50):
        inside = a * a + b * b < 4.0
        a, b = xp.where(inside, a * a - b * b + c, a), xp.where(inside, 2 * a * b + d, b)
    return a * a + b * b


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


_SOFTMAX = """
def whole(x, out):
    for i in prange(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = 0.0
        for j in range(x.shape[1]):
            out[i, j] = math.exp(x[i, j] - top)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
"""
_SQUARES = """
def whole(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * x[i]
    return total
"""


def scalar_text(*functions: Callable[..., Any]) -> str:
    """Source of array functions as functions of numbers: without the namespace, and with where() as an expression."""
    text = "\n".join(inspect.getsource(f) for f in functions)
    text = re.sub(r"xp: Any, |xp, ", "", text)
    return re.sub(r": Any|-> Any|: float", "", text.replace("xp.where", "where")).replace("xp.", "math.")


def points(n: int, *limits: tuple[float, float]) -> Callable[[np.random.Generator], Arrays]:
    return lambda rng: [rng.uniform(low, high, n) for low, high in limits]


_MILLION = 10**6
CASES = [
    Case("a + 2 * b", triad, points(10 * _MILLION, (0, 1), (0, 1)), scalar_text(triad)),
    Case("(x * x).sum()", lambda _xp, x: (x * x).sum(), points(10 * _MILLION, (0, 1)), _SQUARES, 0, True),
    Case("exp(-x*x) * sin(3*x)", gauss, points(4 * _MILLION, (-3, 3)), scalar_text(gauss)),
    Case("Black-Scholes", whole_tables.black_scholes, points(4 * _MILLION, (10, 50), (10, 50), (0.2, 2)),
         scalar_text(whole_tables._polynomial, whole_tables._normal, whole_tables.black_scholes), 2),
    Case("equation of state", whole_tables.density, points(4 * _MILLION, (30, 40), (0, 30), (0, 1000)),
         scalar_text(whole_tables._polynomial, whole_tables.density)),
    Case("50 steps of where", escape, points(_MILLION, (-2, 1), (-1.5, 1.5)), scalar_text(escape)),
    Case("softmax of rows", softmax, lambda rng: [rng.uniform(-5, 5, (8000, 500))], _SOFTMAX, 1, True),
]  # fmt: skip


def numba_function(case: Case, data: Arrays) -> Callable[[], Any] | None:
    """A call of the case by Numba, into memory of its own; None where it is not installed."""
    try:
        import numba
    except ImportError:
        return None
    namespace: dict[str, Any] = {"math": math, "prange": numba.prange, "numba": numba}
    namespace["where"] = numba.njit(inline="always")(lambda c, x, y: x if c else y)
    if case.whole:
        exec(case.loop, namespace)
        call = numba.njit(parallel=True, fastmath=False)(namespace["whole"])
    else:
        exec(case.loop, namespace)
        for name in [n for n, f in namespace.items() if inspect.isfunction(f)]:
            namespace[name] = numba.njit(fastmath=False)(namespace[name])
        names = [f"x{i}" for i in range(len(data))]
        outs = [f"out{i}" for i in range(case.outputs)]
        function = re.findall(r"^def (\w+)", case.loop, re.M)[-1]
        given = ", ".join(f"{x}[i]" for x in names)
        exec(
            f"def loop({', '.join(names + outs)}):\n    for i in prange(x0.size):\n"
            f"        {', '.join(f'{o}[i]' for o in outs)} = {function}({given})\n",
            namespace,
        )
        call = numba.njit(parallel=True, fastmath=False)(namespace["loop"])
    out = [np.empty_like(data[0]) for _ in range(case.outputs)]

    def run() -> Any:
        result = call(*data, *out)
        return np.asarray(result) if case.outputs == 0 else tuple(out)

    return run


def to_host(result: Any) -> tuple[np.ndarray, ...]:
    arrays = result if isinstance(result, tuple) else (result,)
    return tuple(x if isinstance(x, np.ndarray) else np.asarray(da.asarray(x).copy_to_host()) for x in arrays)


def calls_of(case: Case, device: da.Device) -> tuple[dict[str, Block], int]:
    """What to time, warm and compared, and the bytes that go in and come out."""
    data = case.data(np.random.default_rng(1))
    arrays = [da.asarray(x) for x in data]

    def ours() -> Any:
        result = case.text(da, *arrays)
        for x in result if isinstance(result, tuple) else (result,):
            x.evaluate()
        return result

    expected = to_host(ours())
    da.compiler.wait_for_kernels()
    calls = {"devarray": stopwatch(ours, device.default_queue.finish)}
    numba = numba_function(case, data)
    if numba is not None:
        for mine, theirs in zip(expected, to_host(numba()), strict=True):
            if not np.allclose(mine, theirs, rtol=1e-9):
                raise SystemExit(f"{case.name}: the results differ")
        calls["numba"] = stopwatch(numba, lambda: None)
    return calls, sum(x.nbytes for x in data) + case.outputs * data[0].nbytes


def measure(name: str, cases: list[Case], seconds: float) -> list[dict[str, Any]]:
    """This process's figures, in milliseconds."""
    device = da.device(name)
    effort = Effort(9, seconds / 9, 10 * seconds)
    elements = 20 * _MILLION
    one_pass = stopwatch(memory_pass(device, elements, 2, 1), device.default_queue.finish)
    bandwidth = 3 * 4 * elements / take_turns({"pass": one_pass}, effort)["pass"].median
    rows = []
    with da.use(device=device):
        for case in cases:
            calls, moved = calls_of(case, device)
            row = {"name": case.name, "pass": moved / bandwidth * 1e3}
            rows.append(row | {library: m.median * 1e3 for library, m in take_turns(calls, effort).items()})
    return rows


def print_table(by_cores: dict[int, list[dict[str, Any]]]) -> None:
    cores = sorted(by_cores)
    head = "".join(f"{f'devarray {n}':>12}{f'numba {n}':>10}{f'pass {n}':>9}" for n in cores)
    print(f"{'ms':24}{head}{'gain':>7}{'numba':>7}{'numba / devarray':>18}")
    for i, first in enumerate(by_cores[cores[0]]):
        rows = [by_cores[n][i] for n in cores]
        line = "".join(f"{r['devarray']:>12.2f}{r.get('numba', math.nan):>10.2f}{r['pass']:>9.2f}" for r in rows)
        gain = rows[0]["devarray"] / rows[-1]["devarray"]
        other = rows[0].get("numba", math.nan) / rows[-1].get("numba", math.nan)
        line += f"{gain:>7.2f}{other:>7.2f}{rows[-1].get('numba', math.nan) / rows[-1]['devarray']:>18.2f}"
        print(f"{first['name']:24}{line}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cases", default="")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    cases = [case for case in CASES if re.search(given.cases, case.name)]
    if given.child:
        print(json.dumps(measure(given.device, cases, given.seconds)))
        return
    usable = sorted(os.sched_getaffinity(0))
    by_cores = {}
    for n in map(int, given.cores.split(",")):
        if n > len(usable):
            raise SystemExit(f"{n} cores are wanted, this process may use {len(usable)}")
        cpus = ",".join(map(str, usable[:n]))
        environment = {**os.environ, "NUMBA_NUM_THREADS": str(n)}
        command = ["taskset", "-c", cpus, sys.executable, *sys.argv, "--child"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr or done.stdout)
        by_cores[n] = json.loads(done.stdout.splitlines()[-1])
    print_table(by_cores)
    if given.json:
        with open(given.json, "w") as file:
            json.dump(by_cores, file, indent=1)


if __name__ == "__main__":
    main()
