"""Messages: the logger ``devarray``. DEVARRAY_DEBUG says of what; stderr shows them where no logging is set up.

Import this module where a message is made: most programs make none, and logging takes long to import.
"""

from __future__ import annotations

import logging
import sys
import threading
import traceback

__all__ = ["log"]

_logger = logging.getLogger("devarray")
_busy = threading.local()


class _Stderr(logging.Handler):
    """For programs that have set up no logging; silent once they have."""

    def emit(self, record: logging.LogRecord) -> None:
        if not logging.root.handlers:
            print(self.format(record), file=sys.stderr)


def log(level: int, text: str) -> None:
    """Log a message of a level of DEVARRAY_DEBUG: INFO for 1, DEBUG for those above.

    Examples
    --------
    >>> import logging
    >>> from devarray._runtime.logs import log
    >>> class Shout(logging.Handler):
    ...     def emit(self, record):
    ...         print(record.levelname, record.getMessage().upper())
    >>> logger, handler = logging.getLogger("devarray"), Shout()
    >>> logger.addHandler(handler)
    >>> log(2, "a message")
    DEBUG A MESSAGE
    >>> logger.removeHandler(handler)
    """
    if getattr(_busy, "now", False):  # a handler that computes does not log its own work
        return
    if _logger.level == logging.NOTSET:  # DEVARRAY_DEBUG asked for it, whatever the root logger lets through
        _logger.setLevel(logging.DEBUG)
    if not _logger.hasHandlers():
        handler = _Stderr()
        handler.setFormatter(logging.Formatter("devarray: %(message)s"))
        _logger.addHandler(handler)
    _busy.now = True
    try:
        _logger.log(logging.INFO if level == 1 else logging.DEBUG, "%s", text)
    except Exception:  # of a handler: the work goes on, as after a handler's own errors
        if logging.raiseExceptions:
            traceback.print_exc()
    finally:
        _busy.now = False
