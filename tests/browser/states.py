"""Every page of the console in every state that looks different: one table for axe, for widths and for screenshots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from chalicelib.model import LinkKind
from tests.services.world import PERSON

from . import newcomers
from .acts import (
    Act,
    connected_again,
    expired,
    expired_and_back,
    forged,
    invited_again,
    limits_of_row,
    named_agent,
    no_name,
    nothing_typed,
    opened,
    press,
    sent_again,
    short_password,
    wrong_limits,
    wrong_old_password,
    wrong_password,
)
from .hostile import AGENT_NAME, LONGEST
from .questions import SCHEMES
from .scene import NOBODY_YET, Scene


@dataclass(frozen=True)
class State:
    name: str
    address: Callable[[Scene], str]
    who: str = PERSON
    """Whose browser; empty: nobody is signed in there."""
    act: Act | None = None


def at(path: str) -> Callable[[Scene], str]:
    return lambda _: path


def ask(name: str) -> Callable[[Scene], str]:
    return lambda scene: scene.ask_page(name)


def agent(name: str = "demo", then: str = "") -> Callable[[Scene], str]:
    return lambda scene: scene.agent_page(name) + then


def connection(vendor: str, action: str) -> Callable[[Scene], str]:
    return lambda scene: scene.connection_page(vendor, action)


def edited(name: str) -> Callable[[Scene], str]:
    return lambda scene: f"/agents?edit={scene.agent_id(name)}"


def set_up_link(scene: Scene) -> str:
    return scene.link(LinkKind.SET_UP)


NOBODY: Final = ""
LONG_NAME: Final = "the server in the cellar, which has a long name"

STATES: Final = (
    State("sign-in", at("/sign-in"), NOBODY),
    State("sign-in-to-an-ask", ask("tool"), NOBODY),
    State("sign-in-refused", at("/sign-in"), NOBODY, wrong_password),
    State("set-up", set_up_link, NOBODY),
    State("set-up-short-password", set_up_link, NOBODY, short_password),
    State("form-back-after-a-sign-in", at("/connections"), newcomers.MEMBER, expired_and_back),
    State("settings-of-a-member", at("/settings"), newcomers.MEMBER),
    State("settings-wrong-password", at("/settings"), newcomers.MEMBER, wrong_old_password),
    State("sign-in-that-keeps-a-form", at("/connections"), newcomers.MEMBER, expired),
    State("link-used", at("/in/nosuchlinkofthisgraft"), NOBODY),
    State("first-run-empty", at("/start"), NOBODY_YET),
    State("first-run-waits", at("/start"), newcomers.WAITS),
    State("first-run-waits-long", at("/start"), newcomers.WAITS_LONG, opened),
    State("first-run-seen", at("/start"), newcomers.SEEN),
    State("first-run-connected", at("/start"), newcomers.CONNECTED),
    State("first-run-failed", at("/start"), newcomers.FAILED),
    State("first-run-done", at("/start")),
    State("agents-empty", at("/agents"), NOBODY_YET),
    State("agents", at("/agents")),
    State("agents-opened", at("/agents"), act=opened),
    State("agents-edit", edited("laptop")),
    State("agents-edit-wrong", edited("laptop"), act=limits_of_row),
    State("agent-new", at("/agents/new")),
    State("agent-new-wrong", at("/agents/new"), act=no_name),
    State("agent-new-token", at("/agents/new"), act=named_agent),
    State("agent-new-sent-again", at("/agents/new"), act=sent_again),
    State("agent", agent()),
    State("agent-opened", agent(), act=opened),
    State("agent-over-its-cap-and-starved", agent("laptop")),
    State("agent-with-a-long-name", agent(LONG_NAME)),
    State("agent-with-a-hostile-name", agent(AGENT_NAME)),
    State("agent-revoked", agent("old phone")),
    State("agent-empty", agent("empty")),
    State("agent-history-of-a-cause", agent(then="?cause=idle")),
    State("agent-history-nothing-matches", agent("laptop", "?tool=nothing")),
    State("agent-preview", agent("laptop"), act=press("Preview")),
    State("agent-wrong-limits", agent("empty"), act=wrong_limits),
    State("agent-approvals", agent(then="/approvals")),
    State("agent-runs", agent(then="/runs")),
    State("agent-jobs", agent(then="/jobs")),
    State("agent-what-left", agent(then="/left")),
    State("agent-scope", agent(then="/scope")),
    State("agent-rotate", agent(then="/rotate")),
    State("agent-new-token-after-rotation", agent(AGENT_NAME, "/rotate"), act=press("Rotate the token")),
    State("agent-revoke", agent(then="/revoke")),
    State("agent-revoke-of-a-hostile-name", agent(AGENT_NAME, "/revoke")),
    State("toolbox-empty", at("/toolbox"), NOBODY_YET),
    State("toolbox", at("/toolbox")),
    State("toolbox-found", at("/toolbox?q=note")),
    State("toolbox-nothing-matches", at("/toolbox?q=zebra")),
    State("tool-that-writes", at("/toolbox/demo__create-note")),
    State("tool-that-writes-opened", at("/toolbox/demo__create-note"), act=opened),
    State("tool-of-before", at("/toolbox/demo__create-note?version=1"), act=opened),
    State("tool-that-is-withheld", at("/toolbox/demo__withheld")),
    State("tool-with-the-longest-name", at(f"/toolbox/demo__{LONGEST}")),
    State("tool-that-deletes", at("/toolbox/demo__delete-the-first-note-of-all")),
    State("tool-that-reads", at("/toolbox/demo__list-notes")),
    State("tool-whose-connection-was-revoked", at("/toolbox/notes__bound")),
    State("connections-empty", at("/connections"), NOBODY_YET),
    State("connections", at("/connections")),
    State("connections-sent-again", at("/connections"), newcomers.MEMBER, connected_again),
    State("connections-opened", at("/connections"), act=opened),
    State("connection-secret", connection("tracker", "secret")),
    State("connections-wrong", at("/connections"), act=nothing_typed("Save the connection")),
    State("connection-secret-wrong", connection("tracker", "secret"), act=nothing_typed("Replace the secret")),
    State("connection-revoke-of-many", connection("demo", "revoke")),
    State("connection-revoke", connection("mailer", "revoke")),
    State("asks-empty", at("/asks"), NOBODY_YET),
    State("asks", at("/asks")),
    State("ask-tool", ask("tool")),
    State("ask-tool-opened", ask("long"), act=opened),
    State("ask-tool-dry-run", ask("long"), act=press("Dry run")),
    State("ask-tool-changed", ask("changed")),
    *(State(f"ask-{name}", ask(name)) for name in ("allowed", "once", "denied", "expired")),
    *(State(f"ask-{name}", ask(name)) for name in ("connected", "declined", "closed", "credential", "acquire")),
    *(State(f"ask-{name}", ask(name)) for name in ("acquire-allowed", "acquire-denied")),
    State("ask-answered-second", lambda scene: f"{scene.ask_page('allowed')}?said=denied"),
    State("ask-acquire-opened", ask("acquire"), act=opened),
    *(State(f"ask-connection-{scheme}", ask(scheme)) for scheme in SCHEMES),
    State("ask-connection-opened", ask("oauth2_client_credentials"), act=opened),
    State("ask-connection-wrong", ask("basic"), act=nothing_typed("Connect")),
    State("ask-of-nobody", at("/a/nosuchask")),
    State("settings", at("/settings")),
    State("settings-invitation", at("/settings"), act=press("Invite a person")),
    State("settings-invitation-sent-again", at("/settings"), act=invited_again),
    State("form-from-elsewhere", agent(then="/scope"), act=forged),
    State("not-found", at("/no/such/page")),
)
