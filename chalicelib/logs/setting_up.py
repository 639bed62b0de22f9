"""Where log entries go. Other libraries speak from WARNING on only.

At DEBUG, botocore prints every request and answer, signatures and decrypted credentials included, so no level that
anybody sets for the whole process may reach it.
"""

from __future__ import annotations

import logging
import sys
from typing import Final

from chalicelib.logs.lines import JsonLines, PlainLines

OURS: Final = "graft"
TALKATIVE: Final = ("boto3", "botocore", "s3transfer", "urllib3", "asyncio")


def start_logging(*, stage: str | None, level: int, root: logging.Logger | None = None) -> None:
    """Have every entry formatted here. `stage`: that of the deployment; None: a terminal. Can be called again."""
    root = root or logging.getLogger()
    _silence_others(root)
    logging.getLogger(OURS).setLevel(level)
    theirs = [handler for handler in root.handlers if type(handler).__module__.startswith("awslambdaric")]
    for handler in [*root.handlers]:
        if isinstance(handler.formatter, (JsonLines, PlainLines)) and handler not in theirs:
            root.removeHandler(handler)
    if stage is None:
        _begin(root, logging.StreamHandler(sys.stderr), PlainLines())
    elif not theirs:
        _begin(root, logging.StreamHandler(sys.stdout), JsonLines(stage))
    else:
        for handler in theirs:
            _begin(root, handler, JsonLines(stage, end="\n"))


def _begin(root: logging.Logger, handler: logging.Handler, formatter: logging.Formatter) -> None:
    """Lambda's own handler is kept where there is one: it knows the invocation, and ends no line by itself."""
    handler.setFormatter(formatter)
    handler.addFilter(is_spoken)
    if handler not in root.handlers:
        root.addHandler(handler)


def _silence_others(root: logging.Logger) -> None:
    root.setLevel(logging.WARNING)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def is_spoken(record: logging.LogRecord) -> bool:
    """Whether an entry is written: ours by their level, others from WARNING on whatever their level says."""
    return record.name.partition(".")[0] == OURS or record.levelno >= logging.WARNING
