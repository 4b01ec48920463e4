"""What can be called, and hostile calls of it."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterator
from typing import Any

from abusing import zoo

MODULES = {
    "da": zoo.da,
    "da.linalg": zoo.linalg,
    "da.fft": zoo.fft,
    "da.random": zoo.random,
    "da.lib.stride_tricks": zoo.lib.stride_tricks,
    "da.alloc": zoo.alloc,
    "da.special": zoo.da.special,
    "da.testing": zoo.da.testing,
    "da.compiler": zoo.da.compiler,
    "cl": zoo.cl,
    "cl.tools": zoo.cl.tools,
    "cl.characterize": zoo.cl.characterize,
    "cl.array": zoo.cl.array,
    "cl.algorithm": zoo.cl.algorithm,
    "cl.bitonic_sort": zoo.cl.bitonic_sort,
    "cl.clmath": zoo.cl.clmath,
    "cl.clrandom": zoo.cl.clrandom,
    "cl.cltypes": zoo.cl.cltypes,
    "cl.elementwise": zoo.cl.elementwise,
    "cl.reduction": zoo.cl.reduction,
    "cl.scan": zoo.cl.scan,
    "cuda": zoo.cuda,
    "cuda.compiler": zoo.cuda.compiler,
    "cuda.gpuarray": zoo.cuda.gpuarray,
    "cuda.cumath": zoo.cuda.cumath,
    "cuda.elementwise": zoo.cuda.elementwise,
    "cuda.reduction": zoo.cuda.reduction,
}

EXCLUDED = {
    r".*\.(from_int_ptr|_pybind11_conduit_v1_)$": "takes an address on trust",
    r"cl\.(SVMPointer|enqueue_svm_.*|SVMMap)$": "as above",
    r"cuda\.external_stream$": "as above",
    r".*enqueue_nd_range_kernel$|.*\(kernel\(\)\)\.__call__$": "runs a user's kernel over any number of items",
    r".*\.(pytest_generate_tests_for_pyopencl|get_test_platforms_and_devices)$": "pytest's",
    r"\(cl\.UserEvent\(context\(\)\)\)\.wait$": "waits until another thread sets the event, by its nature",
    r"da\.(Config|cl|cuda|alloc|compiler)$": "modules",
}
"""What is not called, and why."""

LONG = {
    r"benchmark\(.*2\*\*(31|40)": "runs a function as often as it was asked to",
    r"(nonzero|argwhere|random\.bytes|spawn)\W.*2\*\*(31|40)": "makes or counts as much as it was asked for",
    r"(bartlett|blackman|hamming|hanning|kaiser)\W.*2\*\*31": "as above: 16 GiB that a device may have",
    r"histogram\w*\W.*2\*\*40": "as above",
}
"""Calls that are not made, and why."""

_DUNDERS = [
    "__getitem__",
    "__setitem__",
    "__add__",
    "__radd__",
    "__iadd__",
    "__matmul__",
    "__pow__",
    "__eq__",
    "__lt__",
    "__contains__",
    "__call__",
    "__array__",
    "__dlpack__",
    "__array_ufunc__",
    "__array_function__",
    "__format__",
    "__reduce_ex__",
    "__deepcopy__",
    "__divmod__",
    "__lshift__",
    "__init__",
    "__setstate__",
    "__exit__",
    "__enter__",
    "__iter__",
    "__len__",
    "__bool__",
    "__int__",
    "__index__",
    "__float__",
    "__repr__",
    "__hash__",
    "__copy__",
    "__array_namespace__",
    "__array_wrap__",
    "__array_finalize__",
]


def targets() -> list[str]:
    """Expressions of everything that is called, by name."""
    found: dict[str, None] = {}
    for place, module in MODULES.items():
        for name in getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]:
            try:
                value = getattr(module, name)
            except AttributeError:
                continue
            if inspect.isclass(value) and (issubclass(value, BaseException) or _constants(value)):
                continue
            if inspect.isclass(value) and value.__module__.partition(".")[0] == "numpy":
                continue  # NumPy's bit generators: numpy.random.MT19937 of a list that holds itself ends the process
            if callable(value):
                found[f"{place}.{name}"] = None
            if inspect.isclass(value) and "devarray" in value.__module__:
                found |= dict.fromkeys(_of_class(f"{place}.{name}", value))
    found |= dict.fromkeys(_members("da.config", type(zoo.da.config)))
    return [t for t in found if not any(re.fullmatch(pattern, t) for pattern in EXCLUDED)]


def _constants(cls: type) -> bool:
    return cls.__name__[0].islower() and "devarray" in cls.__module__ and "__call__" not in vars(cls)


def _of_class(name: str, cls: type) -> Iterator[str]:
    short = name.removeprefix("da.").removeprefix("alloc.").removeprefix("random.")
    if short in zoo.live():
        yield from _members(zoo.live()[short], cls)
    if type(cls).__name__ == "pybind11_type" and cls.__new__ is not object.__new__:
        yield from _members(f"new({name})", cls)  # those of Python's own classes know nothing that could break


def _members(expression: str, cls: type) -> Iterator[str]:
    ours = {name for base in cls.__mro__ if "devarray" in base.__module__ for name in vars(base)}
    for name in sorted(n for n in ours if hasattr(cls, n)):  # cpu, cuda, numpy have none, and say so
        if not name.startswith("_") or name in _DUNDERS:
            yield f"({expression}).{name}"


def calls(target: str, count: int, seed: int) -> list[str]:
    """Hostile calls of a target: each value alone, each parameter once hostile among ordinary ones, and at random."""
    rng = random.Random(f"{seed} {target}")
    if target.startswith("(") and not _is_method(target):
        return [
            target,
            *(f"setattr({_owner(target)}, {target.rpartition('.')[2]!r}, {v})" for v in rng.sample(zoo.VALUES, 8)),
        ]
    parameters = _parameters(target)
    found = [f"{target}()"]
    found += [f"{target}({value})" for value in rng.sample(zoo.VALUES, min(count // 3, len(zoo.VALUES)))]
    while len(found) < count:
        if parameters and rng.random() < 0.7:
            found.append(f"{target}({_one_hostile(parameters, rng)})")
        else:
            ordinary = [*zoo.PLAUSIBLE.values(), "x()", "square()"]
            values = [rng.choice(zoo.VALUES if rng.random() < 0.5 else ordinary) for _ in range(rng.randint(1, 4))]
            found.append(f"{target}({', '.join(values)})")
    return list(dict.fromkeys(found))


def _owner(target: str) -> str:
    return target.rpartition(".")[0]


def _is_method(target: str) -> bool:
    owner, _, name = target.rpartition(".")
    cls = eval(owner[5:-2], vars(zoo)) if owner.startswith("(new(") else type(eval(owner, vars(zoo)))
    return callable(inspect.getattr_static(cls, name)) or isinstance(
        inspect.getattr_static(cls, name), staticmethod | classmethod
    )


def _parameters(target: str) -> list[inspect.Parameter]:
    try:
        found = inspect.signature(eval(target, vars(zoo)))
    except Exception:
        return []
    return [p for p in found.parameters.values() if p.kind is not p.VAR_KEYWORD]


def _one_hostile(parameters: list[inspect.Parameter], rng: random.Random) -> str:
    hostile = rng.choice(parameters)
    given = []
    for p in parameters:
        if p is not hostile and p.default is not p.empty:
            continue
        value = rng.choice(zoo.VALUES) if p is hostile else zoo.PLAUSIBLE.get(p.name, rng.choice(("x()", "square()")))
        named = p.kind is p.KEYWORD_ONLY or (p.kind is p.POSITIONAL_OR_KEYWORD and p.default is not p.empty)
        given.append(f"{p.name}={value}" if named else value)
    return ", ".join(sorted(given, key=lambda text: bool(re.match(r"\w+=", text))))


def namespace() -> dict[str, Any]:
    return dict(vars(zoo))
