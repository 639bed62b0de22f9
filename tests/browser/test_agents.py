"""An agent's limits, set and history before a browser, beside what the agent itself is listed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Final

import pytest

from chalicelib.services.deps import Deps
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.table import delete
from infra.local.setup import PERSON
from tests.acceptance.graft import Graft, facts_of
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn
from tests.acceptance.waiting import until

from .person import Person

ANSWERS: Final = "def run(input, http):\n    return 1\n"
READS: Final = 'def run(input, http):\n    return http.get("/").status\n'
CAUSES: Final = {
    "the agent asked",
    "published by the agent",
    "unused past the idle window",
    "over the working-set cap",
    "its connection was revoked",
}


@pytest.fixture
def mine(person: Person) -> Person:
    return person.sign_in()


@pytest.fixture
def fresh(graft: Graft, deps: Deps, request: pytest.FixtureRequest) -> Agent:
    """An agent of its own, named after the test."""
    return graft.add_agent(deps, request.node.name.removeprefix("test_")[:30])


def tools_of(agent: Agent, *names: str) -> list[str]:
    return [agent.publish(f"box-{agent.id}__{name}", ANSWERS)["tool"] for name in names]


def count_on(person: Person, agent: Agent, page: str) -> str:
    """The count as a reader reads it, such as `2 / 20`."""
    person.open(page)
    place = person.page.locator("tr", has=person.page.get_by_role("link", name=agent.name, exact=True))
    counts = place.locator(".count") if page == "/agents" else person.page.locator(".count")
    return " ".join(str(counts.first.inner_text()).split())


def counts(person: Person, agent: Agent) -> set[str]:
    return {count_on(person, agent, page)[:6].strip() for page in ("/agents", f"/agents/{agent.id}")}


def sweep(deps: Deps, *, days: int = 0) -> None:
    """The sweep as it would be some days from now."""
    run_sweep(replace(deps, now=lambda: deps.now() + timedelta(days=days)))


def test_limits_edited_on_the_list_and_on_the_page_hold_at_the_next_sweep(
    mine: Person, fresh: Agent, deps: Deps
) -> None:
    a, b, c = tools_of(fresh, "a", "b", "c")
    mine.open("/agents")
    mine.page.get_by_role("link", name=f"Edit {fresh.name}").focus()
    mine.page.keyboard.press("Enter")
    mine.page.locator("#edit-name:focus").wait_for()
    mine.page.locator("#edit [name=cap]").fill("2")
    mine.page.locator("#edit").get_by_role("button", name="Save", exact=True).click()
    mine.sees("a cap of 2 and 21 days, from the next sweep on.")
    mine.sees("1 over the cap")
    assert fresh.authored() == [a, b, c]
    sweep(deps)
    assert fresh.authored() == [b, c]

    mine.open(f"/agents/{fresh.id}")
    mine.page.locator("#limits [name=cap]").fill("1")
    mine.press("Preview")
    mine.sees("the next sweep would take 1 tool")
    assert fresh.authored() == [b, c]
    mine.page.locator("#limits [name=idle_window_days]").fill("3")
    mine.press("Save")
    mine.page.wait_for_url(re.compile(rf"/agents/{fresh.id}\b"))
    sweep(deps)
    assert fresh.authored() == [c]
    sweep(deps, days=4)
    assert fresh.authored() == []
    mine.open(f"/agents/{fresh.id}")
    mine.sees("Empty. It fills when")


def test_the_history_shows_all_five_causes_and_is_narrowed_to_one(
    mine: Person, fresh: Agent, deps: Deps, standin: StandIn
) -> None:
    vendor = f"acme-{fresh.id}"
    add_connection(mine, vendor, standin.host)
    bound = fresh.publish(f"{vendor}__bound", READS)["tool"]
    idle, capped = tools_of(fresh, "idle")[0], tools_of(fresh, "capped")[0]
    fresh.call("demote", vendor=f"box-{fresh.id}", name="capped")
    sweep(deps, days=22)
    fresh.promote(bound)
    revoke_connection(mine, vendor)
    fresh.promote(capped)
    tools_of(fresh, "later")
    mine.open(f"/agents/{fresh.id}")
    mine.page.locator("#limits [name=cap]").fill("1")
    mine.press("Save")
    until(lambda: facts_of(deps, fresh).agent.cap == 1, "the cap")
    sweep(deps)

    mine.open(f"/agents/{fresh.id}")
    seen = set(mine.page.locator("#history summary").all_inner_texts())
    older = mine.page.locator("#history").get_by_role("link", name="Older")
    while older.count():
        older.click()
        seen |= set(mine.page.locator("#history summary").all_inner_texts())
    assert seen == CAUSES
    mine.open(f"/agents/{fresh.id}")
    mine.page.get_by_label("Cause", exact=True).select_option(label="its connection was revoked")
    mine.press("Filter")
    rows = mine.page.locator("#history tbody")
    rows.get_by_text("its connection was revoked").wait_for()
    assert bound in rows.inner_text().replace("\n", "")
    assert idle not in rows.inner_text().replace("\n", "")


def test_a_revoke_tells_its_effects_first_and_takes_the_tools_from_every_agent(
    mine: Person, fresh: Agent, new_agent: Callable[[], Agent], standin: StandIn
) -> None:
    other, vendor = new_agent(), f"acme-{fresh.id}"
    add_connection(mine, vendor, standin.host)
    bound = fresh.publish(f"{vendor}__bound", READS)["tool"]
    other.promote(bound)
    mine.open("/connections")
    mine.page.get_by_role("link", name=f"Revoke {vendor}", exact=True).click()
    told = mine.page.locator("main").inner_text()
    for agent in (fresh, other):
        assert f"1 tool leaves the list of {agent.name}" in " ".join(told.split())
    mine.press("Revoke the connection")
    mine.sees("revoked just now")
    for agent in (fresh, other):
        assert bound not in agent.authored()
        mine.open(f"/agents/{agent.id}")
        assert "its connection was revoked" in mine.page.locator("#history").inner_text()


def test_the_counts_of_list_and_page_agree_with_what_the_agent_is_listed(
    mine: Person, fresh: Agent, deps: Deps
) -> None:
    assert counts(mine, fresh) == {"0 / 20"}
    tools = tools_of(fresh, "a", "b", "c")
    assert counts(mine, fresh) == {f"{len(fresh.authored())} / 20"} == {"3 / 20"}
    mine.open(f"/agents/{fresh.id}")
    mine.page.locator("#limits [name=cap]").fill("2")
    mine.press("Save")
    mine.sees("1 over the cap")
    assert counts(mine, fresh) == {"3 / 2"}
    deps.store.table.write(delete(items.current_key(PERSON, tools[0])))
    tools += tools_of(fresh, "d")
    assert fresh.authored() == tools[1:]
    assert counts(mine, fresh) == {"3 / 2"}, "a withheld tool is not in the list"


def add_connection(person: Person, vendor: str, host: str) -> None:
    person.open("/connections")
    person.type("Primary host", host)
    person.type("Vendor", vendor)
    person.page.get_by_label("None", exact=False).first.check()
    person.press("Save the connection")
    person.sees("saved, not tried yet")


def revoke_connection(person: Person, vendor: str) -> None:
    person.open("/connections")
    person.page.get_by_role("link", name=f"Revoke {vendor}", exact=True).click()
    person.press("Revoke the connection")
    person.sees("revoked just now")
