"""All of an agent's answers, its latest runs and jobs, and all that left it: what its own page has no room for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from chalicelib.errors import Refusal
from chalicelib.model import Agent
from chalicelib.services import agent_view

from .. import agent_jobs, agent_rows, agent_runs, framing
from ..agent_jobs import JobRow
from ..agent_rows import LeftLine
from ..agent_runs import AnswerRow, RunRow
from ..http import PageResponse
from ..paging import read_number
from ..render import Frame, html
from ..visit import NotFound, Visit

SHOWN: Final = 20
What = Literal["approvals", "runs", "jobs", "left"]


@dataclass(frozen=True, slots=True)
class MorePage:
    template: ClassVar[str] = "agent_more.html"
    frame: Frame
    agent: Agent
    what: What
    answers: tuple[AnswerRow, ...]
    runs: tuple[RunRow, ...]
    jobs: tuple[JobRow, ...]
    left: tuple[LeftLine, ...]
    start: int
    shown: int
    total: int


def show_approvals(visit: Visit) -> PageResponse:
    return _show(visit, "approvals")


def show_runs(visit: Visit) -> PageResponse:
    return _show(visit, "runs")


def show_jobs(visit: Visit) -> PageResponse:
    return _show(visit, "jobs")


def show_left(visit: Visit) -> PageResponse:
    return _show(visit, "left")


def _show(visit: Visit, what: What) -> PageResponse:
    try:
        view = agent_view.view(visit.deps, visit.person_id, visit.parts[0])
    except Refusal:
        raise NotFound from None
    answers = agent_runs.answer_rows(view) if what == "approvals" else ()
    runs = agent_runs.run_rows(view) if what == "runs" else ()
    jobs = agent_jobs.job_rows(view, visit.deps.now()) if what == "jobs" else ()
    left = tuple(agent_rows.left_line(one, view) for one in view.left) if what == "left" else ()
    total = len(answers) + len(runs) + len(jobs) + len(left)
    start = read_number(visit.request.query.get("from", ""))
    start = start if start < total else 0
    end = start + SHOWN
    frame = framing.wide(visit, view.waiting)
    shown = min(total, end) - start
    here = slice(start, end)
    rows = answers[here], runs[here], jobs[here], left[here]
    return html(MorePage(frame, view.agent, what, *rows, start, shown, total))
