"""May this agent run this tool? Everything a person has to see before they answer, in the contract's order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar, Final

from chalicelib.errors import Refusal
from chalicelib.model import Ask, AskAnswer, ToolQuestion, ToolVersion
from chalicelib.services import answers, ask_facts, identity, runs
from chalicelib.services.ask_facts import FoundAsk, ToolFacts

from .. import framing, reports, values
from ..changes import Difference, Line, difference, source_lines
from ..code_windows import marked_lines, numbers_that_write, weigh_line, whole_window
from ..forms import Unreadable
from ..http import PageResponse
from ..paging import PAGE_BYTES, cut, read_number
from ..render import Frame, html
from ..reports import Report
from ..unseen import Piece, pieces
from ..values import Shown
from ..visit import Visit
from ..windows import Window, window
from ..words import ALLOW, ALLOW_EVERY_TIME, CHIP_SENTENCES, CHIP_WORDS, DENY, REASON, chip, methods_of
from . import ask_ended

ANSWERS: Final = {
    "allow": AskAnswer.ALLOWED,
    "allow-every-time": AskAnswer.ASK_EVERY_TIME,
    "deny": AskAnswer.DENIED,
}
DRY_RUN: Final = "dry-run"
DESCRIPTION_BYTES: Final = 6_500
"""What a description may weigh: any that can be seen is whole."""
ROOMS: Final = (7_000, 4_000, 1_000)
"""Bytes for the change and for the source each: the first that the page holds; what does not fit is a link away."""


@dataclass(frozen=True, slots=True)
class ToolAskPage:
    template: ClassVar[str] = "ask_tool.html"
    frame: Frame
    code: str
    agent: str
    tool: str
    chip: str
    chip_word: str
    chip_sentence: str
    expires_at: datetime
    writing_methods: tuple[str, ...]
    reading_methods: tuple[str, ...]
    hosts: tuple[str, ...]
    connection: str
    """Its display name; empty: there is none."""
    values: tuple[Shown, ...]
    unseen: int
    version: int
    allowed_version: int | None
    publisher: str
    """An agent's name; empty: set-up brought it."""
    is_own: bool
    """Whether the asking agent published it itself."""
    published_at: datetime
    change: Difference | None
    """Since the version that was allowed last."""
    change_lines: Window[Line] | None
    """None: there is none, or not of the source."""
    source: Window[tuple[Piece, ...]]
    writing: tuple[int, ...]
    """The numbers of the source's lines that write, from 1."""
    description: tuple[Piece, ...]
    report: Report | None
    every_time: bool
    allow: str
    allow_every_time: str
    deny: str
    reason: str


def show(visit: Visit, found: FoundAsk, question: ToolQuestion) -> PageResponse:
    return _page(visit, found, question, None)


def submit(visit: Visit, found: FoundAsk, question: ToolQuestion) -> PageResponse:
    """An answer leads back to this page by GET, which shows what holds. A dry run answers at once."""
    said, ask = visit.field("answer"), found.ask
    if said == DRY_RUN:
        return _page(visit, found, question, None if found.ended else _try_dry(visit, ask, question))
    if said not in ANSWERS:
        raise Unreadable
    answer = ANSWERS[said]
    answered = answers.answer_tool(visit.deps, ask, answer, reason=visit.field("reason"))
    late = f"?said={answer}" if answered.ended is answers.Ended.ANSWERED else ""
    return visit.go(f"/a/{ask.code}", query=late)


def _try_dry(visit: Visit, ask: Ask, question: ToolQuestion) -> Report | None:
    """None: there is nothing to try any more."""
    caller = identity.on_behalf(visit.deps, ask.person_id, ask.agent_id)
    if caller is None:
        return None
    vendor, _, name = question.tool.partition("__")
    try:
        outcome = runs.call(visit.deps, caller, vendor, name, question.input, dry_run=True)
    except Refusal as refusal:
        return reports.refused(refusal)
    assert isinstance(outcome, runs.Done)
    return reports.read_report(outcome.value)


def _page(visit: Visit, found: FoundAsk, question: ToolQuestion, report: Report | None) -> PageResponse:
    if found.ended is not None:
        after = ask_facts.aftermath(visit.deps, found.ask, question)
        return ask_ended.show(
            visit, found.ended, agent=found.agent, subject=question.tool, next_code=after.next_code, came=after.run
        )
    facts = ask_facts.tool_facts(visit.deps, found, question)
    assert facts.tool is not None
    return _fitted(_open_page(visit, found, question, facts, facts.tool, report), visit.request.query, facts.tool)


def _fitted(page: ToolAskPage, query: Mapping[str, str], tool: ToolVersion) -> PageResponse:
    """With as much of change and source as there is room for beside the values, which are always whole."""
    change, lines = page.change.lines if page.change else (), source_lines(tool.source)
    starts = [read_number(query.get(name, "")) for name in ("change", "source")]
    for room in ROOMS:
        shown = whole_window(change, starts[0], room) if change else None
        response = html(replace(page, change_lines=shown, source=window(lines, starts[1], room, weigh_line)))
        if len(response.body.encode()) <= PAGE_BYTES:
            break
    return response


def _open_page(
    visit: Visit, found: FoundAsk, question: ToolQuestion, facts: ToolFacts, tool: ToolVersion, report: Report | None
) -> ToolAskPage:
    ask = found.ask
    writing, reading = methods_of(tool)
    kind = chip(tool.annotations)
    sent = values.shown(question.input)
    before = facts.last_allowed
    return ToolAskPage(
        frame=framing.narrow(visit),
        code=ask.code,
        agent=found.agent,
        tool=question.tool,
        chip=kind,
        chip_word=CHIP_WORDS[kind],
        chip_sentence=CHIP_SENTENCES[kind],
        expires_at=ask.expires_at,
        writing_methods=writing,
        reading_methods=reading,
        hosts=question.hosts,
        connection=found.connection.display_name if found.connection else "",
        values=sent,
        unseen=sum(value.unseen for value in sent),
        version=tool.version,
        allowed_version=before.version if before else None,
        publisher=facts.publisher,
        is_own=tool.published_by == ask.agent_id,
        published_at=tool.published_at,
        change=difference(before, tool) if before and before.version != tool.version else None,
        change_lines=None,
        source=Window((), 0, 0),
        writing=numbers_that_write(marked_lines(tool)),
        description=cut(pieces(tool.description), DESCRIPTION_BYTES),
        report=report,
        every_time=question.every_time,
        allow=ALLOW.format(agent=found.agent),
        allow_every_time=ALLOW_EVERY_TIME,
        deny=DENY,
        reason=REASON.format(agent=found.agent),
    )
