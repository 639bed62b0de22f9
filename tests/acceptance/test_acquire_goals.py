"""The evaluation of `acquire`, with its scripted model: each mistake comes back in words, and each goal is solved."""

from __future__ import annotations

import pytest

from benchmarks import acquire


def test_the_loop_brings_all_ten_goals_to_a_tool_that_does_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in acquire.HANDED:
        monkeypatch.delenv(name, raising=False)
    assert acquire.main() == 0
