"""The driver's linker and pycuda.compiler's modules of several parts: on the stand-in driver, and on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.cuda import libraries


def test_a_linker_makes_one_module(with_fake_driver: Callable[..., str]) -> None:
    printed = with_fake_driver("""
context = cuda.Device(0).make_context()
said = []
linker = cuda.Linker(lambda *words: said.append(words), [(cuda.jit_option.MAX_REGISTERS, 32)], True)
linker.add_data(b"one", cuda.jit_input_type.CUBIN, "one.cubin")
linker.add_data("two", cuda.jit_input_type.PTX)
linker.add_file(__import__("sys").executable, cuda.jit_input_type.LIBRARY)
module = linker.link_module()
print(isinstance(module, cuda.Module), said[-1][0], said[-1][1])
for call in (linker.link_module, lambda: linker.add_data(b"x", 0), lambda: linker.add_file("x", 0)):
    with pytest.raises(errors.ValueError, match="take a new one"):
        call()
context.pop()
""")
    assert printed == "True True added\n"


def test_what_a_linker_refuses(with_fake_driver: Callable[..., str]) -> None:
    with_fake_driver("""
context = cuda.Device(0).make_context()
said = []
linker = cuda.Linker(lambda *words: said.append(words))
with pytest.raises(errors.DriverError, match="kernel.ptx: undefined symbol"):
    linker.add_data(b"bad", cuda.jit_input_type.PTX, "kernel.ptx")
assert said == [(False, "", "undefined symbol")]
with pytest.raises(errors.DriverError, match="/no/such/file"):
    cuda.Linker().add_file("/no/such/file", cuda.jit_input_type.LIBRARY)
with pytest.raises(errors.ValueError, match="is empty"):
    cuda.Linker().add_data(b"", cuda.jit_input_type.CUBIN)
with pytest.raises(errors.DriverError):
    cuda.Linker().link_module()
with pytest.raises(errors.ValueError, match="is a pair"):
    cuda.Linker(None, [(1, 2, 3)])
with pytest.raises(TypeError):
    cuda.Linker().add_data(5, cuda.jit_input_type.CUBIN)
context.pop()
with pytest.raises(cuda.LogicError, match="no context is current"):
    cuda.Linker()
""")


def test_modules_of_parts_take_calls_in_a_row(with_fake_driver: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "libone.a").write_bytes(b"!<arch>")
    with_fake_driver(f"""
from devarray.cuda.compiler import DynamicModule
context = cuda.Device(0).make_context()
parts = DynamicModule(include_dirs=None, cuda_libdir={str(tmp_path)!r})
kind = cuda.jit_input_type
assert parts.add_data(b"one", kind.CUBIN).add_file(sys.executable, kind.OBJECT).add_stdlib("one") is parts
assert parts.link() is parts and isinstance(parts.module, cuda.Module)
context.pop()
""")


def test_a_static_library_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lib64"
    folder.mkdir()
    (folder / "libcudadevrt.a").touch()
    assert libraries.static_library("cudadevrt", str(folder)) == str(folder / "libcudadevrt.a")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setattr(libraries, "_static_by_pathfinder", lambda name: ())  # as where it is not installed
    assert libraries.static_library("cudadevrt") == str(folder / "libcudadevrt.a")
    with pytest.raises(da.MissingDriverError, match=f"no libnothing.a in {tmp_path}: install .* or give cuda_libdir"):
        libraries.static_library("nothing", str(tmp_path))


def test_nvidias_search_finds_the_static_library() -> None:
    pathfinder = pytest.importorskip("cuda.pathfinder")
    try:
        found = pathfinder.find_static_lib("cudadevrt")
    except (AttributeError, RuntimeError) as error:
        pytest.skip(f"it finds none: {error}")
    assert libraries.static_library("cudadevrt") == found


OUTER = """
__global__ void inner(int *x);
__global__ void outer(int *x) { inner<<<1, 4>>>(x); }
"""
INNER = "__global__ void inner(int *x) { x[threadIdx.x] = 2 * threadIdx.x; }"


@pytest.mark.usefixtures("context")
def test_a_kernel_launches_another_of_another_source() -> None:
    import devarray.cuda as cuda
    from devarray.cuda.compiler import DynamicModule

    said: list[Any] = []
    module = DynamicModule(message_handler=lambda *words: said.append(words))
    for source in (OUTER, INNER):
        module.add_source(source, nvcc_options=["-rdc=true", "-lcudadevrt"])
    module.add_stdlib("cudadevrt")
    module.link()
    assert said[-1][0] is True
    numbers = np.zeros(4, np.int32)
    module.get_function("outer")(cuda.InOut(numbers), block=(1, 1, 1))
    assert numbers.tolist() == [0, 2, 4, 6]


@pytest.mark.usefixtures("context")
def test_a_symbol_that_is_missing_is_named() -> None:
    import devarray.cuda as cuda
    from devarray.cuda.compiler import DynamicModule

    module = DynamicModule()
    module.add_source("__device__ int elsewhere(int); __global__ void f(int *x) { *x = elsewhere(*x); }")
    with pytest.raises(cuda.Error, match="elsewhere"):
        module.link()
