"""The one process that has a job: that it is alive, what it tells of its steps, and how it ends the job.

Whoever is not the owner any more writes nothing: each write is conditioned on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Agent, Job, JobDraft, JobEntry, JobStatus, ToolVersion
from chalicelib.rules import acquire as rule
from chalicelib.rules.endings import Ending
from chalicelib.services import jobs
from chalicelib.services.deps import Deps

if TYPE_CHECKING:
    from chalicelib.storage.table import Write


class JobLost(Exception):
    """It was cancelled, or another worker has it: this one has nothing more to do."""


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
        if not self.deps.store.runs.beat(self.agent, jobs.run_of(done)):
            jobs.cancel(self.deps, self.agent, done, "The agent was revoked.")
            raise JobLost

    def fail(self, ending: Ending) -> None:
        """End the job without a tool. Raises `JobLost`."""
        result = jobs.failed(self.job, ending)
        entry = self._entry("failed", ending.told_of(self.job))
        if not self.deps.store.jobs.end(self.job, JobStatus.FAILED, result, entry):
            raise JobLost
        self._ended(ending.failure)

    def succeeded(self) -> None:
        """After the publish that ended the job."""
        self._ended(rule.MADE)

    def _ended(self, outcome: str) -> None:
        jobs.release(self.deps, self.agent, self.job, outcome)

    def _entry(self, step: str, message: str) -> JobEntry:
        return JobEntry(self.job.last_seq + 1, self.deps.now(), step, message[: jobs.MESSAGE_MAX])

    # --- as the errand of a publish: version, promotion and the job's end are one transaction

    def writes(self, version: ToolVersion) -> Sequence[Write]:
        """Refuses `publish_refused` a name that was taken meanwhile: what a person allowed is never replaced."""
        if version.version != 1:
            raise Refusal(Reason.PUBLISH_REFUSED, f"There is a tool {version.wire_name} already.")
        entry = self._entry("published", f"{version.wire_name} is published and promoted.")
        return self.deps.store.jobs.ended(self.job, JobStatus.SUCCEEDED, jobs.made(version), entry)

    def require(self) -> None:
        """Raises `JobLost`."""
        job = self.job
        now = self.deps.store.jobs.find(job.person_id, job.agent_id, job.id)
        if now is None or now.status is not JobStatus.RUNNING or now.owner != job.owner:
            raise JobLost


def take_up(deps: Deps, agent: Agent, job_id: str) -> Worker | None:
    """Become the job's worker. None: it has ended, or another one is at it."""
    job = deps.store.jobs.find(agent.person_id, agent.id, job_id)
    if job is None or not job.status.is_open:
        return None
    now = deps.now()
    again = " again" if job.attempts else ""
    entry = JobEntry(job.last_seq + 1, now, "started", f"A worker took it up{again}.")
    owner = deps.new_id()
    deps.store.jobs.take_up(job, owner, entry, lease_until=now + rule.LEASE)
    taken = deps.store.jobs.find(agent.person_id, agent.id, job_id)
    if taken is None or taken.owner != owner:
        return None
    deps.store.runs.beat(agent, jobs.run_of(taken))
    return Worker(deps, agent, taken)
