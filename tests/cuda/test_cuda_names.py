"""The names of PyCUDA's driver page, and the values of the constants."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import devarray.cuda as cuda
import devarray.cuda.compiler as compiler
from devarray import errors

ROOT = Path(__file__).resolve().parents[2]

CONSTANTS = {
    "ctx_flags": ("CU_CTX_", "SCHED_AUTO SCHED_SPIN SCHED_YIELD SCHED_MASK SCHED_BLOCKING_SYNC MAP_HOST "
                  "LMEM_RESIZE_TO_MAX FLAGS_MASK"),
    "event_flags": ("CU_EVENT_", "DEFAULT BLOCKING_SYNC DISABLE_TIMING INTERPROCESS"),
    "stream_flags": ("CU_STREAM_", "DEFAULT NON_BLOCKING"),
    "device_attribute": ("CU_DEVICE_ATTRIBUTE_", "MAX_THREADS_PER_BLOCK CLOCK_RATE GPU_OVERLAP WARP_SIZE "
                         "SHARED_MEMORY_PER_BLOCK REGISTERS_PER_BLOCK MAXIMUM_TEXTURE2D_ARRAY_NUMSLICES TCC_DRIVER "
                         "MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH MULTI_GPU_BOARD_GROUP_ID MANAGED_MEMORY"),
    "pointer_attribute": ("CU_POINTER_ATTRIBUTE_", "CONTEXT MEMORY_TYPE DEVICE_POINTER HOST_POINTER"),
    "function_attribute": ("CU_FUNC_ATTRIBUTE_", "MAX_THREADS_PER_BLOCK SHARED_SIZE_BYTES CONST_SIZE_BYTES "
                           "LOCAL_SIZE_BYTES NUM_REGS PTX_VERSION BINARY_VERSION MAX"),
    "func_cache": ("CU_FUNC_CACHE_", "PREFER_NONE PREFER_SHARED PREFER_L1 PREFER_EQUAL"),
    "shared_config": ("CU_SHARED_MEM_CONFIG_", "DEFAULT_BANK_SIZE FOUR_BYTE_BANK_SIZE EIGHT_BYTE_BANK_SIZE"),
    "array_format": ("CU_AD_FORMAT_", "UNSIGNED_INT8 UNSIGNED_INT16 UNSIGNED_INT32 SIGNED_INT8 SIGNED_INT16 "
                     "SIGNED_INT32 HALF FLOAT"),
    "array3d_flags": ("CUDA_ARRAY3D_", "2DARRAY LAYERED SURFACE_LDST CUBEMAP TEXTURE_GATHER ARRAY3D_2DARRAY "
                      "ARRAY3D_LAYERED"),
    "array_cubemap_face": ("CU_CUBEMAP_FACE_", "POSITIVE_X NEGATIVE_X POSITIVE_Y NEGATIVE_Y POSITIVE_Z NEGATIVE_Z"),
    "address_mode": ("CU_TR_ADDRESS_MODE_", "WRAP CLAMP MIRROR BORDER"),
    "filter_mode": ("CU_TR_FILTER_MODE_", "POINT LINEAR"),
    "memory_type": ("CU_MEMORYTYPE_", "HOST DEVICE ARRAY"),
    "compute_mode": ("CU_COMPUTEMODE_", "DEFAULT PROHIBITED EXCLUSIVE_PROCESS"),
    "jit_option": ("CU_JIT_", "MAX_REGISTERS THREADS_PER_BLOCK WALL_TIME INFO_LOG_BUFFER INFO_LOG_BUFFER_SIZE_BYTES "
                   "ERROR_LOG_BUFFER ERROR_LOG_BUFFER_SIZE_BYTES OPTIMIZATION_LEVEL TARGET_FROM_CUCONTEXT TARGET "
                   "FALLBACK_STRATEGY"),
    "jit_target": ("CU_TARGET_", "COMPUTE_10 COMPUTE_11 COMPUTE_12 COMPUTE_13 COMPUTE_20 COMPUTE_21 COMPUTE_90 "
                   "COMPUTE_90A"),
    "jit_fallback": ("CU_", "PREFER_PTX PREFER_BINARY"),
    "host_alloc_flags": ("CU_MEMHOSTALLOC_", "PORTABLE DEVICEMAP WRITECOMBINED"),
    "mem_attach_flags": ("CU_MEM_ATTACH_", "GLOBAL HOST SINGLE"),
    "mem_host_register_flags": ("CU_MEMHOSTREGISTER_", "PORTABLE DEVICEMAP"),
    "mem_advise": ("CU_MEM_ADVISE_", "SET_READ_MOSTLY SET_PREFERRED_LOCATION SET_ACCESSED_BY"),
    "limit": ("CU_LIMIT_", "STACK_SIZE PRINTF_FIFO_SIZE MALLOC_HEAP_SIZE"),
    "ipc_mem_flags": ("CU_IPC_MEM_", "LAZY_ENABLE_PEER_ACCESS"),
    "stream_capture_mode": ("CU_STREAM_CAPTURE_MODE_", "GLOBAL THREAD_LOCAL RELAXED"),
}  # fmt: skip


def test_names_signatures_tests_and_page():
    """Those of tests/cuda/names.txt, and that docs/cuda.md is current."""
    command = [sys.executable, "-P", ROOT / "tools" / "make_driver_docs.py", "--check", "cuda"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert result.returncode == 0, result.stderr


def test_versions():
    assert cuda.get_version() >= (12, 0, 0) and cuda.VERSION >= (2026, 1)
    assert f"{cuda.VERSION[0]}." in cuda.VERSION_TEXT and cuda.VERSION_STATUS == ""


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_exist(name):
    members = getattr(cuda, name).__members__
    assert [member for member in CONSTANTS[name][1].split() if member not in members] == []


def test_profiler_modes_and_texture_flags():
    assert (cuda.profiler_output_mode.KEY_VALUE_PAIR, cuda.profiler_output_mode.CSV) == (0, 1)
    assert (cuda.TRSA_OVERRIDE_FORMAT, cuda.TRSF_READ_AS_INTEGER, cuda.TRSF_NORMALIZED_COORDINATES) == (1, 1, 2)
    assert cuda.TR_DEFAULT == -1


def test_compiler_names():
    assert isinstance(compiler.DEFAULT_NVCC_FLAGS, list)
    for member in ("get_function", "get_global", "get_texref", "get_surfref"):
        assert hasattr(compiler.SourceModule, member)


def test_errors_are_of_one_family():
    for error in (cuda.CompileError, cuda.MemoryError, cuda.LogicError, cuda.LaunchError, cuda.RuntimeError):
        assert issubclass(error, cuda.Error)
        assert issubclass(error, errors.Error)
    assert issubclass(cuda.LogicError, errors.DriverError)
    assert issubclass(cuda.MemoryError, MemoryError)


def cuda_header():
    folders = [Path(p or ".") / "nvidia" for p in sys.path]
    found = [f for folder in folders if folder.is_dir() for f in folder.glob("*/include/cuda.h")]
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include" / "cuda.h"
    return found[0] if found else toolkit if toolkit.is_file() else None


@pytest.fixture(scope="module")
def header_values(tmp_path_factory):
    """Name to value of every constant that the table above has and cuda.h knows, by compiling them."""
    header = cuda_header()
    if header is None:
        pytest.skip("no cuda.h on this machine")
    text = header.read_text(encoding="utf-8", errors="replace")
    names = [
        prefix + member
        for name, (prefix, _) in CONSTANTS.items()
        for member in getattr(cuda, name).__members__
        if re.search(rf"\b{prefix}{member}\b", text)
    ]
    folder = tmp_path_factory.mktemp("header")
    lines = "".join(f'printf("%s %lld\\n", "{n}", (long long){n});' for n in dict.fromkeys(names))
    (folder / "values.c").write_text(f"#include <cuda.h>\n#include <stdio.h>\nint main(void) {{ {lines} return 0; }}\n")
    command = ["cc", "-DCUDA_ENABLE_DEPRECATED", f"-I{header.parent}", "values.c", "-o", "values"]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("no C compiler")
    output = subprocess.run([folder / "values"], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: int(line.split()[1]) for line in output.splitlines()}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_have_the_header_values(name, header_values):
    prefix = CONSTANTS[name][0]
    ours = {prefix + member: int(value) for member, value in getattr(cuda, name).__members__.items()}
    common = {n for n in ours.keys() & header_values.keys() if not n.endswith("_MAX")}  # it grows with every CUDA
    assert common or name == "jit_target"
    assert {n: ours[n] for n in common} == {n: header_values[n] for n in common}
