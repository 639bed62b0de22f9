"""A job as `acquire` and `acquire_status` answer it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.model import JobStatus

from . import words
from .packing import ToolAnswer, iso, without_none

if TYPE_CHECKING:
    from chalicelib.services.acquire import News


def job_answer(news: News) -> ToolAnswer:
    job = news.job
    return ToolAnswer(
        without_none(
            jobId=job.id,
            status=job.status.value,
            progress=[
                {"seq": entry.seq, "at": iso(entry.at), "step": entry.step, "message": entry.message}
                for entry in news.progress
            ],
            attempts=job.attempts,
            result=job.result,
            note=_note(news),
        )
    )


def _note(news: News) -> str | None:
    job = news.job
    if job.status.is_open:
        return words.ACQUIRE_GOES_ON.format(job=job.id, seq=job.last_seq)
    return words.ACQUIRE_MADE if job.status is JobStatus.SUCCEEDED else None
