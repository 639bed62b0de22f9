"""What escapes a handler is printed by the Lambda runtime, text and all. This says it first, and better."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

log = logging.getLogger("graft")


class Failed(Exception):
    """The invocation failed; the log id leads to the trace."""


@contextmanager
def failing_plainly(what: str) -> Iterator[None]:
    """Let the invocation fail, which counts as a Lambda error, without the text of whatever went wrong."""
    try:
        yield
    except Exception as error:
        log_id = os.urandom(6).hex()
        log.error("%s failed, log id %s", what, log_id, exc_info=error)
        raise Failed(f"log id {log_id}") from None
