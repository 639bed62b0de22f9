"""The end of a connection: what it takes away, spelled out before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from chalicelib.errors import Reason, Refusal
from chalicelib.model import ConnectionState
from chalicelib.services import connection_view, connections
from chalicelib.services.connection_view import RevokeEffects

from ..http import PageResponse
from ..render import Frame, html
from ..side_by_side import with_frame
from ..unseen import Piece, pieces
from ..visit import NotFound, Visit


@dataclass(frozen=True, slots=True)
class RevokePage:
    template: ClassVar[str] = "connection_revoke.html"
    frame: Frame
    name: tuple[Piece, ...]
    has_secret: bool
    effects: RevokeEffects
    answers: int
    """Approvals that would be withdrawn, of all agents."""


def show(visit: Visit) -> PageResponse:
    effects, frame = with_frame(
        visit, lambda: connection_view.find_effects(visit.deps, visit.signed_in.person, visit.parts[0])
    )
    if effects is None or effects.connection.state is not ConnectionState.LIVE:
        raise NotFound
    connection = effects.connection
    answers = sum(len(loss.answers) for loss in effects.leaving)
    return html(RevokePage(frame, pieces(connection.display_name), connection.scheme != "none", effects, answers))


def revoke(visit: Visit) -> PageResponse:
    """Repeating it goes on where it stopped."""
    try:
        connections.revoke(visit.deps, visit.person_id, visit.parts[0])
    except Refusal as refusal:
        if refusal.reason is Reason.CONNECTION_NOT_FOUND:
            raise NotFound from None
        raise
    return visit.go("/connections")
