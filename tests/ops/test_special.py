"""The special functions, beside mpmath's values and SciPy's own errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.ops.table import OPS, SPECIAL

special = pytest.importorskip("scipy.special")
mp = pytest.importorskip("mpmath")

NAMES = [op.name for op in OPS.values() if op.flags & SPECIAL]


def _log_ndtr(x: Any) -> Any:
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)


def _rel_entr(a: Any, b: Any) -> Any:
    return a * mp.log(a / b)


def _boxcox(a: Any, b: Any) -> Any:
    return mp.expm1(b * mp.log(a)) / b


EXACT: dict[str, Callable[..., Any]] = {
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "erfinv": mp.erfinv,
    "erfcinv": lambda x: mp.erfinv(1 - x),
    "ndtr": lambda x: mp.erfc(-x / mp.sqrt(2)) / 2,
    "ndtri": lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1),
    "log_ndtr": _log_ndtr,
    "gamma": mp.gamma,
    "gammaln": lambda x: mp.log(abs(mp.gamma(x))),
    "gammasgn": lambda x: mp.sign(mp.gamma(x)),
    "rgamma": mp.rgamma,
    "digamma": mp.digamma,
    "beta": mp.beta,
    "betaln": lambda a, b: mp.log(abs(mp.beta(a, b))),
    "poch": mp.rf,
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
    "logit": lambda x: mp.log(x / (1 - x)),
    "xlogy": lambda a, b: a * mp.log(b),
    "xlog1py": lambda a, b: a * mp.log1p(b),
    "entr": lambda x: -x * mp.log(x),
    "rel_entr": _rel_entr,
    "kl_div": lambda a, b: _rel_entr(a, b) - a + b,
    "huber": lambda a, b: b * b / 2 if abs(b) <= a else a * (abs(b) - a / 2),
    "pseudo_huber": lambda a, b: a * a * (mp.sqrt(1 + (b / a) ** 2) - 1),
    "boxcox": _boxcox,
    "boxcox1p": lambda a, b: _boxcox(1 + a, b),
    "inv_boxcox": lambda a, b: mp.exp(mp.log1p(a * b) / b),
    "inv_boxcox1p": lambda a, b: mp.expm1(mp.log1p(a * b) / b),
    "exprel": lambda x: mp.expm1(x) / x,
    "exp10": lambda x: mp.mpf(10) ** x,
    "cosm1": lambda x: -2 * mp.sin(x / 2) ** 2,
    "sindg": lambda x: mp.sin(x * mp.pi / 180),
    "cosdg": lambda x: mp.cos(x * mp.pi / 180),
    "tandg": lambda x: mp.tan(x * mp.pi / 180),
    "cotdg": lambda x: mp.cot(x * mp.pi / 180),
    "i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
    "k0": lambda x: mp.besselk(0, x),
    "k0e": lambda x: mp.exp(x) * mp.besselk(0, x),
    "k1": lambda x: mp.besselk(1, x),
    "k1e": lambda x: mp.exp(x) * mp.besselk(1, x),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
    "jn": mp.besselj,
    "yn": mp.bessely,
    "ellipk": mp.ellipk,
    "ellipkm1": lambda x: mp.ellipk(1 - x),
    "exp1": mp.e1,
}
"""Each function in mpmath's numbers."""

RANGES: dict[str, tuple[float, float]] = {
    "erfinv": (-1, 1),
    "erfcinv": (0, 2),
    "ndtri": (0, 1),
    "logit": (0, 1),
    "ellipk": (-3, 1),
    "erfcx": (-20, 60),
    "gamma": (-40, 170),
    "rgamma": (-40, 170),
    "digamma": (-30, 100),
    "gammaln": (-10, 300),
    "j0": (0.01, 60),
    "j1": (0.01, 60),
}
# Bessel functions' errors are measured by their amplitude: next to zeros SciPy's own are larger than 8 ULP.
BESSEL = ("j0", "j1", "y0", "y1", "jn", "yn")
AMPLIFIED = ("betaln", "boxcox1p")  # on GPUs: sums of lgamma cancel, exp takes a logarithm's last bit times 20
POSITIVE = [
    "entr",
    "rel_entr",
    "kl_div",
    "huber",
    "pseudo_huber",
    "boxcox",
    "boxcox1p",
    "inv_boxcox",
    "inv_boxcox1p",
    "xlogy",
    "xlog1py",
    "beta",
    "betaln",
    "poch",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "y0",
    "y1",
    "ellipkm1",
    "exp1",
]


def operands(name: str, dtype: Any) -> list[np.ndarray]:
    """Host values within the function's domain: evenly spread, and some beside its ends."""
    rng = np.random.default_rng(len(name))
    if name in ("jn", "yn"):
        return [rng.integers(-3, 13, 90).astype(dtype), rng.uniform(0.05, 40, 90).astype(dtype)]
    if OPS[name].nin == 2:
        return [rng.uniform(0.05, 12, 60).astype(dtype), rng.uniform(0.05, 12, 60).astype(dtype)]
    low, high = RANGES.get(name, (1e-3, 40) if name in POSITIVE else (-30, 30))
    values = np.concatenate([rng.uniform(low, high, 50), rng.uniform(max(low, -1), min(high, 1), 20)])
    if low in (0, 1e-3):
        values = np.concatenate([values, 10.0 ** -rng.uniform(2, 30, 20)])
    return [values[(values > low) & (values < high)].astype(dtype)]


def waves(*given: float) -> bool:
    """Whether a Bessel function has zeros around there: above its order."""
    return len(given) == 1 or given[1] > abs(given[0])


def agree_within(name: str, ulps: float, dtype: Any) -> None:
    given = operands(name, dtype)
    ours = getattr(da.special, name)(*map(da.asarray, given)).copy_to_host()
    theirs = getattr(special, name)(*given)
    assert ours.dtype == theirs.dtype == dtype
    with mp.workprec(160), np.errstate(over="ignore"):
        for values in zip(ours, theirs, *given, strict=True):
            exact = EXACT[name](*(mp.mpf(float(v)) for v in values[2:]))
            if not np.isfinite(dtype(exact)) or abs(exact) < np.finfo(dtype).tiny:
                continue
            scale = (
                max(abs(exact), mp.sqrt(2 / (mp.pi * values[-1]))) if name in BESSEL and waves(*values[2:]) else exact
            )
            allowed = max(ulps * float(np.spacing(abs(dtype(scale)))), 2 * float(abs(mp.mpf(float(values[1])) - exact)))
            error = float(abs(mp.mpf(float(values[0])) - exact))
            assert error <= allowed, (
                name,
                values[2:],
                values[0],
                float(exact),
                error / float(np.spacing(dtype(exact))),
            )


def test_every_function_has_an_exact_one() -> None:
    assert sorted(EXACT) == sorted(NAMES)
    assert len(NAMES) >= 40


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_within_8_ulp_or_scipys_own_error(name: str, dtype: Any) -> None:
    agree_within(name, 8 if name not in AMPLIFIED or da.default_device().type == "cpu" else 32, dtype)


EDGES = np.array([0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, np.nan, 1e-300, -1e-300, 1e300])


@pytest.mark.parametrize("name", [n for n in NAMES if OPS[n].nin == 1 and not n.endswith("dg")])
def test_zeros_poles_and_nan(name: str) -> None:
    ours = getattr(da.special, name)(da.asarray(EDGES)).copy_to_host()
    with np.errstate(all="ignore"):
        theirs = getattr(special, name)(EDGES)
    usual = ~((EDGES == 1e300) & np.isin(name, ["j0", "j1", "y0", "y1", "cosm1"]))  # whose angle is noise
    np.testing.assert_allclose(ours[usual], theirs[usual], rtol=1e-13)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "jn"])  # SciPy's is jv, of real orders
def test_scipys_functions_lead_here(name: str) -> None:
    given = [da.asarray(x) for x in operands(name, np.float64)]
    ufunc = getattr(special, name)
    result = ufunc(*given)
    assert isinstance(result, da.Array)
    assert result.pending == da.config.deferred
    assert np.array_equal(result.copy_to_host(), getattr(da.special, name)(*given).copy_to_host(), equal_nan=True)


def test_float32_stays_and_all_else_becomes_float64() -> None:
    """SciPy 1.17's dtypes. Others give float32 for float16 and for integers of 8 and 16 bits."""
    for dtype in ("int8", "int16", "uint16", "int32", "uint64", "float16", "float32", "float64"):
        x = np.ones(3, dtype)
        ours, scipys = da.special.erf(da.asarray(x)).dtype, special.erf(x).dtype
        assert ours == ("float32" if dtype == "float32" else "float64")
        assert scipys in ((ours,) if np.dtype(dtype).itemsize > 2 else (ours, "float32")), dtype


def test_fuses_with_its_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "deferred", True)
    x = da.linspace(0, 1, 1000)
    (da.special.erf(x * 2) + 1).evaluate()
    before = da.stats()["launches"]
    ((da.special.erf(x * 2) + 1) * 3).evaluate()
    assert da.stats()["launches"] == before + 1
