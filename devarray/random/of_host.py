"""NumPy's own generators: drawn on the host, with NumPy's streams, and moved to the device.

``devarray.random.Generator`` of one of NumPy's bit generators is a :class:`HostGenerator`, and ``RandomState`` stands
for NumPy's. Each number is NumPy's, bit for bit; the draw takes NumPy's time and a transfer.
:func:`devarray.random.default_rng` draws on the device.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray._primitives.host_calls import on_host

__all__ = ["HostGenerator", "RandomState"]


class _HostDraws:
    """Methods of an object of NumPy's that draws numbers, for arrays of the device."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = getattr(self._source, name)
        return on_host(found) if callable(found) and name != "bit_generator" else found

    def __dir__(self) -> list[str]:
        return dir(self._source)

    def __repr__(self) -> str:
        return f"{self._source!r} on the host"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._source)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and bool(self._source == other._source)

    __hash__ = None  # type: ignore[assignment]


def _restored(kind: type[_HostDraws], source: Any) -> _HostDraws:
    made = kind.__new__(kind)
    made._source = source
    return made


class HostGenerator(_HostDraws):
    """The methods of :class:`numpy.random.Generator`, with its numbers, as arrays of the device.

    Parameters
    ----------
    bit_generator : numpy.random.BitGenerator
        The source of the random words, such as ``numpy.random.PCG64(1)``.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> rng = da.random.Generator(np.random.PCG64(1))
    >>> bool((rng.normal(size=3).copy_to_host() == np.random.default_rng(1).normal(size=3)).all())
    True
    """

    def __init__(self, bit_generator: Any) -> None:
        super().__init__(np.random.Generator(bit_generator))

    def spawn(self, n_children: int) -> list[HostGenerator]:
        """Independent generators, as NumPy's spawn gives them.

        Parameters
        ----------
        n_children : int
            How many.

        Returns
        -------
        list of HostGenerator
            New generators.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> len(da.random.Generator(np.random.PCG64(1)).spawn(2))
        2
        """
        return [HostGenerator(child.bit_generator) for child in self._source.spawn(n_children)]


class RandomState(_HostDraws):
    """The methods of :class:`numpy.random.RandomState`, with its numbers, as arrays of the device.

    Parameters
    ----------
    seed : int, array_like of int, or BitGenerator, optional
        As NumPy's takes it.

    Examples
    --------
    >>> import devarray as da
    >>> da.random.RandomState(0).randint(10, size=3).copy_to_host()
    array([5, 0, 3])
    """

    def __init__(self, seed: Any = None) -> None:
        super().__init__(on_host(np.random.RandomState)(seed))
