"""One toolbox, several agents: versions, lists, and what a person allows."""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.services.deps import Deps

from .driver import Connect
from .graft import Graft, facts_of
from .main_job import COUNT_NOTES, HEAR_SECONDS, LIST_NOTES
from .rpc import Agent

FIRST = 'def run(input, http):\n    return {"edition": "first"}\n'
SECOND = 'def run(input, http):\n    return {"edition": "second"}\n'


def test_a_second_version_keeps_the_first_readable_and_the_tool_in_its_place(agent: Agent, deps: Deps) -> None:
    agent.publish("demo__edition", FIRST)
    agent.promote(LIST_NOTES)
    before = facts_of(deps, agent).find("demo__edition")
    published = agent.publish("demo__edition", SECOND)
    assert {"version": 2, "promoted": True, "changed": False}.items() <= published.items()
    assert facts_of(deps, agent).find("demo__edition") == before
    assert agent.authored() == ["demo__edition", LIST_NOTES]
    assert agent.call("demo__edition") == {"edition": "second"}
    read = agent.call("read_tool_source", vendor="demo", name="edition", version=1)
    assert (read["version"], read["source"]) == (1, FIRST)
    assert [each["version"] for each in read["versions"]] == [1, 2]


def test_another_agent_that_has_the_tool_promoted_hears_of_its_new_version(
    graft: Graft, agent: Agent, connect: Connect
) -> None:
    agent.publish("demo__heard", FIRST)
    other = graft.make_agent("the-other-agent")
    other.promote("demo__heard")
    with connect(other, "legacy") as client:
        heard = client.heard(beyond=0, seconds=HEAR_SECONDS)
        client.list()
        agent.publish("demo__heard", SECOND)
        assert client.heard(beyond=heard, seconds=HEAR_SECONDS) > heard
        assert client.call("demo__heard") == {"edition": "second"}


def test_an_agent_that_does_not_have_the_tool_promoted_hears_nothing_of_it(new_agent: Callable[[], Agent]) -> None:
    publisher, other = new_agent(), new_agent()
    publisher.publish("demo__unheard", FIRST)
    session = {"mcp-session-id": other.open_session()}
    first = other.send("GET", headers=session)
    assert first.notifications == ["notifications/tools/list_changed"]
    publisher.publish("demo__unheard", SECOND)
    polled = other.send("GET", headers={**session, "last-event-id": first.event_id})
    assert (polled.status, polled.notifications) == (200, [])
    assert other.authored() == []


def test_two_agents_have_one_toolbox_and_two_lists(new_agent: Callable[[], Agent]) -> None:
    one, two = new_agent(), new_agent()
    one.publish("demo__shared", FIRST)
    two.promote(LIST_NOTES)
    assert (one.authored(), two.authored()) == (["demo__shared"], [LIST_NOTES])
    found = two.call("find_tool", query="demo shared")["tools"][0]
    assert (found["tool"], found["promoted"]) == ("demo__shared", False)
    assert two.run("demo__shared") == {"edition": "first"}
    assert two.promote("demo__shared")["changed"] is True
    one.call("demote", vendor="demo", name="shared")
    assert (one.authored(), two.authored()) == ([], [LIST_NOTES, "demo__shared"])


def test_a_tool_that_writes_waits_for_the_person_and_runs_once_they_allow_it(graft: Graft, agent: Agent) -> None:
    text = "Written after the person allowed it"
    waiting = agent.run("demo__create-note", text=text)
    assert waiting["status"] == "awaiting_approval"
    assert waiting["url"].startswith(graft.local["console_url"] + "a/")
    assert agent.run("demo__create-note", text=text) == waiting, "repeating the call opens no second ask"
    assert text not in _texts(agent)

    assert "demo__create-note" in graft.approve(agent, "demo__create-note")
    note = agent.run("demo__create-note", text=text)
    assert note["text"] == text
    assert text in _texts(agent)


def test_an_allowed_tool_promoted_again_does_not_ask_again(graft: Graft, agent: Agent) -> None:
    graft.approve(agent, "demo__delete-note")
    graft.approve(agent, "demo__create-note")
    agent.promote("demo__delete-note")
    agent.call("demote", vendor="demo", name="delete-note")
    agent.promote("demo__delete-note")
    note = agent.run("demo__create-note", text="Soon gone")
    assert agent.call("demo__delete-note", id=note["id"]) == {"deleted": note["id"]}


def test_a_new_version_of_an_allowed_tool_that_writes_asks_once_again(graft: Graft, agent: Agent) -> None:
    writes = 'def run(input, http):\n    return http.post("/notes", json={"text": "EDITION"}).json()\n'
    agent.publish("demo__write-edition", writes.replace("EDITION", "first edition"))
    graft.approve(agent, "demo__write-edition")
    assert agent.call("demo__write-edition")["text"] == "first edition"
    agent.publish("demo__write-edition", writes.replace("EDITION", "second edition"))
    assert agent.call("demo__write-edition")["status"] == "awaiting_approval"
    assert "second edition" not in _texts(agent)


def test_a_dry_run_asks_nobody_and_writes_nothing(agent: Agent) -> None:
    report = agent.call("run_tool", vendor="demo", name="create-note", input={"text": "Never written"}, dryRun=True)
    assert (report["dryRun"], report["passed"]) == (True, True)
    assert [(p["method"], p["path"]) for p in report["previews"]] == [("POST", "/notes")]
    assert "Never written" not in _texts(agent)


def test_a_publish_tries_its_test_input_and_answers_what_came_of_it(agent: Agent) -> None:
    published = agent.publish("demo__tried", COUNT_NOTES, testInput={})
    assert published["dryRun"]["passed"] is True
    assert [(read["method"], read["path"]) for read in published["dryRun"]["reads"]] == [("GET", "/notes")]


def _texts(agent: Agent) -> list[str]:
    return [note["text"] for note in agent.run(LIST_NOTES)["result"]]
