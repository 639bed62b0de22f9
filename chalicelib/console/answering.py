"""A request for a route answered: its page, or its form taken, once that came from a page of ours in this browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from chalicelib.services import logins

from . import keeping
from .cookies import form_cookie
from .forms import read_fields
from .guard import FORM_TOKEN, Forbidden, require_form_token, require_own_origin
from .http import PageResponse
from .keeping import Kept
from .pages import sign_in
from .refilling import refilled
from .route import Handler, Route
from .visit import Visit

Find = Callable[[str], tuple[Route, tuple[str, ...]]]
"""The route of a path, and the path's variable parts."""


def answer(visit: Visit, route: Route, find: Find) -> PageResponse:
    match visit.request.method:
        case "GET" | "HEAD" if route.get is not None:
            return _shown(visit, route.get)
        case "POST" if route.post is not None:
            return _sent(visit, route, route.post, find)
        case _:
            allowed = ["GET, HEAD"] * (route.get is not None) + ["POST"] * (route.post is not None)
            return PageResponse(405, {"Allow": ", ".join(allowed), "Content-Type": "text/plain"}, "Not allowed\n")


def _shown(visit: Visit, handler: Handler) -> PageResponse:
    """A page; with a form filled in that was sent after its sign-in had ended, where the address asks for it."""
    wanted = visit.found is not None and keeping.RESTORED in visit.request.query
    kept = keeping.read(visit.signed_in.login.kept_form) if wanted else None
    if kept is None or urlsplit(kept.page).path != visit.request.path:
        return handler(visit)
    return _filled_in(visit, handler, kept)


def _filled_in(visit: Visit, handler: Handler, kept: Kept) -> PageResponse:
    response = handler(replace(visit, notice=kept.notice))
    return replace(response, body=refilled(response.body, f"{visit.request.root}{kept.form}", kept.fields))


def _sent(visit: Visit, route: Route, handler: Handler, find: Find) -> PageResponse:
    """A form that a page of ours sent from this browser. Nothing is changed before that is known.

    One whose sign-in has ended meanwhile changes nothing either: what was typed comes back after another.
    """
    request = visit.request
    require_own_origin(request, visit.deps.settings.public_base_url)
    visit = replace(visit, fields=read_fields(request))
    if visit.found is None and not route.is_open:
        return sign_in.interrupted(visit, _kept(visit, route))
    sent_key = request.cookie(form_cookie(request.origin).name) if route.is_open else ""
    try:
        require_form_token(visit.field(FORM_TOKEN), visit.found, sent_key)
    except Forbidden:
        if route.is_open:
            raise
        return _shown_again(visit, _kept(visit, route), find)
    response = handler(visit)
    if visit.found is not None and visit.found.login.kept_form and response.status < HTTPStatus.BAD_REQUEST:
        logins.keep_form(visit.deps, visit.found, "")
    return response


def _kept(visit: Visit, route: Route) -> Kept:
    path = visit.request.path
    return keeping.kept_of(visit.fields, form=path, page=route.page.format(*visit.parts) or path)


def _shown_again(visit: Visit, kept: Kept, find: Find) -> PageResponse:
    """A form of an earlier sign-in of the same person: its page, filled in, as this sign-in has it.

    Raises `Forbidden` for anybody else's.
    """
    if visit.found is None or kept.owner != visit.found.mark:
        raise Forbidden
    page = urlsplit(kept.page)
    route, parts = find(page.path)
    assert route.get is not None
    request = replace(visit.request, method="GET", path=page.path, query=dict(parse_qsl(page.query)), body=b"")
    response = _filled_in(replace(visit, request=request, parts=parts, fields={}), route.get, kept)
    return replace(response, status=403) if response.status == HTTPStatus.OK else response
