"""Parameters and sizes that the host knows are taken and refused as NumPy's Generator does."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def rngs() -> tuple[np.random.Generator, da.random.Generator]:
    return np.random.Generator(np.random.Philox(1)), da.random.default_rng(1)


SCALES = {
    "exponential": (-0.0,), "gamma": (-0.0, 1.0), "gumbel": (1.0, -0.0), "laplace": (1.0, -0.0),
    "logistic": (1.0, -0.0), "lognormal": (1.0, -0.0), "noncentral_chisquare": (1.0, -0.0), "normal": (1.0, -0.0),
    "rayleigh": (-0.0,), "standard_gamma": (-0.0,), "uniform": (0.0, -0.0), "vonmises": (1.0, -0.0), "weibull": (-0.0,),
    "negative_binomial": (np.nan, 0.5), "binomial": (np.nan, 0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALES)
def test_numbers_out_of_range(name: str) -> None:
    for rng in rngs():
        with pytest.raises(ValueError):
            getattr(rng, name)(*SCALES[name])


def test_zero_is_no_negative_number() -> None:
    assert da.random.default_rng(1).normal(2.0, 0.0, 3).tolist() == [2.0, 2.0, 2.0]
    assert da.random.default_rng(1).normal(2.0, [0.0, 0], 2).tolist() == [2.0, 2.0]
    assert da.random.default_rng(1).binomial(True, 1.0) == 1


@pytest.mark.parametrize("size", [2.0, (2.0,), (2, None)])
@pytest.mark.parametrize("name", ["random", "normal", "choice", "dirichlet", "multinomial", "integers"])
def test_a_size_is_an_integer_or_a_tuple(name: str, size: object) -> None:
    arguments = {"choice": (3,), "dirichlet": ([1.0, 2.0],), "multinomial": (3, [0.5, 0.5]), "integers": (5,)}
    for rng in rngs():
        with pytest.raises(TypeError):
            getattr(rng, name)(*arguments.get(name, ()), size=size)


def test_bounds_may_be_floats() -> None:
    x = da.random.default_rng(1).integers(0, 3.9, size=300)
    assert set(x.tolist()) == {0, 1, 2}
    assert da.random.randint(1e3, size=5).dtype == np.int64
    with pytest.raises(ValueError):
        da.random.default_rng(1).integers(np.nan)
    with pytest.raises(OverflowError):
        da.random.default_rng(1).integers(np.inf)


def test_a_covariance_is_looked_at() -> None:
    bad = [[1.0, 2.0], [2.0, 1.0]]
    for rng in rngs():
        for method in ("svd", "eigh"):
            with pytest.raises(ValueError, match="symmetric"):
                rng.multivariate_normal([0, 0], bad, check_valid="raise", method=method)
            with pytest.warns(RuntimeWarning, match="symmetric"):
                rng.multivariate_normal([0, 0], bad, method=method)
        assert rng.multivariate_normal([0, 0], bad, check_valid="ignore").shape == (2,)
        assert rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], check_valid="raise").shape == (2,)


def test_generators_of_numpy_are_taken_on() -> None:
    theirs = np.random.default_rng(5)
    ours = da.random.default_rng(theirs)
    wanted = np.random.default_rng(5).normal(size=3)
    np.testing.assert_array_equal(ours.normal(size=3).copy_to_host(), wanted)
    state = da.random.default_rng(da.random.RandomState(7))
    np.testing.assert_array_equal(
        state.random(2).copy_to_host(), np.random.default_rng(np.random.RandomState(7)).random(2)
    )


def test_permutation_of_less_than_nothing() -> None:
    for rng in rngs():
        assert rng.permutation(-1).shape == (0,)


@pytest.mark.parametrize("m", [np, da])
def test_multinomial_without_outcomes(m):
    assert m.random.multinomial(10, []).shape == (0,)
    assert m.random.multinomial(3, [], size=(7, 5)).shape == (7, 5, 0)
    assert m.random.multinomial(3, [], size=(7, 5)).dtype == np.int64


@pytest.mark.parametrize("m", [np, da])
def test_state_by_numpys_keyword(m):
    state = m.random.get_state(legacy=False)
    first = m.random.rand(3)
    m.random.set_state(state)
    assert (first == m.random.rand(3)).all()
