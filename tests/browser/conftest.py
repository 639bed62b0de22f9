"""A running Graft and headless Chromium before it. Every page is watched: no error, nothing that its policy stops."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.services.deps import Deps
from tests.acceptance.graft import Graft
from tests.acceptance.rpc import Agent
from tests.acceptance.standin import StandIn
from tests.services.world import READS
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import settings_for

from .fetch import PACKAGES, find_chromium
from .person import PHONE, Person

FLAGS: Final = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS: Final = 30_000


@pytest.fixture(scope="session")
def standin() -> Iterator[StandIn]:
    with StandIn() as vendor:
        yield vendor


@pytest.fixture(scope="session")
def model() -> Iterator[Endpoint]:
    with Endpoint([a_tool(READS)]) as serving:
        yield serving


@pytest.fixture(scope="session")
def graft(tmp_path_factory: pytest.TempPathFactory, standin: StandIn, model: Endpoint) -> Iterator[Graft]:
    home = tmp_path_factory.mktemp("home")
    with Graft(home, local_hosts=standin.host, settings=settings_for(model.url)) as running:
        yield running


@pytest.fixture(scope="session")
def deps(graft: Graft) -> Iterator[Deps]:
    with graft.deps() as deps:
        yield deps


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    sys.path.insert(0, str(PACKAGES))
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def new_person(chromium: Any, graft: Graft, deps: Deps, tmp_path: Path) -> Iterator[Callable[..., Person]]:
    """Opens a browser of its own, on which nobody is signed in. Afterwards none may have complained."""
    opened: list[Person] = []

    def person(**options: Any) -> Person:
        context = chromium.new_context(base_url=graft.local["console_url"], **options)
        context.set_default_timeout(PATIENCE_MS)
        opened.append(Person(context, deps, tmp_path))
        return opened[-1]

    yield person
    complaints = [complaint for person in opened for complaint in person.complaints]
    for one in opened:
        one.context.close()
    assert complaints == []


@pytest.fixture
def person(new_person: Callable[..., Person]) -> Person:
    return new_person()


@pytest.fixture
def phone(new_person: Callable[..., Person]) -> Person:
    return new_person(**PHONE)


@pytest.fixture(scope="session")
def new_agent(graft: Graft, deps: Deps) -> Callable[[], Agent]:
    numbers = count(1)
    return lambda: graft.add_agent(deps, f"laptop-{next(numbers)}")


@pytest.fixture
def agent(new_agent: Callable[[], Agent]) -> Agent:
    return new_agent()
