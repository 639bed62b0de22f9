"""What stands at the public URL: what this is, and the way in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chalicelib.services import first_run

from .. import framing
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit


@dataclass(frozen=True, slots=True)
class HomePage:
    template: ClassVar[str] = "home.html"
    frame: Frame
    mcp_url: str


def show(visit: Visit) -> PageResponse:
    """Whoever is signed in goes to their agents, or to the first run while none of them was ever seen."""
    if visit.found is not None:
        return visit.go("/agents" if first_run.is_anybody_seen(visit.deps, visit.person_id) else "/start")
    return html(HomePage(framing.narrow(visit), f"{visit.deps.settings.public_base_url}/mcp"))
