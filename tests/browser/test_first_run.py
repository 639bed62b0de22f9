"""A person who has nothing yet goes the whole way in a browser; every step is ticked by what Graft saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.model import LinkKind
from chalicelib.services import accounts
from chalicelib.services.deps import Deps
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn

from .person import Person

READS: Final = 'def run(input, http):\n    return {"status": http.get("/").status}\n'
STEPS: Final = ["Make an agent", "Its first call arrives", "Connect an account", "A tool runs"]


@pytest.fixture
def newcomer(new_person: Callable[..., Person], deps: Deps) -> Person:
    """Signed in as somebody of their own."""
    person_id = deps.new_id()
    deps.store.people.add(person_id)
    return new_person().open(f"/in/{accounts.new_link(deps, person_id, LinkKind.SIGN_IN)}")


def done(person: Person) -> list[str]:
    steps = person.page.locator("#steps li.done h2").all_inner_texts()
    return [step.partition("\n")[0].removesuffix(", done") for step in steps]


def make_agent(person: Person, graft: Graft, name: str) -> Agent:
    """In the browser, from the form to its token."""
    person.open("/agents/new").type("Name", name)
    person.press("Make the agent")
    person.sees("The token is shown this once.")
    token = person.page.locator("#tok").inner_text()
    agent_id = person.page.get_by_role("link", name=f"Go to {name}").get_attribute("href").rpartition("/")[2]
    return Agent(name, agent_id, graft.local["mcp_url"], token)


def test_the_four_steps_are_ticked_one_after_another_while_the_page_stands(
    newcomer: Person, graft: Graft, standin: StandIn
) -> None:
    newcomer.open("/start")
    assert done(newcomer) == []
    agent = make_agent(newcomer, graft, "laptop")
    newcomer.open("/start")
    assert done(newcomer) == STEPS[:1]
    newcomer.sees("Waiting since")

    agent.initialize()
    newcomer.sees("acceptance 0, last seen")
    assert done(newcomer) == STEPS[:2]

    newcomer.open("/connections")
    newcomer.type("Primary host", standin.host)
    newcomer.type("Vendor", "acme")
    newcomer.page.get_by_label("None", exact=False).first.check()
    newcomer.press("Save the connection")
    newcomer.sees("saved, not tried yet")
    newcomer.open("/start")
    assert done(newcomer) == STEPS[:3]

    agent.publish("acme__look", READS)
    assert agent.call("acme__look") == {"status": 200}
    newcomer.sees("Your first tool has run")
    assert done(newcomer) == STEPS
    assert newcomer.fits()


def test_a_token_is_shown_once_and_a_form_sent_again_makes_no_second_agent(newcomer: Person, graft: Graft) -> None:
    agent = make_agent(newcomer, graft, "laptop")
    newcomer.page.reload()
    newcomer.sees("laptop is made already")
    assert agent.token not in newcomer.page.content()
    newcomer.page.go_back()
    newcomer.type("Name", "laptop")
    newcomer.press("Make the agent")
    newcomer.sees("There is an agent named 'laptop' already.")
    newcomer.open("/agents")
    assert newcomer.page.get_by_role("link", name="laptop", exact=True).count() == 1
    assert agent.tools()


def test_two_presses_at_once_make_one_agent(newcomer: Person) -> None:
    newcomer.open("/agents/new").type("Name", "hurry")
    newcomer.page.get_by_role("button", name="Make the agent").dblclick()
    newcomer.page.wait_for_url("**/agents/new")
    newcomer.page.get_by_role("link", name="Go to hurry").wait_for()
    newcomer.open("/agents")
    assert newcomer.page.get_by_role("link", name="hurry", exact=True).count() == 1


def test_the_token_is_copied_by_a_button(newcomer: Person, graft: Graft) -> None:
    newcomer.context.grant_permissions(["clipboard-read", "clipboard-write"])
    agent = make_agent(newcomer, graft, "laptop")
    newcomer.page.locator('[data-copy="tok"]').click()
    newcomer.page.get_by_role("button", name="Copied").wait_for()
    assert newcomer.page.evaluate("navigator.clipboard.readText()") == agent.token


def test_without_scripts_the_same_way_is_open(
    new_person: Callable[..., Person], deps: Deps, graft: Graft, standin: StandIn
) -> None:
    deps.store.people.add("plain")
    plain = new_person(java_script_enabled=False)
    plain.open(f"/in/{accounts.new_link(deps, 'plain', LinkKind.SET_UP)}")
    plain.type("E-mail", "plain@example.org")
    plain.type("Password", "four unrelated words")
    plain.press("Make the account and sign in")
    agent = make_agent(plain, graft, "laptop")
    plain.open(f"/agents/{agent.id}")
    edit(plain, cap="7")
    plain.sees("0 / 7")
    plain.open("/connections")
    plain.type("Primary host", standin.host)
    plain.type("Vendor", "acme")
    plain.page.get_by_label("None", exact=False).first.check()
    plain.press("Save the connection")
    plain.page.get_by_role("link", name="Revoke acme").click()
    plain.press("Revoke the connection")
    plain.sees("revoked just now")
    plain.press("Sign out")
    plain.open("/agents")
    plain.type("E-mail", "plain@example.org")
    plain.type("Password", "four unrelated words")
    plain.press("Sign in")
    assert plain.heading == "Agents"


def edit(person: Person, **typed: Any) -> None:
    form = person.page.locator("#limits")
    for name, value in typed.items():
        form.locator(f"[name={name}]").fill(value)
    form.get_by_role("button", name="Save", exact=True).click()
