"""A count against its cap as a bar: up to the cap solid, beyond it hatched behind a mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chalicelib.model import Agent

WIDTH: Final = 200
_GAP: Final = 2
_STEP: Final = 8


@dataclass(frozen=True, slots=True)
class Bar:
    """In units of a drawing 200 wide and 8 high."""

    size: int
    cap: int
    fill: int
    over: int
    """Where the part over the cap begins; 0: there is none."""
    hatch: str
    """The path over that part."""


def bar(agent: Agent) -> Bar:
    size, cap = agent.set_size, agent.cap
    if size <= cap:
        return Bar(size, cap, max(1, round(WIDTH * size / cap)) if size else 0, 0, "")
    fill = max(_GAP, round(WIDTH * cap / size))
    begin = min(fill + _GAP, WIDTH - _GAP)
    hatch = "".join(f"M{x} 9l8-10" for x in range(begin, WIDTH, _STEP))
    return Bar(size, cap, fill, begin, hatch)


def over_cap(agent: Agent) -> str:
    """Why more than the cap are there, as a sentence; empty: there are not more."""
    over = agent.set_size - agent.cap
    if over <= 0:
        return ""
    unused = sum(used is None for used in agent.used.values())
    if unused == 0:
        return f"{over} over the cap. Every tool was called since its promotion, so the cap takes none."
    return f"{over} over the cap. The next sweep may take {min(over, unused)} that {_were(unused)} not called."


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
