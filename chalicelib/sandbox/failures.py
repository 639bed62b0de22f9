"""What Monty raises, translated once into what Graft refuses. No host internals pass."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.sandbox.limits import CPU_SECONDS, MEMORY_BYTES, MESSAGE_CHARACTERS, SUSPENSIONS

if TYPE_CHECKING:
    from pydantic_monty import Frame, MontyError

MODULE_FILE: Final = "<python-input-1>"
"""How Monty names the second feed of a session: the author's module."""

_TIME_IS_UP: Final = "TimeoutError: feed time limit exceeded"
_MEMORY_IS_UP: Final = ("MemoryError: memory limit exceeded", "MemoryError: the worker exceeded its memory limit")
_STEPS_ARE_UP: Final = "RuntimeError: suspension limit"
_TOO_DEEP: Final = "RecursionError"
_CANNOT_WAIT: Final = "cannot suspend in this synchronous context"
"""Monty cannot leave a callback of a builtin: a key function, map, filter, or a special method."""
_INTERNAL: Final = "Internal error in monty"
_BAD_EXCEPTION: Final = "exceptions can only be called with"


def timed_out(seconds: float) -> Refusal:
    """The run's wall clock is up."""
    return Refusal(
        Reason.RUN_TIMEOUT,
        f"The run took longer than its {seconds:g} s and was stopped. Do less in one call: fewer pages, fewer items.",
    )


def cpu_is_up() -> Refusal:
    return Refusal(
        Reason.RUN_TIMEOUT,
        f"The module computed for longer than {CPU_SECONDS:g} s and was stopped. Look for a loop that does not end.",
    )


def crashed() -> Refusal:
    return Refusal(
        Reason.TOOL_FAILED,
        "The sandbox process ended while it ran the module. Call again; if it happens again, make the module do less.",
    )


def busy() -> Refusal:
    """Every worker was in use for as long as the caller would wait."""
    return Refusal(
        Reason.RATE_LIMITED,
        "Many runs are under way now. Wait a moment and repeat the call.",
        {"retryAfterSeconds": 1},
    )


def failed(error: MontyError, module: str) -> Refusal:
    """The refusal for an exception that left the module, or for a limit that it met."""
    text = str(error)
    if text.startswith(_TIME_IS_UP):
        return cpu_is_up()
    line = _line_of_bad_exception(module) if _BAD_EXCEPTION in text else _line_in(module, error)
    details = {"line": line} if line else {}
    verb = "does not parse" if type(error).__name__ == "MontySyntaxError" else "raised"
    return Refusal(Reason.TOOL_FAILED, _message(text, line, verb), details)


def _message(text: str, line: int | None, verb: str) -> str:
    at = f" at line {line}" if line else ""
    if text.startswith(_MEMORY_IS_UP):
        return f"The module needed more than {MEMORY_BYTES >> 20} MiB of memory{at}. Handle less data at a time."
    if text.startswith(_STEPS_ARE_UP):
        return f"The module left the sandbox more than {SUSPENSIONS} times (vendor calls and sleeps){at}."
    if text.startswith(_TOO_DEEP):
        return f"The module's recursion is too deep{at}: {_cut(text)}"
    if _CANNOT_WAIT in text:
        return f"The module called http or slept{at} inside map, filter, a key= or a special method. Use a plain loop."
    if _BAD_EXCEPTION in text:
        return f"The module raised{at} with arguments that an exception cannot have here. Give it one text, or nothing."
    if _INTERNAL in text:
        return f"The module did{at} what the sandbox's Python cannot do. Write it another way."
    return f"The module {verb}{at}: {_cut(text)}"


def _cut(text: str) -> str:
    return text if len(text) <= MESSAGE_CHARACTERS else text[: MESSAGE_CHARACTERS - 1] + "…"


def _line_in(module: str, error: MontyError) -> int | None:
    """The innermost line of the author's own text, 1-based."""
    last_line = module.count("\n") + 1
    lines = [frame.line for frame in _frames(error) if frame.filename == MODULE_FILE and frame.line <= last_line]
    return lines[-1] if lines else None


def _line_of_bad_exception(module: str) -> int | None:
    """Monty does not say where. The line of the one `raise` whose arguments are not one text for certain, if any."""
    try:
        raised = [node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.Raise)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = [node.lineno for node in raised if isinstance(node.exc, ast.Call) and not _takes_text(node.exc)]
    return lines[0] if len(lines) == 1 else None


def _takes_text(made: ast.Call) -> bool:
    is_text = [isinstance(one, ast.JoinedStr) or isinstance(getattr(one, "value", None), str) for one in made.args]
    return not made.keywords and is_text in ([], [True])


def _frames(error: MontyError) -> list[Frame]:
    traceback = getattr(error, "traceback", None)
    return traceback() if traceback else []
