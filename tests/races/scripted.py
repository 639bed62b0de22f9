"""A model in the process that asks it: it writes a tool that answers without a vendor, named after the goal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chalicelib.model import Reply, Said
from tests.services.world import ANSWERS
from tests.writer.endpoint import a_tool


def name_for(goal: str) -> str:
    """By the number of the goal in the text."""
    found = re.search(r"goal (\d+)", goal)
    assert found is not None, goal
    return f"echo-{found[1]}"


@dataclass
class Scripted:
    provider: str = "the model"
    model_id: str = "m"
    asked: list[Sequence[Said]] = field(default_factory=list)

    def reply(self, system: str, messages: Sequence[Said], max_tokens: int) -> Reply:
        self.asked.append(messages)
        return Reply(a_tool(ANSWERS, name=name_for(messages[0].text)), 100, 10)
