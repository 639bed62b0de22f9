"""Another person of this Graft: a one-time link, shown once to whoever invites."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from chalicelib.model import LinkKind
from chalicelib.services import accounts

from .. import framing
from ..http import PageResponse
from ..made_once import sent_id
from ..render import Frame, html
from ..visit import Visit


@dataclass(frozen=True, slots=True)
class InvitationPage:
    template: ClassVar[str] = "invitation.html"
    frame: Frame
    link: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class InvitedPage:
    """What a form that was sent before is answered: its link is not shown again."""

    template: ClassVar[str] = "invitation_repeated.html"
    frame: Frame
    new_person_id: str


def invite(visit: Visit) -> PageResponse:
    """Whoever is invited shares nothing with the person who invites, but the address of this Graft."""
    frame = framing.wide(visit)
    secret = accounts.invite(visit.deps, sent_id(visit, "person_id"))
    if secret is None:
        return html(InvitedPage(frame, visit.deps.new_id()))
    link = f"{visit.deps.settings.public_base_url}/in/{secret}"
    expires_at = visit.deps.now() + accounts.LINK_OPEN[LinkKind.SET_UP]
    return html(InvitationPage(frame, link, expires_at))
