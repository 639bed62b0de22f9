"""Counts the round trips to the table that follow one another: the longest chain of requests, not their number.

What the store does side by side is done here one after the other, and counts as long as its longest part. So the count
follows from what waits for what, and never from how the threads of a busy machine happened to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import get_ident
from typing import Any, cast

import pytest

from chalicelib.sandbox.pool import Sandbox
from chalicelib.sandbox.runner import Session
from chalicelib.services.deps import Deps


class RoundTrips:
    """`count`: the round trips so far. `marks`: what it was at each mark."""

    def __init__(self) -> None:
        self.count = 0
        self.marks: list[int] = []
        self._thread = get_ident()

    def watch(self, deps: Deps, patch: pytest.MonkeyPatch) -> Deps:
        """Count what these dependencies ask the table; a run of a module is marked where it starts and ends."""
        table = deps.store.table
        table.client.meta.events.register("before-call.dynamodb", self._asked)
        patch.setattr(table, "together", self._side_by_side)
        return replace(deps, sandbox=cast(Sandbox, _MarkingSandbox(deps.sandbox, self.mark)))

    def stop(self, deps: Deps) -> None:
        """Count no more. What was patched is the patcher's to put back."""
        deps.store.table.client.meta.events.unregister("before-call.dynamodb", self._asked)

    def mark(self) -> None:
        self.marks.append(self.count)

    def start(self) -> None:
        self.count, self.marks = 0, []

    def _asked(self, **_: Any) -> None:
        assert get_ident() == self._thread, "the table was asked side by side, but not by Table.together"
        self.count += 1

    def _side_by_side(self, *calls: Callable[[], Any]) -> tuple[Any, ...]:
        before = longest = self.count
        answers = []
        for call in calls:
            self.count = before
            answers.append(call())
            longest = max(longest, self.count)
        self.count = longest
        return tuple(answers)


@dataclass(frozen=True)
class _MarkingSandbox:
    sandbox: Sandbox
    mark: Callable[[], None]

    @contextmanager
    def session(self, *, timeout: float) -> Iterator[_MarkingSession]:
        with self.sandbox.session(timeout=timeout) as session:
            yield _MarkingSession(session, self.mark)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.sandbox, name)


@dataclass(frozen=True)
class _MarkingSession:
    session: Session
    mark: Callable[[], None]

    def run(self, *arguments: Any, **more: Any) -> Any:
        self.mark()
        try:
            return self.session.run(*arguments, **more)
        finally:
            self.mark()
