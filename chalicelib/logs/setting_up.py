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
    for handler in list(root.handlers):
        if isinstance(handler.formatter, (JsonLines, PlainLines)):
            root.removeHandler(handler)
    for handler in _handlers(root, stage):
        handler.setFormatter(PlainLines() if stage is None else JsonLines(stage))
        handler.addFilter(is_spoken)


def _handlers(root: logging.Logger, stage: str | None) -> list[logging.Handler]:
    """Lambda's own handler where there is one: it frames each entry and knows the invocation."""
    theirs = [handler for handler in root.handlers if type(handler).__module__.startswith("awslambdaric")]
    if theirs and stage is not None:
        return theirs
    ours = logging.StreamHandler(sys.stderr if stage is None else sys.stdout)
    root.addHandler(ours)
    return [ours]


def _silence_others(root: logging.Logger) -> None:
    root.setLevel(logging.WARNING)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


def is_spoken(record: logging.LogRecord) -> bool:
    """Whether an entry is written: ours by their level, others from WARNING on whatever their level says."""
    return record.name.partition(".")[0] == OURS or record.levelno >= logging.WARNING
