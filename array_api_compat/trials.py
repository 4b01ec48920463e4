"""What :mod:`programs` and :mod:`consumers` share: each call is made with NumPy's arrays and with devarray's."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import devarray as da

Call = Callable[..., Any]
Table = dict[str, tuple[Call, tuple]]


def to_host(value: Any) -> Any:
    if isinstance(value, da.Array):
        return value.copy_to_host()
    if isinstance(value, tuple | list):
        return [to_host(part) for part in value]
    return value


def arrays(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [x for part in value for x in arrays(part)]
    return [value]


def agree(ours: Any, wanted: Any) -> str:
    """Empty where results agree, else what is wrong."""
    ours, wanted = arrays(ours), arrays(wanted)
    if len(ours) != len(wanted):
        return f"{len(ours)} results instead of {len(wanted)}"
    for got, want in zip(ours, wanted, strict=True):
        if isinstance(want, np.ndarray) and not isinstance(got, da.Array):
            return f"a {type(got).__name__} instead of an Array"
        try:
            if not np.allclose(to_host(got), want, rtol=1e-6, atol=1e-8, equal_nan=True):
                return "other values"
        except TypeError:
            continue
    return ""


def trial(call: Call, inputs: tuple, fallback: str) -> str:
    """Empty where a call works, else why not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = call(*inputs)
        except Exception as error:
            return f"NumPy's arrays fail, too: {error}"
        da.config.fallback = fallback
        try:
            return agree(call(*(da.asarray(x) for x in inputs)), wanted)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-2]
            text = str(error).split("\n")[0]
            return f"{type(error).__name__}: {text[:100]} (from {os.path.basename(last.filename)}: {last.line})"
        finally:
            da.config.fallback = "warn"


def show(title: str, table: Table) -> None:
    """Print what works on the device, what through the host, and why the rest does not."""
    strict = {name: trial(*entry, "raise") for name, entry in table.items()}
    open_ = {name: trial(*entry, "allow") for name, entry in table.items() if strict[name]}
    good = [name for name, problem in strict.items() if not problem]
    more = [name for name, problem in open_.items() if not problem]
    bad = {name: problem for name, problem in open_.items() if problem}
    print(f"\n### {title}: {len(good)} of {len(table)} on the device, {len(more)} more through the host\n")
    print(f"On the device: {', '.join(good)}.\n")
    print(f"Through the host, with `fallback = 'allow'`: {', '.join(more)}.\n")
    if bad:
        print("| not | why |\n|---|---|")
        for name, problem in bad.items():
            print(f"| {name} | {problem.replace('|', '/')} |")
