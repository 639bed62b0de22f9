"""An ask that takes no answer any more: what holds, why, and what to say in the chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Final, TypeAlias

from chalicelib.model import AcquireQuestion, Ask, AskAnswer, Job, JobStatus, LedgerLine, Run, ToolQuestion
from chalicelib.services.answers import Answered, Ended

from .. import agent_jobs, framing, moments
from ..http import PageResponse
from ..render import Frame, html
from ..unseen import Piece, pieces
from ..visit import Visit
from ..words import ANSWERS, DENY_ACQUIRE, SAY, count

LIVE_FOR: Final = timedelta(minutes=30)
"""So long after the answer the page looks for the repeated call by itself."""
HEADINGS: Final = {
    AskAnswer.ALLOWED: ("good", "Allowed"),
    AskAnswer.ASK_EVERY_TIME: ("good", "Allowed, this once"),
    AskAnswer.DENIED: ("bad", "Denied"),
    AskAnswer.CONNECTED: ("good", "Connected"),
    AskAnswer.DECLINED: ("bad", "Declined"),
}
NO_LONGER: Final = {
    Ended.EXPIRED: ("No longer open", "It was asked more than 24 hours ago. The next call asks again."),
    Ended.CLOSED: ("Closed", "It was closed without an answer."),
    Ended.CHANGED: ("Nothing was granted", "What was asked is no longer as it was."),
}

Came: TypeAlias = LedgerLine | Run | Job | None


@dataclass(frozen=True, slots=True)
class Repeated:
    """The agent's call after the answer."""

    state: str
    """`waiting`, `flight`, `ok` or `failed`."""
    sentence: str
    detail: tuple[Piece, ...]
    tool: str = ""
    """The wire name of a tool that came of it."""


@dataclass(frozen=True, slots=True)
class EndedPage:
    template: ClassVar[str] = "ask_ended.html"
    frame: Frame
    code: str
    agent: str
    agent_id: str
    subject: str
    """The tool's wire name, or what was to be connected."""
    is_tool: bool
    is_standing: bool
    """Whether the answer stands until it is withdrawn."""
    tone: str
    heading: str
    sentence: str
    reason: tuple[Piece, ...]
    """The person's own, of a denial."""
    late: str
    """Told to whoever answered second; empty: nobody did."""
    say: str
    """What to say in the chat; empty: nothing."""
    repeated: Repeated | None
    is_live: bool
    can_ask_again: bool
    next_code: str
    can_deny: bool


def show(
    visit: Visit, ended: Answered, *, agent: str, subject: str, next_code: str = "", came: Came = None
) -> PageResponse:
    """`came`: what the agent's repeated call began; None: it has not repeated it."""
    ask = ended.ask
    granted = ask.answer in (AskAnswer.ALLOWED, AskAnswer.ASK_EVERY_TIME)
    tone, heading, sentence = _told(ended, agent)
    repeated = _repeated(visit, came, agent) if granted else None
    page = EndedPage(
        frame=framing.narrow(visit),
        code=ask.code,
        agent=agent,
        agent_id=ask.agent_id,
        subject=subject,
        is_tool=isinstance(ask.question, ToolQuestion),
        is_standing=isinstance(ask.question, ToolQuestion | AcquireQuestion),
        tone=tone,
        heading=heading,
        sentence=sentence,
        reason=pieces(ask.note) if ask.answer is AskAnswer.DENIED else (),
        late=_late(visit, ask),
        say=SAY if ask.answer is not None and ask.answer is not AskAnswer.DECLINED else "",
        repeated=repeated,
        is_live=repeated is not None and _is_live(visit, ask, repeated),
        can_ask_again=ask.answer is AskAnswer.DECLINED,
        next_code=next_code,
        can_deny=ended.ended is Ended.CHANGED and isinstance(ask.question, ToolQuestion),
    )
    return html(page)


def _told(ended: Answered, agent: str) -> tuple[str, str, str]:
    """(tone, heading, sentence)."""
    answer = ended.ask.answer
    if answer is not None:
        covers = _covers_acquire if isinstance(ended.ask.question, AcquireQuestion) else _covers
        return *HEADINGS[answer], covers(answer, agent)
    assert ended.ended is not None
    heading, sentence = NO_LONGER[ended.ended]
    return "calm" if ended.ended is not Ended.CHANGED else "warn", heading, ended.why or sentence


def _covers(answer: AskAnswer, agent: str) -> str:
    match answer:
        case AskAnswer.ALLOWED:
            return f"{agent} may run it, with any input, without asking, until its code changes or you withdraw it."
        case AskAnswer.ASK_EVERY_TIME:
            return f"{agent} may run it exactly as it was shown, once. Every later call asks again."
        case AskAnswer.DENIED:
            return f"{agent} is refused this and later calls, until you withdraw."
        case AskAnswer.CONNECTED:
            return "The secret is stored encrypted. It is sent to the hosts you saw and nowhere else."
        case AskAnswer.DECLINED:
            return f"Nothing was stored. {agent} is told that you declined."


def _covers_acquire(answer: AskAnswer, agent: str) -> str:
    if answer is AskAnswer.DENIED:
        return DENY_ACQUIRE.format(agent=agent)
    return f"{agent} may have tools written for this connection, whatever their goal, until you withdraw it."


def _late(visit: Visit, ask: Ask) -> str:
    """`said` in the address is what was wanted by a second answer, of this browser or of another one."""
    said = visit.request.query.get("said", "")
    if ask.answer is None or ask.answered_at is None or said not in set(AskAnswer):
        return ""
    already = f"It was {ANSWERS[ask.answer]} already, {moments.ago(ask.answered_at, visit.deps.now())}."
    if said == AskAnswer.CONNECTED:
        return f"{already} That answer holds, and a secret that was sent after it was not stored."
    return f"{already} That answer holds, and the one after it changed nothing."


def _repeated(visit: Visit, came: Came, agent: str) -> Repeated:
    now = visit.deps.now()
    match came:
        case Job() as job:
            return _told_of(job)
        case LedgerLine() as line:
            length = moments.seconds(line.ended_at - line.run.started_at)
            when = f"{moments.ago(line.ended_at, now)}, {count(line.vendor_calls, 'vendor call')}."
            if line.outcome == "ok":
                return Repeated("ok", f"Done in {length}", pieces(when))
            return Repeated("failed", f"Ended after {length}: {line.outcome.replace('_', ' ')}", pieces(when))
        case Run():
            return Repeated("flight", "Running", pieces(f"{agent} called again; the run is in flight."))
        case None:
            return _not_yet(agent)


def _not_yet(agent: str) -> Repeated:
    return Repeated("waiting", "Not repeated yet", pieces(f"It shows up here when {agent} calls again."))


def _told_of(job: Job) -> Repeated:
    """What became of it: its own last words, and the tool it made."""
    return Repeated(_job_state(job), _job_words(job), agent_jobs.news(job), agent_jobs.tool_of(job))


def _job_words(job: Job) -> str:
    _, _, state = agent_jobs.STATES[job.status]
    return f"{state.capitalize()}: {agent_jobs.spent(job)}"


def _job_state(job: Job) -> str:
    if job.status.is_open:
        return "flight"
    return "ok" if job.status is JobStatus.SUCCEEDED else "failed"


def _is_live(visit: Visit, ask: Ask, repeated: Repeated) -> bool:
    assert ask.answered_at is not None
    is_fresh = visit.deps.now() < ask.answered_at + LIVE_FOR
    return is_fresh and repeated.state in ("waiting", "flight")
