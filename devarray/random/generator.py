"""The Generator: NumPy's random numbers, on the device."""

from __future__ import annotations

import warnings
from abc import ABCMeta
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._primitives.convert import asarray
from devarray._primitives.join import stack
from devarray.array import Array
from devarray.errors import LinAlgError, ShapeError, ValueError
from devarray.linalg.decompositions import cholesky
from devarray.linalg.products import matmul
from devarray.random.bits import Philox
from devarray.random.continuous import Continuous
from devarray.random.discrete import Discrete
from devarray.random.draws import outer_shape
from devarray.random.gammas import Gammas
from devarray.random.of_host import HostGenerator, RandomState
from devarray.random.ordering import Ordering
from devarray.random.shaped import Shaped
from devarray.random.urns import Urns

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["Generator", "default_rng"]


class Generator(Continuous, Shaped, Gammas, Discrete, Ordering, Urns, metaclass=ABCMeta):
    """NumPy's Generator, whose numbers are drawn where they are used.

    A draw is recorded like any element-wise operation: ``rng.normal(size=n) * 2 + x`` is one kernel. The numbers depend
    on the seed and on the draws before, not on the device. Every function takes ``device``, ``allocator`` and
    ``queue`` where it makes arrays; parameters that are device arrays say where, too. Generators may be shared by
    threads, pickled and copied.

    Parameters
    ----------
    bit_generator : Philox
        The source of the random words. One of NumPy's gives a generator that draws on the host, with NumPy's numbers.

    Raises
    ------
    TypeError
        For what is no bit generator.

    Examples
    --------
    >>> import devarray as da
    >>> rng = da.random.Generator(da.random.Philox(7))
    >>> (rng.random(2) + rng.random((3, 1))).shape
    (3, 2)
    """

    def __new__(cls, bit_generator: object = None) -> Any:
        """One that draws on the host for NumPy's bit generators."""
        if isinstance(bit_generator, np.random.BitGenerator):
            return HostGenerator(bit_generator)
        return super().__new__(cls)

    def __init__(self, bit_generator: object) -> None:
        if not isinstance(bit_generator, Philox):
            raise TypeError(f"Generator takes a devarray.random.Philox, not {type(bit_generator).__name__}")
        self._bits = bit_generator

    @property
    def bit_generator(self) -> Philox:
        """The source of the random words, with key and counter."""
        return self._bits

    def spawn(self, n_children: int) -> list[Generator]:
        """Independent generators, for threads or processes: those that NumPy's spawn gives.

        Parameters
        ----------
        n_children : int
            Their number.

        Returns
        -------
        list of Generator
            New generators.

        Raises
        ------
        TypeError
            Where the bit generator was made from a key.

        Examples
        --------
        >>> import devarray as da
        >>> first, second = da.random.default_rng(1).spawn(2)
        >>> (first.random(2) == second.random(2)).tolist()
        [False, False]
        """
        return [Generator(child) for child in self._bits.spawn(n_children)]

    def bytes(self, length: int) -> bytes:
        """Random bytes on the host: those that NumPy's Philox gives. Waits for the device.

        Parameters
        ----------
        length : int
            Their number.

        Returns
        -------
        bytes
            On the host.

        Examples
        --------
        >>> import devarray as da
        >>> len(da.random.default_rng(1).bytes(10))
        10
        """
        halves = self._bits.half_words(-(-length // 4), None, None)
        return halves.copy_to_host().astype("<u4").tobytes()[:length]

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
        **where: Any,
    ) -> Array:
        """Vectors of a multivariate normal distribution.

        Parameters
        ----------
        mean : array_like
            Of shape ``(n,)``.
        cov : array_like
            Of shape ``(n, n)``. One of the host is factored there, as `method` says; one of the device is positive
            definite and factored by Cholesky.
        size : int or tuple of int, optional
            The axes before that of a vector; none by default.
        check_valid : {"warn", "raise", "ignore"}
            What to do where a `cov` of the host is no covariance, being not symmetric and positive semidefinite.
        tol : float
            How far from that is no reason.
        method : {"svd", "eigh", "cholesky"}
            How `cov` is factored on the host.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            A new array of shape ``size + (n,)``.

        Raises
        ------
        ShapeError
            Where the shapes do not fit.
        LinAlgError
            Where `cov` is factored by Cholesky and not positive definite; on a device, to see that waits.
        ValueError
            For another `method` or `check_valid`; for what is no covariance, where `check_valid` says so.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).multivariate_normal([1, 2], [[2, 1], [1, 2]], size=5).shape
        (5, 2)
        """
        if method not in ("cholesky", "svd", "eigh") or check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(
                "multivariate_normal: method must be one of {'eigh', 'svd', 'cholesky'}, and check_valid one of "
                "warn, raise and "
                f"ignore, not {method!r} and {check_valid!r}"
            )
        given = next((x for x in (mean, cov) if isinstance(x, Array)), None)
        place = where if given is None or where else {"queue": given.queue, "allocator": given.allocator}
        mean, cov = (x if isinstance(x, Array) else np.asarray(x, np.float64) for x in (mean, cov))
        if mean.ndim != 1 or cov.shape != mean.shape * 2:
            raise ShapeError(
                f"multivariate_normal: {_moments_at_fault(mean.shape, cov.shape)}: (n,) and (n, n) are wanted, got "
                f"{mean.shape}, {cov.shape}"
            )
        factor = cholesky(cov) if isinstance(cov, Array) else asarray(_factor(cov, method, check_valid, tol), **place)
        mean = mean if isinstance(mean, Array) else asarray(mean, **place)
        outer = outer_shape("multivariate_normal", size)
        z = self.standard_normal((*outer, mean.shape[0]), queue=mean.queue, allocator=mean.allocator)
        return mean + matmul(z, factor.mT)

    def dirichlet(self, alpha: Any, size: Any = None, dtype: DTypeLike | None = None, **where: Any) -> Array:
        """Vectors of the Dirichlet distribution: numbers that are not negative and add up to 1.

        Parameters
        ----------
        alpha : array_like
            The parameters, positive, of shape ``(n,)``.
        size : int or tuple of int, optional
            The axes before that of a vector; none by default.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            A new array of shape ``size + (n,)``.

        Raises
        ------
        ShapeError
            Where `alpha` is not one-dimensional, or empty.
        ValueError
            Where a parameter that the host knows is not positive.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).dirichlet([1, 2, 3], size=4).sum(axis=1).round(6).tolist()
        [1.0, 1.0, 1.0, 1.0]
        """
        n = (alpha if isinstance(alpha, Array) else np.asarray(alpha)).shape
        if len(n) != 1 or n[0] == 0:
            raise ShapeError(f"dirichlet: alpha has shape {n}; one dimension is wanted")
        if not isinstance(alpha, Array) and np.any(np.asarray(alpha) <= 0):
            raise ValueError(f"dirichlet: alpha <= 0: alpha must be positive, {alpha!r} was given")
        outer = outer_shape("dirichlet", size)
        x = self.standard_gamma(alpha, (*outer, *n), dtype, **where)
        return x / x.sum(axis=-1, keepdims=True)

    def multinomial(self, n: Any, pvals: Any, size: Any = None, **where: Any) -> Array:
        """Numbers of trials with each of several outcomes.

        Parameters
        ----------
        n : int or array_like of int
            Number of trials.
        pvals : array_like of float
            The chances of the outcomes along the last axis, which come to the host; the last one is what the others
            leave of 1. Further axes broadcast with `n`.
        size : int or tuple of int, optional
            The shape of the trials; by default that of `n` and of the axes of `pvals` before the last.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            int64, a new array with one axis more than the trials: the last one, of the outcomes.

        Raises
        ------
        ShapeError
            Where `pvals` has no axes, or several of which one is empty.
        ValueError
            Where `pvals` are not chances that add up to at most 1.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).multinomial(20, [0.2, 0.3, 0.5], size=3).sum(axis=1).tolist()
        [20, 20, 20]
        """
        chances = np.asarray(pvals.copy_to_host() if isinstance(pvals, Array) else pvals, np.float64)
        if chances.ndim == 1 and chances.size == 0:  # no outcome is counted
            return self.binomial(n, 0.0, size, **where)[..., None][..., :0]
        if chances.ndim == 0 or chances.size == 0:
            raise ShapeError(f"multinomial: pvals has shape {chances.shape}; its last axis is that of the outcomes")
        if np.any((chances < 0) | (chances > 1)) or np.any(chances[..., :-1].sum(-1) > 1 + 1e-12):
            raise ValueError(f"multinomial: pvals are chances that add up to at most 1, got {pvals!r}")
        *others, last = np.moveaxis(chances, -1, 0)
        if not others:
            count = self.binomial(n, np.ones_like(last)[()], size, **where)
            return count.reshape((*count.shape, 1))
        left, rest, counts = n, np.ones_like(last), []
        for p in others:
            chance = np.minimum(1.0, np.divide(p, rest, out=np.zeros_like(rest), where=rest > 0))
            count = self.binomial(left, chance[()], size, **where)
            counts.append(count)
            left, rest, size = left - count, np.maximum(rest - p, 0.0), count.shape
        return stack([*counts, left], axis=-1)

    def __repr__(self) -> str:
        return "Generator(devarray.random.Philox)"


Generator.register(HostGenerator)  # what Generator() makes is one


def _moments_at_fault(mean: tuple[int, ...], cov: tuple[int, ...]) -> str:
    """NumPy's words for shapes of a mean and of covariances that do not fit."""
    if len(mean) != 1:
        return "mean must be 1 dimensional"
    if len(cov) != 2 or cov[0] != cov[1]:
        return "cov must be 2 dimensional and square"
    return "mean and cov must have same length"


def _factor(cov: np.ndarray, method: str, check_valid: str, tol: float) -> np.ndarray:
    """A matrix of which the product with its own transpose is `cov`, if it is a covariance."""
    if method == "cholesky":
        try:
            return np.linalg.cholesky(cov)
        except np.linalg.LinAlgError:
            raise LinAlgError("multivariate_normal: cov is not positive definite; 'svd' and 'eigh' take it") from None
    if method == "eigh":
        values, vectors = np.linalg.eigh(cov)
        valid = bool(np.all(values >= -tol))
    else:
        vectors, values, mirrored = np.linalg.svd(cov)
        valid = np.allclose(mirrored.T * values @ mirrored, cov, rtol=tol, atol=tol)
    if not valid and check_valid == "raise":
        raise ValueError("multivariate_normal: covariance is not symmetric positive-semidefinite.")
    if not valid and check_valid == "warn":
        warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=3)
    return vectors * np.sqrt(np.abs(values))


def default_rng(seed: object = None) -> Any:
    """A Generator over Philox, from a seed.

    Its numbers are not those of ``numpy.random.default_rng(seed)``, which come from PCG64: each element is computed
    from the seed and its place, on the device. NumPy's own streams are drawn on the host and copied, by
    ``devarray.random.Generator(numpy.random.PCG64(seed))`` and ``devarray.random.RandomState(seed)``.

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
    >>> import devarray as da
    >>> da.random.default_rng(42).random((2, 2)).round(3).copy_to_host()
    array([[0.086, 0.142],
           [0.27 , 0.874]])
    """
    if isinstance(seed, Generator):
        return seed
    if isinstance(seed, np.random.Generator | np.random.RandomState):
        return Generator(seed.bit_generator if isinstance(seed, np.random.Generator) else seed._bit_generator)
    if isinstance(seed, RandomState):
        return default_rng(seed._source)
    if isinstance(seed, np.random.BitGenerator):
        return Generator(seed)
    return Generator(seed if isinstance(seed, Philox) else Philox(seed))
