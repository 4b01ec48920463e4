"""Creation: values, dtypes, where arrays live, and the pool's figures."""

from __future__ import annotations

import gc
import warnings
from typing import Any

import numpy as np
import pytest
from oracle import DTYPES, close, moderate, on_both, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_round_trip_keeps_every_bit(dtype: str) -> None:
    skip_without(dtype)
    for shape in ((), (1,), (60,), (4, 5, 3), (0, 3)):
        x = values(dtype, shape, 1)
        same(da.asarray(x), x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_ones_full_and_like(dtype: str) -> None:
    skip_without(dtype)
    x = da.zeros((3, 4), dtype)
    same(x, np.zeros((3, 4), dtype))
    same(da.ones((2, 0), dtype), np.ones((2, 0), dtype))
    same(da.full((2, 3), 1, dtype), np.full((2, 3), 1, dtype))
    same(da.full_like(x, 1), np.full((3, 4), 1, dtype))
    assert da.empty_like(x).shape == (3, 4)
    assert da.zeros_like(x, dtype=da.int8).dtype == np.int8


@pytest.mark.parametrize("value", [True, 3, -(2**40), 1.5, float("nan"), 1 + 2j, np.int8(3), np.float32(0.1)])
def test_full_takes_the_dtype_of_its_value(value: Any) -> None:
    if isinstance(value, float | complex) and not isinstance(value, np.float32):
        skip_without("float64")
    same(da.full((2, 2), value), np.full((2, 2), value))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize(
    "value", [1j, 2 + 0j, np.complex64(3j), [1j, 2], (4, 5j), np.array([1j, 2]), [1, 2], "3"], ids=repr
)
def test_complex_fill_values_lose_a_part_with_a_warning(value: Any, dtype: str) -> None:
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        filled = np.full(2, value, dtype)
    for call in (
        lambda: da.full(2, value, dtype),
        lambda: da.full_like(da.zeros(2, dtype), value),
        lambda: da.full_like(da.zeros(3), value, dtype, shape=2),
        lambda: da.full_like([0, 0], value, dtype),
    ):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            same(call(), filled)
        assert [(w.category, w.filename) for w in told] == [(w.category, __file__) for w in expected]


ARANGES = [
    (5,), (0,), (-3,), (2, 10), (2, 10, 3), (10, 2, -3), (1, 1), (0, 1, 0.1), (1.5, -2.0, -0.25), (0, 1e3, 0.3),
    (3, 4, 5),
]  # fmt: skip


@pytest.mark.parametrize("args", ARANGES, ids=str)
def test_arange(args: tuple) -> None:
    if any(isinstance(a, float) for a in args):
        skip_without("float64")
    same(da.arange(*args), np.arange(*args))


@pytest.mark.parametrize("dtype", [{}, {"dtype": "int16"}, {"dtype": None}], ids=str)
@pytest.mark.parametrize("step", [{}, {"step": 3}, {"step": -2}, {"step": None}], ids=str)
@pytest.mark.parametrize("stop", [{}, {"stop": 9}], ids=str)
@pytest.mark.parametrize("start", [{}, {"start": 2}], ids=str)
@pytest.mark.parametrize("args", [(), (7,), (1, 8), (None, 5), (5, None)], ids=str)
def test_arange_by_names(args: tuple, start: dict, stop: dict, step: dict, dtype: dict) -> None:
    names = start | stop | step | dtype
    try:
        expected = np.arange(*args, **names)
    except TypeError:
        with pytest.raises(TypeError):
            da.arange(*args, **names)
    else:
        same(da.arange(*args, **names), expected)


@pytest.mark.parametrize("xp", [np, da])
def test_arange_of_dates_needs_a_start(xp: Any) -> None:
    end = np.datetime64("2020-01-05")
    assert xp.arange(start=end - np.timedelta64(3, "D"), stop=end).shape == (3,)
    assert xp.arange(stop=np.timedelta64(3, "D")).shape == (3,)
    for args, names in (((end,), {}), ((), {"stop": end})):
        with pytest.raises(ValueError, match=r"start|first"):
            xp.arange(*args, **names)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "float32", "complex64"])
def test_arange_in_a_dtype(dtype: str) -> None:
    same(da.arange(3, 40, 4, dtype=dtype), np.arange(3, 40, 4, dtype=dtype))


LINSPACES = [(0, 1, 5), (3, -2, 50), (1, 1, 4), (0, 10, 1), (0, 10, 0), (-1e30, 1e30, 7), (1e-3, 0.7, 33)]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint16", "int64", "uint64", "float32"])
@pytest.mark.parametrize(
    "args",
    [
        (5, 0, -1),
        (-1, 3, -2),
        (300, 2),
        (0xFC00, 0x7FFF, -9),
        (5, -3, -2),
        (-128, 127, 200),
        (2**63, 2**63 + 5, 2),
        (np.int8(120), 127, 3),
    ],
)
def test_arange_in_a_dtype_that_may_not_hold_the_step(args: tuple, dtype: str) -> None:
    try:
        wanted = np.arange(*args, dtype=dtype)
    except OverflowError:
        with pytest.raises(OverflowError):
            da.arange(*args, dtype=dtype)
    else:
        same(da.arange(*args, dtype=dtype), wanted)


@pytest.mark.parametrize("args", [(0,), (1,), (2,), (1, 3), (2, 1, -1), (0.5, 2), (-0.5, 0.5, 0.5), (0, 2, 2), (-1, 1)])
def test_arange_of_two_bools(args: tuple) -> None:
    same(da.arange(*args, dtype=bool), np.arange(*args, dtype=bool))


@pytest.mark.parametrize("xp", [np, da])
def test_arange_of_more_bools_is_refused(xp: Any) -> None:
    with pytest.raises(TypeError):  # NumPy's words are others
        xp.arange(3, dtype=bool)


@pytest.mark.parametrize("args", LINSPACES, ids=str)
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(args: tuple, endpoint: bool) -> None:
    skip_without("float64")
    close(da.linspace(*args, endpoint=endpoint), np.linspace(*args, endpoint=endpoint), 2)
    if args[2] > 1 and endpoint:
        assert da.linspace(*args)[-1].item() == args[1]


@pytest.mark.parametrize("args", [(3,), (2, 5), (5, 2), (0, 3)])
@pytest.mark.parametrize("k", [-3, -1, 0, 2, 9])
def test_eye(args: tuple[int, ...], k: int) -> None:
    same(da.eye(*args, k=k, dtype=da.int16), np.eye(*args, k=k, dtype=np.int16))


@pytest.mark.filterwarnings("ignore:Cannot convert float:DeprecationWarning")  # of NumPy 2.5
@pytest.mark.parametrize("shape", [(2.0,), (2.5,), (2, 3.5), (np.float32(1.5), 2), (-0.5, 2), (3, -2.5)], ids=str)
def test_fractions_of_a_matrix_count_as_one_more(shape: tuple) -> None:
    skip_without("float64")
    same(da.tri(*shape), np.tri(*shape))
    for name in ("tril_indices", "triu_indices"):
        n, m = shape[0], shape[-1]
        for x, wanted in zip(getattr(da, name)(n, m=m), getattr(np, name)(n, m=m), strict=True):
            same(x, wanted)


@pytest.mark.parametrize("k", [-2, 0, 1, 7])
def test_triangles(k: int) -> None:
    x = values("int32", (2, 4, 5), 1)
    same(*on_both(lambda xp, x: xp.tril(x, k=k), x))
    same(*on_both(lambda xp, x: xp.triu(x, k=k), x))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing: str) -> None:
    arrays = [np.arange(3), np.arange(4.0, dtype=np.float32), np.arange(2, dtype=np.int8)]
    ours = da.meshgrid(*(da.asarray(a) for a in arrays), indexing=indexing)
    for x, wanted in zip(ours, np.meshgrid(*arrays, indexing=indexing), strict=True):
        same(x, wanted)


def test_asarray_of_python_values() -> None:
    skip_without("float64", "complex128")
    for obj in ([1, 2], [[1.5], [2]], 3, True, [True, False], 2.5, [1j, 2], [], ((1, 2), (3, 4)), np.float32(2)):
        same(da.asarray(obj), np.asarray(obj))
    x = da.asarray(5)
    same(da.asarray([x, x + 1]), np.asarray([5, 6]))


def test_asarray_copies_only_where_it_must() -> None:
    x = da.asarray(np.arange(4))
    assert da.asarray(x) is x
    y = da.asarray(x, copy=True)
    y += 1
    same(x, np.arange(4))
    assert da.asarray(x, dtype=da.float32).dtype == np.float32
    with pytest.raises(ValueError, match="copy=False"):
        da.asarray([1, 2], copy=False)
    with pytest.raises(ValueError, match="copy=False"):
        da.asarray(x, dtype=da.float32, copy=False)


def test_host_data_is_taken_in_any_layout() -> None:
    a = values("int32", (6, 8), 1)
    for host in (a.T, a[::-2, ::3], np.asfortranarray(a), np.broadcast_to(a[0], (4, 8)), a[2]):
        same(da.asarray(host), np.ascontiguousarray(host))
        same(da.to_device(host), np.ascontiguousarray(host))


@pytest.mark.parametrize("dtype", ["U1", "O"])
def test_other_dtypes_are_refused_by_name(dtype: str) -> None:
    host = np.zeros(2, dtype)
    for make in (lambda h: da.asarray(h, device=da.device()), da.to_device):
        with pytest.raises(da.DTypeError, match=r"int32.*float32"):
            make(host)


def test_fortran_order_of_a_shape_from_an_array() -> None:
    shape = np.array([2, 3])
    for made in (da.full(shape, 1, order="F"), da.zeros(shape, order="F"), da.ones(shape, order="F")):
        assert (made.shape, made.flags.f_contiguous) == ((2, 3), True)
    assert da.zeros(np.int64(2), order="F").shape == (2,)
    assert da.arange(4).reshape(np.int64(-1), order="F").shape == (4,)


def test_fortran_order() -> None:
    x = da.empty((3, 4), da.int32, order="F")
    assert x.strides == (4, 12) and x.is_f_contiguous()
    x[...] = 7
    same(x, np.full((3, 4), 7, np.int32))
    assert da.to_device(np.asfortranarray(np.ones((3, 4)))).is_f_contiguous()
    with pytest.raises(ValueError, match="only 'C' or 'F' order"):
        da.empty(3, da.int8, order="X")


def test_device_array_with_strides() -> None:
    x = da.device_array((3, 2), da.int16, strides=(8, 2))
    assert x.strides == (8, 2)
    x[...] = da.asarray(np.arange(6, dtype=np.int16).reshape(3, 2))
    same(x, np.arange(6, dtype=np.int16).reshape(3, 2))
    assert da.device_array_like(np.ones((2, 3), order="F")).is_f_contiguous()


# --- where arrays live -----------------------------------------------------------------------------------------------


def test_results_live_where_their_operands_live(device: da.Device, memory_kind: str) -> None:
    """Rule 9."""
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device, memory_kind))
    x = da.asarray(np.arange(10, dtype=np.float32), allocator=pool)
    assert x.allocator is pool and x.device is device
    results = [x + 1, da.sum(x), x[::2] * 2, x.astype(da.int8), da.concat([x, x]), da.zeros_like(x), da.sqrt(x), x @ x]
    results += [da.sort(x), da.take(x, [1, 2]), x.reshape(2, 5).T.flatten(), da.tril(x.reshape(2, 5))]
    for y in results:
        assert y.evaluate().allocator is pool
        assert y.allocator.kind == memory_kind


def test_use_sets_the_default_and_puts_it_back(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    other = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    before = da.ones(1).allocator
    with da.use(allocator=pool):
        assert da.ones(1).allocator is pool
        with da.use(allocator=other):
            assert da.asarray([1]).allocator is other
        assert da.arange(3).allocator is pool
        assert da.ones(1, allocator=other).allocator is other
        with pytest.raises(da.ShapeError), da.use(allocator=other):  # an error leaves the block as well
            da.empty(-1)
        assert da.empty(1).allocator is pool
    assert da.ones(1).allocator is before


def test_use_of_a_queue(device: da.Device) -> None:
    queue = da.queue(device)
    with da.use(queue=queue):
        x = da.arange(100)
        assert x.queue is queue
        y = x * 2
    z = y + da.ones(100, da.int64)
    assert z.queue is queue, "the first operand's"
    same(z, np.arange(100) * 2 + 1)
    w = da.ones(100, da.int64) + y
    same(w, np.arange(100) * 2 + 1)


def test_work_of_two_queues_is_ordered(device: da.Device) -> None:
    first, second = da.queue(device), da.queue(device)
    x = da.zeros(100_000, da.int32, queue=first)
    y = da.zeros(100_000, da.int32, queue=second)
    for _ in range(20):
        x += 1
        x.evaluate()
        y += x
        y.evaluate()
        x[...] = y
    same(y, np.full(100_000, 2**20 - 1, np.int32))


def test_a_plain_callable_is_an_allocator(device: da.Device) -> None:
    asked = []
    upstream = da.alloc.DeviceMemoryResource(device)

    def allocate(nbytes: int) -> Any:
        asked.append(nbytes)
        return upstream.allocate(nbytes)

    x = da.ones(100, da.float32, allocator=allocate)
    same(x * 2, np.full(100, 2, np.float32))
    assert asked and min(asked) >= 400


def test_the_pools_figures(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    with da.use(allocator=pool):
        x = da.empty(1000, da.float32)
        assert pool.active_bytes >= 4000 and pool.active_blocks == 1
        y = (x + 1).evaluate()
        assert pool.active_blocks == 2
        del x
        gc.collect()
        assert pool.active_blocks == 1 and pool.held_blocks >= 1
        misses = pool.misses
        z = da.empty(1000, da.float32)
        assert pool.misses == misses, "the freed block is used again"
        del y, z
    assert pool.active_bytes == 0 and pool.active_blocks == 0
    pool.free_held()
    assert pool.held_bytes == 0


def test_every_memory_kind_computes(memory_kind: str) -> None:
    x = moderate("float32", (50, 40), 1)
    d = da.asarray(x)
    assert d.allocator.kind == memory_kind
    same(d[::-1] * 2 - d, x[::-1] * 2 - x)
    d[1:, ::2] = d[:-1, ::2]
    x[1:, ::2] = x[:-1, ::2].copy()
    same(d, x)


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: da.zeros((2, -1)), da.ShapeError, "-1"),
        (lambda: da.zeros(3, "int7"), TypeError, "int7"),
        (lambda: da.zeros(3, "g"), da.DTypeError, "dtype g is not supported"),
        (lambda: da.zeros(2.5), TypeError, "float"),
        (lambda: da.full(3, 300, da.int8), OverflowError, r"300.*int8"),
        (lambda: da.full(3, "x", da.int8), ValueError, "'x'"),
        (lambda: da.arange(0, 1, 0), ValueError, "zero"),
        (lambda: da.arange(0, 0, 0), ZeroDivisionError, "zero"),
        (lambda: da.arange(0.0, 1.0, 0), ZeroDivisionError, "zero"),
        (lambda: da.arange(3, dtype=da.bool), da.DTypeError, "bool"),
        (lambda: da.linspace(0, 1, -1), ValueError, "-1"),
        (lambda: da.logspace(0, 1, -1), da.ShapeError, "logspace: .* -1"),
        (lambda: da.geomspace(1, 2, -1), da.ShapeError, "geomspace: .* -1"),
        (lambda: da.zeros((2**40, 2**40)), (ValueError, MemoryError), r"\(1099511627776, 1099511627776\)"),
        (lambda: da.zeros(3, device="a toaster"), da.DeviceError, "a toaster"),
        (lambda: da.zeros(3, device=7), da.DTypeError, "int"),
        (lambda: da.zeros((1,) * 65), ValueError, "found 65"),
    ],
)
def test_bad_requests_name_what_was_given(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call().evaluate()


@pytest.mark.parametrize("name", ["linspace", "logspace", "geomspace"])
@pytest.mark.parametrize("stop", [4, 2.5, True, np.float32(2), [1, 2], np.int8([3, 4])])
def test_the_dtype_between_an_array_and_numbers(name: str, stop: Any) -> None:
    for start in (np.ones(2, np.float32), np.ones(2, np.int16)):
        wanted, found = getattr(np, name)(start, stop, 3), getattr(da, name)(da.asarray(start), stop, 3)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found.copy_to_host(), wanted, rtol=1e-5)
    assert getattr(da, name)(np.float32(2), stop, 3).dtype == getattr(np, name)(np.float32(2), stop, 3).dtype


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("ends", [(np.float32(3), 1), (3, 1), (np.float32(3), 1j), (np.float16(3), np.float32(1))])
def test_the_dtype_of_linspaces_step(ends: tuple[Any, Any]) -> None:
    for dtype in (None, "float64", "complex64"):
        assert da.linspace(*ends, 3, retstep=True, dtype=dtype)[1].dtype == np.linspace(*ends, 3, retstep=True)[1].dtype


@pytest.mark.parametrize("args", [(-0.5, 10, 1), (0.5, 4, 1), (3.75, 9, 2), (0, 5, 1.5), (3, 9, 2), (np.int8(3), 9)])
def test_arange_of_integers_from_a_float(args: tuple) -> None:
    same(da.arange(*args, dtype=np.int64), np.arange(*args, dtype=np.int64))


@pytest.mark.parametrize("name", ["ones_like", "zeros_like", "empty_like"])
def test_the_order_of_a_model_on_the_host(name: str) -> None:
    for model in (np.ones((2, 3), order="F"), np.ones((2, 3)), np.ones((4, 6), order="F")[::2], np.ones((3, 1))):
        made = getattr(da, name)(model, order="A")
        assert made.strides == getattr(np, name)(model, order="A").strides
