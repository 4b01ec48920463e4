"""Info attributes, all of them, against PyOpenCL's for the same objects; and objects through their handles."""

from __future__ import annotations

import numpy as np
import pytest

from devarray import cl

pyopencl = pytest.importorskip("pyopencl")
pytestmark = pytest.mark.filterwarnings("ignore:Non-empty compiler output")


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


@pytest.fixture
def theirs(ctx):
    return pyopencl.Context.from_int_ptr(ctx.int_ptr)


@pytest.fixture
def kernel(ctx):
    return cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }").build("-cl-kernel-arg-info").f


def members(constants):
    return sorted(name for name in vars(constants) if name.isupper() and not name.startswith("_"))


def plain(value):
    """A value that both libraries' objects are told apart by."""
    if hasattr(value, "int_ptr"):
        return value.int_ptr
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "channel_order"):
        return value.channel_order, value.channel_data_type
    if hasattr(value, "version") and hasattr(value, "name"):
        return value.name, value.version
    return value


def assert_like_theirs(ours, theirs, constants):
    """Every member of the constant class: as an attribute, through get_info, and as PyOpenCL has it."""
    get_info = next(getattr(ours, n) for n in ("get_image_info", "get_pipe_info", "get_info") if hasattr(ours, n))
    answered = 0
    for member in members(constants):
        name = member.lower()
        try:
            value = getattr(ours, name)
        except cl.Error:  # what the driver does not know must not be known to PyOpenCL either
            with pytest.raises((pyopencl.Error, AttributeError)):
                getattr(theirs, name)
            continue
        answered += 1
        if name == "reference_count":
            assert value >= 1
            continue
        assert plain(get_info(getattr(constants, member))) == plain(value), name
        try:
            expected = getattr(theirs, name)
        except (pyopencl.Error, AttributeError, ValueError):
            continue  # PyOpenCL has no such attribute, or does not know its type
        if name == "properties" and expected is None:
            expected = []
        if name == "device_enqueue_capabilities":  # of 8 bytes, of which PoCL writes 4 and PyOpenCL zeroes none
            continue
        assert plain(value) == plain(expected), name
    assert answered > 0


def test_device(engine, theirs):
    assert isinstance(engine.cl_device, cl.Device)
    assert_like_theirs(engine.cl_device, theirs.devices[0], cl.device_info)


def test_platform(engine, theirs):
    platform = next(p for p in cl.get_platforms() if p == engine.cl_device.platform)
    assert isinstance(platform, cl.Platform)
    again = cl.Platform.from_int_ptr(platform.int_ptr)
    assert again == platform and hash(again) == hash(platform)
    assert engine.cl_device in platform.get_devices(cl.device_type.ALL)
    other = theirs.devices[0].platform
    for member in members(cl.platform_info):
        if member != "HOST_TIMER_RESOLUTION" or platform._get_cl_version() >= (2, 1):
            assert platform.get_info(getattr(cl.platform_info, member)) is not None
    assert (platform.name, platform.vendor, platform.profile) == (other.name, other.vendor, other.profile)
    assert platform.extensions == other.extensions


def test_context(ctx, theirs):
    assert isinstance(ctx, cl.Context)
    assert ctx.get_info(cl.context_info.NUM_DEVICES) == ctx.num_devices == 1
    assert ctx.devices == ctx.get_info(cl.context_info.DEVICES)
    assert ctx.properties == ctx.get_info(cl.context_info.PROPERTIES)
    assert ctx.reference_count >= 1
    with pytest.raises(cl.LogicError):
        _ = ctx.interop_user_sync  # a property of contexts, which no driver answers


def test_queue(ctx, q):
    assert isinstance(q, cl.CommandQueue)
    assert_like_theirs(q, pyopencl.CommandQueue.from_int_ptr(q.int_ptr), cl.command_queue_info)
    q.flush()


def test_event(ctx, engine):
    q = cl.CommandQueue(ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
    event = cl.enqueue_marker(q)
    event.wait()
    theirs = pyopencl.Event.from_int_ptr(event.int_ptr)
    assert_like_theirs(event, theirs, cl.event_info)
    assert event.get_info(cl.event_info.COMMAND_TYPE) == event.command_type == cl.command_type.MARKER
    again = cl.Event.from_int_ptr(event.int_ptr)
    assert again == event and hash(again) == hash(event)
    for member in members(cl.profiling_info):
        if member != "COMPLETE" or engine.cl_device._get_cl_version() >= (2, 0):
            assert event.get_profiling_info(getattr(cl.profiling_info, member)) >= 0
    assert event.profile.start == event.get_profiling_info(cl.profiling_info.START) == theirs.profile.start
    cl.enqueue_barrier(q, wait_for=[event]).wait()


def test_memory_object(ctx):
    values = np.zeros(16, np.int32)
    for flags, host in ((cl.mem_flags.READ_ONLY, None), (cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR, values)):
        memory = cl.Buffer(ctx, flags, 64, host)
        assert isinstance(memory, cl.MemoryObject)
        theirs = pyopencl.MemoryObject.from_int_ptr(memory.int_ptr)
        for member in members(cl.mem_info):
            if member in ("REFERENCE_COUNT", "HOST_PTR", "PROPERTIES", "ASSOCIATED_MEMOBJECT", "USES_SVM_POINTER"):
                continue
            value = memory.get_info(getattr(cl.mem_info, member))
            assert plain(value) == plain(getattr(theirs, member.lower())) == plain(getattr(memory, member.lower()))
        assert memory.host_ptr == (0 if host is None else host.ctypes.data)
        assert not memory.map_count and memory.reference_count == 2
        if ctx._get_cl_version() >= (2, 0):
            assert memory.uses_svm_pointer is False


def test_image(ctx, engine):
    if not engine.cl_device.image_support:
        pytest.skip(f"{engine} has no images")
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    assert form.channel_data_type == cl.channel_type.UNSIGNED_INT8
    image = cl.Image(ctx, cl.mem_flags.READ_WRITE, form, shape=(8, 4))
    theirs = pyopencl.MemoryObject.from_int_ptr(image.int_ptr)
    assert (image.width, image.height, image.get_image_info(cl.image_info.HEIGHT)) == (8, 4, 4)
    for member in members(cl.image_info):
        if member == "BUFFER":
            assert image.buffer is None
            continue
        value = image.get_image_info(getattr(cl.image_info, member))
        assert plain(value) == plain(getattr(image, member.lower()))
        assert plain(value) == plain(pyopencl.Image.get_image_info(theirs, getattr(cl.image_info, member))), member
    again = cl.MemoryObject.from_int_ptr(image.int_ptr)
    assert isinstance(again, cl.Image) and again == image and hash(again) == hash(image)


def test_sampler(ctx, engine):
    if not engine.cl_device.image_support:
        pytest.skip(f"{engine} has no images")
    sampler = cl.Sampler(ctx, True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
    assert_like_theirs(sampler, pyopencl.Sampler.from_int_ptr(sampler.int_ptr), cl.sampler_info)
    again = cl.Sampler.from_int_ptr(sampler.int_ptr)
    assert again == sampler and hash(again) == hash(sampler)
    assert again.get_info(cl.sampler_info.ADDRESSING_MODE) == cl.addressing_mode.REPEAT


def test_pipe(ctx, engine):
    if engine.cl_device._get_cl_version() < (2, 0) or not engine.cl_device.max_pipe_args:
        pytest.skip(f"{engine} has no pipes")
    pipe = cl.Pipe(ctx, cl.mem_flags.READ_WRITE, 8, 32, properties=())
    assert pipe.get_pipe_info(cl.pipe_info.PACKET_SIZE) == pipe.packet_size == 8
    assert pipe.get_pipe_info(cl.pipe_info.MAX_PACKETS) == pipe.max_packets == 32
    with pytest.raises(ValueError, match="no pipe properties"):
        cl.Pipe(ctx, cl.mem_flags.READ_WRITE, 8, 32, [cl.pipe_properties.PACKET_SIZE, 4])


def test_program(ctx, engine, kernel):
    program = cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }").build("-cl-kernel-arg-info")
    theirs = pyopencl.Program.from_int_ptr(program.int_ptr)
    for member in members(cl.program_info):
        name = member.lower()
        try:
            value = program.get_info(getattr(cl.program_info, member))
        except cl.Error:
            continue  # newer than the platform
        if name in ("reference_count", "il"):
            continue
        assert plain(value) == plain(getattr(program, name))
        if name != "binaries":
            assert plain(value) == plain(theirs.get_info(getattr(pyopencl.program_info, member, -1))), name
    assert program.num_devices == len(program.devices) == len(program.binaries) == 1
    device = engine.cl_device
    for member in ("STATUS", "OPTIONS", "LOG", "BINARY_TYPE"):
        value = program.get_build_info(device, getattr(cl.program_build_info, member))
        assert value == theirs.get_build_info(theirs.devices[0], getattr(pyopencl.program_build_info, member))
    assert program.get_build_info(device, cl.program_build_info.BINARY_TYPE) == cl.program_binary_type.EXECUTABLE
    again = cl.Program.from_int_ptr(program.int_ptr)
    assert again == program and again.kernel_names == "f"


def test_kernel(ctx, engine, kernel):
    theirs = pyopencl.Kernel.from_int_ptr(kernel.int_ptr)
    assert isinstance(kernel, cl.Kernel)
    assert_like_theirs(kernel, theirs, cl.kernel_info)
    again = cl.Kernel.from_int_ptr(kernel.int_ptr)
    assert again == kernel and again.num_args == 1 and again.function_name == "f"
    for member in members(cl.kernel_arg_info):
        param = getattr(cl.kernel_arg_info, member)
        assert kernel.get_arg_info(0, param) == theirs.get_arg_info(0, param), member
    device, other = engine.cl_device, theirs.context.devices[0]
    for member in members(cl.kernel_work_group_info):
        if member != "GLOBAL_WORK_SIZE":  # for custom devices and built-in kernels alone
            param = getattr(cl.kernel_work_group_info, member)
            assert kernel.get_work_group_info(param, device) == theirs.get_work_group_info(param, other), member


def test_sub_groups(ctx, engine, kernel):
    device, info = engine.cl_device, cl.kernel_sub_group_info
    if device._get_cl_version() < (2, 1) or not device.max_num_sub_groups:
        with pytest.raises(cl.Error):
            kernel.get_sub_group_info(device, info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (16,))
        pytest.skip(f"{engine} has no sub-groups")
    size = kernel.get_sub_group_info(device, info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE, (16,))
    count = kernel.get_sub_group_info(device, info.SUB_GROUP_COUNT_FOR_NDRANGE, (16,))
    assert size >= 1 and (count - 1) * size < 16 <= count * size
    local = kernel.get_sub_group_info(device, info.LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 1)
    assert len(local) == 3
    assert kernel.get_sub_group_info(device, info.MAX_NUM_SUB_GROUPS) >= 0  # newer PoCL's answer is 0
    with pytest.raises(cl.LogicError):
        kernel.get_sub_group_info(device, 999)


def test_timers_of_a_device(engine):
    device = engine.cl_device
    try:
        first = device.host_timer()
    except cl.Error:
        with pytest.raises(cl.Error):
            device.device_and_host_timer()
        pytest.skip(f"{engine} has no timers")
    on_device, on_host = device.device_and_host_timer()
    assert on_device > 0 and first <= on_host <= device.host_timer()


def test_names_of_a_device(engine):
    name = engine.cl_device.hashable_model_and_version_identifier
    assert name[0] == "v1" and engine.cl_device.name in name and hash(name)
    with pytest.warns(DeprecationWarning, match="hashable_model_and_version_identifier"):
        assert engine.cl_device.persistent_unique_id == name


def test_default_queue_on_the_device(ctx, engine):
    device = engine.cl_device
    with pytest.raises(cl.Error):  # a queue of the host is never one of the device
        ctx.set_default_device_command_queue(device, cl.CommandQueue(ctx).int_ptr)


def test_built_in_kernels(ctx, engine):
    device = engine.cl_device
    names = [name for name in device.built_in_kernels.split(";") if name]
    if names:
        program = cl.create_program_with_built_in_kernels(ctx, [device], names[:1])
        assert program.num_devices == 1
    with pytest.raises(cl.LogicError, match="'nonesuch' is no built-in kernel"):
        cl.create_program_with_built_in_kernels(ctx, [device], "nonesuch")


def test_specialization_constants_are_for_spirv(ctx):
    program = cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }")
    with pytest.raises(cl.Error):
        program.set_specialization_constant(1, np.int32(3))


def test_versions():
    assert cl.get_cl_header_version() >= (3, 0)
    assert f"{cl.VERSION[0]}." in cl.VERSION_TEXT and cl.VERSION >= (2026, 1) and cl.VERSION_STATUS == ""


@pytest.mark.skipif(not hasattr(pyopencl, "DeviceTopologyAmd"), reason="this PyOpenCL was built without AMD's header")
@pytest.mark.parametrize("given", [(), (3,), (3, 4, 5)])
def test_places_on_the_bus_are_pyopencls(given):
    ours, theirs = cl.DeviceTopologyAmd(*given), pyopencl.DeviceTopologyAmd(*given)
    names = ("type", "bus", "device", "function")
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
    assert not hasattr(ours, "__dict__")
    assert ours == cl.DeviceTopologyAmd(bus=ours.bus, device=ours.device, function=ours.function)
