"""The console: one HTTP request in, one finished page out. Every route of it stands here."""

from __future__ import annotations

import base64
import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from chalicelib.errors import Conflict, Refusal
from chalicelib.services import logins, trail
from chalicelib.services.deps import log
from chalicelib.services.trail import Trail

from . import faults, page_lines
from .answering import answer
from .cookies import form_cookie, is_loopback, login_cookie
from .forms import Unreadable
from .guard import FORM_TOKEN, Forbidden, is_browser_key
from .http import PageRequest, PageResponse
from .knocks import Knocks
from .pages import (
    agent_list,
    agent_more,
    agent_new,
    agent_page,
    agent_scope,
    agent_token,
    asking,
    asks,
    connection_list,
    connection_revoke,
    connection_secret,
    home,
    invitations,
    links,
    sign_in,
    start,
    tool,
    toolbox,
)
from .pages import settings as settings_page
from .places import sign_in_for
from .policy import guarded
from .route import Route
from .visit import NotFound, NotSignedIn, Visit

if TYPE_CHECKING:
    from chalicelib.services.deps import Deps

KNOCKS: Final = Knocks()
_CODE: Final = r"([A-Za-z0-9_-]{1,64})"


ROUTES: Final = (
    Route("/", home.show),
    Route("/start", start.show),
    Route("/sign-in", sign_in.show, sign_in.submit, is_open=True),
    Route("/sign-out", None, sign_in.sign_out, is_open=True),
    Route(f"/in/{_CODE}", links.show, links.submit, is_open=True, changes_on_get=True),
    Route("/in", links.used),
    Route(f"/a/{_CODE}", asking.show, asking.submit, begin=asking.begin),
    Route("/asks", asks.show),
    Route(f"/asks/{_CODE}/again", None, asks.ask_again, page="/asks"),
    Route("/agents", agent_list.show, begin=agent_list.begin),
    Route("/agents/new", agent_new.show, agent_new.create),
    Route(f"/agents/{_CODE}", agent_page.show),
    Route(f"/agents/{_CODE}/edit", None, agent_list.edit, page="/agents?edit={}"),
    Route(f"/agents/{_CODE}/limits", None, agent_page.save, page="/agents/{}"),
    Route(f"/agents/{_CODE}/scope", agent_scope.show, agent_scope.save),
    Route(f"/agents/{_CODE}/withdraw", None, agent_page.withdraw, page="/agents/{}"),
    Route(f"/agents/{_CODE}/approvals", agent_more.show_approvals),
    Route(f"/agents/{_CODE}/runs", agent_more.show_runs),
    Route(f"/agents/{_CODE}/jobs", agent_more.show_jobs),
    Route(f"/agents/{_CODE}/left", agent_more.show_left),
    Route(f"/agents/{_CODE}/rotate", agent_token.show_rotate, agent_token.rotate),
    Route(f"/agents/{_CODE}/revoke", agent_token.show_revoke, agent_token.revoke),
    Route("/toolbox", toolbox.show),
    Route(f"/toolbox/{_CODE}", tool.show),
    Route("/connections", connection_list.show, connection_list.create),
    Route(f"/connections/{_CODE}/secret", connection_secret.show, connection_secret.replace),
    Route(f"/connections/{_CODE}/revoke", connection_revoke.show, connection_revoke.revoke),
    Route("/settings", settings_page.show),
    Route("/settings/password", None, settings_page.change_password, page="/settings"),
    Route("/settings/account", None, settings_page.choose_account, page="/settings"),
    Route("/settings/browsers", None, settings_page.end_browser, page="/settings"),
    Route("/settings/everywhere", None, settings_page.sign_out_everywhere, page="/settings"),
    Route("/settings/invite", None, invitations.invite, page="/settings"),
)


def handle(deps: Deps, request: PageRequest, *, knocks: Knocks = KNOCKS) -> PageResponse:
    """Answer one request. Never raises."""
    started = time.perf_counter()
    with trail.following(Trail(request.id)) as followed:
        response = guarded(request, _answer(deps, request, knocks))
        page_lines.write(followed, request, response, (time.perf_counter() - started) * 1000)
    return response


def _answer(deps: Deps, request: PageRequest, knocks: Knocks) -> PageResponse:
    sent_key = request.cookie(form_cookie(request.origin).name)
    key = sent_key if is_browser_key(sent_key) else logins.new_secret(deps)
    visit = Visit(deps, request, (), None, key, knocks)
    try:
        response = _serve(visit)
    except Exception:
        log_id = request.id or base64.b16encode(deps.random_bytes(6)).decode().lower()
        log.exception("the page of request %s could not be made", log_id)
        trail.message().log_id = log_id
        response = faults.broke(visit, log_id)
    if key != sent_key and not response.cookies and FORM_TOKEN in response.body:
        cookie = form_cookie(request.origin)
        response = replace(response, cookies=(cookie.set(key),))
    return response


def _serve(visit: Visit) -> PageResponse:
    deps, request = visit.deps, visit.request
    try:
        _require_own_name(visit)
        route, parts = _find(request.path)
        trail.current().route = route.path.replace(_CODE, "{}")
        if request.method == "HEAD" and route.changes_on_get:
            return PageResponse(200)
        found, begun = _arrived(deps, request, route, parts)
        visit = replace(visit, parts=parts, found=found, begun=begun)
        return answer(visit, route, _find)
    except NotFound:
        return _not_found(visit)
    except NotSignedIn:
        return visit.go("/sign-in", query=sign_in_for(request.path, request.query))
    except Forbidden:
        return faults.forbidden(visit)
    except Unreadable:
        return faults.unreadable(visit)
    except Refusal as refusal:
        return faults.refused(visit, refusal.message)
    except Conflict:
        return faults.busy(visit)


def _not_found(visit: Visit) -> PageResponse:
    """A program that asks for what is no page, such as a client that looks for OAuth, gets no page."""
    request = visit.request
    if not visit.parts and "text/html" not in request.header("accept"):
        return PageResponse(404, {"Content-Type": "application/json"}, '{"message":"Not found"}')
    return faults.not_found(replace(visit, found=_signed_in(visit.deps, request)))


def _require_own_name(visit: Visit) -> None:
    """On one machine's own address, a page of another name has rebound that name to it."""
    if is_loopback(visit.deps.settings.public_base_url) and not is_loopback(visit.request.origin):
        raise Forbidden


def _find(path: str) -> tuple[Route, tuple[str, ...]]:
    for route in ROUTES:
        match = re.fullmatch(route.path, path.rstrip("/") or "/")
        if match:
            return route, match.groups()
    raise NotFound


def _arrived(
    deps: Deps, request: PageRequest, route: Route, parts: tuple[str, ...]
) -> tuple[logins.SignedIn | None, Any]:
    """Who is signed in, and what the page begins with. One round trip."""
    begin, person_id = route.begin, logins.person_of(request.cookie(login_cookie(request.origin).name))
    if begin is None or not person_id:
        return _signed_in(deps, request), None
    found, begun = deps.store.table.together(lambda: _signed_in(deps, request), lambda: begin(deps, person_id, parts))
    return found, begun if found is not None else None


def _signed_in(deps: Deps, request: PageRequest) -> logins.SignedIn | None:
    ticket = request.cookie(login_cookie(request.origin).name)
    return logins.find_login(deps, ticket) if ticket else None
