"""One agent, whole: its limits, what left, its set, its history, the person's answers, its runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import Agent, Cause
from chalicelib.services import agent_view, agents, approvals
from chalicelib.services.agent_summaries import AgentSummary
from chalicelib.services.agent_view import AgentView

from .. import agent_form, agent_jobs, agent_rows, agent_runs, framing, paging
from ..agent_form import AgentForm, Limits
from ..agent_history import HistoryCard, history_card, read_filter
from ..agent_jobs import JobRow
from ..agent_now import Now, Preview, now_of, preview_of, saved_preview
from ..agent_rows import LeftLine, SetLine, Withheld
from ..agent_runs import AnswerRow, RunRow
from ..agent_status import Status, harness_of, status_of
from ..bars import Bar, bar, over_cap
from ..forms import FormFault
from ..http import PageResponse
from ..render import Frame, html
from ..visit import NotFound, Visit
from .agent_found import find, find_live

SAVED: Final = "saved"
"""In the address of the page that a save leads to."""
LEFT_SHOWN: Final = 4
ANSWERS_SHOWN: Final = 3
RUNS_SHOWN: Final = 5
JOBS_SHOWN: Final = 3
WITHHELD_SHOWN: Final = 3
SET_MOST: Final = 30
"""More tools than this fit no page."""
ROW_BYTES: Final = 1_000
"""About what one of them weighs."""


@dataclass(frozen=True, slots=True)
class SetCard:
    lines: tuple[SetLine, ...]
    start: int
    """How many stand before these."""
    total: int
    withheld: tuple[Withheld, ...]


@dataclass(frozen=True, slots=True)
class AgentPage:
    template: ClassVar[str] = "agent_page.html"
    frame: Frame
    agent: Agent
    harness: str
    status: Status
    summary: AgentSummary
    bar: Bar
    over: str
    scope: str
    now: Now
    form: AgentForm
    preview: Preview | None
    left: tuple[LeftLine, ...]
    left_total: int
    next_in_line: SetLine | None
    """Who leaves first if nobody uses it."""
    set: SetCard
    jobs: tuple[JobRow, ...]
    jobs_total: int
    jobs_live: bool
    """Whether one of those shown still moves."""
    moved: str
    """Differs once anything of the agent that the page tells has moved: what stands beside a live job follows it."""
    history: HistoryCard
    answers: tuple[AnswerRow, ...]
    answers_total: int
    runs: tuple[RunRow, ...]
    runs_total: int


def show(visit: Visit) -> PageResponse:
    view = _view(visit)
    is_saved = visit.request.query.get(SAVED) == "1" and view.agent.revoked_at is None
    preview = saved_preview(visit.deps, view) if is_saved else None
    return _fitted(_page(visit, view, agent_form.saved(view.agent), preview))


def save(visit: Visit) -> PageResponse:
    """Save name, cap and idle window, or show what the next sweep would take under them."""
    agent = find_live(visit)
    typed = agent_form.typed(visit.fields)
    try:
        wanted = agent_form.read_limits(visit.fields)
        if visit.field("preview"):
            return _previewed(visit, typed, wanted)
        agents.edit_limits(visit.deps, agent.person_id, agent.id, **wanted.model_dump())
    except FormFault as fault:
        return _fitted(_page(visit, _view(visit), agent_form.with_faults(typed, fault.faults)), status=422)
    except Refusal as refusal:
        return _fitted(_page(visit, _view(visit), agent_form.refused(typed, refusal)), status=422)
    return visit.go(f"/agents/{agent.id}", query=f"?{SAVED}=1")


def withdraw(visit: Visit) -> PageResponse:
    """Forget an answer, so that the next call asks."""
    agent = find(visit).agent
    tool, bound = visit.field("tool"), visit.field("connection") or None
    approvals.withdraw(visit.deps, agent.person_id, agent.id, tool, bound)
    return visit.go(f"/agents/{agent.id}", query="#approvals")


def _view(visit: Visit) -> AgentView:
    try:
        return agent_view.view(visit.deps, visit.person_id, visit.parts[0], read_filter(visit.request.query))
    except Refusal:
        raise NotFound from None


def _previewed(visit: Visit, typed: AgentForm, wanted: Limits) -> PageResponse:
    view = _view(visit)
    return _fitted(_page(visit, view, typed, preview_of(visit.deps, view, wanted)))


def _page(visit: Visit, view: AgentView, form: AgentForm, preview: Preview | None = None) -> AgentPage:
    agent = view.agent
    summary = AgentSummary(agent, view.presence, bool(view.in_flight), len(view.withheld))
    left = tuple(agent_rows.left_line(left, view) for left in view.left[:LEFT_SHOWN])
    history = history_card(view, visit.request.query)
    answers = agent_runs.answer_rows(view)
    runs = agent_runs.run_rows(view)
    jobs = agent_jobs.job_rows(view, visit.deps.now())
    lines = agent_rows.set_lines(view, _foreseen(visit, view), visit.deps.now())
    return AgentPage(
        frame=framing.wide(visit, view.waiting),
        agent=agent,
        harness=harness_of(summary),
        status=status_of(summary),
        summary=summary,
        bar=bar(agent, summary.withheld),
        over=over_cap(agent, summary.withheld),
        scope=_scope(agent),
        now=now_of(view),
        form=form,
        preview=preview,
        left=left,
        left_total=len(view.left),
        next_in_line=min(lines, key=lambda line: line.leaves_at or agent.created_at, default=None),
        set=_set_card(visit, view, lines),
        jobs=jobs[:JOBS_SHOWN],
        jobs_total=len(jobs),
        jobs_live=any(job.is_live for job in jobs[:JOBS_SHOWN]),
        moved=agent_jobs.moved(view),
        history=history,
        answers=answers[:ANSWERS_SHOWN],
        answers_total=len(answers),
        runs=runs[:RUNS_SHOWN],
        runs_total=len(runs),
    )


def _set_card(visit: Visit, view: AgentView, lines: tuple[SetLine, ...]) -> SetCard:
    start = paging.read_number(visit.request.query.get("from", ""))
    start = start if start < len(lines) else 0
    withheld = agent_rows.withheld(view)[:WITHHELD_SHOWN]
    return SetCard(lines[start : start + SET_MOST], start, len(lines), withheld)


def _fitted(page: AgentPage, status: int = 200) -> PageResponse:
    """The page with as many tools as there is room for, one at least; the others follow on its next page."""
    response = html(page, status=status)
    over = len(response.body.encode()) - paging.PAGE_BYTES
    if over <= 0 or len(page.set.lines) <= 1:
        return response
    kept = max(1, len(page.set.lines) - over // ROW_BYTES - 1)
    return _fitted(replace(page, set=replace(page.set, lines=page.set.lines[:kept])), status)


def _foreseen(visit: Visit, view: AgentView) -> Mapping[str, Cause]:
    agent = view.agent
    leavers = agent_view.preview(visit.deps, view.facts, cap=agent.cap, idle_window_days=agent.idle_window_days)
    return {leaver.tool: leaver.cause for leaver in leavers}


def _scope(agent: Agent) -> str:
    if agent.connection_ids is None:
        return "Uses every connection"
    number = len(agent.connection_ids)
    return f"Uses {number} connection{'' if number == 1 else 's'} only" if number else "Uses no connection"
