"""Random programs. NumPy runs each statement as it is made, so that shapes and dtypes are known and most lines work.

A vocabulary limits dtypes, sizes and functions, as each new kernel is compiled once: all programs of a batch share one.
What differs on purpose is never made:

- `AVOIDED` in vocabulary.py lists operations and dtypes, with the reason; docs/differences.md has the documented ones.
- `searchsorted` of complex numbers, `tril` of one axis: devarray refuses them, as the Array API standard does.
- Sums and their like of complex numbers in a real dtype: NumPy drops the imaginary parts, devarray refuses.
- A NaN's bits, seen through another dtype after an operation made it, are the processor's (program.py keeps them out).
- Views that depend on the order in memory of a result of several axes (`reshape`, `ravel`, other item sizes): it is
  that of the operands of the whole kernel, and of another kernel than NumPy's. Such results are copied first.
- `unique` of complex numbers: of several NaN NumPy keeps the first in an order of its own.
- Integers beside an array whose dtype cannot hold them in `where`: it follows NumPy's version.
- Index arrays lie inside (devarray tells of the others at the next wait), and those of writes name no place twice.
- Views that overlap themselves are not written (NumPy forbids it, or does not define it).
- A full index that is to be a view is written with an Ellipsis: `x[0]` is a scalar (library.py's `scalar` keeps some).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from devarray.ops.table import OPS
from fuzzing import library
from fuzzing.bounds import Unfit
from fuzzing.program import CHECK, Program, Reference, Statement, owner
from fuzzing.views import VIEWS, views_of_pending
from fuzzing.vocabulary import AVOIDED, DTYPES, EXACT, LARGEST, OPERATORS, REDUCTIONS, RULES, Vocabulary
from fuzzing.vocabulary import most_elements as most

ARRAYS = 12
"""Alive at a time."""


class Generator:
    """Makes one program.

    Parameters
    ----------
    seed : int
    vocabulary : Vocabulary
    length : int
        Statements.
    """

    def __init__(self, seed: int, vocabulary: Vocabulary, length: int) -> None:
        self.rng, self.words, self.length = random.Random(seed), vocabulary, length
        self.reference = Reference()
        self.program: Program = []
        self._count = 0
        self._created: list[np.ndarray] = []

    def make(self) -> Program:
        for _ in range(3):
            self._add(self.create(), True)
        families, weights = zip(*_FAMILIES, strict=True)
        for _ in range(self.length * 4):
            if len(self.program) >= self.length:
                break
            try:
                family = self.rng.choices(families, weights)[0]
                self._add(family(self), family is Generator.create)
            except Unfit:
                continue
        return self.program

    def _add(self, statement: Statement | None, created: bool = False) -> None:
        if statement is None:
            return
        before = dict(self.reference.names)
        error = self.reference.step(statement)
        wrong = (error is not None and self.rng.random() > 0.1) or any(
            most(self.reference.names[name].shape) > LARGEST or self.reference.names[name].ndim > 5
            for name in statement.binds
            if name in self.reference.names
        )
        if wrong:
            self.reference.names.clear()
            self.reference.names.update(before)
            if statement.writes and error is None:
                raise AssertionError(f"a write cannot be taken back: {statement}")
            return
        self.program.append(statement)
        if created:
            self._created += [owner(self.value(name)) for name in statement.binds if name in self.reference.names]

    # --- what statements are made of ---------------------------------------------------------------------------------

    def new(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def arrays(self, fits: Callable[[np.ndarray], bool] = lambda x: True) -> list[str]:
        return [name for name, x in self.reference.names.items() if fits(x)]

    def pick(self, fits: Callable[[np.ndarray], bool] = lambda x: True) -> str:
        """A living array that fits, the younger the likelier."""
        found = self.arrays(fits)
        if not found:
            raise Unfit("no such array")
        return found[-1 - min(int(self.rng.expovariate(0.4)), len(found) - 1)]

    def value(self, name: str) -> np.ndarray:
        return self.reference.value(name)

    def ordered(self, x: np.ndarray) -> bool:
        """Whether both libraries have x in the same order in memory."""
        memory = owner(x)
        return memory.ndim < 2 or any(memory is made for made in self._created)

    def operand(self, fits: Callable[[np.ndarray], bool] = lambda x: True) -> str:
        """An array or a view of one."""
        name = self.pick(fits)
        if self.rng.random() < 0.25:
            view = f"{name}{self.key(self.value(name).shape)}"
            if fits(self.value(view)):
                return view
        return name

    def beside(self, x: np.ndarray, within: bool = False) -> str:
        """An operand that broadcasts with x (to x's shape, where `within`), or a scalar."""
        if self.rng.random() < 0.25:
            return self.rng.choice(self.words.scalars)

        def fits(y: np.ndarray) -> bool:
            try:
                shape = np.broadcast_shapes(x.shape, y.shape)
            except ValueError:
                return self.rng.random() < 0.02
            return shape == x.shape if within else most(shape) <= LARGEST

        return self.operand(fits)

    def key(self, shape: tuple[int, ...]) -> str:
        """Basic indexing that leaves a view."""
        parts = []
        for size in shape[: self.rng.randint(0, len(shape))]:
            sort = self.rng.random()
            if sort < 0.2 and size:
                parts.append(str(self.rng.randrange(-size, size)))
            elif sort < 0.3:
                parts.append(":")
            elif sort < 0.4:
                parts += ["None", ":"]
            else:
                parts.append(self.slice(size))
        if len(parts) < len(shape) or not any(":" in part for part in parts):
            parts.insert(self.rng.choice((0, len(parts), len(parts))), "...")
        return f"[{', '.join(parts)}]"

    def slice(self, size: int) -> str:
        ends = [str(self.rng.randint(-size - 1, size + 1)) if self.rng.random() < 0.6 else "" for _ in range(2)]
        step = self.rng.choice(("", "", "2", "3", "-1", "-1", "-2", str(size + 1)))
        return f"{ends[0]}:{ends[1]}" + (f":{step}" if step else "")

    def axis(self, x: np.ndarray) -> int:
        if not x.ndim:
            raise Unfit("no axis")
        return self.rng.randrange(-x.ndim, x.ndim)

    def axes(self, x: np.ndarray) -> str:
        """Of a reduction."""
        if self.rng.random() < 0.4 or not x.ndim:
            return "None"
        if self.rng.random() < 0.6:
            return str(self.axis(x))
        return str(tuple(sorted(self.rng.sample(range(x.ndim), self.rng.randint(1, x.ndim)))))

    def shape(self) -> tuple[int, ...]:
        shape = [self.rng.choice(self.words.lengths) for _ in range(self.rng.choices(range(5), (1, 6, 6, 3, 1))[0])]
        while most(shape) > LARGEST // 4:
            shape.remove(max(shape))
        return tuple(shape)

    def seed(self) -> int:
        return self.rng.randrange(1000)

    def bound(self, text: str, rule: str, *operands: str) -> Statement:
        """`vN = text`."""
        return Statement(f"{self.new()} = lib.wrap({text})", rule, operands)

    # --- statements --------------------------------------------------------------------------------------------------

    def create(self) -> Statement:
        dtype, shape = self.rng.choice(self.words.dtypes), self.shape()
        if self.rng.random() < 0.8:
            places = f", {self.rng.randrange(3)}, {self.rng.randrange(5)}" if self.rng.random() < 0.3 else ""
            kind = self.rng.choice(self.words.kinds)
            return Statement(f"{self.new()} = lib.make(data({dtype!r}, {shape}, {self.seed()}, {kind!r}){places})")
        text = self.rng.choice((
            f"xp.zeros({shape}, {dtype!r})", f"xp.ones({shape}, {dtype!r})", f"xp.full({shape}, 3, {dtype!r})",
            f"xp.arange({self.rng.choice(self.words.lengths)}, dtype={dtype!r})",
            f"xp.eye({self.rng.choice(self.words.lengths[:2])}, dtype={dtype!r})",
            f"xp.linspace(0, {self.rng.randint(1, 9)}, 9)",
        ))  # fmt: skip
        return self.bound(text, "function" if "linspace" in text else "exact")

    def view(self) -> Statement:
        name = self.pick()
        x = self.value(name)
        return Statement(f"{self.new()} = {self.rng.choice(VIEWS)(self, name, x)}", "same", (name,))

    def bits(self) -> Statement:
        name = self.pick(lambda x: x.dtype.kind != "b")
        size = self.value(name).dtype.itemsize
        same_size = self.rng.random() < 0.7 or not self.ordered(self.value(name))
        target = self.rng.choice([t for t in DTYPES[1:] if (np.dtype(t).itemsize == size) == same_size])
        return Statement(f"{self.new()} = {name}.view({target!r})", "sign", (name,))

    def strided(self) -> Statement:
        name = self.pick(lambda x: x.size > 2 and x.flags.c_contiguous and self.ordered(x))
        x = self.value(name)
        rows = self.rng.randint(1, min(x.size - 1, 8))
        step = self.rng.randint(1, 3)
        columns = (x.size - rows) // step + 1
        strides = (x.itemsize, step * x.itemsize)
        text = f"lib.strided({name}, {(rows, columns)}, {strides})"
        return Statement(f"{self.new()} = {text} + 0", "sum", (name,))

    def unary(self) -> Statement:
        operation, operand = self.rng.choice(self.words.unary), self.operand()
        return self.bound(f"xp.{self.ufunc(operation)}({operand})", self.rule(operation, operand), operand)

    def binary(self) -> Statement:
        operation, a = self.rng.choice(self.words.binary), self.operand()
        b = self.beside(self.value(a))
        if self.rng.random() < 0.3:
            a, b = b, a
        symbol = OPERATORS.get(operation)
        text = f"{a} {symbol} {b}" if symbol and self.rng.random() < 0.6 else f"xp.{OPS[operation].ufunc}({a}, {b})"
        return self.bound(text, self.rule(operation, a, b), a, b)

    def ufunc(self, operation: str) -> str:
        return OPS[operation].ufunc or operation

    def rule(self, operation: str, *operands: str) -> str:
        kinds = {self.value(text).dtype.kind for text in operands}
        avoided, _ = AVOIDED.get(operation, ("", ""))
        if kinds & set(avoided):
            raise Unfit("differs on purpose")
        if operation in RULES:
            return RULES[operation]
        op = OPS[operation]
        if operation in ("abs", "isfinite", "isinf", "isnan") or op.result in "?8":
            return "function" if operation == "abs" and "c" in kinds else "exact"
        exact = op.exact or (operation in EXACT and "c" not in kinds and operation != "hypot")
        integers = kinds <= set("biu") and "f" not in op.compute[1:3] and "d" not in op.compute[1:3]
        return "exact" if exact or integers else "function"

    def expression(self) -> Statement:
        """A chain that fuses, of operations that are exact."""
        text = name = self.operand(lambda x: x.dtype.kind in "iufb")
        x = self.value(name)
        operands = [name]
        for step in self.rng.choice(self.words.chains):
            other = self.beside(x, within=True)
            if not _real(self.value(other)):
                raise Unfit("not exact")
            operands.append(other)
            if step == 3:
                self.require_range(other, name)
            text = (
                f"({text}) + {other}", f"({text}) * {other}", f"{other} - ({text})",
                f"xp.where({text}, {other}, {name})",
                f"({text}) < {other}", f"abs({text})",
            )[step]  # fmt: skip
        return self.bound(text, "exact", *operands)

    def cast(self) -> Statement:
        name, target = self.operand(), self.rng.choice([*self.words.dtypes, self.rng.choice(DTYPES)])
        floats = self.value(name).dtype.kind in "fc" and np.dtype(target).kind in "fc"
        if floats:
            return self.bound(f"{name}.astype({target!r})", "same", name)
        return self.bound(f"{name}.astype({target!r})", "cast", name, f"np.dtype({target!r}).type(0)")

    def choose(self) -> Statement:
        a = self.operand()
        b, c = self.beside(self.value(a), True), self.beside(self.value(a), True)
        if self.rng.random() < 0.5:
            return self.bound(f"xp.clip({a}, {b}, {c})", "extreme", a, b, c)
        self.require_range(b, c)
        return self.bound(f"xp.where({a}, {b}, {c})", "chosen", a, b, c)

    def require_range(self, *values: str) -> None:
        """No integer beside an array of a dtype without it: in `where` NumPy 2.5 refuses what 2.4 wrapped."""
        dtypes = [self.value(text).dtype for text in values if text not in self.words.scalars]
        for text in set(values).intersection(self.words.scalars):
            for dtype in dtypes:
                limits = np.iinfo(dtype) if dtype.kind in "iu" else None
                if limits and text.lstrip("-").isdigit() and not limits.min <= int(text) <= limits.max:
                    raise Unfit("out of the dtype's range")

    def in_place(self) -> Statement:
        """`a[s] op= b`, with whatever overlaps."""
        name = self.pick(lambda x: x.flags.writeable)
        x = self.value(name)
        key = self.key(x.shape) if self.rng.random() < 0.7 else ""
        target = f"{name}{key}"
        if self.rng.random() < 0.4:
            other = f"{name}{self.key(x.shape)}" if self.rng.random() < 0.4 else self.beside(self.value(target), True)
            text = f"{name}{key or '[...]'} = {other}"
            return Statement(text, self._writing(other, target), self._written(other, target), target)
        operation = self.rng.choice(self.words.in_place)
        other = f"{name}{self.key(x.shape)}" if self.rng.random() < 0.3 else self.beside(self.value(target), True)
        rule = self.rule(operation, target, other)
        return Statement(f"{target} {OPERATORS[operation]}= {other}", rule, (target, other), target)

    def _writing(self, source: str, target: str) -> str:
        floats = self.value(source).dtype.kind in "fc" and self.value(target).dtype.kind in "fc"
        return "same" if floats else "cast"

    def _written(self, source: str, target: str) -> tuple[str, ...]:
        return (source,) if self._writing(source, target) == "same" else (source, target)

    def masked(self) -> Statement:
        name = self.pick(lambda x: x.flags.writeable)
        x = self.value(name)
        mask = self.rng.choice((f"{name} > {name}", f"{name} != {name}", f"{name} == 0", f"{name} >= 1"))
        # NumPy writes through a mask that it changes by that, where they share memory.
        masks = self.arrays(lambda y: y.dtype.kind == "b" and y.shape == x.shape and not np.shares_memory(x, y))
        if masks and self.rng.random() < 0.7:
            mask = self.rng.choice(masks)
        if self.rng.random() < 0.4:
            return self.bound(f"{name}[{mask}]", "exact", name, mask)
        other = self.rng.choice(self.words.scalars)
        if self.rng.random() < 0.4:
            other = f"{name}[{mask}] {self.rng.choice('+*')} 1"
        elif x.dtype.kind in "iu" and {".", "e", "j"} & set(other):
            raise Unfit("cut off")
        return Statement(f"{name}[{mask}] = {other}", "exact", (name, mask), name)

    def indexed(self) -> Statement:
        """By arrays: an index of the host or the device, that names no place twice where it is written."""
        name = self.pick(lambda x: x.ndim > 0 and x.shape[0] > 0 and x.flags.writeable)
        x = self.value(name)
        size = x.shape[0]
        if self.rng.random() < 0.5:
            chosen = [self.rng.randrange(-size, size) for _ in range(self.rng.randint(0, 9))]
            index = f"lib.make(np.array({chosen}, {self.rng.choice(('int64', 'int32', 'uint8')[: 2 + (size < 99)])!r}))"
            if "uint8" in index:
                index = index.replace("-", "")
                chosen = [abs(i) for i in chosen]
            if max(chosen, default=0) >= size:
                raise Unfit("outside")
            tail = ", ..." if self.rng.random() < 0.3 else ""
            return self.bound(f"{name}[{index}{tail}]", "same", name)
        chosen = self.rng.sample(range(size), self.rng.randint(0, min(size, 9)))
        index = f"lib.make(np.array({chosen}, 'int64'))"
        other = self.beside(self.value(f"{name}[{chosen}]") if chosen else x[:0], True)
        if self.rng.random() < 0.3:
            return Statement(f"{name}[{index}] += {other}", self.rule("add", name, other), (name, other), name)
        return Statement(f"{name}[{index}] = {other}", self._writing(other, name), self._written(other, name), name)

    def out(self) -> Statement:
        operation, a = self.rng.choice(self.words.binary), self.operand()
        x = self.value(a)
        target = self.operand(lambda y: y.shape == x.shape and y.flags.writeable)
        b = self.beside(x, True)
        function = OPS[operation].ufunc
        return Statement(f"xp.{function}({a}, {b}, out={target})", self.rule(operation, a, b), (a, b), target)

    def reduction(self) -> Statement:
        name = self.operand()
        x, axes = self.value(name), self.axes(self.value(name))
        more = ", keepdims=True" if self.rng.random() < 0.3 else ""
        kind = self.rng.choice(self.words.reductions)
        if kind.startswith("arg") and axes[0] == "(":
            raise Unfit("one axis")
        operand = name
        if kind == "sum" and x.dtype.kind in "iub" and self.rng.random() < 0.5:
            operand = f"{name} * 2 + {name}"
        if kind in ("sum", "prod") and self.rng.random() < 0.2:
            more += f", dtype={self.rng.choice(self.words.dtypes)!r}"
            if np.dtype(more[more.index("'") + 1 : -1]).kind != "c" and x.dtype.kind == "c":
                raise Unfit("devarray refuses to drop imaginary parts")
        computed = re.findall("dtype='(.*)'", more) or ["float64" if kind in ("mean", "var") else "bool"]
        return self.bound(
            f"xp.{kind}({operand}, axis={axes}{more})", REDUCTIONS[kind], name, f"np.dtype({computed[0]!r}).type(1)"
        )

    def cumulative(self) -> Statement:
        name = self.operand()
        kind = self.rng.choice(("cumsum", "cumprod"))
        axis = self.axis(self.value(name)) if self.rng.random() < 0.7 else None
        return self.bound(f"xp.{kind}({name}, axis={axis})", "running" if kind == "cumsum" else "shrinking", name)

    def order(self) -> Statement:
        name = self.operand(lambda x: x.ndim > 0)
        axis = self.axis(self.value(name))
        text, rule = self.rng.choice((
            (f"xp.sort({name}, axis={axis})", "extreme"),
            (f"xp.argsort({name}, axis={axis}, stable=True)", "exact"),
            (f"xp.unique({name})", "unique") if _real(self.value(name)) else (f"xp.argmin({name})", "exact"),
            (f"xp.nonzero({name})[0]", "exact"),
            (f"xp.flatnonzero({name})", "exact"),
            (f"xp.searchsorted(xp.sort({name}.ravel()), {self.operand(_real)})", "exact") if _real(self.value(name))
            else (f"xp.argmax({name})", "exact"),
        ))  # fmt: skip
        return self.bound(text, rule, name)

    def movement(self) -> Statement:
        name = self.operand(lambda x: x.ndim > 0)
        x = self.value(name)
        axis, n = self.axis(x), self.rng.randint(-3, 5)
        size = x.shape[axis]
        pads = [(self.rng.randint(0, 2), self.rng.randint(0, 2)) for _ in x.shape]
        sizes = [self.rng.randint(0, size) for _ in range(2)]
        places = [self.rng.randrange(size) for _ in range(abs(n) if size else 0)]
        text = (
            f"xp.roll({name}, {n}, axis={axis})", f"xp.roll({name}, {n})", f"xp.repeat({name}, {abs(n)}, axis={axis})",
            f"xp.tile({name}, {abs(n) // 2})", f"xp.pad({name}, {pads})",
            f"xp.pad({name}, {pads}, mode={self.rng.choice(('edge', 'reflect', 'wrap', 'symmetric'))!r})",
            f"xp.take({name}, lib.make(np.array({places}, 'int64')), axis={axis})",
            f"xp.split({name}, {sorted(sizes)}, axis={axis})[{self.rng.randrange(3)}]",
            f"xp.diff({name}, axis={axis})" if x.dtype.kind in "iu" else f"xp.copy({name})",
            f"xp.tril({name})" if x.ndim > 1 else f"xp.flip({name})", f"{name}.flatten()",
            f"xp.delete({name}, {sizes[0]}, axis={axis})",
        )[self.rng.choice(self.words.movements)]  # fmt: skip
        return self.bound(text, "same", name)

    def join(self) -> Statement:
        name = self.operand(lambda x: x.ndim > 0)
        x = self.value(name)
        axis = self.axis(x)
        rest = [n for i, n in enumerate(x.shape) if i != axis % x.ndim]
        other = self.operand(
            lambda y: y.ndim == x.ndim and [n for i, n in enumerate(y.shape) if i != axis % x.ndim] == rest
        )
        kinds = {self.value(name).dtype.kind, self.value(other).dtype.kind}
        rule = "same" if kinds <= set("fc") else "exact"
        if self.value(other).shape == x.shape and self.rng.random() < 0.4:
            return self.bound(f"xp.stack([{name}, {other}], axis={axis})", rule, name, other)
        return self.bound(f"xp.concatenate([{name}, {other}, {name}], axis={axis})", rule, name, other)

    def product(self) -> Statement:
        a = self.operand(lambda x: x.ndim > 0)
        x = self.value(a)
        b = self.operand(lambda y: y.ndim > 0 and y.shape[-2 if y.ndim > 1 else 0] == x.shape[-1])
        return self.bound(f"xp.matmul({a}, {b})", "total", a, b)

    def put(self) -> Statement:
        name = self.pick(lambda x: x.size > 0 and x.flags.writeable)
        chosen = self.rng.sample(range(self.value(name).size), min(self.value(name).size, 3))
        other = self.rng.choice(self.words.scalars)
        index = f"lib.make(np.array({chosen}, 'int64'))"
        text = self.rng.choice((
            f"xp.put({name}, {index}, {other})", f"{name}.fill({other})", f"xp.copyto({name}, {other})",
            f"xp.fill_diagonal({name}, {other})",
        ))  # fmt: skip
        return Statement(text, self._writing(other, name), self._written(other, name), name)

    def delete(self) -> Statement | None:
        return Statement(f"del {self.pick()}") if len(self.arrays()) > 2 else None

    def rebind(self) -> Statement | None:
        """The name's old array dies where the new value is recorded."""
        name = self.pick(lambda x: x.dtype.kind in "iu" and x.ndim > 0)
        return Statement(f"{name} = {name} + 1", "exact", (name,))

    def setting(self) -> Statement:
        name = self.pick()
        number = self.rng.randint(1, 2)
        return Statement(self.rng.choice((
            "lib.defer(True)", "lib.defer(False)", f"lib.evaluate({name})", f"lib.expose({name})",
            f"lib.new_queue({number})", CHECK, CHECK, CHECK,
        )))  # fmt: skip

    def call(self) -> Statement:
        return library.FAMILIES[self.rng.choice(self.words.library)](self)

    def limit(self) -> Statement | None:
        return self.delete() if len(self.arrays()) > ARRAYS else None


def _real(x: np.ndarray) -> bool:
    return x.dtype.kind != "c"


_FAMILIES: list[tuple[Callable[[Generator], Any], float]] = [
    (Generator.create, 6), (Generator.view, 16), (Generator.bits, 1.5), (Generator.strided, 1.5), (Generator.unary, 6),
    (Generator.binary, 12), (Generator.expression, 4), (views_of_pending, 6), (Generator.cast, 4),
    (Generator.choose, 4), (Generator.in_place, 16), (Generator.masked, 5), (Generator.indexed, 5), (Generator.out, 4),
    (Generator.reduction, 7), (Generator.cumulative, 2), (Generator.order, 4), (Generator.movement, 6),
    (Generator.join, 3), (Generator.product, 1), (Generator.put, 3), (Generator.delete, 6), (Generator.rebind, 3),
    (Generator.setting, 7), (Generator.limit, 8), (Generator.call, 14), (library.scalar, 8),
]  # fmt: skip


def generate(seed: int, batch: int, length: int) -> Program:
    """The program of a seed, with the vocabulary of a batch."""
    with np.errstate(all="ignore"):
        return Generator(seed, Vocabulary(batch), length).make()
