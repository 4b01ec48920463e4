"""What is no array, no text and no argument is named by the functions of PyOpenCL's, PyCUDA's and CuPy's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da
import devarray.cl.array as cl_array
from devarray._kernels import pointers
from devarray.cl import clmath
from devarray.cuda import cumath, gpuarray

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    "call",
    [
        lambda x: clmath.frexp(3),
        lambda x: clmath.ldexp(x, [1, 2]),
        lambda x: clmath.logb((1, 2)),
        lambda x: clmath.nan(None),
        lambda x: cumath.frexp([1.0]),
        lambda x: cumath.ldexp(x, 2),
        lambda x: gpuarray.take([1, 2], x),
        lambda x: gpuarray.sum(2.5),
        lambda x: gpuarray.dot(x, "text"),
        lambda x: gpuarray.vdot(1, x),
        lambda x: gpuarray.if_positive(1, x, x),
    ],
)
def test_what_is_no_array(call: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match=r"takes device arrays, not (int|list|tuple|NoneType|float|str)"):
        call(da.asarray([1.0, 2.0]))


@pytest.mark.parametrize("given", [3, None, [object()], 2.5])
def test_what_is_no_list_of_arguments(given: Any) -> None:
    with pytest.raises(TypeError, match="arguments are one text such as"):
        pointers.arguments_of(given)


@pytest.mark.parametrize(
    ("parameter", "match"), [("slice", "slice is a Python slice, not int"), ("range", "range is a Python range")]
)
def test_what_is_no_range(parameter: str, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        pointers.range_of(3, **{"range": None, "slice": None, parameter: 3})


def test_parameters_and_names_are_text() -> None:
    with pytest.raises(TypeError, match="parameters are a text"):
        da.ElementwiseKernel(2, "T y", "y = 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="True is no identifier"):
        da.ElementwiseKernel("T x", "T y", "y = x", True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="True is no identifier"):
        da.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", True)  # type: ignore[arg-type]


def test_casting_of_a_function_that_is_no_ufunc() -> None:
    x = da.asarray([0.5, 2.0])
    with pytest.raises(ValueError, match="casting must be one of"):
        da.i0(x, casting="no such")
    assert da.i0(x, casting="unsafe").copy_to_host().tolist() == da.i0(x).copy_to_host().tolist()


def test_pyopencls_array_functions(device: da.Device) -> None:
    if device.driver != "opencl":
        pytest.skip("not an OpenCL device")
    x = cl_array.to_device(da.queue(), np.arange(6.0))
    for call in (
        lambda: cl_array.subset_max([1, 2], x),
        lambda: cl_array.take((1, 2), x),
        lambda: cl_array.sum(3),
        lambda: cl_array.concatenate([x, "text"]),
        lambda: cl_array.multi_put([x], x, out=["text"]),
    ):
        with pytest.raises(TypeError, match=r"takes device arrays, not (list|tuple|int|str)"):
            call()
    with pytest.raises(TypeError, match="get_async: ary is a NumPy array, not int"):
        x.get_async(ary=3)
    with pytest.raises(TypeError, match="wait_for is a sequence of events; int is none"):
        x.map_to_host(wait_for=(0,))
    with pytest.raises(TypeError, match="max_version is a pair"):
        x.__dlpack__(max_version={})
