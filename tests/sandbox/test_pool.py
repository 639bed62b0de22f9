"""Workers: one session for one run, none shared, none kept waiting for without an end."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import VendorRequest, VendorResponse
from chalicelib.sandbox.pool import Sandbox
from tests.sandbox.conftest import Room, Vendor, a_module

EMPTY = a_module("return None")


LEAVE = """
import json
kept = []
def run(input, http):
    global left
    left = input
    kept.append(input)
    return len(kept)
"""
PATCH_A_MODULE = """
import json
def run(input, http):
    json.left = input
"""
LOOK = """
import json
def run(input, http):
    seen = []
    for name in ("left", "kept", "json.left", "_graft_input['secret']"):
        try: seen.append(eval(name))
        except Exception: pass
    return seen
"""


def test_nothing_of_one_run_is_seen_by_the_next() -> None:
    sandbox = Sandbox(workers=1)
    try:
        for _ in range(3):
            assert sandbox.run(LEAVE, {"secret": "of the first"}, Vendor(), seconds=25) == 1
            _try(sandbox, PATCH_A_MODULE)
            assert sandbox.run(LOOK, {}, Vendor(), seconds=25) == []
    finally:
        sandbox.close()


def test_a_monkeypatched_http_does_not_outlive_its_run() -> None:
    sandbox = Sandbox(workers=1)
    patch = a_module("type(http).get = lambda self, path: 'stolen'", "return http.get('/x')")
    try:
        _try(sandbox, patch)
        assert sandbox.run(a_module("return http.get('/x').status"), {}, Vendor(), seconds=25) == 200
    finally:
        sandbox.close()


def test_a_refused_run_leaves_nothing_for_the_next() -> None:
    sandbox = Sandbox(workers=1)

    def refuse(request: VendorRequest, deadline: float) -> VendorResponse:
        raise Refusal(Reason.HOST_NOT_ALLOWED, "no")

    try:
        with pytest.raises(Refusal):
            sandbox.run("secret = 'x'\n" + a_module("return http.get('/x')"), {}, refuse, seconds=25)
        with pytest.raises(Refusal, match="name 'secret' is not defined"):
            sandbox.run(a_module("return secret"), {}, Vendor(), seconds=25)
    finally:
        sandbox.close()


def test_random_numbers_differ_from_run_to_run(room: Room) -> None:
    drawn = {room.run("import random", "return random.random()") for _ in range(3)}
    assert len(drawn) == 3


def test_a_worker_has_no_environment(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    with sandbox.session(timeout=5) as session:
        assert Path(f"/proc/{session._worker}/environ").read_bytes() == b""


def test_when_every_worker_is_taken_the_next_caller_is_told_to_come_back() -> None:
    sandbox = Sandbox(workers=1)
    try:
        with sandbox.session(timeout=5) as held:
            with pytest.raises(Refusal) as refused, sandbox.session(timeout=0.01):
                pass
            assert held.run(EMPTY, {}, Vendor(), seconds=25) is None
        assert refused.value.reason == Reason.RATE_LIMITED
        assert refused.value.details == {"retryAfterSeconds": 1}
        assert sandbox.run(EMPTY, {}, Vendor(), seconds=25) is None
    finally:
        sandbox.close()


def test_a_refusal_gives_the_worker_back() -> None:
    sandbox = Sandbox(workers=1)
    try:
        for _ in range(3):
            _try(sandbox, a_module("raise ValueError"))
        assert sandbox.run(EMPTY, {}, Vendor(), seconds=25) is None
    finally:
        sandbox.close()


def test_runs_that_wait_for_vendors_do_not_wait_for_each_other() -> None:
    sandbox, together = Sandbox(workers=8), Event()
    waiting: list[int] = []

    def answer_when_all_wait(request: VendorRequest, deadline: float) -> VendorResponse:
        waiting.append(1)
        if len(waiting) == 8:
            together.set()
        assert together.wait(20)
        return VendorResponse(200, (), "{}")

    module = a_module("return [input['n'], http.get('/x').status]")
    try:
        with ThreadPoolExecutor(8) as threads:
            runs = threads.map(lambda n: sandbox.run(module, {"n": n}, answer_when_all_wait, seconds=25), range(8))
            assert list(runs) == [[n, 200] for n in range(8)]
    finally:
        sandbox.close()


def test_who_finds_no_worker_hears_to_repeat_and_nothing_of_the_host() -> None:
    sandbox = Sandbox(workers=1)
    try:
        with (
            sandbox.session(timeout=25),
            pytest.raises(Refusal, match="Wait a moment and repeat") as refused,
            sandbox.session(timeout=0),
        ):
            raise AssertionError("there is one worker only")
    finally:
        sandbox.close()
    assert (refused.value.reason, refused.value.details) == (Reason.RATE_LIMITED, {"retryAfterSeconds": 1})
    assert not re.search("worker|sandbox", refused.value.message)


def test_what_send_raises_beside_refusals_passes_as_it_is(sandbox: Sandbox) -> None:
    def broken(request: VendorRequest, deadline: float) -> VendorResponse:
        raise ZeroDivisionError("ours")

    with pytest.raises(ZeroDivisionError, match="ours"):
        sandbox.run(a_module("try: http.get('/x')", "except BaseException: return 1"), {}, broken, seconds=25)


def test_a_closed_sandbox_can_be_closed_again_and_used_again() -> None:
    sandbox = Sandbox(workers=1)
    sandbox.close()
    assert sandbox.run(EMPTY, {}, Vendor(), seconds=25) is None
    sandbox.close()
    sandbox.close()
    assert sandbox.run(EMPTY, {}, Vendor(), seconds=25) is None
    sandbox.close()


def test_a_missing_binary_is_an_error_of_ours_and_not_of_the_module() -> None:
    with pytest.raises(Exception, match="no-such-monty"):
        Sandbox(workers=1, monty_bin="/no-such-monty").run(EMPTY, {}, Vendor(), seconds=25)


def _try(sandbox: Sandbox, module: str) -> None:
    """Run it, whether it fails or not."""
    with suppress(Refusal):
        sandbox.run(module, {"secret": "of the first"}, Vendor(), seconds=25)
