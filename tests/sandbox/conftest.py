"""One sandbox for the whole room, and a vendor that remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chalicelib.model import Json, JsonObject, VendorRequest, VendorResponse
from chalicelib.sandbox.pool import Sandbox


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    sandbox = Sandbox(workers=4)
    yield sandbox
    sandbox.close()


class Vendor:
    """A `Send`: keeps each request and answers each with the same."""

    def __init__(self, text: str = "{}", *, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.answer = VendorResponse(status, headers, text)
        self.asked: list[VendorRequest] = []
        self.deadlines: list[float] = []

    def __call__(self, request: VendorRequest, deadline: float) -> VendorResponse:
        self.asked.append(request)
        self.deadlines.append(deadline)
        return self.answer


def a_module(*lines: str, top: str = "") -> str:
    """A module whose `run` has these lines."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"{top}\ndef run(input, http):\n{body}\n" if top else f"def run(input, http):\n{body}\n"


class Room:
    """The sandbox as a test uses it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def run(self, *lines: str, top: str = "", vendor: Vendor | None = None, input: JsonObject | None = None) -> Json:
        return self._sandbox.run(a_module(*lines, top=top), input or {}, vendor or Vendor(), seconds=25)


@pytest.fixture
def room(sandbox: Sandbox) -> Room:
    return Room(sandbox)
