"""Kernels that add up by atomic operations compile for GPUs; tests/routines/test_sums_in_any_order.py runs them."""

from __future__ import annotations

import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc

from devarray.codegen.kernels.atomic_sums import plan_atomic_sums
from devarray.codegen.kernels.launches import View


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("key", ["uint8", "int32", "int64"])
def test_compiles_for_gpus(dtype: str, key: str) -> None:
    places, values = View.contiguous("places", key, (4000,)), View.contiguous("values", dtype, (4000, 3))
    (launch,) = plan_atomic_sums(places, values, View.contiguous("out", dtype, (100, 3)), GPU).launches
    assert compiles_for_cuda(launch.source)


def test_what_has_no_sum() -> None:
    places, out = View.contiguous("places", "int64", (4,)), View.contiguous("out", "float64", (100,))
    with pytest.raises(ValueError, match="one dtype"):
        plan_atomic_sums(places, View.contiguous("values", "float32", (4,)), out, GPU)
