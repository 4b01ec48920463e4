"""Programs on grids: stencils, shifts, images. All in 32 bits, whatever a library makes of bare numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Random = np.random.Generator


def cells(n: int, rng: Random) -> Arrays:
    return {"u": (rng.random((n, n)) < 0.3).astype(np.int32)}


def chemicals(n: int, rng: Random) -> Arrays:
    return {"u": rng.random((n, n)).astype(np.float32), "v": rng.random((n, n)).astype(np.float32) / 4}


def lattice(n: int, rng: Random) -> Arrays:
    return {"f": (1 + rng.random((9, n, n)) / 10).astype(np.float32)}


def plane(n: int, rng: Random) -> Arrays:
    x = np.linspace(-2, 0.5, n, dtype=np.float32)
    y = np.linspace(-1.25, 1.25, n, dtype=np.float32)
    return {"cx": np.tile(x, (n, 1)), "cy": np.tile(y[:, None], (1, n))}


def picture(n: int, rng: Random) -> Arrays:
    return {"rgb": rng.integers(0, 256, (n, n, 3)).astype(np.float32)}


def waves(n: int, rng: Random) -> Arrays:
    ky, kx = np.fft.fftfreq(n)[:, None].astype(np.float32), np.fft.rfftfreq(n)[None, :].astype(np.float32)
    return {"x": rng.standard_normal((n, n)).astype(np.float32), "ky": ky, "kx": kx}


def heat(xp: Any, u: Any) -> Any:
    for _ in range(20):
        inner = u[1:-1, 1:-1]
        inner = inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
        u = xp.pad(inner, 1)
    return u


def life(xp: Any, u: Any) -> Any:
    dead = u[:1, :1] * 0
    alive = dead + 1
    for _ in range(50):
        n = sum(
            xp.roll(xp.roll(u, dy, axis=0), dx, axis=1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
        )
        u = xp.where((n == 3) | ((u == 1) & (n == 2)), alive, dead)
    return u


def _laplacian(xp: Any, u: Any) -> Any:
    return xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=0) + xp.roll(u, 1, axis=1) + xp.roll(u, -1, axis=1) - 4 * u


def gray_scott(xp: Any, u: Any, v: Any) -> Any:
    for _ in range(20):
        reaction = u * v * v
        u, v = (
            u + 0.16 * _laplacian(xp, u) - reaction + 0.035 * (1 - u),
            v + 0.08 * _laplacian(xp, v) + reaction - 0.1 * v,
        )
    return u, v


_STEPS = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
_WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


def boltzmann(xp: Any, f: Any) -> Any:
    flows = [f[k] for k in range(9)]
    for _ in range(10):
        flows = [xp.roll(xp.roll(flow, dx, axis=0), dy, axis=1) for flow, (dx, dy) in zip(flows, _STEPS, strict=True)]
        rho = sum(flows[1:], flows[0])
        ux = (flows[1] + flows[5] + flows[8] - flows[3] - flows[6] - flows[7]) / rho
        uy = (flows[2] + flows[5] + flows[6] - flows[4] - flows[7] - flows[8]) / rho
        square = 1.5 * (ux * ux + uy * uy)
        after = []
        for flow, (dx, dy), weight in zip(flows, _STEPS, _WEIGHTS, strict=True):
            along = 3.0 * (dx * ux + dy * uy)
            after.append(flow + 0.6 * (weight * rho * (1 + along + 0.5 * along * along - square) - flow))
        flows = after
    return xp.stack(flows)


def wave(xp: Any, u: Any, v: Any) -> Any:
    for _ in range(20):
        v = v + 0.1 * _laplacian(xp, u)
        u = u + 0.1 * v
    return u, v


def mandelbrot(xp: Any, cx: Any, cy: Any) -> Any:
    x, y, count = cx * 0, cy * 0, cx * 0
    for _ in range(50):
        inside = x * x + y * y < 4
        x, y = xp.where(inside, x * x - y * y + cx, x), xp.where(inside, 2 * x * y + cy, y)
        count = count + inside
    return count


def image(xp: Any, rgb: Any) -> Any:
    x = rgb / 255.0
    linear = xp.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    grey = 0.2126 * linear[..., 0] + 0.7152 * linear[..., 1] + 0.0722 * linear[..., 2]
    blurred = (
        grey[1:-1, 1:-1] * 0.25
        + (grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:]) * 0.125
        + (grey[:-2, :-2] + grey[:-2, 2:] + grey[2:, :-2] + grey[2:, 2:]) * 0.0625
    )
    sharp = xp.clip(grey[1:-1, 1:-1] * 1.5 - blurred * 0.5, 0.0, 1.0)
    low, high = sharp.min(), sharp.max()
    return (sharp - low) / (high - low)


def fft_filter(xp: Any, x: Any, ky: Any, kx: Any) -> Any:
    return xp.fft.irfft2(xp.fft.rfft2(x) * xp.exp(-50.0 * (kx * kx + ky * ky)))
