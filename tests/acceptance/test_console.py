"""The whole way over HTTP: an agent's call waits, its person signs in and answers, the repeated call runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.acceptance.console import Person
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn

SECRET = "sk-canary-0123456789abcdef"


@pytest.fixture
def person(graft: Graft) -> Person:
    """Signed in by what `make sign-in` prints."""
    link = graft.command("sign-in").split()[0]
    return Person(graft.local["console_url"]).open(link)


def create_note(agent: Agent, text: str = "bread") -> Any:
    return agent.run("demo__create-note", text=text)


def path_of(waiting: dict[str, Any]) -> str:
    return urlsplit(str(waiting["url"])).path


def test_from_a_clean_start_the_sign_in_url_leads_to_an_allow_and_the_call_runs(tmp_path: Path) -> None:
    with Graft(tmp_path) as graft:
        waiting = create_note(graft.demo)
        assert waiting["status"] == "awaiting_approval"
        person = Person(graft.local["console_url"]).open(graft.local["sign_in_url"])
        assert "Sign out" in person.page
        person.open(waiting["url"]).send(path_of(waiting), answer="allow")
        assert person.heading == "Allowed"
        assert create_note(graft.demo)["text"] == "bread"
        first = graft.local["sign_in_url"]
        graft.stop()
        graft.start()
        assert graft.local["sign_in_url"] != first
        assert create_note(graft.demo, "after the restart")["text"] == "after the restart"
        assert graft.local["sign_in_url"] in graft.log()
        assert "  model          none" in graft.log()


def test_a_previewers_five_fetches_leave_the_question_open(agent: Agent, graft: Graft, person: Person) -> None:
    waiting = create_note(agent)
    previewer = Person(graft.local["console_url"])
    for _ in range(5):
        assert previewer.open(waiting["url"]).heading == "Sign in"
    assert create_note(agent)["askId"] == waiting["askId"]
    person.open(waiting["url"]).send(path_of(waiting), answer="allow")
    assert create_note(agent)["text"] == "bread"


def test_a_denial_reaches_the_agent_with_its_reason(agent: Agent, person: Person) -> None:
    waiting = create_note(agent)
    person.open(waiting["url"]).send(path_of(waiting), answer="deny", reason="Use the other notebook.")
    assert person.heading == "Denied"
    refusal = agent.refused("run_tool", vendor="demo", name="create-note", input={"text": "bread"})
    assert (refusal["reason"], refusal["personReason"]) == ("approval_denied", "Use the other notebook.")


def test_a_new_connection_is_asked_for_typed_in_and_answers_connected(
    agent: Agent, person: Person, standin: StandIn
) -> None:
    wanted = {"vendor": f"acme-{agent.name}", "primaryHost": standin.host, "scheme": "bearer"}
    waiting = agent.call("request_connection", **wanted)
    assert waiting["status"] == "awaiting_connection"
    form = {"answer": "connect", "primary_host": standin.host, "scheme": "bearer", "bearer.token": SECRET}
    person.open(waiting["url"]).send(path_of(waiting), **form)
    assert person.heading == "Connected"
    assert agent.call("request_connection", **wanted)["status"] == "connected"


def test_the_first_persons_set_up_link_shows_a_form_and_is_refused_once_there_is_an_account(tmp_path: Path) -> None:
    with Graft(tmp_path) as graft:
        link = graft.command("person").split()[0]
        person = Person(graft.local["console_url"]).open(link)
        assert person.heading == "Make your account"
        person.send(urlsplit(link).path, email="you@example.org", password="four unrelated words")
        assert "you@example.org" in person.page
        with pytest.raises(AssertionError, match="make sign-in"):
            graft.command("person")
