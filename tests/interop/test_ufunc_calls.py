"""What calls of ufuncs and products take beside operands: ``out=...``, wider outputs, axes; their attributes."""

from typing import Any

import numpy as np
import pytest

import devarray as da

BOTH = pytest.mark.parametrize("m", [np, da])


@BOTH
def test_out_ellipsis_gives_arrays_that_may_be_written(m):
    if m is np and np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("this NumPy has no out=...")
    x = m.asarray([3, 4])
    results = [m.add(1, 2, out=...), m.add(x[0], 2, out=...), m.add.reduce(x, out=...), m.maximum.reduce(3, out=...)]
    results += [*m.divmod(7, 2, out=...), *m.modf(m.asarray(2.5), out=...), m.sqrt(x, out=...)[:1]]
    for made in results:
        made[...] = 9
        assert made.ravel().tolist() == [9]
    assert m.add(x, x, out=...).tolist() == [6, 8] and x.tolist() == [3, 4]


@BOTH
@pytest.mark.parametrize("name", ["add", "sin", "divmod", "equal", "left_shift"])
def test_resolve_dtypes(m, name):
    given = (np.dtype("i4"),) * np.add.nin if getattr(np, name).nin == 2 else (np.dtype("f4"),)
    found = getattr(m, name).resolve_dtypes((*given, *(None,) * getattr(np, name).nout))
    assert found == getattr(np, name).resolve_dtypes((*given, *(None,) * getattr(np, name).nout))


@BOTH
def test_array_wrap(m):
    x = m.asarray([1.0, 2.0])
    wrapped = x.__array_wrap__(np.asarray([3, 4]))
    assert type(wrapped) is type(x) and wrapped.tolist() == [3, 4] and wrapped.dtype == np.int64
    assert x.__array_wrap__(m.asarray([5.0])).tolist() == [5.0]
    value = x.__array_wrap__(np.asarray(7.0), None, True)
    assert value == 7.0 and isinstance(value, m.floating)
    whole = x.__array_wrap__(np.asarray(7.0))
    whole[...] = 2
    assert whole == 2.0


@BOTH
def test_outputs_of_products_may_be_wider(m):
    rows, square = m.arange(3).reshape(1, 3), m.arange(9).reshape(3, 3)
    out = m.zeros((5, 4, 3))
    assert m.vecdot(rows, rows, out=out) is out and (out == 5).all()
    out = m.zeros((2, 3, 3), np.int64)
    m.matmul(square, square, out=out)
    assert (out == square @ square).all()
    out = m.zeros((2, 3), np.int64)
    m.matvec(square, m.arange(3), out=out)
    assert (out == square @ m.arange(3)).all()
    with pytest.raises(ValueError):
        m.matmul(square[:1], square, out=m.zeros((3, 3), np.int64))  # what a product is about is not spread
    with pytest.raises(ValueError):
        m.vecdot(m.ones((2, 3)), m.ones((2, 3)), out=m.zeros(3))
    for dtype in (np.float32, np.int64):
        v, matrix = m.arange(3).astype(dtype), m.arange(12).reshape(3, 4).astype(dtype)
        for a, b, shape in ((v, matrix, (5, 4)), (matrix.T, v, (5, 4)), (v, v, (4, 5)), (v, matrix[None], (5, 4))):
            out = m.zeros(shape, dtype)
            assert m.matmul(a, b, out=out) is out and (out == a @ b).all()


@BOTH
def test_axes_of_products(m):
    a, b = m.arange(24.0).reshape(2, 3, 4), m.arange(24.0).reshape(3, 2, 4)
    assert m.vecdot(a, b, axes=[1, 0], keepdims=True).shape == (2, 4, 1)
    assert m.vecdot(a, a, axes=[1, 1, 1], keepdims=True).shape == (2, 1, 4)
    wrong = {"axis": 0, "axes": [1, 0]}, {"axes": 0}, {"axes": [None, 0]}
    for keywords in wrong:
        with pytest.raises(TypeError):
            m.vecdot(a, b, **keywords)
    for product, axes in (m.vecdot, [(0, 1), 0]), (m.matmul, [(0, 1), (0,), (0, 1)]), (m.matmul, [(0, 1), (0, 1), 0]):
        with pytest.raises(np.exceptions.AxisError):
            product(m.ones((3, 3, 3)), m.ones((3, 3, 3)), axes=axes)
    with pytest.raises(ValueError):
        m.matmul(m.ones((3, 3)), m.ones((3, 3)), axes=[0, 1])


@BOTH
def test_methods_with_further_arguments(m):
    z = m.asarray([1 + 2j, 3j])
    out = m.zeros(2, complex)
    assert z.conj(out) is out and out.tolist() == [1 - 2j, -3j]
    assert m.asarray([1, 2]).conjugate(m.zeros(2)).tolist() == [1.0, 2.0]
    numbers = m.asarray([1, 0, 1])
    assert numbers.choose(m.asarray([1, 2, 3]), -1).tolist() == [-1, 2, -1]
    assert numbers.choose([[1, 2, 3], [4, 5, 6]]).tolist() == [4, 2, 6]
    assert (numbers + 1).choose([1, 2, 3], [4, 5, 6], mode="clip").tolist() == [4, 5, 6]


class _Foreign:
    def __array_ufunc__(self, *_: Any, **__: Any) -> str:
        return "theirs"


@pytest.mark.parametrize("xp", [np, da])
def test_an_output_or_mask_of_another_library_is_asked(xp: Any) -> None:
    x, other = xp.arange(3.0), _Foreign()
    assert np.add(x, x, out=other) == "theirs"
    assert np.add(x, x, where=other) == "theirs"
    assert np.add.reduce(x, out=other) == "theirs"
    assert np.add(x, other) == "theirs"


@pytest.mark.parametrize("xp", [np, da])
def test_an_output_for_each_result(xp: Any) -> None:
    x, out = xp.arange(3.0), xp.zeros(3)
    for name, outputs in (("add", (out, out)), ("divmod", (out,)), ("divmod", (out, out, out))):
        function = getattr(np, name) if xp is np else getattr(da, name)
        with pytest.raises(ValueError, match="exactly one entry per ufunc output"):
            function(x, x, out=outputs)
        with pytest.raises(ValueError, match="exactly one entry per ufunc output"):
            getattr(np, name)(x, x, out=outputs)
