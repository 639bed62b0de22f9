"""The shapes of an ask, of the place where its question is found, and of its link's code."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any, Final

from chalicelib.model import (
    AcquireQuestion,
    Ask,
    AskAnswer,
    AskPlace,
    AskPointer,
    AskState,
    ConnectionQuestion,
    CredentialQuestion,
    Question,
    ToolQuestion,
)
from chalicelib.storage.items import (
    Item,
    ask_key,
    code_key,
    expiry,
    from_ms,
    json_text,
    moment,
    question_key,
    text,
)

KEPT: Final = timedelta(days=30)
"""After its time an ask is still shown for so long; then TTL may take it."""

_KINDS: Final[dict[str, type[Any]]] = {
    "tool": ToolQuestion,
    "connection": ConnectionQuestion,
    "credential": CredentialQuestion,
    "acquire": AcquireQuestion,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def ask_item(ask: Ask) -> Item:
    """An open ask."""
    return ask_key(ask.person_id, ask.id) | {
        "code": text(ask.code),
        "agent": text(ask.agent_id),
        "question": json_text([_NAMES[type(ask.question)], asdict(ask.question)]),
        "opened_at": moment(ask.opened_at),
        "closes_at": moment(ask.expires_at),
        "state": text(ask.state),
        "expires_at": expiry(ask.expires_at + KEPT),
    }


def to_ask(item: Item) -> Ask:
    return Ask(
        person_id=item["pk"]["S"].removeprefix("Q#"),
        id=item["sk"]["S"].removeprefix("ask#"),
        code=item["code"]["S"],
        agent_id=item["agent"]["S"],
        question=_to_question(*json.loads(item["question"]["S"])),
        opened_at=from_ms(item["opened_at"]["N"]),
        expires_at=from_ms(item["closes_at"]["N"]),
        state=AskState(item["state"]["S"]),
        answer=AskAnswer(item["answer"]["S"]) if "answer" in item else None,
        answered_at=from_ms(item["answered_at"]["N"]) if "answered_at" in item else None,
        note=item["note"]["S"] if "note" in item else "",
        connection_id=item["connection"]["S"] if "connection" in item else None,
    )


def _to_question(kind: str, fields: dict[str, Any]) -> Question:
    if "hosts" in fields:
        fields["hosts"] = tuple(fields["hosts"])
    question: Question = _KINDS[kind](**fields)
    return question


def place_item(ask: Ask, digest: str) -> Item:
    return question_key(ask.person_id, ask.agent_id, digest) | {
        "ask_id": text(ask.id),
        "code": text(ask.code),
        "opened_at": moment(ask.opened_at),
        "closes_at": moment(ask.expires_at),
        "expires_at": expiry(ask.expires_at + KEPT),
    }


def to_place(item: Item) -> AskPlace:
    return AskPlace(
        ask_id=item["ask_id"]["S"],
        code=item["code"]["S"],
        opened_at=from_ms(item["opened_at"]["N"]),
        expires_at=from_ms(item["closes_at"]["N"]),
        answer=AskAnswer(item["answer"]["S"]) if "answer" in item else None,
        answered_at=from_ms(item["answered_at"]["N"]) if "answered_at" in item else None,
    )


def code_item(ask: Ask) -> Item:
    about = ask.pointer
    told = {"agent": about.agent_id, "tool": about.tool, "connection": about.connection_id}
    return (
        code_key(ask.code)
        | {name: text(value) for name, value in told.items() if value}
        | {
            "person": text(ask.person_id),
            "ask_id": text(ask.id),
            "expires_at": expiry(ask.expires_at + KEPT),
        }
    )


def to_pointer(item: Item) -> AskPointer:
    agent, tool, bound = (item[name]["S"] if name in item else "" for name in ("agent", "tool", "connection"))
    return AskPointer(item["person"]["S"], item["ask_id"]["S"], agent, tool, bound)
