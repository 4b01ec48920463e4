"""True and False count as ints, but as sizes they are a mistake."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da


@pytest.mark.parametrize("shape", [True, (True, 2), [2, False], np.True_])
@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "broadcast_to"])
def test_truths_are_no_sizes(name: str, shape: Any) -> None:
    for xp in (np, da):
        with pytest.raises(TypeError):
            getattr(xp, name)(*([xp.asarray(1)] if name == "broadcast_to" else []), shape)
