"""What fits into one answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

ANSWER_BYTES_MAX: Final = 256 * 1024
SHOWN: Final = 400
"""Characters of each text that a report keeps once it is too large."""


def decide_passed(reads: Sequence[Mapping[str, Any]], previews: Sequence[Any], *, raised: bool) -> bool:
    """Whether a dry run passed: no read answered 400 or more, and nothing was raised before the first stopped call.

    After a stopped call the module works with a stand-in, so what it raises then says nothing.
    """
    return not (raised and not previews) and all(read["status"] < 400 for read in reads)


def fit_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """A dry run's report within 256 KiB of JSON. Too large, it keeps every call and shortens long texts.

    The result, which the tool would have answered, gives way last.
    """
    if _size(report) <= ANSWER_BYTES_MAX:
        return dict(report)
    note = "The report was too large: long texts are cut. Try the tool with an input that does less."
    shortened = {
        **report,
        "reads": [_shortened(read) for read in report["reads"]],
        "previews": [_shortened(preview) for preview in report["previews"]],
        "note": note,
    }
    if "result" in report and _size(shortened) > ANSWER_BYTES_MAX:
        head = json.dumps(report["result"])[:SHOWN]
        shortened["result"] = {"truncated": True, "head": head, "note": note}
    return shortened


def _shortened(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _cut(value) if isinstance(value, str) else value for key, value in entry.items()}


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text) - SHOWN} more characters)"


def _size(value: Any) -> int:
    return len(json.dumps(value))
