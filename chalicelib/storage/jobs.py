"""Rows of the jobs: one open job for each goal, so many at once, one worker for each, and none that is never ended.

Every write of a worker is conditioned on its being the owner: one that was given up for dead writes nothing more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from chalicelib.model import Job, JobEntry, JobStatus, JsonObject, OpenJob
from chalicelib.storage import items, job_items
from chalicelib.storage.table import Table, Write, delete, put, update

_IS_OPEN: Final = "(#status = :queued OR #status = :running)"
_IS_MINE: Final = "#status = :running AND #owner = :owner"
_LEASE: Final = "#lease_until = :lease, #due_at = :lease"
_NOTED: Final = "#progress = list_append(#progress, :entry)"


class JobRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- reads

    def find(self, person_id: str, agent_id: str, job_id: str) -> Job | None:
        item = self._table.get(items.job_key(person_id, agent_id, job_id))
        return job_items.to_job(item) if item else None

    def find_open(self, person_id: str, agent_id: str, digest: str) -> Job | None:
        """The open job of this goal."""
        item = self._table.get(items.goal_key(person_id, agent_id, digest))
        return self.find(person_id, agent_id, item["job"]["S"]) if item else None

    def all_open(self, person_id: str, agent_id: str) -> list[Job]:
        """Every open job of the agent, oldest first. Two round trips."""
        opened = job_items.to_open_jobs(self._table.get(items.open_jobs_key(person_id, agent_id)))
        keys = [items.job_key(person_id, agent_id, job.id) for job in opened]
        return sorted(map(job_items.to_job, self._table.get_many(keys)), key=lambda job: job.id)

    def open_of(self, person_id: str, agent_ids: Sequence[str]) -> list[OpenJob]:
        """Which jobs of these agents are open. One round trip."""
        rows = self._table.get_many([items.open_jobs_key(person_id, agent_id) for agent_id in agent_ids])
        return [job for row in rows for job in job_items.to_open_jobs(row)]

    def newest(self, person_id: str, agent_id: str, *, limit: int | None = 20) -> list[Job]:
        """The agent's jobs, ended ones included, newest first."""
        rows = self._table.query(items.agent_pk(person_id, agent_id), "job#", newest_first=True, limit=limit)
        return [job_items.to_job(row) for row in rows]

    # --- writes

    def opened(self, job: Job, *, most: int) -> list[Write]:
        """Fails when the goal has an open job already, or the agent has `most` of any."""
        new = "attribute_not_exists(#pk)"
        counted = update(
            items.open_jobs_key(job.person_id, job.agent_id),
            "ADD #jobs :job",
            condition="attribute_not_exists(#jobs) OR size(#jobs) < :most",
            values={":job": job_items.open_job_value(job), ":most": items.number(most)},
        )
        return [put(job_items.job_item(job), condition=new), put(job_items.goal_item(job), condition=new), counted]

    def take_up(self, job: Job, owner: str, entry: JobEntry, *, lease_until: datetime) -> None:
        """Make `owner` the job's worker, unless it has ended, or a worker that is still heard of has it."""
        self._table.write(
            update(
                _key(job),
                f"SET #status = :running, #owner = :owner, {_LEASE}, {_NOTED}",
                condition="#status = :queued OR (#status = :running AND #lease_until <= :now)",
                values={
                    ":running": items.text(JobStatus.RUNNING),
                    ":queued": items.text(JobStatus.QUEUED),
                    ":owner": items.text(owner),
                    ":now": items.moment(entry.at),
                    ":entry": job_items.entries_value(entry),
                    ":lease": items.moment(lease_until),
                },
            )
        )

    def advance(self, seen: Job, done: Job) -> bool:
        """Write what its worker did: from `seen`, as it stood last, to `done`. False: the job is no longer its own.

        Sent again because the answer was lost, it is written once.
        """
        expression = f"SET {_LEASE}, #attempts = :attempts, #tokens = :tokens"
        values = {
            ":running": items.text(JobStatus.RUNNING),
            ":owner": items.text(seen.owner),
            ":lease": items.moment(done.lease_until),
            ":attempts": items.number(done.attempts),
            ":tokens": items.number(done.tokens),
            ":told": items.number(len(seen.progress)),
        }
        entries = done.progress[len(seen.progress) :]
        if entries:
            expression += f", {_NOTED}"
            values[":entry"] = job_items.entries_value(*entries)
        if done.draft is not None and done.draft != seen.draft:
            expression += ", #draft = :draft"
            values[":draft"] = job_items.draft_value(done.draft)
        condition = f"{_IS_MINE} AND size(#progress) = :told"
        written = self._table.write(update(_key(seen), expression, condition=condition, values=values))
        return written or self._stands(done)

    def _stands(self, done: Job) -> bool:
        """Whether the job is exactly what was to be written."""
        now = self.find(done.person_id, done.agent_id, done.id)
        return now == done

    def requeue(self, seen: Job, entry: JobEntry, *, lease_until: datetime) -> bool:
        """Take a silent job from its worker. False: it was heard of meanwhile, or another one did so first.

        Sent again because the answer was lost, it is written once.
        """
        written = self._table.write(
            update(
                _key(seen),
                f"SET #status = :queued, #owner = :nobody, {_LEASE}, {_NOTED}",
                condition=f"{_IS_OPEN} AND #lease_until = :seen",
                values={
                    ":queued": items.text(JobStatus.QUEUED),
                    ":running": items.text(JobStatus.RUNNING),
                    ":nobody": items.text(""),
                    ":seen": items.moment(seen.lease_until),
                    ":lease": items.moment(lease_until),
                    ":entry": job_items.entries_value(entry),
                },
            )
        )
        queued = replace(seen, status=JobStatus.QUEUED, owner="", lease_until=lease_until)
        return written or self._stands(replace(queued, progress=(*seen.progress, entry)))

    def ended(self, seen: Job, status: JobStatus, result: JsonObject, entry: JobEntry) -> list[Write]:
        """By its worker: fails when another one has it, or it has ended."""
        return _ended(seen, status, result, entry, _IS_MINE, {":owner": items.text(seen.owner)})

    def end(self, seen: Job, status: JobStatus, result: JsonObject, entry: JobEntry) -> bool:
        return self._table.transact(self.ended(seen, status, result, entry))

    def end_silent(self, seen: Job, status: JobStatus, result: JsonObject, entry: JobEntry) -> bool:
        """For a worker that is gone. False: it was heard of meanwhile, or the job has ended."""
        condition = f"{_IS_OPEN} AND #lease_until = :seen"
        values = {":queued": items.text(JobStatus.QUEUED), ":seen": items.moment(seen.lease_until)}
        return self._table.transact(_ended(seen, status, result, entry, condition, values))

    def cancel(self, seen: Job, result: JsonObject, entry: JobEntry) -> bool:
        """Whoever has it. False: it has ended."""
        values = {":queued": items.text(JobStatus.QUEUED)}
        return self._table.transact(_ended(seen, JobStatus.CANCELLED, result, entry, _IS_OPEN, values))


def _key(job: Job) -> items.Key:
    return items.job_key(job.person_id, job.agent_id, job.id)


def _ended(
    seen: Job, status: JobStatus, result: JsonObject, entry: JobEntry, condition: str, values: dict[str, items.Item]
) -> list[Write]:
    row = update(
        _key(seen),
        f"SET #status = :ended, #result = :result, {_NOTED} REMOVE #due_shard, #due_at, #draft",
        condition=condition,
        values={
            ":running": items.text(JobStatus.RUNNING),
            ":ended": items.text(status),
            ":result": items.json_text(result),
            ":entry": job_items.entries_value(entry),
        }
        | values,
    )
    goal = delete(
        items.goal_key(seen.person_id, seen.agent_id, seen.digest),
        condition="#job = :job",
        values={":job": items.text(seen.id)},
    )
    counted = update(
        items.open_jobs_key(seen.person_id, seen.agent_id),
        "DELETE #jobs :job",
        values={":job": job_items.open_job_value(seen)},
    )
    return [row, goal, counted]
