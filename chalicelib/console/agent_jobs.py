"""The tools that are being written for an agent, and those that were: each job in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from chalicelib.model import Job, JobStatus
from chalicelib.services.agent_view import AgentView
from chalicelib.services.jobs import ATTEMPTS_MAX

from .paging import cut, short
from .unseen import Piece, pieces
from .words import count

GOAL_SHOWN: Final = 140
NEWS_SHOWN: Final = 320
NAME_SHOWN: Final = 60
"""Characters of a goal, of what a job says last, and of a connection's name."""
TEXT_BYTES: Final = 600
"""What each of them may weigh in a page, characters that are spelled out included."""
SETTLES: Final = timedelta(seconds=10)
"""What a job's end brings with it, a run out of flight or tools that leave, may come a moment later."""
ROOM_KEPT: Final = timedelta(minutes=1)
"""Whoever saw a job end sees nothing below it jump."""
STATES: Final = {
    JobStatus.QUEUED: ("calm", "wait", "queued"),
    JobStatus.RUNNING: ("good", "flight", "running"),
    JobStatus.SUCCEEDED: ("good", "check", "done"),
    JobStatus.FAILED: ("warn", "warn", "failed"),
    JobStatus.CANCELLED: ("calm", "off", "cancelled"),
}


@dataclass(frozen=True, slots=True)
class JobRow:
    goal: tuple[Piece, ...]
    """The agent's words."""
    tone: str
    icon: str
    state: str
    asked_at: datetime
    connection: tuple[Piece, ...]
    spent: str
    """`attempt 2 of 4, 3,400 tokens`."""
    news: tuple[Piece, ...]
    """What it does now, or how it ended."""
    tool: str
    """The wire name of what came of it; empty: nothing yet."""
    is_live: bool
    """It is open, or has ended just now."""
    has_room: bool
    """Whether its news has room for more than it needs."""


def job_rows(view: AgentView, now: datetime) -> tuple[JobRow, ...]:
    """Newest first."""
    names = {connection.id: connection.display_name for connection in view.connections}
    return tuple(_row(job, names, now) for job in view.jobs)


def moved(view: AgentView) -> str:
    """Differs when a job has, by the first letter of its status, or the agent itself."""
    return "".join([str(view.agent.rev), *(job.status[0] for job in view.jobs)])


def _row(job: Job, names: Mapping[str, str], now: datetime) -> JobRow:
    tone, icon, state = STATES[job.status]
    return JobRow(
        goal=_shown(job.goal, GOAL_SHOWN),
        tone=tone,
        icon=icon,
        state=state,
        asked_at=job.created_at,
        connection=_shown(names.get(job.connection_id, job.connection_id), NAME_SHOWN),
        spent=spent(job),
        news=news(job),
        tool=tool_of(job),
        is_live=_is_within(SETTLES, job, now),
        has_room=_is_within(ROOM_KEPT, job, now),
    )


def _is_within(time: timedelta, job: Job, now: datetime) -> bool:
    """Whether it is open, or ended no longer ago than that."""
    return job.status.is_open or (bool(job.progress) and job.progress[-1].at > now - time)


def spent(job: Job) -> str:
    """How many attempts it took, or is at, and what the model's replies cost so far."""
    if not job.attempts:
        return "no attempt yet" if job.status.is_open else "no attempt"
    attempts = f"attempt {job.attempts} of {ATTEMPTS_MAX}" if job.status.is_open else count(job.attempts, "attempt")
    return f"{attempts}, {job.tokens:,} tokens"


def news(job: Job) -> tuple[Piece, ...]:
    """The last thing it said of itself. A model's or a vendor's words may be in it."""
    return _shown(job.progress[-1].message if job.progress else "", NEWS_SHOWN)


def tool_of(job: Job) -> str:
    """The wire name of the tool that the job made; empty: it made none."""
    return str((job.result or {}).get("tool", ""))


def _shown(text: str, characters: int) -> tuple[Piece, ...]:
    return cut(pieces(short(text, characters)), TEXT_BYTES)
