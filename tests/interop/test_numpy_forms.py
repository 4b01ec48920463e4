"""What NumPy's own tests ask of functions: operands of the host alone, byte orders, names, NumPy's words in errors."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

import devarray as da


@pytest.mark.parametrize("given", [[1.0, 4.0], (1, 4), np.array([1.0, 4.0]), range(1, 3)])
def test_element_wise_functions_take_host_operands_alone(given: Any) -> None:
    result = da.sqrt(given)
    assert isinstance(result, da.Array)
    assert np.array_equal(result.copy_to_host(), np.sqrt(given))
    assert np.array_equal(da.add(given, 1).copy_to_host(), np.add(given, 1))
    out = da.zeros(2)
    assert da.multiply(given, given, out=out) is out
    assert np.array_equal(out.copy_to_host(), np.multiply(given, given))


def test_scalars_alone_stay_numpys() -> None:
    assert type(da.sqrt(np.longdouble(2))) is np.longdouble
    assert type(da.add(1, 2.5)) is np.float64


@pytest.mark.parametrize("code", [">i4", ">f8", ">c16", "<u2"])
def test_other_byte_orders_become_the_devices(code: str) -> None:
    host = np.arange(4).astype(code)
    for made in (da.asarray(host), da.to_device(np.arange(4)).astype(code), da.zeros(4, code) + da.arange(4)):
        assert made.dtype.isnative
        assert np.array_equal(made.copy_to_host(), host)


def test_axes_may_be_an_array() -> None:
    assert da.ones((2, 3)).transpose(np.array([1, 0])).shape == (3, 2)


def test_outer_of_linalg_takes_vectors_only() -> None:
    with pytest.raises(ValueError, match="Input arrays must be one-dimensional"):
        da.linalg.outer(da.ones((2, 2)), da.ones(2))
    assert da.outer(da.ones((2, 2)), da.ones(2)).shape == (4, 2)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_can_cast_by_numpys_rules(casting: str) -> None:
    for source in ("i4", "f8", "u1", "c8", "g"):
        for target in ("i8", "f4", "i1", "c16", "g"):
            if casting != "safe":
                assert da.can_cast(source, target, casting=casting) == np.can_cast(source, target, casting)


@pytest.mark.parametrize("asked", [(np.float32, None), (None, np.float64), (np.ones(3), None)])
def test_none_is_no_dtype_to_can_cast(asked: tuple[Any, Any]) -> None:
    for library in (np, da):
        with pytest.raises(TypeError, match="None"):
            library.can_cast(*asked)


def test_finfo_has_numpys_further_figures() -> None:
    for name in ("tiny", "resolution", "precision", "nmant", "maxexp", "minexp", "machep", "smallest_subnormal"):
        assert getattr(da.finfo(da.float32), name) == getattr(np.finfo(np.float32), name)
    with pytest.raises(AttributeError):
        _ = da.finfo(da.float32).nothing


def test_tests_of_closeness_and_membership_take_lists() -> None:
    assert da.isclose([1.0, 2.0], [1.0, 3.0]).tolist() == [True, False]
    assert da.allclose([1.0], [1.0])
    assert da.isin([1, 2], [2]).tolist() == [False, True]


def test_einsum_takes_scalars_and_arrays_of_axes() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(da.einsum(",ij", 3, da.asarray(x)).copy_to_host(), np.einsum(",ij", 3, x))
    assert np.array_equal(da.einsum(da.asarray(x), np.array([0, 1]), [1]).copy_to_host(), np.einsum(x, [0, 1], [1]))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: da.pad(x, 1.5), TypeError, "must be of integral type"),
        (lambda x: da.pad(x, -1), ValueError, "index can't contain negative values"),
        (lambda x: da.pad(x, (1, 2, 3)), ValueError, "operands could not be broadcast together"),
        (lambda x: da.pad(x, 1, "mean", stat_length=-1), ValueError, "index can't contain negative values"),
        (lambda x: da.nanvar(x, ddof=1, correction=1), ValueError, "can't be provided simultaneously"),
        (lambda x: da.nanargmax(x * da.nan), ValueError, "All-NaN slice encountered"),
        (lambda x: da.zeros(3, like=1), TypeError, "The `like` argument must be an array-like that implements"),
    ],
)
def test_errors_have_numpys_class_and_words(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(da.ones(4))


def test_bytes_files_and_fields() -> None:
    for dtype in ("u2", "f8", "c8", "i1"):
        host = np.arange(6).astype(dtype).reshape(2, 3)
        x = da.asarray(host)
        assert x.byteswap().copy_to_host().tobytes() == host.byteswap().tobytes()
        assert x.byteswap(inplace=True) is x
        assert x.copy_to_host().tobytes() == host.byteswap().tobytes()
    z = da.asarray([1 + 2j, 3 + 4j])
    z.setfield(0, da.float64, 8)
    assert z.tolist() == [1 + 0j, 3 + 0j]
    assert z.getfield(da.float64).tolist() == [1, 3]
    with pytest.raises(ValueError, match="does not lie within"):
        z.getfield(da.float64, 12)
    file = io.BytesIO()
    da.arange(3).dump(file)
    assert pickle.loads(file.getvalue()).tolist() == pickle.loads(da.arange(3).dumps()).tolist() == [0, 1, 2]


def test_iterators_read_on_the_host() -> None:
    x = da.asarray([[1, 2], [3, 4]])
    assert [int(v) for v in da.nditer(x)] == [1, 2, 3, 4]
    assert [(i, int(v)) for i, v in da.ndenumerate(x)] == [(i, int(v)) for i, v in np.ndenumerate(x.copy_to_host())]
    assert da.broadcast(x, [[[1]], [[2]]]).shape == (2, 2, 2)
    assert da.isfortran(x.T)
    assert not da.isfortran(x)


def layouts() -> list[np.ndarray]:
    x = np.arange(24.0).reshape(2, 3, 4)
    return [x, x.T, x[:, ::2, ::-1], np.asfortranarray(x), x[1, 1], np.array(3.0)]


@pytest.mark.parametrize("flags", [[], ["multi_index"], ["external_loop"], ["buffered", "external_loop"]])
def test_nditer_writes_to_device_arrays(flags: list[str]) -> None:
    def doubled(xp: Any, x: Any, y: Any) -> list[Any]:
        with xp.nditer([x, y], flags, [["readwrite"], ["readonly"]]) as it:
            for a, b in it:
                a[...] = 2 * a + b
        return [x]

    for host in layouts():
        ours, theirs = da.asarray(host, copy=True), host.copy("K")
        doubled(da, ours, da.asarray(host + 1))
        doubled(np, theirs, host + 1)
        np.testing.assert_array_equal(ours.copy_to_host(), theirs)


def test_nditer_goes_as_numpys_where_it_writes() -> None:
    def steps(xp: Any, x: Any) -> list[Any]:
        it = xp.nditer(x, flags=["multi_index", "c_index"], op_flags=["readwrite"])
        found: list[Any] = [it.shape, it.nop, it.itersize, len(it)]
        while not it.finished:
            kept = float(x[it.multi_index])
            x[it.multi_index] = kept + 0.5
            found.append((it.multi_index, it.index, float(it[0]), float(it.value)))
            x[it.multi_index] = kept
            it[0] = -kept
            it.iternext()
        it.reset()
        found.append([float(v) for v in it])
        return found

    for host in layouts():
        assert steps(da, da.asarray(host, copy=True)) == steps(np, host.copy("K"))


def test_nditer_refuses_writes_that_it_cannot_make() -> None:
    x = da.arange(3)
    it = da.nditer([x, da.ones(3)], op_flags=[["readwrite"], ["readonly"]])
    with pytest.raises(ValueError, match="not writeable"):
        it[1] = 2.0
    assert it.operands[0] is x
    with pytest.raises(ValueError, match="output operand"):
        da.nditer([da.ones((2, 3)), da.ones(3)], op_flags=[["readonly"], ["writeonly"]])
    with pytest.raises(TypeError, match="reads a copy"):
        da.nested_iters(da.ones((2, 2)), [[0], [1]], op_flags=["readwrite"])


def test_nditer_writes_back_what_it_computes_on_the_host() -> None:
    cast: dict[str, Any] = {"op_flags": ["readwrite"], "op_dtypes": ["float32"], "casting": "same_kind"}

    def of(xp: Any) -> list[Any]:
        halves, left, single = xp.arange(6.0), xp.zeros(4), xp.arange(3.0)
        for v in xp.nditer(halves[::-2], flags=["buffered"], **cast):
            v[...] = v / 2 - 1
        for v in xp.nditer(left, flags=["buffered"], **cast):
            v[...] = 7
            if v == 7:
                break
        with xp.nditer(single, flags=["buffered"], **cast) as it:
            for v in it:
                v[...] = -v
            single[0] = 5.0
        records = xp.zeros(2, [("a", "i4"), ("b", "f8")])
        for v in xp.nditer(records, op_flags=["readwrite"]):
            v[...] = (3, 4.0)
        table, sums, columns = xp.arange(24).reshape(2, 3, 4), xp.ones((2, 3), int), xp.zeros(4, int)
        ways: dict[str, Any] = {"flags": ["reduce_ok", "external_loop"], "op_flags": [["readonly"], ["readwrite"]]}
        with xp.nditer([table, sums], **ways, op_axes=[None, [0, 1, -1]]) as it:
            it.operands[1][...] = 10
            for v, total in it:
                total[...] += v
        ways["flags"].append("buffered")
        it = xp.nditer([table, columns], **ways)
        for v, total in it:
            total[...] += v
        assert it.operands[1] is columns
        return [halves, single, records, sums, columns]

    for ours, theirs in zip(of(da), of(np), strict=True):
        np.testing.assert_array_equal(ours.copy_to_host(), theirs)


@pytest.mark.parametrize("name", ["sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh"])
@pytest.mark.parametrize("values", [[0.25, 0.5], [-2.0, 0.5], [1, 3]])
def test_emath(name: str, values: list[float]) -> None:
    with np.errstate(all="ignore"):
        wanted = getattr(np.emath, name)(values)
    for result in (getattr(da.emath, name)(values), getattr(np.emath, name)(da.asarray(values))):
        assert result.dtype == wanted.dtype
        np.testing.assert_allclose(result.copy_to_host(), wanted, rtol=1e-14)


def test_emath_of_two_operands() -> None:
    assert np.allclose(da.emath.power([2, 4], -2).copy_to_host(), np.emath.power([2, 4], -2))
    assert np.allclose(da.emath.power([-2, 4], 0.5).copy_to_host(), np.emath.power([-2, 4], 0.5))
    assert np.allclose(da.emath.logn(2, [-4, 4]).copy_to_host(), np.emath.logn(2, [-4, 4]))


def test_testing_is_whole() -> None:
    x = da.arange(3)
    da.testing.assert_almost_equal(x, [0, 1, 2])
    da.testing.assert_array_almost_equal_nulp(da.ones(2), np.ones(2))
    with pytest.raises(AssertionError):
        da.testing.assert_array_max_ulp(da.ones(2), np.ones(2) + 1e-10, maxulp=1)
    for name in np.testing.__all__:
        assert hasattr(da.testing, name)


def test_every_public_name_of_numpys_is_there_or_says_why() -> None:
    for name in np.__all__:
        if not hasattr(da, name):
            with pytest.raises(AttributeError, match=r"copy_to_host|devices|import|numpy|private|gives one|own tests"):
                getattr(da, name)
    assert not hasattr(da, "nothing_of_the_kind")


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.SFC64])
def test_generators_over_numpys_bits_have_numpys_numbers(kind: Any) -> None:
    ours, theirs = da.random.Generator(kind(5)), np.random.Generator(kind(5))
    calls = (("normal", (0, 1, 7)), ("integers", (0, 100, 7)), ("random", ((2, 3),)), ("permutation", (9,)))
    for name, arguments in calls:
        result = getattr(ours, name)(*arguments)
        assert isinstance(result, da.Array)
        assert np.array_equal(result.copy_to_host(), getattr(theirs, name)(*arguments))
    x, y = da.arange(10), np.arange(10)
    ours.shuffle(x)
    theirs.shuffle(y)
    assert np.array_equal(x.copy_to_host(), y)


def test_random_state_has_numpys_numbers() -> None:
    ours, theirs = da.random.RandomState(3), np.random.RandomState(3)
    assert np.array_equal(ours.rand(4).copy_to_host(), theirs.rand(4))
    again = pickle.loads(pickle.dumps(ours))
    assert np.array_equal(again.randn(3).copy_to_host(), theirs.randn(3))


def test_scipys_other_functions_go_through_the_host_as_fallback_says() -> None:
    special = pytest.importorskip("scipy.special")
    x = da.asarray([1.0, 2.0])
    with da.use(fallback="allow"):
        assert np.array_equal(special.zeta(x, 1.0).copy_to_host(), special.zeta([1.0, 2.0], 1.0))
    with da.use(fallback="raise"), pytest.raises(da.Error, match=r"scipy\.special\._?zeta"):
        special.zeta(x, 1.0)


def test_functions_without_a_device_version_go_through_the_host_where_allowed() -> None:
    x = da.asarray([3.0, 1.0])
    with da.use(fallback="allow"):
        result = np.polynomial.polynomial.polyfromroots(x.copy_to_host())
        assert isinstance(np.isrealobj(x), bool)
    assert np.array_equal(result, [3, -4, 1])


def test_a_parameter_that_numpy_does_not_have_either() -> None:
    """In NumPy's words, by which Dask tells it from what a function says about an empty array."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        np.einsum("i", da.ones(3), foo=1)


def test_random_states_shuffle_lists_and_records_as_numpys() -> None:
    def shuffled(xp: Any, x: Any) -> Any:
        xp.random.RandomState(5).shuffle(x)
        return x.tolist() if hasattr(x, "tolist") else x

    assert shuffled(da, list(range(9))) == shuffled(np, list(range(9)))
    records = np.array([(i, i / 2) for i in range(9)], [("a", "i4"), ("b", "f8")])
    assert shuffled(da, da.to_device(records)) == shuffled(np, records.copy())


def test_values_have_the_methods_of_numpys_scalars() -> None:
    x, h = da.asarray([2.0, 0.75]), np.array([2.0, 0.75])
    for ours, theirs in zip(x, h, strict=True):
        assert ours.is_integer() == theirs.is_integer()
        assert ours.as_integer_ratio() == theirs.as_integer_ratio()
        assert ours.hex() == theirs.hex()
    assert da.asarray([-5], dtype=da.int16)[0].bit_count() == np.int16(-5).bit_count()
    for name in ("is_integer", "as_integer_ratio", "hex", "bit_count"):
        assert not hasattr(x, name)
    assert not hasattr(x[0], "bit_count")


@pytest.mark.parametrize("name", ["is_integer", "as_integer_ratio", "hex", "bit_count"])
def test_methods_of_numbers_are_missing_by_an_error_of_ours(name: str) -> None:
    x = da.ones((2, 3))
    assert not hasattr(x, name)
    with pytest.raises(da.DTypeError, match=r"shape \(2, 3\)"):
        getattr(x, name)


def test_a_file_of_records_is_asked_for_by_name() -> None:
    for wrong in (2**63, np.zeros(2)):
        with pytest.raises(da.DTypeError, match="path or an open file"):
            da.OpaqueArray((2,), "i4,f4").tofile(wrong)


@pytest.mark.parametrize(
    "turned",
    [
        lambda x: x.T,
        lambda x: x[::-1],
        lambda x: x[::-1, :, ::-1],
        lambda x: x.transpose(1, 0, 2)[:, ::-1],
        lambda x: x[:, :0],
        lambda x: [x[0].T, x[1].T[::-1]],
    ],
)
@pytest.mark.parametrize("options", [{}, {"order": "C"}, {"flags": ["external_loop"]}, {"flags": ["multi_index"]}])
def test_nditer_goes_through_what_lies_otherwise_as_numpys_does(turned: Any, options: dict[str, Any]) -> None:
    options = {**options, "flags": [*options.get("flags", ()), "zerosize_ok"]}
    host = np.arange(24).reshape(2, 3, 4)
    gone = [
        [np.asarray(found).tolist() for found in xp.nditer(turned(x), **options)]
        for xp, x in ((da, da.asarray(host)), (np, host))
    ]
    assert gone[0] == gone[1]


@pytest.mark.parametrize("key", [np.s_[::-1], np.s_[::-1, ::-1], np.s_[:, ::-1]])
def test_nditer_writes_backwards_as_numpys_does(key: Any) -> None:
    host = np.zeros((2, 3), int)
    ours = da.asarray(host)
    for xp, x in ((da, ours), (np, host)):
        for number, element in enumerate(xp.nditer(x[key], op_flags=["writeonly"])):
            element[...] = number
    assert ours.tolist() == host.tolist()
