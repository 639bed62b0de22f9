"""What an agent may have fits into its rows: DynamoDB takes items up to 400 KB."""

from __future__ import annotations

from benchmarks.rows import ITEM_BYTES_MAX, SETS, rows_of
from chalicelib.model import PROMOTED_MAX, RUNS_IN_FLIGHT_MAX


def test_an_agent_with_all_that_it_may_have_fits_twice_over() -> None:
    assert SETS[-1] == (PROMOTED_MAX, RUNS_IN_FLIGHT_MAX)
    assert rows_of(PROMOTED_MAX, RUNS_IN_FLIGHT_MAX).largest * 2 < ITEM_BYTES_MAX
