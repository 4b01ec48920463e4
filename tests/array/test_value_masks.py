"""A mask without axes chooses what a result without axes is; elements that were read are never written."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import devarray as da


@pytest.mark.parametrize(("mask", "wanted"), [(True, 7.0), (False, 3.0)])
def test_a_mask_chooses_a_result(mask: bool, wanted: float) -> None:
    total = da.asarray([1.0, 2.0]).sum()
    total[da.asarray(mask)] = 7
    assert total.item() == wanted
    assert total.dtype == np.float64


def test_what_shares_the_value_stays() -> None:
    x = da.asarray([1.0, 2.0])
    total = x.sum()
    twice = total * 2
    total[total > 2] = 0.0
    assert (total.item(), twice.item(), x.tolist()) == (0.0, 6.0, [1.0, 2.0])


def test_an_element_is_not_written() -> None:
    x = da.asarray([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only value"):
        x[0][da.asarray(True)] = 5.0
    assert x.tolist() == [1.0, 2.0]


def test_a_mask_that_names_nothing_takes_nothing() -> None:
    total = da.asarray([1.0, 2.0]).sum()
    total[total < 0] = total[total < 0] * 2
    assert total.item() == 3.0
    with pytest.raises(ValueError, match="takes one value, not 0"):
        total[total > 0] = total[total < 0]


def test_f_oneway(monkeypatch: pytest.MonkeyPatch) -> None:
    stats = pytest.importorskip("scipy.stats")
    a, b = np.arange(9.0), np.arange(9.0) ** 1.5
    wanted = stats.f_oneway(a, b)
    with da.use(fallback="allow"):
        found = stats.f_oneway(da.asarray(a), da.asarray(b))
    assert float(found.pvalue) == pytest.approx(float(wanted.pvalue), rel=1e-12)


def test_concat_of_operators_raises_as_numpys_does() -> None:
    for x in (np.arange(3), da.arange(3)):
        with pytest.raises(TypeError, match="concatenate"):
            operator.concat(x, x)


def test_adding_what_is_no_number_names_both() -> None:
    with pytest.raises(TypeError, match=r"\+: .*Array.* and .*object"):
        da.arange(3) + object()
