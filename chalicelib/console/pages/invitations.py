"""Another person of this Graft: a one-time link, shown once to whoever invites."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.model import LinkKind
from chalicelib.services import accounts

from .. import framing
from ..http import PageResponse
from ..render import Frame, html
from ..visit import Visit


@dataclass(frozen=True, slots=True)
class InvitationPage:
    template: ClassVar[str] = "invitation.html"
    frame: Frame
    link: str
    expires_at: datetime


def invite(visit: Visit) -> PageResponse:
    """Whoever is invited shares nothing with the person who invites, but the address of this Graft."""
    frame = framing.wide(visit)
    _, secret = accounts.invite(visit.deps)
    link = f"{visit.deps.settings.public_base_url}/in/{secret}"
    expires_at = visit.deps.now() + accounts.LINK_OPEN[LinkKind.SET_UP]
    return html(InvitationPage(frame, link, expires_at))
