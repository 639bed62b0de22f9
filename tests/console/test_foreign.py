"""Another person's ids are the same nothing as ids that never were, on every route of the console."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from chalicelib.console.http import PageResponse
from chalicelib.console.router import ROUTES
from chalicelib.services import acquire, requests
from chalicelib.services.acquire import Wanted
from chalicelib.services.requests import WantedConnection
from tests.console.browser import Browser
from tests.services.world import PERSON, WRITES, World

Ids = dict[str, list[str]]


@pytest.fixture
def ids(world: World) -> Ids:
    """Everything of the person's that an address of the console may name, by the first part of the path."""
    connection = world.connect()
    world.publish("note", WRITES)
    asked = [
        world.asked(world.call("note", text="x")),
        world.asked(requests.request_credential(world.deps, world.caller(), connection.id, "")),
        world.asked(
            requests.request_connection(
                world.deps, world.caller(), WantedConnection("acme", "api.acme.example.org", "bearer")
            )
        ),
        world.asked(acquire.acquire(world.deps, world.caller(), Wanted(connection.id, "g", ignore_existing=True))),
    ]
    codes = [ask.code for ask in asked]
    mine = {"agents": [world.caller().agent.id], "connections": [connection.id], "toolbox": ["demo__note"]}
    return {"a": codes, "asks": codes, **mine}


FORMS = (
    {"answer": "allow"},
    {"answer": "connect", "scheme": "bearer", "bearer.token": "t" * 20, "primary_host": "api.acme.example.org"},
    {"scope": "all"},
    {"tool": "demo__note"},
)


def answers_of(browser: Browser, path: str) -> list[PageResponse]:
    answers = [browser.send("GET", path), browser.send("HEAD", path)]
    browser.get("/settings")
    return answers + [browser.post_only(path, **form) for form in FORMS]


def test_every_route_answers_for_anothers_id_as_for_none(world: World, ids: Ids, theirs: Browser) -> None:
    walked = set()
    for route in ROUTES:
        kind = route.path.split("/")[1]
        if "(" not in route.path or kind == "in":
            continue
        for mine in ids[kind]:
            none = "x" * len(mine)
            begin, _, end = route.path.partition("(")
            end = end.partition(")")[2]
            found, missing = answers_of(theirs, f"{begin}{mine}{end}"), answers_of(theirs, f"{begin}{none}{end}")
            assert [(a.status, a.body.replace(mine, none), a.headers) for a in found] == [
                (a.status, a.body, a.headers) for a in missing
            ]
            assert {a.status for a in found} <= {404, 405}
            walked.add(kind)
    assert walked == {"a", "asks", "agents", "connections", "toolbox"}


def test_nothing_of_the_person_was_touched_by_it(world: World, ids: Ids, theirs: Browser) -> None:
    before = everything(world)
    for route in ROUTES:
        kind = route.path.split("/")[1]
        for mine in ids.get(kind, []):
            answers_of(theirs, route.path.replace(r"([A-Za-z0-9_-]{1,64})", mine))
    assert everything(world) == before


def everything(world: World) -> list[object]:
    store = world.deps.store
    reads: list[Callable[[], object]] = [
        lambda: store.asks.newest(PERSON),
        lambda: store.grants.connections(PERSON),
        lambda: store.agents.of_person(PERSON),
        lambda: store.grants.all_approvals(world.caller().agent),
    ]
    return [read() for read in reads]


def test_a_foreign_browser_cannot_be_signed_out(world: World, mine: Browser, theirs: Browser) -> None:
    login = world.deps.store.people.logins(PERSON)[0].id
    theirs.get("/settings")
    theirs.post("/settings/browsers", login=login)
    assert world.deps.store.people.logins(PERSON)[0].id == login


def test_a_foreign_connection_cannot_be_put_into_a_scope(world: World, ids: Ids, theirs: Browser) -> None:
    theirs.get("/agents/new")
    page = theirs.post("/agents/new", name="spy", cap="1", idle_window_days="1")
    made = re.search(r'/agents/(\w{13})"', page.body)
    assert made is not None
    agent = made[1]
    found = theirs.post(f"/agents/{agent}/scope", scope="list", connection=ids["connections"][0])
    missing = theirs.post(f"/agents/{agent}/scope", scope="list", connection="x" * 13)
    assert found.status == missing.status == 409
