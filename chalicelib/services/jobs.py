"""A job from its take-up to its end: whose it is, that it is alive, and what came of it.

Whoever is not the owner any more writes nothing: each write is conditioned on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    Agent,
    DueJob,
    Job,
    JobDraft,
    JobEntry,
    JobStatus,
    JsonObject,
    LedgerLine,
    Run,
    RunKind,
    ToolVersion,
)
from chalicelib.rules import acquire as rule
from chalicelib.rules.acquire import Failure
from chalicelib.services import trail
from chalicelib.services.deps import Deps, log

if TYPE_CHECKING:
    from chalicelib.storage.table import Write

TOOL: Final = "acquire"
"""What the ledger calls the tool of a job's run."""
MESSAGE_MAX: Final = 400


class JobLost(Exception):
    """It was cancelled, or another worker has it: this one has nothing more to do."""


def run_of(job: Job) -> Run:
    """The run that holds the sweep off while the job is open."""
    return Run(job.id, TOOL, 0, RunKind.ACQUIRE, job.created_at, job.lease_until)


@dataclass
class Worker:
    """One process that has the job. `job` is as this worker wrote it last."""

    deps: Deps
    agent: Agent
    job: Job

    def note(
        self,
        step: str,
        message: str,
        *,
        attempts: int | None = None,
        tokens: int | None = None,
        draft: JobDraft | None = None,
    ) -> None:
        """Tell of a step, and that the worker is alive. Raises `JobLost`."""
        job, now = self.job, self.deps.now()
        done = replace(
            job,
            lease_until=now + rule.LEASE,
            attempts=job.attempts if attempts is None else attempts,
            tokens=job.tokens if tokens is None else tokens,
            progress=(*job.progress, self._entry(step, message)),
            draft=draft or job.draft,
        )
        self._write(done)

    def beat(self) -> None:
        """Tell that the worker is alive. Raises `JobLost`."""
        self._write(replace(self.job, lease_until=self.deps.now() + rule.LEASE))

    def _write(self, done: Job) -> None:
        if not self.deps.store.jobs.advance(self.job, done):
            raise JobLost
        self.job = done
        if not self.deps.store.agents.beat(self.agent, run_of(done)):
            cancel(self.deps, self.agent, done, "The agent was revoked.")
            raise JobLost

    def fail(self, failure: Failure, detail: str = "") -> None:
        """End the job without a tool. Raises `JobLost`."""
        result = failed(failure, detail)
        entry = self._entry("failed", said_of(failure, detail))
        if not self.deps.store.jobs.end(self.job, JobStatus.FAILED, result, entry):
            raise JobLost
        self._ended(failure)

    def succeeded(self) -> None:
        """After the publish that ended the job."""
        self._ended("ok")

    def _ended(self, outcome: str) -> None:
        release(self.deps, self.agent, self.job, outcome)

    def _entry(self, step: str, message: str) -> JobEntry:
        return JobEntry(self.job.last_seq + 1, self.deps.now(), step, message[:MESSAGE_MAX])

    # --- as the errand of a publish: version, promotion and the job's end are one transaction

    def writes(self, version: ToolVersion) -> Sequence[Write]:
        """Refuses `publish_refused` a name that was taken meanwhile: what a person allowed is never replaced."""
        if version.version != 1:
            raise Refusal(Reason.PUBLISH_REFUSED, f"There is a tool {version.wire_name} already.")
        entry = self._entry("published", f"{version.wire_name} is published and promoted.")
        return self.deps.store.jobs.ended(self.job, JobStatus.SUCCEEDED, made(version), entry)

    def require(self) -> None:
        """Raises `JobLost`."""
        job = self.job
        now = self.deps.store.jobs.find(job.person_id, job.agent_id, job.id)
        if now is None or now.status is not JobStatus.RUNNING or now.owner != job.owner:
            raise JobLost


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


def failed(failure: Failure, detail: str = "") -> JsonObject:
    """The result of a job that failed."""
    return {"failure": failure.value, "message": f"{said_of(failure, detail)} {rule.WHAT_NEXT[failure]}"}


def said_of(failure: Failure, detail: str = "") -> str:
    """What happened, as anybody is told it; what an agent does next is no part of it."""
    return f"{rule.SAID[failure]} {detail}".strip()[:MESSAGE_MAX]


def take_up(deps: Deps, agent: Agent, job_id: str) -> Worker | None:
    """Become the job's worker. None: it has ended, or another one is at it."""
    job = deps.store.jobs.find(agent.person_id, agent.id, job_id)
    if job is None or not job.status.is_open:
        return None
    now = deps.now()
    again = " again" if job.attempts else ""
    entry = JobEntry(job.last_seq + 1, now, "started", f"A worker took it up{again}.")
    owner = deps.new_id()
    if not deps.store.jobs.take_up(job, owner, entry, lease_until=now + rule.LEASE):
        return None
    taken = deps.store.jobs.find(agent.person_id, agent.id, job_id)
    if taken is None or taken.owner != owner:
        return None
    deps.store.agents.beat(agent, run_of(taken))
    return Worker(deps, agent, taken)


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
    """Take the job's run out of flight. The job has ended already: a failure here only leaves it to its deadline."""
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
        deps.store.agents.release(agent, LedgerLine(run_of(job), str(outcome), now))
    except Exception:
        log.exception("the run of job %s was not released; it ends by itself", job.id)


def go_on(deps: Deps, job: Job) -> Job:
    """A silent job is given to another worker, or ended when its time is up; the job as it is then."""
    now = deps.now()
    if not rule.is_silent(job, now):
        return job
    if rule.is_overdue(job, now):
        _end_overdue(deps, job)
    else:
        entry = JobEntry(job.last_seq + 1, now, "queued", "Its worker was not heard of; another one is called.")
        if deps.store.jobs.requeue(job, entry, lease_until=now + rule.TAKE_UP):
            start(deps, job)
    return deps.store.jobs.find(job.person_id, job.agent_id, job.id) or job


def _end_overdue(deps: Deps, job: Job) -> None:
    result = failed(Failure.JOB_FAILED)
    entry = JobEntry(job.last_seq + 1, deps.now(), "failed", said_of(Failure.JOB_FAILED))
    if deps.store.jobs.end_silent(job, JobStatus.FAILED, result, entry):
        facts = deps.store.agents.find(job.person_id, job.agent_id)
        if facts is not None:
            release(deps, facts.agent, job, Failure.JOB_FAILED)


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


def open_jobs(deps: Deps, agent: Agent) -> list[Job]:
    return [job for job in deps.store.jobs.all_open(agent.person_id, agent.id) if job.status.is_open]
