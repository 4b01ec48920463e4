"""What no program means to do, and what must end in an error by name instead of the process."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import devarray as da
from devarray import _core, cl, errors

RW = cl.mem_flags.READ_WRITE
CLASSES = sorted(
    (
        value
        for module in (_core, _core.cl, _core.cuda)
        for value in vars(module).values()
        if isinstance(value, type) and any("pybind11" in base.__name__ for base in value.__mro__)
    ),
    key=lambda cls: cls.__qualname__,
)


def uninitialised(cls: type) -> object:
    """An object that __new__ made and no __init__; None where Python itself refuses that."""
    try:
        return cls.__new__(cls)
    except TypeError as error:
        assert "is not safe" in str(error)
        return None


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


SPECIAL = (
    "__int__",
    "__index__",
    "__call__",
    "__getitem__",
    "__repr__",
    "__eq__",
    "__hash__",
    "__exit__",
    "__reduce__",
)


def methods(cls: type) -> dict[str, object]:
    """What works on an object of the class: getters and methods, but those that answer the object itself."""
    found = {}
    for name in dir(cls):
        static = inspect.getattr_static(cls, name)
        if isinstance(static, staticmethod) or (name.startswith("_") and name not in SPECIAL):
            continue
        function = static.fget if isinstance(static, property) else getattr(cls, name)
        if type(function).__name__ in ("instancemethod", "builtin_function_or_method", "method_descriptor"):
            found[name] = function
    return found


@pytest.mark.filterwarnings("ignore:.*use hashable_model:DeprecationWarning")
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_objects_without_init_answer_nothing(cls):
    thing = uninitialised(cls)
    if thing is None:
        return
    for name, function in methods(cls).items():
        for arguments in ((), (1,), (1, 2), (None, None, None)):
            try:
                answer = function(thing, *arguments)
            except (TypeError, errors.Error):
                continue
            assert answer in (None, False, NotImplemented), f"{cls}.{name}{arguments} answered {answer!r}"


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__qualname__)
def test_methods_refuse_none_for_self(cls):
    for name, function in methods(cls).items():
        for arguments in ((), (1,), (1, 2)):
            try:
                answer = function(None, *arguments)
            except TypeError:
                continue
            assert answer is NotImplemented, f"{cls}.{name}{arguments} answered {answer!r}"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: da.Queue.finish(None), r"Queue\.finish is called on a devarray\._core\.Queue, not on .* NoneType"),
        (lambda: cl.Image.release(3, 4), r"release is called on a devarray\._core\.cl\.\w+, not on .* int"),
        (lambda: cl.Event.wait(), r"wait is called on a devarray\._core\.cl\.\w+, not on nothing"),
    ],
)
def test_what_is_no_self_is_named(call, said):
    with pytest.raises(da.DTypeError, match=said):
        call()


def test_a_subclass_before_its_super_init(ctx):
    class Late(cl.CommandQueue):
        def __init__(self, context):
            with pytest.raises(TypeError, match="Late was not initialised"):
                self.finish()
            with pytest.raises(TypeError, match="not initialised"):
                cl.enqueue_marker(self)
            super().__init__(context)

    late = Late(ctx)
    late.finish()
    cl.enqueue_marker(late).wait()
    with pytest.raises(TypeError, match="not initialised"):
        cl.Buffer(cl.Context.__new__(cl.Context), RW, 64)
    with pytest.raises(TypeError, match="not initialised"):
        da.empty(3, queue=cl.CommandQueue.__new__(cl.CommandQueue))


def test_a_second_init_changes_nothing(ctx):
    for _ in range(3):  # the second buffer is a recycled object
        buf = cl.Buffer(ctx, RW, 64)
        handle = buf.int_ptr
        for arguments in ((), ((),), (ctx, RW, 128), (None, None, None)):
            with pytest.raises((TypeError, errors.ValueError)):
                buf.__init__(*arguments)
            assert (buf.int_ptr, buf.size, buf.reference_count) == (handle, 64, 1)
        del buf


def test_a_buffer_whose_new_was_replaced(ctx):
    class Own(cl.Buffer):
        def __new__(cls, *arguments):
            return live

    live = cl.Buffer(ctx, RW, 64)
    assert Own() is live and live.size == 64


def test_wait_for_none_in_a_list(q):
    with pytest.raises(TypeError, match="events are wanted"):
        cl.enqueue_marker(q, wait_for=[None])
    with pytest.raises(TypeError):
        cl.enqueue_marker(q, wait_for=3)
    cl.enqueue_marker(q, wait_for=np.array([cl.enqueue_marker(q)], object)).wait()


def test_sequences_that_make_their_items_as_they_are_asked(ctx, q):
    source = "kernel void f(global float* x, double a, short b) { x[get_global_id(0)] = a + b; }"
    kernel = cl.Program(ctx, source).build().f
    for _ in range(20):
        kernel.set_scalar_arg_dtypes([None, *np.array(["float64", "int16"])])
        kernel.set_arg_types(np.array([None, "float64", "int16"], object))
        mixed = cl.Program(ctx, "kernel void g(double a, short b, global float* x) { x[0] = a * b; }").build().g
        mixed.set_arg_types([*np.array(["float64", "int16"]), None])

    class Fresh:
        def __len__(self):
            return 2

        def __getitem__(self, i):
            if i >= 2:
                raise IndexError(i)
            return np.dtype(["float64", "int16"][i]).newbyteorder("=").str

    two = cl.Program(ctx, "kernel void h(double a, short b) {}").build().h
    for _ in range(200):
        two.set_arg_types(np.array(["float64", "int16"]))
        two.set_arg_types(Fresh())
        two(q, (1,), None, 1.5, 3)
    with pytest.raises(TypeError, match="<class 'str'>"):
        two(q, (1,), None, "a", "b")
    q.finish()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_the_driver_owns_is_not_pickled(ctx, q, protocol):
    buf = cl.Buffer(ctx, RW, 64)
    for thing in (ctx, q, buf, cl.enqueue_marker(q), cl.UserEvent(ctx), ctx.devices[0], ctx.devices[0].platform):
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            pickle.dumps(thing, protocol)
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            copy.copy(thing)
        with pytest.raises(TypeError, match="cannot be pickled or copied"):
            copy.deepcopy(thing)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_devices_are_pickled_by_name(protocol):
    for device in da.devices():
        assert pickle.loads(pickle.dumps(device, protocol)) is device
        assert copy.deepcopy(device) is device
    own = cl.Context([da.device().cl_device]) if da.device().driver == "opencl" else None
    if own is not None:
        foreign = cl.CommandQueue(own).engine_device
        with pytest.raises(TypeError, match="context of its own"):
            pickle.dumps(foreign, protocol)


def test_a_buffer_made_of_a_recycled_object_is_the_programs_own(device: da.Device, ctx: cl.Context) -> None:
    """Whatever memory the object stood for before: an allocator's cannot be released by hand."""
    if device.driver != "opencl":
        pytest.skip("of OpenCL's buffers")
    for _ in range(3):
        x = da.ones(20, allocator=da.alloc.DeviceMemoryResource(device, "buffer")).evaluate()
        memory = x.base_data
        with pytest.raises(ValueError, match="belongs to an allocator"):
            memory.release()
        da.synchronize()
        del x
        del memory
        again = cl.Buffer(ctx, RW, 80)
        again.release()
        with pytest.raises(ValueError, match="was released"):
            again.release()
