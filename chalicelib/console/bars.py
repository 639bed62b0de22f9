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
    """How much there is, and the drawing of it, in units of 200 wide and 8 high."""

    listed: int
    """How many tools its list shows."""
    cap: int
    withheld: int
    """How many are in the set beside them."""
    fill: int
    over: int
    """Where the part over the cap begins; 0: there is none."""
    hatch: str
    """The path over that part."""


def bar(agent: Agent, withheld: int) -> Bar:
    """`withheld`: tools of the set that the list leaves out. The cap counts them, so the drawing does."""
    size, cap, listed = agent.set_size, agent.cap, agent.set_size - withheld
    if size <= cap:
        return Bar(listed, cap, withheld, max(1, round(WIDTH * size / cap)) if size else 0, 0, "")
    fill = max(_GAP, round(WIDTH * cap / size))
    begin = min(fill + _GAP, WIDTH - _GAP)
    hatch = "".join(f"M{x} 9l8-10" for x in range(begin, WIDTH, _STEP))
    return Bar(listed, cap, withheld, fill, begin, hatch)


def over_cap(agent: Agent, withheld: int) -> str:
    """Why more than the cap are there, as a sentence; empty: there are not more."""
    over = agent.set_size - agent.cap
    if over <= 0:
        return ""
    unused = sum(used is None for used in agent.used.values())
    over_it = f"{over} over the cap{', with what is withheld' if withheld else ''}."
    if unused == 0:
        return f"{over_it} Every tool was called since its promotion, so the cap takes none."
    return f"{over_it} The next sweep may take {min(over, unused)} that {_were(unused)} not called."


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
