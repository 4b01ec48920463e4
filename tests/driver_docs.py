"""The docstrings of the drivers' namespaces: which there are, what they say of parameters, runs of examples."""

from __future__ import annotations

import doctest
import enum
import importlib
import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

from devarray.cl._constants import Constants

NAMESPACES = ("devarray.alloc", "devarray.cl", "devarray.cl.tools", "devarray.cuda", "devarray.cuda.compiler")

CL_SOURCE = "kernel void twice(global float* a) { a[get_global_id(0)] *= 2; }"
CUDA_SOURCE = """
__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }
__global__ void count(float* a) { a[threadIdx.x] = threadIdx.x; }
"""
"""The kernels that examples use."""


def documented(namespace: str) -> Iterator[tuple[str, Any]]:
    """Every public class, function and method of a namespace by its dotted name; not errors and tables of constants."""
    module = importlib.import_module(namespace)
    for name in module.__all__:
        found = getattr(module, name)
        if isinstance(found, type):
            if issubclass(found, (enum.Enum, Constants, BaseException)):
                continue
            yield f"{namespace}.{name}", found
            for method, raw in vars(found).items():
                bound = getattr(found, method)
                if not method.startswith("_") and not isinstance(raw, property) and callable(bound):
                    yield f"{namespace}.{name}.{method}", bound
        elif callable(found) and not isinstance(found, (types.UnionType, types.GenericAlias)):
            yield f"{namespace}.{name}", found


def text_of(found: Any) -> str:
    """A docstring without the signature that pybind11 puts in front."""
    text = inspect.getdoc(found) or ""
    first, _, rest = text.partition("\n")
    return rest.lstrip("\n") if re.fullmatch(r"\w+\(.*\)( -> .*)?", first) else text


def section(text: str, title: str) -> list[str]:
    """The lines of a section of a docstring."""
    match = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1].split("\n") if match else []


def told_parameters(text: str) -> set[str]:
    """The names that the section Parameters has."""
    heads = [line.split(" : ")[0] for line in section(text, "Parameters") if line and not line.startswith(" ")]
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


def taken_parameters(found: Any) -> set[str] | None:
    """The names that a call takes; None where there are several forms, or none is known."""
    if isinstance(found, type):
        found = found.__init__ if "__init__" in vars(found) or found.__new__ is object.__new__ else found
    try:
        parameters = inspect.signature(found).parameters
        if list(parameters) not in (["self", "args", "kwargs"], ["args", "kwargs"]):
            return {name for name in parameters if name != "self"}
    except (TypeError, ValueError):
        pass
    line = (inspect.getdoc(found) or "").split("\n")[0]
    match = re.fullmatch(r"\w+\((.*)\)( -> .*)?", line)
    if not match or match[1] == "*args, **kwargs":  # overloads
        return None
    plain = re.sub(r"\[[^][]*\]", "", re.sub(r"\[[^][]*\]", "", match[1]))
    names = {
        part.split(":")[0].split("=")[0].strip().lstrip("*") for part in re.split(r", (?=\*{0,2}\w+\b[:=]|\*)", plain)
    }
    return names - {"self", "", "arg0"}


def failures(name: str, text: str, known: dict[str, Any]) -> str:
    """What the examples of a docstring print that they should not; the empty text where all is well."""
    test = doctest.DocTestParser().get_doctest(text, dict(known), name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append)
    return "".join(report)


def cl_names() -> dict[str, Any]:
    """What the examples of devarray.cl take for granted."""
    import numpy as np

    from devarray import cl

    ctx = cl.create_some_context(answers=["0"])
    ones = np.ones(4, np.float32)
    buf = cl.Buffer(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=ones)
    prg = cl.Program(ctx, CL_SOURCE).build()
    return {"np": np, "cl": cl, "ctx": ctx, "queue": cl.CommandQueue(ctx), "ones": ones, "buf": buf, "prg": prg}


def cuda_names() -> dict[str, Any]:
    """What the examples of devarray.cuda take for granted, in the current context."""
    import numpy as np

    from devarray import cuda
    from devarray.cuda.compiler import SourceModule

    mod = SourceModule(CUDA_SOURCE, cache_dir=False)
    return {"np": np, "cuda": cuda, "mod": mod, **{k: mod.get_function(k) for k in ("doublify", "count")}}
