"""What the person does meanwhile, over the same table."""

from __future__ import annotations

from typing import Any, Final

from chalicelib.model import Ask, AskAnswer, Connection
from chalicelib.services import acquire_asks, answers, connections
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps

HOST: Final = "api.demo.example"
MAKES: Final = """\
def run(input, http):
    if input.get('send'):
        http.post('/notes')
    return {'made': input['text']}
"""
"""Writes by its source, and answers without a vendor."""


def connect(deps: Deps, person: str, vendor: str = "demo", **changes: Any) -> Connection:
    wanted = {"vendor": vendor, "primary_host": HOST, "scheme": "bearer", "secret": {"token": "s3cret"}}
    return connections.create_connection(deps, person, NewConnection(**wanted | changes))


def newest_ask(deps: Deps, person: str) -> Ask:
    return deps.store.asks.newest(person, limit=1)[0]


def answer_newest(deps: Deps, person: str, said: AskAnswer, reason: str = "") -> None:
    assert answers.answer_tool(deps, newest_ask(deps, person), said, reason=reason).ended is None


def allow_acquire(deps: Deps, person: str) -> None:
    assert acquire_asks.answer_acquire(deps, newest_ask(deps, person), AskAnswer.ALLOWED).ended is None


def connect_as_asked(deps: Deps, person: str) -> Connection:
    """Complete the newest ask for a connection with a secret."""
    wanted = NewConnection("github", "api.github.com", "bearer", secret={"token": "s3cret"})
    answered, made = answers.connect(deps, newest_ask(deps, person), wanted)
    assert answered.ended is None
    assert made is not None
    return made
