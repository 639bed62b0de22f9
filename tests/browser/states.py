"""Every page of the console in every state that looks different: one table for axe, for widths and for screenshots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from chalicelib.model import LinkKind

from .scene import SCHEMES, Scene

Act: TypeAlias = Callable[[Any], None]
"""What is done on the page before it is looked at."""


@dataclass(frozen=True)
class State:
    name: str
    address: Callable[[Scene], str]
    who: str = "full"
    """Whose browser: `full`, `empty`, or `nobody` who is signed in."""
    act: Act | None = None


def at(path: str) -> Callable[[Scene], str]:
    return lambda _: path


def ask(name: str) -> Callable[[Scene], str]:
    return lambda scene: scene.ask_page(name)


def agent(name: str = "demo", then: str = "") -> Callable[[Scene], str]:
    return lambda scene: scene.agent_page(name) + then


def connection(vendor: str, action: str) -> Callable[[Scene], str]:
    return lambda scene: scene.connection_page(vendor, action)


def set_up_link(scene: Scene) -> str:
    return scene.link(LinkKind.SET_UP)


def press(name: str) -> Act:
    """A form's button, and the page that comes of it."""

    def pressed(page: Any) -> None:
        with page.expect_navigation():
            page.get_by_role("button", name=name, exact=True).first.click()

    return pressed


def opened(page: Any) -> None:
    """Every disclosure is opened."""
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")


def wrong_password(page: Any) -> None:
    page.get_by_label("E-mail", exact=True).fill("you@example.org")
    page.get_by_label("Password", exact=True).fill("no such password")
    press("Sign in")(page)


def no_name(page: Any) -> None:
    page.get_by_label("Name", exact=True).first.fill("")
    nothing_typed("Make the agent")(page)


def nothing_typed(button: str) -> Act:
    def sent(page: Any) -> None:
        page.evaluate("document.querySelectorAll('form').forEach(form => { form.noValidate = true })")
        press(button)(page)

    return sent


def wrong_limits(page: Any) -> None:
    page.locator("#limits").get_by_label("Cap", exact=False).first.fill("0")
    nothing_typed("Save")(page)


def named_agent(page: Any) -> None:
    page.get_by_label("Name", exact=True).first.fill("made in a browser")
    press("Make the agent")(page)


LONG_NAME: Final = "the server in the cellar, which has a long name"

STATES: Final = (
    State("sign-in", at("/sign-in"), "nobody"),
    State("sign-in-to-an-ask", ask("tool"), "nobody"),
    State("sign-in-refused", at("/sign-in"), "nobody", wrong_password),
    State("set-up", set_up_link, "nobody"),
    State("set-up-short-password", set_up_link, "nobody", nothing_typed("Make the account and sign in")),
    State("link-used", at("/in/nosuchlinkofthisgraft"), "nobody"),
    State("first-run-empty", at("/start"), "empty"),
    State("first-run-done", at("/start")),
    State("agents-empty", at("/agents"), "empty"),
    State("agents", at("/agents")),
    State("agents-opened", at("/agents"), act=opened),
    State("agent-new", at("/agents/new")),
    State("agent-new-wrong", at("/agents/new"), act=no_name),
    State("agent-new-token", at("/agents/new"), act=named_agent),
    State("agent", agent()),
    State("agent-opened", agent(), act=opened),
    State("agent-over-its-cap-in-flight", agent("laptop")),
    State("agent-with-a-long-name", agent(LONG_NAME)),
    State("agent-empty", agent("empty")),
    State("agent-history-of-a-cause", agent(then="?cause=idle")),
    State("agent-history-nothing-matches", agent(then="?tool=nothing")),
    State("agent-preview", agent("laptop"), act=press("Preview")),
    State("agent-wrong-limits", agent(), act=wrong_limits),
    State("agent-approvals", agent(then="/approvals")),
    State("agent-runs", agent(then="/runs")),
    State("agent-jobs", agent(then="/jobs")),
    State("agent-what-left", agent(then="/left")),
    State("agent-scope", agent(then="/scope")),
    State("agent-rotate", agent(then="/rotate")),
    State("agent-revoke", agent(then="/revoke")),
    State("toolbox-empty", at("/toolbox"), "empty"),
    State("toolbox", at("/toolbox")),
    State("toolbox-found", at("/toolbox?q=note")),
    State("toolbox-nothing-matches", at("/toolbox?q=zebra")),
    State("tool-that-writes", at("/toolbox/demo__create-note")),
    State("tool-that-writes-opened", at("/toolbox/demo__create-note"), act=opened),
    State("tool-that-deletes", at("/toolbox/demo__delete-the-first-note-of-all")),
    State("tool-that-reads", at("/toolbox/demo__list-notes")),
    State("tool-whose-connection-was-revoked", at("/toolbox/notes__bound")),
    State("connections-empty", at("/connections"), "empty"),
    State("connections", at("/connections")),
    State("connections-opened", at("/connections"), act=opened),
    State("connection-secret", connection("tracker", "secret")),
    State("connection-revoke", connection("mailer", "revoke")),
    State("asks-empty", at("/asks"), "empty"),
    State("asks", at("/asks")),
    State("ask-tool", ask("tool")),
    State("ask-tool-opened", ask("long"), act=opened),
    State("ask-tool-dry-run", ask("long"), act=press("Dry run")),
    State("ask-tool-changed", ask("changed")),
    *(State(f"ask-{name}", ask(name)) for name in ("allowed", "once", "denied", "expired", "credential", "acquire")),
    State("ask-acquire-opened", ask("acquire"), act=opened),
    *(State(f"ask-connection-{scheme}", ask(scheme)) for scheme in SCHEMES),
    State("ask-connection-opened", ask("oauth2_client_credentials"), act=opened),
    State("ask-connection-wrong", ask("basic"), act=nothing_typed("Connect")),
    State("ask-of-nobody", at("/a/nosuchask")),
    State("settings", at("/settings")),
    State("settings-invitation", at("/settings"), act=press("Invite a person")),
    State("not-found", at("/no/such/page")),
)
