"""How many round trips to the table follow one another in each kind of request: the budget of docs/performance.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from chalicelib.services import agents
from chalicelib.services.caches import Caches
from chalicelib.services.deps import Deps
from tests.round_trips import RoundTrips

from .conftest import PERSON
from .harness import Harness, result_of

RUN_TOOL = {"vendor": "demo", "name": "a", "input": {}}


@dataclass
class Scene:
    """An agent with two promoted tools, and one in the toolbox that is not."""

    harness: Harness
    trips: RoundTrips

    def forget(self) -> None:
        """Be a process that has answered nothing yet."""
        object.__setattr__(self.harness.deps, "caches", Caches())

    def list(self) -> int:
        self.trips.start()
        result_of(self.harness.ask_stateless("tools/list"))
        return self.trips.count

    def call(self, called: str, **arguments: Any) -> int:
        self.trips.start()
        result = result_of(self.harness.ask_stateless("tools/call", {"name": called, "arguments": arguments}))
        assert not result.get("isError"), result
        return self.trips.count


@pytest.fixture
def scene(deps: Deps, monkeypatch: pytest.MonkeyPatch) -> Scene:
    trips = RoundTrips()
    watched = trips.watch(deps, monkeypatch)
    harness = Harness(watched, agents.create_agent(watched, PERSON, "laptop")[1])
    other = Harness(watched, agents.create_agent(watched, PERSON, "desktop")[1])
    for name in ("a", "b"):
        harness.publish(name)
    other.publish("c")
    return Scene(harness, trips)


def test_a_list_takes_two_round_trips_in_a_new_process_and_then_one(scene: Scene) -> None:
    scene.forget()
    assert scene.list() == 2
    assert scene.list() == 1


def test_a_list_after_any_change_takes_two(scene: Scene) -> None:
    scene.call("promote", vendor="demo", name="c")
    assert scene.list() == 2
    scene.harness.publish("b", description="b, better")
    assert scene.list() == 2


@pytest.mark.parametrize("known", [False, True], ids=["new process", "known"])
def test_a_promoted_tools_module_starts_after_three_and_two_follow_it(scene: Scene, known: bool) -> None:
    """Two, not one: the ledger line is written before the run is released, or a death between them would lose it."""
    if not known:
        scene.forget()
    total = scene.call("demo__a")
    before, after = scene.trips.marks
    assert (before, total - after) == (3, 2)


def test_run_tool_takes_no_more_than_a_call(scene: Scene) -> None:
    scene.forget()
    total = scene.call("run_tool", **RUN_TOOL)
    before, after = scene.trips.marks
    assert (before, total - after) == (3, 2)


def test_find_tool_takes_two_once_the_toolbox_is_known(scene: Scene) -> None:
    scene.call("find_tool", query="a")
    assert scene.call("find_tool", query="b") == 2


def test_find_tool_takes_two_after_a_publish_too(scene: Scene) -> None:
    scene.call("find_tool", query="demo")
    scene.harness.publish("b", description="b of demo, better")
    assert scene.call("find_tool", query="demo") == 2


def test_the_first_find_tool_of_a_process_takes_three(scene: Scene) -> None:
    """Not two: what is searched holds no schemas, which would make it three times as large to read."""
    scene.forget()
    assert scene.call("find_tool", query="demo") == 3


def test_promote_and_demote_take_three(scene: Scene) -> None:
    assert scene.call("promote", vendor="demo", name="c") == 3
    assert scene.call("demote", vendor="demo", name="c") == 3


def test_a_quiet_poll_takes_one(scene: Scene) -> None:
    opened = scene.harness.opened()
    first = opened.send("GET")
    (event_id,) = [line[4:] for line in first.body.decode().splitlines() if line.startswith("id: ")]
    scene.trips.start()
    opened.send("GET", last_event_id=event_id)
    assert scene.trips.count == 1


def test_a_session_pays_one_more_for_each_change_it_is_shown(scene: Scene) -> None:
    """Its row says what it last listed, so that a later publish is told only to those whom it concerns."""
    opened = scene.harness.opened()
    counts = []
    for _ in range(2):
        scene.trips.start()
        opened.tools()
        counts.append(scene.trips.count)
    scene.forget()
    scene.trips.start()
    opened.tools()
    assert [*counts, scene.trips.count] == [3, 1, 2]
