"""Log records as handlers get them."""

from __future__ import annotations

import logging
import sys
from typing import Any


def an_entry(message: str = "x", *, name: str = "graft", level: int = logging.INFO, **extra: Any) -> logging.LogRecord:
    record = logging.LogRecord(name, level, __file__, 1, message, None, None)
    record.__dict__.update(extra)
    return record


def caught(error: BaseException) -> BaseException:
    """The exception as it is once it was raised."""
    try:
        raise error
    except BaseException as raised:
        return raised


def a_failure(error: BaseException, *, name: str = "graft") -> logging.LogRecord:
    record = an_entry("it failed", name=name, level=logging.ERROR)
    try:
        raise error
    except BaseException:
        record.exc_info = sys.exc_info()
    return record
