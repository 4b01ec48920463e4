"""Linear algebra: the standard's extension ``linalg``, and NumPy's further functions.

CPU devices use NumPy's BLAS and LAPACK over mapped memory, CUDA devices cuBLAS and cuSOLVER. On other GPUs products run
in a kernel of our own, and decompositions go through the host as ``devarray.config.fallback`` says.
"""

from __future__ import annotations

from devarray._primitives.operands import namespace as _namespace
from devarray._routines.manipulation.axes import matrix_transpose
from devarray.errors import LinAlgError
from devarray.linalg.chains import multi_dot
from devarray.linalg.decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd, svdvals
from devarray.linalg.diagonals import diagonal, trace
from devarray.linalg.norms import cond, matrix_norm, norm, vector_norm
from devarray.linalg.products import matmul
from devarray.linalg.solving import (
    det,
    inv,
    lstsq,
    matrix_power,
    matrix_rank,
    pinv,
    slogdet,
    solve,
    tensorinv,
    tensorsolve,
)
from devarray.linalg.vector_products import cross, tensordot, vecdot
from devarray.linalg.vectors import outer

__all__ = [
    "LinAlgError",
    "cholesky",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "tensorinv",
    "tensorsolve",
    "trace",
    "vecdot",
    "vector_norm",
]

_namespace(globals(), __all__)
