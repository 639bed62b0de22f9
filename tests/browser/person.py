"""A person before a browser: opens pages, presses buttons, and notes whatever the browser complains of."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from chalicelib.services.deps import Deps
from infra.local.setup import sign_in_url

PHONE: Final[dict[str, Any]] = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


class Person:
    def __init__(self, context: Any, deps: Deps, folder: Path) -> None:
        self.context = context
        self.deps = deps
        self.folder = folder
        self.complaints: list[str] = []
        self.page: Any = context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sign_in(self) -> Person:
        """By a one-time link, as `make sign-in` prints it."""
        self.page.goto(sign_in_url(self.deps))
        return self

    def open(self, address: str) -> Person:
        self.page.goto(address)
        return self

    def press(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def type(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)

    def sees(self, text: str) -> None:
        """Waits for it."""
        self.page.get_by_text(text).first.wait_for()

    @property
    def heading(self) -> str:
        return str(self.page.locator("h1").first.inner_text())

    def fits(self) -> bool:
        """Whether nothing has to be scrolled to the side for."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth <= innerWidth"))

    def screenshot(self, name: str) -> Path:
        path = self.folder / f"{name}.png"
        self.page.screenshot(path=str(path), full_page=True)
        return path

    def _note(self, message: Any) -> None:
        """A page that is not found, or a form that is sent back, is no complaint; what a policy stops is."""
        is_status = "Failed to load resource: the server responded with a status of 4" in message.text
        if message.type in ("error", "warning") and not is_status:
            self.complaints.append(message.text)
