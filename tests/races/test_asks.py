"""Asks raced: repeated, answered, spent, republished and revoked by many hands at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeAlias

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Answer, Ask, AskAnswer, AskState, ConnectionState
from chalicelib.services import answers, connections, requests
from chalicelib.services.answers import Answered, Ended
from chalicelib.services.asks import Waiting
from chalicelib.services.connections import NewConnection
from chalicelib.services.requests import Connected, WantedConnection
from chalicelib.services.sweep import run_sweep
from tests.races.arena import NO_FAULTS, LiveArena, StillArena
from tests.races.ask_invariants import approvals_of, check_asks
from tests.races.crew import Crew
from tests.races.faults import Interruption, Meanwhile
from tests.races.invariants import check_invariants
from tests.races.test_at_once import at_once
from tests.races.test_killed import REQUESTS_MAX, kill_at_every_step
from tests.races.test_processes import run_together
from tests.services.world import PERSON, WRITES, World

HANDS: Final = 10
TOOL: Final = "write"
GITHUB: Final = WantedConnection("github", "api.github.com", "bearer")
SAID: Final = [AskAnswer.ALLOWED, AskAnswer.ASK_EVERY_TIME, AskAnswer.DENIED]
Question: TypeAlias = Callable[[World], Any]


def set_the_scene(arena: LiveArena | StillArena) -> None:
    """A tool that writes, in the set of its publisher, with a connection."""
    arena.connect("c1")
    arena.clean.publish(TOOL, WRITES, connection_id="c1")


def call(world: World, text: str = "x") -> Any:
    return world.call(TOOL, text=text)


def request_connection(world: World) -> Any:
    return requests.request_connection(world.deps, world.caller(), GITHUB)


def request_credential(world: World) -> Any:
    connection = next(c for c in world.deps.store.grants.connections(PERSON) if c.vendor == "secret")
    return requests.request_credential(world.deps, world.caller(), connection.id, "it answers 401")


def answer(world: World, ask: Ask, said: AskAnswer) -> Answered:
    return answers.answer_tool(world.deps, ask, said)


def opened(arena: LiveArena | StillArena, question: Question = call) -> Ask:
    return arena.clean.asked(question(arena.clean))


def ask_now(arena: LiveArena | StillArena, ask: Ask) -> Ask:
    found = arena.clean.deps.store.asks.find(PERSON, ask.id)
    assert found is not None
    return found


def open_asks(arena: LiveArena | StillArena) -> list[Ask]:
    return [ask for ask in arena.clean.deps.store.asks.newest(PERSON) if ask.state is AskState.OPEN]


def granted(arena: LiveArena | StillArena) -> list[Answer]:
    return [approval.answer for approval, _ in approvals_of(arena.clean.deps, PERSON)]


def check(arena: LiveArena | StillArena) -> None:
    check_asks(arena.clean.deps, PERSON)
    check_invariants(arena.clean.deps, PERSON)


@pytest.mark.parametrize("question", [call, request_connection, request_credential])
def test_ten_repeats_at_once_make_one_ask(arena: LiveArena, question: Question) -> None:
    set_the_scene(arena)
    arena.clean.connect("secret")
    outcomes = at_once(*[partial(question, arena.hand()) for _ in range(HANDS)])
    waiting = {outcome.ask_id for outcome in outcomes if isinstance(outcome, Waiting)}
    assert len(waiting) == 1 or (arena.faulty and not waiting)
    assert all(isinstance(outcome, Waiting) or (arena.faulty and outcome is None) for outcome in outcomes)
    assert {ask.id for ask in open_asks(arena)} >= waiting
    assert len(arena.clean.deps.store.asks.newest(PERSON)) <= 1
    check(arena)


def test_ten_processes_that_repeat_a_call_make_one_ask(arena: LiveArena, crew: Crew) -> None:
    set_the_scene(arena)
    told = run_together(arena, crew, *[("asks", {"tool": TOOL, "times": 2})] * HANDS)
    assert len({ask_id for ids in told for ask_id in ids or ()}) == 1
    assert sum(len(ids or ()) for ids in told) == 2 * HANDS or arena.faulty
    assert len(open_asks(arena)) == 1
    check(arena)


@pytest.mark.parametrize("other", SAID)
def test_of_two_sessions_that_answer_at_once_one_holds_and_the_other_is_told(
    arena: LiveArena, other: AskAnswer
) -> None:
    set_the_scene(arena)
    ask = opened(arena)
    said = (AskAnswer.ALLOWED, other)
    told = at_once(*[partial(answer, arena.hand(), ask, each) for each in said])
    now = ask_now(arena, ask)
    held = [each for each, answered in zip(said, told, strict=True) if answered is not None and answered.ended is None]
    assert held == [now.answer] or (arena.faulty and not held)
    for answered in told:
        if answered is not None and answered.ended is not None:
            assert (answered.ended, answered.ask.answer) == (Ended.ANSWERED, now.answer)
    assert granted(arena) == ([Answer(now.answer.value)] if now.answer else [])
    check(arena)


def test_of_two_sessions_that_connect_at_once_one_makes_the_connection(arena: LiveArena) -> None:
    ask = opened(arena, request_connection)
    wanted = NewConnection("github", "api.github.com", "bearer", secret={"token": "s3cret"})
    told = at_once(*[partial(answers.connect, arena.hand().deps, ask, wanted) for _ in range(3)])
    made = [connection for answered, connection in filter(None, told) if connection is not None]
    stored = arena.clean.deps.store.grants.connections(PERSON)
    assert [c.id for c in made] == [c.id for c in stored] or (arena.faulty and len(made) < len(stored) + 1)
    assert len(stored) == (ask_now(arena, ask).state is AskState.ANSWERED)
    if stored:
        assert request_connection(arena.clean) == Connected(stored[0].id)
    check_asks(arena.clean.deps, PERSON)


def have_a_pass(arena: LiveArena) -> None:
    """The call of these tests was allowed, this once."""
    set_the_scene(arena)
    assert answer(arena.clean, opened(arena), AskAnswer.ASK_EVERY_TIME).ended is None


def test_one_allow_under_ask_every_time_runs_one_call_however_many_race_for_it(arena: LiveArena) -> None:
    have_a_pass(arena)
    outcomes = at_once(*[partial(call, arena.hand()) for _ in range(HANDS)])
    ran = [outcome for outcome in outcomes if isinstance(outcome, dict)]
    waiting = {outcome.ask_id for outcome in outcomes if isinstance(outcome, Waiting)}
    check_spent(arena, len(ran))
    assert len(waiting) == 1 or arena.faulty
    assert len(open_asks(arena)) <= 1


def test_one_allow_runs_one_call_of_many_processes(arena: LiveArena, crew: Crew) -> None:
    have_a_pass(arena)
    ran = run_together(arena, crew, *[("spends", {"tool": TOOL, "times": 2})] * 6)
    check_spent(arena, sum(each or 0 for each in ran))


def check_spent(arena: LiveArena, ran: int) -> None:
    """One pass, one run: it is on the ledger, and if the pass is left, none began."""
    begun = len(arena.clean.ledger()) + len(arena.facts().agent.runs)
    (approval,) = [approval for approval, _ in approvals_of(arena.clean.deps, PERSON)]
    assert begun == 1 - len(approval.passes)
    assert ran == 1 or (arena.faulty and ran <= begun <= 1)
    check(arena)


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
def test_republished_between_opening_and_allow_nothing_is_granted(still: StillArena) -> None:
    set_the_scene(still)
    ask = opened(still)
    hand, other = still.hand(faults=False), still.hand(faults=False)
    republish = Interruption(
        hand.deps.store.table.client,
        "TransactWriteItems",
        "approval#",
        lambda: other.publish(TOOL, WRITES + "# better\n", connection_id="c1"),
    )
    told = answer(hand, ask, AskAnswer.ALLOWED)
    assert republish.happened
    assert (told.ended, granted(still)) == (Ended.CHANGED, [])
    assert "version 2" in told.why
    assert isinstance(call(still.clean), Waiting)
    check(still)


def test_a_republish_and_an_allow_at_once_never_let_the_new_version_run(arena: LiveArena) -> None:
    set_the_scene(arena)
    ask = opened(arena)
    hand, author = arena.hand(), arena.hand()
    at_once(
        partial(answer, hand, ask, AskAnswer.ALLOWED),
        partial(author.publish, TOOL, WRITES + "# better\n", connection_id="c1"),
    )
    current = arena.clean.deps.store.toolbox.find_current(PERSON, f"demo__{TOOL}")
    assert current is not None
    assert isinstance(call(arena.clean), Waiting) or current.version == 1
    check(arena)


@pytest.mark.parametrize("said", SAID)
def test_of_a_revoke_and_an_answer_at_once_no_approval_and_no_open_ask_is_left(
    arena: LiveArena, said: AskAnswer
) -> None:
    set_the_scene(arena)
    asked = [opened(arena)]
    if said is AskAnswer.ASK_EVERY_TIME:
        answer(arena.clean, asked[0], said)
        asked = [opened(arena, partial(call, text=text)) for text in ("a", "b")]
    hands = [partial(answer, arena.hand(), ask, said) for ask in asked]
    repeats = [partial(answered_or_refused, arena.hand(), text) for text in ("x", "new")]
    at_once(*hands, *repeats, partial(connections.revoke, arena.hand().deps, PERSON, "c1"))
    end_the_revoke(arena)


def answered_or_refused(world: World, text: str) -> Any:
    """A call beside a revoke may be refused for it, or for a denial that came before."""
    try:
        return call(world, text)
    except Refusal as refusal:
        if refusal.reason in (Reason.CONNECTION_REVOKED, Reason.APPROVAL_DENIED):
            return refusal
        raise


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
@pytest.mark.parametrize("said", SAID)
def test_an_answer_between_any_two_writes_of_a_revoke_leaves_nothing_either(still: StillArena, said: AskAnswer) -> None:
    for at in range(1, REQUESTS_MAX):
        still.connect(f"c{at}")
        still.clean.publish(TOOL, WRITES, connection_id=f"c{at}")
        ask, hand = opened(still), still.hand()
        between = Meanwhile(hand.deps.store.table.client, at, partial(answer, still.clean, ask, said))
        connections.revoke(hand.deps, PERSON, f"c{at}")
        assert (granted(still), open_asks(still)) == ([], [])
        check(still)
        if not between.happened:
            return
    raise AssertionError("the revoke never came to its end")


@pytest.mark.parametrize("place", [NO_FAULTS], indirect=True)
def test_a_revoke_between_a_calls_reads_and_its_ask_leaves_none_open(still: StillArena) -> None:
    set_the_scene(still)
    hand = still.hand()
    revoke = partial(connections.revoke, still.clean.deps, PERSON, "c1")
    between = Interruption(hand.deps.store.table.client, "TransactWriteItems", "closes_at", revoke)
    with pytest.raises(Refusal, match="Repeat the call"):
        call(hand)
    assert between.happened
    with pytest.raises(Refusal) as refused:
        call(hand)
    assert (refused.value.reason, open_asks(still)) == (Reason.CONNECTION_REVOKED, [])


def end_the_revoke(arena: LiveArena) -> None:
    """Faults may have kept it from its end: the sweep, or whoever revokes again, goes on with it."""
    connections.revoke(arena.clean.deps, PERSON, "c1")
    (connection,) = arena.clean.deps.store.grants.connections(PERSON)
    assert connection.state is ConnectionState.REVOKED
    assert (granted(arena), open_asks(arena)) == ([], [])
    check(arena)


@pytest.mark.parametrize("said", SAID)
def test_a_killed_answer_is_whole_or_not_there(arena: LiveArena, crew: Crew, said: AskAnswer) -> None:
    set_the_scene(arena)
    asked: list[Ask] = []

    def ask_anew() -> None:
        for approval, _ in approvals_of(arena.clean.deps, PERSON):
            arena.clean.deps.store.grants.withdraw(arena.facts().agent, approval)
        asked[:] = [opened(arena)]
        order["ask_id"] = asked[0].id

    def check_both_or_none() -> None:
        now = ask_now(arena, asked[0])
        both = (AskState.ANSWERED, said, [Answer(said.value)])
        assert (now.state, now.answer, granted(arena)) in (both, (AskState.OPEN, None, []))
        check(arena)

    order: dict[str, Any] = {"answer": said.value}
    kills = kill_at_every_step(arena, crew, "answers", order, before=ask_anew, after=check_both_or_none)
    assert arena.faulty or kills >= 10


def test_a_killed_connect_makes_the_connection_and_answers_the_ask_or_neither(arena: LiveArena, crew: Crew) -> None:
    asked: list[Ask] = []

    def ask_anew() -> None:
        for connection in arena.clean.deps.store.grants.connections(PERSON):
            connections.revoke(arena.clean.deps, PERSON, connection.id)
        arena.clock.forward(minutes=11)
        asked[:] = [opened(arena, request_connection)]
        order["ask_id"] = asked[0].id

    def check_both_or_none() -> None:
        now = ask_now(arena, asked[0])
        live = [c.id for c in arena.clean.deps.store.grants.connections(PERSON) if c.state is ConnectionState.LIVE]
        assert (now.state, live) in ((AskState.OPEN, []), (AskState.ANSWERED, [now.connection_id]))
        check_asks(arena.clean.deps, PERSON)

    order: dict[str, Any] = {}
    kills = kill_at_every_step(arena, crew, "connects", order, before=ask_anew, after=check_both_or_none)
    assert arena.faulty or kills >= 4


def test_what_a_killed_revoke_leaves_the_sweep_takes_away(arena: LiveArena, crew: Crew) -> None:
    number = 0

    def connect_anew() -> None:
        nonlocal number
        number += 1
        order["connection_id"] = f"c{number}"
        arena.connect(f"c{number}")
        arena.clean.publish(TOOL, WRITES, connection_id=f"c{number}")
        assert answer(arena.clean, opened(arena), AskAnswer.ASK_EVERY_TIME).ended is None
        opened(arena, partial(call, text="another"))

    def sweep_up() -> None:
        run_sweep(arena.clean.deps)
        found = arena.clean.deps.store.grants.find_connection(PERSON, f"c{number}")
        assert found is not None
        if found.state is ConnectionState.LIVE:
            connections.revoke(arena.clean.deps, PERSON, found.id)
        assert (granted(arena), open_asks(arena)) == ([], [])
        check(arena)

    order: dict[str, Any] = {}
    kills = kill_at_every_step(arena, crew, "revokes", order, before=connect_anew, after=sweep_up)
    assert arena.faulty or kills >= 10
