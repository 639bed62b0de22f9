"""From the link in a chat to the call that runs: with a phone, with keys alone, and without scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn
from tests.acceptance.waiting import until

from .person import Person

EMAIL: Final = "you@example.org"
PASSWORD: Final = "four unrelated words"
SECRET: Final = "sk-canary-0123456789abcdef"


def waiting_url(agent: Agent, text: str = "bread") -> str:
    waiting = agent.run("demo__create-note", text=text)
    assert waiting["status"] == "awaiting_approval", waiting
    return str(waiting["url"])


def test_the_sign_in_url_of_a_start_opens_the_console_once(graft: Graft, new_person: Callable[..., Person]) -> None:
    first, second = new_person(), new_person()
    first.open(graft.local["sign_in_url"])
    assert first.page.url.startswith(graft.local["console_url"])
    first.sees("Sign out")
    second.open(graft.local["sign_in_url"])
    assert second.heading == "This link no longer works"


def test_a_person_on_a_phone_signs_in_first_allows_and_sees_the_repeated_call(
    agent: Agent, phone: Person, person: Person
) -> None:
    choose_account(person)
    phone.open(waiting_url(agent))
    assert phone.heading == "Sign in"
    phone.type("E-mail", EMAIL)
    phone.type("Password", PASSWORD)
    phone.press("Sign in")
    phone.sees("demo may" if agent.name == "demo" else f"{agent.name} may run this tool, with any input")
    assert phone.fits()
    phone.press("Allow")
    phone.sees("I have answered. Please repeat the same call.")
    phone.sees("Not repeated yet")
    assert phone.fits()
    assert agent.run("demo__create-note", text="bread")["text"] == "bread"
    phone.sees("Done in")


def choose_account(person: Person) -> None:
    """The person of this Graft chooses an address and a password, unless they have."""
    person.sign_in().open("/settings")
    if person.page.get_by_role("button", name="Choose them").count():
        person.press("Choose them")
        person.type("E-mail", EMAIL)
        person.type("Password", PASSWORD)
        person.press("Make the account and sign in")
        person.sees("Sign out")


def test_keys_alone_allow(agent: Agent, person: Person) -> None:
    person.sign_in().open(waiting_url(agent))
    for _ in range(30):
        person.page.keyboard.press("Tab")
        focused = person.page.evaluate("document.activeElement.textContent.trim()")
        outline = person.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", focused
        if focused == "Allow":
            break
    person.page.keyboard.press("Enter")
    person.sees("Please repeat the same call")
    assert agent.run("demo__create-note", text="bread")["text"] == "bread"


def test_enter_in_the_reason_denies(agent: Agent, person: Person) -> None:
    person.sign_in().open(waiting_url(agent))
    person.type("Reason, if you deny (optional)", "Use the other notebook.")
    person.page.keyboard.press("Enter")
    person.sees("Denied")
    refusal = agent.refused("run_tool", vendor="demo", name="create-note", input={"text": "bread"})
    assert (refusal["reason"], refusal["personReason"]) == ("approval_denied", "Use the other notebook.")


def test_a_dry_run_shows_what_would_leave(agent: Agent, person: Person) -> None:
    person.sign_in().open(waiting_url(agent))
    person.press("Dry run")
    person.sees("Nothing was written.")
    person.sees("Stopped at the proxy")


def test_the_back_button_and_a_second_answer_change_nothing(agent: Agent, person: Person) -> None:
    person.sign_in().open(waiting_url(agent))
    person.press("Deny")
    person.sees("Denied")
    person.page.go_back()
    if person.page.get_by_role("button", name="Allow", exact=True).count():
        person.press("Allow")
    person.sees("Denied")
    assert agent.refused("run_tool", vendor="demo", name="create-note", input={"text": "bread"})


def test_everything_works_without_scripts(agent: Agent, new_person: Callable[..., Person]) -> None:
    plain = new_person(java_script_enabled=False).sign_in()
    plain.open(waiting_url(agent, text="without scripts"))
    plain.press("Allow, and ask every time")
    plain.sees("Allowed, this once")
    assert agent.run("demo__create-note", text="without scripts")["text"] == "without scripts"
    plain.page.get_by_role("link", name="Look again").click()
    plain.sees("Done in")


def test_a_secret_is_typed_in_the_console_and_the_repeated_call_answers_connected(
    agent: Agent, phone: Person, standin: StandIn
) -> None:
    wanted = {"vendor": f"acme-{agent.name}", "primaryHost": standin.host, "scheme": "bearer"}
    waiting = agent.call("request_connection", **wanted)
    assert waiting["status"] == "awaiting_connection"
    phone.sign_in().open(waiting["url"])
    assert phone.heading == "Your secret would go to"
    assert standin.host in phone.page.locator(".hosts strong").first.inner_text()
    assert phone.fits()
    phone.press("Connect")
    phone.sees("This is required.")
    phone.type("Token", SECRET)
    phone.press("Connect")
    phone.sees("The secret is stored encrypted")
    assert SECRET not in phone.page.content()
    answer = agent.call("request_connection", **wanted)
    assert answer["status"] == "connected"


def test_the_fields_follow_the_scheme(agent: Agent, person: Person) -> None:
    wanted = {"vendor": "acme", "primaryHost": "api.acme.example.org", "scheme": "bearer"}
    person.sign_in().open(agent.call("request_connection", **wanted)["url"])
    person.page.get_by_text("Change hosts or scheme").click()
    person.page.get_by_label("Name and password").check()
    assert person.page.get_by_label("User name").is_visible()
    assert not person.page.get_by_label("Token", exact=True).is_visible()


def test_the_title_counts_what_waits_while_the_page_stands(agent: Agent, person: Person) -> None:
    person.sign_in().open("/asks")
    before = waiting_in(person)
    waiting_url(agent)
    until(lambda: waiting_in(person) == before + 1, "the new ask in the title", seconds=30)


def waiting_in(person: Person) -> int:
    person.page.wait_for_timeout(50)
    counted = re.match(r"\((\d+)\)", person.page.title())
    return int(counted[1]) if counted else 0
