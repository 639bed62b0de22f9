"""A call that waits for the person, in both eras: the link, and what a client that can open pages makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from chalicelib.mcp.waiting import KEY, TIMES_MAX
from chalicelib.model import AskAnswer, AskState
from chalicelib.services.deps import Deps

from .conftest import PERSON
from .harness import ENVELOPE, Harness, error_of, result_of
from .persons import MAKES, answer_newest, connect, connect_as_asked, newest_ask

CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
OPENS_PAGES: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}}
ACCEPT = {KEY: {"action": "accept"}}
GITHUB = {"vendor": "github", "primaryHost": "api.github.com", "scheme": "bearer"}
NOTE = {"text": "x"}


@pytest.fixture
def making(harness: Harness) -> Harness:
    """A promoted tool that writes, whose call asks."""
    connect(harness.deps, PERSON)
    harness.publish("make", MAKES)
    return harness


def call(
    harness: Harness, name: str = "demo__make", arguments: Any = None, declared: Any = None, **params: Any
) -> dict[str, Any]:
    """The result of a call of the stateless era, by a client that opens pages."""
    return result_of(answer_to(harness, name, arguments, declared, **params))


def answer_to(
    harness: Harness, name: str = "demo__make", arguments: Any = None, declared: Any = None, **params: Any
) -> Any:
    meta = ENVELOPE | {CAPABILITIES: OPENS_PAGES if declared is None else declared}
    sent = {"name": name, "arguments": NOTE if arguments is None else arguments, "_meta": meta, **params}
    return harness.ask_stateless("tools/call", sent)


def again(harness: Harness, before: dict[str, Any], action: str = "accept", **more: Any) -> dict[str, Any]:
    """The call repeated as a client does that was asked for the page."""
    return call(harness, requestState=before["requestState"], inputResponses={KEY: {"action": action}}, **more)


def url_in(result: dict[str, Any]) -> str:
    if result["resultType"] == "input_required":
        return str(result["inputRequests"][KEY]["params"]["url"])
    return str(result["structuredContent"]["url"])


def is_awaiting(result: dict[str, Any]) -> bool:
    complete = (result["resultType"], result.get("isError")) == ("complete", False)
    return complete and result["structuredContent"]["status"].startswith("awaiting_")


def grants_nothing(deps: Deps) -> bool:
    agents = [deps.store.agents.find(PERSON, agent_id) for agent_id in deps.store.agents.ids(PERSON)]
    return all(deps.store.grants.all_approvals(facts.agent) == [] for facts in agents if facts)


def test_a_client_that_opens_pages_is_asked_to_open_the_asks(making: Harness) -> None:
    asked = call(making)
    ask = newest_ask(making.deps, PERSON)
    assert asked["resultType"] == "input_required"
    request = asked["inputRequests"][KEY]
    assert (request["method"], request["params"]["mode"]) == ("elicitation/create", "url")
    assert request["params"]["url"] == f"{making.deps.settings.public_base_url}/a/{ask.code}"
    assert "demo__make" in request["params"]["message"]
    assert "http" not in request["params"]["message"], "a client shows the address itself"


@pytest.mark.parametrize(
    "declared",
    [{}, {"elicitation": {}}, {"elicitation": {"form": {}}}, {"elicitation": {"url": None}}, {"elicitation": "url"}],
)
def test_any_other_client_gets_the_link_in_a_normal_result(making: Harness, declared: Any) -> None:
    assert is_awaiting(call(making, declared=declared))


def test_the_handshake_era_gets_the_link_whatever_was_declared(making: Harness) -> None:
    waiting = making.opened().call("demo__make", NOTE)
    assert set(waiting) == {"status", "askId", "url", "expiresAt", "message"}
    assert waiting["url"] == url_in(call(making))


def test_an_accept_opens_a_page_and_grants_nothing(making: Harness) -> None:
    asked = call(making)
    repeated = again(making, asked)
    assert (repeated["resultType"], url_in(repeated)) == ("input_required", url_in(asked))
    assert grants_nothing(making.deps)
    assert len(making.deps.store.asks.newest(PERSON)) == 1
    assert newest_ask(making.deps, PERSON).state is AskState.OPEN


def test_a_client_that_repeats_at_once_is_told_the_link_before_it_gives_up(making: Harness) -> None:
    result = asked = call(making)
    times = 1
    while result["resultType"] == "input_required":
        result = again(making, result)
        times += result["resultType"] == "input_required"
    assert times == TIMES_MAX
    assert is_awaiting(result)
    assert url_in(result) == url_in(asked)


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_page_that_is_not_opened_leaves_the_link_to_the_model(making: Harness, action: str) -> None:
    asked = call(making)
    turned_down = again(making, asked, action)
    assert is_awaiting(turned_down)
    assert url_in(turned_down) == url_in(asked)
    assert newest_ask(making.deps, PERSON).state is AskState.OPEN


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("demo__make", NOTE), ("run_tool", {"vendor": "demo", "name": "make", "input": NOTE})],
)
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_once_the_person_allowed_the_repeated_call_runs_whatever_the_client_says(
    making: Harness, name: str, arguments: Any, action: str
) -> None:
    asked = call(making, name, arguments)
    answer_newest(making.deps, PERSON, AskAnswer.ALLOWED)
    ran = again(making, asked, action, name=name, arguments=arguments)
    assert (ran["resultType"], ran["structuredContent"]) == ("complete", {"made": "x"})


def test_once_the_person_denied_the_repeated_call_is_refused_with_the_reason(making: Harness) -> None:
    asked = call(making)
    answer_newest(making.deps, PERSON, AskAnswer.DENIED, "not today")
    refused = again(making, asked)
    assert (refused["resultType"], refused["isError"]) == ("complete", True)
    assert refused["structuredContent"]["reason"] == "approval_denied"
    assert "They said: not today. Do" in refused["structuredContent"]["message"]


def test_a_pass_for_one_call_is_spent_by_one_of_the_repeated_calls(making: Harness) -> None:
    asked = call(making)
    answer_newest(making.deps, PERSON, AskAnswer.ASK_EVERY_TIME)
    assert again(making, asked)["structuredContent"] == {"made": "x"}
    second = again(making, asked)
    assert (second["resultType"], url_in(second) == url_in(asked)) == ("input_required", False)


def test_what_was_asked_before_a_republish_is_asked_afresh(making: Harness) -> None:
    asked = again(making, call(making))
    making.publish("make", MAKES + "# better\n")
    fresh = again(making, asked)
    assert fresh["resultType"] == "input_required"
    assert url_in(fresh) != url_in(asked)
    assert again(making, again(making, fresh))["resultType"] == "input_required", "it is counted afresh, too"


@pytest.mark.parametrize("said", [{}, {KEY: {}}, {KEY: {"action": "perhaps"}}, {"another": {"action": "decline"}}])
def test_what_says_nothing_of_the_page_is_asked_again(making: Harness, said: Any) -> None:
    asked = call(making)
    assert call(making, requestState=asked["requestState"], inputResponses=said)["resultType"] == "input_required"


def test_a_client_that_lost_the_state_is_asked_again_and_harms_nothing(making: Harness) -> None:
    call(making)
    for _ in range(TIMES_MAX + 1):
        assert call(making, inputResponses=ACCEPT)["resultType"] == "input_required"
    assert grants_nothing(making.deps)
    assert len(making.deps.store.asks.newest(PERSON)) == 1


class TestStateThatIsNotOfThisCall:
    """It is an error, as the revision has it, and nothing is asked, answered or run."""

    def is_refused(self, harness: Harness, state: Any, **changes: Any) -> bool:
        before = [ask.id for ask in harness.deps.store.asks.newest(PERSON)]
        response = answer_to(harness, requestState=state, inputResponses=ACCEPT, **changes)
        assert [ask.id for ask in harness.deps.store.asks.newest(PERSON)] == before
        return (response.status, error_of(response)["code"]) == (200, -32602)

    def test_forged(self, making: Harness) -> None:
        state = call(making)["requestState"]
        payload, _, mac = state.partition(".")
        forgeries: list[Any] = ["", "x", f"{payload}.", f"{payload}A.{mac}", f"{payload}.{mac[::-1]}", 7, {}]
        for forged in forgeries:
            assert self.is_refused(making, forged)

    def test_of_another_agent(self, making: Harness, new_harness: Callable[[str], Harness]) -> None:
        assert self.is_refused(new_harness("server"), call(making)["requestState"])

    def test_of_another_tool_or_input(self, making: Harness) -> None:
        state = call(making)["requestState"]
        assert self.is_refused(making, state, name="run_tool", arguments={"vendor": "demo", "name": "make"})
        assert self.is_refused(making, state, arguments={"text": "y"})

    def test_expired(self, making: Harness) -> None:
        state = call(making)["requestState"]
        later = making.deps.now() + timedelta(hours=25)
        assert self.is_refused(replace(making, deps=replace(making.deps, now=lambda: later)), state)


def test_a_connection_is_asked_for_once_and_answers_connected_when_the_person_has_connected_it(
    harness: Harness,
) -> None:
    first, second = (harness.call("request_connection", GITHUB) for _ in range(2))
    assert first["status"] == "awaiting_connection"
    assert (second["askId"], second["url"]) == (first["askId"], first["url"])
    assert first["url"] in first["message"]
    made = connect_as_asked(harness.deps, PERSON)
    assert harness.call("request_connection", GITHUB) == {"status": "connected", "connectionId": made.id}
    assert harness.call("find_tool", {"query": ""})["connections"][0]["connectionId"] == made.id


def test_a_client_that_opens_pages_is_asked_to_open_that_of_a_connection_too(harness: Harness) -> None:
    asked = call(harness, "request_connection", GITHUB)
    assert "github" in asked["inputRequests"][KEY]["params"]["message"]
    made = connect_as_asked(harness.deps, PERSON)
    connected = again(harness, asked, name="request_connection", arguments=GITHUB)
    assert connected["structuredContent"] == {"status": "connected", "connectionId": made.id}
    credential = {"connectionId": made.id, "reason": "it answers 401"}
    assert call(harness, "request_credential", credential)["resultType"] == "input_required"
    assert harness.call("request_credential", credential)["status"] == "awaiting_credential"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"scheme": "magic"}, "scheme"),
        ({"scheme": None}, "scheme"),
        ({"schemeConfig": {"token": "s3cret"}}, "schemeConfig.token"),
        ({"schemeConfig": {"prefix": 5}}, "schemeConfig.prefix"),
        ({"hosts": ["a.example"] * 21}, "hosts"),
        ({"hosts": "a.example"}, "hosts"),
        ({"primaryHost": "h" * 300}, "primaryHost"),
        ({"displayName": "n" * 101}, "displayName"),
        ({"docsUrl": "u" * 501}, "docsUrl"),
        ({"token": "s3cret"}, "token"),
        ({"vendor": "Git Hub"}, "vendor"),
        ({"primaryHost": "169.254.169.254"}, "primaryHost"),
        ({"hosts": ["https://api.github.com/x"]}, "hosts"),
        ({"scheme": "api_key_header"}, "schemeConfig.headerName"),
    ],
)
def test_what_cannot_be_asked_for_names_its_field_and_carries_the_schema(
    harness: Harness, changes: dict[str, Any], field: str
) -> None:
    refused = harness.call("request_connection", GITHUB | changes)
    assert (refused["reason"], refused["field"]) == ("input_invalid", field)
    assert "primaryHost" in refused["schema"]["properties"]
    assert "s3cret" not in refused["message"]
    assert harness.deps.store.asks.newest(PERSON) == []
