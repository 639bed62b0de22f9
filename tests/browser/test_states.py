"""Every page in every state, light and dark, on a phone and on a desk: readable by everybody, and never too wide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from chalicelib.services.deps import Deps
from infra.local.setup import vendor_token
from tests.acceptance.graft import Graft

from .fetch import AXE
from .gallery import Gallery, Look
from .scene import Scene, told
from .states import STATES, State

RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS: Final = "color-contrast"
STICKS_OUT: Final = """
[...document.querySelectorAll("h1, h2, h3, p, li, dt, dd, td, th, summary, label, legend")]
  .filter(e => e.offsetParent && e.clientWidth && getComputedStyle(e).overflowX === "visible")
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => e.outerHTML.slice(0, 200))
"""
"""What is written over its neighbour."""


@pytest.fixture(scope="module")
def scene(graft: Graft, deps: Deps) -> Iterator[Scene]:
    with told(deps, urlsplit(graft.local["vendor_url"]).netloc, vendor_token(graft.home)) as scene:
        yield scene


@pytest.fixture(scope="module")
def gallery(chromium: Any, graft: Graft, scene: Scene) -> Gallery:
    return Gallery(lambda: chromium.new_context(base_url=graft.local["console_url"]), scene)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.name)
def test_a_page_is_for_everybody_and_fits(gallery: Gallery, state: State) -> None:
    page = gallery.show(state)
    page.evaluate(AXE.read_text())
    for look in gallery.looks(page):
        assert page.evaluate("document.documentElement.scrollWidth") <= look.width, (state.name, look.name)
        assert page.evaluate(STICKS_OUT) == [], (state.name, look.name)
        assert violations(page, look) == [], (state.name, look.name)
    assert gallery.complaints == []


def violations(page: Any, look: Look) -> list[str]:
    """What axe finds. In the dark only colours are other ones than in the light."""
    only: dict[str, Any] = {"type": "tag", "values": RULES}
    if look.scheme == "dark":
        only = {"type": "rule", "values": [COLOURS]}
    found = page.evaluate(f"axe.run({json.dumps({'runOnly': only, 'resultTypes': ['violations']})})")["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]
