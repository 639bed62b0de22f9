"""Having a tool written, from the call to the promoted tool, over the real services; the model is on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from chalicelib import wiring
from chalicelib.errors import Reason, Refusal
from chalicelib.model import AcquireQuestion, AskAnswer, JobStatus, RunKind
from chalicelib.rules import acquire as rule
from chalicelib.rules import endings
from chalicelib.services import (
    acquire,
    acquire_asks,
    agents,
    connections,
    jobs,
    replies,
    sweep,
    toolbox,
    workers,
    writing,
)
from chalicelib.services.acquire import News, Similar, Wanted
from chalicelib.services.asks import Waiting
from tests.acceptance.waiting import until
from tests.round_trips import RoundTrips
from tests.services.world import PERSON, READS, WRITES, World
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import GOAL, Stage

BROKEN = 'def run(input, http):\n    return requests.get("/notes")\n'
WRONG_PATH = 'def run(input, http):\n    return http.get("/note-list").raise_for_status()\n'
NOTHING = "def run(input, http):\n    return []\n"


@pytest.fixture
def stage(world: World) -> Iterator[Stage]:
    with Endpoint([a_tool(READS, reads=["/notes"])]) as model:
        yield Stage(world, model)


# --- before anything is read


def test_without_a_model_it_names_the_settings_and_publish_tool(world: World) -> None:
    connection = world.connect()
    with pytest.raises(Refusal) as refused:
        acquire.acquire(world.deps, world.caller(), Wanted(connection.id, GOAL))
    assert refused.value.reason is Reason.ACQUIRE_UNCONFIGURED
    assert all(part in refused.value.message for part in ("GRAFT_MODEL", "GRAFT_MODEL_URL", "publish_tool"))


def test_the_person_is_asked_once_for_a_connection_and_nothing_happens_before(stage: Stage) -> None:
    first, second = stage.acquire(), stage.acquire("Count the notes")
    assert isinstance(first, Waiting)
    assert first == second
    assert first.status == "awaiting_approval"
    question = stage.world.asked(first).question
    assert isinstance(question, AcquireQuestion)
    assert question.provider == stage.model.url.removeprefix("http://")
    assert (question.hosts, question.goal) == (stage.connection.hosts, GOAL)
    assert (stage.called, stage.model.asked, stage.world.ledger()) == ([], [], [])


def test_once_allowed_further_goals_on_the_connection_ask_no_more(stage: Stage) -> None:
    stage.allow()
    assert isinstance(stage.acquire(), News)
    assert isinstance(stage.acquire("Count the notes"), News)


def test_another_provider_is_another_question(stage: Stage) -> None:
    stage.allow()
    other = wiring._model({"GRAFT_MODEL": "bedrock:m"})
    stage.world.deps = replace(stage.world.deps, model=other)
    assert isinstance(stage.acquire(), Waiting)


def test_an_answer_grants_nothing_when_the_provider_is_another_by_then(stage: Stage) -> None:
    ask = stage.world.asked(stage.acquire())
    stage.world.deps = replace(stage.world.deps, model=wiring._model({"GRAFT_MODEL": "bedrock:m"}))
    assert acquire_asks.answer_acquire(stage.world.deps, ask, AskAnswer.ALLOWED).ended is not None
    assert isinstance(stage.acquire(), Waiting)


def test_a_denial_is_told_with_the_persons_reason(stage: Stage) -> None:
    ask = stage.world.asked(stage.acquire())
    acquire_asks.answer_acquire(stage.world.deps, ask, AskAnswer.DENIED, reason="Not this account")
    with pytest.raises(Refusal) as refused:
        stage.acquire()
    assert refused.value.reason is Reason.APPROVAL_DENIED
    assert "Not this account" in refused.value.message
    assert stage.called == []


def test_an_answer_is_given_once(stage: Stage) -> None:
    ask = stage.world.asked(stage.acquire())
    acquire_asks.answer_acquire(stage.world.deps, ask, AskAnswer.ALLOWED)
    assert acquire_asks.answer_acquire(stage.world.deps, ask, AskAnswer.DENIED).ended is not None
    assert isinstance(stage.acquire(), News)


def test_tools_that_look_like_the_goal_come_first(stage: Stage) -> None:
    stage.world.publish("list-notes", READS)
    answer = stage.acquire()
    assert isinstance(answer, Similar)
    assert [card.wire_name for card in answer.tools] == ["demo__list-notes"]
    assert isinstance(stage.acquire(ignore_existing=True), Waiting)


# --- the job


def test_a_tool_is_written_checked_proved_dry_run_published_and_promoted(stage: Stage) -> None:
    job = stage.finished()
    assert job.status is JobStatus.SUCCEEDED
    assert job.result is not None
    assert (job.result["tool"], job.result["version"]) == ("demo__list-notes", 1)
    assert (job.attempts, job.tokens) == (1, 1200)
    assert stage.world.set_of() == ["list-notes"]
    assert len(stage.world.call("list-notes")) == 3
    assert [entry.step for entry in job.progress] == [
        "queued",
        "started",
        "documentation",
        "model",
        "reply",
        "check",
        "dry run",
        "published",
    ]
    assert [entry.seq for entry in job.progress] == list(range(1, 9))


def test_the_tool_belongs_to_its_agent_and_its_connection(stage: Stage) -> None:
    job = stage.finished()
    tool = stage.world.deps.store.toolbox.find_current(PERSON, "demo__list-notes")
    assert tool is not None
    assert (tool.published_by, tool.connection_id) == (job.agent_id, stage.connection.id)
    assert [change.cause.value for change in stage.world.history()[0].changes] == ["publish"]


def test_a_module_that_fails_the_check_comes_back_with_its_lines_and_then_passes(stage: Stage) -> None:
    stage.model.will_say([a_tool(BROKEN), a_tool(READS)])
    job = stage.finished()
    assert (job.status, job.attempts) == (JobStatus.SUCCEEDED, 2)
    assert "line 2" in stage.model.asked[1].messages[-1]["text"]
    assert "requests" in stage.model.asked[1].messages[-1]["text"]


def test_a_dry_run_that_fails_twice_shows_what_the_vendor_answered(stage: Stage) -> None:
    stage.model.will_say([a_tool(WRONG_PATH, reads=["/notes"]), a_tool(WRONG_PATH), a_tool(READS)])
    job = stage.finished()
    assert (job.status, job.attempts) == (JobStatus.SUCCEEDED, 3)
    told = stage.model.asked[1].messages[-1]["text"]
    assert "GET /note-list answered 404" in told
    assert "BEGIN ANSWER GET /notes: status 200" in told


def test_a_proof_read_that_fails_stops_the_attempt_before_the_dry_run(stage: Stage) -> None:
    stage.model.will_say([a_tool(READS, reads=["/no-such-path"]), a_tool(READS)])
    assert stage.finished().attempts == 2
    assert "status 404" in stage.model.asked[1].messages[-1]["text"]


def test_the_model_may_look_first(stage: Stage) -> None:
    stage.model.will_say(['```json\n{"reads": ["/notes"]}\n```', a_tool(READS)])
    assert stage.finished().status is JobStatus.SUCCEEDED
    assert '"text"' in stage.model.asked[1].messages[-1]["text"]


def test_a_tool_that_returns_nothing_is_believed_when_the_model_insists(stage: Stage) -> None:
    stage.model.will_say([a_tool(NOTHING)])
    job = stage.finished()
    assert (job.status, job.attempts) == (JobStatus.SUCCEEDED, 2)
    assert "returned nothing" in stage.model.asked[1].messages[-1]["text"]


def test_a_reply_that_cannot_be_read_costs_an_attempt(stage: Stage) -> None:
    stage.model.will_say(["I would love to!", a_tool(READS)])
    assert stage.finished().attempts == 2


@pytest.mark.parametrize(
    "said",
    [
        "half \ud800 of a pair",
        a_tool(READS, description="half \ud800 of a pair"),
        a_tool(READS).replace("def run", "# half \ud800 of a pair\ndef run"),
        "\U0001f600" * 300_000,
        f"```json\n{json.dumps({f'{number}': 1 for number in range(50_000)})}\n```\n",
        a_tool('def run(input, http):\n    http.get("/no/" + "x" * 16000).raise_for_status()\n'),
    ],
    ids=["half a pair", "half a pair in json", "half a pair in python", "long", "all wrong", "a long path"],
)
def test_no_reply_keeps_the_next_attempt_from_doing_better(stage: Stage, said: str) -> None:
    stage.model.will_say([said, a_tool(READS)])
    job = stage.finished(hints="\U0001f600" * 4000)
    assert job.status is JobStatus.SUCCEEDED, job.result
    assert job.attempts <= 2


def test_a_model_that_gives_up_with_half_a_pair_is_believed(stage: Stage) -> None:
    stage.model.will_say(["GIVE UP: \ud800"])
    assert stage.failure(stage.finished()) == "model_gave_up"


def test_after_four_attempts_it_is_over(stage: Stage) -> None:
    stage.model.will_say([a_tool(BROKEN)])
    job = stage.finished()
    assert stage.failure(job) == "attempt_budget"
    assert (job.attempts, len(stage.model.asked)) == (4, 4)
    assert stage.world.set_of() == []


def test_a_job_that_failed_says_what_was_wrong_last_to_agent_and_person(stage: Stage) -> None:
    stage.model.will_say([a_tool(BROKEN)])
    job = stage.finished()
    said = [entry.message for entry in job.progress if entry.step == "check"]
    assert said[0].startswith('demo__list-notes did not pass the check, 1 problem: "line 2, ')
    assert "requests" in said[0]
    assert job.result is not None
    assert f"Its last attempt: {said[-1]} Call acquire again" in str(job.result["message"])
    assert job.progress[-1].message.endswith(f"Its last attempt: {said[-1]}")


def test_each_attempt_that_fell_short_says_why(stage: Stage) -> None:
    script = ["I would love to!", a_tool(READS, reads=["/no-such-path"]), a_tool(WRONG_PATH), a_tool(READS)]
    stage.model.will_say(script)
    said = {entry.step: entry.message for entry in reversed(stage.finished().progress)}
    assert '"A reply holds one ```python block and one ```json block; ' in said["unreadable"]
    assert said["reads"] == 'A proof read failed: "GET /no-such-path answered 404".'
    assert '"GET /note-list answered 404"' in said["dry run"]


def test_a_job_whose_time_is_up_says_what_was_wrong_last(stage: Stage) -> None:
    stage.model.will_say([a_tool(BROKEN), 400])
    job = stage.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "await_reply", first_then(die, replies.await_reply))
        with pytest.raises(Killed):
            stage.work()
    stage.world.clock.forward(minutes=11)
    done = acquire.status(stage.world.deps, stage.world.caller(), job.id, 0).job
    assert stage.failure(done) == "job_failed"
    assert "Its 10 minutes were up. Its last attempt: demo__list-notes did not" in str((done.result or {})["message"])


def first_then(second: Callable[..., Any], first: Callable[..., Any]) -> Callable[..., Any]:
    """What answers as `first` once, and as `second` from then on."""
    acts = iter([first])
    return lambda *arguments: next(acts, second)(*arguments)


def test_the_token_ceiling_is_never_passed(stage: Stage) -> None:
    stage.model.tokens = (300_000, 90_000)
    stage.model.will_say([a_tool(BROKEN)])
    job = stage.finished()
    assert stage.failure(job) == "token_ceiling"
    assert job.tokens <= rule.TOKENS_MAX


def test_a_model_that_gives_up_is_believed(stage: Stage) -> None:
    stage.model.will_say(["GIVE UP: the API has no notes."])
    job = stage.finished()
    assert stage.failure(job) == "model_gave_up"
    assert job.result is not None
    said = 'The model says that it cannot be done. It says: "the API has no notes". Call acquire with another goal'
    assert str(job.result["message"]).startswith(said)


def test_a_model_that_fails_is_named(stage: Stage) -> None:
    stage.model.will_say([400])
    assert stage.failure(stage.finished()) == "model_failed"


def test_a_model_that_answers_in_no_format_is_named_and_nothing_of_grafts_broke(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.model.will_say([b'{"choices": [{"message": {"content": null}}]}'])
    job = stage.finished()
    assert stage.failure(job) == "model_failed"
    assert "answered something that is no chat completion. Try again later" in str((job.result or {})["message"])
    assert caplog.records == []


@pytest.mark.parametrize("blank", ["", "\n"])
def test_a_blank_reply_costs_an_attempt_and_is_not_said_again(stage: Stage, blank: str) -> None:
    stage.model.will_say([blank, a_tool(READS)])
    assert stage.finished().attempts == 2
    assert all(turn["text"].strip() for turn in stage.model.asked[1].messages)


def test_a_vendor_that_cannot_be_reached_ends_it(stage: Stage) -> None:
    stage.connection = stage.world.connect(primary_host="nobody.invalid")
    job = stage.finished()
    assert stage.failure(job) == "vendor_unreachable"
    assert job.attempts == 1


def test_a_name_that_is_taken_is_never_published_over(stage: Stage) -> None:
    stage.world.publish("list-notes", READS)
    stage.model.will_say([a_tool(READS), a_tool(READS, name="list-all-notes")])
    stage.finished(ignore_existing=True)
    current = stage.world.deps.store.toolbox.find_current(PERSON, "demo__list-notes")
    assert current is not None
    assert current.version == 1
    assert "list-all-notes" in stage.world.set_of()


def test_no_write_leaves_and_a_writing_tool_asks_when_it_is_called(stage: Stage) -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    stage.model.will_say([a_tool(WRITES, name="create-note", schema=schema, test_input={"text": "x"})])
    assert stage.finished().status is JobStatus.SUCCEEDED
    assert isinstance(stage.world.call("create-note", text="y"), Waiting)
    stage.world.publish("read-them", READS)
    assert len(stage.world.call("read-them")) == 3


def test_the_model_never_sees_the_credential(stage: Stage) -> None:
    stage.model.will_say([a_tool(WRONG_PATH, reads=["/notes"]), a_tool(READS, reads=["/notes"])])
    stage.finished()
    assert len(stage.prompts) == 2
    assert not [prompt for prompt in stage.prompts if stage.world.vendor_token in prompt]


# --- one job, whoever works on it


def test_a_call_answers_a_job_id_before_any_work_is_done(stage: Stage) -> None:
    """Report: anthropics/claude-ai-mcp#115"""
    job = stage.start()
    assert (job.status, stage.model.asked) == (JobStatus.QUEUED, [])


def test_a_repeat_joins_the_job_that_is_at_it(stage: Stage) -> None:
    job = stage.start()
    again = stage.acquire("  list the NOTES of the account. ")
    assert isinstance(again, News)
    assert again.job.id == job.id
    assert len(stage.called) == 1


def test_at_most_three_jobs_of_an_agent_are_open(stage: Stage) -> None:
    stage.allow()
    for number in range(3):
        stage.acquire(f"Goal {number}")
    with pytest.raises(Refusal) as refused:
        stage.acquire("One more")
    assert refused.value.reason is Reason.RATE_LIMITED
    its = [job.id for job in stage.world.deps.store.jobs.newest(PERSON, stage.world.caller().agent.id)]
    assert f"3 jobs of this agent are open ({', '.join(sorted(its))})." in refused.value.message


def test_a_job_whose_time_is_up_takes_no_place_from_another(stage: Stage) -> None:
    stage.allow()
    for number in range(3):
        stage.acquire(f"Goal {number}")
    stage.world.clock.forward(minutes=10)
    assert isinstance(stage.acquire("One more"), News)
    open_now = stage.world.deps.store.jobs.all_open(PERSON, stage.world.caller().agent.id)
    assert [job.goal for job in open_now] == ["One more"]


def test_a_worker_that_comes_twice_does_it_once(stage: Stage) -> None:
    job = stage.finished()
    stage.work()
    assert stage.job(job).progress == job.progress
    assert len(stage.model.asked) == 1


def test_while_one_worker_is_at_it_another_finds_nothing_to_do(stage: Stage) -> None:
    job = stage.start()
    agent = stage.world.caller().agent
    assert workers.take_up(stage.world.deps, agent, job.id) is not None
    assert workers.take_up(stage.world.deps, agent, job.id) is None


def test_a_process_without_a_model_leaves_the_job_to_those_that_have_one(stage: Stage) -> None:
    job = stage.start()
    writing.work(replace(stage.world.deps, model=None), *stage.called[-1])
    assert stage.job(job).status is JobStatus.QUEUED
    stage.work()
    assert stage.job(job).status is JobStatus.SUCCEEDED


def test_a_token_that_is_rotated_meanwhile_stops_no_job(stage: Stage) -> None:
    def rotate(_: list[dict[str, str]]) -> str:
        agents.rotate_token(stage.world.deps, stage.world.caller().agent)
        return a_tool(READS, reads=["/notes"])

    stage.model.will_say([rotate])
    assert stage.finished().status is JobStatus.SUCCEEDED


def test_an_agent_that_is_revoked_meanwhile_has_its_job_cancelled(stage: Stage) -> None:
    def revoke(_: list[dict[str, str]]) -> str:
        agents.revoke_agent(stage.world.deps, PERSON, stage.called[0][1])
        return a_tool(READS)

    stage.model.will_say([revoke])
    assert stage.finished().status is JobStatus.CANCELLED


def test_a_dead_workers_job_is_finished_by_another_with_what_it_learned(stage: Stage) -> None:
    stage.model.will_say([a_tool(BROKEN), a_tool(READS)])
    job = stage.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "_judged", die)
        with pytest.raises(Killed):
            stage.work()
    stage.world.clock.forward(seconds=91)
    assert acquire.status(stage.world.deps, stage.world.caller(), job.id, 0).job.status is JobStatus.QUEUED
    assert len(stage.called) == 2
    stage.work()
    done = stage.job(job)
    assert (done.status, done.attempts) == (JobStatus.SUCCEEDED, 2)


class Killed(BaseException):
    """As `kill -9` would: no handler of ours sees it."""


def die(*_: object) -> bool:
    raise Killed


def test_the_sweep_calls_another_worker_for_a_silent_job(stage: Stage) -> None:
    job = stage.start()
    stage.world.clock.forward(seconds=61)
    sweep.run_sweep(stage.world.deps)
    assert len(stage.called) == 2
    stage.work()
    assert stage.job(job).status is JobStatus.SUCCEEDED


def test_the_sweeps_own_clock_does_not_make_a_job_silent(stage: Stage) -> None:
    stage.start()
    sweep.run_sweep(stage.world.deps, rule_now=stage.world.clock() + timedelta(days=400))
    assert len(stage.called) == 1


def test_a_job_that_nobody_takes_up_fails_by_its_deadline(stage: Stage) -> None:
    job = stage.start()
    stage.world.clock.forward(minutes=10)
    sweep.run_sweep(stage.world.deps)
    assert stage.failure(stage.job(job)) == "job_failed"
    assert "Its 10 minutes were up." in repr(stage.job(job).result)
    assert stage.world.caller().agent.runs == {}
    assert isinstance(stage.acquire(), News)
    assert len(stage.called) == 2


def test_a_worker_that_was_given_up_for_dead_writes_nothing_more(stage: Stage) -> None:
    job = stage.start()
    first = workers.take_up(stage.world.deps, stage.world.caller().agent, job.id)
    assert first is not None
    stage.world.clock.forward(seconds=91)
    second = workers.take_up(stage.world.deps, stage.world.caller().agent, job.id)
    assert second is not None
    with pytest.raises(workers.JobLost):
        first.note("model", "late")
    with pytest.raises(workers.JobLost):
        first.fail(endings.BROKEN)
    second.note("model", "in time")


def test_the_sweep_leaves_the_agent_alone_while_its_job_is_open(stage: Stage) -> None:
    stage.world.publish("idle", READS)
    job = stage.start(ignore_existing=True)
    assert stage.world.caller().agent.runs[job.id].kind is RunKind.ACQUIRE
    far = stage.world.clock() + timedelta(days=400)
    assert sweep.run_sweep(stage.world.deps, rule_now=far).demoted == []
    worker = workers.take_up(stage.world.deps, stage.world.caller().agent, job.id)
    assert worker is not None
    for _ in range(5):
        stage.world.clock.forward(seconds=60)
        worker.beat()
        assert sweep.run_sweep(stage.world.deps, rule_now=far).demoted == []
    worker.fail(endings.BROKEN)
    assert [leaver.tool for _, leaver in sweep.run_sweep(stage.world.deps, rule_now=far).demoted] == ["demo__idle"]


def test_the_sweep_leaves_the_agent_alone_until_the_deadline_of_a_job_whose_workers_all_died(stage: Stage) -> None:
    stage.world.publish("idle", READS)
    job = stage.start(ignore_existing=True)
    far = stage.world.clock() + timedelta(days=400)
    for _ in range(6):
        assert workers.take_up(stage.world.deps, stage.world.caller().agent, job.id) is not None
        stage.world.clock.forward(seconds=91)
        assert sweep.run_sweep(stage.world.deps, rule_now=far).demoted == []
    stage.world.clock.forward(seconds=45)
    assert sweep.run_sweep(stage.world.deps, rule_now=far).demoted == []
    assert stage.job(job).status is JobStatus.QUEUED
    stage.world.clock.forward(seconds=9)
    assert [leaver.tool for _, leaver in sweep.run_sweep(stage.world.deps, rule_now=far).demoted] == ["demo__idle"]
    assert stage.failure(stage.job(job)) == "job_failed"


def test_a_job_that_was_queued_again_holds_the_sweep_off_like_one_that_was_never_silent(stage: Stage) -> None:
    stage.world.publish("idle", READS)
    job = stage.start(ignore_existing=True)
    stage.world.clock.forward(seconds=100)
    far = stage.world.clock() + timedelta(days=400)
    swept = sweep.run_sweep(stage.world.deps, rule_now=far)
    assert (swept.demoted, len(swept.having(sweep.Outcome.SKIPPED))) == ([], 1)
    assert stage.job(job).status is JobStatus.QUEUED
    assert stage.world.ledger() == [], "the run of an open job is not buried as dead"


def test_a_job_is_queued_again_until_its_deadline_and_no_longer(stage: Stage) -> None:
    job = stage.start()
    stage.world.clock.forward(minutes=9, seconds=50)
    sweep.run_sweep(stage.world.deps)
    assert stage.job(job).lease_until == job.deadline


def test_a_job_that_ended_holds_nothing_although_its_worker_died_with_the_run_in_flight(stage: Stage) -> None:
    stage.world.publish("idle", READS)
    job = stage.start(ignore_existing=True)
    worker = workers.take_up(stage.world.deps, stage.world.caller().agent, job.id)
    assert worker is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "release", die)
        with pytest.raises(Killed):
            worker.fail(endings.ATTEMPTS_SPENT)
    far = stage.world.clock() + timedelta(days=400)
    assert [leaver.tool for _, leaver in sweep.run_sweep(stage.world.deps, rule_now=far).demoted] == ["demo__idle"]
    line = stage.world.ledger()[0]
    assert (line.run.id, line.outcome, stage.world.caller().agent.runs) == (job.id, "attempt_budget", {})


def test_revoking_the_connection_cancels_the_job(stage: Stage) -> None:
    job = stage.start()
    worker = workers.take_up(stage.world.deps, stage.world.caller().agent, job.id)
    assert worker is not None
    connections.revoke(stage.world.deps, PERSON, stage.connection.id)
    assert stage.job(job).status is JobStatus.CANCELLED
    assert stage.world.caller().agent.runs == {}
    with pytest.raises(workers.JobLost):
        worker.note("model", "late")


def test_a_revoke_in_the_middle_publishes_nothing(stage: Stage) -> None:
    def revoke(_: list[dict[str, str]]) -> str:
        connections.revoke(stage.world.deps, PERSON, stage.connection.id)
        return a_tool(READS)

    stage.model.will_say([revoke])
    assert stage.finished().status is JobStatus.CANCELLED
    assert stage.world.set_of() == []


def test_a_withdrawn_answer_is_asked_for_again_and_stops_a_queued_job(stage: Stage) -> None:
    job = stage.start()
    agent = stage.world.caller().agent
    stage.world.deps.store.grants.withdraw_all(agent, stage.connection.id)
    stage.work()
    assert stage.failure(stage.job(job)) == "connection_unavailable"
    assert stage.model.asked == []
    assert isinstance(stage.acquire(), Waiting)


def test_an_answer_withdrawn_while_the_model_writes_stops_the_job_before_anything_more_is_read(stage: Stage) -> None:
    def withdraw(_: list[dict[str, str]]) -> str:
        stage.world.deps.store.grants.withdraw_all(stage.world.caller().agent, stage.connection.id)
        return a_tool(READS, reads=["/notes"])

    stage.model.will_say([withdraw])
    job = stage.finished()
    assert stage.failure(job) == "connection_unavailable"
    told = str((job.result or {})["message"])
    assert "was withdrawn" in told
    assert told.endswith("Call acquire again: it asks the person anew.")
    assert not any(word in told for word in ("revoked", "credential", "request_connection"))
    assert [line.run.kind for line in stage.world.ledger()] == [RunKind.ACQUIRE], "no run of a read or a candidate"
    assert (len(stage.model.asked), stage.world.set_of()) == (1, [])


def test_a_connection_that_leaves_the_agents_scope_meanwhile_is_not_used_any_more(stage: Stage) -> None:
    def narrow(_: list[dict[str, str]]) -> str:
        agents.edit_scope(stage.world.deps, PERSON, stage.world.caller().agent.id, frozenset())
        return a_tool(READS, reads=["/notes"])

    stage.model.will_say([narrow])
    job = stage.finished()
    assert stage.failure(job) == "connection_unavailable"
    told = str((job.result or {})["message"])
    assert told.startswith("The agent may not use the connection any more. The person can let the agent use it again")
    assert [line.run.kind for line in stage.world.ledger()] == [RunKind.ACQUIRE]


def test_revoking_the_agent_cancels_its_queued_job_at_once(stage: Stage) -> None:
    job = stage.start()
    agents.revoke_agent(stage.world.deps, PERSON, job.agent_id)
    assert stage.job(job).status is JobStatus.CANCELLED
    stage.work()
    assert stage.model.asked == []


def test_after_ten_minutes_no_further_attempt_begins(stage: Stage) -> None:
    def take_long(_: list[dict[str, str]]) -> str:
        stage.world.clock.forward(minutes=11)
        return a_tool(BROKEN)

    stage.model.will_say([take_long])
    job = stage.finished()
    assert stage.failure(job) == "job_failed"
    assert (job.attempts, len(stage.model.asked)) == (1, 1)


def test_a_model_that_never_answers_ends_the_job_when_its_time_is_up(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up = threading.Event()

    def hang(_: list[dict[str, str]]) -> str:
        stage.world.clock.forward(minutes=10)
        assert given_up.wait(30), "the worker waited for the model"
        return a_tool(READS)

    monkeypatch.setattr(replies, "BEAT_SECONDS", 0.01)
    stage.model.will_say([hang])
    job = stage.finished()
    given_up.set()
    assert stage.failure(job) == "job_failed"
    assert "Its 10 minutes were up." in repr(job.result)
    assert (job.attempts, stage.world.set_of(), stage.world.caller().agent.runs) == (1, [], {})


def test_a_job_that_is_cancelled_while_the_model_writes_waits_for_no_answer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up = threading.Event()

    def revoke(_: list[dict[str, str]]) -> str:
        connections.revoke(stage.world.deps, PERSON, stage.connection.id)
        assert given_up.wait(30), "the worker waited for the model"
        return a_tool(READS)

    monkeypatch.setattr(replies, "BEAT_SECONDS", 0.01)
    stage.model.will_say([revoke])
    job = stage.finished()
    given_up.set()
    assert (job.status, job.tokens) == (JobStatus.CANCELLED, 0)


def test_a_worker_whose_model_takes_minutes_is_heard_of_all_the_while(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def take_long(_: list[dict[str, str]]) -> str:
        (agent,) = {(job[0], job[1]) for job in stage.called}
        seen = stage.world.deps.store.jobs.newest(*agent)[0].lease_until
        stage.world.clock.forward(seconds=80)
        until(lambda: stage.world.deps.store.jobs.newest(*agent)[0].lease_until > seen, "a beat")
        return a_tool(READS)

    monkeypatch.setattr(replies, "BEAT_SECONDS", 0.01)
    stage.model.will_say([take_long])
    assert stage.finished().status is JobStatus.SUCCEEDED


def test_a_job_in_which_something_of_grafts_own_breaks_says_so_and_not_what(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a table's name")

    monkeypatch.setattr(toolbox, "check", broken)
    job = stage.finished()
    assert stage.failure(job) == "job_failed"
    assert "Something went wrong on the way; Graft's log says what." in str((job.result or {})["message"])
    assert "a table's name" not in repr(job)


def test_a_call_waits_for_a_handful_of_reads_and_writes_and_for_nobody_else(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.allow()
    for number in range(40):
        stage.world.publish(f"other-{number}")
    trips = RoundTrips()
    stage.world.deps = trips.watch(stage.world.deps, monkeypatch)
    caller = stage.world.caller()
    trips.start()
    news = acquire.acquire(stage.world.deps, caller, Wanted(stage.connection.id, GOAL))
    assert isinstance(news, News)
    assert 0 < trips.count <= 8, trips.count
    assert (stage.model.asked, stage.world.ledger()) == ([], [])


# --- its news


def test_status_answers_at_once_when_there_is_news_and_else_waits(stage: Stage) -> None:
    job = stage.start()
    pauses: list[float] = []
    stage.world.deps = replace(stage.world.deps, pause=pauses.append)
    assert [e.seq for e in acquire.status(stage.world.deps, stage.world.caller(), job.id, 0).progress] == [1]
    assert pauses == []
    assert acquire.status(stage.world.deps, stage.world.caller(), job.id, 1).progress == ()
    assert sum(pauses) == 20.0


def test_news_that_comes_while_somebody_waits_is_told_then(stage: Stage) -> None:
    job = stage.start()
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            stage.work()

    stage.world.deps = replace(stage.world.deps, pause=pause)
    news = acquire.status(stage.world.deps, stage.world.caller(), job.id, 1)
    assert (news.job.status, len(pauses)) == (JobStatus.SUCCEEDED, 3)
    assert [entry.seq for entry in news.progress] == list(range(2, 9))
    assert acquire.status(stage.world.deps, stage.world.caller(), job.id, 8).progress == ()
    assert len(pauses) == 3, "a job that has ended has no more news to wait for"


def test_with_little_time_left_it_answers_before_the_gateway_does(stage: Stage) -> None:
    job = stage.start()
    left = iter([30.0, 10.0, 3.0])
    pauses: list[float] = []
    stage.world.deps = replace(stage.world.deps, pause=pauses.append, seconds_left=lambda: next(left))
    assert acquire.status(stage.world.deps, stage.world.caller(), job.id, 1).progress == ()
    assert len(pauses) == 2


def test_anothers_job_does_not_exist(stage: Stage) -> None:
    job = stage.start()
    stage.world.agent("laptop")
    for wanted in (job.id, "nothing", ""):
        with pytest.raises(Refusal) as refused:
            acquire.status(stage.world.deps, stage.world.caller("laptop"), wanted, 0)
        assert refused.value.reason is Reason.JOB_NOT_FOUND


def test_an_agents_jobs_are_listed_newest_first(stage: Stage) -> None:
    first = stage.finished()
    stage.world.clock.forward(seconds=1)
    second = stage.acquire("Something else entirely", ignore_existing=True)
    assert isinstance(second, News)
    agent = stage.world.caller().agent
    listed = stage.world.deps.store.jobs.newest(PERSON, agent.id)
    assert [job.id for job in listed] == [second.job.id, first.id]
