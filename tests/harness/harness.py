"""What a test does with a harness, whichever it is: one turn after another, as a person has them with an agent."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, Final

from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until

from .model import Call, Line, Model, Seen
from .wire import Wire

SERVER: Final = "graft"
TURN_SECONDS: Final = 180.0
START_SECONDS: Final = 240.0
NOWHERE: Final = "http://127.0.0.1:9"
"""A proxy that is not there: whatever would leave this machine fails at once."""


@dataclass(frozen=True)
class Turn:
    """What the person heard, and every request that the model got on the way."""

    said: str
    seen: Sequence[Seen]

    @property
    def offered(self) -> list[str]:
        """What the model was offered at first."""
        return list(self.seen[0].offered)

    @property
    def shown(self) -> list[str]:
        """What each call brought back to the model, in order."""
        return [result for seen in self.seen for result in seen.results]


class Harness(ABC):
    """A running harness, connected to one agent's Graft through `wire`, thinking with `model`."""

    name: ClassVar[str]

    def __init__(self, agent: Agent, model: Model, wire: Wire) -> None:
        self.agent = agent
        self.model = model
        self.wire = wire
        self._numbers = count(1)

    @abstractmethod
    def shown_as(self, tool: str) -> str:
        """The name under which it offers a tool of Graft's."""

    @abstractmethod
    def say(self, text: str) -> str:
        """One turn of the person's: what the agent answered in the end."""

    @abstractmethod
    def reading_of_the_skill(self, seen: Seen) -> Call:
        """How the model reads a skill that it was told of."""

    def call(self, tool: str, /, **arguments: Any) -> Call:
        return Call(self.shown_as(tool), arguments)

    def turn(self, *lines: Line) -> Turn:
        """A turn in which the model says these lines, each of them and no more."""
        cue = f"Turn {next(self._numbers)}: go on."
        self.model.learn(cue, lines)
        said = self.say(cue)
        assert not self.model.mistakes, f"{self.name}'s model: {self.model.mistakes}"
        assert self.model.unsaid == 0, f"{self.model.unsaid} lines were never asked for; it answered {said!r}"
        return Turn(said, list(self.model.seen))

    def offers(self, turn: Turn) -> list[str]:
        """Which of the authored tools in the toolbox the model was offered."""
        known = {self.shown_as(tool["tool"]): tool["tool"] for tool in self.agent.call("find_tool", query="")["tools"]}
        return [known[name] for name in turn.offered if name in known]

    def await_list_change(self, since: int) -> None:
        """Until it was told that the list changed, after it had been told `since` times."""
        until(lambda: self.wire.heard() > since, f"a list change told to {self.name}", seconds=TURN_SECONDS)


def private_environment(home: str, **more: str) -> dict[str, str]:
    """Nothing of the person's whose machine this is: no folders, no keys, no way out."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    closed: Mapping[str, str] = {
        "HTTP_PROXY": NOWHERE,
        "HTTPS_PROXY": NOWHERE,
        "NO_PROXY": "127.0.0.1,localhost",
        "http_proxy": NOWHERE,
        "https_proxy": NOWHERE,
        "no_proxy": "127.0.0.1,localhost",
    }
    return {**kept, "HOME": home, **closed, **more}
