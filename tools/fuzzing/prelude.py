"""What programs call. The text of this file stands at the head of each script that reproduces a mismatch."""

import numpy as np


def data(dtype, shape, seed, kind="small"):
    """The same values on each call: "count" counts up; "small" numbers, "bits" of every size, "special" with NaN."""
    dtype, n = np.dtype(dtype), int(np.prod(shape))
    rng = np.random.default_rng([seed, n])
    if kind == "count":
        return np.arange(n).astype(dtype).reshape(shape)
    if dtype.kind == "c":
        real = data(f"f{dtype.itemsize // 2}", n, seed, kind)
        return (real + 1j * rng.permutation(real)).astype(dtype).reshape(shape)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind == "small" or dtype.kind == "f":
        x = (rng.integers(-16, 17, n) / (4 if dtype.kind == "f" else 2)).astype(dtype)
    else:
        x = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()
    if kind == "bits" and dtype.kind == "f":
        x *= np.exp2(rng.integers(-12, 13, n)).astype(dtype)
        x += rng.random(n).astype(dtype)
    if kind == "special" and dtype.kind == "f":
        limits = np.finfo(dtype)
        chosen = [np.nan, np.inf, -np.inf, -0.0, 0.0, limits.max, limits.tiny, limits.smallest_subnormal, 0.5]
        where = rng.integers(0, max(n, 1), min(n, 5))
        x[where] = np.array(chosen, dtype)[rng.integers(0, len(chosen), len(where))]
    return x.reshape(shape)


class Numpys:
    """How a program says to NumPy what NumPy has no word for."""

    def make(self, host, queue=0, memory=0):
        return host.copy()

    def wrap(self, x):
        """An array, where operations give scalars."""
        return np.asarray(x)

    def kept(self, x):
        """A scalar, which nothing writes to: here as a read-only array."""
        x = np.array(x)
        x.flags.writeable = False
        return x

    def added(self, x, other):
        """`x += other` of a scalar, which binds a new one."""
        x = x[()]
        x += other
        return x

    def strided(self, x, shape, strides):
        far = sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
        if far > x.nbytes - x.itemsize or any(step % x.itemsize for step in strides):
            raise ValueError("outside the memory")
        return np.lib.stride_tricks.as_strided(x, shape, strides)

    def defer(self, on):
        pass

    def evaluate(self, *arrays):
        pass

    def expose(self, x):
        pass

    def new_queue(self, number):
        pass

    def host(self, x):
        return x


class Ours:
    """The same for devarray: places are a queue's and an allocator's number, 0 the default."""

    def __init__(self):
        import devarray as da

        self.da = da
        self.queues = [None, da.queue(), da.queue()]
        pools = [da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(da.device(), k)) for k in self.kinds()]
        self.memories = [None, *pools, da.alloc.LimitingResourceAdaptor(pools[0], 64 << 20)]

    def kinds(self):
        return self.da.device().memory_kinds

    def make(self, host, queue=0, memory=0):
        memory = self.memories[memory % len(self.memories)]
        return self.da.asarray(host, queue=self.queues[queue], allocator=memory)

    def wrap(self, x):
        return x[...] if isinstance(x, self.da.Array) and x.ndim == 0 else x

    def kept(self, x):
        return x

    def added(self, x, other):
        x = x[()]
        x += other
        return x

    def strided(self, x, shape, strides):
        return self.da.lib.stride_tricks.as_strided(x, shape, strides)

    def defer(self, on):
        self.da.config.deferred = on

    def evaluate(self, *arrays):
        for x in arrays:
            x.evaluate()

    def expose(self, x):
        """From now on others may look at the memory."""
        self.base = x.base_data

    def new_queue(self, number):
        self.queues[number] = self.da.queue()

    def host(self, x):
        return x.copy_to_host() if isinstance(x, self.da.Array) else x
