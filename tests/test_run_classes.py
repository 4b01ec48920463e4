"""``python -m devarray run``: what programs ask of the class of arrays, and functions given to libraries."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import same_output


def test_match_statements_ask_for_arrays_and_scalars(tmp_path: Path) -> None:
    program = """
def kind(x):
    match x:
        case np.ndarray(ndim=1): return "vector"
        case np.ndarray(shape=(a, b)): return f"matrix {a} x {b}"
        case np.float64(): return "float64"
        case int() | np.integer(): return "integer"
        case [first, *rest]: return "sequence"
    return "other"
x = np.arange(6.0)
for each in (x, x.reshape(2, 3), x[1], x.sum(), x.argmax(), 3, [x, 1], "text", x > 2, (x > 2)[0]):
    print(kind(each))
"""
    same_output(tmp_path, program)


def test_the_class_of_arrays_and_of_scalars(tmp_path: Path) -> None:
    program = """
import abc, copy, functools, inspect, numbers, pickle
x = np.arange(6.0)
print(x.__class__ is np.ndarray, x.__class__.__name__, x[0].__class__.__name__, x.argmax().__class__.__name__)
print(np.isscalar(x[0]), np.isscalar(x), isinstance(np.ndarray, type), inspect.isclass(np.ndarray))
print(isinstance(x[0], numbers.Real), isinstance(x.argmax(), numbers.Integral), {np.ndarray: 1}[type(x)])
print(copy.deepcopy(np.ndarray) is np.ndarray, pickle.loads(pickle.dumps(np.ndarray)).__name__, np.ndarray)
@functools.singledispatch
def of(x): return "other"
@of.register
def _(x: np.ndarray): return "array"
@of.register(float)
def _(x): return "float"
print(of(x), of(x[0]), of(1.0), of(1), of("a"))
class Unit(np.ndarray, abc.ABC):
    def __new__(cls, values, unit="m"):
        made = np.asarray(values, float).view(cls)
        made.unit = unit
        return made
    def __array_finalize__(self, of):
        self.unit = getattr(of, "unit", None)
    def doubled(self): return super().__mul__(2)
u = Unit([1, 2], "s")
print(u, u.doubled().unit, type(u).__name__, isinstance(u, np.ndarray), issubclass(Unit, np.ndarray), u[1:].unit)
"""
    same_output(tmp_path, program)


def test_a_class_of_the_programs_writes_through_the_arrays_that_it_gives(tmp_path: Path) -> None:
    program = """
class Field(np.ndarray):
    def __new__(cls, values, ghost=1):
        made = np.asarray(values).view(cls)
        made.ghost = ghost
        return made
    def __array_finalize__(self, of):
        self.ghost = getattr(of, "ghost", None)
    def inner(self): return np.asarray(self[self.ghost:-self.ghost, self.ghost:-self.ghost])
data = Field(np.zeros((4, 5, 2)))
one = Field(data[:, :, 1])
one.inner()[:, :] = np.arange(6.0).reshape(2, 3)
np.array(one, copy=False)[0] = 7
np.asarray(one, dtype=float)[1, 0] += 3
np.array(one)[3] = 9
one.view(np.ndarray)[:, 4] = -1
one.inner()[...] += np.ones((2, 3))
print(data.sum(axis=(0, 1)), type(data).__name__, one)
y, inner = np.arange(3.0), one.inner()
print(type(inner) is np.ndarray, np.sum(inner * y), y * inner[0, 0], np.dot(inner, y), inner[np.array([1, 0])])
print(type(one + 1).__name__, inner[inner > 1], np.where(inner > 1, inner, y))
"""
    same_output(tmp_path, program)


def test_functions_given_to_libraries_compute_on_what_these_hand_them(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
from scipy import optimize, stats
from scipy.integrate import solve_ivp
x = np.sin(np.arange(20.0))
found = stats.bootstrap((x,), lambda v, axis: np.mean(v, axis=axis), n_resamples=50, random_state=1)
print(found.standard_error.round(9))
found = stats.bootstrap((x,), lambda v: np.median(v), vectorized=False, n_resamples=20, random_state=1)
print(found.bootstrap_distribution[:3])
print(solve_ivp(lambda t, y: np.array([y[1], -np.sin(y[0])]), (0, 1), [1.0, 0.0]).y[:, -1].round(9))
seen = []
def objective(v):
    seen.append(type(np.sum(v)).__name__)
    return np.sum((v - 1.0) ** 2) + np.dot(weights, v) ** 2
weights = np.array([1.0, -1.0])
print(optimize.minimize(objective, np.zeros(2), method="Nelder-Mead").x.round(3), set(seen))
"""
    same_output(tmp_path, program)


def test_an_own_class_makes_arrays_of_the_device(tmp_path: Path) -> None:
    program = """
class Quantity:
    def __init__(self, v): self.v = np.asarray(v)
    def __array__(self, dtype=None, copy=None): return np.asarray(self.v, dtype=dtype)
    def __array_ufunc__(self, ufunc, method, *given, **named):
        return Quantity(getattr(ufunc, method)(*[g.v if isinstance(g, Quantity) else g for g in given], **named))
print(np.asarray(Quantity([5, 6])), np.array(Quantity([1.5])), np.sqrt(Quantity([4.0])).v, np.add(1, Quantity([1])).v)
"""
    same_output(tmp_path, program)


def test_readers_of_memory_get_its_bytes(tmp_path: Path) -> None:
    program = """
x = np.arange(6, dtype=np.uint8).reshape(2, 3)
print(bytearray(x), memoryview(x).shape, memoryview(x).tolist(), bytes(x[1]))
total = np.vectorize(np.dot, signature="(n),(n)->()")
print(total(np.eye(3), [1, 2, 3]), np.frompyfunc(lambda a, b: a * 2 + b, 2, 1).reduce([1, 2, 3]))
"""
    same_output(tmp_path, program)


def test_an_element_is_named_by_integers_that_were_found(tmp_path: Path) -> None:
    program = """
x = np.array([[3.0, 1.0], [2.0, 5.0]])
print(x.item(x.argmax()), x.item(np.argmin(x)), x.item((x.argmax() // 2, x.argmin())), x.item(np.int64(2)))
print(x[1].item(x[1].argmax()))
for wrong in (x[0, 0], x, 1.5):
    try:
        print(x.item(wrong))
    except (TypeError, IndexError):
        print("refused")
"""
    same_output(tmp_path, program)


def test_tables_of_values_have_columns_of_numbers(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
import pandas as pd
x = np.arange(4.0)
rows = [{"n": i, "mean": x[i:].mean(), "at": x.argmax()} for i in range(2)]
print(pd.DataFrame(rows), pd.DataFrame(rows).dtypes.tolist())
print(pd.DataFrame({"a": [x.sum(), x.max()], "b": x[:2]}).dtypes.tolist())
print(pd.Series([x[0], x[1]]).dtype, pd.Series({"m": x.mean()}).dtype, pd.Index([x[0], x[1]]).dtype)
table = pd.DataFrame({"a": [1.0, 2.0]})
table.loc[2] = [x[3]]
table.loc[0, "a"] = x.mean()
table["c"] = [x[0], x[1], x[2]]
table.at[1, "a"] = x[2]
table["d"] = x.sum()
print(table, table.dtypes.tolist())
print(table.apply(lambda row: np.sum(row), axis=1).dtype, table["a"].map(lambda v: np.sqrt(v)).dtype)
"""
    same_output(tmp_path, program)


def test_elements_of_records_and_dates_are_scalars(tmp_path: Path) -> None:
    program = """
import datetime
z = np.array([(1, 2.0, b"x"), (3, 4.0, b"y")], [("n", int), ("x", float), ("s", "S2")])
d = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
print([type(r).__name__ for r in z], isinstance(z[0], np.void), isinstance(z[0], np.ndarray), [repr(r) for r in z])
print([type(r["n"]).__name__ for r in z], isinstance(z[0]["n"], np.integer), {r["n"]: r["x"] for r in z}, list(z[1]))
print(type(d[0]), isinstance(d[0], np.datetime64), isinstance(d[0], np.generic), type(d[1] - d[0]), type(d.max()))
print([isinstance(x, np.ndarray) for x in (d, d[0], d[0, ...], z, z[0], z[0, ...])], repr(d[0, ...]), np.isscalar(d[0]))
print(d > datetime.date(2020, 6, 1), d[0] - datetime.date(2020, 6, 1), np.datetime_as_string(d[0]), {d[0]: 1})
"""
    same_output(tmp_path, program)


def test_numpys_own_code_is_given_host_arrays_by_classes_of_the_program(tmp_path: Path) -> None:
    program = """
class Quantity:
    scale = 1.0
    def __init__(self, value): self.value = value
    def __array__(self, dtype=None, copy=None): return np.array(np.array(self.value) * self.scale, dtype=dtype)
    def __float__(self): return float(self.value)
    def __rmul__(self, other): return other * float(self)
class Wide(Quantity):
    scale = 2.0
    def __array__(self, dtype=None, copy=None): return super().__array__(dtype) + np.zeros(2)
p, w = Quantity(3.0), Wide([1.0, 2.0])
print(np.asarray([Quantity(1.0), p]), np.float64(2.0) * p, np.array(p), np.asarray(w), np.sin(p), np.add(w, 1))
x = np.arange(4.0)
print(x * p, x + p, np.exp(-x / p), x[:2] + w, np.stack([w, x[:2]]), np.sum(w), Quantity.__array__.__name__)
"""
    same_output(tmp_path, program)


def test_values_have_the_attributes_of_numpys_scalars(tmp_path: Path) -> None:
    program = """
x = np.arange(4.0).reshape(2, 2)
names = "__len__ __iter__ __contains__ __float__ __index__ shape tolist T __array__ __setitem__".split()
for v in (x[0, 0], x.sum(), x.argmax(), x[0, 0] > 1, x[0], x[0, 0, ...], 1.0, [1]):
    print([hasattr(v, name) for name in names])
"""
    same_output(tmp_path, program)


def test_methods_that_numpy_asks_compare_with_the_programs_functions_and_classes(tmp_path: Path) -> None:
    program = """
class Length(np.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        if not all(kind is np.ndarray or issubclass(kind, Length) for kind in types):
            return NotImplemented
        if func is np.where:
            return "where", [kind is np.ndarray for kind in types]
        if func is np.flip:
            return func.__wrapped__(*args, **kwargs)
        if func in (np.linalg.norm, np.mean):
            return func.__module__, func.__name__
        return super().__array_function__(func, types, args, kwargs)
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        if ufunc is np.subtract:
            return NotImplemented
        bare = [x.view(np.ndarray) if isinstance(x, Length) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(x.view(np.ndarray) if isinstance(x, Length) else x for x in out)
        made = super().__array_ufunc__(ufunc, method, *bare, **kwargs)
        if out is not None:
            return out[0]
        return np.asarray(made).view(Length) if isinstance(ufunc, np.ufunc) and ufunc is not np.multiply else "product"
class Kept(np.ndarray): pass
class Asked(Kept):
    def __array_function__(self, func, types, args, kwargs):
        return func is np.sort, type(super().__array_function__(func, types, args, kwargs)).__name__
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return method, ufunc is np.add, ufunc is np.negative, {np.add: "sum"}.get(ufunc)
data = np.arange(4.0)
x = data.copy().view(Length)
print(np.where(data > 1, x, data), np.mean(x), np.linalg.norm(x), type(np.concatenate([data, x])).__name__)
print(np.flip(x, 0), np.flip.__wrapped__(data))
print(x + data, type(data + x).__name__, data * x, np.add.reduce(x), np.sort(x))
x += 2
np.add(x, data, out=x)
print(x, data)
try:
    data - x
except TypeError:
    print("no difference")
y = data.view(Asked)
print(np.sort(y), y + 1, data + y, -y, np.add.reduce(y), (data.view(Kept) + 1))
"""
    same_output(tmp_path, program)


def test_classes_that_are_no_arrays_are_asked_about_the_programs_functions(tmp_path: Path) -> None:
    program = """
from numpy.lib.mixins import NDArrayOperatorsMixin
HANDLED = {}
def implements(function):
    return lambda made: HANDLED.setdefault(function, made)
class Table(NDArrayOperatorsMixin):
    __array_priority__ = 3
    def __init__(self, values): self.values = np.asarray(values)
    def __array_function__(self, func, types, args, kwargs):
        if func not in HANDLED or not all(kind in (Table, np.ndarray) for kind in types):
            return NotImplemented
        return HANDLED[func](*args, **kwargs)
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__" or ufunc is np.divide:
            return NotImplemented
        return Table(ufunc(*(x.values if isinstance(x, Table) else x for x in inputs), **kwargs))
    def __repr__(self): return f"Table({self.values})"
@implements(np.sum)
def _(table, axis=None): return Table(np.sum(table.values, axis))
@implements(np.concatenate)
def _(tables, axis=0): return Table(np.concatenate([getattr(t, "values", t) for t in tables], axis))
data = np.arange(3.0)
x = Table([1.0, 2.0, 3.0])
print(np.sum(x), np.concatenate([data, x]), np.sin(x) * 0, data * x, x + data, x - 1)
for refused in (lambda: np.mean(x), lambda: data / x):
    try:
        print(refused())
    except TypeError as error:
        print("refused")
"""
    same_output(tmp_path, program)


def test_where_arrays_of_a_class_come_from_is_told_by_the_class_of_arrays(tmp_path: Path) -> None:
    program = """
from numpy._core.printoptions import format_options
class Length(np.ndarray):
    unit = None
    def __new__(cls, values, unit="m"):
        made = np.asarray(values, float).view(cls)
        made.unit = unit
        return made
    def __array_finalize__(self, obj):
        super().__array_finalize__(obj)
        if obj is None or obj.__class__ is np.ndarray or type(obj) is np.ndarray:
            self.seen = "array", obj is None or (obj.shape, obj.dtype, obj.view(np.ndarray).sum(), repr(obj + 1))
            return
        self.unit, self.seen = obj.__dict__.get("unit"), type(obj).__name__
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        known = None, np.ndarray.__array_ufunc__, Length.__array_ufunc__
        if not all(getattr(type(x), "__array_ufunc__", None) in known for x in inputs):
            return NotImplemented
        return super().__array_ufunc__(ufunc, method, *(np.asarray(x) for x in inputs), **kwargs)
x = Length([1, 2, 3])
print(x.seen, x.unit, x[1:].seen, x[1:].unit, Length.__new__(Length, np.arange(3.0)).seen)
print(x + x, x + 1, np.asarray(x) * x, np.add.reduce(x))
print(np.ndarray.__array_ufunc__ is np.ndarray.__array_ufunc__, np.ndarray.sum is np.ndarray.sum)
print(format_options.get() != {})
"""
    same_output(tmp_path, program)


def test_what_numpys_code_below_a_class_writes_reaches_the_programs_arrays(tmp_path: Path) -> None:
    """``super().__array_ufunc__`` with an ``out=`` that the program has made."""
    program = """
class Length(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        plain = [x.view(np.ndarray) if isinstance(x, Length) else x for x in inputs]
        return super().__array_ufunc__(ufunc, method, *plain, **kwargs)
x = np.array([1.5, -2.25, 3.0])
length = x.view(Length)
out = np.full_like(x > 0, True)
made = np.less(length, 0, out=out)
print(out, made is out)
parts, whole = np.full_like(x, 7), np.full_like(x, 7)
made = np.modf(length, out=(parts, whole))
print(parts, whole, made[0] is parts, made[1] is whole)
made = np.modf(length, out=(None, whole))
print(made[0], made[1] is whole)
np.add.at(length, [0, 0], np.array([1.0, 2.0]))
print(length)
total = np.empty_like(x[:1]).reshape(())
np.add.reduce(length, out=total[...])
print(total)
"""
    same_output(tmp_path, program)


def test_what_lies_on_the_host_is_viewed_by_the_class_of_arrays(tmp_path: Path) -> None:
    program = """
masked = np.ma.array([1, 2, 3], mask=[0, 1, 0])
host = masked, np.matrix([1, 2]), np.char.array(["a"]), np.zeros(2, "i4,f4").view(np.recarray)
for x in (*host, np.arange(3.0)[1], np.zeros(2, "i4,f4")[0]):
    for view in (x.view(np.ndarray), np.ndarray.view(x, np.ndarray) if np.ndim(x) else 0):
        print(repr(view).replace("numpy.record, ", ""), isinstance(view, np.ndarray), type(view) is np.ndarray)
view = masked.view(type=np.ndarray)
view[0] = 9
view += np.arange(3)
print(masked, view, view[np.arange(2)], view[np.arange(3) > 0], np.add(view, 1, out=view), np.where(view > 3, view, 0))
x = np.arange(4.0)
y = x.view(np.ndarray)
y[0] = 7
print(x, x[1].view(), repr(x[1].view(np.int64)), x.view(np.int64, np.ndarray), x.view(type=np.ndarray))
records = np.zeros(2, "i4,f4")
records.view(np.ndarray)["f0"] = 5
print(records)
"""
    same_output(tmp_path, program)
