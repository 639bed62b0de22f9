"""The shapes of a job and of the place where a goal's open job is found."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final

from chalicelib.model import Job, JobDraft, JobEntry, JobStatus, OpenJob
from chalicelib.storage.items import (
    Item,
    due_shard,
    expiry,
    from_ms,
    goal_key,
    job_key,
    json_text,
    moment,
    number,
    text,
    to_ms,
)

KEPT: Final = timedelta(days=30)
"""After its deadline a job is still shown for so long; then TTL may take it."""


def job_item(job: Job) -> Item:
    """A job that is queued."""
    return job_key(job.person_id, job.agent_id, job.id) | {
        "connection": text(job.connection_id),
        "goal": text(job.goal),
        "hints": text(job.hints),
        "digest": text(job.digest),
        "created_at": moment(job.created_at),
        "deadline": moment(job.deadline),
        "lease_until": moment(job.lease_until),
        "status": text(job.status),
        "owner": text(job.owner),
        "attempts": number(job.attempts),
        "tokens": number(job.tokens),
        "progress": entries_value(*job.progress),
        "due_shard": text(due_shard(job.id)),
        "due_at": moment(job.lease_until),
        "expires_at": expiry(job.deadline + KEPT),
    }


def to_job(item: Item) -> Job:
    _, person_id, agent_id = item["pk"]["S"].split("#")
    return Job(
        person_id=person_id,
        agent_id=agent_id,
        id=item["sk"]["S"].removeprefix("job#"),
        connection_id=item["connection"]["S"],
        goal=item["goal"]["S"],
        hints=item["hints"]["S"],
        digest=item["digest"]["S"],
        created_at=from_ms(item["created_at"]["N"]),
        deadline=from_ms(item["deadline"]["N"]),
        lease_until=from_ms(item["lease_until"]["N"]),
        status=JobStatus(item["status"]["S"]),
        owner=item["owner"]["S"],
        attempts=int(item["attempts"]["N"]),
        tokens=int(item["tokens"]["N"]),
        progress=tuple(_to_entry(at, entry) for at, entry in enumerate(item["progress"]["L"], start=1)),
        draft=JobDraft(*json.loads(item["draft"]["S"])) if "draft" in item else None,
        result=json.loads(item["result"]["S"]) if "result" in item else None,
    )


def entries_value(*entries: JobEntry) -> dict[str, Any]:
    """Their place in the list is their `seq`."""
    return {"L": [json_text([to_ms(entry.at), entry.step, entry.message]) for entry in entries]}


def _to_entry(seq: int, value: Item) -> JobEntry:
    at, step, message = json.loads(value["S"])
    return JobEntry(seq, from_ms(at), step, message)


def draft_value(draft: JobDraft) -> dict[str, str]:
    return json_text([draft.reply, draft.problems, draft.said])


def open_job_value(job: Job) -> dict[str, list[str]]:
    """The job as one of those that are open: what is added to their row, and taken out of it."""
    return {"SS": [f"{job.id} {job.connection_id}"]}


def to_open_jobs(item: Item | None) -> list[OpenJob]:
    """Oldest first. A row that held the last open job of an agent stays, with nothing in it."""
    members = item.get("jobs", {"SS": []})["SS"] if item else []
    return [OpenJob(*member.split()) for member in sorted(members)]


def goal_item(job: Job) -> Item:
    return goal_key(job.person_id, job.agent_id, job.digest) | {"job": text(job.id)}
