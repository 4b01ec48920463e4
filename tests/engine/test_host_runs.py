"""Small work that the host runs in place of kernels: their bits, NumPy's values, and only where nothing waits."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import COMPLEX, DTYPES, FLOATS, moderate, same, silent, skip_without, values

import devarray as da
from devarray import _core
from devarray._array.operations import OP
from devarray.ops.table import OPS, SPECIAL, STEP

pytestmark = pytest.mark.usefixtures("on_host")

SIZE = 70  # several vectors and a rest


def host_runs(make: Callable[[], Any]) -> int:
    before = da.stats()["host_runs"], da.stats()["launches"]
    make()
    assert da.stats()["launches"] == before[1] or da.stats()["host_runs"] == before[0]
    return da.stats()["host_runs"] - before[0]


def by_kernels(make: Callable[[], da.Array]) -> np.ndarray:
    before, da.config.host_elements = da.config.host_elements, 0
    try:
        return make().copy_to_host()
    finally:
        da.config.host_elements = before


def bits(x: np.ndarray) -> np.ndarray:
    """The bits, with one NaN for all."""
    x = np.ascontiguousarray(x)
    if x.dtype.kind in "fc":
        parts = x.reshape(-1).view(f"f{x.dtype.itemsize // (2 if x.dtype.kind == 'c' else 1)}").copy()
        parts[np.isnan(parts)] = np.nan
        return parts.view(f"u{parts.dtype.itemsize}")
    return x.reshape(-1).view(np.uint8)


def agree(make: Callable[[], da.Array]) -> np.ndarray:
    """The same array by the host and by kernels, bit for bit; what it is."""
    da.synchronize()
    before = da.stats()["host_runs"]
    mine = make().copy_to_host()
    assert da.stats()["host_runs"] > before
    kernels = by_kernels(make)
    assert mine.dtype == kernels.dtype
    assert mine.shape == kernels.shape
    np.testing.assert_array_equal(bits(mine), bits(kernels))
    return mine


OF_TWO = {"float_power", "hypot", "logaddexp", "logaddexp2", "atan2", "nextafter"}
OF_ONE = {"cbrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "i0", "spacing"} | {
    f"{arc}{name}{h}" for arc in ("", "a") for name in ("sin", "cos", "tan") for h in ("", "h")
}
NO_SVML = {"logaddexp", "logaddexp2", "nextafter", "i0", "spacing"}
ONLY_SOME = {"pow": "iu", "abs": "biuf", "sign": "iuf", "sqrt": "biuf"}
CASES = [
    (name, dtype)
    for name, op in OPS.items()
    if name not in OF_ONE | OF_TWO and not op.flags & (STEP | SPECIAL) and name not in ("iota", "copy", "astype")
    for dtype in DTYPES
    if op.result_dtype(dtype) is not None and np.dtype(dtype).kind in ONLY_SOME.get(name, "biufc")
]


def arguments(name: str, dtype: str) -> list[np.ndarray]:
    found = [values(dtype, SIZE, seed) for seed in range(OPS[name].nin)]
    if name == "where":
        found[0] = values("bool", SIZE, 9)
    if name == "pow" and np.dtype(dtype).kind == "i":
        found[1] = np.abs(moderate(dtype, SIZE, 3))
    return found


def call(name: str, operands: list[Any]) -> Any:
    return _core.apply(OP[name], *operands)  # the function may know a shorter way


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=[f"{n}-{t}" for n, t in CASES])
def test_operation_has_the_kernels_bits(name: str, dtype: str) -> None:
    skip_without(dtype, OPS[name].compute_dtype(dtype))
    operands = [da.asarray(x) for x in arguments(name, dtype)]
    agree(lambda: call(name, operands))
    if dtype in ("int16", "float64", "complex64"):  # how elements are reached is no concern of an operation's
        agree(lambda: call(name, [x[::-3] for x in operands]))


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("source", DTYPES)
def test_casts_have_the_kernels_bits(source: str) -> None:
    x = da.asarray(values(source, SIZE))
    for target in DTYPES:
        if target != source:
            skip_without(source, target)
            agree(lambda target=target: x.astype(target))


@pytest.mark.parametrize("name", ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"])
def test_signed_and_unsigned_compare_by_value(name: str) -> None:
    a, b = values("int64", SIZE), values("uint64", SIZE, 1)
    a[::4] = b[::4].astype(np.int64)
    small = values("int8", SIZE, 2)
    for left, right in ((a, b), (b, a), (small, b), (b, small)):
        got = agree(lambda left=left, right=right: getattr(da, name)(da.asarray(left), da.asarray(right)))
        same(got, getattr(np, name)(left, right))


def calls_svml(device: da.Device) -> bool:
    """Whether the device's kernels call a library of Intel's whose functions the host calls, too."""
    maps = Path("/proc/self/maps")
    found = set(re.findall(r"libocl_svml_(\w+)\.so", maps.read_text())) if maps.exists() else set()
    return device.caps["platform"] == "Intel(R) OpenCL" and len(found) == 1 and found <= {"z0", "z1", "l9"}


SVML = [(name, dtype) for name in sorted((OF_ONE | OF_TWO | {"pow"}) - NO_SVML) for dtype in FLOATS[1:]]


@pytest.mark.parametrize(("name", "dtype"), SVML, ids=[f"{n}-{t}" for n, t in SVML])
def test_functions_of_the_runtimes_library_have_the_kernels_bits(device: da.Device, name: str, dtype: str) -> None:
    if not calls_svml(device):
        pytest.skip("only where kernels call Intel's library")
    op = OPS[name]
    for size in (1, 7, 8, 16, 1000):
        operands = [values(dtype, size, seed) for seed in range(op.nin)]
        agree(lambda operands=operands: call(name, [da.asarray(x) for x in operands]))
    whole = values(dtype, 90)
    agree(lambda: call(name, [da.asarray(x)[::-3] for x in (whole, whole[::-1])[: op.nin]]))
    x = da.asarray(whole)
    for exponent in (0.5, 2.5, -0.5, np.inf) if op.nin == 2 else ():
        agree(lambda exponent=exponent: call(name, [x, exponent]))
        agree(lambda exponent=exponent: call(name, [exponent, x]))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_magnitudes_have_the_kernels_bits(device: da.Device, dtype: str) -> None:
    if not calls_svml(device):
        pytest.skip("only where kernels call Intel's library")
    for size in (1, 5, 8, 1000):
        z = da.asarray(values(dtype, size))
        agree(lambda z=z: abs(z))


def test_operations_without_a_loop_are_launched(device: da.Device) -> None:
    x = da.asarray(moderate("float32", 16))
    for name in sorted(OF_ONE & NO_SVML if calls_svml(device) else OF_ONE):
        da.synchronize()
        before = da.stats()["launches"]
        getattr(da, name)(x).evaluate()
        assert da.stats()["launches"] == before + 1, name


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "whole": lambda x: x,
    "steps": lambda x: x[::2, ::3],
    "reversed": lambda x: x[::-1, ::-1],
    "transposed": lambda x: x.T,
    "column": lambda x: x[:, 3:4],
    "row": lambda x: x[2],
    "corner": lambda x: x[1:4, 2:9],
    "one": lambda x: x[3, 4, ...],
}


@pytest.mark.parametrize("dtype", ["float64", "float16", "bool", "complex64", "int16", "complex128"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, dtype: str) -> None:
    skip_without(dtype)
    view = LAYOUTS[layout]
    a, b = values(dtype, (12, 30)), values(dtype, (12, 30), 1)
    x, y = da.asarray(a), da.asarray(b)
    with silent():
        same(agree(lambda: view(x) + view(y) + view(x)), view(a) + view(b) + view(a))
        agree(lambda: view(x) * view(y) + view(x))
        if layout not in ("row", "one", "column"):
            same(agree(lambda: view(x) + view(y)[:1]), view(a) + view(b)[:1])
            same(agree(lambda: view(x)[:, :1] + view(y)[:1]), view(a)[:, :1] + view(b)[:1])


def test_result_has_the_layout_of_a_kernels() -> None:
    x = da.asarray(np.arange(60.0).reshape(3, 4, 5)).transpose(2, 0, 1)
    with_kernels = by_layout(lambda: x * 2 + x)
    assert (x * 2 + x).evaluate().strides == with_kernels


def by_layout(make: Callable[[], da.Array]) -> tuple[int, ...]:
    before, da.config.host_elements = da.config.host_elements, 0
    found = make().evaluate().strides
    da.config.host_elements = before
    da.synchronize()
    return found


def test_bytes_seen_as_bools_are_truths() -> None:
    x = da.asarray(np.array([0, 1, 2, 128, 255], np.uint8)).view(np.bool_)
    same(agree(lambda: x + x), np.array([False, True, True, True, True]))
    same(agree(lambda: x.astype(np.int64)), np.array([0, 1, 1, 1, 1]))
    assert int(x.sum()) == 4


def test_no_axes_no_elements_and_fills() -> None:
    same(agree(lambda: da.asarray(3.0) * 2 + da.asarray(1.0)), np.array(7.0))
    assert (da.zeros((0, 3)) + 1).copy_to_host().shape == (0, 3)
    same(agree(lambda: da.full((2, 3), 2.5)), np.full((2, 3), 2.5))
    same(agree(lambda: da.arange(7) * 2), np.arange(7) * 2)
    same(agree(lambda: da.arange(0, 1, 0.125, dtype=np.float32)), np.arange(0, 1, 0.125, dtype=np.float32))


def test_long_expression_over_several_blocks() -> None:
    a, b = values("float32", 5000), values("float32", 5000, 1)
    x, y = da.asarray(a), da.asarray(b)

    def chain(p: Any, q: Any) -> Any:
        r = p
        for i in range(40):
            r = r * 0.5 + q - i
        return r

    with silent():
        same(agree(lambda: chain(x, y)), chain(a, b))


@pytest.mark.usefixtures("deferred")
def test_living_values_are_written_beside_the_result() -> None:
    a = moderate("float64", 50)
    x = da.asarray(a)
    t = x * 2
    u = t + 1
    assert host_runs(u.evaluate) > 0
    assert not t.pending
    same(t, a * 2)
    same(u, a * 2 + 1)


@pytest.mark.usefixtures("deferred")
def test_writes_to_parts() -> None:
    a = moderate("float64", 40)
    x, view = da.asarray(a), da.asarray(a)[5:]
    assert host_runs(lambda: x.__setitem__(slice(2, 5), x[2:5] * 2)) > 0
    a[2:5] *= 2
    x[7] = 1
    a[7] = 1
    x[10:20] = x[11:21]  # overlaps
    a[10:20] = a[11:21].copy()
    x[::-1] = x + 0.5
    a[::-1] = a + 0.5
    same(x, a)
    assert view.shape == (35,)


def test_donated_memory_is_read_before_it_is_written() -> None:
    a, b = moderate("float64", 3000), moderate("float64", 3000, 1)
    x, y = da.asarray(a) + 0, da.asarray(b)
    x.evaluate()
    x += y
    z = x * y
    x = None
    same(z, (a + b) * b)


def test_pending_readers_run_before_a_write() -> None:
    x = da.asarray(np.arange(16.0))
    y = x + 1
    x[:] = 0
    same(y, np.arange(16.0) + 1)
    element = x[3]
    x[3] = 5
    assert float(element) == 0


KINDS = ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "mean", "count_nonzero"]
SHAPES = [(1,), (7,), (16,), (64,), (70,), (300,), (1500,), (4097,), (5, 7), (40, 3), (3, 40), (64, 64), (20, 30, 5),
          (300, 20), (17, 90), (200, 17), (9, 4, 130)]  # fmt: skip


FEW = [(4097,), (40, 3), (9, 4, 130)]


@pytest.mark.parametrize("shapes", [FEW, pytest.param(SHAPES, marks=pytest.mark.slow)], ids=["few", "all"])
@pytest.mark.parametrize(
    "dtype",
    [
        *(*FLOATS, "complex64", "int8", "int64", "bool"),
        *(pytest.param(dtype, marks=pytest.mark.slow) for dtype in ("complex128", "uint16", "uint64")),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.heavy
def test_reductions_have_the_kernels_bits(kind: str, dtype: str, shapes: list[tuple[int, ...]]) -> None:
    skip_without(dtype)
    if kind == "argmin" and dtype == "bool":
        pytest.skip("as argmax")
    if kind == "prod" and dtype in COMPLEX:
        pytest.skip("left to kernels")
    reduce = getattr(da, kind)
    with silent():
        for shape in shapes:
            for a in (moderate(dtype, shape), values(dtype, shape)):
                x = da.asarray(a)
                for axis in (None, *range(len(shape))):
                    agree(lambda x=x, axis=axis: reduce(x, axis=axis))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_few_rows_on_any_number_of_cores(dtype: str) -> None:
    """By the number of cores, groups of 2, 4 or 8 rows, whose sums Intel's compiler would add up in vectors."""
    for rows in (9, 17, 30, 60, 100, 200):
        for columns in (22, 44):
            a = moderate(dtype, (rows, columns))
            x = da.asarray(a)
            agree(lambda x=x: x.sum(axis=-1))
            agree(lambda x=x: (x * 2 - 1).sum(axis=-1))


def test_reductions_of_views_and_expressions() -> None:
    a = moderate("float64", (30, 44))
    x = da.asarray(a)
    for view in LAYOUTS.values():
        for axis in (None, -1):
            agree(lambda view=view, axis=axis: (view(x) * 2 - 1).sum(axis=axis) if view(x).ndim else view(x).sum())
            agree(lambda view=view, axis=axis: view(x).max(axis=axis) if view(x).ndim else view(x).max())
    agree(lambda: x.std(axis=0))
    agree(lambda: da.asarray(a.astype(np.float16)).mean(axis=1))
    kept = x * 3
    total = kept.sum(axis=0)  # writes what is kept beside it
    same(kept, a * 3)
    np.testing.assert_allclose(total.copy_to_host(), (a * 3).sum(axis=0))


def test_busy_queue_takes_kernels_and_an_idle_one_none(device: da.Device) -> None:
    x = da.asarray(moderate("float64", 16))
    big = da.ones(1 << 22)
    da.synchronize()
    da.sin(big).evaluate()  # under way
    before = da.stats()["launches"]
    y = (x + 1).evaluate()
    assert da.stats()["launches"] == before + 1
    da.synchronize()
    assert host_runs(lambda: (y + x).evaluate()) == 1


def test_results_of_kernels_and_of_the_host_in_turns() -> None:
    a = moderate("float64", 100)
    x, y = a, da.asarray(a)
    for i in range(30):
        x, y = x * 0.5 + i, y * 0.5 + i
        if i % 3 == 0:
            y = da.sin(y).evaluate()  # a kernel
            x = np.sin(x)
        if i % 7 == 0:
            da.synchronize()
    np.testing.assert_allclose(y.copy_to_host(), x, rtol=1e-12)


def test_two_queues(device: da.Device) -> None:
    other = device.create_queue()
    a = moderate("float64", 1000)
    x = da.asarray(a)
    with da.use(queue=other):
        y = da.asarray(a * 2)
    z = x + y
    same(z, a + a * 2)
    w = y + x
    x[:] = 0
    same(w, a + a * 2)
    same(x + y, a * 2)


def test_memory_that_was_handed_out_takes_kernels() -> None:
    x = da.asarray(moderate("float64", 16))
    raw = np.from_dlpack(x)
    assert host_runs(lambda: (x + 1).evaluate()) == 0
    assert raw.shape == (16,)


def test_setting_turns_it_off_and_bounds_it() -> None:
    x = da.asarray(moderate("float64", 1000))
    da.config.host_elements = 0
    assert host_runs(lambda: (x + 1).evaluate()) == 0
    da.config.host_elements = 1000  # the operation and what it reads and writes count
    assert host_runs(lambda: (x + 1).evaluate()) == 0
    da.synchronize()
    da.config.host_elements = 4000
    assert host_runs(lambda: (x + 1).evaluate()) == 1
    with pytest.raises(da.errors.ValueError, match="host_elements"):
        da.config.host_elements = -1


def test_forbidden_waits_do_not_forbid_it() -> None:
    x = da.asarray(moderate("float64", 16))
    da.synchronize()
    da.config.forbid_waits = True
    try:
        y = (x + 1).sum().evaluate()
    finally:
        da.config.forbid_waits = False
    assert y.ndim == 0


def test_threads() -> None:
    a = moderate("float64", 200)
    wrong: list[int] = []

    def work(number: int) -> None:
        x = da.asarray(a + number)
        for _ in range(200):
            y = x * 2 - x
            y[3:9] += 1
            wanted = a + number
            wanted[3:9] += 1
            if not np.allclose(y.copy_to_host(), wanted):
                wrong.append(number)
            if number % 2:
                da.sin(x).evaluate()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


PRODUCTS = [((4, 4), (4, 4)), ((16, 16), (16, 16)), ((3, 5), (5,)), ((5,), (5, 2)), ((9,), (9,)), ((2, 3, 4), (4, 6))]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
@pytest.mark.parametrize("shapes", PRODUCTS)
def test_small_products(shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: str) -> None:
    a, b = (moderate(dtype, shape, i) for i, shape in enumerate(shapes))
    x, y = da.asarray(a), da.asarray(b)
    da.synchronize()
    waits = da.stats()["waits"]
    z = x @ y
    assert da.stats()["waits"] == waits
    mine = z.copy_to_host()
    np.testing.assert_array_equal(bits(mine), bits(by_kernels(lambda: x @ y)))
    np.testing.assert_allclose(mine, a @ b, rtol=1e-5)
    assert type(x @ y) is da.Array


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32", "uint64", "uint8", "bool"])
@pytest.mark.parametrize("length", [40, 60, 5000, 7000])
def test_small_sorts(dtype: str, length: int) -> None:
    """On both sides of the sizes where one way of NumPy's hands over to another."""
    a = values(dtype, (5, length))
    if np.dtype(dtype).kind == "f":
        a[:3, ::3] = -0.0
        a[:3, 1::3] = 0.0
        a[3] = np.abs(a[3])
    x = da.asarray(a)
    for axis in (-1, 0):
        for function in ("sort", "argsort"):
            ours, theirs = getattr(da, function), getattr(np, function)
            if x.dtype.kind in "biu":
                da.synchronize()
                waits = da.stats()["waits"]
                ours(x[:, :40], axis)
                assert da.stats()["waits"] == waits
            mine = ours(x, axis).copy_to_host()
            np.testing.assert_array_equal(bits(mine), bits(theirs(a, axis, kind="stable")))
            np.testing.assert_array_equal(bits(mine), bits(by_kernels(lambda ours=ours, axis=axis: ours(x, axis))))
    with pytest.raises(da.errors.AxisError):
        da.sort(x, 2)


def test_small_systems() -> None:
    a = moderate("float64", (4, 4)) + 9 * np.eye(4)
    b = moderate("float64", 4)
    x, y = da.asarray(a), da.asarray(b)
    for solve in (da.linalg.solve, np.linalg.solve):
        mine = solve(x, y)
        assert type(mine) is da.Array
        np.testing.assert_array_equal(mine.copy_to_host(), by_kernels(lambda solve=solve: solve(x, y)))
        np.testing.assert_allclose(mine.copy_to_host(), np.linalg.solve(a, b))
    np.testing.assert_array_equal(da.linalg.inv(x).copy_to_host(), by_kernels(lambda: da.linalg.inv(x)))
    with pytest.raises(da.errors.LinAlgError, match="solve"):
        da.linalg.solve(x * 0, y)
    with pytest.raises(da.errors.ShapeError):
        da.linalg.solve(x, da.ones(5))
    with pytest.raises(da.errors.ShapeError):
        x @ da.ones(5)
