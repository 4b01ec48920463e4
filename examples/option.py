"""
The price of an option, by random walks
=======================================

Random numbers are element-wise work like any other: drawing them fuses with the exponential and what the option pays.
"""

from math import erf, exp, log, sqrt

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

PATHS, STEPS = 200_000, 20
SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0


def kernels():
    """How many have run, small ones on the host of a CPU device."""
    counts = da.stats()
    return counts["launches"] + counts["host_runs"]


rng = da.random.default_rng(11)
drift = (RATE - VOLATILITY**2 / 2) * YEARS
ends = SPOT * da.exp(drift + VOLATILITY * np.sqrt(YEARS) * rng.standard_normal(PATHS))
pays = da.maximum(ends - STRIKE, 0) * np.exp(-RATE * YEARS)
before = kernels()
price, error = pays.mean().item(), (pays.std() / np.sqrt(PATHS)).item()
print(f"European call {price:.3f} +- {error:.3f}, in {kernels() - before} kernels")


def black_scholes():
    """The price by the formula."""
    spread = VOLATILITY * sqrt(YEARS)
    d = (log(SPOT / STRIKE) + RATE * YEARS) / spread
    share, chance = ((1 + erf((d + sign * spread / 2) / sqrt(2))) / 2 for sign in (1, -1))
    return SPOT * share - STRIKE * exp(-RATE * YEARS) * chance


print(f"by formula    {black_scholes():.3f}")
assert abs(price - black_scholes()) < 5 * error

# %%
# An option on the mean of the price needs the walks, too: they are made step by step.

walk, total, some = da.full(PATHS, np.log(SPOT)), da.zeros(PATHS), []
for _ in range(STEPS):
    walk = walk + drift / STEPS + VOLATILITY * np.sqrt(YEARS / STEPS) * rng.standard_normal(PATHS)
    total += da.exp(walk)
    some.append(da.exp(walk[:60]))
asian = (da.maximum(total / STEPS - STRIKE, 0) * np.exp(-RATE * YEARS)).mean().item()
print(f"Asian call    {asian:.3f}")

figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
axes[0].plot(da.stack(some).copy_to_host(), linewidth=0.6)
axes[0].axhline(STRIKE, color="black", linewidth=1)
axes[0].set(title="60 of the walks", xlabel="step")
counts, edges = da.histogram(ends, bins=60, range=(40, 200))
axes[1].stairs(counts.copy_to_host(), edges.copy_to_host(), fill=True)
axes[1].set(title="prices at the end")
plt.show()
