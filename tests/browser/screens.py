"""Pictures of every page in every state and look, into build/screens.

`python -m tests.browser.screens [part of a name]`
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from infra.local.setup import vendor_token
from tests.acceptance.graft import Graft
from tests.services.world import READS
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import settings_for

from .conftest import FLAGS
from .fetch import PACKAGES, find_chromium
from .gallery import LOOKS, Gallery
from .scene import Scene, told
from .states import STATES

FOLDER: Final = Path(__file__).resolve().parents[2] / "build" / "screens"


def main(part: str = "") -> None:
    sys.path.insert(0, str(PACKAGES))
    from playwright.sync_api import sync_playwright

    wanted = [state for state in STATES if part in state.name]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with _told() as (graft, scene), sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        gallery = Gallery(lambda: chromium.new_context(base_url=graft.local["console_url"]), scene)
        for state in wanted:
            page = gallery.show(state)
            for look in gallery.looks(page):
                page.screenshot(path=str(FOLDER / f"{state.name}-{look.name}.png"), full_page=True)
        chromium.close()
    print(f"{len(wanted) * len(LOOKS)} pictures of {len(wanted)} states in {FOLDER.relative_to(Path.cwd())}")


@contextmanager
def _told() -> Iterator[tuple[Graft, Scene]]:
    with (
        tempfile.TemporaryDirectory() as home,
        Endpoint([a_tool(READS)]) as model,
        Graft(Path(home), settings=settings_for(model.url)) as graft,
        graft.deps() as deps,
        told(deps, urlsplit(graft.local["vendor_url"]).netloc, vendor_token(graft.home), model) as scene,
    ):
        yield graft, scene


if __name__ == "__main__":
    main(*sys.argv[1:])
