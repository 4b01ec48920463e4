"""Few elements that the host has: functions give the bits that they give by kernels, and NumPy's values."""

import numpy as np
import pytest

import devarray as da

CPU = 1 << 18
of_lapack = pytest.mark.skipif(da.default_device().driver == "cuda", reason="cuSOLVER decomposes on CUDA's devices")


@pytest.fixture(autouse=True)
def settings():
    before = da.config.host_elements
    with da.use(fallback="allow"):
        yield
    da.config.host_elements = before


def both_ways(call):
    """What a call gives on the host and by kernels, as bytes, with dtype and shape."""
    found = []
    for elements in (CPU, 0):
        da.config.host_elements = elements
        made = call()
        found.append([(x.dtype, x.shape, x.tobytes()) for x in made])
    return found


def rows(dtype):
    rng = np.random.default_rng(3)
    if np.dtype(dtype).kind == "f":
        yield from (rng.standard_normal(n).astype(dtype) for n in (1, 2, 3, 4, 15, 16, 33))
        for special in ([np.inf, np.inf], [-np.inf, -np.inf, 1, 2], [np.inf, -np.inf], [1, np.nan, 3], [0.0, -0.0]):
            yield np.array(special, dtype)
            yield np.array(special * 2, dtype)
        yield np.array([-0.0, 0.0, -0.0, 0.0, 0.0], dtype)
        yield np.array([np.finfo(dtype).max, -np.finfo(dtype).max], dtype)
    else:
        yield from (rng.integers(0, 2 if dtype == "?" else 100, n).astype(dtype) for n in (1, 2, 3, 16, 17))


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?"])
def test_medians(dtype):
    for host in rows(dtype):
        x = da.asarray(host)
        quick, slow = both_ways(lambda x=x: [da.median(x)])
        assert quick == slow, host
        with np.errstate(all="ignore"):
            assert da.allclose(da.median(x), np.median(host), equal_nan=True) or host.size == 2


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4"])
def test_medians_along_axes(axis, dtype):
    deep = (np.random.default_rng(3).standard_normal((4, 5, 6)) * 10).astype(dtype)
    quick, slow = both_ways(lambda: [da.median(da.asarray(deep), axis)])
    assert quick == slow
    assert np.allclose(da.median(da.asarray(deep), axis).copy_to_host(), np.median(deep, axis), rtol=1e-5)
    host = (np.random.default_rng(3).standard_normal((4, 7)) * 10).astype(dtype)
    if dtype != "i4":
        host[1, 2], host[3, 5] = np.nan, np.inf
    for x, h in (
        (da.asarray(host), host),
        (da.asarray(host).T, host.T),
        (da.asarray(host)[::2, ::-1], host[::2, ::-1]),
    ):
        quick, slow = both_ways(lambda x=x: [da.median(x, axis), da.median(x, axis, keepdims=True)])
        assert quick == slow
        assert np.allclose(da.median(x, axis).copy_to_host(), np.median(h, axis), equal_nan=True)
    assert np.array_equal(x.copy_to_host(), h, equal_nan=True)  # as it was


@pytest.mark.parametrize("endpoint", [True, False])
def test_spaced_numbers_of_python_are_those_of_numpys_scalars(endpoint):
    for start, stop in ((0, 1), (0.0, 1.0), (-3, 7.5), (2, 2), (1e308, -1e307), (5e-324, 0.0), (3, -2), (-0.0, 0.0)):
        for num in (2, 3, 7, 50):
            wanted = np.linspace(start, stop, num, endpoint, retstep=True)
            general = da.linspace(np.float64(start), np.float64(stop), num, endpoint, retstep=True)
            for values, step in (da.linspace(start, stop, num, endpoint, retstep=True), general):
                assert values.dtype == wanted[0].dtype
                assert values.tolist() == wanted[0].tolist()
                assert type(step) is type(wanted[1])
                assert step == wanted[1]
            assert np.array_equal(da.linspace(start, stop, num, endpoint).copy_to_host(), wanted[0])


def test_spaced_numbers_that_overflow_warn_as_numpys_do():
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        da.linspace(-1e308, 1.7e308, 5)


@pytest.mark.parametrize(
    "numbers",
    [(0.0, 1.0, 0.1), (0, 1, 0.25), (1.5, 7), (7.0, 1.0, -0.5), (0, 3.0), (0.5,), (1, 2.5, 1), (0, 1e-3, 1e-4)],
)
def test_ranges_of_floats(numbers):
    assert da.arange(*numbers).dtype == np.float64
    assert da.arange(*numbers).tolist() == np.arange(*numbers).tolist()


@pytest.mark.parametrize("order", ["C", "F"])
def test_places_of_pythons_numbers(order):
    for name, arguments in (
        ("unravel_index", (5, (4, 4))),
        ("unravel_index", (0, (1,))),
        ("unravel_index", (17, (2, 3, 4))),
        ("ravel_multi_index", ((1, 2), (4, 4))),
        ("ravel_multi_index", ((1, 2, 3), (2, 3, 4))),
    ):
        ours, wanted = (getattr(module, name)(*arguments, order=order) for module in (da, np))
        ours, wanted = (x if isinstance(x, tuple) else (x,) for x in (ours, wanted))
        assert [(x.dtype, x.shape, x.item()) for x in ours] == [(x.dtype, x.shape, x.item()) for x in wanted]
        assert all(isinstance(x, da.Array) for x in ours)
    assert da.ravel_multi_index((7, -1), (4, 4), mode=("clip", "wrap"), order=order).item() == np.ravel_multi_index(
        (7, -1), (4, 4), mode=("clip", "wrap"), order=order
    )
    for wrong in (lambda: da.unravel_index(16, (4, 4)), lambda: da.ravel_multi_index((1, 4), (4, 4))):
        with pytest.raises(da.errors.ValueError):
            wrong()


def test_einsum_of_two_rows_is_a_value():
    rng = np.random.default_rng(3)
    for n in (1, 5, 16, 1000):
        x, y = rng.standard_normal((2, n))
        made = da.einsum("i,i->", da.asarray(x), da.asarray(y))
        assert made.shape == ()
        assert made.item() == pytest.approx(float(x @ y), rel=1e-13)
        before = made
        made += 1.0  # a value: another one is bound
        assert before.item() == pytest.approx(float(x @ y), rel=1e-13)


@pytest.mark.parametrize("subscripts", ["ii->i", "iij->ij", "iij->ji", "iji->ij", "iii->i", "ii"])
def test_einsum_by_diagonals(subscripts):
    for n, m in ((4, 3), (1, 3), (3, 1)):
        shape = tuple(m if letter == "j" else n for letter in subscripts.partition("->")[0])
        host = np.arange(float(np.prod(shape))).reshape(shape)
        assert np.array_equal(da.einsum(subscripts, da.asarray(host)).copy_to_host(), np.einsum(subscripts, host))
    x = da.asarray(host)
    if subscripts != "ii":  # a view, as NumPy's
        da.einsum(subscripts, x)[...] = -1.0
        np.einsum(subscripts, host)[...] = -1.0
        assert np.array_equal(x.copy_to_host(), host)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
@pytest.mark.parametrize("dtype", ["f8", "i4", "?"])
def test_methods_of_ufuncs(name, dtype):
    host = (np.random.default_rng(3).random((3, 5)) * 4).astype(dtype)
    x, ours, numpys = da.asarray(host), getattr(da, name), getattr(np, name)
    for arguments in ({}, {"axis": 1}, {"axis": None}, {"axis": (0, 1), "keepdims": True}):
        made, wanted = ours.reduce(x, **arguments), numpys.reduce(host, **arguments)
        assert (made.dtype, made.shape) == (wanted.dtype, np.shape(wanted))
        assert np.allclose(made.copy_to_host(), wanted)
    for axis in (0, 1):
        made, wanted = ours.accumulate(x, axis), numpys.accumulate(host, axis)
        assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
        assert np.allclose(made.copy_to_host(), wanted)
    assert np.allclose(ours.reduce(x, initial=1).copy_to_host(), numpys.reduce(host, initial=1))


@of_lapack
@pytest.mark.parametrize("dtype", ["f8", "f4", "c16"])
def test_eigenvalues_that_are_real_are_found_once(dtype, monkeypatch):
    host = np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], dtype)
    wanted, vectors = np.linalg.eig(host)
    calls, eigvals, eig = [], np.linalg.eigvals, np.linalg.eig
    monkeypatch.setattr(np.linalg, "eigvals", lambda a: calls.append("eigvals") or eigvals(a))
    monkeypatch.setattr(np.linalg, "eig", lambda a: calls.append("eig") or eig(a))
    da.config.host_elements = CPU
    x = da.asarray(host)
    values, found = da.linalg.eig(x)
    assert values.dtype == found.dtype == np.result_type(dtype, np.complex64)
    assert np.array_equal(values.copy_to_host(), wanted)
    assert np.array_equal(found.copy_to_host(), vectors)
    assert np.array_equal(da.linalg.eigvals(x).copy_to_host(), eigvals(host))
    assert calls == ["eig", "eigvals"]


@of_lapack
@pytest.mark.parametrize("name", ["cholesky", "eigh", "eigvalsh", "inv", "svd"])
def test_decompositions_of_few_elements_warn_of_nothing(name):
    da.config.host_elements = CPU
    host = np.array([[4.0, 1e-320], [1e-320, 1e-310]])
    with np.errstate(all="raise"):
        made, wanted = getattr(da.linalg, name)(da.asarray(host)), getattr(np.linalg, name)(host)
    for x, y in zip(*(m if isinstance(m, tuple) else (m,) for m in (made, wanted)), strict=True):
        assert np.array_equal(x.copy_to_host(), y)


@pytest.mark.parametrize("offset", [0, 1, -1])
def test_diagonals_of_a_matrix(offset):
    host = np.arange(12.0).reshape(3, 4)
    for h, x in (
        (host, da.asarray(host)),
        (host.T, da.asarray(host).T),
        (host[::2, ::-1], da.asarray(host)[::2, ::-1]),
    ):
        assert np.array_equal(da.diag(x, offset).copy_to_host(), np.diag(h, offset))
        assert x.trace(offset).item() == h.trace(offset)
    with pytest.raises(ValueError):
        da.diagonal(x)[0] = 1.0
    assert da.diagonal(da.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "floor_divide", "bitwise_or", "power"])
@pytest.mark.parametrize("dtype", ["i8", "f8"])
def test_ufuncs_at_places(name, dtype):
    if name == "bitwise_or" and dtype == "f8":
        return
    host, places = np.arange(1, 8).astype(dtype), np.array([3, 1, 3, -1, 0])
    for values in (2, np.array([1, 2, 3, 0, 2], dtype)):
        x, wanted = da.asarray(host), host.copy()
        with np.errstate(all="ignore"):
            getattr(np, name).at(wanted, places, values)
        with np.errstate(all="raise"):
            getattr(da, name).at(x, da.asarray(places), da.asarray(values) if np.ndim(values) else values)
        assert np.array_equal(x.copy_to_host(), wanted)


def test_ufuncs_at_places_that_are_none_write_nothing():
    x = da.zeros(4)
    with pytest.raises(IndexError):
        da.add.at(x, da.asarray([0, 7]), 1.0)
        x.copy_to_host()
    assert x.copy_to_host()[1:].tolist() == [0, 0, 0]
    numbers = da.asarray([2, 0, 1])
    da.add.at(numbers, numbers, 1)  # which reads what it writes
    assert numbers.copy_to_host().tolist() == [3, 1, 2]
    frozen = da.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(ValueError):
        da.add.at(frozen, da.asarray([0]), 1.0)


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8"])
def test_rows_of_one_length_correlate_by_one_sum(dtype):
    """As a reduction over windows adds up, of which there is one."""
    rng = np.random.default_rng(3)
    for n in (1, 2, 5, 16, 33, 100, 1000, 5000):
        a, v = ((rng.standard_normal(n) * 10.0 ** rng.integers(-3, 3, n)).astype(dtype) for _ in range(2))
        x, y = da.asarray(a)[::-1], da.asarray(v)
        windows = da.lib.stride_tricks.sliding_window_view(x, n)
        wanted = (windows * (y.conj() if dtype == "c16" else y)).sum(-1)
        made = da.correlate(x, y)
        assert (made.dtype, made.shape) == (np.dtype(dtype), (1,))
        assert made.tolist() == wanted.tolist()
        assert np.allclose(made.copy_to_host(), np.correlate(a[::-1], v), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1", "c16", "?"])
def test_insertions_at_one_place(dtype):
    host = np.arange(6).reshape(2, 3).astype(dtype)
    x = da.asarray(host)
    row = np.arange(5, 8).astype(dtype)
    for arguments in ((1, 2), (-1, 0, 0), (2, 1, 1), (0, 1.0), (6, 1), (1, row, 0)):
        place, value, *axis = arguments
        wanted = np.insert(host, place, value, *axis)
        ours = [place, da.asarray(value) if np.ndim(value) else value, *axis]
        quick, slow = both_ways(lambda ours=ours: [da.insert(x, *ours), da.insert(x.T, ours[0], 1)])
        assert quick == slow
        made = da.insert(x, *ours)
        assert made.dtype == wanted.dtype
        assert np.array_equal(made.copy_to_host(), wanted)
    with pytest.raises(IndexError):
        da.insert(x, 7, 1)


def test_exponents_of_pythons_numbers():
    for start, stop in ((0, 1), (-2.5, 3), (2, 2), (0.0, -3)):
        for num in (0, 1, 2, 9):
            for endpoint in (True, False):
                quick = da.logspace(start, stop, num, endpoint)
                general = da.logspace(np.float64(start), np.float64(stop), num, endpoint)
                assert quick.dtype == general.dtype == np.float64
                assert quick.tolist() == general.tolist()
                assert np.allclose(quick.copy_to_host(), np.logspace(start, stop, num, endpoint), rtol=1e-14)


def test_open_meshes_of_lists():
    for lists in (([0, 1], [1, 2]), ([True, False, True], [2]), ([3],), ([0, 1], [True, True], [2, 0, 1]), ([], [1])):
        ours, wanted = da.ix_(*lists), np.ix_(*lists)
        assert [(x.dtype, x.shape, x.tolist()) for x in ours] == [(x.dtype, x.shape, x.tolist()) for x in wanted]
    assert da.ix_() == ()
    with pytest.raises(ValueError):
        da.ix_([[1, 2]], [1])


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1", "?", "u8"])
def test_integers_between_pythons_numbers_are_those_between_numpys(dtype):
    low, high = (0, 2) if dtype == "?" else (3, 200)
    for size in (None, 5, (2, 3)):
        for endpoint in (False, True) if dtype != "?" else (False,):
            ours, general = (da.random.default_rng(7) for _ in range(2))
            plain = ours.integers(low, high, size, dtype, endpoint)
            wanted = general.integers(np.int64(low), np.int64(high), size, dtype, endpoint)
            assert (plain.dtype, plain.shape) == (wanted.dtype, wanted.shape)
            assert plain.tolist() == wanted.tolist()
    assert da.random.default_rng(7).integers(-(2**63), 2**63 - 1, 4, endpoint=True).tolist() == [
        n - 2**64 if n >= 2**63 else n
        for n in [(w + 2**63) % 2**64 for w in da.random.default_rng(7).bit_generator.random_raw(4).tolist()]
    ]
