"""``python -m devarray run``: values of arrays given to Python's standard library."""

from __future__ import annotations

from pathlib import Path

from test_run import same_output

START = """
x = np.array([3.5, 1.25, 2.0, 8.75, 4.0])
i = np.array([3, 1, 2, 5, 4])
"""


def test_times_and_decimals_take_values(tmp_path: Path) -> None:
    program = (
        START
        + """
import datetime, decimal, pickle, time
from datetime import timedelta
print(timedelta(seconds=x[0]), datetime.timedelta(days=int(i[0]), hours=x[1]), timedelta(seconds=2) * x[0])
print(datetime.datetime.fromtimestamp(x[0], datetime.timezone.utc), datetime.date(2020, i[1], 2))
print(time.sleep(x[0] * 0), time.gmtime(x[0]).tm_sec, decimal.Decimal(x[0]) + 1)
day = timedelta(days=1)
print(isinstance(day, timedelta), isinstance(3, (int, timedelta)), issubclass(timedelta, object),
    timedelta == type(day), timedelta.max, timedelta.__name__)
print(pickle.loads(pickle.dumps(day)), timedelta is datetime.timedelta)
class Stamp(datetime.datetime):
    pass
print(Stamp(2020, 1, 2).year, isinstance(Stamp(2020, 1, 2), datetime.date), datetime.date.fromordinal(i[0] + 700000))
def f(a: timedelta | None = None) -> "timedelta | int": return a
print(f(), hash(timedelta) == hash(datetime.timedelta))
"""
    )
    same_output(tmp_path, program)


def test_statistics_and_fractions_take_values(tmp_path: Path) -> None:
    program = (
        START
        + """
import fractions, math, statistics
for name in ("mean", "fmean", "median", "stdev", "pstdev", "variance", "mode", "harmonic_mean", "quantiles"):
    for values in (x, 2 * x) if name in ("stdev", "pstdev", "variance") else (x, i):
        found = getattr(statistics, name)(values)
        print(name, found, type(found).__name__)
print(statistics.linear_regression(x, i), statistics.NormalDist(x[0], x[1]).cdf(2))
print(fractions.Fraction(x[0]), fractions.Fraction(i[0], i[3]), fractions.Fraction(1, 3) + i[0])
print(fractions.Fraction(1, 3) * x[0])
print(math.trunc(x[0]), math.floor(x[0]), math.ceil(x[0]), i[0].numerator, i[0].denominator)
"""
    )
    same_output(tmp_path, program)


def test_sqlite3_stores_what_it_stores_of_numpys(tmp_path: Path) -> None:
    program = (
        START
        + """
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table t (a, b)")
db.execute("insert into t values (?, ?)", (x[0], x.mean()))
db.executemany("insert into t values (?, ?)", [(x[1], i[0]), (x.astype("float32")[2], x[:2])])
db.execute("insert into t values (:a, :b)", {"a": (x > 2)[0], "b": x[1, ...]})
print(db.execute("select a, b, typeof(a), typeof(b) from t").fetchall())
sqlite3.register_adapter(np.int64, int)
sqlite3.register_adapter(np.bool_, bool)
sqlite3.register_adapter(np.ndarray, lambda a: ",".join(str(v) for v in a))
print(db.execute("select ?, ?, ?, ?", (i[0], (x > 2)[0], x, x[3])).fetchall())
print(db.execute("select sum(a) from t where a < ?", (x[3],)).fetchall())
"""
    )
    same_output(tmp_path, program)


def test_what_a_test_puts_in_place_of_a_function_counts(tmp_path: Path) -> None:
    program = """
import time
from unittest import mock
with mock.patch("time.sleep", lambda seconds: "slept"):
    print(time.sleep(1))
time.answer = 42
import sys
print(sys.modules["time"].answer, "answer" in dir(time))
from datetime import *
print(timedelta(seconds=np.array([2.5])[0]))
"""
    same_output(tmp_path, program)


def test_arrays_of_both_sides_are_of_one_class(tmp_path: Path) -> None:
    program = """
import scipy.ndimage
x = np.eye(4)
y = scipy.ndimage.gaussian_filter(x, 1.0)
print(type(y) is type(x), type(y) is np.ndarray, isinstance(y, np.ndarray))
print(np.arange(3).astype(">i4").tobytes(), np.arange(3).astype(">i2").dtype)
try:
    f"{x:>9}"
except TypeError:
    print("TypeError")
"""
    same_output(tmp_path, program)


def test_classes_that_take_values_are_classes(tmp_path: Path) -> None:
    program = """
import copy, datetime, decimal, functools, inspect, pickle, typing
from dataclasses import dataclass, fields
for kind in (datetime.datetime, datetime.timedelta, datetime.date, decimal.Decimal, np.vectorize):
    print(isinstance(kind, type), inspect.isclass(kind), type(kind), kind.__class__, kind, kind.__name__)
    print(issubclass(kind, object), copy.copy(kind) is kind, copy.deepcopy([kind])[0] is kind)
print(issubclass(datetime.datetime, datetime.date), issubclass(datetime.date, datetime.datetime))
class Day(datetime.datetime): pass
print(issubclass(Day, datetime.datetime), isinstance(Day(2020, 1, 1), datetime.date))
print(Day.__mro__[1] == datetime.datetime)
@functools.singledispatch
def named(x): return "other"
@named.register(datetime.datetime)
def _(x): return "time"
@named.register
def _(x: datetime.timedelta): return "duration"
print(named(datetime.datetime.now()), named(datetime.timedelta(1)), named(1), datetime.datetime | None)
class Named(type):
    def __new__(cls, name, bases, own):
        print([key for key, value in own.items() if isinstance(value, type)])
        return super().__new__(cls, name, bases, own)
class Holder(metaclass=Named):
    time, number, function, array = datetime.datetime, decimal.Decimal, np.sin, np.ndarray
print(Holder().time(2020, 1, 1), Holder().number("3"), pickle.loads(pickle.dumps(datetime.datetime)))
@dataclass
class Span:
    begin: datetime.datetime
    length: datetime.timedelta = datetime.timedelta(1)
print([isinstance(field.type, type) for field in fields(Span)], typing.get_type_hints(Span))
print(datetime.timedelta(seconds=np.array([1.0, 2.0]).sum()), decimal.Decimal(np.array(3.0).sum()))
"""
    same_output(tmp_path, program)
