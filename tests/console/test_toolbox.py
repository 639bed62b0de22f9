"""The toolbox and a tool's page, in every state that a person can meet."""

from __future__ import annotations

import re
from html import unescape

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.services import agents, connections, publishing
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.table import delete, update
from tests.console.browser import Browser, heading, text_of
from tests.console.reading import words_of
from tests.services.world import DELETES, PERSON, READS, WRITES, World

HOSTILE = '<script>alert(1)</script> "quoted" \u202egnp.\u200btxt'
TWO_READS = 'def run(input, http):\n    first = http.get("/notes")\n    return first.json()\n'


def page_of(mine: Browser, path: str) -> str:
    answer = mine.get(path)
    assert answer.status == 200, answer.body
    return words_of(answer.body)


def wires(body: str) -> list[str]:
    return [text_of(found) for found in re.findall(r'<a class="wire"[^>]*>(.*?)</a>', body)]


# --- the list


def test_a_toolbox_with_nothing_in_it_says_what_fills_it(mine: Browser) -> None:
    page = page_of(mine, "/toolbox")
    assert "No tools yet. Ask an agent for something that no tool can do" in page
    assert "Search as an agent does" not in page


def test_every_tool_is_there_with_its_annotation_version_publisher_and_holders(world: World, mine: Browser) -> None:
    world.clock.forward(seconds=1)
    world.agent("desk")
    world.publish("deletes", DELETES)
    world.publish("deletes", WRITES)
    world.promote("deletes", by="desk")
    world.publish("reads", READS, by="desk")
    world.demote("reads", by="desk")
    body = mine.get("/toolbox").body
    assert wires(body) == ["demo__deletes", "demo__reads"]
    page = words_of(body)
    assert "demo__deletes write deletes of the demo vendor 2 just now by demo demo, desk" in page
    assert "demo__reads read-only reads of the demo vendor 1 just now by desk no agent" in page
    assert "1 to 2 of 2 tools" in page


def test_a_search_finds_what_an_agent_would_find_and_says_when_nothing_matches(world: World, mine: Browser) -> None:
    world.publish("list-notes")
    world.publish("count-words")
    assert wires(mine.get("/toolbox?q=List+note").body) == ["demo__list-notes"]
    page = page_of(mine, "/toolbox?q=invoce")
    assert "Nothing matches “invoce”. 2 tools were searched by vendor, name and description." in page
    assert "Show all tools" in page
    assert 'value="invoce"' in mine.get("/toolbox?q=invoce").body


def test_one_annotation_can_be_wanted(world: World, mine: Browser) -> None:
    world.publish("reads", READS)
    world.publish("writes", WRITES)
    assert wires(mine.get("/toolbox?kind=write").body) == ["demo__writes"]
    assert wires(mine.get("/toolbox?kind=magic").body) == ["demo__reads", "demo__writes"]
    assert "of one annotation" in page_of(mine, "/toolbox?kind=destructive")


def test_a_connections_tools_are_listed_under_its_name(world: World, mine: Browser) -> None:
    bound = world.connect("notes", display_name="My notes")
    world.publish("bound", READS, vendor="notes")
    world.publish("other", READS)
    body = mine.get(f"/toolbox?connection={bound.id}").body
    assert wires(body) == ["notes__bound"]
    assert "Tools that use My notes" in words_of(body)
    connections.revoke(world.deps, PERSON, bound.id)
    assert "No tool’s runs would go out by this connection" in page_of(mine, f"/toolbox?connection={bound.id}")
    assert mine.get("/toolbox?connection=nosuch").status == 404


def test_two_hundred_tools_are_paged_and_a_page_stays_small(world: World, mine: Browser) -> None:
    for at in range(45):
        world.publish(f"tool-{at:02}", description="Lists what a person has to know of a thing. " * 40)
    first = mine.get("/toolbox")
    assert len(first.body.encode()) < 30_000
    assert "1 to 20 of 45 tools" in words_of(first.body)
    assert "Previous" not in words_of(first.body)
    last = mine.get("/toolbox?page=99")
    assert "41 to 45 of 45 tools" in words_of(last.body)
    assert "Next" not in words_of(last.body)
    assert len(set(wires(first.body)) & set(wires(last.body))) == 0
    found = mine.get("/toolbox?q=tool&page=2").body
    assert 'href="/toolbox?q=tool&amp;page=1"' in found
    assert mine.get("/toolbox?page=minus").status == 200


def test_a_tool_that_no_list_shows_says_why(world: World, mine: Browser) -> None:
    world.publish("a")
    world.deps.store.table.write(delete(items.current_key(PERSON, "demo__a")))
    assert "no agent; it is withheld: its current version is not in the toolbox" in page_of(mine, "/toolbox")


def test_hostile_words_are_text_and_what_cannot_be_seen_is_spelled_out(world: World, mine: Browser) -> None:
    world.publish("a", READS + f"# {HOSTILE}\n", description=HOSTILE, input_schema={"type": "object", "title": HOSTILE})
    world.publish(
        "a",
        WRITES + f"# {HOSTILE}\n",
        description=HOSTILE,
        input_schema={"type": "object", "properties": {"text": {"type": "string", "description": HOSTILE}}},
    )
    for path in ("/toolbox", "/toolbox/demo__a", "/toolbox/demo__a?version=1", "/toolbox?q=%3Cscript%3E%E2%80%AE"):
        body = mine.get(path).body
        assert "<script>alert" not in body
        assert "\u202e" not in re.sub(r'value="[^"]*"', "", body)
        assert "\u200b" not in re.sub(r'value="[^"]*"', "", body)
        assert "U+202E right-to-left override" in body


# --- one tool


def test_a_tool_in_short(world: World, mine: Browser) -> None:
    bound = world.connect(display_name="Demo notes")
    world.publish("a", WRITES)
    page = page_of(mine, "/toolbox/demo__a")
    assert "Annotation write, from the methods in its source: POST. It can write at the vendor." in page
    assert "Version 1, published by demo just now" in page
    assert "Connection Demo notes (its default)" in page
    assert "Last run not among the last runs of your agents" in page
    connections.revoke(world.deps, PERSON, bound.id)
    assert "Connection none that fits; what reaches for the vendor is refused" in page_of(mine, "/toolbox/demo__a")
    world.connect(display_name="Others")
    assert "Connection Others, the only one for its vendor" in page_of(mine, "/toolbox/demo__a")
    world.publish("echo")
    assert "from the methods in its source: none. It calls no vendor." in page_of(mine, "/toolbox/demo__echo")


def test_the_last_run_is_told_with_its_outcome(world: World, mine: Browser) -> None:
    world.publish("a", READS)
    assert "not among the last runs" in page_of(mine, "/toolbox/demo__a")
    world.connect()
    world.call("a")
    assert "Last run by demo just now, done in 0.0 s" in page_of(mine, "/toolbox/demo__a")


def test_a_tool_says_where_it_is_for_every_agent(world: World, mine: Browser) -> None:
    world.publish("a")
    for name in ("holds", "had", "idle", "never"):
        world.clock.forward(seconds=1)
        world.agent(name, idle_window_days=1 if name == "idle" else 21)
    for name in ("holds", "had", "idle"):
        world.promote("a", by=name)
    world.demote("a", by="had")
    world.clock.forward(days=2)
    world.call("a", by="holds")
    run_sweep(world.deps)
    page = page_of(mine, "/toolbox/demo__a")
    assert "demo in the list since 30 November, promoted by a publish; not used since" in page
    assert "holds in the list since 30 November, promoted by the agent; last used just now" in page
    assert "had left on 30 November: the agent asked" in page
    assert "idle left on 2 December: unused past the idle window" in page
    assert "never never promoted" in page


def test_a_withheld_tool_says_so_where_it_would_be(world: World, mine: Browser) -> None:
    world.publish("a")
    broken = update(items.current_key(PERSON, "demo__a"), "SET #input_schema = :s", values={":s": {"S": '{"type":1}'}})
    assert world.deps.store.table.write(broken)
    page = page_of(mine, "/toolbox/demo__a")
    assert "demo withheld: " in page
    assert "one bad tool never breaks the others" in page


def test_without_an_agent_a_tool_is_in_no_list(world: World, mine: Browser) -> None:
    world.publish("a")
    agents.revoke_agent(world.deps, PERSON, world.caller().agent.id)
    assert "In no list." in page_of(mine, "/toolbox/demo__a")


def test_lines_are_numbered_by_the_list_and_those_that_write_are_marked(world: World, mine: Browser) -> None:
    world.publish("a", 'def run(input, http):\n    http.put("/a")\n    return http.delete("/b").status\n')
    body = mine.get("/toolbox/demo__a").body
    assert '<ol class="source" id="source" aria-label="Source of version 1; 2 of 3 lines write">' in body
    marked = re.findall(r'<li class="(\w+)"><span class="mark">.*?</svg>([A-Z ]+)</span><code>(.*?)</code>', body)
    assert [(kind, mark) for kind, mark, _ in marked] == [("write", "PUT"), ("destructive", "DELETE")]


def test_versions_are_newest_first_each_with_what_changed_since_the_one_before(world: World, mine: Browser) -> None:
    world.publish("a", READS)
    world.publish("a", TWO_READS, description="Other words")
    asks = {"type": "object", "properties": {"text": {"type": "string"}}}
    world.publish("a", WRITES, description="Other words", input_schema=asks)
    page = page_of(mine, "/toolbox/demo__a")
    assert "3 published; the newest is current" in page
    assert "Since version 2: 1 line in, 2 out. It asks for text too. It uses POST now, which it did not." in page
    assert "It no longer uses GET." in page
    assert (
        "Since version 1: 2 lines in, 1 out. Its author describes it differently. The input schema is the same. "
        "The methods are the same."
    ) in page
    assert (
        page.index("Version 3, current write") < page.index("Version 2 read-only") < page.index("Version 1 read-only")
    )
    body = mine.get("/toolbox/demo__a").body
    assert "What changed since version 2" in body
    assert '<li class="in"><span>+<span class="vh"> put in: </span></span>' in body


def test_an_older_version_is_shown_whole_and_leads_back(world: World, mine: Browser) -> None:
    world.publish("a", READS, description="The old words")
    world.publish("a", WRITES)
    page = page_of(mine, "/toolbox/demo__a?version=1")
    assert "Show the current version, 2" in page
    assert "The old words" in page
    assert 'return http.get("/notes")' in page
    assert "What changed since" not in page


def test_the_same_source_published_again_says_so(world: World, mine: Browser) -> None:
    for _ in range(2):
        world.publish("a", READS)
    page = page_of(mine, "/toolbox/demo__a")
    assert "the source is the same. The input schema is the same. The methods are the same." in page
    assert "What changed since" not in page


def test_very_many_versions_are_paged(world: World, mine: Browser) -> None:
    for _ in range(11):
        world.publish("a")
    body = mine.get("/toolbox/demo__a").body
    assert "3 older versions" in words_of(body)
    assert "?version=3#versions" in body
    assert "older versions" not in page_of(mine, "/toolbox/demo__a?version=3")


def test_a_large_tool_is_read_whole_over_several_small_pages(world: World, mine: Browser) -> None:
    remarks = [f"# {HOSTILE} line {number}" for number in range(400)]
    source = READS + "\n".join(remarks) + "\n" + WRITES.replace("run", "also") + f"# {'long ' * 3000}\n"
    asks = {f"field{number}": {"type": "string"} for number in range(150)}
    for changed in (source, source.replace("line", "remark")):
        schema = {"type": "object", "properties": asks}
        world.publish("a", changed, description=HOSTILE * 45, input_schema=schema)
    for number in range(15):
        world.agent(f"agent {'&' * 40} {number}")
    for what, total in (("source", 405), ("change", 2 * 400 + 5), ("schema", 455)):
        address, lines = "/toolbox/demo__a?version=2", 0
        while address:
            body = mine.get(address.partition("#")[0]).body
            assert len(body.encode()) <= PAGE_BYTES, address
            listed = body.partition(f'id="{what}"')[2].partition("</ol>")[0]
            lines += listed.count("<li")
            after = re.search(rf'href="([^"]+{what}=[1-9]\d*#{what})">Next lines', body)
            address = unescape(after[1]) if after else ""
        assert lines == total, what
    assert "more characters in this line" in page_of(mine, "/toolbox/demo__a?source=404")
    assert 'data-line="404"' in mine.get("/toolbox/demo__a?source=403").body
    assert "1 writes: 404" in page_of(mine, "/toolbox/demo__a")
    assert "11 to 16 of 16 agents" in page_of(mine, "/toolbox/demo__a?agents=10")
    for wrong in ("source=x", "source=99999", "change=-1", "schema=99999", "agents=99"):
        assert mine.get(f"/toolbox/demo__a?{wrong}").status == 200


def test_a_tool_or_a_version_that_is_not_there_is_not_found(world: World, mine: Browser, theirs: Browser) -> None:
    world.publish("a")
    for path in ("/toolbox/demo__b", "/toolbox/nothing", "/toolbox/demo__a?version=2", "/toolbox/demo__a?version=x"):
        assert heading(mine.get(path)) == "There is nothing at this address"
    found, none = theirs.get("/toolbox/demo__a"), theirs.get("/toolbox/demo__b")
    assert (found.status, found.body.replace("demo__a", "demo__b")) == (none.status, none.body) == (404, none.body)
    assert "demo__a" not in theirs.get("/toolbox").body


def test_a_name_is_read_as_a_look_up_reads_it(world: World, mine: Browser) -> None:
    world.publish("a")
    assert "demo__a" in page_of(mine, "/toolbox/Demo__A")


def test_nothing_on_these_pages_moves_a_tool(world: World, mine: Browser) -> None:
    world.publish("a")
    for path in ("/toolbox", "/toolbox/demo__a"):
        forms = re.findall(r'<form[^>]*action="([^"]*)" method="post"', mine.get(path).body)
        assert forms == ["/sign-out"]


def test_a_publish_shows_at_once(world: World, mine: Browser) -> None:
    mine.get("/toolbox")
    publishing.publish(
        world.deps,
        world.caller(),
        publishing.Draft("demo", "fresh", "Freshly made", {"type": "object"}, READS),
    )
    assert wires(mine.get("/toolbox").body) == ["demo__fresh"]
