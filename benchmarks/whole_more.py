"""Further whole programs: index arrays, small matrices, layouts that change on the way, joined parts.

benchmarks/programs.py times them with `--more`. They were written to see how devarray does on what nobody had tuned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from whole import Program

__all__ = ["MORE"]

Arrays = dict[str, np.ndarray]
Random = np.random.Generator


def _normal(rng: Random, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(np.float32)


def distances(n: int, rng: Random) -> Arrays:
    return {"d": (rng.random((n, n)) * 100).astype(np.float32)}


def floyd_warshall(xp: Any, d: Any) -> Any:
    for k in range(64):
        d = xp.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def hidden_states(n: int, rng: Random) -> Arrays:
    return {"moves": rng.random((64, 64)).astype(np.float32), "seen": rng.random((50, n, 64)).astype(np.float32)}


def viterbi(xp: Any, moves: Any, seen: Any) -> Any:
    best = seen[0]
    for k in range(1, 50):
        best = (best[:, :, None] + moves[None]).max(1) + seen[k]
    return best


def sequences(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, 20, n, 64), "w": _normal(rng, 64, 512) / 8, "u": _normal(rng, 128, 512) / 12}


def lstm(xp: Any, x: Any, w: Any, u: Any) -> Any:
    h = x[0, :, :1] * xp.zeros_like(u[:, 0])[None]
    c = h
    for k in range(20):
        g = x[k] @ w + h @ u
        i, f, o = (1 / (1 + xp.exp(-g[:, a * 128 : (a + 1) * 128])) for a in range(3))
        c = f * c + i * xp.tanh(g[:, 384:])
        h = o * xp.tanh(c)
    return h


def images(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, n, 32, 56, 56), "gain": rng.random((1, 32, 1, 1)).astype(np.float32)}


def batch_norm(xp: Any, x: Any, gain: Any) -> Any:
    mean = x.mean((0, 2, 3)).reshape(1, -1, 1, 1)
    variance = ((x - mean) ** 2).mean((0, 2, 3)).reshape(1, -1, 1, 1)
    return xp.maximum((x - mean) / xp.sqrt(variance + 1e-5) * gain, 0 * gain)


def planes(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, 16, n, n)}


def pool_and_upsample(xp: Any, x: Any) -> Any:
    b, n, m = x.shape
    return x.reshape(b, n // 2, 2, m // 2, 2).max((2, 4)).repeat(2, 1).repeat(2, 2) + x


def square(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, n, n)}


def box_filter(xp: Any, x: Any) -> Any:
    s = xp.cumsum(xp.cumsum(x, 0), 1)
    return (s[16:, 16:] - s[:-16, 16:] - s[16:, :-16] + s[:-16, :-16]) / 256


def haar(xp: Any, x: Any) -> Any:
    power = []
    for _ in range(5):
        a, b = x[:, ::2], x[:, 1::2]
        low, high = (a + b) * 0.5, (a - b) * 0.5
        x, lh = (low[::2] + low[1::2]) * 0.5, (low[::2] - low[1::2]) * 0.5
        hl, hh = (high[::2] + high[1::2]) * 0.5, (high[::2] - high[1::2]) * 0.5
        power.append((lh * lh).sum() + (hl * hl).sum() + (hh * hh).sum())
    return x, power[0], power[4]


def line(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, n)}


def walsh_hadamard(xp: Any, x: Any) -> Any:
    h = 1
    while h < x.shape[0]:
        y = x.reshape(-1, 2, h)
        x = xp.stack([y[:, 0] + y[:, 1], y[:, 0] - y[:, 1]], 1).reshape(-1)
        h *= 2
    return x


def bilateral(xp: Any, x: Any) -> Any:
    total, weights = 0 * x, 0 * x
    for i in range(-3, 4):
        for j in range(-3, 4):
            y = xp.roll(xp.roll(x, i, 0), j, 1)
            w = xp.exp(-((y - x) ** 2) * 50 - (i * i + j * j) / 8.0)
            total, weights = total + w * y, weights + w
    return total / weights


def median_of_nine(xp: Any, x: Any) -> Any:
    near = (-1, 0, 1)
    return xp.sort(xp.stack([xp.roll(xp.roll(x, i, 0), j, 1) for i in near for j in near]), 0)[4]


def warp(xp: Any, x: Any) -> Any:
    n = x.shape[0]
    i = xp.arange(n) * 1.0
    u = xp.clip(i[:, None] + 5 * xp.sin(i[None, :] / 32), 0, n - 2.0)
    v = xp.clip(i[None, :] + 5 * xp.cos(i[:, None] / 32), 0, n - 2.0)
    a, b = u.astype(int), v.astype(int)
    p, q = u - a, v - b
    upper = x[a, b] * (1 - q) + x[a, b + 1] * q
    return upper * (1 - p) + (x[a + 1, b] * (1 - q) + x[a + 1, b + 1] * q) * p


def _cross(xp: Any, a: Any, b: Any) -> Any:
    return xp.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        1,
    )


def turns(n: int, rng: Random) -> Arrays:
    return {"q": _normal(rng, n, 4), "v": _normal(rng, n, 3)}


def rotate(xp: Any, q: Any, v: Any) -> Any:
    q = q / xp.sqrt((q * q).sum(1))[:, None]
    w, u = q[:, :1], q[:, 1:]
    t = 2 * _cross(xp, u, v)
    return v + w * t + _cross(xp, u, t)


def mesh(n: int, rng: Random) -> Arrays:
    return {"p": _normal(rng, n, 3), "t": rng.integers(0, n, (2 * n, 3))}


def normals(xp: Any, p: Any, t: Any) -> Any:
    a, b, c = p[t[:, 0]], p[t[:, 1]], p[t[:, 2]]
    n = _cross(xp, b - a, c - a)
    return n / (xp.sqrt((n * n).sum(1))[:, None] + 1e-12)


def particles(n: int, rng: Random) -> Arrays:
    return {"x": (rng.random((n, 3)) * 20).astype(np.float32)}


def lennard_jones(xp: Any, x: Any) -> Any:
    d = x[:, None] - x[None]
    r2 = (d * d).sum(-1) + 0.5
    i6 = 1 / (r2 * r2 * r2)
    return (d * (24 * i6 * (2 * i6 - 1) / r2)[:, :, None]).sum(1), (4 * i6 * (i6 - 1)).sum()


def scores(n: int, rng: Random) -> Arrays:
    return {"x": _normal(rng, n, 1000), "y": rng.integers(0, 1000, n)}


def cross_entropy(xp: Any, x: Any, y: Any) -> Any:
    z = x - x.max(1)[:, None]
    s = xp.log(xp.exp(z).sum(1))
    return (s - z[xp.arange(x.shape[0]), y]).mean(), xp.exp(z - s[:, None])


def observations(n: int, rng: Random) -> Arrays:
    return {"x": rng.random((n, 8)).astype(np.float32), "y": rng.random(n).astype(np.float32)}


def gaussian_process(xp: Any, x: Any, y: Any) -> Any:
    squares = (x * x).sum(1)
    k = xp.exp(2 * x @ x.T - squares[:, None] - squares[None]) + 0.1 * xp.eye(x.shape[0], dtype=np.float32)
    low = xp.linalg.cholesky(k)
    return xp.linalg.solve(low.T, xp.linalg.solve(low, y[:, None]))


def spins(n: int, rng: Random) -> Arrays:
    board = (np.arange(n)[:, None] + np.arange(n)) % 2
    up = (rng.integers(0, 2, (n, n)) * 2 - 1).astype(np.float32)
    return {"s": up, "u": rng.random((10, n, n)).astype(np.float32), "board": board.astype(np.float32)}


def ising(xp: Any, s: Any, u: Any, board: Any) -> Any:
    for k in range(10):
        h = xp.roll(s, 1, 0) + xp.roll(s, -1, 0) + xp.roll(s, 1, 1) + xp.roll(s, -1, 1)
        s = xp.where((u[k] < xp.exp(-0.8 * s * h)) & (board == k % 2), -s, s)
    return s


def texts(n: int, rng: Random) -> Arrays:
    return {"x": rng.integers(0, 256, (64, n)), "t": rng.integers(0, 2**31, 256)}


def crc(xp: Any, x: Any, t: Any) -> Any:
    c = x[0] * 0 + 0xFFFFFFFF
    for k in range(64):
        c = t[(c ^ x[k]) & 255] ^ (c >> 8)
    return c


def cloud(n: int, rng: Random) -> Arrays:
    return {"w": rng.random(n), "x": _normal(rng, n, 4)}


def resample(xp: Any, w: Any, x: Any) -> Any:
    n = w.shape[0]
    places = xp.searchsorted(xp.cumsum(w / w.sum(), 0), (xp.arange(n) + 0.5) / n)
    return x[xp.clip(places, 0, n - 1)]


def ranks(xp: Any, x: Any) -> Any:
    n = x.shape[0]
    s = x[xp.argsort(x)]
    d = s[1:] - s[:-1]
    return (d * d).sum(), s[n // 10], s[n // 2], (x > s[n // 2]).sum()


def moving_average(xp: Any, x: Any) -> Any:
    k = 1
    while k < 512:
        x = xp.concatenate([x[:k], x[k:] + 0.98**k * x[:-k]])
        k *= 2
    return x


def roots(n: int, rng: Random) -> Arrays:
    return {"z": (rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))).astype(np.complex64)}


def newton(xp: Any, z: Any) -> Any:
    for _ in range(20):
        z = z - (z * z * z - 1) / (3 * z * z)
    return xp.abs(z - 1)


def poses(n: int, rng: Random) -> Arrays:
    return {"a": _normal(rng, n, 4, 4), "b": _normal(rng, n, 4, 4), "p": _normal(rng, n, 4)}


def chained_poses(xp: Any, a: Any, b: Any, p: Any) -> Any:
    return (a @ b @ a @ p[:, :, None])[:, :, 0]


def tensors(n: int, rng: Random) -> Arrays:
    return {"a": _normal(rng, n, 32, 32), "b": _normal(rng, n, 32)}


def contractions(xp: Any, a: Any, b: Any) -> Any:
    y = xp.einsum("nij,nj->ni", a, b)
    return xp.einsum("ni,nij,nj->n", y, a, b), xp.einsum("nij->ij", a)


def returns(n: int, rng: Random) -> Arrays:
    return {"r": _normal(rng, n, 500) / 100}


def covariance(xp: Any, r: Any) -> Any:
    c = r - r.mean(0)
    s, paths = xp.sqrt((c * c).mean(0)), xp.cumsum(r, 0)
    return c.T @ c / (r.shape[0] - 1) / (s[:, None] * s[None]), paths.max(0), paths[-1] - paths.min(0)


def relaxation(xp: Any, x: Any) -> Any:
    for _ in range(10):
        mean = (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * 0.25
        x = xp.pad(x[1:-1, 1:-1] * -0.5 + 1.5 * mean, 1)
    return x


def two_squares(n: int, rng: Random) -> Arrays:
    return {"x": rng.random((n, n)).astype(np.float32), "y": rng.random((n, n)).astype(np.float32)}


def texture(xp: Any, x: Any, y: Any) -> Any:
    v = 0 * x
    for k in range(1, 9):
        v = v + xp.sin(x * (3.1 * k) + xp.cos(y * (2.7 * k))) / k
    return xp.tanh(v) * xp.arctan2(y, x + 1.0)


def rays(n: int, rng: Random) -> Arrays:
    return {"d": _normal(rng, n, 3), "c": _normal(rng, 16, 3) * 3}


def nearest_sphere(xp: Any, d: Any, c: Any) -> Any:
    d = d / xp.sqrt((d * d).sum(1))[:, None]
    b = d @ c.T
    q = b * b - ((c * c).sum(1) - 1.0)[None]
    t = xp.where(q > 0, b - xp.sqrt(xp.maximum(q, 0 * q)), 1e9 + 0 * q)
    near = t.min(1)
    hit = d * near[:, None] - c[t.argmin(1)]
    return xp.where(near[:, None] < 1e8, hit, 0 * hit)


MORE = (
    Program("floyd-warshall", floyd_warshall, distances, 512, 2048, 64),
    Program("viterbi", viterbi, hidden_states, 64, 4096, 8),
    Program("lstm cell", lstm, sequences, 64, 4096, 8, rtol=1e-3),
    Program("batch norm of images", batch_norm, images, 4, 128, 2, rtol=1e-3),
    Program("max pool and upsample", pool_and_upsample, planes, 128, 1024, 16),
    Program("box filter by cumsum", box_filter, square, 512, 4096, 64, rtol=1e-3),
    Program("haar wavelets", haar, square, 512, 4096, 64, rtol=1e-3),
    Program("walsh-hadamard", walsh_hadamard, line, 1 << 16, 1 << 22, 1 << 8, rtol=1e-3),
    Program("bilateral filter", bilateral, square, 256, 2048, 64, rtol=1e-3),
    Program("median of nine", median_of_nine, square, 256, 2048, 64),
    Program("image warp", warp, square, 512, 2048, 64, rtol=1e-3),
    Program("quaternion rotation", rotate, turns, 20_000, 1 << 21, 100, rtol=1e-3),
    Program("mesh normals", normals, mesh, 10_000, 1 << 20, 100, rtol=1e-3),
    Program("lennard-jones, all pairs", lennard_jones, particles, 256, 4096, 64, rtol=1e-3),
    Program("softmax cross entropy", cross_entropy, scores, 256, 32768, 32, rtol=1e-3),
    Program("gaussian process", gaussian_process, observations, 128, 2048, 32, rtol=1e-2),
    Program("ising by checkerboards", ising, spins, 256, 2048, 32),
    Program("crc of rows by a table", crc, texts, 4096, 1 << 18, 64),
    Program("resampling of particles", resample, cloud, 20_000, 1 << 21, 200),
    Program("ranks and quantiles", ranks, line, 50_000, 1 << 22, 500, rtol=1e-3),
    Program("moving average by doubling", moving_average, line, 50_000, 1 << 23, 1000, rtol=1e-3),
    Program("newton's fractal", newton, roots, 128, 1024, 32, rtol=1e-1),
    Program("chained poses", chained_poses, poses, 2000, 1 << 18, 64, rtol=1e-3),
    Program("einsum contractions", contractions, tensors, 256, 32768, 16, rtol=1e-3),
    Program("covariance and drawdown", covariance, returns, 256, 8192, 64, rtol=1e-3),
    Program("relaxation by slices and pad", relaxation, square, 256, 2048, 32, rtol=1e-3),
    Program("texture by sines", texture, two_squares, 256, 4096, 32, rtol=1e-3),
    Program("rays and spheres", nearest_sphere, rays, 10_000, 1 << 20, 64, rtol=1e-2),
)
