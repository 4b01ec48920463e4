"""Random numbers by chunk that do not depend on the chunks: each element's words are those of its place."""

from __future__ import annotations

import operator
from typing import Any

import dask.array as dsk
import numpy as np
from dask.array.core import broadcast_shapes, normalize_chunks
from dask.array.slicing import shuffle_slice
from dask.base import tokenize
from dask.blockwise import blockwise
from dask.highlevelgraph import HighLevelGraph
from dask.layers import ArraySliceDep

from devarray import _core
from devarray.array import Array
from devarray.random import bits, generator

__all__ = ["BitGenerator", "Generator", "RandomState", "default_rng"]

_WORD = np.dtype(np.uint64)


class _Part(bits.Philox):
    """The words of a block of a larger draw, as the whole draw has them."""

    def __init__(self, state: dict[str, Any], whole: tuple[int, ...], starts: tuple[int, ...]) -> None:
        super().__init__(key=0)
        self.state = state
        self.whole, self.starts = whole, starts

    def count(self, shape: object) -> int:
        return super().count(self._extended(shape))

    def numbers(self, shape: Any, first: int, queue: Any, allocator: Any) -> Array:
        whole, starts = self._extended(shape), self.starts + (0,) * (len(shape) - len(self.whole))
        summed, step = None, 1
        for axis in reversed(range(len(whole))):
            row = _core.iota((shape[axis],), _WORD, (first + starts[axis] * step) % 2**64, step, queue, allocator)
            row = row.reshape(shape[axis], *(1,) * (len(whole) - 1 - axis))
            summed, first, step = row if summed is None else summed + row, 0, step * whole[axis]
        return super().numbers(shape, first, queue, allocator) if summed is None else summed

    def _extended(self, shape: Any) -> tuple[int, ...]:
        """The whole draw's shape: with the axes that vectors have beside it."""
        return (*self.whole, *tuple(shape)[len(self.whole) :])


class BitGenerator(bits.Philox):
    """devarray's Philox, as ``dask.array.random.Generator`` takes it: its numbers depend on the chunks, as Dask's do.

    Parameters
    ----------
    seed : None, int, sequence of int or numpy.random.SeedSequence
        What the key is made from.

    Examples
    --------
    >>> import dask, dask.array as dsk
    >>> with dask.config.set({"array.backend": "devarray"}):
    ...     x = dsk.random.default_rng(1).random(6, chunks=3)
    >>> type(x.compute()).__name__
    'Array'
    """

    capsule = None  # by which Dask knows bit generators


class Generator:
    """Random numbers as Dask arrays on devices, the same ones whatever the chunks.

    They are those that :class:`devarray.random.Generator` draws for the whole array. All distributions take ``size``
    and ``chunks`` beside their parameters, which are numbers, arrays or Dask arrays; what else is given by name goes to
    devarray's function of that name.

    Parameters
    ----------
    bit_generator : devarray.random.Philox
        The source of the random words.

    Examples
    --------
    >>> import devarray as da, devarray.dask
    >>> x = devarray.dask.default_rng(7).normal(size=(4, 6), chunks=(2, 3))
    >>> bool((x.compute() == da.random.default_rng(7).normal(size=(4, 6))).all())
    True
    """

    def __init__(self, bit_generator: bits.Philox) -> None:
        self._bits = bit_generator

    @property
    def bit_generator(self) -> bits.Philox:
        """The source of the random words, with key and counter."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators.

        Parameters
        ----------
        n_children : int
            Their number.

        Returns
        -------
        list of Generator
            New generators.

        Examples
        --------
        >>> import devarray.dask
        >>> len(devarray.dask.default_rng(1).spawn(3))
        3
        """
        return [Generator(child) for child in self._bits.spawn(n_children)]

    def _draw(self, name: str, given: tuple[Any, ...], size: Any, chunks: Any, named: dict[str, Any]) -> Any:
        """A distribution, drawn by block. `given` are the parameters of an element, `named` those of the whole."""
        arrays = {i: dsk.asarray(value) for i, value in enumerate(given) if _has_axes(value)}
        shape = broadcast_shapes(*(a.shape for a in arrays.values())) if size is None else _shape(size)
        dtype = np.dtype(named.get("dtype") or np.float64)
        chunks = normalize_chunks(chunks, shape, dtype=dtype)
        state, inside = self._bits.state, tuple(range(len(shape)))
        blocks = {i: dsk.broadcast_to(a, shape).rechunk(chunks) for i, a in arrays.items()}
        how = {
            "named": named,
            "name": name,
            "state": state,
            "whole": shape,
            "numbers": {i: value for i, value in enumerate(given) if i not in arrays},
            "places": tuple(blocks),
        }
        some = [a._meta[(slice(0, 0),) * a.ndim] for a in blocks.values()]
        part = _Part(state, shape, (0,) * len(shape))
        empty = _drawn(part, (0,) * len(shape), some, how) if shape else _drawn(part, (), [1] * len(some), how)
        self._bits.state = part.state
        label = f"{name}-{tokenize(state, name, given, shape, chunks, named)}"
        extra = tuple(range(len(shape), empty.ndim))
        layer = blockwise(
            _draw_block,
            label,
            (*inside, *extra),
            ArraySliceDep(chunks),
            inside,
            *(item for a in blocks.values() for item in (a.name, inside)),
            how=how,
            numblocks={a.name: a.numblocks for a in blocks.values()},
            new_axes=dict.fromkeys(extra, 1),
        )
        graph = HighLevelGraph.from_collections(label, layer, dependencies=list(blocks.values()))
        return dsk.Array(
            graph, label, (*chunks, *((empty.shape[i],) for i in extra)), meta=empty[(slice(0, 0),) * empty.ndim]
        )

    def random(self, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.random`, by chunk."""
        return self._draw("random", (), size, chunks, named)

    def standard_normal(self, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.standard_normal`, by chunk."""
        return self._draw("standard_normal", (), size, chunks, named)

    def standard_exponential(self, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.standard_exponential`, by chunk."""
        return self._draw("standard_exponential", (), size, chunks, named)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.uniform`, by chunk."""
        return self._draw("uniform", (low, high), size, chunks, named)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.normal`, by chunk."""
        return self._draw("normal", (loc, scale), size, chunks, named)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.lognormal`, by chunk."""
        return self._draw("lognormal", (mean, sigma), size, chunks, named)

    def exponential(self, scale: object = 1.0, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.exponential`, by chunk."""
        return self._draw("exponential", (scale,), size, chunks, named)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.laplace`, by chunk."""
        return self._draw("laplace", (loc, scale), size, chunks, named)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.logistic`, by chunk."""
        return self._draw("logistic", (loc, scale), size, chunks, named)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.gumbel`, by chunk."""
        return self._draw("gumbel", (loc, scale), size, chunks, named)

    def standard_cauchy(self, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.standard_cauchy`, by chunk."""
        return self._draw("standard_cauchy", (), size, chunks, named)

    def rayleigh(self, scale: object = 1.0, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.rayleigh`, by chunk."""
        return self._draw("rayleigh", (scale,), size, chunks, named)

    def weibull(self, a: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.weibull`, by chunk."""
        return self._draw("weibull", (a,), size, chunks, named)

    def pareto(self, a: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.pareto`, by chunk."""
        return self._draw("pareto", (a,), size, chunks, named)

    def power(self, a: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.power`, by chunk."""
        return self._draw("power", (a,), size, chunks, named)

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.triangular`, by chunk."""
        return self._draw("triangular", (left, mode, right), size, chunks, named)

    def standard_gamma(self, shape: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.standard_gamma`, by chunk."""
        return self._draw("standard_gamma", (shape,), size, chunks, named)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.gamma`, by chunk."""
        return self._draw("gamma", (shape, scale), size, chunks, named)

    def beta(self, a: object, b: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.beta`, by chunk."""
        return self._draw("beta", (a, b), size, chunks, named)

    def chisquare(self, df: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.chisquare`, by chunk."""
        return self._draw("chisquare", (df,), size, chunks, named)

    def f(self, dfnum: object, dfden: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.f`, by chunk."""
        return self._draw("f", (dfnum, dfden), size, chunks, named)

    def standard_t(self, df: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.standard_t`, by chunk."""
        return self._draw("standard_t", (df,), size, chunks, named)

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.noncentral_chisquare`, by chunk."""
        return self._draw("noncentral_chisquare", (df, nonc), size, chunks, named)

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, chunks: Any = "auto", **named: Any
    ) -> Any:
        """:meth:`devarray.random.Generator.noncentral_f`, by chunk."""
        return self._draw("noncentral_f", (dfnum, dfden, nonc), size, chunks, named)

    def wald(self, mean: object, scale: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.wald`, by chunk."""
        return self._draw("wald", (mean, scale), size, chunks, named)

    def vonmises(self, mu: object, kappa: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.vonmises`, by chunk."""
        return self._draw("vonmises", (mu, kappa), size, chunks, named)

    def binomial(self, n: object, p: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.binomial`, by chunk."""
        return self._draw("binomial", (n, p), size, chunks, named)

    def poisson(self, lam: object = 1.0, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.poisson`, by chunk."""
        return self._draw("poisson", (lam,), size, chunks, named)

    def negative_binomial(self, n: Any, p: Any, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.negative_binomial`, by chunk."""
        return self._draw("negative_binomial", (n, p), size, chunks, named)

    def geometric(self, p: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.geometric`, by chunk."""
        return self._draw("geometric", (p,), size, chunks, named)

    def zipf(self, a: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.zipf`, by chunk."""
        return self._draw("zipf", (a,), size, chunks, named)

    def logseries(self, p: object, size: object = None, chunks: object = "auto", **named: object) -> Any:
        """:meth:`devarray.random.Generator.logseries`, by chunk."""
        return self._draw("logseries", (p,), size, chunks, named)

    def integers(
        self,
        low: Any,
        high: Any = None,
        size: Any = None,
        dtype: Any = np.int64,
        endpoint: bool = False,
        chunks: Any = "auto",
        **named: Any,
    ) -> Any:
        """:meth:`devarray.random.Generator.integers`, by chunk."""
        if high is None:
            low, high = 0, low
        return self._draw("integers", (low, high), size, chunks, {"dtype": dtype, "endpoint": endpoint, **named})

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None, chunks: Any = "auto") -> Any:
        """:meth:`devarray.random.Generator.choice`, by chunk; without replacement drawn in one task, then cut."""
        shape = () if size is None else _shape(size)
        if replace:
            return self._draw("choice", (), shape, chunks, {"a": a, "p": p})
        whole = self._draw("choice", (), shape, -1, {"a": a, "p": p, "replace": False})
        return whole.rechunk(normalize_chunks(chunks, shape, dtype=whole.dtype))

    def multinomial(self, n: object, pvals: object, size: object = None, chunks: object = "auto") -> Any:
        """:meth:`devarray.random.Generator.multinomial`, by chunk; the last axis is that of the outcomes."""
        return self._draw("multinomial", (), () if size is None else size, chunks, {"n": n, "pvals": pvals})

    def dirichlet(self, alpha: object, size: object = None, chunks: object = "auto") -> Any:
        """:meth:`devarray.random.Generator.dirichlet`, by chunk; the last axis is that of the vectors."""
        return self._draw("dirichlet", (), () if size is None else size, chunks, {"alpha": alpha})

    def multivariate_normal(self, mean: Any, cov: Any, size: Any = None, chunks: Any = "auto", **named: Any) -> Any:
        """:meth:`devarray.random.Generator.multivariate_normal`, by chunk; the last axis is that of the vectors."""
        whole = {"mean": mean, "cov": cov, **named}
        return self._draw("multivariate_normal", (), () if size is None else size, chunks, whole)

    def permutation(self, x: Any) -> Any:
        """The numbers below an integer, or the slices of a Dask array along its first axis, in random order."""
        rows = dsk.arange(x, chunks="auto", like=_core.empty((), np.int64)) if isinstance(x, int | np.integer) else x
        return shuffle_slice(rows, generator.Generator(self._bits).permutation(len(rows)).copy_to_host())

    def __repr__(self) -> str:
        return "Generator(devarray.random.Philox) of Dask arrays"


def default_rng(seed: Any = None) -> Generator:
    """A Generator of Dask arrays on devices, from a seed.

    Parameters
    ----------
    seed : None, int, sequence of int, numpy.random.SeedSequence, Philox or Generator
        What the numbers depend on; None takes a seed from the system. A Generator is returned as it is.

    Returns
    -------
    Generator
        A new generator, but for a Generator.

    Examples
    --------
    >>> import devarray.dask
    >>> x = devarray.dask.default_rng(3).random((4, 4), chunks=2)
    >>> y = devarray.dask.default_rng(3).random((4, 4), chunks=(4, 1))
    >>> bool((x == y).all().compute())
    True
    """
    if isinstance(seed, Generator):
        return seed
    return Generator(seed if isinstance(seed, bits.Philox) else bits.Philox(seed))


class RandomState(generator.Generator):
    """What the chunks of ``dask.array.random.normal`` and its like are drawn by: NumPy's older names.

    Parameters
    ----------
    seed : array_like of int, optional
        What the numbers depend on.

    Examples
    --------
    >>> import devarray.dask
    >>> devarray.dask.RandomState([1, 2]).random_sample(3).shape
    (3,)
    """

    def __init__(self, seed: Any = None) -> None:
        words = None if seed is None else [int(n) for n in np.atleast_1d(seed)]
        super().__init__(bits.Philox(words))

    def random_sample(self, size: Any = None) -> Array:
        """:meth:`devarray.random.Generator.random`.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.RandomState(1).random_sample((2, 3)).shape
        (2, 3)
        """
        return self.random(size)

    def randint(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Array:
        """:meth:`devarray.random.Generator.integers`.

        Parameters
        ----------
        low, high : int
            The least integer and the end; without `high` 0 and the end.
        size : int or tuple of int, optional
            Shape of the result.
        dtype : dtype
            An integer dtype.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.RandomState(1).randint(1, size=2).tolist()
        [0, 0]
        """
        return self.integers(low, high, size, dtype)

    def random_integers(self, low: Any, high: Any = None, size: Any = None) -> Array:
        """Integers from `low`, or 1, to `high` with it.

        Parameters
        ----------
        low, high : int
            The least and the greatest; without `high` 1 and the greatest.
        size : int or tuple of int, optional
            Shape of the result.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import devarray.dask
        >>> devarray.dask.RandomState(1).random_integers(1, size=2).tolist()
        [1, 1]
        """
        low, high = (1, low) if high is None else (low, high)
        return self.integers(low, high, size, endpoint=True)

    def tomaxint(self, size: Any = None) -> Array:
        """Integers from 0 to the greatest int64.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import devarray.dask
        >>> bool((devarray.dask.RandomState(1).tomaxint(9) >= 0).all())
        True
        """
        return self.integers(0, np.iinfo(np.int64).max, size, endpoint=True)


# --- a block ---------------------------------------------------------------------------------------------------------


def _draw_block(block: tuple[slice, ...], *arrays: Any, how: dict[str, Any]) -> Array:
    part = _Part(how["state"], how["whole"], tuple(s.start for s in block))
    return _drawn(part, tuple(s.stop - s.start for s in block), arrays, how)


def _drawn(part: _Part, size: tuple[int, ...], arrays: Any, how: dict[str, Any]) -> Array:
    given = how["numbers"] | dict(zip(how["places"], arrays, strict=True))
    draw = getattr(generator.Generator(part), how["name"])
    return draw(*(given[i] for i in sorted(given)), size=size, **how["named"])


def _has_axes(value: Any) -> bool:
    return bool(getattr(value, "ndim", 0)) or isinstance(value, list | tuple | dsk.Array)


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(operator.index(n) for n in (size if isinstance(size, list | tuple) else (size,)))
