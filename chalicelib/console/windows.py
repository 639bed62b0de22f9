"""As many lines of a long text as a page has room for, and where the others are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Window(Generic[L]):
    lines: tuple[L, ...]
    start: int
    """How many lines stand before these."""
    total: int

    @property
    def end(self) -> int:
        return self.start + len(self.lines)

    @property
    def is_whole(self) -> bool:
        return len(self.lines) == self.total


def window(lines: Sequence[L], start: int, room: int, weigh: Callable[[L], int]) -> Window[L]:
    """From line `start` on (from 0; one that is too high is 0), one at least. `room` and `weigh` in bytes."""
    start = start if start < len(lines) else 0
    end = start
    while end < len(lines) and (room := room - weigh(lines[end])) >= 0:
        end += 1
    return Window(tuple(lines[start : max(end, start + 1)]), start, len(lines))
