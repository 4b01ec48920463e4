"""The statements of an expression's nodes: C text, one declaration for each, and a loop for steps that repeat."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Container, Mapping, Sequence

from devarray.codegen.kernels.cooperation import cooperation
from devarray.codegen.kernels.loop_ends import is_worth_a_test, run_length, same_bits
from devarray.codegen.kernels.loops import Loop, find_loop
from devarray.codegen.kernels.magnitudes import ANY, Range, is_ordinary, ranges_of
from devarray.codegen.kernels.spec import Node
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.codegen.prelude import base as prelude
from devarray.ops.dtypes import KIND, REAL_OF, SIGNED
from devarray.ops.table import COMPARISON, INDEXED, OPS, WHERE, Op
from devarray.ops.user import USER_OPS

__all__ = [
    "ALL_WELL", "CHECKED", "TABLE", "check_of", "checks_float64", "count_checked", "expression", "node_statements",
    "table_functions", "user_functions",
]  # fmt: skip

CHECKED = "checked"
"""Key of the expressions without a branch, of which the prelude's gpu.py tells at `tested`."""
ALL_WELL = "0x40000000u"
"""The bit of `ok` that their tests clear."""
_CHECKED_INVERSE = "checked inverse"
_BY_CONSTANT = "by constant"
_CHECKED_BY_CONSTANT = "checked by constant"
_TEST = "tested_T(a, &ok)"
_POSITIVE_TEST = "tested_positive_T(a, &ok)"
NOTHING_KNOWN: Mapping[int, int] = {}
_ONE = {"float32": 0x3F800000, "float64": 0x3FF0000000000000}


def expression(op: Op, compute: str, arguments: Sequence[str], key: str = "") -> str:
    """C text of an op on arguments that are already of its compute dtype; rounded where the dtype is float16.

    `key` names a text that goes before the kind's, where the op has one.
    """
    ctype = CTYPE[compute]
    texts = op.expressions
    text = texts.get(key) or texts.get(ctype) or texts[KIND[compute]]
    suffix = "f32" if compute == "float16" and ctype not in texts else ctype
    made = _insert(text, suffix, arguments)
    return f"half_f32({made})" if compute == "float16" and not op.exact and op.result == "=" else made


def _insert(text: str, suffix: str, arguments: Sequence[str]) -> str:
    return prelude.fill(text, suffix, dict(zip("abc", arguments, strict=False)))


def _by_value(op: Op, compute: str, dtypes: Sequence[str]) -> str | None:
    """Key of the expression that compares a signed integer with a uint64 exactly, or None where none is needed."""
    if not op.flags & COMPARISON or compute != "float64":
        return None
    if dtypes[0] in SIGNED and dtypes[1] == "uint64":
        return "iu"
    return "ui" if dtypes[0] == "uint64" and dtypes[1] in SIGNED else None


def _for_scalars(
    dialect: Dialect, compute: str, args: Sequence[int], uniform: Container[int], known: Mapping[int, int]
) -> str:
    """Key of the expression for numbers whose further arguments are the same for all elements, or known here."""
    kind = KIND[compute]
    if kind in "iu" and args[-1] in known:
        return "integer known"
    if kind not in "iuf" or args[-1] not in uniform:
        return ""
    if len(args) == 3:
        return "scalars" if kind == "f" and args[1] in uniform else ""
    if "cpu" not in dialect.layers:
        return ""
    return "by" if kind == "f" else "integer by"


_TURN = 288
"""Nodes of a turn of a loop: shorter steps are unrolled, since to count and to hand on values takes time, too. In that
of 20 steps of 71 nodes each it was 4 %; four at once take the compiler 0.2 s more."""
_RUN = 128
"""The same between two tests of whether a loop may end."""


class _Writer:
    """Declarations of nodes."""

    def __init__(
        self,
        dialect: Dialect,
        dtypes: Sequence[str],
        uniform: Container[int],
        known: Mapping[int, int],
        checked: bool = False,
        ranges: Sequence[Range] = (),
    ) -> None:
        self.dialect = dialect
        self.checked, self.ranges = checked, ranges
        self.dtypes = dtypes  # of every value id
        self.uniform, self.known = uniform, known
        self.products: dict[str, tuple[str, str]] = {}  # factors by the names of products that sums may take in

    def declare(self, node: Node, target: str, sources: Sequence[str]) -> str:
        """The node's value under the name `target`; `sources` are those of its arguments."""
        text = self._call(node, sources) if node[0] in USER_OPS else self._text(node, sources)
        if self.dialect.contract and node[1] == node[2] and node[1] in _ONE:
            text = self._contracted(node, target, sources) or text
        return f"const {CTYPE[node[2]]} {target} = {text};"

    def _text(self, node: Node, sources: Sequence[str]) -> str:
        name, compute, _, args = node
        op, dtypes = OPS[name], [self.dtypes[i] for i in args]
        if name == "take":
            table, place, flag = sources
            pointer = self.dialect.pointer(compute, const=True)
            return self.dialect.load(compute, f"(({pointer})({table} + seen_place({place}, {flag})))", "0")
        key = _by_value(op, compute, dtypes)
        if key:
            return _insert(op.expressions[key], "f64", sources)
        targets = ["bool" if op.flags & WHERE and place == 0 else compute for place in range(len(args))]
        values = [self.dialect.cast(*cast) for cast in zip(dtypes, targets, sources, strict=True)]
        if op.flags & INDEXED and KIND[compute] in "fc":
            real = "float32" if compute == "float16" else REAL_OF.get(compute, compute)
            values.append(self.dialect.cast("int64", real, "INDEX"))
        if self.checked and (check := check_of(node, self.known, self.dtypes)):
            return self._tested(check, op, compute, args, dtypes, values)
        if self.dialect.branching and _is_by_constant(node, self.known, self.dtypes):
            return expression(op, compute, values, _BY_CONSTANT)
        return expression(op, compute, values, _for_scalars(self.dialect, compute, args, self.uniform, self.known))

    def _contracted(self, node: Node, target: str, sources: Sequence[str]) -> str:
        """The text of a sum or difference that takes a product in, or "". Products are noted under their names."""
        name, compute, _, args = node
        values = [
            self.dialect.cast(self.dtypes[arg], compute, source) for arg, source in zip(args, sources, strict=True)
        ]
        if name in ("multiply", "square"):
            self.products[target] = (values[0], values[-1])
        if name not in ("add", "subtract"):
            return ""
        taken = next((place for place in (1, 0) if sources[place] in self.products), None)
        if taken is None or self.dtypes[args[taken]] != compute:
            return ""
        a, b = self.products[sources[taken]]
        minus = name == "subtract"
        return f"fma({'-' * (minus and taken)}{a}, {b}, {'-' * (minus and not taken)}{values[1 - taken]})"

    def _tested(
        self, check: str, op: Op, compute: str, args: Sequence[int], dtypes: Sequence[str], values: Sequence[str]
    ) -> str:
        """A node's text without a branch, by its key `check`, with the tests that it needs."""
        place = 0 if check == _CHECKED_BY_CONSTANT else -1  # of the argument that is tested
        values, is_logarithm = list(values), check not in (CHECKED, _CHECKED_BY_CONSTANT)
        of = self.ranges[args[place]] if self.ranges and dtypes[place] == compute else ANY
        if is_logarithm or not is_ordinary(of, compute):  # what is ordinary may be NaN, which a logarithm does not keep
            test = _POSITIVE_TEST if is_logarithm else _TEST
            values[place] = _insert(test, CTYPE[compute], [values[place]])
        if check != CHECKED or len(args) == 1:
            return expression(op, compute, values, check)
        if _CHECKED_INVERSE in op.expressions and dtypes[0] == compute and self.known.get(args[0]) == _ONE[compute]:
            return expression(op, compute, values, _CHECKED_INVERSE)
        return _insert(_TEST, CTYPE[compute], [expression(op, compute, values, check)])

    def _call(self, node: Node, sources: Sequence[str]) -> str:
        """Of a user's function."""
        op = USER_OPS[node[0]]
        casts = zip((self.dtypes[i] for i in node[3]), op.parameters, sources, strict=True)
        values = [self.dialect.cast(*cast) for cast in casts]
        function, _ = op.function(self.dialect)
        return f"{function}({', '.join([*values, 'INDEX'] if op.indexed else values)})"


TABLE = "GLOBAL const char*"
"""C type of a table, an array that is read at places which operations work out."""

_SEEN_PLACE = """\
FN i64 seen_place(const i64 place, GLOBAL const char* flag) {
  if (place > -0x200000000000000L) return place;
  RAISE_FLAG((GLOBAL char*)flag, 1);
  return 0;
}
"""


def table_functions(dialect: Dialect, nodes: Sequence[Node]) -> str:
    """What the text of nodes that read tables needs: where an index is outside, for which `index_place` gives a
    distance far beyond all others, the flag is raised and the first element read."""
    return cooperation(dialect) + _SEEN_PLACE if any(node[0] == "take" for node in nodes) else ""


def node_statements(
    dialect: Dialect,
    nodes: Sequence[Node],
    names: Sequence[str],
    dtypes: Sequence[str],
    prefix: str = "t",
    uniform: Container[int] = (),
    kept: Sequence[int] | None = None,
    known: Mapping[int, int] = NOTHING_KNOWN,
    checked: bool = False,
    given: Container[int] = (),
) -> tuple[list[str], list[str]]:
    """One declaration for each node; on GPUs a loop for steps that repeat.

    Parameters
    ----------
    dialect : Dialect
    nodes : sequence of Node
    names, dtypes : sequence of str
        Of the values that come before the nodes: leaves, then scalars.
    prefix : str
        Nodes are named `prefix` + number.
    uniform : container of int
        Value ids that are the same for all elements.
    kept : sequence of int, optional
        Value ids that are read afterwards. Where they are not given, each may be, and there is no loop.
    known : mapping of int to int
        Of numbers that stand in the text: value ids, and bits.
    checked : bool
        Whether divisions and roots of float32 and float64, and logarithms of float32, have no branch, but clear a bit
        of the variable `ok` where their result may be wrong: `check_of` tells of which nodes that is true.
    given : container of int
        Value ids of nodes that are declared elsewhere.

    Returns
    -------
    (statements, names)
        The declarations, and the name of every value id. Of a loop's values only those of its last step are there
        afterwards.
    """
    first = len(names)
    names = [*names, *(f"{prefix}{number}" for number in range(len(nodes)))]
    every = [*dtypes, *(node[2] for node in nodes)]
    tested = [i for i, node in enumerate(nodes) if checked and first + i not in given and check_of(node, known, every)]
    writer = _Writer(dialect, every, uniform, known, checked, ranges_of(nodes, every, known, tested) if tested else ())
    loop = None
    if kept is not None and dialect.strategy == "gpu":
        loop = find_loop(nodes, first, kept, writer.dtypes)
    if loop and any(first + place in given for place in range(loop.start, loop.end)):
        loop = None

    def declared(begin: int, end: int) -> list[str]:
        return [
            writer.declare(nodes[i], names[first + i], [names[arg] for arg in nodes[i][3]])
            for i in range(begin, end)
            if first + i not in given
        ]

    if loop is None:
        return declared(0, len(nodes)), names
    before = declared(0, loop.start)
    read = {arg - first for node in nodes[loop.end :] for arg in node[3]} | {value - first for value in kept or ()}
    any_step = _Writer(dialect, every, uniform, known, checked)  # whose values are not those of the second one alone
    lines = _loop_lines(any_step, nodes, names, loop, prefix, read)
    return [*before, *lines, *declared(loop.end, len(nodes))], names


def _is_by_constant(node: Node, known: Mapping[int, int], dtypes: Sequence[str]) -> bool:
    """Whether a node is a division by a number in the text whose quotients are those of the prelude's `divide_by`.

    Compilers multiply by the inverse of a power of two. Quotients by less than 1 may overflow.
    """
    name, compute, _, args = node
    if _BY_CONSTANT not in OPS[name].expressions or args[-1] not in known or dtypes[args[-1]] != compute:
        return False
    if compute not in _ONE:
        return False
    size, kind = (4, "f") if compute == "float32" else (8, "d")
    (value,) = struct.unpack(kind, (known[args[-1]] & (1 << 8 * size) - 1).to_bytes(size, sys.byteorder))
    return 1 < value < 2**20 and math.frexp(value)[0] != 0.5


def check_of(node: Node, known: Mapping[int, int] = NOTHING_KNOWN, dtypes: Sequence[str] = ()) -> str:
    """Key of a node's text without a branch, where it has one, or "".

    `CHECKED` itself is that of what has a branch otherwise. Numbers of the text need `dtypes`, of every value.
    """
    name, compute, _, args = node
    if name not in OPS or compute not in _ONE:
        return ""
    if args[-1] in known:
        return _CHECKED_BY_CONSTANT if dtypes and _is_by_constant(node, known, dtypes) else ""
    keys = (CHECKED, f"{CHECKED} {CTYPE[compute]}")
    return next((key for key in keys if key in OPS[name].expressions), "")


def count_checked(nodes: Sequence[Node], known: Mapping[int, int] = NOTHING_KNOWN) -> int:
    """How many nodes have a branch that `checked` saves."""
    return sum(check_of(node, known) == CHECKED for node in nodes)


def checks_float64(nodes: Sequence[Node], known: Mapping[int, int] = NOTHING_KNOWN) -> bool:
    """Whether there are such nodes of float64. Several elements side by side keep so many registers for them that half
    as many work-items run at a time (an equation of state on an H200: 102 registers for 43, 91 us for 71)."""
    return any(check_of(node, known) == CHECKED and node[1] == "float64" for node in nodes)


def _loop_lines(
    writer: _Writer, nodes: Sequence[Node], names: list[str], loop: Loop, prefix: str, read: Container[int]
) -> list[str]:
    """The loop. Values of its last step that are read afterwards get the names that they have there."""
    first, last = len(names) - len(nodes), loop.end - loop.period
    step = [names[first + loop.start + place] for place in range(loop.period)]
    carried = [f"{prefix}h{number}" for number in range(len(loop.carried))]
    before, updates, after = [], [], {}
    for name, (place, initial) in zip(carried, loop.carried, strict=True):
        before.append(f"{CTYPE[nodes[loop.start + place][2]]} {name} = {names[initial]};")
        updates.append(f"{name} = {step[place]};")
        after[place] = name
    for place in range(loop.period):
        if last + place in read and place not in after:
            after[place] = f"{prefix}f{place}"
            before.append(f"{CTYPE[nodes[loop.start + place][2]]} {after[place]};")
            updates.append(f"{after[place]} = {step[place]};")
    known = {"step": step, "carried": carried, "value": list(names)}
    body = [
        writer.declare(node, step[place], [known[kind][which] for kind, which in sources])
        for place, (node, sources) in enumerate(
            zip(nodes[loop.start + loop.period : loop.start + 2 * loop.period], loop.sources, strict=True)
        )
    ]
    for place, name in after.items():
        names[first + last + place] = name
    if is_worth_a_test(loop, nodes, writer.dtypes):
        dtypes = [nodes[loop.start + place][2] for place, _ in loop.carried]
        return [*before, *_ending(loop, prefix, body, updates, dict(zip(carried, dtypes, strict=True)))]
    return [*before, *_repeated(f"{prefix}s", loop.count, _turns(loop), [*body, *updates])]


def _turns(loop: Loop) -> int:
    """Steps of a turn of the loop: as many as it may have, and of large numbers one that the count is a multiple of."""
    most = max(1, _TURN // loop.period)
    even = max(turns for turns in range(1, most + 1) if loop.count % turns == 0)
    return even if 2 * even > most else most


def _ending(
    loop: Loop, prefix: str, body: Sequence[str], updates: Sequence[str], carried: Mapping[str, str]
) -> list[str]:
    """A loop that ends behind a step which leaves the bits of all carried values (names and dtypes) as they are.

    To test each step takes longer than to compute some in vain: a run of steps is tested at once, by its last one.
    """
    length = run_length(loop.count)
    runs, left = divmod(loop.count, length)
    former = {name: name.replace(f"{prefix}h", f"{prefix}l") for name in carried}
    keep = [f"{former[name]} = {name};" for name in carried]
    unroll = length if length * loop.period <= _RUN else max(1, _TURN // loop.period)
    run = _repeated(f"{prefix}s", length, unroll, [*body, *keep, *updates])
    declared = [f"{CTYPE[dtype]} {former[name]};" for name, dtype in carried.items()]
    same = " && ".join(same_bits(dtype, former[name], name) for name, dtype in carried.items())
    tested = _repeated(f"{prefix}r", runs, 1, [*declared, *run, f"if ({same}) break;"])
    return [*(_repeated(f"{prefix}s", left, 1, [*body, *updates]) if left else ()), *tested]


def _repeated(counter: str, count: int, unroll: int, lines: Sequence[str]) -> list[str]:
    head = f"for (i32 {counter} = 0; {counter} < {count}; ++{counter}) {{"
    return [f"#pragma unroll {unroll}", head, *(f"  {line}" for line in lines), "}"]


def user_functions(dialect: Dialect, nodes: Sequence[Node]) -> str:
    """Definitions of the users' functions that nodes call."""
    used = dict.fromkeys(name for name, *_ in nodes if name in USER_OPS)
    return "".join(USER_OPS[name].function(dialect)[1] for name in used)
