"""Log entries as lines. Each is one line, whatever is in it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from chalicelib.logs.traces import redacted, trace_of
from chalicelib.services import trail

NAMESPACE: Final = "Graft"
DIMENSION: Final = "Stage"
EMPTY: Final[tuple[object, ...]] = ("", None, {})
TRACE_CHARACTERS_MAX: Final = 16_000
"""CloudWatch takes 256 KiB a line."""


_encoder = json.JSONEncoder(separators=(",", ":"), default=str)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What an entry says: an event's own fields, or a message; its request; the trace of its exception."""
    event: Mapping[str, Any] | None = getattr(record, "fields", None)
    said: dict[str, Any] = {"event": record.msg} if event is not None else _message(record)
    said["requestId"] = trail.current().request_id
    said["invocation"] = getattr(record, "aws_request_id", "")
    said |= event or {}
    if record.exc_info and record.exc_info[1] is not None:
        said["trace"] = trace_of(record.exc_info[1])[-TRACE_CHARACTERS_MAX:]
    return {name: value for name, value in said.items() if value not in EMPTY}


def _message(record: logging.LogRecord) -> dict[str, Any]:
    return {"logger": record.name, "message": redacted(record.getMessage())}


def counts_of(record: logging.LogRecord) -> dict[str, float]:
    """The metrics of an entry. Every error counts, so that none is overlooked because of where it was met."""
    counts: Mapping[str, float] = getattr(record, "counts", {})
    return {trail.ERRORS: 1, **counts} if record.levelno >= logging.ERROR else dict(counts)


class JsonLines(logging.Formatter):
    """For CloudWatch: Logs Insights reads the fields, and metrics are taken out of lines that carry `_aws`."""

    def __init__(self, stage: str, *, end: str = "") -> None:
        super().__init__()
        self._stage = stage
        self._end = end

    def format(self, record: logging.LogRecord) -> str:
        line = {"time": iso(record), "level": record.levelname} | fields_of(record)
        counts = counts_of(record)
        if counts:
            line |= {"_aws": _directive(record, counts), DIMENSION: self._stage} | counts
        return _encoder.encode(line) + self._end


def _directive(record: logging.LogRecord, counts: Mapping[str, float]) -> dict[str, Any]:
    """Embedded metric format. One dimension, the stage: a metric's price is per value of its dimensions."""
    metrics = [{"Name": name, "Unit": "Seconds" if name.endswith("Seconds") else "Count"} for name in counts]
    directive = {"Namespace": NAMESPACE, "Dimensions": [[DIMENSION]], "Metrics": metrics}
    return {"Timestamp": int(record.created * 1000), "CloudWatchMetrics": [directive]}


class PlainLines(logging.Formatter):
    """For a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        said = fields_of(record)
        head = " ".join((iso(record), record.levelname, said.pop("event", "") or said.pop("message", "")))
        trace = said.pop("trace", "")
        words = [head, *(f"{name}={value}" for name, value in said.items() if name != "logger")]
        return " ".join(words).replace("\n", "\\n") + (f"\n{trace}" if trace else "")


def iso(record: logging.LogRecord) -> str:
    """UTC, to the millisecond."""
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"
