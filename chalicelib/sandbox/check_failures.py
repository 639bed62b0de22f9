"""What keeps a check from finishing, told to the author as a problem. No host internals pass."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from chalicelib.model import Problem
from chalicelib.sandbox.limits import MEMORY_BYTES, TOP_LEVEL_SECONDS

if TYPE_CHECKING:
    from pydantic_monty import MontyRuntimeError, MontySyntaxError

MESSAGE_MAX: Final = 500
"""Characters: a name in a message may be as long as the source."""
UNSUPPORTED_HINT: Final = "The sandbox runs a part of Python: write this another way."

_TOO_DEEP: Final = "Source is too deeply nested"
_STEPS_HINT: Final = "Make long expressions in steps, with a name for each, and several functions of a long one."
_CONSTANTS_HINT: Final = "Keep only imports, definitions and constants there."
_RAISED_HINT: Final = "The module must load: this is raised before run is called."
_DEFINITION: Final = re.compile(r"(?:async[ \t]+)?def\b")
_NEW_LINE: Final = re.compile(r"\r\n|\r|\n")


def too_complex(text: str, what: str) -> Problem:
    """`what` ran out of time or memory; the place is the bulkiest one of the author's text."""
    line, column = _bulkiest(text)
    message = f"{what} took too much time or memory; this is the largest part of the module."
    return Problem(line, column, "too-complex", message, _STEPS_HINT)


def unreadable(error: MontySyntaxError, text: str, rule: str, hint: str) -> Problem:
    """What Monty's parser or compiler refused, where it did; too deep a nesting has a rule of its own."""
    line, column = _place(error) or _bulkiest(text)
    message = str(error)[:MESSAGE_MAX]
    if message.startswith(_TOO_DEEP):
        return Problem(line, column, "too-complex", f"{_TOO_DEEP}.", _STEPS_HINT)
    return Problem(line, column, rule, message, hint)


def top_level(error: MontyRuntimeError) -> Problem:
    """What the top level of a module raised, or the limit that it met."""
    line, column = _place(error) or (0, 0)
    text = str(error)
    kind, _, message = text.partition(": ")
    if kind == "NotImplementedError":
        return Problem(line, column, "unsupported", message[:MESSAGE_MAX], UNSUPPORTED_HINT)
    if kind == "TimeoutError":
        message = f"The top level of the module ran for longer than {TOP_LEVEL_SECONDS:g} s."
        return Problem(line, column, "top-level", message, _CONSTANTS_HINT)
    if kind == "MemoryError":
        message = f"The top level of the module needed more than {MEMORY_BYTES >> 20} MiB of memory."
        return Problem(line, column, "top-level", message, _CONSTANTS_HINT)
    return Problem(line, column, "top-level", text[:MESSAGE_MAX], _RAISED_HINT)


def _place(error: MontyRuntimeError | MontySyntaxError) -> tuple[int, int] | None:
    frames = error.traceback()
    return (frames[-1].line, frames[-1].column) if frames else None


def _bulkiest(text: str) -> tuple[int, int]:
    """Line and column of the line that is over half of the text, else of the longest function, else 0, 0."""
    lines = _NEW_LINE.split(text)
    longest = max(range(len(lines)), key=lambda number: len(lines[number]))
    if len(lines[longest]) * 2 > len(text):
        return longest + 1, _indent(lines[longest]) + 1
    functions = [number for number, line in enumerate(lines) if _DEFINITION.match(line.lstrip())]
    if not functions:
        return 0, 0
    sizes = _sizes(lines)
    largest = max(functions, key=lambda number: sizes[number])
    return largest + 1, _indent(lines[largest]) + 1


def _sizes(lines: list[str]) -> list[int]:
    """Of each line, the characters from it to the next line that is indented no further."""
    sizes, open_at, total = [0] * len(lines), [(-1, -1)], 0
    totals = [0]
    for number, line in enumerate(lines):
        indent = _indent(line)
        if line.strip():
            while open_at[-1][0] >= indent:
                sizes[open_at[-1][1]] = total - totals[open_at.pop()[1]]
            open_at.append((indent, number))
        total += len(line)
        totals.append(total)
    for _, number in open_at[1:]:
        sizes[number] = total - totals[number]
    return sizes


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
