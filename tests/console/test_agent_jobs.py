"""The jobs on an agent's page: each in words for people, live while one of them moves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from chalicelib.console.paging import PAGE_BYTES
from chalicelib.model import Job
from chalicelib.services import connections, jobs, workers, writing
from chalicelib.services.acquire import News
from tests.console.browser import Browser
from tests.console.reading import words_of
from tests.console.test_agent_page import HOSTILE, card, path_of
from tests.services.world import PERSON, READS, World
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import Stage

LIVE = 'id="jobs" aria-labelledby="jobs-h" aria-live="polite" data-live='


@pytest.fixture
def stage(world: World) -> Iterator[Stage]:
    with Endpoint([a_tool(READS)]) as model:
        yield Stage(world, model, display_name="Demo notes")


def shown(stage: Stage, mine: Browser) -> str:
    return card(mine.get(path_of(stage.world)).body, "jobs")


def is_followed(stage: Stage, mine: Browser) -> bool:
    return LIVE in mine.get(path_of(stage.world)).body


def test_without_a_job_it_says_what_begins_one(stage: Stage, mine: Browser) -> None:
    assert "No jobs yet. One begins when demo calls acquire" in shown(stage, mine)
    assert not is_followed(stage, mine)


def test_a_job_is_followed_from_queued_to_the_tool_that_came_of_it(stage: Stage, mine: Browser) -> None:
    seen: list[str] = []

    def look(_: list[dict[str, str]]) -> str:
        seen.append(shown(stage, mine))
        assert is_followed(stage, mine)
        return a_tool(READS)

    stage.model.will_say(["no tool", look])
    stage.start()
    queued = shown(stage, mine)
    assert "List the notes of the account queued" in queued
    assert "Demo notes · no attempt yet · asked just now The job waits for a worker." in queued
    assert is_followed(stage, mine)
    stage.work()
    assert "running Demo notes · attempt 2 of 4, 1,200 tokens · asked just now Attempt 2 of 4: the model" in seen[0]
    page = mine.get(path_of(stage.world)).body
    assert "done Demo notes · 2 attempts, 2,400 tokens" in card(page, "jobs")
    assert "demo__list-notes is published and promoted." in card(page, "jobs")
    assert 'href="/toolbox/demo__list-notes"' in page.partition('id="jobs"')[2].partition("</section>")[0]


def test_a_job_is_followed_until_what_its_end_brings_is_there_and_keeps_its_room_a_little_longer(
    stage: Stage, mine: Browser
) -> None:
    clock, path = stage.world.clock, path_of(stage.world)
    stage.finished()
    assert is_followed(stage, mine)
    clock.forward(seconds=11)
    assert not is_followed(stage, mine)
    assert 'class="small live"' in mine.get(path).body
    clock.forward(minutes=1)
    assert 'class="small live"' not in mine.get(path).body


def parts_beside(stage: Stage, mine: Browser) -> dict[str, str]:
    """What follows a live job, by the part's id: it is changed when this differs."""
    page = mine.get(path_of(stage.world)).body
    return dict(re.findall(r'id="([\w-]+)"[^>]* data-beside="([^"]*)"', page))


def test_whatever_a_job_moves_is_told_apart_from_what_it_was(stage: Stage, mine: Browser) -> None:
    """The form of the limits is no such part: what is typed there stays."""
    seen = [parts_beside(stage, mine)]

    def look(_: list[dict[str, str]]) -> str:
        seen.append(parts_beside(stage, mine))
        return a_tool(READS)

    stage.model.will_say([look])
    stage.start()
    seen.append(parts_beside(stage, mine))
    stage.work()
    seen.append(parts_beside(stage, mine))
    connections.revoke(stage.world.deps, PERSON, stage.connection.id)
    seen.append(parts_beside(stage, mine))
    whole = {"head", "now", "left", "set", "history-rows", "approvals", "runs"}
    assert all(whole | {"history-filter", "waiting-count"} == parts.keys() for parts in seen)
    for part in whole:
        assert len({parts[part] for parts in seen}) == len(seen), part


def test_after_a_form_that_was_not_saved_the_page_is_read_from_its_own_address(stage: Stage, mine: Browser) -> None:
    stage.start()
    path = path_of(stage.world)
    assert "data-from" not in mine.get(f"{path}?cause=idle").body
    shown = mine.post(f"{path}/limits", name="demo", cap="1", idle_window_days="1", preview="1").body
    assert f'data-live="2" data-from="{path}"' in shown


def test_a_job_that_failed_says_why_in_words_for_people(stage: Stage, mine: Browser) -> None:
    stage.model.will_say(["no tool"])
    stage.finished()
    page = shown(stage, mine)
    assert "failed Demo notes · 4 attempts, 4,800 tokens" in page
    assert "After 4 attempts no module passed its check and its dry run. Its last attempt: The reply could not" in page
    assert page.endswith('this one holds 0 python and 0 json.".')
    assert "publish_tool" not in page
    assert "attempt_budget" in card(mine.get(path_of(stage.world)).body, "runs")


def test_a_job_that_was_cancelled_says_why(stage: Stage, mine: Browser) -> None:
    stage.start()
    connections.revoke(stage.world.deps, PERSON, stage.connection.id)
    assert "cancelled Demo notes · no attempt · asked just now Its connection was revoked." in shown(stage, mine)
    assert "a tool being written, cancelled" in card(mine.get(path_of(stage.world)).body, "runs")


def test_the_end_of_an_agent_or_a_connection_says_how_many_open_jobs_it_cancels(stage: Stage, mine: Browser) -> None:
    agent, connection = f"{path_of(stage.world)}/revoke", f"/connections/{stage.connection.id}/revoke"
    for path in (agent, connection):
        assert "Jobs none is open" in words_of(mine.get(path).body)
    stage.start()
    assert "Runs none in flight Jobs 1 that is open would be cancelled" in words_of(mine.get(agent).body)
    assert "Jobs 1 that is open is cancelled" in words_of(mine.get(connection).body)
    stage.acquire("Count the notes")
    assert "Jobs 2 that are open would be cancelled" in words_of(mine.get(agent).body)
    assert "Jobs 2 that are open are cancelled" in words_of(mine.get(connection).body)
    other = stage.world.connect("other")
    assert "Jobs none is open" in words_of(mine.get(f"/connections/{other.id}/revoke").body)
    stage.work()
    assert "Jobs 1 that is open is cancelled" in words_of(mine.get(connection).body)
    mine.post(connection)
    assert "Jobs none is open" in words_of(mine.get(agent).body)


def test_a_job_and_its_reads_are_runs_that_lead_to_no_page(stage: Stage, mine: Browser) -> None:
    stage.model.will_say([a_tool(READS, reads=["/notes"])])
    stage.finished()
    page = mine.get(f"{path_of(stage.world)}/runs").body
    assert "acquire a tool being written, done" in words_of(page)
    assert "demo__acquire-reads test run, done" in words_of(page)
    assert "/toolbox/acquire" not in page
    assert "/toolbox/demo__acquire-reads" not in page
    assert "version 0" not in words_of(page)


def test_the_latest_three_stand_on_the_page_and_the_others_behind_it(stage: Stage, mine: Browser) -> None:
    stage.allow()
    for number in range(5):
        stage.world.clock.forward(seconds=1)
        stage.model.will_say(["GIVE UP: no"])
        news = stage.acquire(f"Goal {number}")
        assert isinstance(news, News)
        stage.work()
    page = shown(stage, mine)
    assert "The latest 3" in page
    assert page.index("Goal 4") < page.index("Goal 3") < page.index("Goal 2")
    assert "Goal 1" not in page
    more = words_of(mine.get(f"{path_of(stage.world)}/jobs").body)
    assert all(f"Goal {number} failed" in more for number in range(5))


def test_hostile_goals_and_models_stay_text_on_a_small_page(stage: Stage, mine: Browser) -> None:
    stage.allow()
    for number in range(3):
        stage.world.clock.forward(seconds=1)
        stage.model.will_say([f"GIVE UP: {HOSTILE * 90}"])
        stage.acquire(f"{number} {HOSTILE * 90}")
        stage.work()
    for number in range(30):
        stage.world.publish(f"{'x' * 38}-{number:02}", READS, description=HOSTILE * 60)
    page = mine.get(path_of(stage.world)).body
    assert "<script>alert" not in page
    assert "U+202E" in page
    assert len(page.encode()) <= PAGE_BYTES


def test_a_dead_workers_job_is_queued_again_and_says_so(stage: Stage, mine: Browser) -> None:
    job: Job = stage.start()
    assert workers.take_up(stage.world.deps, stage.world.caller().agent, job.id) is not None
    stage.world.clock.forward(seconds=91)
    jobs.go_on(stage.world.deps, stage.job(job))
    assert "queued" in shown(stage, mine)
    assert "Its worker was not heard of; another one is called." in shown(stage, mine)
    writing.work(stage.world.deps, *stage.called[-1])
    assert "done" in shown(stage, mine)
