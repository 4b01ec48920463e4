"""NumPy's ``random`` on the device: generators, and the functions of one that every program shares.

``default_rng(seed)`` makes a :class:`Generator`; the functions of this module are those of a Generator of its own, that
``seed()`` starts again. Numbers are drawn by Philox4x64-10 from a key and a counter: they are the same on every device.

Examples
--------
>>> import devarray as da
>>> rng = da.random.default_rng(0)
>>> x = rng.normal(size=(3, 4)) * 2 + 1
>>> x.pending, x.shape
(True, (3, 4))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._primitives.operands import namespace as _namespace
from devarray.array import Array
from devarray.random.bits import Philox
from devarray.random.generator import Generator, default_rng
from devarray.random.of_host import RandomState

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = [
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "BitGenerator",
    "Generator",
    "Philox",
    "RandomState",
    "SeedSequence",
    "beta",
    "binomial",
    "bytes",
    "chisquare",
    "choice",
    "default_rng",
    "dirichlet",
    "exponential",
    "f",
    "gamma",
    "geometric",
    "get_state",
    "gumbel",
    "hypergeometric",
    "laplace",
    "logistic",
    "lognormal",
    "logseries",
    "multinomial",
    "multivariate_normal",
    "negative_binomial",
    "noncentral_chisquare",
    "noncentral_f",
    "normal",
    "pareto",
    "permutation",
    "poisson",
    "power",
    "rand",
    "randint",
    "randn",
    "random",
    "random_sample",
    "ranf",
    "rayleigh",
    "sample",
    "seed",
    "set_state",
    "shuffle",
    "standard_cauchy",
    "standard_exponential",
    "standard_gamma",
    "standard_normal",
    "standard_t",
    "triangular",
    "uniform",
    "vonmises",
    "wald",
    "weibull",
    "zipf",
]

BitGenerator = np.random.BitGenerator
MT19937 = np.random.MT19937
PCG64 = np.random.PCG64
PCG64DXSM = np.random.PCG64DXSM
SFC64 = np.random.SFC64
SeedSequence = np.random.SeedSequence

_default = default_rng()

beta = _default.beta
binomial = _default.binomial
bytes = _default.bytes
chisquare = _default.chisquare
choice = _default.choice
dirichlet = _default.dirichlet
exponential = _default.exponential
f = _default.f
gamma = _default.gamma
geometric = _default.geometric
gumbel = _default.gumbel
hypergeometric = _default.hypergeometric
laplace = _default.laplace
logistic = _default.logistic
lognormal = _default.lognormal
logseries = _default.logseries
multinomial = _default.multinomial
multivariate_normal = _default.multivariate_normal
negative_binomial = _default.negative_binomial
noncentral_chisquare = _default.noncentral_chisquare
noncentral_f = _default.noncentral_f
normal = _default.normal
pareto = _default.pareto
permutation = _default.permutation
poisson = _default.poisson
power = _default.power
random = random_sample = ranf = sample = _default.random
rayleigh = _default.rayleigh
shuffle = _default.shuffle
standard_cauchy = _default.standard_cauchy
standard_exponential = _default.standard_exponential
standard_gamma = _default.standard_gamma
standard_normal = _default.standard_normal
standard_t = _default.standard_t
triangular = _default.triangular
uniform = _default.uniform
vonmises = _default.vonmises
wald = _default.wald
weibull = _default.weibull
zipf = _default.zipf


def seed(seed: object = None) -> None:
    """Start the module's own Generator again, as ``default_rng(seed)`` starts one.

    Parameters
    ----------
    seed : None, int, sequence of int or numpy.random.SeedSequence
        What the numbers depend on; None takes a seed from the system.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.seed(3)
    >>> x = da.random.rand(2)
    >>> da.random.seed(3)
    >>> (x == da.random.rand(2)).tolist()
    [True, True]
    """
    _default.bit_generator.restart(seed)


def get_state(legacy: bool = False) -> dict[str, Any]:
    """The state of the module's own Generator.

    Parameters
    ----------
    legacy : bool
        NumPy's, not used: True asks for a tuple there, which Mersenne twisters alone have.

    Returns
    -------
    dict
        Key and counter: see :attr:`Philox.state`.

    Examples
    --------
    >>> import devarray as da
    >>> state = da.random.get_state()
    >>> x = da.random.rand(2)
    >>> da.random.set_state(state)
    >>> (x == da.random.rand(2)).tolist()
    [True, True]
    """
    return _default.bit_generator.state


def set_state(state: dict[str, Any]) -> None:
    """Set the state of the module's own Generator.

    Parameters
    ----------
    state : dict
        What :func:`get_state` returned.

    Raises
    ------
    ValueError
        For what is not the state of a Philox.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.set_state(da.random.default_rng(1).bit_generator.state)
    >>> da.random.rand().item() == da.random.default_rng(1).random().item()
    True
    """
    _default.bit_generator.state = state


def rand(*shape: int, **where: object) -> Array:
    """Numbers distributed uniformly from 0 to 1, without 1.

    Parameters
    ----------
    *shape : int
        Sizes of the axes; without axes by default.
    **where
        `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

    Returns
    -------
    Array
        A new array of floats, float64 where the device has it.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.rand(3, 2).shape
    (3, 2)
    """
    return _default.random(shape or None, **where)


def randn(*shape: int, **where: object) -> Array:
    """Numbers of the normal distribution of mean 0 and standard deviation 1.

    Parameters
    ----------
    *shape : int
        Sizes of the axes; without axes by default.
    **where
        `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

    Returns
    -------
    Array
        A new array of floats, float64 where the device has it.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.randn(3, 2).shape
    (3, 2)
    """
    return _default.standard_normal(shape or None, **where)


def randint(
    low: ArrayLike | None,
    high: ArrayLike | None = None,
    size: ShapeLike | None = None,
    dtype: DTypeLike | None = np.int64,
    **where: object,
) -> Array:
    """Integers of a range, all equally likely: :meth:`Generator.integers`.

    Parameters
    ----------
    low : array_like of int
        The least integer; without `high` the end, and the least one is 0.
    high : array_like of int, optional
        The end of the range, which is not drawn.
    size : int or tuple of int, optional
        Shape of the result. By default the shape that the bounds broadcast to.
    dtype : dtype
        An integer dtype or bool. int64 by default.
    **where
        `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

    Returns
    -------
    Array
        A new array of the given shape and dtype.

    Raises
    ------
    ValueError
        Where the range, as far as the host knows it, is empty or outside of the dtype.
    DTypeError
        For another dtype, or bounds that are not integers.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.randint(1, size=3).tolist()
    [0, 0, 0]
    """
    return _default.integers(low, high, size, dtype, **where)


_namespace(globals(), ("get_state", "rand", "randint", "randn", "seed", "set_state"))
