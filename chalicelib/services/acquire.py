"""`acquire` and `acquire_status`: what is there already, the person's leave, one job for each goal, and its news."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, Job, JobEntry, ToolCard
from chalicelib.rules import acquire as rule
from chalicelib.rules import throttle
from chalicelib.services import acquire_asks, cards, jobs, requests, toolbox
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Deps, Model
from chalicelib.services.identity import Caller, refresh
from chalicelib.services.retries import attempts

SIMILAR_MAX: Final = 3
WAIT_SECONDS: Final = 20.0
POLL_SECONDS: Final = 0.5
SECONDS_IN_HAND: Final = 4.0
"""Of the gateway's time, for the answer."""
SETTINGS: Final = ("GRAFT_MODEL", "GRAFT_MODEL_URL", "GRAFT_MODEL_KEY")


@dataclass(frozen=True, slots=True)
class Wanted:
    connection_id: str
    goal: str
    hints: str = ""
    ignore_existing: bool = False


@dataclass(frozen=True, slots=True)
class Similar:
    """Tools of the vendor that look like the goal, best first."""

    tools: tuple[ToolCard, ...]


@dataclass(frozen=True, slots=True)
class News:
    """A job, and what of its progress is new to whoever asks."""

    job: Job
    progress: tuple[JobEntry, ...]


def acquire(deps: Deps, caller: Caller, wanted: Wanted) -> News | Similar | Waiting:
    """Start a job, or join the one that is at it. Nothing is read before the person has agreed.

    Refuses `acquire_unconfigured`, `connection_not_found`, `connection_revoked`, `approval_denied`, `rate_limited`.
    """
    model = require_model(deps)
    connection = requests.mine(deps, caller, wanted.connection_id)
    digest = rule.goal_digest(connection.id, wanted.goal)
    running = deps.store.jobs.find_open(caller.person.id, caller.agent.id, digest)
    if running is not None and running.status.is_open:
        return _news(jobs.go_on(deps, running), 0)
    similar = () if wanted.ignore_existing else _similar(deps, caller, connection, wanted.goal)
    if similar:
        return Similar(similar)
    waiting = acquire_asks.require_allowed(deps, caller.agent, connection, model, wanted.goal)
    return waiting or _news(_open(deps, caller, connection, wanted, digest), 0)


def status(deps: Deps, caller: Caller, job_id: str, after: int) -> News:
    """The job once there is news after the entry `after`, or after up to 20 s as it is.

    Refuses `job_not_found`, and without a model `acquire_unconfigured`.
    """
    for _ in range(round(WAIT_SECONDS / POLL_SECONDS)):
        news = _news(_found(deps, caller, job_id), after)
        if news.progress or not news.job.status.is_open or deps.seconds_left() < SECONDS_IN_HAND:
            return news
        deps.pause(POLL_SECONDS)
    return _news(_found(deps, caller, job_id), after)


def require_model(deps: Deps) -> Model:
    if deps.model is None:
        raise Refusal(
            Reason.ACQUIRE_UNCONFIGURED,
            "acquire needs a model, and none is configured here. Write the tool yourself with publish_tool. Whoever "
            "runs this Graft can set GRAFT_MODEL to bedrock:<model id>, or to openai:<model> with GRAFT_MODEL_URL and "
            "GRAFT_MODEL_KEY for any OpenAI-compatible service.",
            {"settings": list(SETTINGS), "instead": "publish_tool"},
        )
    return deps.model


def _found(deps: Deps, caller: Caller, job_id: str) -> Job:
    job = deps.store.jobs.find(caller.person.id, caller.agent.id, job_id[:64]) if job_id else None
    if job is None:
        require_model(deps)
        raise Refusal(
            Reason.JOB_NOT_FOUND,
            f"There is no job {job_id[:60]!r} of this agent. acquire starts one and answers its id.",
        )
    return jobs.go_on(deps, job)


def _news(job: Job, after: int) -> News:
    return News(job, tuple(entry for entry in job.progress if entry.seq > after))


def _similar(deps: Deps, caller: Caller, connection: Connection, goal: str) -> tuple[ToolCard, ...]:
    found = toolbox.index(deps, caller.person).search(goal)
    heads = [head for head in found if head.vendor == connection.vendor][:SIMILAR_MAX]
    known = cards.find_cards_of(deps, caller.person, heads)
    return tuple(known[head.wire_name] for head in heads if head.wire_name in known)


def _open(deps: Deps, caller: Caller, connection: Connection, wanted: Wanted, digest: str) -> Job:
    """The goal's job, opened unless it is open already; with it a run is in flight, from before its first step."""
    for _ in attempts(deps, "this agent"):
        open_jobs = jobs.open_jobs(deps, caller.agent)
        running = next((job for job in open_jobs if job.digest == digest), None)
        if running is not None:
            return running
        if len(open_jobs) >= rule.JOBS_OPEN_MAX:
            _require_ended(deps, open_jobs)
            continue
        job = _new_job(deps, caller, connection, wanted, digest)
        also = [*deps.store.jobs.opened(job, most=rule.JOBS_OPEN_MAX), deps.store.connection_is_live(connection)]
        pace = throttle.pace_at(job.created_at)
        if deps.store.runs.claim(caller.facts, jobs.run_of(job), None, pace, also=also):
            jobs.start(deps, job)
            return job
        requests.mine(deps, caller, connection.id)
        caller = refresh(deps, caller)
    raise AssertionError("unreachable: attempts() ends with a refusal")


def _new_job(deps: Deps, caller: Caller, connection: Connection, wanted: Wanted, digest: str) -> Job:
    now = deps.now()
    return Job(
        person_id=caller.person.id,
        agent_id=caller.agent.id,
        id=deps.new_timed_id(),
        connection_id=connection.id,
        goal=wanted.goal,
        hints=wanted.hints,
        digest=digest,
        created_at=now,
        deadline=now + rule.TIME_MAX,
        lease_until=now + rule.TAKE_UP,
        progress=(JobEntry(1, now, "queued", "The job waits for a worker."),),
    )


def _require_ended(deps: Deps, open_jobs: list[Job]) -> None:
    """End what has only not been ended yet. Refuses `rate_limited` when nothing was."""
    still_open = [job for job in open_jobs if jobs.go_on(deps, job).status.is_open]
    if len(still_open) == len(open_jobs):
        ids = ", ".join(job.id for job in still_open)
        raise Refusal(
            Reason.RATE_LIMITED,
            f"{len(still_open)} jobs of this agent are open ({ids}). Wait for one with acquire_status, then repeat.",
            {"retryAfterSeconds": 30},
        )
