"""The workers: processes that run Monty, with an empty environment, kept warm.

Every run gets a session of its own, loaded from one state that holds `http` and nothing of any tenant.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Final

from chalicelib.model import Json, JsonObject, Problem
from chalicelib.sandbox import failures
from chalicelib.sandbox.http_module import HTTP_MODULE
from chalicelib.sandbox.limits import (
    CHECK_WAIT_SECONDS,
    CPU_GRACE_SECONDS,
    CPU_SECONDS,
    MEMORY_BYTES,
    RUNS_PER_WORKER,
    STEP_SECONDS,
    SUSPENSIONS,
)

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession, OSPolicy, ResourceLimits

    from chalicelib.sandbox.runner import Send, Session

_LIMITS: Final[ResourceLimits] = {
    "max_memory": MEMORY_BYTES,
    "max_feed_duration_secs": CPU_SECONDS,
    "max_suspensions": SUSPENSIONS,
    "max_total_sleep_secs": 0.0,
}
_POLICY: Final[OSPolicy] = {"sleep": "call_host"}
"""Sleeping is the host's, which knows the deadline."""


class Sandbox:
    """The sandbox of one process. Starts its first worker at first use.

    `workers` bounds how many runs go on at once; `monty_bin` names the worker's binary when it is not installed
    beside the package. Thread-safe.
    """

    def __init__(self, *, workers: int, monty_bin: str | None = None) -> None:
        self._workers = workers
        self._monty_bin = monty_bin
        self._free = BoundedSemaphore(workers)
        self._opening = Lock()
        self._open: tuple[Monty, bytes] | None = None

    @contextmanager
    def session(self, *, timeout: float) -> Iterator[Session]:
        """A worker of one's own, for one run.

        Raises Refusal(rate_limited) when none is free within `timeout` seconds.
        """
        from chalicelib.sandbox.runner import Session  # here: a process that only lists runs nothing

        with self._turn(timeout):
            pool, state = self._opened()
            with ExitStack() as stack:
                yield Session(self._fresh(pool, state, stack))

    def run(self, module: str, input: JsonObject, send: Send, *, seconds: float) -> Json:
        """`Session.run` on a worker of its own, waiting for one no longer than `seconds`."""
        with self.session(timeout=seconds) as session:
            return session.run(module, input, send, seconds=seconds)

    def type_check(self, source: str) -> tuple[Problem, ...]:
        """What Monty's own checker finds in `source`, by line; at most 50, within 3 s of having a worker.

        Raises Refusal(rate_limited) when none is free within 5 s.
        """
        from chalicelib.sandbox.type_check import type_check

        with self._turn(CHECK_WAIT_SECONDS):
            return type_check(self._opened()[0], source)

    def close(self) -> None:
        """Stop every worker. A later use starts new ones."""
        with self._opening:
            if self._open is not None:
                self._open[0].__exit__(None, None, None)
                self._open = None

    @contextmanager
    def _turn(self, timeout: float) -> Iterator[None]:
        if not self._free.acquire(timeout=timeout):
            raise failures.busy()
        try:
            yield
        finally:
            self._free.release()

    def _fresh(self, pool: Monty, state: bytes, stack: ExitStack) -> MontySession:
        """A loaded session. A worker that died idle is found here; the pool then has a new one in its place."""
        from pydantic_monty import MontyCrashedError

        for _ in range(self._workers + 1):
            try:
                session = stack.enter_context(pool.checkout(limits=_LIMITS, os_policy=_POLICY))
                session.load_session(state)
            except MontyCrashedError:
                stack.close()
            else:
                return session
        raise failures.crashed()

    def _opened(self) -> tuple[Monty, bytes]:
        with self._opening:
            if self._open is None:
                self._open = self._start()
            return self._open

    def _start(self) -> tuple[Monty, bytes]:
        from pydantic_monty import Monty

        pool = Monty(
            binary_path=self._monty_bin,
            max_processes=self._workers,
            request_timeout=STEP_SECONDS,
            max_checkouts_per_worker=RUNS_PER_WORKER,
            feed_duration_limit_grace=CPU_GRACE_SECONDS,
        )
        pool.__enter__()
        return pool, _prepared(pool)


def _prepared(pool: Monty) -> bytes:
    """A session that knows `http`, as bytes. Made by our own source alone, so it may be loaded again."""
    from pydantic_monty import NameLookupSnapshot

    with pool.checkout(limits=_LIMITS, os_policy=_POLICY) as session:
        snapshot = session.feed_start(HTTP_MODULE)
        while isinstance(snapshot, NameLookupSnapshot):
            snapshot = snapshot.resume(value=_send)
        return session.dump()


def _send() -> None:
    """Only its name crosses: the runner answers the calls."""
