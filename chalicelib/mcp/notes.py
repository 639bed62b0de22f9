"""What an answer tells the model to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chalicelib.model import Problem

if TYPE_CHECKING:
    from chalicelib.services.publishing import Published

ADVICE_MAX = 3


def publish_note(published: Published) -> str:
    """How to call what was just published, and what came up on the way."""
    tool = published.tool
    call = f'call run_tool with {{"vendor": "{tool.vendor}", "name": "{tool.name}"}} and its input'
    parts = [f"Published as version {tool.version} and promoted. To use it now, {call}; your list has it next turn."]
    parts.append(published.test_run_advice)
    parts += [_advice(problem) for problem in published.advice[:ADVICE_MAX]]
    return " ".join(part for part in [*parts, published.membership.note or ""] if part)


def _advice(problem: Problem) -> str:
    where = f"line {problem.line}: " if problem.line else ""
    return f"Advice: {where}{problem.message}".rstrip(".") + "."
