"""From the link that acquire answers to the tool that came of it, and the job as it moves before a person's eyes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final

import pytest

from chalicelib import wiring
from chalicelib.model import AskAnswer
from chalicelib.services import acquire, acquire_asks, connections, identity, writing
from chalicelib.services.acquire import News, Wanted
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Deps
from infra.local.setup import PERSON
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent
from tests.writer.endpoint import Endpoint, a_tool

from .person import PHONE, Person

LISTS: Final = 'def run(input, http):\n    return [note["text"] for note in http.get("/notes").json()]\n'
SHIFTS: Final = """\
window.shifts = [];
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shifts.push(one.value); })
  .observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def model() -> Iterator[Endpoint]:
    with Endpoint() as serving:
        yield serving


@pytest.fixture(scope="module")
def graft(tmp_path_factory: pytest.TempPathFactory, model: Endpoint) -> Iterator[Graft]:
    """With a model of its own, on loopback."""
    settings = {"GRAFT_MODEL": "openai:some-model", "GRAFT_MODEL_URL": model.url, "GRAFT_MODEL_KEY": "sk-test"}
    with Graft(tmp_path_factory.mktemp("home"), settings=settings) as running:
        yield running


@pytest.fixture(scope="module")
def deps(graft: Graft) -> Iterator[Deps]:
    with graft.deps() as deps:
        yield deps


def wanted(agent: Agent, goal: str) -> dict[str, Any]:
    (connection,) = agent.call("find_tool", query="")["connections"]
    return {"connectionId": connection["connectionId"], "goal": goal, "ignoreExisting": True}


def test_a_person_on_a_phone_allows_and_sees_the_job_end_with_its_tool(
    graft: Graft, deps: Deps, model: Endpoint, phone: Person
) -> None:
    agent = graft.add_agent(deps, "laptop")
    model.will_say([a_tool(LISTS, name="tell-texts")])
    call = wanted(agent, "Tell the texts alone")
    phone.sign_in().open(agent.call("acquire", **call)["url"])
    assert phone.heading.startswith("What this host answers would go to 127.0.0.1:")
    assert phone.fits()
    phone.press("Allow")
    phone.sees("I have answered. Please repeat the same call.")
    phone.sees("Not repeated yet")
    assert agent.call("acquire", **call)["status"] == "queued"
    phone.sees("Done: 1 attempt, 1,200 tokens")
    assert phone.fits()
    phone.page.get_by_role("link", name="Look at").click()
    assert phone.heading == "demo__tell-texts"


@pytest.mark.parametrize("look", [{}, PHONE], ids=["wide", "phone"])
def test_on_the_agents_page_a_job_moves_from_queued_to_done_without_a_reload_and_nothing_jumps(
    graft: Graft, deps: Deps, model: Endpoint, new_person: Callable[..., Person], look: dict[str, Any]
) -> None:
    agent = graft.add_agent(deps, f"desk-{len(look)}")
    name = f"texts-of-{agent.name}"
    seen = threading.Event()
    model.will_say(["no tool yet", lambda _: a_tool(LISTS, name=name) if seen.wait(30) else "GIVE UP"])
    job = queued(deps, model, agent, "Tell the texts alone")
    person = new_person(**look).sign_in()
    person.open(f"/agents/{agent.id}")
    person.page.locator("#limits [name=cap]").fill("7")
    person.page.evaluate("document.getElementById('jobs').scrollIntoView()")
    person.page.evaluate(SHIFTS)
    person.sees("The job waits for a worker.")
    assert "run in flight" in person.page.locator("#now").inner_text()
    assert person.fits()
    with ThreadPoolExecutor(1) as worker:
        working = worker.submit(writing.work, job[0], *job[1:])
        person.sees("Attempt 2 of 4: the model writes.")
        seen.set()
        person.sees("is published and promoted.")
        working.result(30)
    assert person.page.locator("#jobs .state").inner_text() == "done"
    person.page.locator("#jobs[data-live='']").wait_for()
    assert person.page.evaluate("window.shifts") == []
    assert "run in flight" not in person.page.locator("#now").inner_text()
    for part, told in (
        ("now", "1 / 20"),
        ("set", f"demo__{name}"),
        ("history", "promoted"),
        ("runs", "None in flight"),
    ):
        assert told in person.page.locator(f"#{part}").inner_text(), part
    assert person.page.evaluate("document.activeElement.name") == "cap"
    assert person.page.locator("#limits [name=cap]").input_value() == "7"
    person.screenshot("done")
    assert person.fits()
    person.page.locator("#jobs").get_by_role("link").click()
    assert person.heading == f"demo__{name}"


def test_when_a_revoke_cancels_a_job_what_it_took_is_shown_and_an_opened_row_stays_open(
    graft: Graft, deps: Deps, model: Endpoint, person: Person
) -> None:
    """The last of all: the connection is gone."""
    agent = graft.add_agent(deps, "revoked")
    model.will_say([a_tool(LISTS, name="taken")])
    job = queued(deps, model, agent, "Tell the texts alone")
    writing.work(job[0], *job[1:])
    call = Wanted(deps.store.grants.connections(PERSON)[0].id, "Tell them again", ignore_existing=True)
    assert isinstance(acquire.acquire(job[0], identity.identify(deps, agent.token, None), call), News)
    person.sign_in().open(f"/agents/{agent.id}")
    person.page.locator("#history summary").click()
    person.page.locator("h1").click()
    connections.revoke(deps, PERSON, call.connection_id)
    person.sees("Its connection was revoked.")
    person.page.locator("#jobs[data-live='']").wait_for()
    for part, told in (("now", "0 / 20"), ("left", "1 left"), ("set", "Empty."), ("approvals", "No answers")):
        assert told in person.page.locator(f"#{part}").inner_text(), part
    assert person.page.locator("#history details").evaluate_all("rows => rows.map(row => row.open)") == [False, True]


def queued(deps: Deps, model: Endpoint, agent: Agent, goal: str) -> tuple[Deps, str, str, str]:
    """A job that no worker was called for yet, and what its worker works with."""
    named = wiring._model({"GRAFT_MODEL": "openai:some-model", "GRAFT_MODEL_URL": model.url})
    deps = replace(deps, model=named, start_job=lambda *_: None)
    (connection,) = deps.store.grants.connections(PERSON)
    call = Wanted(connection.id, goal, ignore_existing=True)
    waiting = acquire.acquire(deps, identity.identify(deps, agent.token, None), call)
    assert isinstance(waiting, Waiting)
    ask = deps.store.asks.find(PERSON, waiting.ask_id)
    assert ask is not None
    assert acquire_asks.answer_acquire(deps, ask, AskAnswer.ALLOWED).ended is None
    news = acquire.acquire(deps, identity.identify(deps, agent.token, None), call)
    assert isinstance(news, News)
    return deps, PERSON, agent.id, news.job.id
