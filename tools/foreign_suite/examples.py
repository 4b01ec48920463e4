"""The examples in NumPy's docstrings, run under NumPy and on device arrays, and compared.

An example is one statement or expression at a prompt. It is usable where it runs under NumPy, twice with one result.
What an expression gives is compared: values as `assert_allclose` does (by 1e-6, or 1e-3 for float32 and float16), with
shape and dtype; what is no array by its text. A statement must run. After a failure the rest of the docstring runs on.
"""

from __future__ import annotations

import contextlib
import doctest
import inspect
import io
import os
import re
import tempfile
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import standin

_PARSER = doctest.DocTestParser()
_NONE = object()


def documented() -> Iterator[tuple[str, str]]:
    """Names and docstrings of the functions and methods that both have."""
    import devarray as da

    for place, theirs, ours in (
        ("", np, da),
        ("linalg.", np.linalg, da.linalg),
        ("fft.", np.fft, da.fft),
        ("random.Generator.", np.random.Generator, da.random.Generator),
        ("random.", np.random, da.random),
        ("lib.stride_tricks.", np.lib.stride_tricks, da.lib.stride_tricks),
        ("ndarray.", np.ndarray, da.Array),
    ):
        for name in sorted(dir(theirs)):
            found = getattr(theirs, name)
            if (
                name.startswith("_")
                or isinstance(found, types.ModuleType)
                or getattr(ours, name, None) in (None, found)
            ):
                continue
            text = inspect.getdoc(found)
            if text and ">>>" in text:
                yield place + name, text


def _run(text: str, numpy: Any) -> list[tuple[Any, str, str]]:
    """Value, printed text and error of each example."""
    names: dict[str, Any] = {"np": numpy}
    found: list[tuple[Any, str, str]] = []
    for example in _PARSER.get_examples(text):
        value, printed, error = _NONE, io.StringIO(), ""
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                source = _led(example.source)
                try:
                    code = compile(source, "<example>", "eval")
                except SyntaxError:
                    exec(compile(source, "<example>", "exec"), names)
                else:
                    value = eval(code, names)
                    value = standin.to_host(value)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
        found.append((value, printed.getvalue(), error))
    return found


def _led(source: str) -> str:
    if "import" in source and "numpy" in source:
        from rewrite import rewritten

        return rewritten(source).replace("__foreign__", "__import__('standin')")
    return source


def _same(theirs: Any, ours: Any) -> bool:
    if theirs is _NONE or ours is _NONE:
        return theirs is ours
    if isinstance(theirs, np.ndarray | np.generic) or (
        isinstance(theirs, int | float | complex) and np.ndim(ours) == 0
    ):
        try:
            a, b = np.asarray(theirs), np.asarray(ours)
            if a.shape != b.shape or (a.dtype != b.dtype and isinstance(theirs, np.ndarray)):
                return False
            if a.dtype.kind in "fc":
                tolerance = 1e-3 if a.dtype.itemsize < 8 else 1e-6
                return bool(np.allclose(a, b, tolerance, tolerance, equal_nan=True))
            return bool((a == b).all())
        except Exception:
            return False
    if isinstance(theirs, list | tuple) and isinstance(ours, list | tuple):
        return len(theirs) == len(ours) and all(map(_same, theirs, ours))
    return _text(repr(theirs)) == _text(repr(ours))


def _text(text: str) -> str:
    text = re.sub(r"0x[0-9a-f]+|, device='[^']*'", "", text).replace("Array(", "array(")
    return " ".join(re.sub(r"\s*dtype=\w+", "", text).split())


def run_examples(only: list[str]) -> dict[str, Any]:
    """Counts and failures by name."""
    found: dict[str, Any] = {}
    for name, text in documented():
        if only and not any(word in name for word in only):
            continue
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            first, again = _run(text, np), _run(text, np)
            os.environ["FOREIGN_NAME"] = name
            ours = _run(text, standin.module("numpy"))
        row: dict[str, Any] = {"numpy": 0, "passed": 0, "failed": 0, "unusable": 0, "failures": []}
        sources = [example.source.strip() for example in _PARSER.get_examples(text)]
        for source, a, b, mine in zip(sources, first, again, ours, strict=True):
            if bool(a[2]) != bool(mine[2]) and (a[2] or b[2]) and "Traceback" not in text:
                row["unusable"] += 1
                continue
            if a[2] or b[2] or not _same(a[0], b[0]) or a[1] != b[1]:
                row["unusable"] += 1
                continue
            row["numpy"] += 1
            if not mine[2] and _same(a[0], mine[0]) and (not a[1] or _text(a[1]) == _text(mine[1])):
                row["passed"] += 1
                continue
            row["failed"] += 1
            what = mine[2] or f"differs: {_short(a)} became {_short(mine)}"
            row["failures"].append({"id": f"{name}: {source}", "error": what})
        found[f"numpy.{name}"] = row
    return found


def _short(result: tuple[Any, str, str]) -> str:
    return " ".join((result[1] if result[0] is _NONE else repr(result[0])).split())[:70]
