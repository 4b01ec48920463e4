"""NumPy's annotations, for programs whose import was changed: ``import devarray.typing as npt``.

They are NumPy's own. Annotations are not looked at while a program runs, so that functions so annotated take arrays of
devices, too.

Examples
--------
>>> import devarray as da
>>> import devarray.typing as npt
>>> def doubled(x: npt.NDArray[da.float64]) -> npt.NDArray[da.float64]:
...     return x * 2
>>> doubled(da.ones(2)).copy_to_host()
array([2., 2.])
"""

from typing import Any

from numpy import typing as numpys
from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]


def __getattr__(name: str) -> Any:
    """NumPy's other names, such as one that is deprecated there."""
    if name.startswith("_"):
        raise AttributeError(f"module 'devarray.typing' has no attribute {name!r}")
    return getattr(numpys, name)
