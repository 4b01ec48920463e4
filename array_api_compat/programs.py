"""SciPy's and scikit-learn's array-API functions on devarray's arrays: a table of what works.

    SCIPY_ARRAY_API=1 python array_api_compat/programs.py

Each call is made with NumPy's arrays and with devarray's. It works where both agree and the result is an Array (or the
plain number that NumPy gets, too). Where it does not, the table shows the error, from which its cause can be read.
"""

from __future__ import annotations

import os
import sys
from typing import Any

os.environ.setdefault("SCIPY_ARRAY_API", "1")

import numpy as np
import scipy.cluster
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
import scipy.stats
import sklearn
from sklearn import (
    decomposition,
    discriminant_analysis,
    linear_model,
    metrics,
    model_selection,
    naive_bayes,
    preprocessing,
)
from trials import Call, show

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5))
POSITIVE = np.abs(X) + 0.1
UNIT = np.clip(np.abs(X) / 5 + 0.01, 0, 0.99)
V = rng.normal(size=200)
LABELS = rng.integers(0, 3, 60)
Y = X @ np.arange(1.0, 6.0) + rng.normal(size=60) * 0.1

words = str.split
special = scipy.special
SPECIAL: dict[str, tuple[Call, tuple]] = {
    **{
        name: (getattr(special, name), (UNIT,))
        for name in [
            "erf",
            "erfc",
            "erfcinv",
            "erfinv",
            "expit",
            "logit",
            "log_ndtr",
            "ndtr",
            "ndtri",
            "gammaln",
            "psi",
            "gamma",
            "i0",
            "i0e",
            "i1",
            "i1e",
            "exp1",
            "expi",
            "ellipk",
        ]
        if hasattr(special, name)
    },
    **{
        name: (getattr(special, name), (POSITIVE, UNIT))
        for name in [
            "betaln",
            "beta",
            "gammainc",
            "gammaincc",
            "rel_entr",
            "kl_div",
            "xlogy",
            "xlog1py",
            "chdtr",
            "chdtrc",
        ]
    },
    "betainc": (special.betainc, (POSITIVE, POSITIVE, UNIT)),
    "logsumexp": (lambda x: special.logsumexp(x, axis=1), (X,)),
    "softmax": (lambda x: special.softmax(x, axis=1), (X,)),
    "log_softmax": (lambda x: special.log_softmax(x, axis=1), (X,)),
    "entr": (special.entr, (UNIT,)),
    "sinc": (special.sinc, (X,)),
}
stats = scipy.stats
STATS: dict[str, tuple[Call, tuple]] = {
    **{
        name: (getattr(stats, name), (POSITIVE,))
        for name in [
            "gmean",
            "hmean",
            "moment",
            "skew",
            "kurtosis",
            "describe",
            "sem",
            "variation",
            "zscore",
            "gzscore",
            "kstat",
            "kstatvar",
            "skewtest",
            "kurtosistest",
            "normaltest",
            "jarque_bera",
            "circmean",
            "circvar",
            "circstd",
            "tmean",
            "tvar",
            "tmin",
            "tmax",
            "tstd",
            "tsem",
            "entropy",
            "lmoment",
            "rankdata",
            "mode",
            "iqr",
            "median_abs_deviation",
            "power_divergence",
            "chisquare",
        ]
        if hasattr(stats, name)
    },
    "trim_mean": (lambda x: stats.trim_mean(x, 0.1), (X,)),
    "boxcox_llf": (lambda x: stats.boxcox_llf(0.5, x), (POSITIVE,)),
    "pmean": (lambda x: stats.pmean(x, 2), (POSITIVE,)),
    "zmap": (stats.zmap, (X, X)),
    "ttest_1samp": (lambda x: stats.ttest_1samp(x, 0.1), (X,)),
    "ttest_ind": (stats.ttest_ind, (X, POSITIVE)),
    "ttest_rel": (stats.ttest_rel, (X, POSITIVE)),
    "pearsonr": (lambda x, y: stats.pearsonr(x, y, axis=0), (X, POSITIVE)),
    "spearmanr": (lambda x, y: stats.spearmanr(x, y), (V, V**2)),
    "bartlett": (stats.bartlett, (V[:90], V[90:])),
    "levene": (stats.levene, (V[:90], V[90:])),
    "kruskal": (stats.kruskal, (V[:90], V[90:])),
    "mannwhitneyu": (stats.mannwhitneyu, (V[:90], V[90:])),
    "wilcoxon": (lambda x: stats.wilcoxon(x, method="asymptotic"), (V,)),
    "f_oneway": (stats.f_oneway, (V[:90], V[90:])),
    "linregress": (stats.linregress, (V, V**2)),
    "combine_pvalues": (stats.combine_pvalues, (UNIT[:, 0],)),
    "false_discovery_control": (stats.false_discovery_control, (UNIT[:, 0],)),
    "quantile": (lambda x: stats.quantile(x, 0.3), (V,)),
    "monte_carlo": (lambda x: stats.ttest_1samp(x, 0.0).confidence_interval(), (V,)),
}
signal = scipy.signal
SIGNAL: dict[str, tuple[Call, tuple]] = {
    "convolve": (lambda x, h: signal.convolve(x, h), (V, V[:7])),
    "convolve fft": (lambda x, h: signal.convolve(x, h, method="fft"), (V, V[:70])),
    "fftconvolve": (signal.fftconvolve, (V, V[:7])),
    "oaconvolve": (signal.oaconvolve, (V, V[:7])),
    "correlate": (signal.correlate, (V, V[:9])),
    "hilbert": (signal.hilbert, (V,)),
    "detrend": (signal.detrend, (V,)),
    "welch": (lambda x: signal.welch(x, nperseg=64), (V,)),
    "periodogram": (signal.periodogram, (V,)),
    "csd": (lambda x, y: signal.csd(x, y, nperseg=64), (V, V**2)),
    "coherence": (lambda x, y: signal.coherence(x, y, nperseg=64), (V, V**2)),
    "spectrogram": (lambda x: signal.spectrogram(x, nperseg=64), (V,)),
    "stft": (lambda x: signal.stft(x, nperseg=64), (V,)),
    "resample": (lambda x: signal.resample(x, 77), (V,)),
    "resample_poly": (lambda x: signal.resample_poly(x, 3, 2), (V,)),
    "lfilter": (lambda x: signal.lfilter([1.0, 0.5], [1.0, -0.3], x), (V,)),
    "sosfilt": (lambda x: signal.sosfilt(signal.butter(2, 0.2, output="sos"), x), (V,)),
    "medfilt": (signal.medfilt, (V,)),
    "wiener": (signal.wiener, (V,)),
    "savgol_filter": (lambda x: signal.savgol_filter(x, 7, 2), (V,)),
    "decimate": (lambda x: signal.decimate(x, 2), (V,)),
    "zpk2tf": (lambda z: signal.zpk2tf(z, z * 0.5, 2.0), (V[:3],)),
    "bilinear": (lambda b, a: signal.bilinear(b, a), (POSITIVE[0, :3], POSITIVE[1, :3])),
}
OTHERS: dict[str, tuple[Call, tuple]] = {
    "cluster.vq.whiten": (scipy.cluster.vq.whiten, (X,)),
    "cluster.vq.vq": (scipy.cluster.vq.vq, (X, X[:4])),
    "cluster.vq.kmeans": (lambda x: scipy.cluster.vq.kmeans(x, x[:4]), (X,)),
    "cluster.hierarchy.linkage": (scipy.cluster.hierarchy.linkage, (X,)),
    "integrate.trapezoid": (scipy.integrate.trapezoid, (X,)),
    "integrate.simpson": (scipy.integrate.simpson, (X,)),
    "integrate.cumulative_trapezoid": (scipy.integrate.cumulative_trapezoid, (X,)),
    "ndimage.gaussian_filter": (lambda x: scipy.ndimage.gaussian_filter(x, 1.0), (X,)),
    "linalg.det": (scipy.linalg.det, (X[:5],)),
    "linalg.inv": (scipy.linalg.inv, (X[:5],)),
    "fft.fft": (scipy.fft.fft, (V,)),
    "fft.rfft2": (scipy.fft.rfft2, (X,)),
    "fft.fftshift": (scipy.fft.fftshift, (V,)),
    "fft.dct": (scipy.fft.dct, (V,)),
}


def fitted(estimator: Any, *methods: str, y: Any = None) -> tuple[Call, tuple]:
    """A call that fits an estimator and answers its methods' results."""

    def call(x: Any, *targets: Any) -> Any:
        model = sklearn.base.clone(estimator).fit(x, *targets)
        return tuple(getattr(model, method)(x) for method in methods)

    return call, (X,) if y is None else (X, y)


SKLEARN: dict[str, tuple[Call, tuple]] = {
    "PCA full": fitted(decomposition.PCA(3, svd_solver="full"), "transform"),
    "PCA covariance_eigh": fitted(decomposition.PCA(3, svd_solver="covariance_eigh"), "transform"),
    "PCA randomized": fitted(
        decomposition.PCA(2, svd_solver="randomized", power_iteration_normalizer="QR", random_state=0), "transform"
    ),
    "Ridge svd": fitted(linear_model.Ridge(solver="svd"), "predict", y=Y),
    "LinearDiscriminantAnalysis svd": fitted(
        discriminant_analysis.LinearDiscriminantAnalysis(solver="svd"), "predict", y=LABELS
    ),
    "GaussianNB": fitted(naive_bayes.GaussianNB(), "predict", y=LABELS),
    "StandardScaler": fitted(preprocessing.StandardScaler(), "transform"),
    "MinMaxScaler": fitted(preprocessing.MinMaxScaler(), "transform"),
    "MaxAbsScaler": fitted(preprocessing.MaxAbsScaler(), "transform"),
    "Normalizer": fitted(preprocessing.Normalizer(), "transform"),
    "KernelCenterer": (lambda x: preprocessing.KernelCenterer().fit_transform(x @ x.T), (X,)),
    "PolynomialFeatures": fitted(preprocessing.PolynomialFeatures(), "transform"),
    "LabelEncoder": (lambda y: preprocessing.LabelEncoder().fit_transform(y), (LABELS,)),
    "accuracy_score": (metrics.accuracy_score, (LABELS, LABELS[::-1].copy())),
    "zero_one_loss": (metrics.zero_one_loss, (LABELS, LABELS[::-1].copy())),
    "confusion_matrix": (metrics.confusion_matrix, (LABELS, LABELS[::-1].copy())),
    "f1_score": (lambda a, b: metrics.f1_score(a, b, average="macro"), (LABELS, LABELS[::-1].copy())),
    "r2_score": (metrics.r2_score, (Y, Y * 1.01)),
    "mean_squared_error": (metrics.mean_squared_error, (Y, Y * 1.01)),
    "mean_absolute_error": (metrics.mean_absolute_error, (Y, Y * 1.01)),
    "d2_tweedie_score": (metrics.d2_tweedie_score, (np.abs(Y), np.abs(Y) * 1.01)),
    "pairwise euclidean": (metrics.pairwise.euclidean_distances, (X,)),
    "pairwise cosine": (metrics.pairwise.cosine_similarity, (X,)),
    "pairwise rbf_kernel": (metrics.pairwise.rbf_kernel, (X,)),
    "pairwise linear_kernel": (metrics.pairwise.linear_kernel, (X,)),
    "pairwise chi2": (metrics.pairwise.additive_chi2_kernel, (POSITIVE,)),
    "train_test_split": (
        lambda x: tuple(model_selection.train_test_split(x, random_state=0)),
        (X,),
    ),
}


def main() -> int:
    sklearn.set_config(array_api_dispatch=True)
    for title, table in (
        ("scipy.special", SPECIAL),
        ("scipy.stats", STATS),
        ("scipy.signal", SIGNAL),
        ("SciPy, others", OTHERS),
        ("scikit-learn", SKLEARN),
    ):
        show(title, table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
