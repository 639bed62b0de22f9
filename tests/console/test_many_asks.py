"""The page of asks when there are many: none is out of reach, and the page stays small."""

from __future__ import annotations

import re

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.model import AskAnswer, ToolQuestion
from chalicelib.services import answers, asks
from tests.console.browser import Browser
from tests.services.world import PERSON, WRITES, World, break_row

OPEN = re.compile(r'<a class="button" href="/a/(\w+)">Read and answer')
ENDED = re.compile(r'<a href="/a/(\w+)">')


def ask(world: World, number: int) -> str:
    """A question about a tool of a long name, which waits."""
    question = ToolQuestion("demo__note", 1, None, (), {"text": f"{number}"}, every_time=True)
    agent = world.caller(("demo", "desk")[number % 2]).agent
    _, place = asks.ask(world.deps, agent, question)
    return place.code


def walked(mine: Browser, pattern: re.Pattern[str], link: str) -> list[str]:
    """What is found on the pages of one list, from its first to its last."""
    address, found = "/asks", []
    while address:
        page = mine.get(address.partition("#")[0]).body
        assert len(page.encode()) <= PAGE_BYTES
        found += pattern.findall(page)
        after = re.search(rf'href="(/asks\?{link}=[^"]+)">Older', page)
        address = after[1] if after else ""
    return found


def test_every_ask_that_waits_is_reached_newest_first_and_counted(world: World, mine: Browser) -> None:
    world.agent("desk")
    world.publish("note", WRITES)
    codes = []
    for number in range(70):
        codes.append(ask(world, number))
        world.clock.forward(minutes=1)
    page = mine.get("/asks").body
    assert "<title>(70) Asks" in page
    assert "70 wait for you" in page
    assert '<span class="badge">70<' in mine.get("/agents").body
    assert walked(mine, OPEN, "from") == codes[::-1]


def test_every_ask_that_waits_no_more_is_reached_beside_those_that_do(world: World, mine: Browser) -> None:
    world.agent("desk")
    world.publish("note", WRITES)
    codes = []
    for number in range(70):
        codes.append(ask(world, number))
        found = world.deps.store.asks.find_by_code(PERSON, codes[-1])
        assert found is not None
        if number % 7:
            answers.answer_tool(world.deps, found, AskAnswer.DENIED)
        world.clock.forward(minutes=1)
    ended = [code for number, code in enumerate(codes) if number % 7]
    assert walked(mine, ENDED, "before") == ended[::-1]
    assert "<title>(10) Asks" in mine.get("/asks").body
    for wrong in ("before=x", "before=" + "f" * 24, "from=900", "from=x"):
        assert mine.get(f"/asks?{wrong}").status == 200


def test_an_agent_that_cannot_be_read_hides_no_ask(world: World, mine: Browser) -> None:
    world.publish("note", WRITES)
    code = ask(world, 0)
    break_row(world, world.caller().agent)
    page = mine.get("/asks")
    assert page.status == 200
    assert f"/a/{code}" in page.body
