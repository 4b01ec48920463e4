"""Loading the driver: where there is none, where it cannot be used, and that importing loads nothing."""

import os
import shutil
import sys

import pytest

NONE = """
import pytest
from devarray import _core, errors
_core.cuda._use_library("/nowhere/libcuda.so.1")
import devarray.cuda as cuda
"""


def test_importing_opens_no_driver(script):
    code = """
import devarray, devarray.cuda
mapped = open("/proc/self/maps").read()
print("libcuda" in mapped, "libnvrtc" in mapped)
"""
    assert script(code).split() == ["False", "False"]


def test_missing_driver_names_the_remedy(script):
    script(
        NONE
        + """
for use in (cuda.devices, cuda.init, lambda: cuda.mem_alloc(4), lambda: cuda.Device(0), cuda.get_driver_version):
    with pytest.raises(errors.MissingDriverError, match="no CUDA driver found.*\\\\[cpu\\\\]"):
        use()
assert cuda.get_version() >= (12, 0, 0)
"""
    )


def test_a_library_that_is_no_driver_is_refused(script):
    script(
        """
import ctypes.util, pytest
from devarray import _core, errors
_core.cuda._use_library(ctypes.util.find_library("m"))
with pytest.raises(errors.MissingDriverError, match="is not a CUDA driver"):
    _core.cuda.devices()
"""
    )


def test_unusable_driver_tells_its_reason(with_fake_driver):
    with_fake_driver(
        """
with pytest.raises(errors.MissingDriverError, match=r"cuInit failed with CUDA_ERROR_NO_DEVICE \\(100\\).*nvidia-smi"):
    cuda.devices()
""",
        FAKE_CUDA_FAIL="cuInit=100",
    )


def test_missing_entry_point_is_named(with_fake_driver):
    with_fake_driver(
        """
cuda.Device(0).make_context()
with pytest.raises(errors.MissingDriverError, match=r"\\(CUDA 13.0\\) has no cuCtxSetLimit"):
    cuda.Context.set_limit(cuda.limit.STACK_SIZE, 4096)
"""
    )


def test_library_is_chosen_before_the_first_use(with_fake_driver):
    with_fake_driver(
        """
cuda.init()
with pytest.raises(errors.ValueError, match="loaded already"):
    _core.cuda._use_library("libother.so")
"""
    )


def test_a_cuda_device_is_found_without_opencl(with_fake_driver):
    with_fake_driver(
        """
import devarray as da
assert da.device("cuda:1").name == "Fake 1"
assert da.device("gpu") is da.device("fake") is da.default_device() is da.device("cuda")
assert not any(name in open("/proc/self/maps").read().lower() for name in ("intelocl", "opencl", "pocl"))
assert da.devices()[0] is da.device("cuda")
with pytest.raises(errors.DeviceError, match="no device answers to 'cuda:7'; there are cuda:0 .Fake 0., cuda:1"):
    da.device("cuda:7")
""",
        DEVARRAY_DEVICE="",
    )


def test_an_opencl_device_is_found_without_cuda(with_fake_driver, device):
    if device.driver != "opencl":
        pytest.skip("no OpenCL device")
    with_fake_driver(
        """
import devarray as da
assert da.device("opencl").driver == "opencl"
""",
        FAKE_CUDA_ABORT="cuInit",
    )


@pytest.mark.parametrize("beside", [True, False])
def test_the_compilers_builtins_beside_it_are_found(script, build, fake_compiler, beside, tmp_path):
    folder = tmp_path / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    shutil.copy(os.path.join(fake_compiler, "nvidia", "cu13", "lib", "libnvrtc.so.13"), folder)
    if beside:
        name = "libnvrtc-builtins.so.13.77"
        build("fake_nvrtc.c", folder / name, f"-Wl,-soname,{name}")
    code = """
import devarray.cuda as cuda
from devarray import errors
from devarray.cuda import libraries
libraries._by_pathfinder = lambda name: ()  # which finds the machine's own
try:
    print(cuda.nvrtc_compile('extern "C" __global__ void nothing() {}', "sm_90")[:8])
except errors.CompileError as error:
    print(error)
"""
    path = os.pathsep.join([str(tmp_path), *(p or "." for p in sys.path)])
    told = script(code, PYTHONPATH=path, FAKE_NVRTC="builtins", DEVARRAY_CACHE_DIR="")
    assert told.startswith("b'an image'" if beside else "a CUDA kernel does not compile")
