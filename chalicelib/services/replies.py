"""Waiting for a model's reply as a worker that is alive: it may take minutes, and the job may end meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import replace
from threading import Thread
from typing import Final

from chalicelib.model import Reply
from chalicelib.rules.candidate import whole
from chalicelib.rules.endings import TIME_UP
from chalicelib.services.scenes import Over
from chalicelib.services.workers import Worker

BEAT_SECONDS: Final = 20.0
"""A fraction of the lease."""


def await_reply(worker: Worker, ask: Callable[[], Reply]) -> Reply:
    """What `ask` answers or raises.

    Raises `Over` once the job's time is up, however long the model goes on, and `JobLost` once the job was cancelled:
    nobody waits for its answer then.
    """
    reply = _asked_aside(ask)
    while not wait([reply], timeout=_seconds_until_beat(worker)).done:
        if worker.deps.now() >= worker.job.deadline:
            raise Over(TIME_UP)
        worker.beat()
    return reply.result()


def _seconds_until_beat(worker: Worker) -> float:
    left = (worker.job.deadline - worker.deps.now()).total_seconds()
    return max(0.0, min(BEAT_SECONDS, left))


def _asked_aside(ask: Callable[[], Reply]) -> Future[Reply]:
    """In a thread that no process waits for when it ends."""
    reply: Future[Reply] = Future()

    def settle() -> None:
        try:
            answer = ask()
            reply.set_result(replace(answer, text=whole(answer.text)))
        except Exception as error:
            reply.set_exception(error)

    Thread(target=settle, name="model", daemon=True).start()
    return reply
