"""A job as everybody but its worker has to do with it: called for, given to another worker, cancelled, ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chalicelib.model import (
    Agent,
    DueJob,
    Job,
    JobEntry,
    JobStatus,
    JsonObject,
    LedgerLine,
    Run,
    RunKind,
    ToolVersion,
)
from chalicelib.rules import acquire as rule
from chalicelib.rules.endings import SAID_MAX, TIME_UP, Ending
from chalicelib.services import trail
from chalicelib.services.deps import Deps, log

TOOL: Final = "acquire"
"""What the ledger calls the tool of a job's run."""
MESSAGE_MAX: Final = SAID_MAX
ATTEMPTS_MAX: Final = rule.ATTEMPTS_MAX


def run_of(job: Job) -> Run:
    """The run that holds the sweep off while the job is open."""
    return Run(job.id, TOOL, 0, RunKind.ACQUIRE, job.created_at, rule.held_until(job))


def made(version: ToolVersion) -> JsonObject:
    """The result of a job that succeeded."""
    return {
        "tool": version.wire_name,
        "vendor": version.vendor,
        "name": version.name,
        "version": version.version,
        "annotations": version.annotations.as_hints(),
        "promoted": True,
    }


def failed(job: Job, ending: Ending) -> JsonObject:
    """The result of a job that failed."""
    return {"failure": ending.failure.value, "message": f"{ending.told_of(job)} {ending.what_next}"}


def cancel(deps: Deps, agent: Agent, job: Job, why: str) -> bool:
    """End an open job for whoever has it. False: it has ended."""
    result: JsonObject = {"message": why}
    if not deps.store.jobs.cancel(job, result, JobEntry(job.last_seq + 1, deps.now(), "cancelled", why)):
        return False
    release(deps, agent, job, JobStatus.CANCELLED)
    return True


def cancel_of_connection(deps: Deps, agent: Agent, connection_id: str) -> None:
    """End the agent's open jobs on a connection that was revoked."""
    for job in open_jobs(deps, agent):
        if job.connection_id == connection_id:
            cancel(deps, agent, job, "Its connection was revoked.")


def release(deps: Deps, agent: Agent, job: Job, outcome: str) -> None:
    """Take the job's run out of flight. The job has ended already: a failure here only leaves it to the sweep."""
    now = deps.now()
    fields = {
        "id": job.id,
        "outcome": str(outcome),
        "attempts": job.attempts,
        "tokens": job.tokens,
        "ms": round((now - job.created_at).total_seconds() * 1000),
    }
    trail.tell("job", {"agent": agent.id, "job": fields})
    try:
        deps.store.runs.release(agent, LedgerLine(run_of(job), str(outcome), now))
    except Exception:
        log.exception("the run of job %s was not released; the sweep does it", job.id)


def release_ended(deps: Deps, agent: Agent) -> bool:
    """Take the runs of jobs out of flight that ended just before their worker died. Whether there was one."""
    held = [run.id for run in agent.runs.values() if run.kind is RunKind.ACQUIRE]
    found = [deps.store.jobs.find(agent.person_id, agent.id, job_id) for job_id in held]
    ended = [job for job in found if job is not None and not job.status.is_open]
    for job in ended:
        release(deps, agent, job, rule.outcome_of(job))
    return bool(ended)


def go_on(deps: Deps, job: Job) -> Job:
    """A silent job is given to another worker, or ended when its time is up; the job as it is then."""
    now = deps.now()
    if not rule.is_silent(job, now):
        return job
    if rule.is_overdue(job, now):
        _end_overdue(deps, job)
    else:
        entry = JobEntry(job.last_seq + 1, now, "queued", "Its worker was not heard of; another one is called.")
        if deps.store.jobs.requeue(job, entry, lease_until=rule.next_lease(job, now)):
            start(deps, job)
    return deps.store.jobs.find(job.person_id, job.agent_id, job.id) or job


def _end_overdue(deps: Deps, job: Job) -> None:
    entry = JobEntry(job.last_seq + 1, deps.now(), "failed", TIME_UP.told_of(job))
    if deps.store.jobs.end_silent(job, JobStatus.FAILED, failed(job, TIME_UP), entry):
        facts = deps.store.agents.find(job.person_id, job.agent_id)
        if facts is not None:
            release(deps, facts.agent, job, TIME_UP.failure)


def start(deps: Deps, job: Job) -> None:
    """Call a worker. One that does not come is called again when the lease ends."""
    try:
        deps.start_job(job.person_id, job.agent_id, job.id)
    except Exception:
        log.exception("no worker could be called for job %s; it is called again", job.id)


def go_on_with_due(deps: Deps, due: Iterable[DueJob]) -> None:
    """What a sweep does with jobs whose lease has ended. One that fails never stops the others."""
    now = deps.now()
    for entry in due:
        try:
            job = deps.store.jobs.find(entry.person_id, entry.agent_id, entry.job_id) if entry.at <= now else None
            if job is not None:
                go_on(deps, job)
        except Exception:
            log.exception("job %s could not be gone on with", entry.job_id)


def count_open(deps: Deps, person_id: str, agent_id: str) -> int:
    """How many jobs a revoke of the agent would cancel. One round trip."""
    return len(deps.store.jobs.open_of(person_id, [agent_id]))


def open_jobs(deps: Deps, agent: Agent) -> list[Job]:
    return [job for job in deps.store.jobs.all_open(agent.person_id, agent.id) if job.status.is_open]
