"""A kernel's call as a program of its own, which repeats it: for reports of errors in drivers."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from operator import index
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.arguments import expect
from devarray.array import Array
from devarray.cl import _constants as constants
from devarray.cl._events import wait_for_events
from devarray.cl._transfer import enqueue_copy
from devarray.errors import DTypeError, ValueError

__all__ = ["capture_call"]

_PROGRAM = '''\
"""A call of the kernel {name}, captured on {device} ({platform})."""

import base64
import zlib

import numpy as np

from devarray import cl
from devarray.cl import array as cl_array

SOURCE = r"""
{source}
"""


def host(data, dtype, shape):
    return np.frombuffer(zlib.decompress(base64.b64decode(data)), dtype).reshape(shape)


def main():
    """Run the call, and return its arguments."""
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build(options={options!r})
    args = [
{arguments}
    ]
    kernel = cl.Kernel(program, {name!r})
    types = {types!r}
    if types:
        kernel.set_scalar_arg_dtypes(types)
    kernel(
        queue,
        {global_size!r},
        {local_size!r},
        *args,
        global_offset={global_offset!r},
        g_times_l={g_times_l!r},
        allow_empty_ndrange={allow_empty_ndrange!r},
    )
    queue.finish()
    return args


if __name__ == "__main__":
    main()
'''


def capture_call(
    kernel: Any,
    output_file: Any,
    queue: Any,
    global_size: Any,
    local_size: Any,
    *args: Any,
    wait_for: Any = None,
    g_times_l: bool = False,
    allow_empty_ndrange: bool = False,
    global_offset: Any = None,
) -> None:
    """What ``Kernel.capture_call`` does. Parameters are that method's, behind the kernel."""
    expect("capture_call", "queue", queue, _core.cl.CommandQueue)
    if not isinstance(output_file, str | os.PathLike) and not hasattr(output_file, "write"):
        raise DTypeError(f"capture_call: output_file is a path or a text file, not {type(output_file).__name__}")
    source = kernel.program.source
    if not source:
        raise ValueError(f"capture_call: the program of {kernel.function_name} was made of a binary, not of a source")
    if '"""' in source:
        raise ValueError('capture_call: a source with """ in it does not fit into a program of Python')
    wait_for_events(wait_for)
    text = _PROGRAM.format(
        name=kernel.function_name,
        device=queue.device.name,
        platform=queue.device.platform.name,
        source=source,
        types=kernel._arg_types,
        options=kernel.program.get_build_info(queue.device, constants.program_build_info.OPTIONS),
        arguments="\n".join(f"        {line}," for line in _written(queue, args, kernel._arg_types)),
        global_size=_sizes("global_size", global_size),
        local_size=_sizes("local_size", local_size),
        global_offset=_sizes("global_offset", global_offset),
        g_times_l=bool(g_times_l),
        allow_empty_ndrange=bool(allow_empty_ndrange),
    )
    with open(output_file, "w") if isinstance(output_file, str | os.PathLike) else nullcontext(output_file) as file:
        file.write(text)


def _sizes(name: str, given: Any) -> Any:
    if given is None:
        return None
    try:
        return index(given) if hasattr(given, "__index__") else tuple(map(index, given))
    except TypeError:
        raise DTypeError(f"capture_call: {name} is an int or a sequence of int, not {given!r:.60}") from None


def _written(queue: Any, args: tuple[Any, ...], types: list[str | None]) -> Iterator[str]:
    """Python's text of each argument, with its values."""
    for number, x in enumerate(args):
        if x is None:
            yield "None"
        elif isinstance(x, Array | OpaqueArray):
            yield f"cl_array.to_device(queue, {_host(np.ascontiguousarray(x.copy_to_host()))})"
        elif isinstance(x, _core.cl.LocalMemory):
            yield f"cl.LocalMemory({x.size})"
        elif isinstance(x, _core.cl.Buffer):
            held = np.empty(x.size, np.uint8)
            enqueue_copy(queue, held, x)
            access = x.flags & (
                constants.mem_flags.READ_WRITE | constants.mem_flags.READ_ONLY | constants.mem_flags.WRITE_ONLY
            )
            yield f"cl.Buffer(context, {int(access)} | cl.mem_flags.COPY_HOST_PTR, hostbuf={_host(held)})"
        elif isinstance(x, np.generic | np.ndarray):
            yield f"{_host(np.asarray(x))}[()]"
        elif isinstance(x, int | float | complex) and number < len(types) and types[number]:
            yield _number(x)
        else:
            raise DTypeError(
                f"capture_call: argument {number} is {type(x).__name__}; arrays, buffers, LocalMemory, None, "
                "NumPy's numbers, of the parameters' types, and Python's where set_scalar_arg_dtypes gave a type, "
                "can be captured"
            )


def _number(x: complex) -> str:
    """Python's text for a number, infinities and NaN too."""
    if isinstance(x, int):
        return repr(int(x))
    kind = float if isinstance(x, float) else complex
    return f"{kind.__name__}({str(x)!r})"


def _host(values: np.ndarray) -> str:
    data = base64.b64encode(zlib.compress(values.tobytes())).decode()
    dtype = values.dtype.descr if values.dtype.names else values.dtype.str
    return f"host({data!r}, {dtype!r}, {values.shape!r})"
