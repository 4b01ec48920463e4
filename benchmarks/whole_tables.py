"""Programs on many independent elements, tables of samples, particles, and layers of networks."""

from __future__ import annotations

from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Random = np.random.Generator


def systems(n: int, rng: Random) -> Arrays:
    return {name: rng.standard_normal(n).astype(np.float32) for name in "xyz"}


def bodies(n: int, rng: Random) -> Arrays:
    return {
        "x": rng.standard_normal((n, 3)).astype(np.float32),
        "v": rng.standard_normal((n, 3)).astype(np.float32) / 10,
        "m": rng.random(n).astype(np.float32) / n,
    }


def sea_water(n: int, rng: Random) -> Arrays:
    return {"s": 30 + 10 * rng.random(n), "t": 30 * rng.random(n), "p": 500 * rng.random(n)}


def options(n: int, rng: Random) -> Arrays:
    return {
        "spot": (50 + 100 * rng.random(n)).astype(np.float32),
        "strike": (50 + 100 * rng.random(n)).astype(np.float32),
        "years": (0.1 + rng.random(n)).astype(np.float32),
    }


def points(n: int, rng: Random) -> Arrays:
    x = rng.standard_normal((n, 8)).astype(np.float32)
    return {"x": x, "centres": x[:16].copy()}


def samples(n: int, rng: Random) -> Arrays:
    x = rng.standard_normal((n, 16)).astype(np.float32)
    return {"x": x, "y": (x.sum(1) > 0).astype(np.float32)}


def heads(n: int, rng: Random) -> Arrays:
    return {name: rng.standard_normal((16, n, 64)).astype(np.float32) for name in "qkv"}


def activations(n: int, rng: Random) -> Arrays:
    return {
        "x": rng.standard_normal((n, 1024)).astype(np.float32),
        "gain": rng.random(1024).astype(np.float32),
        "bias": rng.random(1024).astype(np.float32),
    }


def parameters(n: int, rng: Random) -> Arrays:
    return {f"{kind}{k}": rng.random(n).astype(np.float32) for kind in "wgms" for k in range(40)}


def links(n: int, rng: Random) -> Arrays:
    a = (rng.random((n, n)) < 0.05).astype(np.float32)
    return {"a": a / np.maximum(a.sum(0), 1)}


def paths(n: int, rng: Random) -> Arrays:
    return {"z": rng.standard_normal((32, n)).astype(np.float32)}


def keys(n: int, rng: Random) -> Arrays:
    return {"k": rng.integers(0, 2**31, n).astype(np.uint32)}


def two_sets(n: int, rng: Random) -> Arrays:
    return {"a": rng.standard_normal((n, 3)).astype(np.float32), "b": rng.standard_normal((n, 3)).astype(np.float32)}


def _lorenz_slope(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


def lorenz(xp: Any, x: Any, y: Any, z: Any) -> Any:
    h = 0.001
    for _ in range(20):
        ax, ay, az = _lorenz_slope(x, y, z)
        bx, by, bz = _lorenz_slope(x + h / 2 * ax, y + h / 2 * ay, z + h / 2 * az)
        cx, cy, cz = _lorenz_slope(x + h / 2 * bx, y + h / 2 * by, z + h / 2 * bz)
        dx, dy, dz = _lorenz_slope(x + h * cx, y + h * cy, z + h * cz)
        x = x + h / 6 * (ax + 2 * bx + 2 * cx + dx)
        y = y + h / 6 * (ay + 2 * by + 2 * cy + dy)
        z = z + h / 6 * (az + 2 * bz + 2 * cz + dz)
    return x, y, z


def n_body(xp: Any, x: Any, v: Any, m: Any) -> Any:
    for _ in range(10):
        d = x[None, :, :] - x[:, None, :]
        r2 = (d * d).sum(-1) + 0.01
        w = m[None, :] / (r2 * xp.sqrt(r2))
        v = v + 0.01 * (d * w[:, :, None]).sum(1)
        x = x + 0.01 * v
    return x, v


def _polynomial(x: Any, *coefficients: float) -> Any:
    y = coefficients[-1] * x + coefficients[-2]
    for c in coefficients[-3::-1]:
        y = y * x + c
    return y


def density(xp: Any, s: Any, t: Any, p: Any) -> Any:
    """Density and its relatives by UNESCO's polynomials of 1983, one after the other, as the papers print them."""
    root = xp.sqrt(s)
    total = 0.0 * s
    for depth in (0.2, 0.4, 0.6, 0.8, 1.0):
        q = p * depth
        water = _polynomial(t, 999.842594, 6.793952e-2, -9.095290e-3, 1.001685e-4, -1.120083e-6, 6.536332e-9)
        surface = (
            water
            + s * _polynomial(t, 8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9)
            + s * root * _polynomial(t, -5.72466e-3, 1.0227e-4, -1.6546e-6)
            + 4.8314e-4 * s * s
        )
        bulk = (
            _polynomial(t, 19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5)
            + s * _polynomial(t, 54.6746, -0.603459, 1.09987e-2, -6.1670e-5)
            + s * root * _polynomial(t, 7.944e-2, 1.6483e-2, -5.3009e-4)
        )
        slope = (
            _polynomial(t, 3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7)
            + s * _polynomial(t, 2.2838e-3, -1.0981e-5, -1.6078e-6)
            + 1.91075e-4 * s * root
        )
        curve = _polynomial(t, 8.50935e-5, -6.12293e-6, 5.2787e-8) + s * _polynomial(
            t, -9.9348e-7, 2.0816e-8, 9.1697e-10
        )
        total = total + surface / (1 - q / (bulk + slope * q + curve * q * q))
    return total / 5


def _normal(xp: Any, x: Any) -> Any:
    """The normal distribution function by Abramowitz and Stegun 26.2.17."""
    t = 1 / (1 + 0.2316419 * abs(x))
    tail = t * _polynomial(t, 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    upper = 0.3989422804 * xp.exp(-0.5 * x * x) * tail
    return xp.where(x > 0, 1 - upper, upper)


def black_scholes(xp: Any, spot: Any, strike: Any, years: Any) -> Any:
    rate, sigma = 0.03, 0.3
    spread = sigma * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (rate + sigma * sigma / 2) * years) / spread
    d2 = d1 - spread
    discounted = strike * xp.exp(-rate * years)
    call = spot * _normal(xp, d1) - discounted * _normal(xp, d2)
    return call, call - spot + discounted


def k_means(xp: Any, x: Any, centres: Any) -> Any:
    for _ in range(10):
        distance = ((x[:, None, :] - centres[None, :, :]) ** 2).sum(-1)
        mine = (distance == xp.amin(distance, 1, keepdims=True)) * 1.0
        mine = mine.astype(x.dtype) if hasattr(mine, "astype") else mine.to(x.dtype)
        centres = (mine.T @ x) / mine.sum(0)[:, None]
    return centres


def logistic(xp: Any, x: Any, y: Any) -> Any:
    w = x[0] * 0
    for _ in range(20):
        error = 1 / (1 + xp.exp(-(x @ w))) - y
        w = w - 0.5 * ((x.T @ error) / x.shape[0] + 0.01 * w)
    return w


def attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = (q @ xp.swapaxes(k, -1, -2)) * 0.125
    weights = xp.exp(scores - xp.amax(scores, -1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)) @ v


def layer_norm(xp: Any, x: Any, gain: Any, bias: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    y = centred / xp.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5) * gain + bias
    return 0.5 * y * (1 + xp.tanh(0.7978845608 * (y + 0.044715 * y * y * y)))


def adam(xp: Any, **arrays: Any) -> Any:
    result = []
    for k in range(40):
        w, g, m, s = (arrays[f"{kind}{k}"] for kind in "wgms")
        m = 0.9 * m + 0.1 * g
        s = 0.999 * s + 0.001 * g * g
        result.append(w - 0.001 * (m / 0.1) / (xp.sqrt(s / 0.001) + 1e-8))
    return tuple(result)


def page_rank(xp: Any, a: Any) -> Any:
    n = a.shape[0]
    r = a[0] * 0 + 1 / n
    for _ in range(20):
        r = 0.85 * (a @ r) + 0.15 / n
        r = r / r.sum()
    return r


def barrier(xp: Any, z: Any) -> Any:
    price = z[0] * 0 + 100.0
    alive = price > 0
    for k in range(32):
        price = price * xp.exp(0.0005 + 0.02 * z[k])
        alive = alive & (price > 85.0)
    payoff = xp.where(alive, xp.maximum(price - 100.0, price * 0), 0.0)
    return payoff.mean(), payoff.std()


def pca(xp: Any, x: Any, y: Any) -> Any:
    x = x - x.mean(0)
    w = x[0] * 0 + 1
    w = w + 0.1 * xp.cumsum(w, 0)
    for _ in range(20):
        w = x.T @ (x @ w)
        w = w / xp.sqrt((w * w).sum())
    return (x @ w).std()


def rolling(xp: Any, x: Any) -> Any:
    window = 64
    total = xp.cumsum(x, 0)
    square = xp.cumsum(x * x, 0)
    mean = (total[window:] - total[:-window]) / window
    spread = xp.sqrt((square[window:] - square[:-window]) / window - mean * mean)
    return (x[window:] - mean) / spread


def hashing(xp: Any, k: Any) -> Any:
    """Mixes 32 bits in as many steps as MurmurHash3 takes at its end, four times over."""
    h = k
    for _ in range(4):
        h = h ^ (h >> 16)
        h = h * 0x7FEB352D
        h = h ^ (h >> 15)
        h = h * 0x6A2C8D1B
        h = h ^ (h >> 16)
    return h


def masks(xp: Any, x: Any, y: Any) -> Any:
    valid = (x > -1.5) & (y < 1.5) & (x * y > -0.5)
    z = xp.where(valid, x * 2 + y, 0.0)
    z = xp.where(z > 2, 2 + xp.log(xp.where(z > 2, z, 3.0) - 1), z)
    return xp.clip(z, -3.0, 3.0), valid.sum(), z.sum() / valid.sum()


def nearest(xp: Any, a: Any, b: Any) -> Any:
    d = a[:, None, :] - b[None, :, :]
    return xp.sqrt((d * d).sum(-1).min(1))
