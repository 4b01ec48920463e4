"""``numpy.vectorize`` to a program that runs unmodified: devarray's, with the dtypes that NumPy's gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray._kernels import vectorize as by_operators
from devarray.array import Array

__all__ = ["vectorize"]


class vectorize(by_operators.vectorize):
    """A Python function of elements as one of arrays, whose results have the dtypes of the first element's.

    ``0 if x < 1 else x / 2`` gives whole numbers where the first x is below 1:
    NumPy asks for that element's result first.
    """

    def _followed(self, given: list[Any], named: dict[str, Any]) -> Any:
        made = super()._followed(given, named)
        if self.otypes is not None:
            return made
        first = [x if i in self.excluded else _first(x) for i, x in enumerate(given)]
        found = self.pyfunc(*first, **{key: x if key in self.excluded else _first(x) for key, x in named.items()})
        cast = [_cast(x, np.asarray(y).dtype) for x, y in zip(_results(made), _results(found), strict=True)]
        return tuple(cast) if isinstance(made, tuple) else cast[0]


def _first(x: Any) -> Any:
    return x.reshape(-1)[0].copy_to_host()[()] if isinstance(x, Array) else x


def _results(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _cast(x: Any, dtype: np.dtype[Any]) -> Any:
    return (x if isinstance(x, Array) else np.asarray(x)[()]).astype(dtype)
