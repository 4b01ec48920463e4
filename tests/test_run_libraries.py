"""``python -m devarray run``: programs that hand what they have from NumPy to libraries, other processes and copies."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import same_output


def test_generators_are_numpys_to_libraries(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.stats
state, rng = np.random.RandomState(3), np.random.default_rng(3)
print(isinstance(state, np.random.RandomState), isinstance(rng, np.random.Generator), isinstance(rng,
    np.random.RandomState))
print(isinstance(np.random.mtrand._rand, np.random.RandomState), type(rng) is np.random.Generator)
print(np.random.default_rng(rng) is rng, np.random.default_rng(np.random.RandomState(1)).random(2))
print(scipy.stats.norm.rvs(size=3, random_state=rng), scipy.stats.norm.rvs(size=3, random_state=state))
print(scipy.stats.permutation_test((rng.random(4), rng.random(4)), lambda x, y: 1.0, rng=rng, n_resamples=9).pvalue)
print([type(part) is np.random.Generator for part in rng.spawn(2)], rng.permutation(4), state.rand(2))
print(np.random.RandomState(np.arange(3)).rand(2), np.random.default_rng(np.arange(3)).random(2))
"""
    same_output(tmp_path, program)


def test_draws_are_on_the_device_for_the_program_alone(tmp_path: Path) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "drawing.py").write_text("def drawn(rng):\n    return rng.random(3)\n")
    program = f"""
import sys
sys.path.append({str(tmp_path / "site-packages")!r})
import drawing
for rng in (np.random.default_rng(0), np.random.RandomState(0)):
    if hasattr(np.zeros(1), "copy_to_host"):  # with devarray
        assert hasattr(rng.random(3), "copy_to_host") and not hasattr(drawing.drawn(rng), "copy_to_host")
"""
    same_output(tmp_path, program)


def test_functions_and_generators_are_copied_and_pickled(tmp_path: Path) -> None:
    program = """
import copy, pickle
class Filter:
    inverse = staticmethod(np.linalg.inv)
    def __init__(self):
        self.root, self.rng, self.state = np.sqrt, np.random.default_rng(1), np.random.RandomState(1)
        self.state.randn()
for made in (copy.deepcopy(Filter()), copy.copy(Filter())):
    print(made.root(np.arange(3.0)), made.rng.normal(size=2), made.state.randn(3))
x = Filter()
print(copy.deepcopy(x.root) is x.root, pickle.loads(pickle.dumps(np.sin))(np.arange(2.0)),
    pickle.loads(pickle.dumps(np.sum))([1, 2]))
print(pickle.loads(pickle.dumps(x.rng)).random(2), pickle.loads(pickle.dumps(x.state)).randn(3))
"""
    same_output(tmp_path, program)


def test_functions_that_a_library_calls_on_its_own_arrays_stay_there(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.stats
x, y = np.random.default_rng(1).normal(size=40), np.random.default_rng(2).normal(size=30)
def rng(): return np.random.default_rng(3)
print(scipy.stats.bootstrap((x,), np.mean, n_resamples=99, rng=rng()).confidence_interval)
print(scipy.stats.bootstrap((x,), np.std, n_resamples=99, vectorized=False, rng=rng()).standard_error)
print(scipy.stats.permutation_test((x, y), lambda a, b: np.mean(a) - np.mean(b), n_resamples=99, rng=rng()).pvalue)
print(scipy.stats.monte_carlo_test(x, rng().normal, np.mean, n_resamples=99).pvalue)
print(type(np.r_[1:3]) is np.ndarray, np.mgrid[0:2, 0:2].shape, list(map(np.sqrt, [4.0, 9.0])))
"""
    same_output(tmp_path, program)


def test_modules_are_looked_through(tmp_path: Path) -> None:
    program = """
import inspect
names = vars(np)
print(names["sin"] is np.sin, {"zeros", "linalg", "float64"} <= set(np.__dict__), "solve" in vars(np.linalg))
print(type(np.sin) is np.ufunc, type(np.sum) is type(np.mean), type(np.array) is type(len))
print([name for name in ("sin", "sum") if callable(names[name])], type[int], list[type[np.ndarray]] is not None)
"""
    same_output(tmp_path, program)


def test_classes_below_ndarray_see_numpys_class(tmp_path: Path) -> None:
    program = """
class Marked(np.ndarray):
    def __new__(cls, values, mark=None):
        made = np.asarray(values).view(cls)
        made.mark = mark
        return made
    def __array_finalize__(self, other):
        self.mark = getattr(other, "mark", None)
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [x.view(np.ndarray) if isinstance(x, Marked) else x for x in inputs]
        return np.asarray(super().__array_ufunc__(ufunc, method, *plain, **kwargs)).view(Marked)
    def __getitem__(self, key):
        return np.ndarray.__getitem__(self, key)
    def __repr__(self):
        return "marked " + np.ndarray.__repr__(self.view(type=np.ndarray))

x = Marked([1.0, 2.0, 3.0], "m")
print(x.mark, repr(x[1:]), repr(x + np.ones(3)), repr(np.ones(3) * x), np.ndarray.sum(x), np.ndarray.sum(np.ones(3)))
print(type(np.ndarray) is type, issubclass(Marked, np.ndarray), np.ndarray.view(x, np.ndarray),
    np.ndarray.copy(np.ones(2)))

class Bare(np.ndarray):
    pass
print(repr(np.arange(3.0).view(Bare) + np.ones(3)), repr(np.ones(3) - np.arange(3.0).view(Bare)),
    np.arange(2).view(Bare).view(np.ndarray))
"""
    same_output(tmp_path, program)


def test_named_results_are_of_numpys_classes(tmp_path: Path) -> None:
    program = """
x = np.array([[2.0, 1.0], [1.0, 3.0]])
print([type(r).__name__ for r in (np.linalg.svd(x), np.linalg.eigh(x), np.linalg.slogdet(x), np.unique_all(x))])
print(np.linalg.slogdet(x), np.unique_counts(np.array([1, 1, 2])))
"""
    same_output(tmp_path, program)


def test_sparse_matrices_beside_arrays(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.sparse as sp
dense = np.arange(6.0).reshape(2, 3)
for kind in (sp.csr_array, sp.csr_matrix, sp.coo_array):
    x = kind(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]))
    of = dense if kind is not sp.csr_matrix else dense.T
    for r in (dense - x, x - dense, x + dense, dense + x, of * x, x * of, x @ dense.T, dense.T @ x, x / dense,
        dense > x, x <= dense):
        print(type(r).__name__, r.toarray().tolist() if sp.issparse(r) else np.asarray(r).tolist())
"""
    same_output(tmp_path, program)


def test_numbers_of_other_classes_beside_arrays(tmp_path: Path) -> None:
    program = """
from decimal import Decimal
from fractions import Fraction
half, x = Fraction(1, 2), np.array([1, 2, 3])
print(x * half, half - x, x ** Fraction(2), x / half, x // half, x % half, x < half, half <= x,
    x == Fraction(2), x != Fraction(2))
print(x + Decimal("0.1"), x == Decimal(1))

class First:
    __array_priority__ = 5
    def __rsub__(self, other):
        return type(other) is np.ndarray
    def __gt__(self, other):
        return type(other) is np.ndarray
print(x - First(), x < First())
try:
    x + object()
except TypeError:
    print("refused")
"""
    same_output(tmp_path, program)


def test_what_no_device_holds_is_numpys(tmp_path: Path) -> None:
    program = """
x = np.arange(3.0)
print(x.astype(str), x.astype(object), x.astype("S3"), x.astype(np.longdouble).dtype, x.astype("G").dtype)
print(x * np.longdouble(2), np.longdouble(2) - x, x + np.array([1, 2, 3], np.longdouble), np.array([1, 2, 3],
    np.longdouble) - x)
print(x == np.array(["a", "b", "c"]), np.char.add(x.astype(str), "k"), x.reshape(3, 1).astype(str,
    order="F").flags.fnc)
try:
    x.astype("U5", casting="safe"), x.astype(np.float16, casting="safe")
except TypeError:
    print("refused")
"""
    same_output(tmp_path, program)


def test_complex_arguments_of_scipys_functions(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    program = """
import scipy.special
x = np.arange(3.0) * 0.5j
print(scipy.special.erf(x), scipy.special.gamma(1 + x), scipy.special.erfc(np.arange(2.0) + 1j))
"""
    same_output(tmp_path, program)


def test_arrays_are_keys_and_groups_of_pandas(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
import pandas as pd
df = pd.DataFrame({"a": [3.0, 1.0, 2.0], "b": [1, 2, 3]})
x = np.array([1.0, 2.0, 1.0])
print(df[x > 1], df.loc[x == 1, "a"], df["a"][x > 1], df.loc[np.array([0, 2])], df.iloc[np.argsort(x)], sep="\\n")
df.loc[x > 1, "b"] = 7
df["c"] = x * 2
print(df, pd.unique(x), pd.factorize(x), df.groupby(x).sum(), df.groupby([x, x > 1]).mean(), df.set_index(x),
    sep="\\n")
print(df[np.isin(df.a, [1, 2])], df[np.abs((df.a - df.a.mean()) / df.a.std()) < 1], df.assign(z=x), sep="\\n")
"""
    same_output(tmp_path, program)


def test_what_is_indexed_takes_columns_and_text(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    program = """
import pandas as pd
df = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": [4, 5, 6]})
print(np.c_[df.a, df.b], np.c_[df.a.values, np.ones(3)], np.r_[df.a, 1.0], np.c_[np.array(["a", "b", "c"]),
    np.arange(3)])
print(np.r_["0,2", np.arange(3), np.arange(3)], np.r_["r", np.arange(3)], np.c_[np.ones(2), [None] * 2],
    np.mgrid[0:2, 0:3].sum())
"""
    same_output(tmp_path, program)


def test_values_in_pythons_library(tmp_path: Path) -> None:
    program = """
import csv, io, json, math, struct
x, i = np.array([3.0, 1.0]), np.array([2, 0])
print(json.dumps({"mean": x.mean(), "all": x.tolist()}), json.dumps([x[0], 1]))
for value in (i[0], x, np.float32(x)[0], object()):
    try:
        print(json.dumps(value))
    except TypeError:
        print("refused")

class Encoder(json.JSONEncoder):
    def default(self, o):
        return o.tolist() if isinstance(o, np.ndarray) else int(o)
print(json.dumps({"x": x, "i": i[0]}, cls=Encoder))
print("ab" * i[0], [0] * i[0], math.comb(i[0], 1), struct.pack("d", x[0]), f"{x[0]:.2e} {i[0]:03d}", "%d" % i[0])
out = io.StringIO()
csv.writer(out).writerow([i[0], *x])
print(out.getvalue())
"""
    same_output(tmp_path, program)


def test_what_is_written_on_the_host_arrives(tmp_path: Path) -> None:
    program = """
def after(write):
    y = np.ones(3)
    write(y)
    return y
print(after(lambda y: np.ldexp.at(y, [0, 0, 1], 2)), after(lambda y: np.nextafter.at(y, [0, 1], 5.0)) > 1)
y = np.zeros(3)
print(np.heaviside(np.arange(3.0) - 1, 0.5, y) is y, y)
q, r = np.zeros(3), np.zeros(3)
t = np.divmod(np.arange(3.0), 2, q, r)
print(t[0] is q, t[1] is r, q, r)
t = np.modf(np.array([0.5, 1.25, 3.0]), out=(q, None))
print(t[0] is q, q, t[1], r)
print(np.cumsum(np.ma.array([1.0, 2.0, 3.0]), 0, None, y), y)
np.add(np.array([1, 2, 3], object), 1, out=y, casting="unsafe")
print(y, np.mean(np.ma.array([[1.0, 2.0, 3.0], [3.0, 4.0, 8.0]]), 0, None, y), y)
"""
    same_output(tmp_path, program)


def test_numpys_assertions_of_test_files_take_arrays_of_the_device(tmp_path: Path) -> None:
    program = """
import sys
import pytest
x, y = np.arange(5.0), np.ones((2, 3))
libraries = sys.modules["numpy"]  # what a test file has that no program imports
for compare in ("assert_equal", "assert_almost_equal", "assert_array_equal", "assert_allclose"):
    getattr(libraries.testing, compare)(x, x * 1)
    getattr(libraries.testing, compare)(y, 1.0)
    with pytest.raises(AssertionError):
        getattr(libraries.testing, compare)(x, x + 1)
libraries.testing.assert_equal({"a": [y, x]}, {"a": [y * 1, x + 0]})
with libraries.testing.assert_raises(ValueError):
    np.zeros(3).reshape(2)
print(libraries.testing.assert_equal.__name__)
"""
    same_output(tmp_path, program)


def test_array_api_compat_takes_arrays_of_the_device_for_numpys(tmp_path: Path) -> None:
    pytest.importorskip("array_api_compat")
    program = """
from array_api_compat import array_namespace, is_numpy_array, is_numpy_namespace, is_torch_array, is_array_api_obj
import array_api_compat
x, number = np.arange(3.0), np.float64(2)
print([is_numpy_array(each) for each in (x, x[0], number, 2, [1])], is_torch_array(x), is_array_api_obj(x))
for arrays in ((x,), (x, number), (x, x.astype("f4")), (x[0], x), (x[0],), (x[0], number)):
    xp = array_namespace(*arrays)
    print(is_numpy_namespace(xp), xp.linalg.vector_norm(x).round(6), xp.permute_dims(xp.asarray([[1, 2]]), (1, 0)))
print(array_api_compat.is_numpy_array(x), is_numpy_namespace(array_api_compat))
"""
    same_output(tmp_path, program)
