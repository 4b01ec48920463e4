"""One line where a program waits long for the compiler of kernels, which says what spares it the wait."""

from __future__ import annotations

from devarray._runtime.settings import value_of

__all__ = ["note", "silence"]

LONG: float = value_of("DEVARRAY_COMPILER_NOTICE")  # seconds that are worth a line
_GAP = 0.1  # seconds between compilations that belong together: those of one call, or of first calls in a row
_RUN = {"seconds": 0.0, "first": 0, "until": 0.0}
_told = LONG == 0


def silence() -> None:
    """Log nothing from now on: for programs that tell of first calls themselves."""
    global _told
    _told = True


def note(begin: float, end: float, kernels: tuple[int, int], device: str, folder: str | None) -> None:
    """Count a caller's wait for a device's compiler, as numbers of kernels that were made before and after it; `folder`
    is the disk cache's, or None without one. Waits at the same time are one.

    A wait beyond `LONG` is logged once in a process.
    """
    global _told
    if begin - _RUN["until"] > _GAP:
        _RUN.update(seconds=0.0, first=kernels[0])
    _RUN["seconds"] += max(0.0, end - max(begin, _RUN["until"]))
    _RUN["until"] = end
    if _told or _RUN["seconds"] < LONG:
        return
    _told = True
    import logging

    kept = f"the next process finds them in {folder}" if folder else "DEVARRAY_CACHE_DIR names a folder to keep them in"
    logging.getLogger("devarray").warning(
        "first calls have waited %.1f s for the compiler of %s, which made %d kernels; %s. "
        "`python -m devarray warmup` makes common ones ahead of time, `python -m devarray warmup SCRIPT` those of a "
        "program, in a file that devarray.compiler.load_kernels takes",
        *(_RUN["seconds"], device, kernels[1] - _RUN["first"], kept),
    )
