"""Each harness finds its skill where docs/harnesses.md puts it, tells the model of it, and lets it read it."""

from __future__ import annotations

from .harness import Harness
from .model import Call, Seen

PROMISES = "Find, promote, run, publish"
TEACHES = "Give the person the `url` exactly as it is"


def test_the_model_is_told_of_the_skill_and_can_read_it(running: Harness) -> None:
    def read(seen: Seen) -> Call:
        assert PROMISES in seen.system
        return running.reading_of_the_skill(seen)

    turn = running.turn(read, "I know now.")
    assert TEACHES in turn.shown[0]
