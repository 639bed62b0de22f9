"""What an agent asks of its person beside approvals."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import AskState, VendorAnswer
from chalicelib.rules.asks import OPEN_MAX
from chalicelib.services import agents, answers, connections, requests
from chalicelib.services.answers import Ended
from chalicelib.services.asks import Waiting
from chalicelib.services.connections import NewConnection
from chalicelib.services.requests import Connected, WantedConnection
from tests.services.world import PERSON, World

GITHUB: dict[str, Any] = {"vendor": "github", "primary_host": "api.github.com", "scheme": "bearer"}


def request(world: World, *, by: str = "demo", **changes: Any) -> requests.Answer:
    return requests.request_connection(world.deps, world.caller(by), WantedConnection(**GITHUB | changes))


def connect(world: World, waiting: object, **changes: Any) -> answers.Answered:
    wanted = NewConnection(**GITHUB | {"secret": {"token": "s3cret-token"}} | changes)
    made, _ = answers.connect(world.deps, world.asked(waiting), wanted)
    return made


def test_a_new_connection_is_asked_for_once_and_the_repeated_call_answers_connected(world: World) -> None:
    first = request(world)
    assert isinstance(first, Waiting)
    assert first.status == "awaiting_connection"
    assert isinstance(again := request(world), Waiting)
    assert again.ask_id == first.ask_id
    assert connect(world, first).ended is None
    connected = request(world)
    assert isinstance(connected, Connected)
    (stored,) = world.deps.store.grants.connections(PERSON)
    assert stored.id == connected.connection_id
    world.clock.forward(days=30)
    assert request(world) == connected


def test_a_connection_the_person_has_already_needs_no_ask(world: World) -> None:
    mine = world.connect("demo")
    answer = requests.request_connection(
        world.deps, world.caller(), WantedConnection("demo", world.vendor_host, "bearer")
    )
    assert answer == Connected(mine.id)
    assert world.deps.store.asks.newest(PERSON) == []


def test_a_declined_connection_is_refused_until_the_day_is_over_or_the_person_takes_it_back(world: World) -> None:
    ask = world.asked(request(world))
    assert answers.decline(world.deps, ask).ended is None
    with pytest.raises(Refusal) as refused:
        request(world)
    assert refused.value.reason is Reason.CONNECTION_DECLINED
    declined = world.deps.store.asks.find(PERSON, ask.id)
    assert declined is not None
    assert answers.ask_again(world.deps, declined)
    second = world.asked(request(world))
    answers.decline(world.deps, second)
    world.clock.forward(hours=24)
    assert isinstance(request(world), Waiting)


def test_two_who_answer_at_once_make_one_connection(world: World) -> None:
    waiting = request(world)
    assert connect(world, waiting).ended is None
    late = connect(world, waiting)
    assert late.ended is Ended.ANSWERED
    assert len(world.deps.store.grants.connections(PERSON)) == 1


def test_what_the_person_connected_otherwise_than_asked_still_answers(world: World) -> None:
    waiting = request(world)
    connect(world, waiting, scheme="basic", secret={"username": "u", "password": "p"})
    assert isinstance(request(world), Connected)


def test_an_agent_held_to_a_list_gets_what_its_person_connects_for_it(world: World) -> None:
    agent = world.caller().agent
    agents.edit_scope(world.deps, PERSON, agent.id, frozenset())
    waiting = request(world)
    assert connect(world, waiting).ended is None
    assert isinstance(request(world), Connected)
    assert len(world.caller().agent.connection_ids or ()) == 1


def test_a_connection_out_of_scope_does_not_exist_for_the_agent(world: World) -> None:
    mine = world.connect("demo")
    agent = world.caller().agent
    agents.edit_scope(world.deps, PERSON, agent.id, frozenset())
    with pytest.raises(Refusal) as refused:
        requests.request_credential(world.deps, world.caller(), mine.id, "it expired")
    with pytest.raises(Refusal) as unknown:
        requests.request_credential(world.deps, world.caller(), "nosuch", "it expired")
    assert refused.value.reason is unknown.value.reason is Reason.CONNECTION_NOT_FOUND
    assert refused.value.message.replace(mine.id, "nosuch") == unknown.value.message


def test_a_scope_takes_only_the_persons_own_connections(world: World) -> None:
    with pytest.raises(Refusal) as refused:
        agents.edit_scope(world.deps, PERSON, world.caller().agent.id, frozenset({"another"}))
    assert refused.value.reason is Reason.CONNECTION_NOT_FOUND


def test_a_credential_is_asked_for_once_and_the_repeated_call_answers_connected_for_a_while(world: World) -> None:
    mine = world.connect("demo")
    first = requests.request_credential(world.deps, world.caller(), mine.id, "the vendor answers 401")
    assert isinstance(first, Waiting)
    assert first.status == "awaiting_credential"
    assert answers.give_credential(world.deps, world.asked(first), {"token": "new"}).ended is None
    assert requests.request_credential(world.deps, world.caller(), mine.id, "401") == Connected(mine.id)
    replaced = world.deps.store.grants.find_connection(PERSON, mine.id)
    assert replaced is not None
    assert replaced.secret_revision == mine.secret_revision + 1
    world.clock.forward(minutes=10)
    assert isinstance(requests.request_credential(world.deps, world.caller(), mine.id, "401"), Waiting)


def test_an_agent_has_so_many_questions_open_and_another_agent_goes_on(world: World) -> None:
    world.agent("laptop")
    first = [request(world, vendor=f"v{number}") for number in range(OPEN_MAX)]
    with pytest.raises(Refusal) as refused:
        request(world, vendor="one-more")
    assert (refused.value.reason, refused.value.details) == (Reason.RATE_LIMITED, {"retryAfterSeconds": 60})
    assert request(world, vendor="v0") == first[0], "a repeated call still finds its question"
    assert isinstance(request(world, by="laptop", vendor="one-more"), Waiting)
    answers.decline(world.deps, world.asked(first[0]))
    assert isinstance(request(world, vendor="one-more"), Waiting)


def test_after_a_revoke_the_same_request_asks_anew(world: World) -> None:
    first = request(world)
    connect(world, first)
    connected = request(world)
    assert isinstance(connected, Connected)
    connections.revoke(world.deps, PERSON, connected.connection_id)
    second, third = request(world), request(world)
    assert isinstance(second, Waiting)
    assert isinstance(first, Waiting)
    assert second.ask_id != first.ask_id
    assert third == second
    connect(world, second)
    assert isinstance(again := request(world), Connected)
    assert again.connection_id != connected.connection_id


def test_what_the_person_took_out_of_scope_again_is_not_asked_for(world: World) -> None:
    connect(world, request(world))
    agents.edit_scope(world.deps, PERSON, world.caller().agent.id, frozenset())
    with pytest.raises(Refusal) as refused:
        request(world)
    assert refused.value.reason is Reason.CONNECTION_REVOKED


@pytest.mark.parametrize("status", [401, 403])
def test_a_credential_that_the_vendor_refuses_again_is_asked_for_again(world: World, status: int) -> None:
    mine = world.connect("demo")
    first = requests.request_credential(world.deps, world.caller(), mine.id, "the vendor answers 401")
    answers.give_credential(world.deps, world.asked(first), {"token": "mistyped"})
    note_answer(world, mine.id, 200)
    assert requests.request_credential(world.deps, world.caller(), mine.id, "401") == Connected(mine.id)
    note_answer(world, mine.id, status)
    second = requests.request_credential(world.deps, world.caller(), mine.id, "still refused")
    assert isinstance(second, Waiting)
    assert isinstance(first, Waiting)
    assert second.ask_id != first.ask_id


def note_answer(world: World, connection_id: str, status: int) -> None:
    world.clock.forward(seconds=1)
    world.deps.store.traces.keep_answer(PERSON, VendorAnswer(connection_id, status, "", world.clock()))


def test_a_credential_for_a_connection_revoked_meanwhile_is_not_kept(world: World) -> None:
    mine = world.connect("demo")
    waiting = requests.request_credential(world.deps, world.caller(), mine.id, "")
    ask = world.asked(waiting)
    connections.revoke(world.deps, PERSON, mine.id)
    assert answers.give_credential(world.deps, ask, {"token": "new"}).ended is Ended.CHANGED
    closed = world.deps.store.asks.find(PERSON, ask.id)
    assert closed is not None
    assert closed.state is AskState.CLOSED
    with pytest.raises(Refusal) as refused:
        requests.request_credential(world.deps, world.caller(), mine.id, "")
    assert refused.value.reason is Reason.CONNECTION_REVOKED


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vendor": "Git Hub"}, "kebab-case"),
        ({"scheme": "magic"}, "scheme"),
        ({"primary_host": "169.254.169.254"}, "address"),
        ({"primary_host": "https://api.github.com/x"}, "host"),
    ],
)
def test_what_cannot_be_connected_is_refused_before_anybody_is_asked(
    world: World, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        request(world, **changes)
    assert refused.value.reason is Reason.INPUT_INVALID
    assert said in refused.value.message
    assert world.deps.store.asks.newest(PERSON) == []
