"""Callables that are no good allocators: an error that names what came and what was wanted."""

from __future__ import annotations

import pytest

import devarray as da
from devarray import alloc, errors


class Itself:
    def __getattr__(self, name):
        if name in ("block", "allocation", "resource"):
            return self
        raise AttributeError(name)

    def __repr__(self):
        return "<itself>"


class Endless(Itself):
    def __getattr__(self, name):
        return Endless() if name in ("block", "allocation", "resource") else super().__getattr__(name)


GIVEN = [0, -1, 2**64, 2**200, True, False, None, "x", b"", 1.5, [], object(), Itself(), Endless()]


def named(given):
    """An identifier that every worker of a parallel run gives it."""
    return repr(given) if isinstance(given, int | float | str | bytes | list | None) else type(given).__name__


@pytest.mark.parametrize("given", GIVEN, ids=named)
def test_what_is_no_memory(given):
    device = da.device()
    with pytest.raises(errors.ValueError, match="wanted a Block"):
        da.zeros(10, allocator=lambda n: given).evaluate()
    for kind in device.memory_kinds:
        resource = alloc.CallbackMemoryResource(lambda n: given, device=device, kind=kind)
        with pytest.raises(errors.ValueError, match="wanted a Block"):
            resource.allocate(100)
        with pytest.raises(errors.ValueError, match="wanted a Block"):
            alloc.PoolMemoryResource(resource).allocate(100)
        assert resource.allocate(0).nbytes == 0


def test_what_is_too_small():
    device = da.device()
    small = alloc.default_allocator(device).allocate(8)
    with pytest.raises(errors.ValueError, match="8 bytes where 80 were asked for"):
        da.zeros(10, allocator=lambda n: small).evaluate()


@pytest.mark.parametrize("error", [KeyError, RuntimeError, KeyboardInterrupt])
def test_errors_of_the_callable_come_through(error):
    def allocate(nbytes):
        raise error

    with pytest.raises(error):
        da.zeros(10, allocator=allocate).evaluate()
    with pytest.raises(errors.OutOfMemoryError):
        da.zeros(10, allocator=lambda n: [][n] if n < 0 else (_ for _ in ()).throw(MemoryError("none"))).evaluate()
    assert da.zeros(3).copy_to_host().tolist() == [0, 0, 0]


@pytest.mark.parametrize("given", [3, "pool", [], Itself(), Endless()], ids=named)
def test_what_is_no_allocator(given):
    with pytest.raises(errors.Error, match="allocator"):
        da.zeros(3, allocator=given)
    with pytest.raises(errors.Error, match="allocator"):
        alloc.as_allocator(given, da.device())


def test_an_allocator_behind_some_names():
    class Wrapper:
        def __init__(self, resource):
            self.resource = resource

    pool = alloc.default_allocator(da.device())
    assert alloc.as_allocator(Wrapper(Wrapper(Wrapper(pool))), da.device()) is pool


@pytest.mark.parametrize("off", [1, 4, 8])
def test_addresses_that_no_vector_may_be_read_at(off):
    device = da.device()
    kind = next((kind for kind in device.memory_kinds if kind != "buffer"), None)
    if kind is None:
        pytest.skip("no memory with addresses")
    given_back = []
    room = alloc.DeviceMemoryResource(device, kind).allocate(4096)
    start = room.allocation.handle + room.offset
    resource = alloc.CallbackMemoryResource(
        lambda n: start + off, lambda address, n: given_back.append(address - start), device=device, kind=kind
    )
    with pytest.raises(errors.ValueError, match=f"at the address {start + off}; kernels read vectors of 16 bytes"):
        resource.allocate(100)
    assert given_back == [off]


def test_one_that_computes_with_what_asks_for_its_memory():
    """It would be called without end, and the C stack would be gone before Python's limit."""
    device = da.device()
    upstream = alloc.DeviceMemoryResource(device)
    waiting = []

    def allocate(nbytes):
        for x in waiting:
            x.evaluate()
        return upstream.allocate(nbytes)

    with da.use(allocator=allocate):
        waiting.append(da.arange(1000) * 2)
        with pytest.raises(errors.ValueError, match="32 times within itself"):
            (da.arange(1000) + 1).evaluate()
        x = waiting.pop()
        assert int((x + 1).sum()) == 1000 * 1000
