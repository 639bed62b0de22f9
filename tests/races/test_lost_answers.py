"""One answer of DynamoDB is lost after its write took effect: whoever asked is told the same as ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.model import AskAnswer
from chalicelib.services import answers
from chalicelib.services.asks import Waiting
from chalicelib.services.sweep import Outcome, run_sweep
from tests.races.arena import NEVER_USED_AGAIN, NO_FAULTS, LiveArena
from tests.races.ask_invariants import check_asks
from tests.races.faults import LostAnswer
from tests.races.invariants import check_invariants
from tests.services.world import PERSON, WRITES, World

WRITES_MAX: Final = 10


def sweep(world: World) -> list[Outcome]:
    return [visit.outcome for visit in run_sweep(world.deps, rule_now=world.clock() + NEVER_USED_AGAIN).visits]


def allow(world: World) -> bool:
    """Whether the answer to the ask that this call opens holds, and the call runs then."""
    ask = world.asked(world.call("writes"))
    held = answers.answer_tool(world.deps, ask, AskAnswer.ASK_EVERY_TIME).ended is None
    return held and world.call("writes") == {"echo": {}}


ACTS: Final[dict[str, tuple[Callable[[World], Any], Any]]] = {
    "a call": (lambda world: world.call("a"), {"echo": {}}),
    "a dry run": (lambda world: world.call("a", dry_run=True)["result"], {"echo": {}}),
    "a promotion": (lambda world: world.promote("shelved").changed, True),
    "a demotion": (lambda world: world.demote("a").changed, True),
    "a publish": (lambda world: world.publish("new").membership.changed, True),
    "a republish": (lambda world: world.publish("a").tool.version, 2),
    "a sweep": (sweep, [Outcome.DEMOTED]),
    "an ask": (lambda world: isinstance(world.call("writes"), Waiting), True),
    "an answer": (allow, True),
}


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
@pytest.mark.parametrize("name", ACTS)
def test_every_single_answer_may_be_lost(arena: LiveArena, name: str) -> None:
    act, expected = ACTS[name]
    for at in range(1, WRITES_MAX):
        table = arena.another()
        table.shelve("shelved")
        table.stock("a", "b")
        table.clean.publish("writes", WRITES)
        hand = table.hand()
        lost = LostAnswer(hand.deps.store.table.client, at)
        assert act(hand) == expected
        check_invariants(table.clean.deps, PERSON)
        check_asks(table.clean.deps, PERSON)
        assert table.facts().agent.runs == {}
        if not lost.happened:
            return
    raise AssertionError("the act never came to its end")
