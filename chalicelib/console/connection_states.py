"""What is so with a connection, from what was recorded of it and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from chalicelib.errors import Reason
from chalicelib.model import ConnectionState, VendorAnswer
from chalicelib.services.connection_view import ConnectionFacts

REFUSED: Final = frozenset({401, 403})
_NOTHING_CAME: Final[dict[str, str]] = {
    Reason.VENDOR_UNREACHABLE: "vendor could not be reached",
    Reason.CREDENTIAL_MISSING: "no secret is stored",
    Reason.HOST_NOT_ALLOWED: "a call to a host that it does not name was stopped",
    Reason.RESPONSE_TOO_LARGE: "the vendor’s answer was too large",
    Reason.CONNECTION_REVOKED: "a call was stopped",
}


@dataclass(frozen=True, slots=True)
class State:
    tone: str
    icon: str
    words: str
    """What is so; the time follows."""
    at: datetime | None = None
    advice: str = ""
    """What that may mean, or what to do, as a sentence."""


def state_of(facts: ConnectionFacts) -> State:
    connection, answer = facts.connection, facts.answer
    match connection.state:
        case ConnectionState.REVOKED:
            return State("calm", "off", "revoked", connection.revoked_at, "Its secret is wiped.")
        case ConnectionState.REVOKING:
            advice = "Its secret is wiped; its tools are leaving the lists."
            return State("calm", "off", "being revoked since", connection.revoked_at, advice)
        case _:
            return _answered(answer) if answer is not None else _untried(facts)


def _untried(facts: ConnectionFacts) -> State:
    if facts.has_new_secret:
        return State("calm", "wait", "new secret saved, not tried yet, since", facts.connection.secret_saved_at)
    return State("calm", "wait", "saved, not tried yet")


def _answered(answer: VendorAnswer) -> State:
    if answer.status == 0:
        words = _NOTHING_CAME.get(answer.reason, f"a call ended without an answer ({answer.reason.replace('_', ' ')})")
        return State("bad", "warn", f"{words},", answer.at)
    words = f"last answered {answer.status},"
    if answer.status in REFUSED:
        advice = "The secret may have run out." if answer.status == 401 else "The secret may not reach that far."
        return State("bad", "warn", words, answer.at, advice)
    if answer.status >= 500:
        return State("warn", "warn", words, answer.at, "The vendor had a fault of its own.")
    return State("good", "check", words, answer.at)
