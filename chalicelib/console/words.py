"""The sentences of the contract, and the words that several pages share."""

from __future__ import annotations

from typing import Final, Literal

from chalicelib.model import Annotations, Answer, AskAnswer, ToolVersion

ALLOW: Final = "{agent} may run this tool, with any input, without asking, until its code changes or you withdraw it."
ALLOW_EVERY_TIME: Final = "This call, exactly as shown, once. Every later call asks again."
ALLOW_ACQUIRE: Final = (
    "{agent} may have tools written for this connection, whatever their goal, until you withdraw it. Graft reads from "
    "the hosts above, and what they answer goes to {provider}. Nothing is written at the vendor: a tool that can write "
    "still asks you before its first call."
)
DENY_ACQUIRE: Final = "No tool is written for {agent} on this connection, until you withdraw."
DENY: Final = "This and later calls, until you withdraw."
REASON: Final = "It goes back to {agent} word for word."
SAY: Final = "I have answered. Please repeat the same call."

Chip = Literal["read", "write", "destructive"]

CHIP_WORDS: Final[dict[Chip, str]] = {"read": "read-only", "write": "write", "destructive": "destructive"}
CHIP_SENTENCES: Final[dict[Chip, str]] = {
    "read": "It can only read at the vendor.",
    "write": "It can write at the vendor.",
    "destructive": "It can delete at the vendor.",
}
ANSWERS: Final = {
    AskAnswer.ALLOWED: "allowed",
    AskAnswer.ASK_EVERY_TIME: "allowed, this once",
    AskAnswer.DENIED: "denied",
    AskAnswer.CONNECTED: "connected",
    AskAnswer.DECLINED: "declined",
}
STANDING: Final = {
    Answer.ALLOWED: "allowed",
    Answer.ASK_EVERY_TIME: "allowed, asks every time",
    Answer.DENIED: "denied",
}


def chip(annotations: Annotations) -> Chip:
    if annotations.destructive:
        return "destructive"
    return "read" if annotations.read_only else "write"


def methods_of(tool: ToolVersion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(those that write, the others), each in alphabetical order."""
    writing = sorted(tool.methods - {"GET", "HEAD"})
    return tuple(writing), tuple(sorted(tool.methods & {"GET", "HEAD"}))


def count(number: int, one: str, many: str = "") -> str:
    """`1 tool`, `2 tools`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
