"""What an answer tells the model to do next."""

from __future__ import annotations

from collections.abc import Mapping
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
    if isinstance(published.dry_run, Mapping) and not published.dry_run.get("passed"):
        parts.append("The test run failed (see dryRun): mend the source and publish again.")
    parts += [_advice(problem) for problem in published.advice[:ADVICE_MAX]]
    return " ".join([*parts, published.membership.note or ""]).strip()


def _advice(problem: Problem) -> str:
    where = f"line {problem.line}: " if problem.line else ""
    return f"Advice: {where}{problem.message}".rstrip(".") + "."
