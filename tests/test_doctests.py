"""The examples in the docstrings of every public module run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import Any

import pytest

import devarray as da

SKIPPED = ("devarray.cuda", "devarray.codegen", "devarray.__main__")
"""CUDA's own examples run in tests/cuda/test_cuda_examples.py; the others have no examples for users."""


NEEDS = {
    "devarray._routines.mapped_memory.mapped_array": {"pinned", "svm_fine"},
    "devarray.alloc.CudaAsyncMemoryResource": {"device"},
    "devarray.alloc.CudaAsyncMemoryResource.reset_peaks": {"device"},
    "devarray.alloc.CudaVirtualMemoryResource": {"device"},
    "devarray._alloc.pyopencl.SVMAllocator": {"svm_coarse"},
    "devarray._alloc.pyopencl.SVMPool": {"svm_coarse"},
    "devarray._alloc.pyopencl.SVMPool.__call__": {"svm_coarse"},
}
"""Examples of what not every device has, and the memory kinds of which it must have one."""


def _modules() -> list[str]:
    found = [
        module.name
        for module in pkgutil.walk_packages(da.__path__, "devarray.")
        if not module.name.startswith("devarray._core")
    ]
    return ["devarray", *(name for name in found if not name.startswith(SKIPPED))]


@pytest.mark.parametrize("name", _modules())
@pytest.mark.usefixtures("deferred")
@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")
def test_examples_run(name: str, device: da.Device) -> None:
    if name.startswith("devarray.dask"):
        for package in ("distributed", "zarr"):  # of the extra "dask"
            pytest.importorskip(package)
    if name == "devarray._alloc.other_libraries":
        if device.driver != "cuda":
            pytest.skip("memory of CUDA for CuPy and PyTorch")
        for package in ("cupy", "torch"):
            pytest.importorskip(package)
    if name.startswith("devarray.cl") and device.driver != "opencl":
        pytest.skip("examples of OpenCL's names, on a queue of OpenCL")
    if name == "devarray.cl.ipython_ext":
        pytest.importorskip("IPython")
    module = importlib.import_module(name)
    known: dict[str, Any] = {"device": device, "queue": device.default_queue, "da": da, "alloc": da.alloc}
    known |= {part: getattr(da.alloc, part) for part in da.alloc.__all__}
    known["__name__"] = "example"  # a program's, as users write them, and none of the library's modules
    parser, runner = doctest.DocTestFinder(exclude_empty=True), doctest.DocTestRunner(verbose=False)
    report: list[str] = []
    for test in parser.find(module, name, module=module, extraglobs=known):
        if NEEDS.get(test.name, set(device.memory_kinds)) & set(device.memory_kinds):
            runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_every_public_function_has_an_example() -> None:
    without = [
        name
        for name in da.__all__
        if callable(getattr(da, name)) and not isinstance(getattr(da, name), type)
        and (not getattr(da, name).__doc__ or ">>>" not in getattr(da, name).__doc__)
        and name not in ("stats", "reset_stats")
    ]  # fmt: skip
    assert not without
