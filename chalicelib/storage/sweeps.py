"""The row that keeps the last sweep's report, for the console."""

from __future__ import annotations

from chalicelib.model import SweepReport
from chalicelib.storage import items
from chalicelib.storage.table import Table, put


class SweepRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def keep_report(self, report: SweepReport) -> None:
        """The newest report wins; ticks that overlap may finish in any order."""
        row = items.sweep_report_item(report)
        self._table.write(
            put(row, condition="attribute_not_exists(#pk) OR #at <= :at", values={":at": items.moment(report.at)})
        )

    def find_report(self) -> SweepReport | None:
        item = self._table.get(items.SWEEP_REPORT_KEY)
        return items.to_sweep_report(item) if item else None
