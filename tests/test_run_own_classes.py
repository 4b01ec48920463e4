"""``python -m devarray run``: classes of the program's below NumPy's, and the arrays that these are given."""

from __future__ import annotations

from pathlib import Path

from test_run import same_output


def test_vectorize_errstate_and_nditer_are_classes(tmp_path: Path) -> None:
    program = """
import copy
class Scaled(np.vectorize):
    def __init__(self, f, factor=2):
        super().__init__(f)
        self.factor = factor
    def __call__(self, *args):
        return super().__call__(*args) * self.factor
class Plus(np.vectorize):
    def __init__(self, f):
        np.vectorize.__init__(self, f, otypes=[float])
    def __call__(self, *args):
        return np.vectorize.__call__(self, *args) + 1
class Quiet(np.errstate):
    def __init__(self):
        super().__init__(all="ignore")
x = np.arange(4.0)
plain, scaled, plus = np.vectorize(lambda a: a + 1), Scaled(lambda a: a + 1 if a > 1 else 0, 3), Plus(lambda a: a - 1)
print(plain(x), scaled(x), scaled(2), type(scaled(x)) is np.ndarray, plus(x), plus.pyfunc(3))
made = plain, scaled, np.errstate(), Quiet(), np.nditer(x), np.nditer(x, op_flags=["readwrite"]), 3
for kind in (np.vectorize, Scaled, (int, np.vectorize), int | np.vectorize, np.vectorize | int, np.errstate, np.nditer):
    print([isinstance(each, kind) for each in made])
print(issubclass(Scaled, np.vectorize), issubclass(np.vectorize, np.vectorize), issubclass(int, np.vectorize))
print(type(plain) is np.vectorize, type(scaled) is Scaled, type(np.errstate()) is np.errstate)
print({np.vectorize: 1}[type(plain)], type(np.vectorize), np.vectorize, np.vectorize.__name__)
print(copy.copy(np.vectorize) is np.vectorize)
with Quiet():
    print(np.float64(1) / 0)
@Quiet()
def over_zero(a): return a / 0
@np.vectorize(otypes=[int])
def product(a, b): return a * b
print(over_zero(x[:2]), product(x, 2), isinstance(product, np.vectorize), product.otypes)
print(Scaled(np.dot).pyfunc is np.dot, Scaled(max)(x, 2))
"""
    same_output(tmp_path, program)


def test_arrays_that_numpy_hands_to_a_class_are_viewed_by_the_class_of_arrays(tmp_path: Path) -> None:
    program = """
class Told(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        print(ufunc.__name__, method, [type(i).__name__ for i in inputs], [type(i) is np.ndarray for i in inputs])
        plain = [i.view(np.ndarray) if isinstance(i, np.ndarray) else i for i in inputs]
        if out:
            given = tuple(each.view(np.ndarray) for each in out)
            getattr(ufunc, method)(*plain, out=given, **kwargs)
            print(np.shares_memory(out[0], given[0]))
            return out[0]
        made = getattr(ufunc, method)(*plain, **kwargs)
        return (np.asarray(made) * 1).view(np.ndarray).view(Told) if isinstance(made, np.ndarray) else made
class Asked(np.ndarray):
    def __array_function__(self, func, types, args, kwargs):
        print(func.__name__, [kind is np.ndarray for kind in types])
        def plain(a):
            if isinstance(a, (list, tuple)):
                return type(a)(map(plain, a))
            return a.view(np.ndarray) if isinstance(a, np.ndarray) else a
        return func(*plain(args), **{name: plain(a) for name, a in kwargs.items()})
ones, told = np.ones(3), np.arange(3.0).view(Told)
print(repr(ones + told), repr(told * ones), repr(np.add(told, ones)), told + 1.5, np.negative(told), told.sum())
out = np.zeros(3)
print(np.add(told, 1, out=out) is out, out)
print(np.add(ones, 1, out=told) is told, told)
asked = np.arange(6.0).reshape(2, 3).view(Asked)
print(np.where(asked > 2, asked, ones), np.concatenate([asked, np.ones((1, 3))]), np.stack([ones, asked[0]], axis=1))
print(np.where(asked.view(np.ndarray) > 1, asked, asked), np.sum(asked.view(np.ndarray)))
print(np.clip(asked, ones, 4), np.cumsum(asked, axis=0, out=np.zeros((2, 3))))
"""
    same_output(tmp_path, program)


def test_the_memory_of_a_class_is_an_array_of_the_host_that_writes_to_the_device(tmp_path: Path) -> None:
    program = """
import copy, pickle
class Quantity(np.ndarray):
    def __new__(cls, values): return np.array(values, dtype=float).view(cls)
    @property
    def magnitude(self): return self.view(type=np.ndarray)
    def argmax(self, axis=None, out=None): return self.magnitude.argmax(axis, out)
    def argmin(self, axis=None, out=None): return self.magnitude.argmin(axis=axis, out=out)
    def cumsum(self, axis=None, dtype=None, out=None): return self.magnitude.cumsum(axis, dtype, out)
q = Quantity([[3, 1, 2], [4, 9, 6]])
places, sums = np.zeros(2, dtype=np.intp), np.zeros((2, 3))
print(q.argmax(axis=1, out=places) is places, places, q.argmin(1, places), places, q.argmax())
print(np.argmax(q, axis=1, out=places), np.ndarray.argmax(q.magnitude, 0), q.cumsum(axis=1, out=sums) is sums, sums)
picked = np.zeros((2, 2))
print(q.magnitude.take([0, 2], axis=1, out=picked) is picked, picked)
print(q.magnitude.compress([True, False, True], 1, picked), picked)
print(q.magnitude.round(0, sums), q.magnitude.dot(np.ones(3), out=np.zeros(2)), q.magnitude.trace(out=np.zeros(())))
m, x = q.magnitude, np.arange(6.0)
print(repr(m), np.array_repr(m), np.ndarray.__repr__(m), type(m) is np.ndarray, m.base is q.base, m[1:].base is m.base)
print(repr(m + 1), type(m + 1) is np.ndarray, ((m + 1) * 2).view(np.ndarray).view(Quantity).max(), np.sin(m) + x[:3])
m[0] = 7
m[1, np.array([0, 1])] = x[:2] + 9
print(q, m @ x[:3], m[:, np.array([0])], m[m > 8], m == q, m.T.reshape(-1), type(m.sum()), isinstance(m, Quantity))
print(pickle.loads(pickle.dumps(m)), copy.deepcopy(m), np.asarray(q).view(np.ndarray), np.ndarray.view(m, np.ndarray))
"""
    same_output(tmp_path, program)


def test_numbers_that_a_class_is_given_are_viewed_by_the_class_of_arrays(tmp_path: Path) -> None:
    program = """
class Scaled(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        print([type(i) for i in inputs], [i.__class__ is type(i) for i in inputs])
        return getattr(ufunc, method)(*(i.view(np.ndarray) for i in inputs), **kwargs).view(Scaled)
class Shown(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        number = np.asarray(inputs[0]) * np.float64(2)
        print(type(number), repr(number), number, f"{number:.2f}", hash(number), number.view(np.ndarray), -number)
        print(isinstance(number, np.floating), isinstance(number, float), {3.0: "found"}[number])
        print(np.sin(number), repr(np.add(number, 1)), number + np.arange(3), np.full(2, number), np.array([number, 1]))
        return number
x = np.arange(3.0).view(Scaled)
print(x * np.float64(2), x - np.int32(1), x + np.complex64(1j), np.float64(2) * x)
print(np.array(2.5).view(Scaled) * np.float64(3), np.array(2.5) + x)
shown = np.array(1.5).view(Shown)
print(shown + shown)
class Plain(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs = [np.asarray(i).view(np.ndarray) for i in inputs]
        made = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        return tuple(part.view(np.ndarray) for part in made) if isinstance(made, tuple) else made.view(np.ndarray)
    def __array_function__(self, func, types, args, kwargs):
        return super().__array_function__(func, types, args, kwargs).view(np.ndarray)
plain = np.arange(3.0).view(Plain)
print(plain > 1, np.divmod(plain, 2), plain + np.ones(3), np.add.reduce(plain), np.cumsum(plain), np.ptp(plain))
"""
    same_output(tmp_path, program)


def test_functions_of_numpys_in_a_class_are_methods_where_numpys_are(tmp_path: Path) -> None:
    program = """
class Model:
    sine, total, made, applied, mean = np.sin, np.add.reduce, np.array, np.vectorize(abs), staticmethod(np.mean)
    shape_of, outer, of_random, norm = np.shape, np.multiply.outer, np.random.rand, np.linalg.norm
    def __array__(self, dtype=None, copy=None): return np.ones((2, 2))
m, x = Model(), np.arange(3.0)
print(m.sine(x), m.total(x), m.made([1, 2]), m.applied(-x), m.mean(x), m.outer(x, x), m.shape_of())
print(m.of_random(2).shape, m.norm())
print(Model.sine(x), Model.shape_of(x), Model.norm(x))
"""
    same_output(tmp_path, program)


def test_sequences_of_a_class_of_the_programs_are_joined(tmp_path: Path) -> None:
    program = """
import collections
class Parts:
    def __init__(self, *parts): self.parts = parts
    def __len__(self): return len(self.parts)
    def __getitem__(self, i): return self.parts[i]
class Rows(list): pass
several, equal = Parts(np.arange(3.0), np.arange(2.0)), Parts(np.arange(3.0), np.ones(3))
print(np.concatenate(several), np.hstack(several), np.concatenate(equal, axis=None), np.stack(equal, axis=1))
for join in (np.stack, np.vstack, np.dstack, np.column_stack, np.concat):
    print(join(equal).tolist(), join(Rows(equal)).shape, join(np.ones((2, 3))).shape)
print(np.concatenate(collections.deque([np.arange(2), np.arange(3)])), np.sum(equal), np.mean(equal, axis=0))
for wrong in ("ab", {0: np.arange(2)}, (x for x in equal.parts), 3):
    try:
        print(np.concatenate(wrong))
    except Exception as error:
        print(isinstance(error, (TypeError, ValueError)))
"""
    same_output(tmp_path, program)


def test_results_of_a_class_are_its_own_beside_an_output(tmp_path: Path) -> None:
    program = """
class Unit(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        plain = [np.asarray(i).view(np.ndarray) for i in inputs]
        if out is not None:
            kwargs["out"] = tuple(np.asarray(each) for each in out)
        return np.asarray(getattr(ufunc, method)(*plain, **kwargs)).view(Unit)
    def __array_function__(self, func, types, args, kwargs):
        args = [a.view(np.ndarray) if isinstance(a, Unit) else a for a in args]
        return np.asarray(func(*args, **kwargs)).view(Unit)
x, masked = np.arange(3.0).view(Unit), np.ma.array([1.0, 5.0, 3.0], mask=[0, 1, 0])
for make in (
    lambda out: np.add(x, 1, out=out),
    lambda out: np.add(x, 1, out),
    lambda out: np.clip(x, 1, 2, out=out),
    lambda out: np.cumsum(x, out=out),
    lambda out: np.take(x, [0, 2, 1], out=out),
    lambda out: np.ma.clip(masked, 2, 3, out),
    lambda out: masked.clip(2, 3, out=out.copy().view(np.ma.MaskedArray)),
    lambda out: np.add(np.ones(3), 1, out=out),
):
    out = np.zeros(3)
    made = make(out)
    print(type(made).__name__, made, out)
"""
    same_output(tmp_path, program)
