"""What is so with an agent right now, in a word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chalicelib.services.agent_summaries import AgentSummary

UNNAMED: Final = "Unnamed harness"


@dataclass(frozen=True, slots=True)
class Status:
    tone: str
    icon: str
    words: str


def status_of(summary: AgentSummary) -> Status:
    if summary.agent.revoked_at is not None:
        return Status("calm", "off", "revoked")
    if summary.in_flight:
        return Status("good", "flight", "run in flight")
    if summary.seen_at is None:
        return Status("calm", "wait", "waits for its first call")
    return Status("good", "check", "connected")


def harness_of(summary: AgentSummary) -> str:
    """The name and version that its harness announced; empty: none was there yet."""
    seen = summary.presence
    named = f"{seen.harness} {seen.harness_version}".strip() if seen else ""
    return named or (UNNAMED if summary.seen_at is not None else "")
