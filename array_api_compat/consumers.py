"""Matplotlib, pandas and xarray on devarray's arrays: a table of what works.

    python array_api_compat/consumers.py [matplotlib] [pandas] [xarray]

Each call is made with NumPy's arrays and with devarray's, with ``config.fallback`` "raise" and then "allow". A call of
Matplotlib works where the figure, drawn without a window, has the same pixels; pandas keeps its columns on the host, so
that its results are compared there; xarray's variables keep the device's arrays, and are asked for them.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from trials import Table, show

rng = np.random.default_rng(0)
X = np.linspace(0.0, 1.0, 40)
Y = np.sin(6 * X)
Z = rng.normal(size=(20, 30))
GRID = np.meshgrid(np.arange(30.0), np.arange(20.0))
LABELS = rng.integers(0, 3, 40)


def matplotlib_calls() -> Table:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    def drawn(draw: Callable[..., Any], projection: str | None = None) -> Callable[..., Any]:
        def call(*arrays: Any) -> list[int]:
            figure = plt.figure(figsize=(2, 2), dpi=50)
            try:
                draw(figure.add_subplot(projection=projection), *arrays)
                figure.canvas.draw()
                return list(hashlib.sha256(figure.canvas.buffer_rgba()).digest())
            finally:
                plt.close(figure)

        return call

    of = lambda name, **more: drawn(lambda axes, *arrays: getattr(axes, name)(*arrays, **more))  # noqa: E731
    lines = ("plot", "scatter", "bar", "barh", "stem", "step", "fill", "fill_between", "hist2d", "hexbin", "tripcolor")
    table: Table = {name: (of(name), (X, Y, Y * 2) if name == "tripcolor" else (X, Y)) for name in lines}
    table |= {name: (of(name), (X + 1, Y + 2)) for name in ("semilogx", "semilogy", "loglog", "stackplot", "errorbar")}
    table |= {name: (of(name), (Z,)) for name in ("imshow", "matshow", "spy", "contour", "contourf", "pcolormesh")}
    table |= {name: (of(name), (Z,)) for name in ("hist", "boxplot", "violinplot", "eventplot")}
    table |= {name: (of(name), (*GRID, Z, Z)) for name in ("quiver", "streamplot", "barbs")}
    table |= {name: (of(name), (Y + 2,)) for name in ("pie", "stairs", "ecdf", "acorr")}
    table |= {name: (of(name, NFFT=16, noverlap=4), (Y,)) for name in ("specgram", "psd")}
    table["text, limits, ticks"] = (
        drawn(lambda ax, x, y: (ax.text(x[3], y[3], "a"), ax.set_xlim(x.min(), x.max()), ax.set_xticks(x[::10]))),
        (X, Y),
    )
    table["set_data, set_offsets"] = (
        drawn(lambda ax, x, y: (ax.plot(x, y)[0].set_data(x, y * 0.5), ax.scatter(x, y).set_offsets(GRID[0][:, :2]))),
        (X, Y),
    )
    table["axhline, vlines"] = (drawn(lambda ax, x, y: (ax.axhline(y.mean()), ax.vlines(x, 0, y))), (X, Y))
    table["LineCollection"] = (drawn(lambda ax, s: ax.add_collection(LineCollection([s]))), (Z[:, :2],))
    for name, arrays in (("plot_surface", (*GRID, Z)), ("plot_wireframe", (*GRID, Z)), ("scatter", (X, Y, X))):
        table[f"3-d {name}"] = (drawn(lambda ax, *a, name=name: getattr(ax, name)(*a), "3d"), arrays)
    table["rgb image"] = (of("imshow"), (np.abs(Z[:, :30].reshape(20, 10, 3)) / 5,))
    return table


def pandas_calls() -> Table:
    import pandas as pd

    plain = lambda answer: answer.to_numpy().tolist()  # noqa: E731
    return {
        "Series": (lambda y: plain(pd.Series(y)), (Y,)),
        "Series, int": (lambda y: plain(pd.Series(y)), (LABELS,)),
        "DataFrame of a matrix": (lambda z: plain(pd.DataFrame(z)), (Z,)),
        "DataFrame of columns": (lambda x, y: plain(pd.DataFrame({"x": x, "y": y})), (X, Y)),
        "Index": (lambda x: plain(pd.Index(x)), (LABELS,)),
        "a column assigned": (lambda x, y: plain(pd.DataFrame({"x": np.arange(40)}).assign(x2=x, y=y)), (X, Y)),
        "groupby": (lambda x, g: plain(pd.Series(x).groupby(g).mean()), (X, LABELS)),
        "cut": (lambda x: plain(pd.Series(pd.cut(x, 4, labels=False))), (X,)),
        "Categorical": (lambda g: pd.Categorical(g).codes.tolist(), (LABELS,)),
        "factorize": (lambda g: pd.factorize(g)[0].tolist(), (LABELS,)),
        "unique": (lambda g: list(map(int, pd.unique(g))), (LABELS,)),
        "isin": (lambda x, g: plain(pd.Series(np.arange(3)).isin(g)), (X, LABELS)),
        "a mask as key": (lambda m: plain(pd.Series(np.arange(40))[m]), (X > 0.5,)),
        "positions by iloc": (lambda i: plain(pd.Series(np.arange(40.0)).iloc[i]), (LABELS,)),
        "a series times an array": (lambda x: plain(pd.Series(np.arange(40.0)) * x), (X,)),
        "ufunc of a series and an array": (lambda x: plain(np.add(pd.Series(np.arange(40.0)), x)), (X,)),
        "scalars as values": (lambda x: plain(pd.Series([x[1], x[2], x.sum()], dtype=float)), (X,)),
    }


def xarray_calls() -> Table:
    import xarray as xr

    def of(use: Callable[[Any], Any]) -> Callable[..., Any]:
        return lambda z: use(xr.DataArray(z, dims=("y", "x"))).data

    return {
        "arithmetic": (of(lambda a: a * 2 + a), (Z,)),
        "broadcasting by name": (of(lambda a: a - a.mean("x")), (Z,)),
        "mean": (of(lambda a: a.mean("x")), (Z,)),
        "sum": (of(lambda a: a.sum()), (Z,)),
        "std": (of(lambda a: a.std("y")), (Z,)),
        "max": (of(lambda a: a.max("x")), (Z,)),
        "median": (of(lambda a: a.median("x")), (Z,)),
        "quantile": (of(lambda a: a.quantile(0.3, "x")), (Z,)),
        "isel": (of(lambda a: a.isel(x=slice(2, 9, 2), y=3)), (Z,)),
        "sel with coordinates": (of(lambda a: a.assign_coords(x=np.arange(30)).sel(x=[3, 5])), (Z,)),
        "where": (of(lambda a: a.where(a > 0, 0.0)), (Z,)),
        "where, with NaN": (of(lambda a: a.where(a > 0)), (Z,)),
        "transpose": (of(lambda a: a.transpose("x", "y")), (Z,)),
        "stack": (of(lambda a: a.stack(z=("y", "x"))), (Z,)),
        "concat": (of(lambda a: xr.concat([a, a], "t")), (Z,)),
        "ufunc": (of(np.exp), (Z,)),
        "apply_ufunc": (of(lambda a: xr.apply_ufunc(lambda v: v + 1, a)), (Z,)),
        "dot": (of(lambda a: xr.dot(a, a, dim="x")), (Z,)),
        "clip": (of(lambda a: a.clip(-1, 1)), (Z,)),
        "shift": (of(lambda a: a.shift(x=1)), (Z,)),
        "roll": (of(lambda a: a.roll(x=1)), (Z,)),
        "diff": (of(lambda a: a.diff("x")), (Z,)),
        "cumsum": (of(lambda a: a.cumsum("x")), (Z,)),
        "coarsen": (of(lambda a: a.coarsen(x=3).mean()), (Z,)),
        "rolling": (of(lambda a: a.rolling(x=3).mean()), (Z,)),
        "pad": (of(lambda a: a.pad(x=1, constant_values=0.0)), (Z,)),
        "fillna": (of(lambda a: a.fillna(0.0)), (np.where(Z > 0, Z, np.nan),)),
        "argmax": (of(lambda a: a.argmax("x")), (Z,)),
        "sortby": (of(lambda a: a.assign_coords(x=np.arange(30)[::-1]).sortby("x")), (Z,)),
        "groupby": (of(lambda a: a.assign_coords(x=np.arange(30) % 3).groupby("x").mean()), (Z,)),
        "interp": (of(lambda a: a.assign_coords(x=np.arange(30.0)).interp(x=[1.5, 2.5])), (Z,)),
        "Dataset": (lambda z: xr.Dataset({"a": (("y", "x"), z)}).mean("x")["a"].data, (Z,)),
        "repr": (lambda z: len(repr(xr.DataArray(z))) > 10, (Z,)),
    }


TABLES = {"matplotlib": matplotlib_calls, "pandas": pandas_calls, "xarray": xarray_calls}


def main() -> int:
    for name in sys.argv[1:] or TABLES:
        if find_spec(name) is None:
            print(f"\n### {name}: not installed")
        else:
            show(f"{name} {__import__(name).__version__}", TABLES[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
