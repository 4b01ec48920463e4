"""Maxima and minima of negated integers, of which NVIDIA's assembler makes one instruction that may drop the minus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.codegen.language.dialect import dialect_for

pytestmark = pytest.mark.usefixtures("device", "kernels")

SHAPES = [(4, 1), (1, 5), (9,), (33, 3), (3, 40), (257, 64), (70_000,)]
PROGRAMS = {
    "of the negated": lambda xp, x, name: getattr(xp, name)(-x),
    "of the negated, by rows": lambda xp, x, name: getattr(xp, name)(-x, axis=0),
    "along the last axis": lambda xp, x, name: getattr(xp, name)(-x, axis=-1),
    "of differences": lambda xp, x, name: getattr(xp, name)(x - (x + x)),
    "of magnitudes": lambda xp, x, name: getattr(xp, name)(xp.maximum(x, -x) - xp.abs(x) - x),
    "one by one": lambda xp, x, name: getattr(xp, f"{name}imum")(getattr(xp, f"{name}imum")(x, -x[::-1]), -x),
    "clipped": lambda xp, x, name: getattr(xp, name)(xp.clip(-x, -20, 30)),
}


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32"])
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_of_negated_integers(program: str, name: str, dtype: str) -> None:
    function: Any = PROGRAMS[program]
    for shape in SHAPES:
        host = (np.arange(int(np.prod(shape))) % 50).astype(dtype).reshape(shape)
        if program == "clipped" and dtype[0] == "u":
            continue
        with np.errstate(all="ignore"):
            want = function(np, host, name)
        np.testing.assert_array_equal(function(da, da.asarray(host), name).copy_to_host(), want, err_msg=str(shape))


def test_the_compilers_of_nvidia_alone_get_the_text() -> None:
    for driver, platform, wanted in [
        ("cuda", "NVIDIA CUDA", True),
        ("opencl", "NVIDIA CUDA", True),
        ("opencl", "Intel(R) OpenCL", False),
    ]:
        text = dialect_for(driver, {"platform": platform, "strategy": "gpu"}).program("larger_i32(negative_i8(1), 2)")
        assert ("setp.gt.s32" in text, "not.b32" in text) == (wanted, wanted)
