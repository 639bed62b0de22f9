"""Persons on their way to the first tool, each one step further, and one who has an address and a password."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Final

from chalicelib.errors import Refusal
from chalicelib.model import LinkKind
from chalicelib.services import accounts, agents, connections, identity, presence, publishing, runs
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from chalicelib.services.publishing import Draft
from tests.services.world import ANY_INPUT

from .hostile import HOSTILE

WAITS: Final = "p2"
"""For an agent's first call, since just now."""
WAITS_LONG: Final = "p3"
SEEN: Final = "p4"
CONNECTED: Final = "p5"
FAILED: Final = "p6"
"""Their first run did not go through."""
MEMBER: Final = "p7"
EMAIL: Final = "member@example.org"
PASSWORD: Final = "four unrelated words"
RAISES: Final = 'def run(input, http):\n    raise ValueError("no")\n'


def tell(deps: Deps) -> None:
    for person_id in (WAITS, WAITS_LONG, SEEN, CONNECTED, FAILED, MEMBER):
        deps.store.people.add(person_id)
    _with_agent(deps, WAITS)
    _with_agent(replace(deps, now=lambda: deps.now() - timedelta(minutes=5)), WAITS_LONG)
    _seen(deps, SEEN)
    _connected(deps, CONNECTED)
    _fails(deps, FAILED)
    link = accounts.find_link(deps, accounts.new_link(deps, MEMBER, LinkKind.SET_UP))
    assert link is not None
    accounts.set_up(deps, link, EMAIL, PASSWORD, "")


def _with_agent(deps: Deps, person_id: str) -> str:
    """Its token."""
    return agents.create_agent(deps, person_id, "laptop")[1]


def _seen(deps: Deps, person_id: str) -> str:
    token = _with_agent(deps, person_id)
    caller = identity.identify(deps, token, None)
    presence.beside(deps, caller, lambda: None, harness=("Hermes", "2026.11.3"), lists=True)
    return token


def _connected(deps: Deps, person_id: str) -> str:
    token = _seen(deps, person_id)
    wanted = NewConnection("acme", "api.acme.example.org", display_name=f"Acme {HOSTILE}")
    connections.create_connection(deps, person_id, wanted)
    return token


def _fails(deps: Deps, person_id: str) -> None:
    token = _connected(deps, person_id)
    draft = Draft("acme", "look", "Looks.", ANY_INPUT, RAISES)
    publishing.publish(deps, identity.identify(deps, token, None), draft)
    with suppress(Refusal):
        runs.call(deps, identity.identify(deps, token, None), "acme", "look", {})
