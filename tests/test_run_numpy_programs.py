"""Programs under ``devarray run``: the same text gives the same output under NumPy."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_run import same_output

PROGRAMS = {
    "views of the class": """
        import numpy as np
        from numpy import ndarray
        x = np.arange(3.0)
        y = x.view(ndarray)
        y[0] = 5
        x.view(type=np.ndarray)[1] = 7
        print(x, isinstance(y, ndarray), y.dtype)
    """,
    "two names of a function": """
        import numpy as np
        print(np.pow is np.power, np.concat is np.concatenate, np.abs is np.absolute, np.acos is np.arccos)
        print(np.concat([np.ones(2), np.zeros(1)]), np.concatenate(([1.0], np.ones(2)), 0), np.pow(np.arange(3), 2))
        print(np.power.__name__, np.permute_dims(np.ones((2, 3)), (1, 0)).shape, len(vars(np)["abs"](np.ones(2))))
    """,
    "a table of a module's functions": """
        import numpy as np
        kept = {}
        for name, function in vars(np).items():
            if callable(function) and not isinstance(function, type) and not any(function is x for x in kept.values()):
                kept[name] = function

        class Box:
            __array_priority__ = 100.0

            def __init__(self, value):
                self.value = value

            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                made = {function: name for name, function in kept.items()}
                return made[ufunc], ufunc(*(x.value if isinstance(x, Box) else x for x in inputs))

        print(np.power(Box(np.arange(3.0)), np.arange(3.0))[1], np.conj(np.arange(2) + 1j))
    """,
    "functions of numbers": """
        import numpy as np
        a, n = np.float32(2.25), np.int64(7)
        for made in (
            np.sqrt(2.0), np.sqrt(a), np.add(n, 1), np.add(True, False), np.floor_divide(n, 2.0), np.isnan(1j),
            *np.frexp(a), *np.modf(2.5), *np.divmod(n, 3), np.random.seed(1), np.random.rand(), np.random.randint(5),
            np.random.rand(2), np.random.normal(0, 1, 2), np.isscalar(a), np.linspace(0, 1, 3),
        ):
            print(type(made), made)
        with np.errstate(divide="raise"):
            try:
                np.log(0.0)
            except FloatingPointError as error:
                print(error)
        try:
            np.add(1)
        except (TypeError, ValueError) as error:
            print(type(error), error)
    """,
    "functions given to pandas": """
        import numpy as np
        import pandas as pd
        df = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1, 2, 3, 4], "c": [0, 0, 1, 1]})
        mean = lambda x: np.mean(np.asarray(x))
        groups = df.groupby("c")
        for made in (
            groups["a"].agg(mean),
            groups.agg([mean, "sum"]),
            groups.agg(x=("a", mean), y=("b", lambda x: np.max(np.asarray(x)))),
            groups.filter(lambda d: np.mean(np.asarray(d["a"])) > 2),
            df.pivot_table(index="c", values="a", aggfunc=mean),
            df["a"].apply(lambda v: np.sqrt(np.asarray(v)) * 2),
            df["a"].map(lambda v: np.array([v, 1.0]).sum()),
            df.map(lambda v: np.array(v) * 2),
            df["a"].combine(df["b"], lambda x, y: np.array([x, y]).max()),
            df[lambda d: np.asarray(d["a"]) > 2],
            pd.Series(["a", "b"]).map(lambda v: np.array([1, 2])),
        ):
            print(made, getattr(made, "dtypes", None), sep="\\n")
    """,
    "numbers given to pandas": """
        import numpy as np
        import pandas as pd
        df = pd.DataFrame({"a": [1.0, 2, 3, 4], "b": [1, 2, 3, 4]})
        two = np.array([1, 2]).max()
        for made in (
            df.head(two), df.tail(two), df.iloc[:two], df.iloc[two:, :two], df.iat[two, 0], df.round(two),
            df.shift(two),
            df["a"].rolling(two).mean(), df["a"].diff(two), df["a"].shift(two), df["a"].round(two), df.diff(two),
            pd.date_range("2020", periods=two), pd.Timedelta(two, unit="D"), pd.Timedelta(days=two),
            pd.MultiIndex.from_tuples([(two, 2)]).dtypes,
        ):
            print(made)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_what_it_gives_under_numpy(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAMS[name]))
    if "pandas" in PROGRAMS[name]:
        pytest.importorskip("pandas")
    plain, ours = (
        subprocess.run(
            [sys.executable, *way, str(path)], capture_output=True, text=True, timeout=120, cwd=tmp_path, check=False
        )
        for way in ((), ("-m", "devarray", "run"))
    )
    assert plain.returncode == 0, plain.stderr
    assert (ours.stdout, ours.returncode) == (plain.stdout, 0), ours.stderr


def test_functions_of_elements_give_numpys_dtypes(tmp_path: Path) -> None:
    program = """
import math
x, i = np.array([0.5, 1.5, 2.5]), np.arange(4)
for f, given in (
    (lambda q: q + 1 if q > 1 else 0, (x,)),
    (lambda q: 0 if q < 1 else q * 1.5, (i,)),
    (lambda q: 1.5 if q < 1 else q, (i,)),
    (lambda a, b: a if a > b else b, (i, 1.5)),
    (lambda q: math.sin(q) if q > 0 else 0, (i,)),
    (lambda q: max(0, q - 1), (x,)),
    (lambda q: (0 if q < 1 else q, q / 2), (x,)),
    (lambda q: np.float32(1) if q < 1 else 2.0, (i,)),
    (lambda q: q**2, (i.astype("i1"),)),
):
    print(repr(np.vectorize(f)(*given)))
print(repr(np.vectorize(lambda q: 0 if q < 1 else q, otypes=[float])(x)), np.vectorize(lambda q, p: q * p)(i, p=x[0]))
print(repr(np.frompyfunc(lambda a, b: a + b, 2, 1)(i, i)), np.frompyfunc(math.factorial, 1, 1)(i + 20))
print(repr(np.frompyfunc(divmod, 2, 2)(i, 2)), np.frompyfunc(lambda a: a**2, 1, 1)(i).astype(float) + np.ones(4))
print(np.frompyfunc(lambda a, b: a * b, 2, 1).outer(i, i).sum(), np.frompyfunc(lambda a, b: a * b, 2, 1).reduce(i + 1))
"""
    same_output(tmp_path, program)
