"""Words in order are those of NumPy's Philox, from whichever word they begin."""

from __future__ import annotations

import numpy as np
import pytest
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.random_words import plan_words

KEY = (0x123456789ABCDEF0, 0xFEDCBA9876543210)


@pytest.mark.parametrize("block", [0, 1000, 2**62 - 20_000])
@pytest.mark.parametrize("begin", range(4))
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 2045, 2048, 2051, 40_000])
def test_words_are_numpys(runtime: Runtime, n: int, begin: int, block: int) -> None:
    numpys = np.random.Philox(key=KEY[0] | KEY[1] << 64, counter=block)
    want = numpys.random_raw(n + begin)[begin:]
    memory = np.full(n + 10, 7, np.uint64)
    words = memory[5 : n + 5]
    plan = plan_words(view("words", words), 4 * block + begin, KEY, runtime.dialect)
    execute(runtime, plan, {"words": words})
    np.testing.assert_array_equal(words, want)
    assert (memory[:5] == 7).all() and (memory[n + 5 :] == 7).all()


def test_one_program_serves_all_streams(runtime: Runtime) -> None:
    words = view("words", np.zeros(100, np.uint64))
    plans = [plan_words(words, first, (first, 1), runtime.dialect) for first in (0, 2**63 + 5)]
    assert plans[0].launches[0].source == plans[1].launches[0].source
    assert plans[1].launches[0].slots[2:] == (5 - 2**63, 5 - 2**63, 1)
