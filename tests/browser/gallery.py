"""The table of states before a browser: each person's own window, each state opened once and shown in every look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.model import LinkKind

from .scene import Scene
from .states import State

SCHEMES: Final = ("light", "dark")
WIDTHS: Final = {360: 740, 1440: 900}
"""CSS pixels, and the height beside them."""


@dataclass(frozen=True)
class Look:
    scheme: str
    width: int

    @property
    def name(self) -> str:
        return f"{self.width}-{self.scheme}"


LOOKS: Final = tuple(Look(scheme, width) for width in WIDTHS for scheme in SCHEMES)


class Gallery:
    """One window for each person of the scene."""

    def __init__(self, new_context: Callable[[], Any], scene: Scene) -> None:
        self.scene = scene
        self._windows: dict[str, Any] = {}
        self._new_context = new_context
        self.complaints: list[str] = []
        """What ran, or failed to, although nothing of what others wrote may run."""

    def show(self, state: State) -> Any:
        """The page in that state."""
        page = self._window(state.who)
        page.goto(state.address(self.scene))
        if state.act is not None:
            state.act(page)
        return page

    def looks(self, page: Any) -> Iterator[Look]:
        """The page as it stands, in one look after another."""
        for look in LOOKS:
            page.set_viewport_size({"width": look.width, "height": WIDTHS[look.width]})
            page.emulate_media(color_scheme=look.scheme)
            yield look

    def _window(self, who: str) -> Any:
        if who not in self._windows:
            page = self._new_context().new_page()
            page.on("pageerror", lambda error: self.complaints.append(str(error)))
            page.on("dialog", self._dismiss)
            page.on("console", self._note)
            if who:
                page.goto(self.scene.link(LinkKind.SIGN_IN, person=who))
            self._windows[who] = page
        return self._windows[who]

    def _dismiss(self, dialog: Any) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def _note(self, message: Any) -> None:
        """What a policy stopped, such as a script that somebody wrote into a text."""
        if "Content Security Policy" in message.text:
            self.complaints.append(message.text)
