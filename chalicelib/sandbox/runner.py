"""One run: a module, its input, and the way to the vendor, driven step by step.

The host never lets the module go on after a refusal. It leaves the suspended module where it is and raises, so no
`except` in the module can swallow a verdict.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Json, JsonObject, VendorRequest, VendorResponse
from chalicelib.sandbox import failures
from chalicelib.sandbox.encode import input_text, result_of, whole_text
from chalicelib.sandbox.http_module import MAIN, SEND
from chalicelib.sandbox.limits import CPU_GRACE_SECONDS, CPU_SECONDS, MESSAGE_CHARACTERS
from chalicelib.sandbox.vendor_call import answer_of, request_of

if TYPE_CHECKING:
    from pydantic_monty import ExternalResult, FunctionSnapshot, MontySession, SyncSnapshot

Send: TypeAlias = Callable[[VendorRequest, float], VendorResponse]
"""Makes one vendor call, before the deadline (second argument, on time.monotonic()). May raise Refusal."""

_INPUT: Final = "_graft_input"
_SLEEPS: Final = ("time.sleep", "asyncio.sleep")


class Session:
    """One worker, checked out for one run."""

    def __init__(self, monty: MontySession) -> None:
        self._monty = monty
        self._worker = monty.worker_pid

    def run(self, module: str, input: JsonObject, send: Send, *, seconds: float) -> Json:
        """The result of `run(input, http)` in `module`, as plain JSON; over 256 KiB a marked head of it.

        Raises Refusal: run_timeout after `seconds` of wall clock or 10 s of computing; tool_failed for what the
        module raised, for 64 MiB, and for a result that JSON cannot carry; and whatever `send` raised, as it was.
        """
        return _Run(self._monty, self._worker, module, send, seconds).result(input_text(input))


class _Run:
    def __init__(self, monty: MontySession, worker: int | None, module: str, send: Send, seconds: float) -> None:
        self._monty = monty
        self._worker = worker
        self._module = whole_text(module)
        self._send = send
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def result(self, text: str) -> Json:
        from pydantic_monty import MontyComplete, MontyCrashedError, MontyError

        try:
            snapshot = self._step(partial(self._start, text))
            while not isinstance(snapshot, MontyComplete):
                snapshot = self._step(self._answer(snapshot))
        except MontyCrashedError as error:
            raise self._crash(timed_out=error.timed_out) from error
        except MontyError as error:
            raise failures.failed(error, self._module) from error
        return _spoken(snapshot.output)

    def _start(self, text: str) -> SyncSnapshot:
        code = f"{self._module}\n\n{MAIN}(run, {_INPUT})"
        return self._monty.feed_start(code, inputs={_INPUT: text}, print_callback=_ignore)

    def _step(self, step: Callable[[], SyncSnapshot]) -> SyncSnapshot:
        """Let the module go on. Monty's clock stands still while the host works, so the wall clock is kept here."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise failures.timed_out(self._seconds)
        if left > CPU_SECONDS + CPU_GRACE_SECONDS:
            return step()
        killer = Timer(left, self._kill)
        killer.daemon = True
        killer.start()
        try:
            return step()
        finally:
            killer.cancel()
            killer.join()

    def _kill(self) -> None:
        if self._worker is not None:
            with suppress(ProcessLookupError):
                os.kill(self._worker, signal.SIGKILL)

    def _crash(self, *, timed_out: bool) -> Refusal:
        if time.monotonic() >= self._deadline:
            return failures.timed_out(self._seconds)
        return failures.cpu_is_up() if timed_out else failures.crashed()

    def _answer(self, snapshot: SyncSnapshot) -> Callable[[], SyncSnapshot]:
        from pydantic_monty import FunctionSnapshot, NameLookupSnapshot

        if isinstance(snapshot, NameLookupSnapshot):
            self._check_name(snapshot.variable_name, snapshot.position.start)
            return snapshot.resume
        if isinstance(snapshot, FunctionSnapshot):
            return self._answer_call(snapshot)
        raise Refusal(Reason.TOOL_FAILED, "The module awaits something that never comes.")

    def _check_name(self, name: str, at_byte: int) -> None:
        if name == "run" and at_byte >= len(self._module.encode()):
            raise Refusal(Reason.TOOL_FAILED, "The module has no run(input, http).")

    def _answer_call(self, call: FunctionSnapshot) -> Callable[[], SyncSnapshot]:
        name = str(call.function_name)
        if call.is_os_function and name in _SLEEPS:
            self._sleep(call.args)
            return partial(call.resume, {"return_value": None})
        if call.is_os_function:
            return call.resume_not_handled
        if name == SEND:
            return partial(call.resume, self._vendor(call))
        return partial(call.resume, _raised("NameError", f"name '{name}' is not defined"))

    def _sleep(self, args: tuple[object, ...]) -> None:
        seconds = args[0] if args and isinstance(args[0], (int, float)) else 0.0
        if seconds >= self._deadline - time.monotonic():
            raise failures.timed_out(self._seconds)
        time.sleep(max(0.0, seconds))

    def _vendor(self, call: FunctionSnapshot) -> ExternalResult:
        try:
            request = request_of(call.args, call.kwargs)
        except TypeError as error:
            return _raised("TypeError", str(error))
        return {"return_value": answer_of(self._send(request, self._deadline))}


def _ignore(_stream: Literal["stdout", "stderr"], _text: str) -> None:
    """What a module prints goes nowhere."""


def _raised(kind: Literal["NameError", "TypeError"], message: str) -> ExternalResult:
    return {"exc_type": kind, "message": message}


def _spoken(output: object) -> Json:
    """The pair that `main` returns: whether it is the result's text, else why it is not."""
    match output:
        case (True, str(text)):
            return result_of(text)
        case (False, str(why)):
            why = why[:MESSAGE_CHARACTERS]
            raise Refusal(Reason.TOOL_FAILED, f"The module's result cannot be sent: {why}.")
        case _:
            raise Refusal(Reason.TOOL_FAILED, "The module's result cannot be sent: it did not come from run().")
