"""The first run: four steps to the first tool, each ticked by what Graft has seen."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from chalicelib.model import Agent
from chalicelib.services import first_run
from chalicelib.services.first_run import Progress, Ran
from chalicelib.services.identity import token_length

from ..agent_status import harness_of
from ..cookies import is_loopback
from ..http import PageResponse
from ..outcomes import why
from ..render import Frame, html
from ..side_by_side import with_frame
from ..snippets import try_it
from ..visit import Visit

CAUSES_AFTER: Final = timedelta(minutes=2)
LIVE_SECONDS: Final = 3
PLACEHOLDER: Final = "grft_…"


@dataclass(frozen=True, slots=True)
class RunFacts:
    agent: str
    tool: str
    at: datetime
    why: str
    """Empty: it went through."""


@dataclass(frozen=True, slots=True)
class StartPage:
    template: ClassVar[str] = "start.html"
    frame: Frame
    agent: Agent | None
    """The one that was made last; None: the first step is still to do."""
    seen_agent: str
    """Empty: the second step is still to do."""
    harness: str
    seen_at: datetime | None
    shows_causes: bool
    token_characters: int
    mcp_url: str
    is_local: bool
    """Whether that address is reached from its own machine only."""
    try_it: str
    connection: str
    connected_at: datetime | None
    ran: RunFacts | None
    failed: RunFacts | None
    step: int
    """The first that is not done, from 1; 5: all are."""
    live_seconds: int


def show(visit: Visit) -> PageResponse:
    progress, frame = with_frame(visit, lambda: first_run.progress(visit.deps, visit.person_id))
    return html(_page(visit, frame, progress))


def _page(visit: Visit, frame: Frame, progress: Progress) -> StartPage:
    agent, seen, connection = progress.made, progress.seen, progress.connection
    base_url = visit.deps.settings.public_base_url
    return StartPage(
        frame=frame,
        agent=agent,
        seen_agent=seen.agent.name if seen else "",
        harness=harness_of(seen) if seen else "",
        seen_at=progress.seen_at,
        shows_causes=agent is not None and frame.now - agent.created_at >= CAUSES_AFTER,
        token_characters=token_length(agent.person_id, agent.id) if agent else 0,
        mcp_url=f"{base_url}/mcp",
        is_local=is_loopback(base_url),
        try_it=try_it(f"{base_url}/mcp", PLACEHOLDER),
        connection=connection.display_name if connection else "",
        connected_at=connection.created_at if connection else None,
        ran=_run(progress.ran),
        failed=_run(progress.failed),
        step=_step(progress),
        live_seconds=LIVE_SECONDS,
    )


def _step(progress: Progress) -> int:
    done = (progress.made, progress.seen, progress.connection, progress.ran)
    return next((number for number, fact in enumerate(done, start=1) if fact is None), len(done) + 1)


def _run(ran: Ran | None) -> RunFacts | None:
    if ran is None:
        return None
    line = ran.line
    return RunFacts(
        ran.agent.name, line.run.tool, line.ended_at, "" if line.outcome == first_run.OK else why(line.outcome)
    )
