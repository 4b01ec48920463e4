"""What is joined while it is pending: one launch writes the parts that share what they are computed from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels")

LARGE = (512, 520)  # of float64: more than an eighth of the bytes that a launch is worth
RNG = np.random.default_rng(7)
A, B = RNG.normal(size=LARGE), RNG.normal(size=LARGE)
DTYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"]


def counted(work: Callable[[], Any], what: str = "launches") -> tuple[Any, int]:
    """What `work` gives, the joined array evaluated, and how many of `what` that took."""
    before = da.stats()[what]
    result = work()
    whole = result[0] if isinstance(result, tuple) else result
    if isinstance(whole, da.Array):
        whole.evaluate()
    return result, da.stats()[what] - before


def on_device(*hosts: np.ndarray) -> list[Any]:
    arrays = [da.asarray(host) for host in hosts]
    for a in arrays:
        a.evaluate()
    return arrays


def fields(a: Any, b: Any) -> list[Any]:
    """Five values that share what is no array's and no operand."""
    both = np.abs(a) * 2 + b
    return [both + 1, both * a, both - b, (a - both) * 3, b + both * both]


JOINS: dict[str, Callable[[Any], Any]] = {
    "stack": np.stack,
    "stack behind": lambda parts: np.stack(parts, axis=-1),
    "stack between": lambda parts: np.stack(parts, axis=1),
    "concatenate": np.concatenate,
    "concatenate along rows": lambda parts: np.concatenate(parts, axis=1),
    "vstack": np.vstack,
    "hstack": np.hstack,
    "dstack": np.dstack,
    "column_stack": np.column_stack,
    "block": np.block,
    "dtype": lambda parts: np.stack(parts, dtype="float32", casting="unsafe"),
}


@pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
def test_parts_that_share_values_are_one_launch(device: da.Device, join: Any) -> None:
    a, b = on_device(A, B)
    result, launches = counted(lambda: join(fields(a, b)))
    assert launches == 1
    same(result, join(fields(A, B)))
    assert [x.copy_to_host().tolist() for x in (a, b)] == [A.tolist(), B.tolist()]


def test_parts_that_share_memory_are_one_launch(device: da.Device) -> None:
    a, b = on_device(A, B)
    result, launches = counted(lambda: np.stack([a[1:] + 1, a[:-1] * 2, np.roll(a, 3, axis=1)[1:] - b[1:]]))
    assert launches <= 2  # what is rolled is evaluated for its view
    same(result, np.stack([A[1:] + 1, A[:-1] * 2, np.roll(A, 3, axis=1)[1:] - B[1:]]))


def test_parts_that_share_nothing_are_written_apart(device: da.Device) -> None:
    a, b = on_device(A, B)
    result, launches = counted(lambda: np.stack([a + 1, b * 2]))
    assert launches == 2
    same(result, np.stack([A + 1, B * 2]))


def test_rows_of_one_array_are_the_same_kernel(device: da.Device) -> None:
    a = on_device(A)[0]
    np.stack([a[0] + 1, a[1] + 1]).evaluate()
    result, compilations = counted(lambda: np.stack([a[i] + 1 for i in range(2, 9)]), "compilations")
    assert compilations == 0
    same(result, np.stack([A[i] + 1 for i in range(2, 9)]))


def test_columns_of_vectors_are_one_launch(device: da.Device) -> None:
    a, b = on_device(A.ravel(), B.ravel())
    for join in (np.column_stack, np.dstack, np.vstack, np.hstack):
        result, launches = counted(lambda join=join: join(fields(a, b)))
        assert launches == 1
        same(result, join(fields(A.ravel(), B.ravel())))


def test_parts_of_several_lengths(device: da.Device) -> None:
    a, b = on_device(A, B)

    def joined(a: Any, b: Any) -> Any:
        both = a * b
        return np.concatenate([both + 1, both[:3] - 1, both[:0], both * 2, both + a])

    same(joined(a, b), joined(A, B))


def test_more_parts_than_one_launch_takes(device: da.Device) -> None:
    a, b = on_device(A, B)

    def joined(a: Any, b: Any) -> tuple[Any, list[Any]]:
        parts = [a + b]
        for k in range(40):
            parts.append(parts[-1] * 0.5 + a * k)
        return np.stack(parts), parts

    (result, parts), launches = counted(lambda: joined(a, b))
    assert launches <= 6
    wanted, hosts = joined(A, B)
    same(result, wanted)
    for part, host in zip(parts, hosts, strict=True):
        same(part, host)


def test_more_operands_than_one_launch_takes(device: da.Device) -> None:
    hosts = [RNG.normal(size=LARGE) for _ in range(12)]
    arrays = on_device(*hosts)

    def joined(x: list[Any]) -> Any:
        return np.stack([sum((x[(k + i) % 12] * (i + 1) for i in range(8)), x[0] * k) for k in range(12)], axis=1)

    same(joined(arrays), joined(hosts))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (7, 5), (3, 1, 4), (40, 33)])
def test_dtypes_and_shapes(device: da.Device, dtype: str, shape: tuple[int, ...]) -> None:
    host = (RNG.normal(size=shape) * 9).astype(dtype)
    if not device.fp64 and host.dtype.itemsize > 4 * (1 + (host.dtype.kind == "c")) and host.dtype.kind in "fc":
        pytest.skip("without float64")
    x = da.asarray(host)

    def joined(x: Any, axis: int) -> Any:
        both = x * x
        return np.stack([both + x, both, both * both, x, both + x], axis=axis)

    with np.errstate(over="ignore", invalid="ignore"):
        for axis in (0, -1):
            same(joined(x, axis), joined(host, axis))
        cubes = [host * host, host, (host * host) * host]
        if shape:
            same(np.concatenate([x * x, x, (x * x) * x], axis=-1), np.concatenate(cubes, axis=-1))


def test_parts_of_several_dtypes(device: da.Device) -> None:
    counts = RNG.integers(-5, 5, LARGE).astype("int16")
    x = on_device(counts)[0]

    def joined(x: Any) -> tuple[Any, Any]:
        half = x * 2
        parts = [half + 1, (half + 1).astype("float32"), half > 3, np.sqrt(np.abs(half).astype("float64"))]
        return np.stack(parts), parts

    (result, parts), launches = counted(lambda: joined(x))
    assert launches == 1
    wanted, hosts = joined(counts)
    same(result, wanted)
    for part, host in zip(parts, hosts, strict=True):
        same(part, host)


def test_broadcast_operands(device: da.Device) -> None:
    a, b = on_device(A, B)

    def joined(a: Any, b: Any) -> Any:
        centred = a - b[:1] * a[:, :1]
        return np.stack([centred, np.abs(centred) * 2, centred + b, np.ones_like(centred), centred.T.T])

    same(joined(a, b), joined(A, B))


def test_a_part_twice_and_an_operand_as_a_part(device: da.Device) -> None:
    a, b = on_device(A, B)

    def joined(a: Any, b: Any) -> Any:
        x = a * b
        return np.stack([x, a, x, x + a, a, b])

    result, launches = counted(lambda: joined(a, b))
    assert launches == (1 if device.strategy == "gpu" else 4)  # CPUs copy operands apart
    same(result, joined(A, B))


def test_sums_below_the_parts(device: da.Device) -> None:
    counts = RNG.integers(0, 9, LARGE)
    x = on_device(counts)[0]

    def joined(x: Any) -> Any:
        rest = x - x.max(axis=1, keepdims=True)
        return np.stack([rest, rest * x.max(), rest + x])

    same(joined(x), joined(counts))


def test_out_and_views_of_operands(device: da.Device) -> None:
    a, b = on_device(A, B)
    out = da.empty((3, *LARGE))
    np.stack([a + b, (a + b) * 2, a], out=out)
    same(out, np.stack([A + B, (A + B) * 2, A]))
    np.stack([out[1] + 1, out[0] * out[1], out[2]], out=out)
    host = np.stack([A + B, (A + B) * 2, A])
    same(out, np.stack([host[1] + 1, host[0] * host[1], host[2]]))
    result = np.stack([a[1:], a[:-1] + a[1:], a[:-1] * a[1:]])
    a += 1
    same(result, np.stack([A[1:], A[:-1] + A[1:], A[:-1] * A[1:]]))


def test_what_is_written_to_the_joined_array_is_not_the_parts(device: da.Device) -> None:
    a, b = on_device(A, B)
    parts, hosts = fields(a, b), fields(A, B)
    reader = parts[1] + 1
    result = np.stack(parts)
    view = parts[2][3:]
    result[0] = 0
    result += 1
    result[2, 3:] = -1
    wanted = np.stack(hosts)
    wanted[0] = 0
    wanted += 1
    wanted[2, 3:] = -1
    same(result, wanted)
    same(view, hosts[2][3:])
    same(reader, hosts[1] + 1)
    for part, host in zip(parts, hosts, strict=True):
        same(part, host)


def test_what_is_written_to_a_part_is_not_the_joined_arrays(device: da.Device) -> None:
    a, b = on_device(A, B)
    parts, hosts = fields(a, b), fields(A, B)
    result = np.stack(parts)
    wanted = np.stack(hosts)
    for part, host in zip(parts, hosts, strict=True):
        part[2:4] = 7
        host[2:4] = 7
        part *= 2
        host *= 2
    same(result, wanted)
    for part, host in zip(parts, hosts, strict=True):
        same(part, host)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_parts_that_are_held_are_not_written_twice(gpu_strategy: None, axis: int) -> None:
    a, b = on_device(A, B)
    parts = fields(a, b)
    joined, moved = counted(lambda: np.stack(parts, axis), "bytes_moved")
    assert moved == (2 + len(parts)) * A.nbytes
    assert all(part.pending for part in parts)
    joined[...] = 0
    for part, host in zip(parts, fields(A, B), strict=True):
        same(part, host)


def test_parts_that_interleave_in_several_launches(gpu_strategy: None) -> None:
    """The second launch writes between the elements of the first one."""
    a, b = on_device(A, B)

    def parts(a: Any, b: Any) -> list[Any]:
        both = a * b
        return [both + k for k in range(20)]

    made, hosts = parts(a, b), parts(A, B)
    same(np.stack(made, -1), np.stack(hosts, -1))
    for part, host in zip(made, hosts, strict=True):
        same(part, host)


def test_a_single_part_that_is_held_is_not_written_twice(gpu_strategy: None) -> None:
    a, b = on_device(A, B)
    part = a + 1
    result, moved = counted(lambda: np.concatenate([part, b]), "bytes_moved")
    assert moved == 4 * A.nbytes
    del a
    result[:] = 0
    same(part, A + 1)


def test_a_step_goes_on_from_the_joined_array(gpu_strategy: None) -> None:
    """Snapshots of a loop's fields cost no copies: the next step reads them where they were joined."""
    a, b = on_device(A, B)
    hosts: list[Any] = [A, B]
    fields: list[Any] = [a, b]

    def step(fields: list[Any]) -> list[Any]:
        return [np.roll(fields[0], 1, axis=0) + fields[1] * 0.5, np.roll(fields[1], 1, axis=1) - fields[0] * 0.5]

    snapshots, launches = [], 0
    for _ in range(4):
        fields, hosts = step(fields), step(hosts)
        snapshot, more = counted(lambda made=fields: np.stack(made))
        launches += more
        snapshots.append((snapshot, np.stack(hosts)))
    del fields
    launches += counted(snapshots[-1][0].copy_to_host)[1]  # what was held back
    assert launches == 4
    for result, wanted in snapshots:
        same(result, wanted)


def test_order_in_memory_is_the_parts_own(device: da.Device) -> None:
    hosts = np.asfortranarray(A), np.asfortranarray(B)
    a, b = (da.asarray(host) for host in hosts)
    part, host = a * b + 1, hosts[0] * hosts[1] + 1
    result = np.stack([part, part * 2])
    same(result, np.stack([host, host * 2]))
    assert part.strides == host.strides
    same(part, host)


def test_launches_are_found_again(plans: None) -> None:
    for k in range(5):
        a, b = on_device(A + k, B)
        before = da.stats()
        parts = fields(a, b)
        result = np.stack(parts)
        result.evaluate()
        after = da.stats()
        assert after["launches"] - before["launches"] == 1
        assert after["plans_reused"] - before["plans_reused"] == (k > 1)
        same(result, np.stack(fields(A + k, B)))
        if k % 2:
            same(parts[0], fields(A + k, B)[0])


def test_a_plan_is_of_what_is_held(plans: None) -> None:
    """The same graph, of which other values are wanted beside the joined array."""
    a, b = on_device(A, B)
    for k in range(12):
        both = np.abs(a) + b
        parts = [both + 1, both * a]
        kept = parts[0] if k % 3 == 0 else both if k % 3 == 1 else None
        result = np.stack(parts)
        del parts
        hosts = np.abs(A) + B
        same(result, np.stack([hosts + 1, hosts * A]))
        if kept is not None:
            same(kept, hosts + 1 if k % 3 == 0 else hosts)


JOINED_OVER_PARTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "turned": lambda xp, x, out: xp.concatenate([x[1:], x[:1]], out=out),
    "behind": lambda xp, x, out: xp.concatenate([x[:1], x[:-1]], out=out),
    "columns": lambda xp, x, out: xp.concatenate([x[:, ::-1][:, :3], x[:, :3]], 1, out=out[:, :6]),
    "rows": lambda xp, x, out: xp.stack([x[3] * 2, x[3], x[3] + 1, x[3, ::-1], x[3]], out=out),
}


@pytest.mark.parametrize("rows", [5, 5000])
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("name", JOINED_OVER_PARTS)
def test_a_join_over_its_parts_reads_them_first(name: str, pending: bool, rows: int) -> None:
    host = np.arange(rows * 6.0).reshape(rows, 6)
    if name == "rows":
        host = host[:5]
    x, wanted = da.asarray(host), host.copy()
    if pending:
        x, wanted = x + 1, wanted + 1
    JOINED_OVER_PARTS[name](np, wanted.copy(), wanted)
    JOINED_OVER_PARTS[name](da, x, x)
    same(x, wanted)
