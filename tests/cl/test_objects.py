"""Platforms, devices, contexts, queues, events, programs and kernels under PyOpenCL's names."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest

from devarray import cl, errors

TWICE = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }"


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


def device_array(ctx, values):
    return cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)


def fetched(q, buf, like):
    result = np.empty_like(like)
    cl.enqueue_copy(q, result, buf)
    return result


def test_no_platform_is_listed_twice():
    platforms = cl.get_platforms()
    assert len({(p.name, p.version) for p in platforms}) == len(platforms) > 0
    assert len(set(platforms)) == len(platforms)


def test_import_opens_no_driver():
    code = "import devarray.cl; print('ocl' in open('/proc/self/maps').read())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_without_a_runtime_the_error_says_what_to_install():
    code = (
        "from devarray import _core, cl\n"
        "import devarray.cl._runtimes as r\n"
        "r.find = lambda: [('/no/libother.so', [], 'a test')]\n"
        "assert cl.devices() == []\n"
        "try: cl.get_platforms()\n"
        "except ImportError as e: print(type(e).__name__, e)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("MissingDriverError")
    assert "[cpu]'" in result.stdout and "[pocl]'" in result.stdout, "named by where it was installed from"
    assert "/no/libother.so (a test)" in result.stdout


def test_info_attributes_and_get_info_agree(engine, ctx):
    device = engine.cl_device
    assert device.max_work_group_size == device.get_info(cl.device_info.MAX_WORK_GROUP_SIZE)
    assert device.name == engine.name
    assert device.type in (cl.device_type.CPU, cl.device_type.GPU)
    assert device.platform in cl.get_platforms()
    assert len(device.max_work_item_sizes) == device.max_work_item_dimensions
    assert isinstance(device.image_support, bool)
    assert ctx.devices == [device] and ctx.num_devices == 1
    with pytest.raises(cl.LogicError, match="999"):
        device.get_info(999)


def test_identity_is_that_of_the_handle(ctx):
    other = cl.Context.from_int_ptr(ctx.int_ptr)
    assert other == ctx and hash(other) == hash(ctx) and other is not ctx
    assert ctx != cl.Context(ctx.devices)
    queue = cl.CommandQueue(ctx)
    assert cl.CommandQueue.from_int_ptr(queue.int_ptr) == queue
    assert queue.context == ctx and queue.device == ctx.devices[0]


def test_context_by_type_and_by_property(engine):
    platform = engine.cl_device.platform
    ctx = cl.Context(dev_type=cl.device_type.ALL, properties=[(cl.context_properties.PLATFORM, platform)])
    assert set(ctx.devices) == set(platform.get_devices())
    with pytest.raises(errors.ValueError, match="at least one device"):
        cl.Context([])


def test_create_some_context_takes_numbers_and_names(engine):
    platform = engine.cl_device.platform
    ctx = cl.create_some_context(answers=[platform.name, "0"])
    assert ctx.devices == [platform.get_devices()[0]]
    with pytest.raises(ValueError, match="no platform matches 'nonesuch'"):
        cl.create_some_context(answers=["nonesuch"])
    with pytest.raises(ValueError, match="not all answers"):
        cl.create_some_context(answers=[platform.name, "0", "more"])


def test_profiling_queue_gives_times(ctx):
    q = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = cl.Program(ctx, TWICE).build().twice(q, (256,), None, device_array(ctx, np.ones(256, np.float32)))
    event.wait()
    assert event.profile.queued <= event.profile.submit <= event.profile.start <= event.profile.end
    assert event.command_execution_status == cl.command_execution_status.COMPLETE
    assert event.command_type == cl.command_type.NDRANGE_KERNEL


def test_queue_as_context_manager_finishes(ctx):
    values = np.ones(1 << 16, np.float32)
    with cl.CommandQueue(ctx) as q:
        event = cl.Program(ctx, TWICE).build().twice(q, values.shape, None, device_array(ctx, values))
    assert event.done


USES = {
    "flush": lambda q, x: q.flush(),
    "finish": lambda q, x: q.finish(),
    "marker": lambda q, x: cl.enqueue_marker(q),
    "barrier": lambda q, x: cl.enqueue_barrier(q),
    "copy to the host": lambda q, x: cl.enqueue_copy(q, np.empty(8, np.float32), x),
    "copy without a wait": lambda q, x: cl.enqueue_copy(q, np.empty(8, np.float32), x, is_blocking=False).wait(),
    "fill": lambda q, x: cl.enqueue_fill_buffer(q, x, np.float32(1), 0, 32),
    "kernel": lambda q, x: cl.Program(x.context, TWICE).build().twice(q, (8,), None, x),
}


@pytest.mark.parametrize("use", USES)
def test_uses_after_the_with_statement_warn(ctx, use):
    x = device_array(ctx, np.ones(8, np.float32))
    with cl.CommandQueue(ctx) as q:
        USES[use](q, x)
    assert q.context == ctx and q.device == ctx.devices[0]
    with pytest.warns(cl.CommandQueueUsedAfterExit, match="after its with statement ended"):
        USES[use](q, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error", cl.CommandQueueUsedAfterExit)
        with pytest.raises(cl.CommandQueueUsedAfterExit):
            USES[use](q, x)
        USES[use](cl.CommandQueue(ctx), x)


def test_user_event_holds_work_back(ctx):
    q = cl.CommandQueue(ctx)
    gate = cl.UserEvent(ctx)
    marker = cl.enqueue_marker(q, wait_for=[gate])
    assert not marker.done
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.wait_for_events([marker, gate])
    assert marker.done


def test_callback_gets_the_status_and_its_error_stays_its_own(ctx, q):
    seen = []
    called = threading.Event()

    def callback(status):
        seen.append(status)
        called.set()

    gate = cl.UserEvent(ctx)
    gate.set_callback(cl.command_execution_status.COMPLETE, callback)
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert called.wait(10) and seen == [0]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_exception_in_a_callback_is_reported_not_raised(ctx, q, monkeypatch):
    reported = []
    done = threading.Event()

    def hook(unraisable):
        reported.append(unraisable.exc_type)
        done.set()

    def callback(status):
        raise KeyError(status)

    monkeypatch.setattr(sys, "unraisablehook", hook)
    gate = cl.UserEvent(ctx)
    gate.set_callback(cl.command_execution_status.COMPLETE, callback)
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert done.wait(10) and reported == [KeyError]


def test_kernel_call_with_every_kind_of_argument(ctx, q):
    prg = cl.Program(
        ctx,
        """kernel void f(global int* out, int a, float b, local int* scratch, global int* absent) {
          scratch[get_local_id(0)] = a; barrier(CLK_LOCAL_MEM_FENCE);
          out[get_global_id(0)] = scratch[0] + (int)b + (absent == 0); }""",
    ).build()
    out = device_array(ctx, np.zeros(8, np.int32))
    prg.f(q, (8,), (4,), out, np.int32(30), np.float32(9.5), cl.LocalMemory(16), None).wait()
    assert (fetched(q, out, np.zeros(8, np.int32)) == 40).all()
    kernel = cl.Kernel(prg, "f")
    kernel.set_scalar_arg_dtypes([None, np.int32, np.float32, None, None])
    kernel(q, (8,), (4,), out, 1, 2.5, cl.LocalMemory(16), None)
    assert (fetched(q, out, np.zeros(8, np.int32)) == 4).all()
    kernel.set_args(out, 5, 0.0, cl.LocalMemory(16), None)
    cl.enqueue_nd_range_kernel(q, kernel, (2,), (4,), g_times_l=True)
    assert (fetched(q, out, np.zeros(8, np.int32)) == 6).all()


@pytest.mark.parametrize(
    "dtype, value",
    [("int8", -5), ("uint16", 60000), ("int64", -(2**40)), ("uint64", 2**63 + 1), ("float32", 0.1), ("float64", 0.1)],
)
def test_python_numbers_become_the_dtype(ctx, q, dtype, value):
    c_type = {"int8": "char", "uint16": "ushort", "int64": "long", "uint64": "ulong", "float32": "float"}
    name = c_type.get(dtype, "double")
    if name == "double" and not ctx.engine_device().caps["fp64"]:
        pytest.skip("no fp64")
    kernel = cl.Program(ctx, f"kernel void f(global {name}* out, {name} x) {{ *out = x; }}").build().f
    kernel.set_scalar_arg_dtypes([None, dtype])
    out = device_array(ctx, np.zeros(1, dtype))
    kernel(q, (1,), None, out, value)
    assert fetched(q, out, np.zeros(1, dtype))[0] == np.dtype(dtype).type(value)


def test_wrong_kernel_arguments(ctx, q):
    kernel = cl.Program(ctx, TWICE).build().twice
    with pytest.raises(TypeError, match="takes 1 arguments; got 2"):
        kernel(q, (1,), None, 1, 2)
    with pytest.raises(TypeError, match="set_scalar_arg_dtypes") as refused:
        kernel(q, (1,), None, 3.5)
    assert isinstance(refused.value, cl.LogicError)  # as PyOpenCL has it
    assert refused.value.code == cl.status_code.INVALID_ARG_VALUE
    with pytest.raises(cl.LogicError) as caught:
        kernel.set_arg(7, np.int32(1))
    assert caught.value.code == cl.status_code.INVALID_ARG_INDEX
    assert caught.value.routine == "clSetKernelArg"
    kernel.set_arg(0, device_array(ctx, np.ones(4, np.float32)))
    with pytest.raises(cl.LogicError, match=r"WORK_GROUP_SIZE|WORK_ITEM_SIZE"):
        cl.enqueue_nd_range_kernel(q, kernel, (1 << 20,), (1 << 20,))


def test_empty_range(ctx, q):
    kernel = cl.Program(ctx, TWICE).build().twice
    buf = device_array(ctx, np.ones(4, np.float32))
    kernel(q, (0,), None, buf, allow_empty_ndrange=True).wait()
    assert (fetched(q, buf, np.ones(4, np.float32)) == 1).all()


def test_kernel_and_program_information(engine, ctx):
    prg = cl.Program(ctx, TWICE + "kernel void other(int a, int b) {}").build("-cl-kernel-arg-info")
    device = engine.cl_device
    assert sorted(prg.kernel_names.split(";")) == ["other", "twice"]
    assert sorted(k.function_name for k in prg.all_kernels()) == ["other", "twice"]
    assert prg.other.num_args == 2
    assert prg.source.startswith("kernel void twice")
    size = prg.twice.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, device)
    assert 1 <= size <= device.max_work_group_size
    assert prg.get_build_info(device, cl.program_build_info.STATUS) == 0
    assert "-cl-kernel-arg-info" in prg.get_build_info(device, cl.program_build_info.OPTIONS)
    assert prg.twice.get_arg_info(0, cl.kernel_arg_info.NAME) == "a"
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = prg.nonesuch


def test_program_from_binaries(engine, ctx, q):
    first = cl.Program(ctx, TWICE).build()
    second = cl.Program(ctx, [engine.cl_device], first.binaries).build()
    buf = device_array(ctx, np.ones(4, np.float32))
    second.twice(q, (4,), None, buf)
    assert (fetched(q, buf, np.ones(4, np.float32)) == 2).all()


def test_compile_with_a_header_and_link(ctx, q):
    header = cl.Program(ctx, "#define FACTOR 3\n")
    unit = cl.Program(ctx, '#include "factor.h"\nkernel void f(global float* a) { a[get_global_id(0)] *= FACTOR; }')
    prg = cl.link_program(ctx, [unit.compile(headers=[("factor.h", header)])])
    buf = device_array(ctx, np.ones(4, np.float32))
    prg.f(q, (4,), None, buf)
    assert (fetched(q, buf, np.ones(4, np.float32)) == 3).all()


def test_failed_build_is_both_families_of_error(ctx):
    with pytest.raises(cl.RuntimeError) as caught:
        cl.Program(ctx, "kernel void f( {").build()
    assert isinstance(caught.value, errors.CompileError)
    assert caught.value.code == cl.status_code.BUILD_PROGRAM_FAILURE
    assert "error" in caught.value.log.lower()


def test_sub_devices(engine):
    device = engine.cl_device
    if cl.device_partition_property.EQUALLY not in device.partition_properties or device.max_compute_units < 2:
        pytest.skip("it cannot be partitioned equally")
    parts = device.create_sub_devices([cl.device_partition_property.EQUALLY, 1])
    assert len(parts) == device.max_compute_units
    assert parts[0].parent_device == device and parts[0].max_compute_units == 1
    ctx = cl.Context([parts[0]])
    q = cl.CommandQueue(ctx)
    buf = device_array(ctx, np.ones(4, np.float32))
    cl.Program(ctx, TWICE).build().twice(q, (4,), None, buf)
    assert (fetched(q, buf, np.ones(4, np.float32)) == 2).all()


def test_constants_have_names():
    assert cl.mem_flags.to_string(cl.mem_flags.READ_ONLY) == "READ_ONLY"
    assert cl.status_code.INVALID_VALUE == -30
    assert cl.command_type.SVM_MIGRATE_MEM == 0x120E and cl.command_type.USER == 0x1204
    assert cl.device_type.to_string(77, "%d") == "77"
    with pytest.raises(ValueError, match="device_type has no member of value 77"):
        cl.device_type.to_string(77)


def test_many_unreleased_objects_at_exit():
    code = (
        "from devarray import cl\n"
        "kept = []\n"
        "for p in cl.get_platforms():\n"
        "    ctx = cl.Context(p.get_devices()[:1]); q = cl.CommandQueue(ctx)\n"
        "    kept += [ctx, q] + [cl.Buffer(ctx, 1, 16) for _ in range(3000)]\n"
        "    kept += [cl.enqueue_marker(q) for _ in range(3000)]\n"
        "    kept += [cl.UserEvent(ctx)]\n"
        "print(len(kept))\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 6003


def test_devices_are_chosen_by_the_environment(engine, monkeypatch):
    platform = engine.cl_device.platform
    for variable in ("DEVARRAY_CL_CTX", "PYOPENCL_CTX"):
        monkeypatch.setenv(variable, f"{platform.name}:0")
        assert cl.choose_devices() == [platform.get_devices()[0]] == cl.create_some_context().devices
        monkeypatch.delenv(variable)
    assert cl.choose_devices(interactive=False) == [cl.get_platforms()[0].get_devices()[0]]


def test_devices_are_asked_for(engine, monkeypatch):
    devices = engine.cl_device.platform.get_devices()
    answers = iter([engine.cl_device.platform.name, str(devices.index(engine.cl_device))])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    monkeypatch.delenv("PYOPENCL_CTX", raising=False)
    several = len(cl.get_platforms()) > 1
    chosen = cl.choose_devices(interactive=True)
    assert chosen[0] == (engine.cl_device if several else cl.get_platforms()[0].get_devices()[0])


def test_capabilities_by_constant(engine):
    device = engine.cl_device
    coarse = bool((device.svm_capabilities or 0) & cl.device_svm_capabilities.COARSE_GRAIN_BUFFER)
    assert coarse == ("svm_coarse" in engine.memory_kinds)
    assert all(domain < 64 for domain in device.partition_affinity_domain) and cl.device_affinity_domain.NUMA == 1


def test_types_set_once(ctx, q):
    kernel = cl.Program(ctx, "kernel void f(global int* out, int a) { *out = a; }").build().f
    kernel.set_arg_types([None, np.int32])
    out = device_array(ctx, np.zeros(1, np.int32))
    kernel(q, (1,), None, out, 42)
    assert fetched(q, out, np.zeros(1, np.int32))[0] == 42
    assert cl.LocalMemory(48).size == 48


def test_the_compiler_may_be_unloaded(ctx, engine):
    try:
        cl.unload_platform_compiler(engine.cl_device.platform)
    except cl.LogicError as error:
        assert error.code_name == "INVALID_OPERATION"  # it need not be unloadable
    assert cl.Program(ctx, TWICE).build().twice.num_args == 1
