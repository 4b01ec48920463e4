"""DLPack 1.3: arrays shared with other libraries, without a copy where both can reach the memory.

What devarray's memory is to others:

=============================================== ====================== ==============================================
Memory                                          DLPack device          Notes
=============================================== ====================== ==============================================
svm_fine of a CPU device                        kDLCPU                 no copy: the host reads it in place
buffer, svm_coarse of a CPU device              kDLCPU                 copied; ``copy=False`` is an error
buffer of another OpenCL device                 kDLOpenCL, its index   ``data`` is the ``cl_mem``, with ``byte_offset``
svm_fine of another OpenCL device               kDLCPU                 no copy: the host reads it in place
svm_coarse of another OpenCL device             kDLCPU                 copied: DLPack has no type for it
device (CUDA)                                   kDLCUDA, its index
managed, pinned (CUDA)                          kDLCUDAManaged,        asked for as kDLCUDA or kDLCPU, too, no copy
                                                kDLCUDAHost
=============================================== ====================== ==============================================

An export makes the memory exposed (rule 8 of docs/design.md): work on it is no longer deferred. It is still enqueued,
so call ``devarray.synchronize()`` before the host looks at what was written after the export.
"""

from __future__ import annotations

import builtins
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._runtime.devices import Device, device, devices
from devarray.array import Array
from devarray.errors import BufferError, DTypeError, ValueError
from devarray.ops.dtypes import DTYPES, KIND, SIZE

if TYPE_CHECKING:
    from devarray._core import Queue

__all__ = ["from_dlpack"]

CPU, CUDA, CUDA_HOST, OPENCL, CUDA_MANAGED = 1, 2, 3, 4, 13
"""DLPack's numbers of the device types that devarray meets."""

_NAMES = {CPU: "kDLCPU", CUDA: "kDLCUDA", CUDA_HOST: "kDLCUDAHost", OPENCL: "kDLOpenCL", CUDA_MANAGED: "kDLCUDAManaged"}
_CUDA_TYPES = {"device": CUDA, "managed": CUDA_MANAGED, "pinned": CUDA_HOST}
_CUDA_KINDS = {number: kind for kind, number in _CUDA_TYPES.items()}
_VERSION = (1, 3)
_LEGACY_STREAM = 1
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT16 = (4, 16, 1)
_DTYPES = {(_CODES[KIND[name]], SIZE[name] * 8, 1): np.dtype(name) for name in DTYPES}


# --- export --------------------------------------------------------------------------------------------------------


def own_device(x: Array) -> tuple[int, int]:
    """(device type, device id) that the memory of an array has for DLPack."""
    kind, there = _core.memory_traits(x)[0], x.device
    if there.driver == "cuda":
        number = _CUDA_TYPES[kind]
        return number, there.index if number == CUDA else 0
    if there.type == "cpu" or kind != "buffer":
        return CPU, 0
    return OPENCL, there.index


def _reachable(x: Array) -> set[tuple[int, int]]:
    """The DLPack devices by which an array's memory can be had without a copy."""
    own = own_device(x)
    if own[0] in (CUDA_HOST, CUDA_MANAGED):
        return {own, (CPU, 0), (CUDA, x.device.index)}
    host_sees = _core.memory_traits(x)[1]
    return {own} if own[0] != CPU or host_sees else set()


def export(
    x: Array,
    *,
    stream: object = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """What the core's `dlpack_in_place` leaves to Python."""
    return _exported(x, stream, max_version, dl_device, copy, False)


def export_bfloat16(
    bits: Array,
    *,
    stream: object = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """A capsule of the bits of numbers in bfloat16, of dtype uint16."""
    return _exported(bits, stream, max_version, dl_device, copy, True)


def _pair(name: str, of: str, given: Any) -> tuple[int, int]:
    try:
        first, second = map(operator.index, given)
    except (TypeError, builtins.ValueError):
        raise DTypeError(f"__dlpack__: {name} is a pair {of} of integers, not {given!r}") from None
    return first, second


def _exported(x: Array, stream: object, max_version: Any, dl_device: Any, copy: bool | None, bfloat16: bool) -> Any:
    if copy is None and _core.is_value(x):
        x = x[...]  # what is made of a value is its own, and may be written
    own = own_device(x)
    wanted = own if dl_device is None else _pair("dl_device", "(type, id)", dl_device)
    versioned = max_version is not None and _pair("max_version", "(major, minor)", max_version)[0] >= 1
    _check_stream(own, stream)
    whole = all(step % x.itemsize == 0 for step in x.strides)
    if copy is True or not whole or wanted not in _reachable(x):
        if copy is False:
            raise BufferError(_why_copy(x, whole, wanted))
        return _export_copy(x, wanted, versioned, stream, bfloat16)
    if not versioned and _core.memory_traits(x)[2]:
        raise BufferError(
            "the array's memory is read-only, which a DLPack capsule before version 1 cannot say; ask with "
            "max_version=(1, 0) or copy=True"
        )
    _order(x, wanted, stream)
    return _core.dlpack_export(x, *wanted, versioned, False, bfloat16)


def _export_copy(x: Array, wanted: tuple[int, int], versioned: bool, stream: object, bfloat16: bool) -> Any:
    if wanted[0] == CPU:
        return _core.dlpack_export_host(x.copy_to_host(), versioned, bfloat16)
    fresh = x.copy()
    if wanted not in _reachable(fresh):
        target = _device_for(wanted)
        if target is None:
            raise BufferError(f"there is no device here for DLPack's device {wanted}; ask for (1, 0), the host")
        fresh = fresh.to_device(target)
    _order(fresh, wanted, stream)
    return _core.dlpack_export(fresh, *wanted, versioned, True, bfloat16)


def _check_stream(own: tuple[int, int], stream: object) -> None:
    if own[0] in (CPU, OPENCL):
        if stream not in (None, -1):
            raise ValueError(f"{_NAMES[own[0]]} has no streams; stream is None, not {stream!r}")
    elif stream is not None and (not isinstance(stream, int) or stream == 0 or stream < -1):
        raise ValueError(
            f"stream is None or 1 (legacy default), 2 (default of each thread), a stream's address, or -1 (no order), "
            f"not {stream!r}"
        )


def _order(x: Array, wanted: tuple[int, int], stream: Any) -> None:
    """Make the data ready for the consumer: in its stream's order, or by waiting where it has none."""
    if stream == -1 or x.size == 0:
        return
    _core.expose(x)  # first of all, because it enqueues what reads the array
    host_side = wanted[0] != CUDA and stream is None  # NumPy takes pinned and managed memory and knows no streams
    if wanted[0] in (CPU, OPENCL) or host_side:
        _core.wait(x.queue)
    else:
        _core.order_stream(x, _LEGACY_STREAM if stream is None else stream)


def _why_copy(x: Array, whole: bool, wanted: tuple[int, int]) -> str:
    if not whole:
        return f"strides of {x.strides} bytes are no whole elements of {x.dtype} and need a copy; copy=False was given"
    name = _NAMES.get(wanted[0], f"device type {wanted[0]}")
    return f"{_core.memory_traits(x)[0]} memory of {x.device} reaches {name} by a copy only; copy=False was given"


# --- import --------------------------------------------------------------------------------------------------------


def from_dlpack(x: object, /, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """An array on the memory of another library's array.

    Parameters
    ----------
    x : object
        With ``__dlpack__`` and ``__dlpack_device__``: a NumPy, CuPy or PyTorch array, and so on.
    device : Device or str, optional
        Where the array is made; by default the current device.
    copy : bool, optional
        True: always copy. False: never, raise BufferError where a copy is needed. None: where it is needed.

    Returns
    -------
    Array
        Its memory is exposed: work on it is not deferred. It keeps the memory of `x` alive.

    Raises
    ------
    BufferError
        Where the data cannot be had, or not without a copy and `copy` is False. It is a ValueError, too.
    AttributeError
        Where `x` does not have the two methods.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> (da.from_dlpack(np.arange(3), device=da.device()) + 1).copy_to_host()
    array([1, 2, 3])
    """
    target = None if device is None else _find(device)
    if isinstance(x, Array):
        return _from_own(x, target, copy)
    _require_computed(x)
    if target is None and copy is None and not getattr(x, "requires_grad", False):  # __dlpack__ refuses those
        found = _core.exchanged(x)
        if found is not None:
            return found
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise AttributeError(f"from_dlpack takes what has __dlpack__ and __dlpack_device__, not {type(x).__name__}")
    here = x.__dlpack_device__()
    source = (int(here[0]), int(here[1]))
    native = _device_for(source, target)
    if native is None and (target is None or copy is False):
        raise BufferError(
            f"{_NAMES.get(source[0], 'DLPack device')} {source} is used in place by "
            f"{'no device here' if target is None else f'no memory of {target}'}; give device= and a copy= that is not "
            "False"
        )
    queue = None if native is None or native.driver != "cuda" else _queue_of(native)
    through_host = native is None and source[0] not in (CPU, CUDA_HOST, CUDA_MANAGED)
    capsule = _ask(x, source, queue, (CPU, 0) if through_host else None, copy)
    return _place(_core.ImportedTensor(capsule), native, target, copy, queue)


def _require_computed(x: Any) -> None:
    """BufferError for PyTorch's tensors whose conjugate or sign is still to be taken, of which DLPack says nothing."""
    for name, remedy in (("is_conj", "resolve_conj"), ("is_neg", "resolve_neg")):
        if hasattr(x, name) and getattr(x, name)():
            raise BufferError(
                f"from_dlpack: memory does not hold the elements of a tensor whose {name}() is true; give x.{remedy}()"
            )


def _find(spec: Device | str) -> Device:
    return device(spec)


def _from_own(x: Array, target: Device | None, copy: bool | None) -> Array:
    if target is not None and target is not x.device:
        if copy is False:
            raise BufferError(f"from_dlpack: moving from {x.device} to {target} needs a copy; copy=False was given")
        return x.to_device(target)
    return x.copy() if copy else x[...]


def _device_for(source: tuple[int, int], target: Device | None = None) -> Device | None:
    """The device on which memory of a DLPack device is used in place; `target` or the current one where both can."""
    number, index = source
    wish = device(None) if target is None else target
    if number in (CPU, CUDA_HOST) or (number == CUDA_MANAGED and wish.driver != "cuda"):
        fits = [d for d in devices() if d.type == "cpu" or (number == CUDA_HOST and d.driver == "cuda")]
    elif number == CUDA:
        fits = [d for d in devices() if d.driver == "cuda" and d.index == index]
    elif number == CUDA_MANAGED:
        fits = [d for d in devices() if d.driver == "cuda"]
    elif number == OPENCL:
        fits = [d for d in devices() if d.driver == "opencl" and d.index == index]
    else:
        fits = []
    if wish in fits:
        return wish
    on_host = number in (CPU, CUDA_HOST, CUDA_MANAGED)
    return fits[0] if fits and not (on_host and target is not None) else None


def _ask(
    x: Any, source: tuple[int, int], queue: Queue | None, wanted: tuple[int, int] | None, copy: bool | None
) -> Any:
    """The producer's capsule; producers before version 1 know no keyword but `stream`."""
    stream: dict[str, Any] = {}
    if source[0] in (CUDA, CUDA_MANAGED, CUDA_HOST) and queue is not None:
        stream["stream"] = queue._handle or _LEGACY_STREAM
    more: dict[str, Any] = {"max_version": _VERSION}
    if wanted is not None:
        more["dl_device"] = wanted
    if copy is False:
        more["copy"] = False
    try:
        return x.__dlpack__(**stream, **more)
    except TypeError:
        if wanted is not None:
            raise
        return x.__dlpack__(**stream)


def _place(tensor: Any, native: Device | None, target: Device | None, copy: bool | None, queue: Queue | None) -> Any:
    """The tensor as an array; numbers in bfloat16 as an OpaqueArray of ml_dtypes' dtype."""
    if tensor.version[0] > _VERSION[0]:
        raise BufferError(f"the producer gave DLPack {tensor.version}, devarray reads up to {_VERSION}")
    if tensor.dtype != _BFLOAT16:
        return _placed(tensor, _DTYPES.get(tensor.dtype), native, target, copy, queue)
    try:
        import ml_dtypes  # noqa: F401 - makes the dtype known to NumPy
    except ImportError:
        raise BufferError("numbers in bfloat16 want NumPy's dtype of that name: pip install ml_dtypes") from None
    return _placed(tensor, np.dtype(np.uint16), native, target, copy, queue).view("bfloat16")


def _placed(
    tensor: Any,
    dtype: np.dtype | None,
    native: Device | None,
    target: Device | None,
    copy: bool | None,
    queue: Queue | None,
) -> Array:
    if dtype is None:
        raise BufferError(f"DLPack dtype (code, bits, lanes) {tensor.dtype} is none of devarray's: {', '.join(DTYPES)}")
    host_copy = copy is True and tensor.device[0] in (CPU, CUDA_HOST)  # done when it returns: the host may write then
    x = None if native is None or host_copy else _in_place(tensor, dtype, native, queue)
    if x is None:
        if copy is False:
            raise BufferError(f"{native} cannot use this host memory in place; copy=False was given")
        where = native if target is None else target
        assert where is not None
        return _from_host(tensor.host_view(dtype), where)
    if target is not None and target is not x.device:
        if copy is False:
            raise BufferError(f"from_dlpack: moving from {x.device} to {target} needs a copy; copy=False was given")
        return x.to_device(target)
    return x.copy() if copy else x


def _from_host(host: np.ndarray, where: Device) -> Array:
    fresh = _core.empty(host.shape, host.dtype, _queue_of(where))
    if host.size:
        _core.copy_from_host(fresh, host)
    return fresh


def _in_place(tensor: Any, dtype: np.dtype, where: Device, queue: Queue | None) -> Array | None:
    """An array on the tensor's memory, or None where the device cannot have it."""
    number = tensor.device[0]
    if 0 in tensor.shape:
        return _core.empty(tensor.shape, dtype, queue or _queue_of(where))
    if number == OPENCL:
        memory, offset = tensor.buffer()
    elif where.driver == "cuda" and number in _CUDA_KINDS:
        memory, offset = tensor.memory(where, _CUDA_KINDS[number])
    elif where.type == "cpu" and tensor.address % dtype.itemsize == 0:
        memory, offset = tensor.memory(where)
    else:
        return None
    if memory is None:
        return None
    own = queue or (None if number == OPENCL else _queue_of(where))
    return _core.from_allocation(memory, tensor.shape, dtype, tensor.strides, offset, own, read_only=tensor.read_only)


def _queue_of(where: Device) -> Any:
    """The current place's queue where it is of the device, else the device's own."""
    current, queue, _ = _core.current_place()
    return queue if current is where else where.default_queue


# --- what the C exchange table calls -------------------------------------------------------------------------------


def export_unordered(x: Array) -> Any:
    """A version-1 capsule of an array whose memory wants more than `quick_tensor` of the core does."""
    return export(x, stream=-1 if own_device(x)[0] == CUDA else None, max_version=_VERSION)


def from_capsule(capsule: object) -> Array:
    """An array on what a capsule holds."""
    tensor = _core.ImportedTensor(capsule)
    native = _device_for(tensor.device)
    if native is None:
        raise BufferError(f"no device here reaches DLPack's device {tensor.device}")
    return _place(tensor, native, None, None, None)


def allocate(shape: tuple[int, ...], dtype: tuple[int, int, int], where: tuple[int, int]) -> Any:
    """A version-1 capsule of fresh memory."""
    native = _device_for(where)
    if native is None or dtype not in _DTYPES:
        raise BufferError(f"devarray has no memory for DLPack's device {where} and dtype {dtype}")
    return export_unordered(_core.empty(shape, _DTYPES[dtype], native.default_queue))


def current_stream(device_type: int, device_id: int) -> int:
    """The queue that work of the current place goes to, as CUDA's address of it; 0 for what has no streams."""
    native = _device_for((device_type, device_id)) if device_type in (CUDA, CUDA_MANAGED) else None
    return 0 if native is None else _queue_of(native)._handle
