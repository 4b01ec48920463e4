"""Statements that call the larger functions: transforms, linear algebra, ufuncs' methods, orders, kept scalars.

Each takes the Generator and returns a Statement, or raises Unfit where no living array is one for it. What differs on
purpose is never made:

- Real transforms of float16: NumPy's of one axis give float16, its others float32, as devarray's all do.
- Norms of float16: NumPy squares in float16, which overflows.
- Reductions of bools with `out=`: NumPy adds up in the dtype of the result, bools then as truths.
- `where=` stands with `out=`: elements that are left out have no value otherwise. It shares no memory with operands:
  where NumPy casts, it then writes elements that are left out, too.
- `add.at` of numbers of a kind that the array cannot hold: NumPy cuts them off there, as no other ufunc does.
- Right-hand sides of float16: NumPy refuses them, devarray computes.
- Integers beside an array whose dtype cannot hold them, with `where=`: comparing them, NumPy 2.4 ends the process.
- A full index is copied: NumPy makes a scalar of `x[0]`, devarray a view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from fuzzing.bounds import EXACT, Unfit, largest
from fuzzing.program import Statement

if TYPE_CHECKING:
    from fuzzing.generate import Generator

_TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftshift",
               "ifftshift")  # fmt: skip
_NORMS = (None, 1, np.inf, -np.inf, "fro")
_METHODS = {"add": "total", "multiply": "shrinking", "maximum": "extreme", "minimum": "extreme",
            "logical_and": "exact", "logical_or": "exact", "bitwise_xor": "exact"}  # fmt: skip


def transform(g: Generator) -> Statement:
    """Of one axis or the last two, cut or filled up to a length."""
    kind = g.rng.choice(_TRANSFORMS)
    both, shift = kind.endswith("2"), kind.endswith("shift")
    real = kind in ("rfft", "ihfft", "rfft2")
    name = g.operand(lambda x: x.ndim > both and x.dtype.kind in ("biuf" if real else "biufc"))
    x = g.value(name)
    if kind in ("irfft", "hfft") and x.dtype == np.float16:
        raise Unfit("NumPy's dtype")
    if shift:
        axes = f"axes={g.axis(x)}" if g.rng.random() < 0.5 else ""
        return g.bound(f"xp.fft.{kind}({name}{', ' * bool(axes)}{axes})", "same", name)
    norm = g.rng.choice(("", "", ", norm='ortho'", ", norm='forward'"))
    if both:
        terms = 2 * x.shape[-1] * x.shape[-2]
        return g.bound(f"xp.fft.{kind}({name}{norm})", "transform", name, f"np.empty({terms})")
    axis = g.axis(x)
    length = g.rng.choice((None, None, None, *g.words.lengths[:2]))
    terms = 2 * max(length or 0, x.shape[axis])
    size = f", n={length}" if length is not None else ""
    return g.bound(f"xp.fft.{kind}({name}{size}, axis={axis}{norm})", "transform", name, f"np.empty({terms})")


def norm(g: Generator) -> Statement:
    name = g.operand(lambda x: x.ndim > 0 and x.dtype != np.float16)
    x = g.value(name)
    if x.ndim > 1 and g.rng.random() < 0.5:
        axes, order = str(tuple(g.rng.sample(range(x.ndim), 2))), g.rng.choice(_NORMS)
    else:
        axes, order = str(g.axis(x)), g.rng.choice((*_NORMS[:4], 0, 2))
    order = f"xp.{order}".replace("-", "") if isinstance(order, float) and order > 0 else repr(order)
    order = order.replace("-inf", "-xp.inf")
    keep = ", keepdims=True" if g.rng.random() < 0.3 else ""
    return g.bound(f"xp.linalg.norm({name}, {order}, axis={axes}{keep})", "norm", name)


def system(g: Generator) -> Statement:
    """Matrices whose diagonals outweigh their rows."""
    n = g.rng.choice((1, 2, 3, 5, 8))
    found = g.arrays(lambda x: x.ndim == 2 and min(x.shape) >= n)
    made = f"lib.make(data({g.rng.choice(g.words.dtypes)!r}, ({n}, {n}), {g.seed()}))"
    name = g.rng.choice([*found, made])
    size = largest(g.value(name)[:n, :n])
    if not size < 1e4:
        raise Unfit("would not be well-conditioned")
    eye = f"xp.eye({n}, dtype={g.rng.choice(('float64', 'float32'))!r})"
    matrix = f"({name}[:{n}, :{n}] + {2 * n * int(size + 1)} * {eye})"
    if g.rng.random() < 0.2:
        matrix = f"xp.stack([{matrix}, 2 * {matrix}])"
    kind = g.rng.choice(("inv", "det", "solve"))
    if kind == "det":
        return g.bound(f"xp.linalg.det({matrix})", "determinant", matrix, name)
    if kind == "inv":
        return g.bound(f"xp.linalg.inv({matrix})", "solved", matrix, f"np.eye({n})", name)
    rights = g.arrays(lambda x: x.ndim == 2 and x.shape[0] >= n and x.dtype != np.float16)
    right = f"{g.rng.choice(rights)}[:{n}]" if rights else f"xp.eye({n})"
    return g.bound(f"xp.linalg.solve({matrix}, {right})", "solved", matrix, right, name)


def method(g: Generator) -> Statement:
    """Of ufuncs: reduce, accumulate, outer, reduceat."""
    operation = g.rng.choice(list(_METHODS))
    kinds = "biu" if operation.startswith("bit") else "biuf" if operation.startswith("logical") else "biufc"
    name = g.operand(lambda x: x.ndim > 0 and x.size > 0 and x.dtype.kind in kinds)
    x = g.value(name)
    axis, rule = g.axis(x), _METHODS[operation]
    kind = g.rng.choice(("reduce", "accumulate", "outer", "reduceat"))
    if kind in ("reduce", "accumulate") and operation.startswith("bit"):
        raise Unfit("sums, products, extremes and logic have them")
    if kind == "outer":
        other = g.operand(lambda y: y.size * x.size < 5000 and y.ndim + x.ndim < 5 and y.dtype.kind in kinds)
        return g.bound(f"xp.{operation}.outer({name}, {other})", g.rule(operation, name, other), name, other)
    if kind == "reduceat":
        starts = [g.rng.randrange(x.shape[axis]) for _ in range(g.rng.randint(1, 4))]
        index = f"lib.make(np.array({starts}, 'int64'))"
        return g.bound(f"xp.{operation}.reduceat({name}, {index}, axis={axis})", rule, name)
    keep = ", keepdims=True" if kind == "reduce" and g.rng.random() < 0.3 else ""
    if kind == "accumulate" and rule == "total":
        rule = "running"
    return g.bound(f"xp.{operation}.{kind}({name}, axis={axis}{keep})", rule, name)


def at(g: Generator) -> Statement:
    """Places may come more than once."""
    name = g.pick(lambda x: x.ndim > 0 and x.shape[0] > 0 and x.flags.writeable and x.dtype.kind in "iuf")
    x = g.value(name)
    chosen = [g.rng.randrange(x.shape[0]) for _ in range(g.rng.randint(1, 9))]
    other = g.beside(x[chosen], True)
    if not np.can_cast(np.result_type(x, g.value(other)), x.dtype, "same_kind"):
        raise Unfit("cut off")
    operation = g.rng.choice(("add", "maximum", "minimum", "bitwise_xor"))
    if operation == "bitwise_xor" and x.dtype.kind == "f":
        operation = "add"
    # On GPUs floats are added in another order.
    rule = "added" if operation == "add" else _METHODS[operation]
    text = f"xp.{operation}.at({name}, lib.make(np.array({chosen}, 'int64')), {other})"
    return Statement(text, rule, (name, other), name)


def masked_output(g: Generator) -> Statement:
    """`out=` with `where=`."""
    target = g.operand(lambda y: y.flags.writeable)
    x = g.value(target)
    masks = g.arrays(lambda y: y.dtype.kind == "b" and _fits(y, x))
    masks = [mask for mask in masks if not np.shares_memory(g.value(mask), x)]
    if g.reference.bound(x) == EXACT:
        masks.append(f"{target} != 0")
    if not masks:
        raise Unfit("rounding decides what is 0")
    mask = g.rng.choice(masks)
    a = g.operand(lambda y: _fits(y, x) and not np.shares_memory(x, y))
    if g.rng.random() < 0.3:
        operation = g.rng.choice(g.words.unary)
        text = f"xp.{g.ufunc(operation)}({a}, out={target}, where={mask})"
        return Statement(text, g.rule(operation, a), (a,), target)
    operation, b = g.rng.choice(g.words.binary), g.beside(x, True)
    if b[0] == "v" and np.shares_memory(g.value(b), x):
        raise Unfit("NumPy writes what it leaves out, too, where it casts into memory that it reads")
    g.require_range(a, b)
    text = f"xp.{g.ufunc(operation)}({a}, {b}, out={target}, where={mask})"
    return Statement(text, g.rule(operation, a, b), (a, b), target)


def reduced_part(g: Generator) -> Statement:
    """Reductions with `where=`, `initial=` and `out=`."""
    name = g.operand(lambda x: x.ndim > 0)
    x = g.value(name)
    kind, rule = g.rng.choice((("sum", "total"), ("prod", "shrinking"), ("max", "extreme"), ("min", "extreme"),
                               ("any", "exact"), ("all", "exact")))  # fmt: skip
    axis = g.axis(x)
    keep = options = ", keepdims=True" if g.rng.random() < 0.3 else ""
    if kind not in ("any", "all") and (g.rng.random() < 0.5 or kind in ("max", "min")):
        options += f", initial={g.rng.choice(('0', '1', '2'))}"
    masks = g.arrays(lambda y: y.dtype.kind == "b" and _fits(y, x))
    if masks and g.rng.random() < 0.6:
        options += f", where={g.rng.choice(masks)}"
    text = f"xp.{kind}({name}, axis={axis}{options}"
    if g.rng.random() < 0.3:
        shape = np.any(x, axis=axis, keepdims=bool(keep)).shape
        target = g.operand(lambda y: y.flags.writeable and y.shape == shape and y.dtype.kind == x.dtype.kind)
        return Statement(f"{text}, out={target})", rule, (name,), target)
    return g.bound(f"{text})", rule, name)


def indexed(g: Generator) -> Statement:
    """Several index arrays that broadcast, beside slices, new axes and masks."""
    name = g.pick(lambda x: x.ndim > 1 and min(x.shape) > 0 and x.flags.writeable)
    x = g.value(name)
    shape = g.rng.choice(((3,), (1,), (2, 2), (0,), (5,)))
    keys, free = [], g.rng.randrange(x.ndim)
    for axis, size in enumerate(x.shape):
        sort = g.rng.random()
        if axis == free or sort < 0.5:
            here = g.rng.choice((shape, shape, (1,)))
            places = [g.rng.randrange(-size, size) for _ in range(int(np.prod(here)))]
            dtype = g.rng.choice(("int64", "int32"))
            keys.append(f"lib.make(np.array({places}, {dtype!r}).reshape({here}))")
        elif sort < 0.8:
            keys.append(g.slice(size))
        elif sort < 0.9:
            keys.append(str(g.rng.randrange(size)))
        else:
            keys += ["None", ":"]
    if g.rng.random() < 0.7:
        return g.bound(f"{name}[{', '.join(keys)}]", "same", name)
    other = g.rng.choice(g.words.scalars)  # one value, so that it matters not which place comes last
    key = ", ".join(keys)
    if np.iscomplexobj(g.value(other)) and x.dtype.kind != "c":
        raise Unfit("cut off")
    return Statement(f"{name}[{key}] = {other}", "cast", (other, name), name)


def order(g: Generator) -> Statement:
    name = g.operand(lambda x: x.ndim > 0 and x.dtype.kind != "c")
    x = g.value(name)
    axis = g.axis(x)
    part = g.rng.randrange(3)
    flags = g.rng.choice(("return_index", "return_inverse", "return_counts"))
    sorted_name = f"xp.sort({name}.ravel())"
    values = g.operand(lambda y: y.dtype == x.dtype)
    side = g.rng.choice(("left", "right"))
    text, rule = (
        (f"xp.unique({name}, {flags}=True)[1]", "exact"),
        (f"xp.searchsorted({sorted_name}, {values}, side={side!r})", "exact"),
        (f"xp.take_along_axis({name}, xp.argsort({name}, axis={axis}, stable=True), axis={axis})", "exact"),
    )[part]
    if g.rng.random() < 0.3 and x.flags.writeable and name.isidentifier():
        return Statement(f"{name}.sort(axis={axis})", "extreme", (name,), name)
    return g.bound(text, rule, name)


def scalar(g: Generator) -> Statement:
    """A scalar that is kept while its array is written, one that is added to, and elements that change places."""
    sort = g.rng.random()
    if sort < 0.2:
        name, other = g.pick(lambda x: x.ndim == 0), g.beside(np.zeros(()), True)
        return Statement(f"{g.new()} = lib.kept(lib.added({name}, {other}))", g.rule("add", name, other), (name, other))
    if sort < 0.3:
        name = g.operand()
        return Statement(f"{g.new()} = lib.kept(xp.max({name}))", "extreme", (name,))
    name = g.pick(lambda x: x.size > 0 and (sort < 0.8 or x.flags.writeable))
    x = g.value(name)
    first, second = (", ".join(str(g.rng.randrange(-n, n)) for n in x.shape) or "()" for _ in range(2))
    if sort < 0.7:
        return Statement(f"{g.new()} = lib.kept({name}[{first}])", "same", (name,))
    if sort < 0.8:
        other = g.operand()
        return g.bound(f"{other} + {name}[{first}].item()", "sum", other, name)
    return Statement(f"{name}[{first}], {name}[{second}] = {name}[{second}], {name}[{first}]", "same", (name,), name)


def _fits(y: np.ndarray, x: np.ndarray) -> bool:
    """Whether y broadcasts to x's shape."""
    try:
        return np.broadcast_shapes(x.shape, y.shape) == x.shape
    except ValueError:
        return False


FAMILIES: dict[str, Callable[[Generator], Statement]] = {
    "transform": transform, "norm": norm, "system": system, "method": method, "at": at,
    "masked_output": masked_output, "reduced_part": reduced_part, "indexed": indexed, "order": order,
}  # fmt: skip
