"""What stands at the public URL: what this is, and the way in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

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
    """Whoever is signed in goes to their agents."""
    if visit.found is not None:
        return visit.go("/agents")
    return html(HomePage(framing.narrow(visit), f"{visit.deps.settings.public_base_url}/mcp"))
