"""What is wrong among the arguments is named, with what is wanted, by an error of devarray's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da
import devarray.cl.array
import devarray.cl.characterize
import devarray.cl.tools
from devarray import alloc, cl, cuda, errors

pytestmark = pytest.mark.usefixtures("device")


def context() -> Any:
    return cl.create_some_context(answers=["0"])


def endless() -> list[Any]:
    x: list[Any] = []
    x.append(x)
    return x


REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "device": (lambda: cl.characterize.has_double_support(-1), da.DTypeError, "dev is -1; Device is wanted"),
    "of two": (lambda: cl.characterize.has_struct_arg_count_bug([1]), da.DTypeError, "dev is of class list; Device"),
    "context": (lambda: alloc.DeferredAllocator((2, 3)), da.DTypeError, "DeferredAllocator: context is of class tuple"),
    "queue of an array": (lambda: da.zeros(3, queue="text"), da.DTypeError, "a queue is a Queue, .* not 'text'"),
    "stream of a copy": (
        lambda: da.to_device(np.arange(3), stream="text"),
        da.DTypeError,
        "a queue is a Queue, .* not 'text'",
    ),
    "svm": (lambda: alloc.SVMAllocator("text"), da.DTypeError, "SVMAllocator: context is 'text'; Context is wanted"),
    "queue": (lambda: alloc.ImmediateAllocator(1), da.DTypeError, "ImmediateAllocator: queue is 1; CommandQueue"),
    "log": (lambda: alloc.plot(3), da.DTypeError, "read_log: path is 3; a path is wanted"),
    "dialect": (lambda: da.compiler.dialect(0.5), da.DTypeError, "dialect: device is 0.5; Device is wanted"),
    "answers": (lambda: cl.choose_devices(answers=[2]), da.DTypeError, "an answer is 2; str is wanted"),
    "logarithm": (lambda: cl.tools.bitlog2((2, 3)), da.DTypeError, "n is of class tuple; int or integer is wanted"),
    "image": (lambda: cl.image_from_array(None, b"a"), da.DTypeError, "ary is of class bytes; ndarray is wanted"),
    "like": (
        lambda: cuda.aligned_empty_like((0,)),
        da.DTypeError,
        "array is a numpy.ndarray.* not tuple, which has no shape",
    ),
    "svm like": (lambda: cl.csvm_empty_like(None, 3), da.DTypeError, "not int, which has no shape"),
    "texture": (lambda: cuda.np_to_array(3, "C"), da.DTypeError, "np_to_array: nparray is 3; ndarray is wanted"),
    "on device": (
        lambda: cuda.gpuarray_to_array(3, "C"),
        da.DTypeError,
        "not int, which has no __cuda_array_interface__",
    ),
    "sections": (
        lambda: da.hsplit(da.ones(3), "text"),
        da.DTypeError,
        "number of parts, or before the indices of a list",
    ),
    "taken": (
        lambda: devarray.cl.array.multi_take([da.ones(3)], da.asarray([0]), out={"a": 1}),
        da.DTypeError,
        "multi_take's out takes a list of device arrays, not dict",
    ),
    "taken fewer": (
        lambda: devarray.cl.array.multi_take([da.ones(3)], da.asarray([0]), out=[]),
        da.ShapeError,
        "out has 0 arrays, and there are 1",
    ),
    "otypes": (
        lambda: da.vectorize(abs, da.broadcast_to(da.ones(1), (2**40,))),
        da.DTypeError,
        "the dtypes of results as otypes, not a device array",
    ),
    "to": (lambda: da.to_device([1, 2], to=int), da.DTypeError, "to_device: to is of class type; Array or OpaqueArray"),
    "out": (lambda: da.random.standard_normal(out=()), da.DTypeError, "out is of class tuple; Array is wanted"),
    "stream": (lambda: da.mapped_array(3, stream="text"), da.DTypeError, "stream is 'text'; Queue is wanted"),
    "ufunc": (lambda: da.ones(3).__array_ufunc__(5, "__call__"), da.DTypeError, "ufunc is 5; ufunc is wanted"),
    "function": (
        lambda: da.ones(3).__array_function__([1], (), (), {}),
        da.DTypeError,
        "func is a function of NumPy's, not list",
    ),
    "children": (
        lambda: da.random.default_rng(1).spawn(2**31),
        errors.ValueError,
        "2147483648 generators are asked for",
    ),
    "seed": (
        lambda: da.random.default_rng(endless()),
        da.DTypeError,
        "a seed is an int or a sequence of ints, not list",
    ),
    "size": (lambda: da.random.ranf(da.ones(100)), da.ShapeError, "size has 100 numbers; arrays have at most 64 axes"),
    "opaque": (
        lambda: da.clip(da.OpaqueArray((2,), "i4,f4"), 0, 1),
        da.DTypeError,
        "clip is of arrays of numbers",
    ),
    "print options": (
        lambda: da.set_printoptions(formatter=da),
        da.DTypeError,
        "formatter is of class module; a dict of functions, or None is wanted",
    ),
    "print options of a block": (
        lambda: da.printoptions(3, nanstr=5),
        da.DTypeError,
        "nanstr is 5; a str or None is wanted",
    ),
    "words": (lambda: da.require(da.ones(3), requirements=b"C"), da.DTypeError, "a requirement is 67; str is wanted"),
    "lists": (lambda: da.testing.assert_equal(endless(), da.ones(3)), errors.ValueError, "lie in themselves"),
}


@pytest.mark.parametrize(("call", "error", "text"), REFUSED.values(), ids=REFUSED)
def test_wrong_arguments_are_named(call: Callable[[], Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("name", ["sum", "max", "any", "count_nonzero", "nanmin"])
def test_what_is_neither_true_nor_false(name: str) -> None:
    for flag in (np.ones(3), da.asarray([0.0, 1.0])):
        with pytest.raises(ValueError, match="ambiguous"):
            getattr(da, name)(da.ones(3), keepdims=flag)


def test_what_is_right_is_taken() -> None:
    assert cl.tools.bitlog2(1000) == 9 and cl.tools.bitlog2(np.int8(8)) == 3
    like = cuda.aligned_empty_like(np.ones((2, 3), "i4", order="F"))
    assert (like.shape, like.dtype, like.flags.f_contiguous) == ((2, 3), np.dtype("i4"), True)
    assert cl.characterize.has_struct_arg_count_bug(dev=context().devices[0], ctx=None) in (False, "pocl")
    assert [a.size for a in da.split(da.ones(5), [np.int64(1), da.asarray(3)])] == [1, 2, 2]
    host = np.random.Generator(np.random.Philox(np.random.SeedSequence([1, 2]))).random(3)
    assert (da.random.default_rng((1, np.int8(2))).random(3).copy_to_host() == host).all()


@pytest.mark.parametrize("other", [None, "a", "", b"a", np.str_("a")])
@pytest.mark.parametrize("host", [np.array([1, 2]), np.zeros((0, 3)), np.array(1.5), np.array([[True]])], ids=str)
def test_nothing_equals_what_is_no_number(host: np.ndarray, other: Any) -> None:
    for found, wanted in (
        (da.asarray(host) == other, host == other),
        (da.asarray(host) != other, host != other),
        (other == da.asarray(host), other == host),
    ):
        assert isinstance(found, da.Array) and found.dtype == np.bool_
        np.testing.assert_array_equal(found.copy_to_host(), wanted, strict=True)
    assert other not in da.asarray(host) or not host.size


@pytest.mark.parametrize("value", [1.5, 2, None, "a", set()], ids=str)
def test_contains(value: Any) -> None:
    host = np.array([1.5, 2.0])
    assert (value in da.asarray(host)) == (value in host if value != set() else False)


@pytest.mark.parametrize("dtype", ["i8", "i4", "u1"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_means_of_an_integer_dtype(dtype: str, axis: int | None) -> None:
    host = np.array([[1.5, 2.5, 7.0], [4.0, 9.9, 1.0]])
    found = da.mean(da.asarray(host), axis=axis, dtype=dtype)
    np.testing.assert_array_equal(found.copy_to_host(), np.mean(host, axis=axis, dtype=dtype), strict=True)


def test_a_second_init_is_refused() -> None:
    ctx = context()
    memory = cl.Buffer(ctx, cl.mem_flags.READ_WRITE, 64)
    for arguments in ((ctx, cl.mem_flags.READ_WRITE, 128), (1, 2)):
        with pytest.raises(errors.ValueError, match="Buffer was initialised already"):
            memory.__init__(*arguments)
    assert memory.size == 64
    flags = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    with pytest.raises(errors.ValueError, match="initialised already"):
        flags.__init__(cl.channel_order.R, cl.channel_type.FLOAT)

    class Mine(cl.Buffer):
        def __init__(self, size: int) -> None:
            super().__init__(ctx, cl.mem_flags.READ_WRITE, size)

    assert Mine(32).size == 32
    blank = cl.LocalMemory.__new__(cl.LocalMemory)
    with pytest.raises(da.DTypeError):
        blank.__init__("wrong")
    blank.__init__(16)
    assert blank.size == 16


def test_the_buffer_of_released_memory_is_refused_by_name() -> None:
    ctx = context()
    if not cl.characterize.has_coarse_grain_buffer_svm(ctx.devices[0]):
        pytest.skip("no shared virtual memory")
    memory = cl.SVMAllocation(ctx, 64, 64, cl.svm_mem_flags.READ_WRITE)
    assert memoryview(memory).nbytes == 64
    memory.release()
    for use in (memoryview, cl.SVM, lambda m: np.frombuffer(m, "u1")):
        with pytest.raises(errors.ValueError, match="was released"):
            use(memory)


def test_an_allocator_is_no_class() -> None:
    with pytest.raises(errors.ValueError, match=re.escape("allocator is <class 'int'>; wanted")):
        da.asarray([1, 2], allocator=int)
