"""Every page in every state, light and dark, on a phone and on a desk: readable by everybody, and never too wide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from chalicelib.console.causes import LABELS
from chalicelib.model import Cause
from chalicelib.services.deps import Deps
from infra.local.setup import vendor_token
from tests.acceptance.graft import Graft
from tests.writer.endpoint import Endpoint

from .fetch import AXE
from .gallery import Gallery
from .hostile import AGENT_NAME, MARKUP
from .judge import faults_in, faults_of
from .scene import Scene, told
from .states import STATES, State

SAID_BY_OTHERS: Final = {
    "agent-with-a-hostile-name": AGENT_NAME,
    "agents": AGENT_NAME,
    "agent": MARKUP,
    "agent-jobs": MARKUP,
    "agent-scope": MARKUP,
    "ask-acquire-opened": MARKUP,
    "ask-credential": MARKUP,
    "ask-connection-bearer": MARKUP,
    "ask-denied": MARKUP,
    "ask-tool-dry-run": MARKUP,
    "ask-tool-opened": MARKUP,
    "connections": MARKUP,
    "first-run-connected": MARKUP,
    "tool-of-before": MARKUP,
    "tool-with-the-longest-name": MARKUP,
}
"""Where a page shows what somebody else wrote: names, descriptions, goals, reasons, and what a tool was called with."""


WAYS_OUT: Final = [label for cause, label in LABELS.items() if cause is not Cause.PUBLISH]


@pytest.fixture(scope="module")
def scene(graft: Graft, deps: Deps, model: Endpoint) -> Iterator[Scene]:
    with told(deps, urlsplit(graft.local["vendor_url"]).netloc, vendor_token(graft.home), model) as scene:
        yield scene


@pytest.fixture(scope="module")
def gallery(chromium: Any, graft: Graft, scene: Scene) -> Gallery:
    def new_context() -> Any:
        context = chromium.new_context(base_url=graft.local["console_url"])
        context.add_init_script(path=str(AXE))
        return context

    return Gallery(new_context, scene)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_page_is_for_everybody_and_fits_whatever_others_wrote_in_it(gallery: Gallery, state: State) -> None:
    page = gallery.show(state)
    assert faults_of(page) == {}
    assert {look.name: found for look in gallery.looks(page) if (found := faults_in(page, look))} == {}
    assert SAID_BY_OTHERS.get(state.name, "") in page.locator("main").inner_text()
    assert gallery.complaints == []


@pytest.mark.parametrize(("scheme", "ground"), [("light", "rgb(247, 247, 244)"), ("dark", "rgb(20, 21, 19)")])
def test_a_page_is_as_light_or_as_dark_as_the_system_wishes(gallery: Gallery, scheme: str, ground: str) -> None:
    page = gallery.show(STATES[0])
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == ground


@pytest.mark.parametrize(("name", "card"), [("agent", "#left"), ("agent-what-left", "main")])
def test_what_left_is_shown_with_one_of_every_cause(gallery: Gallery, name: str, card: str) -> None:
    (state,) = [state for state in STATES if state.name == name]
    told = gallery.show(state).locator(card).inner_text()
    assert {cause for cause in WAYS_OUT if cause not in told} == set()


def test_every_state_that_shows_what_others_wrote_is_among_them() -> None:
    assert SAID_BY_OTHERS.keys() <= {state.name for state in STATES}
