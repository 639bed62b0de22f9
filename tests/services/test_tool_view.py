"""What a person is told of their tools: where each is, what its versions hold, and which connection it uses."""

from __future__ import annotations

import pytest

from chalicelib.errors import Refusal
from chalicelib.model import Annotations, Cause
from chalicelib.services import agents, connections, tool_view
from chalicelib.services.tool_view import Shelf, ToolView, Wanted, writing_lines
from chalicelib.storage import items
from chalicelib.storage.table import delete
from tests.services.world import DELETES, PERSON, READS, WRITES, World


def shelf(world: World, wanted: Wanted | None = None, *, size: int = 10) -> Shelf:
    return tool_view.shelf(world.deps, world.caller().person, wanted or Wanted(), size=size)


def names(found: Shelf) -> list[str]:
    return [row.head.name for row in found.rows]


def view(world: World, name: str, version: int | None = None) -> ToolView:
    return tool_view.view(world.deps, PERSON, f"demo__{name}", version=version)


def test_the_shelf_finds_what_find_tool_finds(world: World) -> None:
    world.publish("list-notes")
    world.publish("count-words")
    assert names(shelf(world, Wanted("note"))) == ["list-notes"]
    everything = shelf(world, Wanted(page=2), size=1)
    assert (len(everything.rows), everything.offset, everything.total, everything.size) == (1, 1, 2, 2)


def test_a_page_past_the_last_one_is_the_last_one(world: World) -> None:
    for name in ("a", "b", "c"):
        world.publish(name)
    assert names(shelf(world, Wanted(page=99), size=2)) == ["c"]
    assert names(shelf(world, Wanted("nothing like it", page=99))) == []


def test_the_shelf_says_who_published_a_tool_and_in_whose_list_it_is(world: World) -> None:
    world.clock.forward(seconds=1)
    world.agent("desk")
    world.publish("a", by="desk")
    world.promote("a")
    world.publish("b")
    world.demote("b")
    first, second = shelf(world).rows
    assert (first.publisher, first.published_at, first.agents) == ("desk", world.clock(), ("demo", "desk"))
    assert second.agents == ()


def test_the_shelf_can_be_narrowed_to_one_annotation(world: World) -> None:
    for name, source in (("reads", READS), ("writes", WRITES), ("deletes", DELETES)):
        world.publish(name, source)
    assert names(shelf(world, Wanted(annotations=Annotations(False, True)))) == ["deletes"]
    assert names(shelf(world, Wanted(annotations=Annotations(False, False)))) == ["writes"]


def test_the_shelf_can_be_narrowed_to_what_would_go_out_by_one_connection(world: World) -> None:
    mine = world.connect("notes")
    world.publish("bound", vendor="notes")
    world.publish("other")
    found = shelf(world, Wanted(connection_id=mine.id))
    assert (names(found), found.connection) == (["bound"], mine)
    connections.revoke(world.deps, PERSON, mine.id)
    assert names(shelf(world, Wanted(connection_id=mine.id))) == []
    fresh = world.connect("notes")
    assert names(shelf(world, Wanted(connection_id=fresh.id))) == ["bound"]
    with pytest.raises(Refusal):
        shelf(world, Wanted(connection_id="nosuch"))


def test_a_tool_whose_current_version_is_gone_stays_on_the_shelf(world: World) -> None:
    world.publish("a")
    world.deps.store.table.write(delete(items.current_key(PERSON, "demo__a")))
    (row,) = shelf(world).rows
    assert (row.published_at, row.withheld) == (None, "its current version is not in the toolbox")


def test_a_tool_is_shown_with_its_versions_and_where_it_is(world: World) -> None:
    world.publish("a", READS)
    world.publish("a", WRITES)
    for name in ("holds", "had", "never", "gone"):
        world.agent(name)
    world.promote("a", by="holds")
    world.promote("a", by="had")
    world.demote("a", by="had")
    agents.revoke_agent(world.deps, PERSON, world.caller("gone").agent.id)
    shown = view(world, "a")
    assert [version.version for version in shown.versions] == [2, 1]
    assert shown.before(shown.chosen) == shown.versions[1]
    assert shown.before(shown.versions[1]) is None
    where = {place.agent.name: place for place in shown.places}
    assert set(where) == {"demo", "holds", "had", "never"}
    assert where["holds"].promotion is not None
    left = where["had"].left
    assert left is not None
    assert left[0].cause is Cause.AGENT
    assert (where["never"].promotion, where["never"].left, where["never"].is_searched_whole) == (None, None, True)


def test_an_older_version_is_shown_with_those_before_it(world: World) -> None:
    for _ in range(tool_view.VERSIONS_SHOWN + 3):
        world.publish("a")
    newest = tool_view.VERSIONS_SHOWN + 3
    assert [one.version for one in view(world, "a").versions] == list(range(newest, 2, -1))
    old = view(world, "a", 2)
    assert (old.chosen.version, old.current.version) == (2, newest)
    assert [one.version for one in old.versions] == [2, 1]
    for none in (0, newest + 1):
        with pytest.raises(Refusal):
            view(world, "a", none)


def test_the_last_run_is_the_last_one_of_any_agent(world: World) -> None:
    world.agent("desk")
    world.publish("a")
    assert view(world, "a").last_run is None
    world.call("a")
    world.clock.forward(minutes=1)
    world.call("a", by="desk")
    last = view(world, "a").last_run
    assert last is not None
    assert last.line is not None
    assert (last.agent.name, last.line.outcome, last.run.started_at) == ("desk", "ok", world.clock())


def test_a_tools_connection_is_the_one_that_a_run_would_use(world: World) -> None:
    world.publish("a")
    assert view(world, "a").connection is None
    mine = world.connect()
    assert view(world, "a").connection == mine
    world.connect()
    assert view(world, "a").connection is None


def test_another_persons_tool_is_refused_like_one_that_never_was(world: World) -> None:
    world.publish("a")
    said = set()
    for person, tool in (("p2", "demo__a"), (PERSON, "demo__nosuch")):
        with pytest.raises(Refusal) as refused:
            tool_view.view(world.deps, person, tool)
        said.add(refused.value.message)
    assert len(said) == 1


def test_lines_that_write_are_named_with_their_methods() -> None:
    source = "def run(input, http):\n    http.post('/a'); http.delete('/b')\n    return http.get('/c')\n"
    assert writing_lines(source) == {2: ("DELETE", "POST")}


def test_lines_are_counted_as_they_are_shown_whatever_python_takes_for_an_end() -> None:
    assert writing_lines("a = 1\rhttp.post(a)\r\nb = 2\nhttp.put(b)\n") == {1: ("POST",), 3: ("PUT",)}
    assert writing_lines("not python at all (") == {}
