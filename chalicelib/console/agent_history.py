"""The history card: a page of records, filtered by cause and tool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from chalicelib.model import Cause
from chalicelib.services.agent_view import AgentView, HistoryFilter, HistoryPlace

from .agent_rows import HistoryRow, history_row
from .causes import LABELS
from .paging import read_number
from .words import count

TOOL_MAX: Final = 60


@dataclass(frozen=True, slots=True)
class HistoryCard:
    rows: tuple[HistoryRow, ...]
    cause: str
    tool: str
    causes: tuple[tuple[str, str], ...]
    """(value, label) of each cause."""
    total: int
    """Records in all."""
    is_first: bool
    newer: str
    """The query of the first page under the same filter."""
    older: str
    """The query of the next page; empty: this is the last one."""

    @property
    def extent(self) -> str:
        """Which moves are shown, as words; empty: none. A record holds whatever moved together."""
        if not self.rows:
            return ""
        newest, oldest = self.rows[0].record, self.rows[-1].record
        records = f"record {newest}" if newest == oldest else f"records {newest} to {oldest}"
        return f"{count(len(self.rows), 'move')}, in {records} of {self.total}"

    @property
    def is_filtered(self) -> bool:
        return bool(self.cause or self.tool)


def read_filter(query: Mapping[str, str]) -> HistoryFilter:
    """What an address asks for; what it asks for in vain is left out."""
    before = read_number(query.get("before", ""))
    place = HistoryPlace(before, read_number(query.get("skip", ""))) if before else None
    return HistoryFilter(_cause(query), query.get("tool", "").strip()[:TOOL_MAX], place)


def history_card(view: AgentView, query: Mapping[str, str]) -> HistoryCard:
    wanted = read_filter(query)
    kept = {"cause": wanted.cause or "", "tool": wanted.tool}
    after = view.history.after
    return HistoryCard(
        rows=tuple(map(history_row, view.history.lines)),
        cause=wanted.cause or "",
        tool=wanted.tool,
        causes=tuple((cause.value, label) for cause, label in LABELS.items()),
        total=view.history.total,
        is_first=wanted.place is None,
        newer=_query(kept),
        older=_query(kept | {"before": str(after.before), "skip": str(after.skip)}) if after else "",
    )


def _cause(query: Mapping[str, str]) -> Cause | None:
    asked = query.get("cause", "")
    return next((cause for cause, label in LABELS.items() if asked in (cause.value, label)), None)


def _query(fields: Mapping[str, str]) -> str:
    return "?" + urlencode({name: value for name, value in fields.items() if value not in ("", "0")})
