"""Runs that would not end, or would take everything: each ends in a clear refusal, and the next one works."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from threading import Event

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import VendorRequest, VendorResponse
from chalicelib.sandbox import limits
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import Room, Vendor, a_module


@pytest.fixture(autouse=True)
def _the_next_run_works(room: Room) -> Iterator[None]:
    yield
    assert room.run("return 1") == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("while True: pass",),
        ("while True:", "    try:", "        while True: pass", "    except BaseException: pass"),
        ("try:", "    while True: pass", "finally:", "    while True: pass"),
        ("import itertools", "return sum(itertools.count())"),
        ("return sum(range(10 ** 15))",),
        ("while True: print('x' * 100)",),
        ("import hashlib", "return hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10 ** 9).hex()"),
        ("x = 3 ** 1000000", "while True: x = x * x % (7 ** 1000000)"),
        ("def fork(n):", "    try: fork(n + 1)", "    except BaseException: pass", "    fork(n + 1)", "fork(0)"),
    ],
)
def test_a_loop_without_end_is_stopped_at_the_deadline(sandbox: Sandbox, lines: tuple[str, ...]) -> None:
    assert _refused(sandbox, *lines, seconds=0.3).reason == Reason.RUN_TIMEOUT


def test_computing_is_bounded_even_when_the_deadline_is_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_pool_limits(), "max_feed_duration_secs", 0.3)
    sandbox = Sandbox(workers=1)
    try:
        refusal = _refused(
            sandbox, "while True:", "    try:", "        while True: pass", "    except: pass", seconds=25
        )
    finally:
        sandbox.close()
    assert refusal.reason == Reason.RUN_TIMEOUT
    assert "computed for longer" in refusal.message


def _pool_limits() -> dict[str, object]:
    from chalicelib.sandbox import pool

    return pool._LIMITS  # type: ignore[return-value]  # a TypedDict is a dict


@pytest.mark.parametrize(
    "lines",
    [
        ("return [0] * 10 ** 10",),
        ("return len('x' * 10 ** 10)",),
        ("x = []", "while True: x.append('x' * 1000000)"),
        ("x = []", "while True:", "    try: x.append('x' * 1000000)", "    except BaseException: pass"),
        ("return len(b'x' * 10 ** 10)",),
        ("return 10 ** 10 ** 8",),
        ("return 1 << 10 ** 10",),
        ("return '{:999999999}'.format(1)",),
        ("return '%0999999999d' % 1",),
        ("import itertools", "return list(itertools.repeat(0))"),
        ("return {n: str(n) for n in range(10 ** 9)}",),
        ("x = 'x'", "while True: x = x + x"),
    ],
)
def test_memory_without_end_is_refused_with_the_limit(sandbox: Sandbox, lines: tuple[str, ...]) -> None:
    refusal = _refused(sandbox, *lines)
    assert refusal.reason == Reason.TOOL_FAILED
    assert "64 MiB" in refusal.message


def test_recursion_without_end_is_refused(sandbox: Sandbox) -> None:
    refusal = _refused(sandbox, "return run(input, http)")
    assert refusal.reason == Reason.TOOL_FAILED
    assert "recursion is too deep at line 2" in refusal.message


def test_a_regular_expression_that_explodes_is_stopped(sandbox: Sandbox) -> None:
    refusal = _refused(sandbox, "import re", r"return re.match(r'(\w+\s?)*\1$', 'aaaa ' * 30 + '!')")
    assert refusal.reason == Reason.TOOL_FAILED
    assert "backtracking" in refusal.message


@pytest.mark.parametrize(
    "lines",
    [
        ("import time", "time.sleep(1000)"),
        ("import time", "while True:", "    try: time.sleep(1000)", "    except BaseException: pass"),
        ("import asyncio", "async def nap(): await asyncio.sleep(1000)", "asyncio.run(nap())"),
    ],
)
def test_sleeping_past_the_deadline_ends_at_once(sandbox: Sandbox, lines: tuple[str, ...]) -> None:
    started = time.monotonic()
    assert _refused(sandbox, *lines, seconds=25).reason == Reason.RUN_TIMEOUT
    assert time.monotonic() - started < 20


def test_a_short_sleep_is_slept(sandbox: Sandbox) -> None:
    started = time.monotonic()
    assert sandbox.run(a_module("import time", "time.sleep(0.05)", "return 1"), {}, Vendor(), seconds=25) == 1
    assert time.monotonic() - started >= 0.05


def test_leaving_the_sandbox_without_end_is_refused(sandbox: Sandbox) -> None:
    refusal = _refused(
        sandbox, "import time", "while True:", "    try: time.sleep(0)", "    except BaseException: pass"
    )
    assert refusal.reason == Reason.TOOL_FAILED
    assert f"more than {limits.SUSPENSIONS} times" in refusal.message


def test_a_vendor_that_used_up_the_time_ends_the_run(sandbox: Sandbox) -> None:
    """Report: anthropics/claude-ai-mcp#115"""

    def slow(request: VendorRequest, deadline: float) -> VendorResponse:
        Event().wait(deadline - time.monotonic())
        return VendorResponse(200, (), "{}")

    module = a_module("try: http.get('/x')", "finally: input['never'] = http.get('/y')", "return 1")
    with pytest.raises(Refusal) as refused:
        sandbox.run(module, {}, slow, seconds=0.1)
    assert refused.value.reason == Reason.RUN_TIMEOUT


def test_a_module_that_computes_after_a_slow_vendor_is_still_held_to_the_deadline(sandbox: Sandbox) -> None:
    started = time.monotonic()
    assert _refused(sandbox, "http.get('/x')", "while True: pass", seconds=0.5).reason == Reason.RUN_TIMEOUT
    assert time.monotonic() - started < limits.CPU_SECONDS


def test_a_worker_that_dies_in_a_run_is_refused_and_replaced(sandbox: Sandbox) -> None:
    with sandbox.session(timeout=5) as session:
        worker = session._worker
        assert worker is not None

        def kill(request: VendorRequest, deadline: float) -> VendorResponse:
            os.kill(worker, signal.SIGKILL)
            return VendorResponse(200, (), "{}")

        with pytest.raises(Refusal) as refused:
            session.run(a_module("http.get('/x')", "while True: pass"), {}, kill, seconds=25)
    assert refused.value.reason == Reason.TOOL_FAILED
    assert "sandbox process ended" in refused.value.message


def test_a_worker_that_died_idle_is_not_noticed() -> None:
    sandbox = Sandbox(workers=1)
    try:
        with sandbox.session(timeout=5) as session:
            worker = session._worker
        assert worker is not None
        os.kill(worker, signal.SIGKILL)
        assert sandbox.run(a_module("return 1"), {}, Vendor(), seconds=25) == 1
    finally:
        sandbox.close()


def _refused(sandbox: Sandbox, *lines: str, seconds: float = 25) -> Refusal:
    with pytest.raises(Refusal) as refused:
        sandbox.run(a_module(*lines), {}, Vendor(), seconds=seconds)
    return refused.value
