"""Values at the edges as NumPy has them: signed zeros, infinities, integers beyond a dtype, counts beyond memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import FLOATS, INTEGERS, host, on_both, same, silent, skip_without

import devarray as da

ZEROS = (-0.0, 0.0)
FLOAT32_AND_64 = ("float32", "float64")


# --- signed zeros ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", ["minimum", "maximum", "fmin", "fmax"])
def test_the_lesser_and_greater_of_float16_zeros(function: str) -> None:
    pairs = np.array([*itertools.product(ZEROS, repeat=2), (np.nan, 0.0), (0.0, np.nan), (-0.0, 1.0)], "f2")
    same(*on_both(lambda xp, a, b: getattr(xp, function)(a, b), pairs[:, 0].copy(), pairs[:, 1].copy()))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("low", "high"), [(0, 300), (-0.0, 0.0), (0.0, -0.0), (-1, 0.0), (3, 1), (np.nan, 1), (0, np.nan)]
)
def test_clip_between_scalars_leaves_zeros_as_they_are(dtype: str, low: float, high: float) -> None:
    skip_without(dtype)
    x = np.array([-0.0, 0.0, np.nan, 5.0, -5.0, np.inf, -np.inf], dtype)
    same(*on_both(lambda xp, a: xp.clip(a, low, high), x))
    same(*on_both(lambda xp, a: xp.clip(a, low, high).sum(), x[:2]))  # inside of a reduction


@pytest.mark.parametrize("dtype", [*FLOATS, "complex64", "complex128"])
@pytest.mark.parametrize("size", [1, 3, 100, 40_000])
def test_running_sums_begin_with_the_first_element(dtype: str, size: int) -> None:
    skip_without(dtype)
    x = np.full(size, -0.0, dtype)
    if x.dtype.kind == "c":
        x.imag = -0.0
    same(*on_both(lambda xp, a: xp.cumsum(a), x))
    x[size // 2 :] = 0.0
    same(*on_both(lambda xp, a: xp.cumsum(a), x))
    same(*on_both(lambda xp, a: xp.cumulative_sum(a, include_initial=True), x))


# --- Python's numbers beyond a dtype ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(("low", "high"), [(-1, 300), (-(2**70), 2**70), (None, 2**64), (-(2**63), None), (-300, 3)])
def test_clip_takes_bounds_beyond_the_dtype(dtype: str, low: int | None, high: int | None) -> None:
    info = np.iinfo(dtype)
    x = np.array([info.min, 0, 1, 5, info.max], dtype)
    same(*on_both(lambda xp, a: xp.clip(a, low, high), x))
    same(*on_both(lambda xp, a: a.clip(low, high), x))


@pytest.mark.parametrize("xp", [np, da])
@pytest.mark.parametrize(("low", "high"), [(300, 400), (None, -1)])
def test_clip_refuses_bounds_that_no_element_could_have(xp: Any, low: int | None, high: int | None) -> None:
    with pytest.raises(OverflowError, match="uint8"):
        xp.clip(xp.asarray([1, 2], dtype=xp.uint8), low, high)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("value", [-1, 300, 2**31, -(2**63), 2**63])
def test_where_keeps_the_low_bits_of_an_integer(dtype: str, value: int) -> None:
    """As NumPy's does before 2.5, which refuses them."""
    x = np.array([1, 2, 3], dtype)
    mask = np.array([True, False, True])
    low = np.array(value % 2**64, np.uint64).astype(dtype)
    same(da.where(da.asarray(mask), da.asarray(x), value), np.where(mask, x, low))
    same(da.where(da.asarray(mask), value, da.asarray(x)), np.where(mask, low, x))


@pytest.mark.filterwarnings("ignore:full:numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "value", [np.inf, -np.inf, np.nan, 1.7, -1.7, 3e9, -1.0, 300.0, 2.0**64, 1e300, 2 + 3j, np.float32("inf")]
)
def test_full_casts_floats_as_astype_does(dtype: str, value: complex) -> None:
    skip_without("float64")
    real = value.real if isinstance(value, complex) else value
    wanted = host(da.asarray([real] * 3).astype(dtype))  # which has tests of its own
    same(da.full(3, value, dtype), wanted)
    same(da.full_like(da.zeros(3, dtype), value), wanted)
    if (
        np.isfinite(real) and np.iinfo(dtype).min <= int(real) <= np.iinfo(dtype).max
    ):  # the rest is what NumPy's processor gives
        same(wanted, np.full(3, real, dtype))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_full_of_an_infinity_is_the_least_integer(dtype: str) -> None:
    same(da.full(2, np.inf, dtype), np.full(2, np.iinfo(dtype).min, dtype))


@pytest.mark.parametrize("xp", [np, da])
@pytest.mark.parametrize("function", [lambda x: x * 10**400, lambda x: x < 10**400, lambda x: -(10**400) + x])
def test_integers_beyond_all_floats_are_refused(xp: Any, function: Callable[[Any], Any]) -> None:
    with pytest.raises(OverflowError, match="too large"):
        function(xp.asarray([1.0, 2.0]))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("value", [-1, 128, 300, 2**31, -(2**63), 2**63])
def test_integers_beyond_the_dtype_have_a_place_among_its_elements(dtype: str, value: int) -> None:
    x = np.array([0, 1, 2, 100], dtype)
    same(*on_both(lambda xp, a: xp.searchsorted(a, value), x))
    same(*on_both(lambda xp, a: xp.isin(a, value), x))


LISTS: list[Any] = [[300, 1], (1, 2), [1.7, -0.0], [np.inf, 1.0], range(2), [True, 2], [2**63, 0], [-1, 0]]


@pytest.mark.parametrize("dtype", [*INTEGERS, "bool", "float32"])
@pytest.mark.parametrize("given", LISTS, ids=repr)
@pytest.mark.parametrize("key", [slice(1, 3), [0, 2], (slice(0, 2),)], ids=repr)
def test_lists_are_stored_in_the_arrays_dtype_or_refused(dtype: str, given: Any, key: Any) -> None:
    results: list[Any] = []
    for xp in (np, da):
        x = xp.zeros(4, dtype=dtype)
        try:
            with silent():
                x[key] = given
            results.append(host(x))
        except (OverflowError, ValueError, TypeError) as error:
            results.append(next(t for t in (OverflowError, ValueError, TypeError) if isinstance(error, t)))
    if isinstance(results[0], type):
        assert results[1] is results[0]
    else:
        same(results[1], results[0])


@pytest.mark.parametrize("exponent", [np.int8(-1), np.int64(-3), -2])
@pytest.mark.parametrize("xp", [np, da])
def test_integers_to_negative_powers_are_refused(xp: Any, exponent: Any) -> None:
    with pytest.raises(ValueError, match=r"(?i)integers to negative integer powers"):
        xp.asarray([1, 2]) ** exponent


def test_complex_numbers_are_true_in_bools() -> None:
    def body(xp: Any, a: Any) -> Any:
        a[1], a[2] = 1j, 0j
        return a

    same(*on_both(body, np.array([False, False, True])))


@pytest.mark.parametrize("value", [2**63, 2**64 - 1, 5, -5])
def test_full_takes_the_dtype_that_holds_an_integer(value: int) -> None:
    same(da.full(2, value), np.full(2, value))


@pytest.mark.parametrize("xp", [np, da])
@pytest.mark.parametrize("value", [128, -129, 2**70])
def test_padding_refuses_what_the_dtype_does_not_hold(xp: Any, value: int) -> None:
    with pytest.raises(OverflowError):
        xp.pad(xp.zeros(3, dtype=xp.int8), 1, constant_values=value)


def test_replacements_keep_the_dtype() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 1.0], "f4")
    same(*on_both(lambda xp, a: xp.nan_to_num(a, nan=np.float64(-2.5)), x))


@pytest.mark.parametrize("value", [2**64, 10**30, -(2**70), 5])
def test_any_integer_is_close_or_not(value: int) -> None:
    same(*on_both(lambda xp, a: xp.isclose(a, value), np.array([5.0, 1e30, 2.0**64])))
    same(*on_both(lambda xp, a: xp.isclose(a, value), np.array([5, 7])))


# --- arange ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [(0, 1, 1e-300), (0, 1e300), (0, np.inf), (2**70,), (0, -(2**70), -1), (0.0, 2**70, 0.5)]
)
@pytest.mark.parametrize("xp", [np, da])
def test_arange_refuses_more_elements_than_there_can_be(xp: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=r"(?i)maximum allowed size exceeded"):
        xp.arange(*arguments)


@pytest.mark.parametrize("arguments", [(0, np.nan), (np.nan,), (0, 1, np.nan), (np.inf, np.inf)])
@pytest.mark.parametrize("xp", [np, da])
def test_arange_refuses_a_range_without_a_length(xp: Any, arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="arange"), silent():
        xp.arange(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [(0, 1, np.inf), (1, 0, np.inf), (0, -1, -np.inf), (0, 10, 3), (10, 0, -3), (5, 5), (0.0, 1.0, 0.1), (5.5,),
     (2**53, 2**53 + 5), (np.float32(0), np.float32(1), np.float32(0.1)), (-(2**63), -(2**63) + 3),
     (np.int8(100), np.int8(127), np.int8(5))],
)  # fmt: skip
def test_arange_counts_as_numpy_does(arguments: tuple[Any, ...]) -> None:
    skip_without("float64")
    with silent():
        same(da.arange(*arguments), np.arange(*arguments))


# --- reductions that begin with an element ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_initial_none_begins_with_an_element(name: str) -> None:
    x = np.array([[3.0, 1.0], [2.0, 5.0]])
    same(*on_both(lambda xp, a: getattr(a, name)(axis=0, initial=None), x))
    same(*on_both(lambda xp, a: getattr(np, name)(a, initial=None), x))
    same(*on_both(lambda xp, a: (np.add if name == "sum" else np.multiply).reduce(a, initial=None), x))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64"])
@pytest.mark.parametrize("initial", [True, 0, 3, 2.5, 0.5, np.float64(1.5), np.int8(2)], ids=repr)
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_initial_does_not_widen_the_result(name: str, initial: Any, dtype: str) -> None:
    x = np.array([1, 0, 1], dtype)
    same(*on_both(lambda xp, a: getattr(a, name)(initial=initial), x))


@pytest.mark.parametrize("xp", [np, da])
@pytest.mark.parametrize("name", ["sum", "prod", "max"])
def test_initial_none_needs_an_element(xp: Any, name: str) -> None:
    with pytest.raises(ValueError, match=r"elements|empty|zero-size"):
        getattr(xp.zeros((2, 0)), name)(axis=1, initial=None)
    with pytest.raises(ValueError, match=r"no identity|not have an identity"):
        getattr(xp.zeros(2), name)(initial=None, where=xp.asarray([True, False]))


# --- transforms, views, parts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", [-1, 0, -(2**40)])
@pytest.mark.parametrize("xp", [np, da])
def test_transforms_of_no_length_are_refused(xp: Any, name: str, n: int) -> None:
    with pytest.raises(ValueError, match=str(n)):
        getattr(xp.fft, name)(xp.ones(4), n)


VIEWED: list[tuple[str, Callable[[Any], Any]]] = [
    ("u1", lambda x: x[:, :1]),
    ("u2", lambda x: x[:, :1]),
    ("u1", lambda x: x[:1].T),
    ("f8", lambda x: x[:, :0]),
    ("f8", lambda x: x[:, ::2][:, :0]),
    ("u1", lambda x: x[:, ::-1][:, :1]),
    ("u1", lambda x: x[:, ::3][:, :1]),
    ("f8", lambda x: x[::2, 2:]),
]


@pytest.mark.parametrize(("dtype", "cut"), VIEWED)
def test_a_last_axis_of_one_can_be_seen_as_another_size(dtype: str, cut: Callable[[Any], Any]) -> None:
    same(*on_both(lambda xp, a: cut(a).view(dtype), np.arange(16, dtype="f4").reshape(4, 4)))


@pytest.mark.parametrize(
    ("dtype", "cut"),
    [("f8", lambda x: x[:, :1]), ("u1", lambda x: x.T), ("u1", lambda x: x[0, 0]), ("u1", lambda x: x[:, ::2])],
)
@pytest.mark.parametrize("xp", [np, da])
def test_other_axes_cannot(xp: Any, dtype: str, cut: Callable[[Any], Any]) -> None:
    x = xp.zeros((4, 4), dtype=xp.float32)
    with pytest.raises(ValueError):  # NumPy's words are others
        cut(x).view(dtype)


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
@pytest.mark.parametrize("xp", [np, da])
def test_parts_of_real_arrays_are_the_arrays(xp: Any, dtype: str) -> None:
    x = xp.ones(3, dtype=dtype)
    assert xp.real(x) is x
    assert x.conj() is x
    assert x.conjugate() is x
    assert xp.shares_memory(x.real, x)
    assert not xp.shares_memory(xp.conj(x), x)
    assert not xp.shares_memory(x.imag, x)


def test_real_of_a_real_array_is_written_through() -> None:
    def body(xp: Any, a: Any) -> Any:
        xp.real(a)[0] = 7
        a.conj()[1] = 8
        return a

    same(*on_both(body, np.zeros(3)))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_complex_arrays_are_written_through(dtype: str) -> None:
    def body(xp: Any, a: Any) -> Any:
        xp.real(a)[:2] += 7
        xp.imag(a)[1:] = xp.real(a)[:-1]
        assert xp.shares_memory(xp.imag(a), a) and xp.imag(a).flags.writeable
        return a

    skip_without(dtype)
    same(*on_both(body, (np.arange(4) + 1j).astype(dtype)))


# --- numbers of things that no memory holds --------------------------------------------------------------------------


def nested() -> list[Any]:
    c: list[Any] = []
    c.append(c)
    return c


@pytest.mark.parametrize(
    "call",
    [
        lambda c: da.asarray(c),
        lambda c: da.array(c),
        lambda c: da.zeros(2) + c,
        lambda c: da.zeros(2).__setitem__(slice(None), c),
        lambda c: da.asarray([da.zeros(2), c]),
        lambda c: da.asarray((c, 1)),
        lambda c: da.block(c),
        lambda c: da.broadcast(c),
        lambda c: da.broadcast(da.zeros(2), (c,)),
    ],
)
def test_a_list_inside_of_itself_is_no_array(call: Callable[[list[Any]], Any]) -> None:
    with pytest.raises(ValueError):  # NumPy's words in most cases
        call(nested())


def test_lists_that_hold_one_another_and_an_array_end() -> None:
    c: list[Any] = [da.zeros(1)]
    c.append(c)
    with pytest.raises(ValueError, match="64 deep"):
        da.asarray(c)


@pytest.mark.parametrize("sections", [2**40, 2**70])
@pytest.mark.parametrize("size", [0, 6])
def test_splits_into_more_parts_than_memory_holds_are_refused(size: int, sections: int) -> None:
    with pytest.raises(ValueError, match=str(sections)):
        da.array_split(da.zeros(size), sections)
    with pytest.raises(ValueError, match=str(sections)):
        da.split(da.zeros(size), sections)


@pytest.mark.parametrize("n", [6, 7, 2**40, 2**70])
def test_differences_of_any_order_end(n: int) -> None:
    same(da.diff(da.arange(6.0), n), np.diff(np.arange(6.0), min(n, 10)))  # where NumPy counts to n
    same(da.diff(da.zeros((2, 3), "?"), n, axis=0), np.zeros((0, 3), "?"))


def test_powers_of_no_elements_end() -> None:
    assert da.vander(da.zeros(0), 2**40).shape == np.vander(np.zeros(0), 2**40).shape


def test_derivatives_of_any_order_end() -> None:
    same(da.polyder(da.asarray([3.0, 2.0, 1.0]), 2**40), np.polyder([3.0, 2.0, 1.0], 9))
    with pytest.raises(ValueError, match="1099511627776"):
        da.polyint(da.asarray([3.0, 2.0]), 2**40)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("poisson", (np.nan,)), ("poisson", (1e300,)), ("negative_binomial", (1e300, 0.5)), ("binomial", (5, np.nan))],
)
def test_draws_of_impossible_parameters_are_refused(name: str, arguments: tuple[float, ...]) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError):  # NumPy's words are others
            getattr(xp.random.default_rng(1), name)(*arguments, size=3)


def test_zipf_of_a_steep_fall_is_one() -> None:
    for a in (1025.0, np.inf):
        same(da.random.default_rng(1).zipf(a, size=5), np.random.default_rng(1).zipf(a, size=5))


@pytest.mark.parametrize("name", ["nan", "posinf", "neginf"])
def test_values_for_nan_do_not_spread_the_array(name: str) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError, match="shape"):
            xp.nan_to_num(xp.zeros(2), **{name: xp.zeros((2, 2))})


def test_one_value_for_nan_in_axes_of_its_own() -> None:
    x = np.array([np.nan, 1.0])
    same(*on_both(lambda xp, a: xp.nan_to_num(a, nan=xp.asarray([[3.0]])), x))
    assert da.nan_to_num(da.asarray(np.nan), nan=da.asarray([2.0])).tolist() == 2.0


def test_rounded_bools() -> None:
    x = np.array([True, False])
    for decimals in ((), (0,)):
        same(da.round(da.asarray(x), *decimals), np.round(x, *decimals))


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_decimal_places_beyond_the_powers_of_ten(dtype: str) -> None:
    skip_without(dtype, "float64")
    x = np.array([1.25, -2.5, 0, 1000], dtype)
    for decimals in (308, -308, 400, -400):
        with silent():
            same(*on_both(lambda xp, a, places=decimals: xp.round(a, places), x))
    for decimals in (2.5, "2", None):
        with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
            da.round(da.asarray(x), decimals)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_two_turn_by_many_turns_and_keep_their_size(dtype: str) -> None:
    skip_without(dtype)
    real = np.dtype(dtype).type(0).real.dtype
    turns = np.float64(10.0) ** np.arange(3, 38, dtype="f8")
    z = np.concatenate([1 + 1j * turns, -1 - 1j * turns]).astype(dtype)
    sizes = host(da.abs(da.exp2(da.asarray(z))))
    np.testing.assert_allclose(sizes, np.repeat(np.array([2, 0.5], real), len(turns)), rtol=8 * np.finfo(real).eps)


@pytest.mark.parametrize("function", ["quantile", "nanquantile", "percentile", "nanpercentile"])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_no_shares_give_no_quantiles(function: str, dtype: str) -> None:
    skip_without(dtype, "float64")
    x = np.arange(6).reshape(2, 3).astype(dtype)
    for kwargs in ({}, {"axis": -1}, {"axis": 0, "keepdims": True, "method": "nearest"}):
        same(*on_both(lambda xp, a, given=kwargs: getattr(xp, function)(a, [], **given), x))
    weigh = {"weights": np.ones((2, 3)), "method": "inverted_cdf"}
    same(getattr(da, function)(da.asarray(x), [], **weigh), getattr(np, function)(x, [], **weigh))


@pytest.mark.parametrize("function", ["median", "nanmedian"])
def test_the_middle_of_no_complex_numbers(function: str) -> None:
    skip_without("complex64")
    with silent():
        for x in (np.zeros((3, 0), "complex64"), np.zeros(0, "complex64")):
            same(*on_both(lambda xp, a: getattr(xp, function)(a, axis=-1), x))
