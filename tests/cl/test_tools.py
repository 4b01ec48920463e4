"""devarray.cl.tools and devarray.cl.characterize, with PyOpenCL as the oracle."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import devarray as da
from devarray import cl
from devarray.cl import characterize, tools


def test_results_are_remembered_by_object_and_arguments(ctx, engine):
    def program(ctx, name, size=1):
        calls.append((name, size))
        return cl.Program(ctx, f"kernel void {name}(global int* a) {{ a[0] = {size}; }}")

    calls = []
    remembered = tools.first_arg_dependent_memoize(program)
    first = remembered(ctx, "f")
    assert remembered(cl.Context.from_int_ptr(ctx.int_ptr), "f") is first  # equal by the driver's handle
    assert remembered(ctx, "f", size=2) is not first and remembered(ctx, "g") is not first
    assert remembered(cl.Context([engine.cl_device]), "f") is not first
    assert calls == [("f", 1), ("f", 2), ("g", 1), ("f", 1)]
    tools.clear_first_arg_caches()
    assert remembered(ctx, "f") is not first and len(calls) == 5
    assert remembered.__name__ == "program"


def test_arguments_declare_themselves():
    theirs = pytest.importorskip("pyopencl.tools")
    for dtype in ("int8", "uint16", "int32", "uint64", "float32", "float64"):
        assert tools.dtype_to_ctype(dtype) == theirs.dtype_to_ctype(np.dtype(dtype))
        for kind, more in (("ScalarArg", ()), ("VectorArg", ()), ("VectorArg", (True,))):
            ours, other = (getattr(module, kind)(dtype, "x", *more) for module in (tools, theirs))
            assert ours.declarator() == other.declarator()
            assert (ours.dtype, ours.name) == (other.dtype, other.name)
            assert ours == getattr(tools, kind)(np.dtype(dtype), "x", *more) and hash(ours)
    assert tools.VectorArg("f4", "x").with_offset is False
    assert issubclass(tools.VectorArg, tools.DtypedArgument) and issubclass(tools.ScalarArg, tools.DtypedArgument)
    with pytest.raises(ValueError, match="register_dtype"):
        tools.dtype_to_ctype("U3")


def test_declared_arguments_compile(ctx):
    arguments = [tools.VectorArg("int32", "x", with_offset=True), tools.ScalarArg("int32", "n")]
    header = ", ".join(argument.declarator() for argument in arguments)
    body = "((global int*)((global char*)x__base + x__offset))[get_global_id(0)] = n;"
    kernel = cl.Program(ctx, f"kernel void f({header}) {{ {body} }}").build().f
    q = cl.CommandQueue(ctx)
    memory = cl.Buffer(ctx, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.zeros(8, np.int32))
    kernel(q, (4,), None, memory, np.int64(12), np.int32(9))
    result = np.empty(8, np.int32)
    cl.enqueue_copy(q, result, memory)
    assert result.tolist() == [0, 0, 0, 9, 9, 9, 9, 0]


def test_registered_dtypes_have_names():
    pair = np.dtype([("a", np.int32), ("b", np.float32)])
    assert tools.get_or_register_dtype(["test_pair", "test_pair_t"], pair) == pair
    assert tools.dtype_to_ctype(pair) == "test_pair"
    assert tools.get_or_register_dtype("test_pair_t") == pair
    with pytest.raises(ValueError, match="registered as"):
        tools.get_or_register_dtype("test_pair", np.dtype("i4"))
    with pytest.raises(ValueError, match="no dtype is registered"):
        tools.get_or_register_dtype("test_nothing")
    assert [tools.bitlog2(n) for n in (1, 2, 3, 1000)] == [0, 1, 1, 9]


def test_results_of_nested_functions_are_remembered(ctx, engine):
    calls = []

    def around(ctx, size):
        @tools.first_arg_dependent_memoize_nested
        def nested(ctx, size):
            calls.append(size)
            return object()

        return nested(ctx, size)

    first = around(ctx, 1)
    assert around(ctx, 1) is first and around(ctx, 2) is not first
    assert around(cl.Context([engine.cl_device]), 1) is not first and calls == [1, 2, 1]
    tools.clear_first_arg_caches()
    assert around(ctx, 1) is not first and len(calls) == 4


def test_what_spirv_is():
    theirs = pytest.importorskip("pyopencl.tools")
    for source in ("kernel void f() {}", b"kernel", b"\x03\x02\x23\x07....", b"\x07\x23\x02\x03....", b""):
        assert tools.is_spirv(source) is theirs.is_spirv(source)


def test_properties_of_a_context_that_shares_with_opengl(monkeypatch):
    """With a stand-in for PyOpenGL, which needs a display."""
    calls = {"glXGetCurrentContext": lambda: 12, "glXGetCurrentDisplay": lambda: 34}
    monkeypatch.setitem(sys.modules, "OpenGL", SimpleNamespace(GLX=SimpleNamespace(**calls)))
    assert tools.get_gl_sharing_context_properties() == [(0x2008, 12), (0x200A, 34)]  # cl_gl.h
    assert cl.have_gl() is False and not hasattr(cl, "GLBuffer")


def test_debugging_is_asked_of_the_platform(monkeypatch, ctx, engine):
    monkeypatch.delenv("CPU_MAX_COMPUTE_UNITS", raising=False)
    for given in (ctx, engine.cl_device.platform):
        with pytest.warns(UserWarning, match=re.escape(engine.cl_device.platform.name)):
            cl.enable_debugging(given)
    assert "CPU_MAX_COMPUTE_UNITS" not in os.environ
    with pytest.raises(da.DTypeError, match="platform_or_context"):
        cl.enable_debugging(None)


def parametrised(*names):
    """What pytest_generate_tests_for_pyopencl makes of a test that takes these."""
    calls = []
    metafunc = SimpleNamespace(fixturenames=list(names), parametrize=lambda *a, **k: calls.append((*a, k)))
    tools.pytest_generate_tests_for_pyopencl(metafunc)
    return calls


def test_every_device_and_platform_is_tested(monkeypatch):
    monkeypatch.delenv("PYOPENCL_TEST", raising=False)
    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    assert parametrised("something") == []
    ((names, rows, more),) = parametrised("ctx_factory", "other")
    assert names == ["ctx_factory"] and len(rows) == len(more["ids"]) == len(devices)
    assert [factory().devices[0] for (factory,) in rows] == devices
    ((_, rows, _),) = parametrised("device")
    assert [device for (device,) in rows] == devices
    ((_, rows, _),) = parametrised("platform")
    assert [platform for (platform,) in rows] == cl.get_platforms()
    ((names, rows, _),) = parametrised("platform", "device")
    assert names == ["platform", "device"] and all(device.platform == platform for platform, device in rows)
    with pytest.raises(RuntimeError, match="not both"):
        parametrised("device", "ctx_factory")
    with pytest.warns(DeprecationWarning, match="ctx_factory"):
        ((names, rows, _),) = parametrised("ctx_getter")
    assert names == ["ctx_getter"] and [factory().devices[0] for (factory,) in rows] == devices


def test_a_module_generates_its_own_tests(monkeypatch):
    monkeypatch.delenv("PYOPENCL_TEST", raising=False)
    metafunc = SimpleNamespace(fixturenames=["size", "device", "platform", "ctx_factory"])
    names = tools.get_pyopencl_fixture_arg_names(metafunc, extra_arg_names=["size", "order"])
    assert names == ["platform", "device", "ctx_factory", "size"]
    values, idfn = tools.get_pyopencl_fixture_arg_values()
    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    assert [value["device"] for value in values] == devices
    assert all(value["platform"] == value["device"].platform for value in values)
    assert idfn(values[0]["platform"]) == values[0]["platform"].name and idfn(3) == "3"


def test_the_environment_chooses_devices(monkeypatch, engine):
    platform, device = engine.cl_device.platform, engine.cl_device
    number = cl.get_platforms().index(platform)
    devices = platform.get_devices()
    place, every = devices.index(device), [(d,) for d in devices]
    for text, chosen in {
        f"{number}:{place}": [(device,)],
        platform.name: every,
        f"{platform.name.upper()}={place}": [(device,)],
        f"{number}:{device.name}": [(d,) for d in devices if device.name in d.name],
        f"{number};{number}:{place}": [*every, (device,)],
    }.items():
        monkeypatch.setenv("PYOPENCL_TEST", text)
        ((_, rows, _),) = parametrised("device")
        assert rows == chosen, text
    monkeypatch.setenv("PYOPENCL_TEST", "nonesuch:0")
    with pytest.raises(ValueError, match="no platform matches 'nonesuch'"):
        parametrised("device")


def test_a_test_module_in_pytest(tmp_path):
    (tmp_path / "test_sample.py").write_text(
        "from devarray.cl.tools import pytest_generate_tests_for_pyopencl as pytest_generate_tests\n"
        "def test_it(ctx_factory):\n"
        "    assert len(ctx_factory().devices) == 1\n"
    )
    command = [
        sys.executable,
        "-P",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        tmp_path,
    ]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
    env.pop("PYOPENCL_TEST", None)
    result = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    count = sum(len(platform.get_devices()) for platform in cl.get_platforms())
    assert f"{count} passed" in result.stdout, result.stdout + result.stderr


def test_pools_of_the_page_with_arrays(engine, ctx):
    """PyOpenCL's own example: arrays out of a pool."""
    queue = cl.CommandQueue(ctx)
    mem_pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    assert isinstance(tools.ImmediateAllocator(queue), tools.AllocatorBase)
    a_dev = da.arange(2000, dtype=np.float32, queue=queue, allocator=mem_pool)
    b_dev = a_dev * 2 + 1
    np.testing.assert_array_equal(b_dev.copy_to_host(), np.arange(2000, dtype=np.float32) * 2 + 1)
    assert mem_pool.active_blocks >= 2 and isinstance(b_dev.base_data, cl.Buffer)
    assert mem_pool.managed_bytes >= mem_pool.active_bytes >= 16000
    del a_dev, b_dev
    queue.finish()
    assert mem_pool.active_blocks == 0 and mem_pool.held_blocks >= 2
    mem_pool.stop_holding()
    assert mem_pool.held_blocks == 0
    if "svm_coarse" in engine.memory_kinds:
        svm_pool = tools.SVMPool(tools.SVMAllocator(ctx, queue=queue))
        c_dev = da.arange(2000, dtype=np.float32, queue=queue, allocator=svm_pool)
        assert isinstance((c_dev + 1).base_data, cl.SVMPointer)
        del c_dev
        svm_pool.free_held()
        svm_pool.stop_holding()
        assert svm_pool.held_blocks == svm_pool.active_blocks == 0


def test_characteristics_are_pyopencls(engine, ctx):
    pyopencl = pytest.importorskip("pyopencl")
    theirs = pytest.importorskip("pyopencl.characterize")
    device, other = engine.cl_device, pyopencl.Context.from_int_ptr(ctx.int_ptr).devices[0]
    assert characterize.get_fast_inaccurate_build_options(device) == theirs.get_fast_inaccurate_build_options(other)
    assert [characterize.get_simd_group_size(device, n) for n in (1, 4, 16)] == [
        theirs.get_simd_group_size(other, n) for n in (1, 4, 16)
    ]
    assert characterize.has_struct_arg_count_bug(device, ctx) == theirs.has_struct_arg_count_bug(other)
    assert characterize.nv_compute_capability(device) == theirs.nv_compute_capability(other)
    if device.type & cl.device_type.CPU:
        assert characterize.simultaneous_work_items_on_local_access(device) == 1
    for name in ("double_support", "coarse_grain_buffer_svm", "fine_grain_buffer_svm", "fine_grain_system_svm",
                 "fine_grain_buffer_svm_atomics"):  # fmt: skip
        assert getattr(characterize, f"has_{name}")(device) == bool(getattr(theirs, f"has_{name}")(other)), name
    assert characterize.reasonable_work_group_size_multiple(device, ctx) >= 1


def test_fast_options_build(engine, ctx):
    options = characterize.get_fast_inaccurate_build_options(engine.cl_device)
    kernel = cl.Program(ctx, "kernel void f(global float* a) { *a = sin(*a); }").build(options).f
    assert kernel.num_args == 1


def test_a_gpu_that_nobody_knows_is_guessed(monkeypatch):
    for name, function in list(vars(characterize).items()):  # whose first look is at the class
        if hasattr(function, "__wrapped__"):
            monkeypatch.setattr(characterize, name, function.__wrapped__)
    strange = SimpleNamespace(
        type=cl.device_type.GPU, vendor="Somebody", platform=SimpleNamespace(vendor="Somebody", name="Their OpenCL")
    )
    assert characterize.get_simd_group_size(strange, 4) is None
    assert characterize.nv_compute_capability(strange) is None
    assert characterize.has_struct_arg_count_bug(strange) is False
    with pytest.warns(characterize.CLCharacterizationWarning, match="guessing"):
        assert characterize.simultaneous_work_items_on_local_access(strange) == 16
    nvidia = SimpleNamespace(type=cl.device_type.GPU, warp_size_nv=32, compute_capability_major_nv=9,
                             compute_capability_minor_nv=0)  # fmt: skip
    assert characterize.get_simd_group_size(nvidia, 4) == 32
    assert characterize.simultaneous_work_items_on_local_access(nvidia) == 32
    assert characterize.nv_compute_capability(nvidia) == (9, 0)
