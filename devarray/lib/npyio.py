"""NumPy's classes of files: what :func:`devarray.load` of an archive is derived from.

Examples
--------
>>> import devarray as da
>>> da.lib.npyio.DataSource().exists("missing.npy")
False
"""

from numpy.lib.npyio import DataSource, NpzFile

__all__ = ["DataSource", "NpzFile"]
