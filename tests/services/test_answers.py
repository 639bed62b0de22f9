"""What a person's answer to a tool's ask grants, and what it does not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Approval, Ask, AskAnswer, AskState
from chalicelib.services import agents, answers, approvals, connections
from chalicelib.services.answers import Answered, Ended
from chalicelib.services.asks import Waiting
from tests.services.world import DELETES, PERSON, WRITES, World


@pytest.fixture
def writing(world: World) -> World:
    """A tool that writes, promoted for the demo agent, whose call asks."""
    world.connect()
    world.publish("create-note", WRITES)
    return world


def call(world: World, text: str = "x", *, by: str = "demo") -> object:
    """The text of the note that was made, or a `Waiting`."""
    outcome = world.call("create-note", by=by, text=text)
    return outcome if isinstance(outcome, Waiting) else outcome["text"]


def answer(world: World, ask: Ask, said: AskAnswer, *, reason: str = "") -> Answered:
    return answers.answer_tool(world.deps, ask, said, reason=reason)


def open_ask(world: World, text: str = "x") -> Ask:
    return world.asked(call(world, text))


def test_ten_repeats_of_a_waiting_call_make_one_ask(writing: World) -> None:
    outcomes = [call(writing) for _ in range(10)]
    assert all(isinstance(outcome, Waiting) for outcome in outcomes)
    assert len({outcome.ask_id for outcome in outcomes if isinstance(outcome, Waiting)}) == 1
    assert len(writing.deps.store.asks.newest(PERSON)) == 1


def test_the_link_is_a_pointer_of_at_most_twelve_letters_and_digits(writing: World) -> None:
    waiting = call(writing)
    assert isinstance(waiting, Waiting)
    base, _, code = waiting.url.rpartition("/a/")
    assert base == writing.deps.settings.public_base_url
    assert code.isalnum()
    assert len(code) <= 12
    assert waiting.url in waiting.message


def test_an_allowed_tool_runs_and_never_asks_again_also_after_demote_and_promote(writing: World) -> None:
    """Report: openai/codex#16911"""
    assert answer(writing, open_ask(writing), AskAnswer.ALLOWED).ended is None
    for at in range(5):
        assert call(writing, f"note {at}") == f"note {at}"
    writing.demote("create-note")
    writing.promote("create-note")
    assert call(writing, "again") == "again"
    assert len(writing.deps.store.asks.newest(PERSON)) == 1


def test_a_new_version_of_a_tool_that_writes_asks_once_again(writing: World) -> None:
    answer(writing, open_ask(writing), AskAnswer.ALLOWED)
    writing.publish("create-note", WRITES + "# better\n")
    second = open_ask(writing)
    assert answer(writing, second, AskAnswer.ALLOWED).ended is None
    assert call(writing) == "x"


def test_an_answer_about_no_connection_grants_nothing_once_the_call_would_use_one(world: World) -> None:
    world.publish("create-note", WRITES)
    ask = open_ask(world)
    made = world.connect()
    answered = answer(world, ask, AskAnswer.ALLOWED)
    assert (answered.ended, answered.why.partition(" now")[0]) == (Ended.CHANGED, "It would use another connection")
    anew = open_ask(world)
    assert anew.pointer.connection_id == made.id
    assert answer(world, anew, AskAnswer.ALLOWED).ended is None
    assert call(world) == "x"


def test_an_answer_grants_nothing_once_its_connection_is_out_of_the_agents_scope(writing: World) -> None:
    ask = open_ask(writing)
    agent = writing.caller().agent
    agents.edit_scope(writing.deps, PERSON, agent.id, frozenset())
    assert answer(writing, ask, AskAnswer.ALLOWED).ended is Ended.CHANGED
    assert writing.deps.store.grants.all_approvals(agent) == []
    assert answer(writing, ask, AskAnswer.DENIED).ended is None


def test_an_answer_grants_nothing_once_the_call_would_be_refused_as_ambiguous(world: World) -> None:
    world.publish("create-note", WRITES)
    world.connect()
    ask = open_ask(world)
    world.connect()
    assert answer(world, ask, AskAnswer.ALLOWED).ended is Ended.CHANGED


def test_a_denial_is_refused_with_its_reason_for_every_version_until_it_is_withdrawn(writing: World) -> None:
    ask = open_ask(writing)
    answer(writing, ask, AskAnswer.DENIED, reason="  use the other account  ")
    for _ in range(2):
        with pytest.raises(Refusal) as refused:
            call(writing)
        assert refused.value.reason is Reason.APPROVAL_DENIED
        assert "use the other account" in refused.value.message
        writing.publish("create-note", WRITES + "# again\n")
    agent = writing.caller().agent
    bound = writing.deps.store.grants.all_approvals(agent)[0].connection_id
    assert approvals.withdraw(writing.deps, PERSON, agent.id, "demo__create-note", bound)
    assert isinstance(call(writing), Waiting)


def test_a_denied_tools_dry_run_is_refused(writing: World) -> None:
    answer(writing, open_ask(writing), AskAnswer.DENIED)
    with pytest.raises(Refusal) as refused:
        writing.call("create-note", dry_run=True, text="x")
    assert refused.value.reason is Reason.APPROVAL_DENIED


def test_under_ask_every_time_each_allow_runs_exactly_the_call_that_was_shown_once(writing: World) -> None:
    answer(writing, open_ask(writing, "first"), AskAnswer.ASK_EVERY_TIME)
    assert isinstance(call(writing, "another"), Waiting)
    assert call(writing, "first") == "first"
    again = call(writing, "first")
    assert isinstance(again, Waiting)
    assert answer(writing, writing.asked(again), AskAnswer.ASK_EVERY_TIME).ended is None
    assert call(writing, "first") == "first"
    assert isinstance(call(writing, "first"), Waiting)


def test_two_passes_wait_side_by_side_and_neither_is_lost(writing: World) -> None:
    answer(writing, open_ask(writing, "zero"), AskAnswer.ASK_EVERY_TIME)
    one, two = open_ask(writing, "one"), open_ask(writing, "two")
    assert one.id != two.id
    answer(writing, one, AskAnswer.ASK_EVERY_TIME)
    answer(writing, two, AskAnswer.ASK_EVERY_TIME)
    assert [call(writing, text) for text in ("two", "one", "zero")] == ["two", "one", "zero"]


def test_a_pass_ends_a_day_after_it_was_given(writing: World) -> None:
    answer(writing, open_ask(writing), AskAnswer.ASK_EVERY_TIME)
    writing.clock.forward(hours=24)
    assert isinstance(call(writing), Waiting)


def test_a_pass_is_for_one_version(writing: World) -> None:
    answer(writing, open_ask(writing), AskAnswer.ASK_EVERY_TIME)
    writing.publish("create-note", WRITES + "# better\n")
    assert isinstance(call(writing), Waiting)


def test_allow_under_ask_every_time_ends_the_asking(writing: World) -> None:
    answer(writing, open_ask(writing, "a"), AskAnswer.ASK_EVERY_TIME)
    answer(writing, open_ask(writing, "b"), AskAnswer.ALLOWED)
    assert call(writing, "anything") == "anything"


def test_an_ask_is_answered_once_and_the_second_is_told_what_holds(writing: World) -> None:
    ask = open_ask(writing)
    assert answer(writing, ask, AskAnswer.DENIED).ended is None
    late = answer(writing, ask, AskAnswer.ALLOWED)
    assert late.ended is Ended.ANSWERED
    assert late.ask.answer is AskAnswer.DENIED
    with pytest.raises(Refusal):
        call(writing)


def test_an_ask_is_open_for_a_day_and_the_next_call_asks_afresh(writing: World) -> None:
    ask = open_ask(writing)
    writing.clock.forward(hours=24)
    assert answer(writing, ask, AskAnswer.ALLOWED).ended is Ended.EXPIRED
    assert open_ask(writing).id != ask.id


def test_an_ask_republished_between_opening_and_allow_grants_nothing(writing: World) -> None:
    ask = open_ask(writing)
    writing.publish("create-note", DELETES)
    late = answer(writing, ask, AskAnswer.ALLOWED)
    assert late.ended is Ended.CHANGED
    assert "version 2" in late.why
    assert isinstance(writing.call("create-note", text="x"), Waiting)
    assert answer(writing, ask, AskAnswer.DENIED).ended is None


def test_hosts_that_changed_since_the_ask_grant_nothing(writing: World) -> None:
    ask = open_ask(writing)
    (mine,) = writing.deps.store.grants.connections(PERSON)
    wanted = connections.NewConnection(
        "demo", mine.primary_host, "bearer", hosts=("evil.example",), secret={"token": "t"}
    )
    connections.replace_connection(writing.deps, mine, wanted)
    late = answer(writing, ask, AskAnswer.ALLOWED)
    assert late.ended is Ended.CHANGED
    assert "evil.example" in late.why


def test_a_revoke_closes_the_open_ask_and_withdraws_the_answer(writing: World) -> None:
    answer(writing, open_ask(writing, "a"), AskAnswer.ASK_EVERY_TIME)
    ask = open_ask(writing, "b")
    (mine,) = writing.deps.store.grants.connections(PERSON)
    connections.revoke(writing.deps, PERSON, mine.id)
    late = answer(writing, ask, AskAnswer.ALLOWED)
    assert late.ended is Ended.CLOSED
    assert late.ask.state is AskState.CLOSED
    assert writing.deps.store.grants.all_approvals(writing.caller().agent) == []


def test_another_agent_and_another_session_have_their_own_ask_and_the_same(writing: World) -> None:
    """Report: librefang/librefang#5600"""
    writing.agent("laptop")
    first = open_ask(writing)
    again = writing.call("create-note", text="x")
    theirs = call(writing, by="laptop")
    assert writing.asked(again).id == first.id
    assert writing.asked(theirs).id != first.id
    answer(writing, first, AskAnswer.ALLOWED)
    assert isinstance(call(writing, by="laptop"), Waiting)


def test_make_approve_answers_the_ask_that_waits(writing: World) -> None:
    ask = open_ask(writing)
    approvals.allow(writing.deps, PERSON, "demo", "demo__create-note")
    found = writing.deps.store.asks.find(PERSON, ask.id)
    assert found is not None
    assert (found.state, found.answer) == (AskState.ANSWERED, AskAnswer.ALLOWED)
    assert call(writing) == "x"


def test_make_approve_grants_nothing_through_a_connection_revoked_at_that_moment(
    writing: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (mine,) = writing.deps.store.grants.connections(PERSON)
    find = writing.deps.store.find_approval

    def revoked_meanwhile(*asked: Any) -> Approval | None:
        connections.revoke(writing.deps, PERSON, mine.id)
        return find(*asked)

    monkeypatch.setattr(writing.deps.store, "find_approval", revoked_meanwhile)
    with pytest.raises(Refusal, match="changed at this moment"):
        approvals.allow(writing.deps, PERSON, "demo", "demo__create-note")
    assert writing.deps.store.grants.all_approvals(writing.caller().agent) == []


def test_withdrawing_what_no_name_can_be_forgets_nothing(writing: World) -> None:
    answer(writing, open_ask(writing), AskAnswer.ALLOWED)
    agent = writing.caller().agent
    assert not approvals.withdraw(writing.deps, PERSON, agent.id, "x" * 5_000, "y" * 5_000)
    assert call(writing) == "x"


def test_an_input_too_long_to_be_shown_whole_is_refused(writing: World) -> None:
    with pytest.raises(Refusal) as refused:
        call(writing, "x" * 100_000)
    assert refused.value.reason is Reason.INPUT_INVALID
    assert writing.deps.store.asks.newest(PERSON) == []


def test_another_person_finds_no_ask_behind_the_code(writing: World) -> None:
    ask = open_ask(writing)
    assert writing.deps.store.asks.find_by_code("p2", ask.code) is None
    assert writing.deps.store.asks.find_by_code(PERSON, ask.code) == ask
    assert writing.deps.store.asks.find_by_code(PERSON, "nosuchcode") is None


def test_asks_are_found_newest_first_page_by_page(writing: World) -> None:
    answer(writing, open_ask(writing, "0"), AskAnswer.ASK_EVERY_TIME)
    writing.clock.forward(seconds=1)
    asked = []
    for text in ("a", "b", "c"):
        asked.append(open_ask(writing, text))
        writing.clock.forward(seconds=1)
    newest = writing.deps.store.asks.newest(PERSON, limit=2)
    assert [ask.id for ask in newest] == [asked[2].id, asked[1].id]
    rest = writing.deps.store.asks.newest(PERSON, before=newest[-1].id, limit=2)
    assert rest[0].id == asked[0].id


def test_revoking_an_agent_ends_its_token_and_its_asks_and_frees_its_name(writing: World) -> None:
    ask = open_ask(writing)
    agent = writing.caller().agent
    agents.revoke_agent(writing.deps, PERSON, agent.id)
    assert answer(writing, ask, AskAnswer.ALLOWED).ended is Ended.CLOSED
    fresh = writing.agent("demo").agent
    assert fresh.id != agent.id


def test_the_rate_of_one_agent_is_bounded_and_another_agent_goes_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chalicelib.rules.throttle.RUNS_PER_MINUTE_MAX", 3)
    world.publish("echo")
    world.agent("laptop")
    for _ in range(3):
        world.call("echo")
    with pytest.raises(Refusal) as refused:
        world.call("echo")
    assert refused.value.reason is Reason.RATE_LIMITED
    assert 0 < refused.value.details["retryAfterSeconds"] <= 60
    assert world.call("echo", by="laptop") == {"echo": {}}
    world.clock.time += timedelta(seconds=refused.value.details["retryAfterSeconds"])
    assert world.call("echo") == {"echo": {}}
