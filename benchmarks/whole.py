"""Whole programs, written as users write NumPy: what benchmarks/programs.py times.

A program gets a namespace of NumPy's functions and its arrays. It writes to none of its arguments, so that compilers
take it as it is, and returns an array or a tuple of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import whole_fields as fields
import whole_tables as tables

__all__ = ["PROGRAMS", "Program"]

Inputs = Callable[[int, np.random.Generator], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Program:
    """One program.

    Attributes
    ----------
    name : str
    body : callable
        (namespace, **arrays) to an array or a tuple of arrays.
    inputs : callable
        (size, generator) to named host arrays.
    cpu, gpu, small : int
        Sizes on CPUs, on GPUs, and for the check of results.
    rtol : float
        How far results may lie apart, by the largest absolute value of NumPy's.
    steps : int
        How often the program passes over its arrays at least: the limit is `steps` times the bytes of what goes in and
        comes out.
    """

    name: str
    body: Callable[..., Any]
    inputs: Inputs
    cpu: int
    gpu: int
    small: int
    rtol: float = 1e-4
    steps: int = 1


def _square(*names: str, dtype: str = "float32") -> Inputs:
    return lambda n, rng: {name: rng.standard_normal((n, n)).astype(dtype) for name in names}


def _line(*names: str, dtype: str = "float32") -> Inputs:
    return lambda n, rng: {name: rng.standard_normal(n).astype(dtype) for name in names}


PROGRAMS = (
    Program("heat equation by slices", fields.heat, _square("u"), 1024, 4096, 64, steps=20),
    Program("game of life by rolls", fields.life, fields.cells, 512, 2048, 64, steps=50),
    Program("gray-scott reaction by rolls", fields.gray_scott, fields.chemicals, 512, 2048, 64, steps=20),
    Program("lattice boltzmann d2q9", fields.boltzmann, fields.lattice, 256, 1024, 32, steps=10),
    Program("wave equation in place", fields.wave, _square("u", "v"), 1024, 4096, 64, steps=20),
    Program("mandelbrot by where", fields.mandelbrot, fields.plane, 512, 1024, 64, rtol=1e-2),
    Program("image pipeline", fields.image, fields.picture, 512, 2048, 64),
    Program("fft filter", fields.fft_filter, fields.waves, 512, 4096, 64),
    Program("lorenz systems by rk4", tables.lorenz, tables.systems, 100_000, 1_000_000, 100),
    Program("n-body, sums over an axis of 3", tables.n_body, tables.bodies, 512, 4096, 64, steps=10),
    Program("equation of state", tables.density, tables.sea_water, 100_000, 4_000_000, 500, rtol=1e-9),
    Program("black-scholes", tables.black_scholes, tables.options, 1_000_000, 1 << 25, 1000),
    Program("k-means", tables.k_means, tables.points, 50_000, 1_000_000, 500, steps=10),
    Program("logistic regression", tables.logistic, tables.samples, 20_000, 1_000_000, 500, steps=20),
    Program("attention", tables.attention, tables.heads, 256, 1024, 32),
    Program("layer norm and gelu", tables.layer_norm, tables.activations, 1024, 8192, 32),
    Program("adam, 40 parameters", tables.adam, tables.parameters, 10_000, 1_000_000, 50),
    Program("page rank", tables.page_rank, tables.links, 1000, 8192, 100, steps=20),
    Program("monte carlo of a barrier option", tables.barrier, tables.paths, 20_000, 1_000_000, 100),
    Program("pca by power iterations", tables.pca, tables.samples, 20_000, 1_000_000, 500, rtol=1e-3, steps=21),
    Program("rolling statistics", tables.rolling, _line("x", dtype="float64"), 1_000_000, 1 << 24, 1000),
    Program("hashing", tables.hashing, tables.keys, 1_000_000, 1 << 25, 1000),
    Program("masks and clipping", tables.masks, _line("x", "y"), 1_000_000, 1 << 25, 1000),
    Program("pairwise distances, nearest", tables.nearest, tables.two_sets, 1024, 8192, 64),
)
