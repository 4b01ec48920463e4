"""Filters and spectra of a recorded electroencephalogram, which matplotlib ships as sample data. Plain NumPy.

    python examples/numpy/brain_waves.py                        NumPy
    python -m devarray run examples/numpy/brain_waves.py        the same file on the device

Four channels are cleaned of drift, filtered into the classical bands by windowed sinc filters, and looked at by their
power, coherence, phase and by a Kalman filter that follows the alpha rhythm's amplitude. A recording of 800 samples is
small; `--repeat` lays it end to end, so that a device has work. Both sides agree to 1e-9.
"""

import argparse
import time

import numpy as np

BANDS = {"delta": (0.5, 4.0), "theta": (4.0, 8.0), "alpha": (8.0, 13.0), "beta": (13.0, 30.0), "gamma": (30.0, 45.0)}
"""In hertz."""
RATE = 200.0
CHANNELS = ("PG3", "PG5", "PG7", "PG9")


def recording(repeat):
    """The samples, of shape (channels, samples): from matplotlib's folder, which NumPy reads."""
    import matplotlib.cbook

    with matplotlib.cbook.get_sample_data("eeg.dat") as file:
        raw = np.frombuffer(file.read(), dtype=float)
    samples = raw.reshape(-1, len(CHANNELS)).T
    return np.concatenate([samples if n % 2 == 0 else samples[:, ::-1] for n in range(repeat)], axis=1)


def without_drift(samples, degree=3):
    """The samples less a polynomial of each channel, fitted by least squares."""
    t = np.linspace(-1, 1, samples.shape[1])
    powers = np.vander(t, degree + 1)
    coefficients, *_ = np.linalg.lstsq(powers, samples.T, rcond=None)
    return samples - (powers @ coefficients).T


def band_filter(low, high, taps=201):
    """A windowed sinc filter that passes a band."""
    n = np.arange(taps) - (taps - 1) / 2
    ideal = 2 * high / RATE * np.sinc(2 * high / RATE * n) - 2 * low / RATE * np.sinc(2 * low / RATE * n)
    return ideal * np.blackman(taps)


def filtered(samples, kernel):
    """Each channel convolved with a filter."""
    return np.stack([np.convolve(channel, kernel, mode="same") for channel in samples])


def welch(samples, length=256):
    """Power spectral density by averaged periodograms of overlapping, windowed parts."""
    window = np.hanning(length)
    parts = np.lib.stride_tricks.sliding_window_view(samples, length, axis=-1)[..., :: length // 2, :]
    parts = (parts - parts.mean(axis=-1, keepdims=True)) * window
    spectra = np.fft.rfft(parts, axis=-1)
    power = (np.abs(spectra) ** 2).mean(axis=-2) / (RATE * (window**2).sum())
    power[..., 1:-1] *= 2
    return np.fft.rfftfreq(length, 1 / RATE), power, spectra


def coherence(spectra):
    """How well the channels' spectra go together, of shape (channels, channels, frequencies)."""
    cross = np.einsum("isf,jsf->ijf", spectra, spectra.conj())
    own = np.einsum("iif->if", cross).real
    return np.abs(cross) ** 2 / (own[:, None] * own[None, :])


def analytic(samples):
    """The analytic signal, by the spectrum's positive half."""
    count = samples.shape[-1]
    spectrum = np.fft.fft(samples, axis=-1)
    weights = np.zeros(count)
    weights[0] = 1
    weights[1 : (count + 1) // 2] = 2
    if count % 2 == 0:
        weights[count // 2] = 1
    return np.fft.ifft(spectrum * weights, axis=-1)


def locking(signals):
    """Phase locking of each pair of channels: the length of the mean difference of phases."""
    unit = signals / np.abs(signals)
    return np.abs(np.einsum("it,jt->ij", unit, unit.conj())) / signals.shape[-1]


def followed(measured, noise=0.05, drift=0.001):
    """A Kalman filter of constant state, whose gain is settled beforehand, as a recursion over blocks."""
    p = 1.0
    gains = []
    for _ in range(200):
        p += drift
        k = p / (p + noise)
        p *= 1 - k
        gains.append(k)
    keep = 1 - gains[-1]
    block = 64
    decay = keep ** np.arange(block + 1)
    matrix = np.tril(keep ** np.clip(np.subtract.outer(np.arange(block), np.arange(block)), 0, None)) * gains[-1]
    state, parts = measured[..., 0], []
    for start in range(0, measured.shape[-1], block):
        part = measured[..., start : start + block]
        count = part.shape[-1]
        found = part @ matrix[:count, :count].T + state[..., None] * decay[1 : count + 1]
        parts.append(found)
        state = found[..., -1]
    return np.concatenate(parts, axis=-1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=50)
    parser.add_argument("--save", help="an .npz file for the results")
    parser.add_argument("--plot", help="a picture of the spectra")
    options = parser.parse_args()
    begun = time.perf_counter()
    samples = without_drift(recording(options.repeat))
    samples = (samples - samples.mean(axis=1, keepdims=True)) / samples.std(axis=1, keepdims=True)
    bands = {name: filtered(samples, band_filter(*edges)) for name, edges in BANDS.items()}
    power = np.array([[float((band**2).mean()) for band in channel] for channel in bands.values()])
    frequency, density, spectra = welch(samples)
    together = coherence(spectra)
    alpha = analytic(bands["alpha"])
    amplitude = followed(np.abs(alpha))
    phases = locking(alpha)
    peak = frequency[density.argmax(axis=1)]
    seconds = time.perf_counter() - begun
    for name, row in zip(bands, power, strict=True):
        print(f"{name:6}", *(f"{value:8.5f}" for value in row))
    print("peaks at", *(f"{float(f):.2f}" for f in peak), "Hz; channels", *CHANNELS)
    print(f"locking of the first two {float(phases[0, 1]):.5f}, {samples.size} samples, {seconds:.2f} s")
    if options.save:
        np.savez(options.save, power=power, density=density, together=together, amplitude=amplitude, phases=phases)
    if options.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        for channel, row in zip(CHANNELS, density, strict=True):
            plt.semilogy(frequency, row, label=channel)
        plt.legend()
        plt.savefig(options.plot)


if __name__ == "__main__":
    main()
