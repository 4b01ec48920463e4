"""Equal launches in a row, on other memory each, become one where plans repeat: an optimiser's step over parameters."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core
from devarray._runtime import compiler
from devarray.codegen.kernels import elementwise
from devarray.codegen.kernels.spec import ElementwiseSpec

N = 1 << 14
SETS = {"cuda": 16, "opencl": 8}
"""Of a batch whose arguments are few."""
BEFORE = 2
"""Equal launches in a row before one waits for others."""
RNG = np.random.default_rng(7)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans", "own_queue")


@pytest.fixture
def own_queue(device: da.Device) -> Iterator[None]:
    """A new one, which the host need not wait for yet: that ends a row of launches."""
    with da.use(queue=da.queue(device)):
        yield


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ElementwiseSpec]]:
    """Specs of batches, as they are rendered."""
    specs: list[ElementwiseSpec] = []
    render = elementwise.render

    def noted(spec: ElementwiseSpec, dialect: Any) -> str:
        if spec.sets > 1:
            specs.append(spec)
        return render(spec, dialect)

    monkeypatch.setattr(elementwise, "render", noted)
    yield specs


def evaluated(works: Iterable[Callable[[], Any]]) -> tuple[list[Any], int]:
    """The results of works that are evaluated one after the other, and in how many launches: of the second time, when
    pools have the memory."""
    works = list(works)
    results: list[Any] = []
    for _ in range(2):
        results.clear()
        other()
        before = da.stats()["launches"]
        results.extend(work().evaluate() for work in works)
        da.synchronize()
    return results, da.stats()["launches"] - before


def together(count: int) -> int:
    """Launches that so many equal ones become."""
    return BEFORE + -(-(count - BEFORE) // SETS[da.zeros(1).device.driver])


def normal(shape: Any = N, dtype: Any = "float32") -> np.ndarray:
    return RNG.standard_normal(shape).astype(dtype)


def ready(function: Callable[..., Any], *arguments: Any) -> None:
    """The kernel for several sets is there afterwards, and no row of launches goes on."""
    for _ in range(6):  # one with constants comes first, and both may have to be compiled
        for _ in range(12):
            function(*arguments).evaluate()
        other()
        compiler.wait_for_kernels()


def other() -> None:
    """Another launch, behind all others."""
    (da.zeros(8) + 1).evaluate()
    da.synchronize()


def line(x: Any, y: Any) -> Any:
    return x * 3 + y


def adam(w: Any, g: Any, m: Any, s: Any) -> Any:
    xp = np if isinstance(w, np.ndarray) else da
    m = 0.9 * m + 0.1 * g
    s = 0.999 * s + 0.001 * g * g
    return w - 0.001 * (m / 0.1) / (xp.sqrt(s / 0.001) + 1e-8)


@pytest.mark.parametrize("function", [line, adam])
@pytest.mark.parametrize("size", [N, N + 3, 3 * N + 1])
def test_bits_stay(function: Any, size: int, made: list[ElementwiseSpec]) -> None:
    hosts = [[abs(normal(size)) for _ in range(2 if function is line else 4)] for _ in range(21)]
    sets = [[da.asarray(host) for host in one] for one in hosts]
    ready(function, *sets[0])
    results, count = evaluated(partial(function, *one) for one in sets)
    assert made and count < 21 and (function is adam or count == together(21))
    for one, result in zip(hosts, results, strict=True):
        same(result.copy_to_host(), function(*one))


def test_constants(made: list[ElementwiseSpec]) -> None:
    """A batch of a kernel that has numbers in its code has them there, too, and other numbers do not get there."""
    hosts = [[abs(normal(1 << 16)) for _ in range(4)] for _ in range(11)]
    sets = [[da.asarray(host) for host in one] for one in hosts]

    def step(k: float, one: Any) -> Any:
        w, g, m, s = one
        return adam(w, g * k, m, s)

    ready(step, 2.0, sets[0])
    assert made and made[-1].constants
    for ks in ([2.0] * 11, [2.0] * 5 + [3.0] * 6, [float(i) for i in range(11)], [2.0] * 11):
        results = [da.empty(1 << 16, "float32") for _ in ks]  # then there is memory
        results.clear()
        results.extend(step(k, one).evaluate() for k, one in zip(ks, sets, strict=True))
        for k, one, result in zip(ks, hosts, results, strict=True):
            same(result.copy_to_host(), step(k, one))
        compiler.wait_for_kernels()


def test_the_kernel_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it computes something else, what was held back is something else."""
    render = elementwise.render

    def wrong(spec: ElementwiseSpec, dialect: Any) -> str:
        text = render(spec, dialect)
        return text if spec.sets == 1 else text.replace(" - ", " + ")

    monkeypatch.setattr(elementwise, "render", wrong)
    x, y = da.asarray(normal()), da.asarray(normal())
    function = lambda x, y: x * 1.625 - y  # noqa: E731
    ready(function, x, y)
    results = [function(x, y).evaluate().copy_to_host() for _ in range(3)]  # each copy launches
    held = [function(x, y).evaluate() for _ in range(6)]
    assert results[0].tobytes() == held[0].copy_to_host().tobytes()
    assert results[0].tobytes() != held[-1].copy_to_host().tobytes()


def test_numbers_differ() -> None:
    xs = [da.asarray(normal()) for _ in range(18)]
    hosts = [x.copy_to_host() for x in xs]
    scale = lambda x, k: x * k + (1 - k)  # noqa: E731
    ready(scale, xs[0], 2.0)
    results, count = evaluated(partial(scale, x, 0.5 * k) for k, x in enumerate(xs))
    assert count == together(18)
    for k, (host, result) in enumerate(zip(hosts, results, strict=True)):
        same(result.copy_to_host(), scale(host, 0.5 * k))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float64", "complex64"])
def test_dtypes(dtype: str, made: list[ElementwiseSpec]) -> None:
    def function(x: Any, y: Any) -> Any:
        return x ^ y | x if dtype == "bool" else (x * y - x) * 3

    if dtype == "bool":
        hosts = [RNG.integers(0, 2, (2, N)).astype(bool) for _ in range(12)]
    else:
        hosts = [(RNG.integers(0, 9, (2, N)) / 2).astype(dtype) for _ in range(12)]
    sets = [[da.asarray(host[0]), da.asarray(host[1])] for host in hosts]
    ready(function, *sets[0])
    results, count = evaluated(partial(function, *one) for one in sets)
    assert made and count == together(12)
    for host, result in zip(hosts, results, strict=True):
        same(result.copy_to_host(), function(*host))


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "every second element": lambda x: x[:, ::2],
    "backwards": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "short rows": lambda x: x.reshape(-1, 6)[:, 1:5],
    "a row for all": lambda x: x[:, :1] + x[:1],
    "windows": lambda x: x[1:-1, 1:-1] - x[:-2, 2:],
    "a roll": lambda x: (np if isinstance(x, np.ndarray) else da).roll(x, 3, axis=1),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, made: list[ElementwiseSpec]) -> None:
    def function(x: Any) -> Any:
        return LAYOUTS[name](x) * 2 + 1

    hosts = [normal((180, 192)) for _ in range(12)]
    xs = [da.asarray(host) for host in hosts]
    ready(function, xs[0])
    results, count = evaluated(partial(function, x) for x in xs)
    assert made and count == together(12)
    for host, result in zip(hosts, results, strict=True):
        same(result.copy_to_host(), function(host))


def test_rows_of_one_array() -> None:
    """They lie at other offsets of the same memory."""
    host = normal((20, N))
    x = da.asarray(host)
    ready(line, x[0], x[1] + 0)
    y = da.asarray(host[3])
    results, count = evaluated(partial(line, x[i], y) for i in range(20))
    assert count == together(20)
    for i, result in enumerate(results):
        same(result.copy_to_host(), line(host[i], host[3]))


def test_by_turns_from_the_end() -> None:
    """Large launches walk their memory forwards and backwards by turns, and so do batches of them."""
    _core.set_config("row_bytes", 0)
    hosts = [normal(N + 3) for _ in range(26)]
    *xs, y = [da.asarray(host) for host in hosts]
    ready(line, xs[0], y)
    for _ in range(3):
        results, count = evaluated(partial(line, x, y) for x in xs)
        assert count == together(25)
        for host, result in zip(hosts, results, strict=False):
            same(result.copy_to_host(), line(host, hosts[-1]))


def test_several_results() -> None:
    """A kernel writes an intermediate value that is kept, too."""
    *hosts, other = [normal() for _ in range(16)]
    *xs, y = [da.asarray(host) for host in (*hosts, other)]
    kept: list[Any] = []

    def function(x: Any) -> Any:
        kept.append(x * 2 + y)  # of one array it might be left pending
        return kept[-1] / 7 - x

    for _ in range(2):  # the pool has memory for all of them then: who waits for more launches what is held
        results = [function(x).evaluate() for x in xs]
        ready(function, xs[0])
        kept.clear()
    results, count = evaluated(partial(function, x) for x in xs)
    assert count == together(15)
    for host, between, result in zip(hosts, kept[-15:], results, strict=True):
        same(between.copy_to_host(), host * 2 + other)
        same(result.copy_to_host(), (host * 2 + other) / 7 - host)


@pytest.mark.parametrize("many", [1, 2, 3, 9, 10])
def test_steps_stay_in_order(many: int) -> None:
    """What reads a result of a batch, or writes what one reads, comes behind it."""
    *hosts, other = [normal() for _ in range(many + 1)]
    *xs, y = [da.asarray(host) for host in (*hosts, other)]
    ready(line, xs[0], y)
    for _ in range(7):
        hosts = [line(host / 2, other) for host in hosts]
        xs = [line(x / 2, y).evaluate() for x in xs]
        hosts = [line(hosts[i - 1], hosts[i]) for i in range(many)]
        xs = [line(xs[i - 1], xs[i]).evaluate() for i in range(many)]
        for i in range(many):  # each from the one before
            hosts[i] = line(hosts[i - 1], other)
            xs[i] = line(xs[i - 1], y).evaluate()
        hosts, xs = [host / 64 for host in hosts], [(x / 64).evaluate() for x in xs]
        compiler.wait_for_kernels()
    for host, x in zip(hosts, xs, strict=True):
        same(x.copy_to_host(), host)


def test_iterations_are_launched_one_by_one() -> None:
    host, other = normal(), normal()
    x, y = da.asarray(host), da.asarray(other)
    ready(line, x, y)

    def iterations() -> Any:
        value = x
        for _ in range(12):
            value = (value * 3 + y).evaluate()
        return value

    (result,), count = evaluated([iterations])
    assert count == 12
    for _ in range(12):
        host = line(host, other)
    same(result.copy_to_host(), host)


@pytest.mark.parametrize("many", [1, 2, 5, 12])
def test_in_place(many: int) -> None:
    hosts, gradients = [normal() for _ in range(many)], [normal() for _ in range(many)]
    xs, gs = [da.asarray(host) for host in hosts], [da.asarray(g) for g in gradients]
    for _ in range(8):
        for host, x, gradient, g in zip(hosts, xs, gradients, gs, strict=True):
            for values, change in ((host, gradient), (x, g)):
                values -= 0.125 * change
            x.evaluate()
        for i in range(1, many):  # each takes its neighbour's new value
            hosts[i] -= 0.125 * hosts[i - 1]
            xs[i] -= 0.125 * xs[i - 1]
            xs[i].evaluate()
        compiler.wait_for_kernels()
    for host, x in zip(hosts, xs, strict=True):
        same(x.copy_to_host(), host)


def test_stores_into_views() -> None:
    """Rows of one array, in place: some overlap."""
    host, other = normal(20 * N), normal(N)
    x, y = da.asarray(host), da.asarray(other)
    for _ in range(6):
        for start in [*range(0, 19 * N, N), *range(0, 9 * N, N // 2), 5, N, 2 * N]:
            for values, added in ((host, other), (x, y)):
                values[start : start + N] = values[start : start + N] / 2 + added
        compiler.wait_for_kernels()
    same(x.copy_to_host(), host)


@pytest.mark.parametrize("result", ["float32", "float64"])
def test_operands_are_dropped(result: str) -> None:
    """Their memory is taken by the next result, if anything is wrong. Float32 results take it at once."""
    hosts = [normal() for _ in range(24)]

    def function(x: Any) -> Any:
        return x.astype(result) * 3 - 1

    ready(function, da.asarray(hosts[0]))
    for _ in range(3):
        xs = [da.asarray(host) for host in hosts]
        da.synchronize()
        results = []
        while xs:
            results.append(function(xs.pop()).evaluate())
        for host, got in zip(hosts, reversed(results), strict=True):
            same(got.copy_to_host(), function(host))


def test_results_are_dropped() -> None:
    """Nobody wants them, and the launches are still made: they may be in place."""
    x, y = da.asarray(normal()), da.asarray(normal())
    ready(line, x, y)
    for _ in range(30):
        line(x, y).evaluate()
    same(line(x, y).copy_to_host(), line(x.copy_to_host(), y.copy_to_host()))


ASKED: dict[str, Callable[[Any], Any]] = {
    "a copy": lambda r: r.copy_to_host(),
    "an element": lambda r: float(r[3]),
    "a sum": lambda r: float(r.sum()),
    "the queue": lambda r: da.synchronize(),
    "an event": lambda r: r.queue.record().wait(),
    "another launch": lambda r: (da.exp(r) + 2).copy_to_host(),
    "a store": lambda r: r.__setitem__(slice(0, 5), 1),
}


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_launches_all(name: str) -> None:
    xs = [da.asarray(normal()) for _ in range(9)]
    hosts = [x.copy_to_host() for x in xs]
    y = da.asarray(normal())
    ready(line, xs[0], y)
    results: list[Any] = []
    for _ in range(2):  # then there is memory
        results.clear()
        other()
        before = da.stats()["launches"]
        results.extend(line(x, y).evaluate() for x in xs)
    assert da.stats()["launches"] == before + BEFORE
    ASKED[name](results[4])
    assert da.stats()["launches"] > before + BEFORE
    for i, (host, result) in enumerate(zip(hosts, results, strict=True)):
        want = line(host, y.copy_to_host())
        if name == "a store" and i == 4:
            want[:5] = 1
        same(result.copy_to_host(), want)


def test_the_first_ones_do_not_wait() -> None:
    x, y = da.asarray(normal()), da.asarray(normal())
    ready(line, x, y)
    before = da.stats()["launches"]
    for _ in range(BEFORE):
        line(x, y).evaluate()
    assert da.stats()["launches"] == before + BEFORE
    result = line(x, y).evaluate()
    assert da.stats()["launches"] == before + BEFORE
    da.synchronize()
    assert da.stats()["launches"] == before + BEFORE + 1
    same(result.copy_to_host(), line(x.copy_to_host(), y.copy_to_host()))


def at_once(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether each of several launches is made when it is asked for."""
    other()
    counts = []
    for _ in range(6):
        before = da.stats()["launches"]
        function(*arguments).evaluate()
        counts.append(da.stats()["launches"] - before)
    da.synchronize()
    return counts == [1] * 6


def test_waiting_for_nothing_ends() -> None:
    x, y = da.asarray(normal()), da.asarray(normal())
    ready(line, x, y)
    assert not at_once(line, x, y)
    for _ in range(4):
        for _ in range(BEFORE + 1):
            line(x, y).evaluate()
        other()
    assert at_once(line, x, y)


def test_sizes() -> None:
    for size, waits in ((N - 1, False), (N, True), ((1 << 22) + 1, False)):
        x = da.ones(size, "int8")
        ready(line, x, x)
        assert at_once(line, x, x) != waits


def test_modes_without(device: da.Device) -> None:
    x, y = da.asarray(normal()), da.asarray(normal())
    ready(line, x, y)
    da.config.deferred = False
    try:
        assert evaluated([partial(line, x, y)] * 6)[1] == 12
    finally:
        da.config.deferred = True
    with da.profile() as profile:
        for _ in range(6):
            line(x, y).evaluate()
    assert len(profile.kernels) == 6
    da.synchronize()
    assert not at_once(line, x, y)


def test_queues(device: da.Device) -> None:
    """A result is used on another queue, and what is computed there on the first one."""
    other = da.queue(device)
    hosts = [normal() for _ in range(12)]
    xs = [da.asarray(host) for host in hosts]
    y = da.ones(N, "float32")
    ready(line, xs[0], y)
    results = [line(x, y).evaluate() for x in xs]
    with da.use(queue=other):
        there = [da.exp2(result * 0).evaluate() + da.asarray(host) for host, result in zip(hosts, results, strict=True)]
    again = [line(x, z) for x, z in zip(results, there, strict=True)]
    for host, result in zip(hosts, again, strict=True):
        same(result.copy_to_host(), line(line(host, np.float32(1)), np.float32(1) + host))


def test_threads(device: da.Device) -> None:
    """On one queue, and on one of each thread."""
    failed: list[BaseException] = []

    def work(seed: int, queue: Any) -> None:
        try:
            rng = np.random.default_rng(seed)
            hosts = [rng.standard_normal(N).astype("float32") for _ in range(10)]
            with da.use(queue=queue):
                xs = [da.asarray(host) for host in hosts]
                for _ in range(20):
                    results = [line(x, xs[0]).evaluate() for x in xs]
                    for host, result in zip(hosts, results, strict=True):
                        same(result.copy_to_host(), line(host, hosts[0]))
                    results = [line(x, xs[0]).evaluate().sum() for x in xs]
        except BaseException as error:
            failed.append(error)

    for queues in ([device.default_queue] * 3, [da.queue(device) for _ in range(3)]):
        threads = [threading.Thread(target=work, args=(i, queue)) for i, queue in enumerate(queues)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not failed


def test_memory_that_is_held_is_found(device: da.Device) -> None:
    """Where there is no more, what is held back is launched, and what it kept may be taken."""
    hosts = [normal() for _ in range(20)]

    def function(x: Any) -> Any:
        return x.astype("float64") * 3 - 1

    ready(function, da.asarray(hosts[0]))
    limited = da.alloc.LimitingResourceAdaptor(
        da.alloc.DeviceMemoryResource(device, device.memory_kinds[0]), allocation_limit=8 * N * 4 + 4096
    )
    with da.use(allocator=limited):
        for host in hosts:
            x = da.asarray(host)
            result = function(x)
            del x
            result.evaluate()
            same(result.copy_to_host(), function(host))
