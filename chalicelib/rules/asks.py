"""Asks: which of them are one question, and whether an answer still fits what was asked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Final

from chalicelib.model import (
    AcquireQuestion,
    Agent,
    AskAnswer,
    AskPlace,
    Connection,
    ConnectionQuestion,
    CredentialQuestion,
    JsonObject,
    Question,
    ToolQuestion,
    ToolVersion,
    VendorAnswer,
)
from chalicelib.rules.connections import Unbound, choose_connection, in_scope, live

ASK_OPEN: Final = timedelta(hours=24)
ANSWER_REMEMBERED: Final = timedelta(minutes=10)
"""How long an agent that repeats its call hears `connected` before the same call asks afresh."""
OPEN_MAX: Final = 50
"""Asks of one agent that wait at the same time."""
CREDENTIAL_REFUSED: Final = frozenset({401, 403})
"""A vendor's statuses after which another credential may help."""
INPUT_CHARACTERS_MAX: Final = 100_000
"""What a person can be shown whole, and what a row holds."""


class Standing(Enum):
    """What a repeated call finds where its question is kept."""

    NOTHING = "nothing"
    OPEN = "open"
    CONNECTED = "connected"
    DECLINED = "declined"


def question_digest(question: Question) -> str:
    """32 characters that are equal for what counts as one question. The agent's own words are no part of it."""
    return _digest(_identity(question))


def input_digest(input: JsonObject) -> str:
    """32 characters that name one input, whatever the order of its keys."""
    return _digest(input)


def _identity(question: Question) -> Any:
    match question:
        case ToolQuestion():
            asked_for = input_digest(question.input) if question.every_time else ""
            return ["tool", question.tool, question.version, question.connection_id, asked_for]
        case ConnectionQuestion():
            hosts = [question.primary_host, *sorted(question.hosts)]
            return ["connection", question.vendor, question.scheme, dict(question.scheme_config), hosts]
        case CredentialQuestion():
            return ["credential", question.connection_id]
        case AcquireQuestion():
            return ["acquire", question.connection_id, question.provider, sorted(question.hosts)]


def _digest(value: Any) -> str:
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:32]


def decide_standing(place: AskPlace | None, now: datetime) -> Standing:
    """A decline holds for as long as the ask would have been open; so no agent can nag."""
    if place is None:
        return Standing.NOTHING
    match place.answer:
        case AskAnswer.CONNECTED if place.answered_at is not None and now < place.answered_at + ANSWER_REMEMBERED:
            return Standing.CONNECTED
        case AskAnswer.DECLINED if now < place.expires_at:
            return Standing.DECLINED
        case None if now < place.expires_at:
            return Standing.OPEN
        case _:
            return Standing.NOTHING


def is_worthless(place: AskPlace, last: VendorAnswer | None) -> bool:
    """Whether the vendor has refused the credential with which this ask was answered."""
    if last is None or place.answered_at is None:
        return False
    return last.status in CREDENTIAL_REFUSED and last.at > place.answered_at


def find_staleness(
    question: ToolQuestion, current: ToolVersion | None, agent: Agent | None, connections: Sequence[Connection]
) -> str | None:
    """Why allowing this would grant something else than was asked, as a sentence; None: it is as it was.

    A call is held against the answer for the connection that it would use then, so that is what is looked at.
    `connections`: all of the person's. `agent` None: it cannot be read.
    """
    if current is None:
        return f"{question.tool} is no longer in the toolbox."
    if current.version != question.version:
        return f"{question.tool} has version {current.version} now; this question was about version {question.version}."
    if agent is None:
        return "The agent that asked cannot be read."
    chosen = choose_connection(current.vendor, current.connection_id, in_scope(agent, connections))
    if isinstance(chosen, tuple):
        return f"{current.vendor} has several live connections now, and {question.tool} names none of them."
    if isinstance(chosen, Unbound):
        return None if question.connection_id is None else _find_loss(question.connection_id, connections)
    if chosen.id != question.connection_id:
        return "It would use another connection now than it would have when it was asked."
    return _find_moved_hosts(question.hosts, chosen)


def find_acquire_staleness(
    question: AcquireQuestion, agent: Agent | None, connections: Sequence[Connection], provider: str | None
) -> str | None:
    """The same for having tools written: who would be sent what the vendor answers must be who was named."""
    if agent is None:
        return "The agent that asked cannot be read."
    connection = next((c for c in live(in_scope(agent, connections)) if c.id == question.connection_id), None)
    if connection is None:
        return _find_loss(question.connection_id, connections)
    if provider != question.provider:
        return "Another provider runs the model now." if provider else "No model is configured any more."
    return _find_moved_hosts(question.hosts, connection)


def _find_loss(connection_id: str, connections: Sequence[Connection]) -> str:
    """Why an agent cannot use a connection that it could."""
    if any(connection.id == connection_id for connection in live(connections)):
        return "The agent may no longer use the connection: it is not among those chosen for it."
    return "The connection was revoked."


def _find_moved_hosts(asked: tuple[str, ...], connection: Connection) -> str | None:
    if connection.hosts == asked:
        return None
    return f"The hosts of the connection changed; they are now {', '.join(connection.hosts)}."
