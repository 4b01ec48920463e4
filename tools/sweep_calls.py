"""What tools/sweep.py calls: every public function of devarray, and every attribute of its arrays.

A call is a line of Python. `f` in it is the function, `x` and `y` arrays of the case's layout and dtype; the other
names stand in `Case`. Where nothing is said below, a function is called with what the names of its parameters want.
"""

from __future__ import annotations

import inspect
from typing import Any

__all__ = ["SKIPPED", "calls"]


def words(text: str) -> list[str]:
    """A list of words, which takes less room than one of strings."""
    return text.split()


ARGUMENTS = {
    **dict.fromkeys(words("x x1 a a1 ar ar1 A arr ary m v f z obj element condition p start"), "x"),
    **dict.fromkeys(("x2", "b", "a2", "ar2", "test_elements", "other", "values", "y"), "y"),
    **dict.fromkeys(("arrays", "tup", "keys"), "[x, y]"),
    **dict.fromkeys(("indices", "ind"), "i"),
    **dict.fromkeys(("axis", "axis1", "kth", "n_children", "source", "destination"), "0"),
    **dict.fromkeys(("n", "N", "M", "n_rows", "num", "number", "length"), "3"),
    **dict.fromkeys(("shape", "new_shape", "dims"), "s"),
    **dict.fromkeys(("repeats", "reps", "indices_or_sections", "sections", "pad_width", "axis2", "shift"), "1"),
    **dict.fromkeys(("q",), "[0.25, 0.5]"),
    **dict.fromkeys(("type", "dtype", "from_", "to", "arg1", "arg2"), "d"),
    **dict.fromkeys(("fill_value", "val", "value"), "1"),
}
"""Arguments by the parameter's name."""

FUNCTIONS = {
    "__array_namespace_info__": ["f().dtypes(), f().capabilities(), f().default_dtypes()"],
    "apply_along_axis": ["f(da.sum, -1, x)"],
    "apply_over_axes": ["f(da.sum, x, [0])"],
    "arange": ["f(5, dtype=d)", "f(1, 9, 2, dtype=d)", "f(0.0, 1.0, 0.25)"],
    "argpartition": ["f(x, 0)", "f(v, 0)"],
    "array": ["f(x)", "f(h)", "f([1, 2, 3], dtype=d)"],
    "array2string": ["f(x)"],
    "asarray": ["f(x)", "f(h)", "f(h.tolist(), dtype=d)"],
    "astype": ["f(x, d2)", "f(x, 'bool')", "f(x, 'float16')"],
    "average": ["f(x)", "f(x, axis=-1)", "f(x, weights=y)"],
    "explain": ["f(x + 1).text()", "f(x).svg()"],
    "benchmark": ["f(lambda: x + 1, repeat=1, warmup=1)"],
    "bincount": ["f(v)", "f(v, minlength=9)", "f(iv, weights=v)"],
    "frompyfunc": ["f(lambda a: a + 1, 1, 1)(x)"],
    "nditer": ["f(x)"],
    "nested_iters": ["f(m, [[0], [1]])"],
    "block": ["f([x, y])", "f([[m, m], [m, m]])"],
    "broadcast_shapes": ["f(s, (2, 3))"],
    "broadcast_to": ["f(x, (4, *s))"],
    "can_cast": ["f(d, d2)"],
    "choose": ["f(ii, [x, y])"],
    "clip": ["f(x, 0, 1)", "f(x, y, None)", "f(x, x, y)"],
    "compress": ["f(bv, v)", "f([True], x, axis=0)"],
    "concat": ["f([x, y])", "f([v, v])", "f([x, y], axis=None)"],
    "convolve": ["f(v, v)", "f(v, v, 'same')"],
    "copyto": ["f(x, y)", "f(x, 1)", "f(x, y, where=b)"],
    "correlate": ["f(v, v)", "f(v, v, 'full')"],
    "cross": ["f(x3, x3)"],
    "delete": ["f(v, 0)", "f(x, [0], axis=0)"],
    "device": ["f()"],
    "device_array": ["f(s, d)"],
    "diag": ["f(v)", "f(m)"],
    "diag_indices_from": ["f(m)"],
    "digitize": ["f(x, edges)"],
    "dot": ["f(x, y)", "f(v, v)", "f(m, m)", "f(m, m[0])"],
    "dsplit": ["f(x3d, 1)"],
    "einsum": ["f('ij,jk->ik', m, m)", "f('i,i', v, v)", "f('...->...', x)"],
    "einsum_path": ["f('ij,jk->ik', m, m)"],
    "extract": ["f(b, x)"],
    "fill_diagonal": ["f(m, 1)"],
    "frombuffer": ["f(h.tobytes(), dtype=d)"],
    "fromfile": ["f(raw_file, dtype=d)"],
    "fromfunction": ["f(lambda i, j: i + j, (2, 3))"],
    "fromiter": ["f([1, 2, 3], d)"],
    "from_cuda_array_interface": ["f(getattr(x, '__cuda_array_interface__', {}), x)"],
    "fromstring": ["f('1 2', sep=' ')"],
    "genfromtxt": ["f(text_file)"],
    "geomspace": ["f(1, 9, 4)", "f(1, 9, 4, dtype=d)"],
    "gradient": ["f(x)", "f(v)"],
    "histogram2d": ["f(v, v)"],
    "histogramdd": ["f(m)"],
    "hsplit": ["f(x, 1)", "f(m, [1])"],
    "indices": ["f((2, 3))"],
    "inner": ["f(x, y)", "f(v, v)"],
    "insert": ["f(v, 0, 1)", "f(x, 0, 1, axis=0)"],
    "interp": ["f(x, edges, edges)"],
    "isdtype": ["f(d, 'numeric')"],
    "iterable": ["f(x)"],
    "kaiser": ["f(5, 14.0)"],
    "linspace": ["f(0, 1, 5)", "f(0, 1, 5, dtype=d)", "f(x, y, 3)"],
    "load": ["f(npy_file)"],
    "loadtxt": ["f(text_file)"],
    "logspace": ["f(0, 1, 5)"],
    "mapped": ["enter(f(h2))"],
    "managed_array": ["f(s, d)"],
    "mapped_array": ["f(s, d)"],
    "mask_indices": ["f(3, da.triu)"],
    "matmul": ["f(x, y)", "f(m, m)", "f(mm, m)", "f(m, m[0])", "f(v, v)"],
    "matvec": ["f(m, m[0])"],
    "meshgrid": ["f(v, v)"],
    "moveaxis": ["f(x, 0, -1)"],
    "outer": ["f(v, v)"],
    "packbits": ["f(x)"],
    "pad": ["f(x, 1)", "f(x, 1, mode='edge')", "f(x, 1, mode='wrap')"],
    "partition": ["f(x, 0)", "f(v, 0)"],
    "percentile": ["f(x, 50)", "f(x, [25.0, 75.0], axis=-1)"],
    "permute_dims": ["f(x, tuple(range(x.ndim))[::-1])"],
    "piecewise": ["f(x, [x < 0, x >= 0], [1, 2])"],
    "pinned": ["enter(f(h2))"],
    "pinned_array": ["f(s, d)"],
    "place": ["f(x, b, v)"],
    "poly": ["f(v)", "f(m)"],
    "polyadd": ["f(v, v)"],
    "polyder": ["f(v)"],
    "polydiv": ["f(v, ones)"],
    "polyfit": ["f(edges, edges, 1)"],
    "polyint": ["f(v)"],
    "polymul": ["f(v, v)"],
    "polysub": ["f(v, v)"],
    "polyval": ["f(v, x)"],
    "printoptions": ["enter(f(precision=3))"],
    "promote_types": ["f(d, d2)"],
    "put": ["f(x, [0], y)", "f(x, [0], 1)"],
    "put_along_axis": ["f(x, i, y, -1)", "f(v, iv, v, 0)"],
    "putmask": ["f(x, b, y)"],
    "queue": ["f()"],
    "ravel_multi_index": ["f((iv, iv), (3, 3))"],
    "repeat": ["f(x, 2)", "f(v, iv)", "f(x, 2, axis=0)"],
    "reshape": ["f(x, (-1,))", "f(x, (1, *s))"],
    "result_type": ["f(x, y, d2)"],
    "roots": ["f(v)"],
    "rollaxis": ["f(x, -1)"],
    "row_stack": ["f([x, y])"],
    "save": ["f(fresh('npy'), x)"],
    "savetxt": ["f(fresh('txt'), x)"],
    "savez": ["f(fresh('npz'), x, b=y)"],
    "savez_compressed": ["f(fresh('npz'), x)"],
    "searchsorted": ["f(v, x)", "f(edges, x)", "f(v, v, side='right')"],
    "select": ["f([x < 0, x >= 0], [x, y])"],
    "set_printoptions": ["f(precision=8)"],
    "sort": ["f(x)", "f(v)", "f(x, axis=None)"],
    "sort_complex": ["f(x)"],
    "split": ["f(x, 1)"],
    "stack": ["f([x, y])", "f([x, y], axis=-1)"],
    "swapaxes": ["f(x, 0, -1)"],
    "take": ["f(x, [0], axis=0)", "f(v, iv)", "f(x, 0, mode='clip')"],
    "take_along_axis": ["f(x, i, axis=-1)", "f(v, iv, axis=0)"],
    "tensordot": ["f(x, y, axes=0)", "f(m, m, axes=1)"],
    "to_device": ["f(h)", "f(h.copy(), copy=True)"],
    "trapezoid": ["f(x)"],
    "tri": ["f(3, dtype=d)"],
    "trim_zeros": ["f(v)"],
    "unravel_index": ["f(iv, (3, 3))"],
    "unpackbits": ["f(x.astype('uint8'))"],
    "unwrap": ["f(x)"],
    "use": ["enter(f(queue=x.queue))"],
    "vander": ["f(v)"],
    "vecdot": ["f(x, y)", "f(v, v)"],
    "vecmat": ["f(m[0], m)"],
    "where": ["f(b, x, y)", "f(b, x, 1)", "f(x)"],
    # linalg
    **{
        f"linalg.{name}": ["f(m)", "f(mm)", "f(x)"]
        for name in words("""cholesky cond det diagonal eig eigh eigvals eigvalsh inv matrix_norm matrix_rank
        matrix_transpose
        norm pinv qr slogdet svd svdvals trace vector_norm""")
    },
    "linalg.cross": ["f(x3, x3)"],
    "linalg.lstsq": ["f(m, m[0])"],
    "linalg.matmul": ["f(m, m)", "f(x, y)"],
    "linalg.matrix_power": ["f(m, 3)", "f(m, -1)"],
    "linalg.multi_dot": ["f([m, m, m])"],
    "linalg.outer": ["f(v, v)"],
    "linalg.solve": ["f(m, m)", "f(m, m[0])"],
    "linalg.tensordot": ["f(m, m, axes=1)"],
    "linalg.tensorinv": ["f(m.reshape(*m.shape, 1, 1), 2)", "f(m, 1)"],
    "linalg.tensorsolve": ["f(m, m[0])"],
    # random
    "random.Generator": ["f(da.random.Philox(1))"],
    "random.Philox": ["f(1)"],
    "random.hypergeometric": ["f(9, 5, 4)", "f(9, 5, 4, (2, 3))"],
    "random.multivariate_hypergeometric": ["f([3, 4, 2], 4)"],
    "random.get_state": ["f()"],
    "random.set_state": ["f(da.random.get_state())"],
    "random.seed": ["f(1)"],
    "random.bytes": ["f(9)"],
    "random.beta": ["f(2.0, 3.0, s)"],
    "random.binomial": ["f(9, 0.5, s)"],
    "random.chisquare": ["f(2.0, s)"],
    "random.choice": ["f(9, s)", "f(v, 3)", "f(9, 3, replace=False)"],
    "random.dirichlet": ["f([1.0, 2.0], s)"],
    "random.f": ["f(2.0, 3.0, s)"],
    "random.gamma": ["f(2.0, 1.0, s)"],
    "random.geometric": ["f(0.5, s)"],
    "random.logseries": ["f(0.5, s)"],
    "random.multinomial": ["f(9, [0.5, 0.5], s)"],
    "random.multivariate_normal": ["f([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], s)"],
    "random.negative_binomial": ["f(9, 0.5, s)"],
    "random.noncentral_chisquare": ["f(2.0, 1.0, s)"],
    "random.noncentral_f": ["f(2.0, 3.0, 1.0, s)"],
    "random.pareto": ["f(2.0, s)"],
    "random.permutation": ["f(9)", "f(x)"],
    "random.power": ["f(2.0, s)"],
    "random.rand": ["f(*s)"],
    "random.randn": ["f(*s)"],
    "random.randint": ["f(0, 9, s)", "f(0, 2, s, dtype=d)"],
    "random.shuffle": ["f(x)"],
    "random.standard_gamma": ["f(2.0, s)"],
    "random.standard_t": ["f(2.0, s)"],
    "random.triangular": ["f(0.0, 0.5, 1.0, s)"],
    "random.vonmises": ["f(0.0, 1.0, s)"],
    "random.wald": ["f(1.0, 1.0, s)"],
    "random.weibull": ["f(2.0, s)"],
    "random.zipf": ["f(2.0, s)"],
    **{
        f"random.{name}": ["f(size=s)"]
        for name in words("""exponential gumbel laplace logistic lognormal normal poisson random random_sample ranf
        rayleigh
        sample standard_cauchy standard_exponential standard_normal uniform""")
    },
    "random.default_rng": [
        "f(1).integers(0, 9, s), f(1).permuted(x), f(1).shuffle(x), f(1).spawn(2), f(1).random(s, 'float32')"
    ],
    "lib.stride_tricks.as_strided": ["f(x, (2, 2), (0, 0))"],
    "lib.stride_tricks.broadcast_to": ["f(x, (4, *s))"],
    "lib.stride_tricks.broadcast_shapes": ["f(s, (2, 3))"],
    "lib.stride_tricks.sliding_window_view": ["f(v, 1)", "f(m, (1, 1))"],
}
"""Calls of functions whose parameters' names do not say enough."""

METHODS = {
    "as_integer_ratio": ["x.astype('float64').ravel()[0].as_integer_ratio()[0]"],
    "hex": ["len(x.astype('float64').ravel()[0].hex())"],
    "numerator": ["x.astype('int64').ravel()[0].numerator"],
    "denominator": ["x.astype('int64').ravel()[0].denominator"],
    "matvec": ["m.matvec(m[0])"],
    "rmatvec": ["m.rmatvec(m[:, 0])"],
    "dump": ["x.dump('/dev/null')"],
    "tofile": ["x.tofile('/dev/null')"],
    "argpartition": ["x.argpartition(0)"],
    "astype": ["x.astype(d2)"],
    "choose": ["ii.choose([x, y])"],
    "compress": ["v.compress(bv)"],
    "copy_to_device": ["x.copy_to_device(h)", "x.copy_to_device(y)"],
    "copy_to_host": ["x.copy_to_host()", "x.copy_to_host(numpy.empty_like(h))"],
    "dot": ["x.dot(y)"],
    "fill": ["x.fill(1)"],
    "item": ["x.item()", "x.item(0)"],
    "map": ["enter(x.map())"],
    "partition": ["x.partition(0)"],
    "put": ["x.put([0], 1)"],
    "reshape": ["x.reshape(-1)", "x.reshape((1, *s))", "x.reshape(-1, order='F')"],
    "resize": ["x.copy().resize((2, *s))", "x.copy().resize(3)"],
    "searchsorted": ["v.searchsorted(x)"],
    "sort": ["x.sort()", "v.sort()"],
    "split": ["v.split(2)"],
    "swapaxes": ["x.swapaxes(0, -1)"],
    "take": ["x.take([0])", "x.take(i)"],
    "to_device": ["x.to_device(x.device)"],
    "transpose": ["x.transpose()"],
    "view": ["x.view()", "x.view('uint8')"],
    **{
        name: [f"x.{name}()", f"x.{name}(axis=-1)", f"x.{name}(axis=0, keepdims=True)", f"mm.{name}(axis=1)"]
        for name in ("all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var")
    },
}
"""Calls of methods that need arguments, or more calls than one."""

_WORDS = words("add + sub - mul * truediv / floordiv // mod % pow ** and & or | xor ^ lshift << rshift >>")
_BINARY = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
_COMPARED = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SPECIAL = {
    **{f"__{name}__": [f"x {sign} y", f"x {sign} 1"] for name, sign in {**_BINARY, **_COMPARED}.items()},
    **{f"__r{name}__": [f"1 {sign} x"] for name, sign in _BINARY.items()},
    **{f"__i{name}__": [f"assign('x {sign}= y')", f"assign('x {sign}= 1')"] for name, sign in _BINARY.items()},
    "__matmul__": ["x @ y", "m @ m", "v @ v"],
    "__rmatmul__": ["m.__rmatmul__(m)"],
    "__imatmul__": ["assign('m @= m')"],
    "__divmod__": ["divmod(x, y)"],
    "__rdivmod__": ["divmod(1, x)"],
    "__neg__": ["-x"],
    "__pos__": ["+x"],
    "__abs__": ["abs(x)"],
    "__invert__": ["~x"],
    "__getitem__": [f"x[{key}]" for key in ("...", "None", "0", "::-1", "..., ::2", "b", "i", "[0]", "..., 0")]
    + ["v[iv]", "m[:, [0]]", "(x + 1)[0]", "(x + 1)[...]"],
    "__setitem__": [
        f"assign({line!r})"
        for line in ("x[...] = y", "x[0] = 1", "x[b] = 1", "x[b] = v", "x[i] = 1", "x[::-1] = x", "x[..., 0] = 1")
    ]
    + ["assign('v[iv] = v')", "assign('v[0] = 1; v[0] = v[0] + 1')"],
    "__len__": ["len(x)"],
    "__iter__": ["list(x)"],
    "__contains__": ["1 in x"],
    "__bool__": ["bool(x)"],
    "__int__": ["int(x)"],
    "__float__": ["float(x)"],
    "__complex__": ["complex(x)"],
    "__index__": ["operator.index(ii)"],
    "__repr__": ["repr(x)"],
    "__str__": ["str(x)"],
    "__format__": ["format(x, '')"],
    "__copy__": ["copy.copy(x)"],
    "__deepcopy__": ["copy.deepcopy(x)"],
    "__reduce__": ["pickle.loads(pickle.dumps(x))"],
    "__array__": ["numpy.asarray(x)"],
    "__array_ufunc__": ["numpy.add(x, y)", "numpy.sin(x)", "numpy.add.reduce(x)"],
    "__array_function__": ["numpy.concatenate([v, v])", "numpy.sum(x)"],
    "__array_namespace__": ["x.__array_namespace__()"],
    "__dlpack__": ["da.from_dlpack(x)"],
    "__dlpack_device__": ["x.__dlpack_device__()"],
    "__cuda_array_interface__": ["hasattr(x, '__cuda_array_interface__')"],  # other devices' arrays have none
}
"""Calls for the special methods of arrays."""

REDUCED = words("""all any amax amin argmax argmin count_nonzero max mean median min nanmax nanmean nanmedian nanmin
nanprod nanstd nansum nanvar prod ptp std sum var""")
FUNCTIONS.update({name: ["f(x)", "f(x, axis=-1)", "f(mm, axis=0)"] for name in REDUCED})
SCANNED = words("cumprod cumsum nancumprod nancumsum")
FUNCTIONS.update({name: ["f(x)", "f(x, axis=-1)", "f(mm, axis=1)"] for name in SCANNED})
ALONG = words("fft hfft ifft ihfft irfft rfft")
FUNCTIONS.update({f"fft.{name}": ["f(x)", "f(v)", "f(v, 17)"] for name in ALONG})
SEVERAL = words("fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn")
FUNCTIONS.update({f"fft.{name}": ["f(x)", "f(m)"] for name in SEVERAL})

SKIPPED = {
    "Array": "the class; its objects are what is swept",
    "DatetimeArray": "of dates and durations: tests/primitives/test_dates.py",
    "OpaqueArray": "of dtypes without arithmetic: tests/primitives/test_opaque.py",
    **dict.fromkeys(("Device", "Event", "Queue", "MappedNDArray"), "handles, made by the functions"),
    **dict.fromkeys(("reset_stats", "stats"), "counters of the process"),
    **dict.fromkeys(("errstate", "seterr", "geterr", "ndarray", "dtype"), "NumPy's own"),
}
"""Public names that are not called, and why. Types of scalars and errors, modules and constants are passed over."""


def calls(da: Any) -> dict[str, list[str]]:
    """The calls by name: functions as they are found from `devarray`, methods as ``Array.name``."""
    found: dict[str, list[str]] = {}
    for module in ("", "linalg", "fft", "random", "special", "lib.stride_tricks"):
        owner = da
        for part in filter(None, module.split(".")):
            owner = getattr(owner, part)
        for name in sorted(owner.__all__):
            full = f"{module}.{name}".lstrip(".")
            function = getattr(owner, name)
            if full in SKIPPED or not callable(function) or (isinstance(function, type) and full not in FUNCTIONS):
                continue
            found[full] = FUNCTIONS.get(full) or [f"f({', '.join(_arguments(full, function))})"]
    for name in dir(da.Array):
        if name in SPECIAL:
            found[f"Array.{name}"] = SPECIAL[name]
        elif not name.startswith("_") and hasattr(da.Array, name):  # names of other libraries' say what to use
            found[f"Array.{name}"] = METHODS.get(name) or [_attribute(da, name)]
    return found


def _arguments(name: str, function: Any) -> list[str]:
    """What a function's parameters without a default want."""
    arguments = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            arguments += ["x", "y"]
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            if parameter.name not in ARGUMENTS:
                raise LookupError(f"tools/sweep_calls.py does not know what {name}() wants for {parameter.name!r}")
            arguments.append(ARGUMENTS[parameter.name])
    return arguments


def _attribute(da: Any, name: str) -> str:
    member = getattr(da.Array, name)
    if not callable(member):
        return f"x.{name}"
    return f"x.{name}({', '.join(_arguments(f'Array.{name}', member))})"
