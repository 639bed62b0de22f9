"""The person's agents, and the limits of one of them edited in its row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import Agent
from chalicelib.services import agent_summaries, agents
from chalicelib.services.agent_summaries import AgentSummary, AgentsView

from .. import agent_form, framing
from ..agent_form import AgentForm
from ..agent_status import Status, harness_of, status_of
from ..bars import Bar, bar, over_cap
from ..forms import FormFault
from ..http import PageResponse
from ..paging import PAGE_BYTES, read_number
from ..render import Frame, html
from ..visit import Visit
from .agent_found import find_live

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

SHOWN: Final = 20
SAVED: Final = "saved"
"""In the address of the list that a save leads to: whose limits."""
ROW_BYTES: Final = 1_000
"""About what one of them weighs."""


@dataclass(frozen=True, slots=True)
class AgentLine:
    id: str
    name: str
    harness: str
    seen_at: datetime | None
    status: Status
    bar: Bar
    over: str
    idle_window_days: int
    is_revoked: bool


@dataclass(frozen=True, slots=True)
class AgentListPage:
    template: ClassVar[str] = "agent_list.html"
    frame: Frame
    lines: tuple[AgentLine, ...]
    start: int
    """How many agents stand before these."""
    total: int
    saved: Agent | None
    """Whose limits were saved just now."""
    editing: str
    """The agent whose form is open; empty: none."""
    form: AgentForm
    swept_at: datetime | None
    next_sweep_at: datetime | None
    has_run: bool
    """Whether any of them ever ran a tool; until then the first run is not over."""


def begin(deps: Deps, person_id: str, _: tuple[str, ...]) -> Sequence[str]:
    return deps.store.agents.ids(person_id)


def show(visit: Visit) -> PageResponse:
    return _fitted(_page(visit, visit.request.query.get("edit", "")))


def edit(visit: Visit) -> PageResponse:
    """Save what was typed in the agent's row."""
    agent = find_live(visit)
    typed = agent_form.typed(visit.fields)
    try:
        wanted = agent_form.read_limits(visit.fields)
        agents.edit_limits(visit.deps, agent.person_id, agent.id, **wanted.model_dump())
    except FormFault as fault:
        return _fitted(_page(visit, agent.id, agent_form.with_faults(typed, fault.faults)), status=422)
    except Refusal as refusal:
        return _fitted(_page(visit, agent.id, agent_form.refused(typed, refusal)), status=422)
    start = read_number(visit.field("from"))
    return visit.go("/agents", query=f"?from={start}&{SAVED}={agent.id}" if start else f"?{SAVED}={agent.id}")


def _fitted(page: AgentListPage, status: int = 200) -> PageResponse:
    """The page with as many agents as there is room for, the one that is edited among them."""
    response = html(page, status=status)
    over = len(response.body.encode()) - PAGE_BYTES
    if over <= 0 or len(page.lines) <= 1:
        return response
    kept = max(1, len(page.lines) - over // ROW_BYTES - 1)
    edited = next((at for at, line in enumerate(page.lines) if line.id == page.editing), 0)
    begin = 0 if edited < kept else edited
    lines = page.lines[begin : begin + kept]
    return _fitted(replace(page, lines=lines, start=page.start + begin), status)


def _page(visit: Visit, editing: str, form: AgentForm | None = None) -> AgentListPage:
    ids = begin(visit.deps, visit.person_id, ()) if visit.begun is None else visit.begun
    view = agent_summaries.view(visit.deps, visit.signed_in.person, ids)
    start = _start(visit, view, editing)
    shown = view.summaries[start : start + SHOWN]
    mine = next((s.agent for s in shown if s.agent.id == editing and s.agent.revoked_at is None), None)
    return AgentListPage(
        frame=framing.wide(visit, view.waiting),
        lines=tuple(_line(summary) for summary in shown),
        start=start,
        total=len(view.summaries),
        saved=_live(view, visit.request.query.get(SAVED, "")),
        editing=mine.id if mine else "",
        form=form or (agent_form.saved(mine) if mine else AgentForm()),
        swept_at=_swept_at(view),
        next_sweep_at=view.next_sweep_at,
        has_run=any(summary.agent.rate is not None for summary in view.summaries),
    )


def _start(visit: Visit, view: AgentsView, editing: str) -> int:
    """Where the address says; with a form that is open, where its agent is."""
    place = next((at for at, summary in enumerate(view.summaries) if summary.agent.id == editing), None)
    if place is not None:
        return place - place % SHOWN
    start = read_number(visit.field("from") or visit.request.query.get("from", ""))
    return start if start < len(view.summaries) else 0


def _live(view: AgentsView, agent_id: str) -> Agent | None:
    agents_found = (summary.agent for summary in view.summaries if summary.agent.id == agent_id)
    return next((agent for agent in agents_found if agent.revoked_at is None), None)


def _swept_at(view: AgentsView) -> datetime | None:
    return view.report.at if view.report else None


def _line(summary: AgentSummary) -> AgentLine:
    agent = summary.agent
    return AgentLine(
        id=agent.id,
        name=agent.name,
        harness=harness_of(summary),
        seen_at=summary.seen_at,
        status=status_of(summary),
        bar=bar(agent, summary.withheld),
        over=over_cap(agent, summary.withheld),
        idle_window_days=agent.idle_window_days,
        is_revoked=agent.revoked_at is not None,
    )
