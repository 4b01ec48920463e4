"""
A signal out of noise, by Fourier transforms
============================================

Transforms run in cuFFT on NVIDIA's GPUs, in devarray's kernels on others, and in NumPy on CPU devices. What is done
with the spectrum is fused.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

SAMPLES, RATE = 4096, 1000.0  # per second

t = da.arange(SAMPLES) / RATE
clean = da.sin(2 * np.pi * 50 * t) + 0.5 * da.sin(2 * np.pi * 120 * t)
noisy = clean + da.random.default_rng(2).normal(0, 1.5, SAMPLES)

spectrum = da.fft.rfft(noisy)
power = da.square(da.abs(spectrum)) / SAMPLES
filtered = da.fft.irfft(da.where(power > 60, spectrum, 0), SAMPLES)

frequencies = da.fft.rfftfreq(SAMPLES, 1 / RATE)
peaks = sorted(frequencies[da.argsort(power)[-2:]].tolist())
print(f"{t.device}: the strongest frequencies are {peaks[0]:.1f} and {peaks[1]:.1f} Hz")
error = [da.sqrt(da.square(x - clean).mean()).item() for x in (noisy, filtered)]
print(f"error {error[0]:.2f} before, {error[1]:.2f} after")

# %%
# The power of each frequency, and a part of the signal.

figure, axes = plt.subplots(2, 1, figsize=(8, 5), layout="constrained")
axes[0].semilogy(frequencies.copy_to_host(), power.copy_to_host() + 1e-3, linewidth=0.8)
axes[0].set(xlabel="Hz", ylabel="power", xlim=(0, 250))
for x, label in ((noisy, "noisy"), (clean, "clean"), (filtered, "filtered")):
    width = 0.6 if label == "noisy" else 1.2
    axes[1].plot(t[:200].copy_to_host(), x[:200].copy_to_host(), label=label, linewidth=width)
axes[1].legend(ncols=3, frameon=False)
axes[1].set_xlabel("seconds")
plt.show()
