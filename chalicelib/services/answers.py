"""What a person answers to an ask, and what the answer grants: both in one write, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from chalicelib.model import (
    AcquireQuestion,
    Agent,
    Answer,
    Approval,
    Ask,
    AskAnswer,
    AskPointer,
    AskState,
    Connection,
    ConnectionQuestion,
    ConnectionState,
    CredentialQuestion,
    Question,
    ToolQuestion,
    ToolVersion,
)
from chalicelib.rules.asks import ASK_OPEN, find_acquire_staleness, find_staleness, input_digest, question_digest
from chalicelib.rules.connections import live
from chalicelib.services import connections
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps

if TYPE_CHECKING:
    from chalicelib.storage.table import Write

REASON_MAX: Final = 500
"""Characters of a denial's reason that go back to the agent."""
ATTEMPTS: Final = 8

_STANDING: Final = {
    AskAnswer.ALLOWED: Answer.ALLOWED,
    AskAnswer.ASK_EVERY_TIME: Answer.ASK_EVERY_TIME,
    AskAnswer.DENIED: Answer.DENIED,
}


class Ended(Enum):
    """Why an answer grants nothing."""

    ANSWERED = "answered"
    EXPIRED = "expired"
    CLOSED = "closed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Answered:
    """The ask as it is now. `ended` None: this answer holds."""

    ask: Ask
    ended: Ended | None = None
    why: str = ""
    """For `changed`: what changed, as a sentence."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What an ask is about, as it is now."""

    agent: Agent | None
    """Who asked; None: it cannot be read."""
    current: ToolVersion | None
    """The current version of the tool, if it is about one."""
    connections: Sequence[Connection]
    """All of the person's, if it is about a tool or a connection."""


def answer_tool(deps: Deps, asked: Ask, answer: AskAnswer, *, reason: str = "") -> Answered:
    """Allow, allow this call and ask every time, or deny. Holds once, whoever else answers at the same moment.

    What the ask showed must still be so when it is written: version, connection and its hosts. A denial needs none.
    """
    question = asked.question
    assert isinstance(question, ToolQuestion)

    def grants(answered: Ask) -> list[Write]:
        as_asked = [] if answer is AskAnswer.DENIED else deps.store.tool_as_asked(asked.person_id, question)
        return [_approval_write(deps, answered, question, answered), *as_asked]

    return stand(deps, asked, answer, reason, grants)


def stand(deps: Deps, asked: Ask, answer: AskAnswer, reason: str, grants: Callable[[Ask], Sequence[Write]]) -> Answered:
    """Give an answer that stands until it is withdrawn. `grants`: what it writes, and what has to hold for it.

    Held against what moves meanwhile by asking afresh. A denial of what has changed is taken all the same.
    """
    for _ in range(ATTEMPTS):
        ask = deps.store.asks.find(asked.person_id, asked.id) or asked
        ended = find_end(deps, ask)
        if ended is not None and not (ended.ended is Ended.CHANGED and answer is AskAnswer.DENIED):
            return ended
        answered = _answered(deps, ask, answer, note=reason.strip()[:REASON_MAX])
        if deps.store.asks.answer(ask, question_digest(ask.question), answered, also=grants(answered)):
            return Answered(answered)
    return find_end(deps, asked) or Answered(asked, Ended.CHANGED, "It kept changing meanwhile. Look at it again.")


def allow_waiting(deps: Deps, agent: Agent, question: ToolQuestion) -> bool:
    """Answer the ask that waits with this question with Allow. False: none waits."""
    place = deps.store.asks.find_place(agent.person_id, agent.id, question_digest(question))
    ask = deps.store.asks.find(agent.person_id, place.ask_id) if place else None
    if ask is None or not ask.is_open(deps.now()):
        return False
    return answer_tool(deps, ask, AskAnswer.ALLOWED).ended is None


def connect(deps: Deps, ask: Ask, wanted: NewConnection) -> tuple[Answered, Connection | None]:
    """Store the connection that was asked for, as the person has completed it. Refuses `input_invalid`."""
    assert isinstance(ask.question, ConnectionQuestion)
    connection = connections.described(deps, ask.person_id, wanted)
    answered = _answered(deps, ask, AskAnswer.CONNECTED, connection_id=connection.id)
    also = [deps.store.connection_added(connection), *_brought_in_scope(deps, ask, connection)]
    made = _settle(deps, ask, answered, *also)
    return made, connection if made.ended is None else None


def _brought_in_scope(deps: Deps, ask: Ask, connection: Connection) -> list[Write]:
    """An agent that is held to a list of connections gets the one that its person connects for it."""
    facts = deps.store.agents.find(ask.person_id, ask.agent_id)
    if facts is None or facts.agent.connection_ids is None:
        return []
    return [deps.store.agents.scope_write(facts.agent, facts.agent.connection_ids | {connection.id})]


def give_credential(deps: Deps, ask: Ask, secret: Mapping[str, str]) -> Answered:
    """Seal the credential that was asked for in place of the old one. Refuses `input_invalid`."""
    assert isinstance(ask.question, CredentialQuestion)
    seen = deps.store.grants.find_connection(ask.person_id, ask.question.connection_id)
    if seen is None or seen.state is not ConnectionState.LIVE:
        return Answered(ask, Ended.CHANGED, "The connection was revoked.")
    connection = connections.with_secret(deps, seen, secret)
    answered = _answered(deps, ask, AskAnswer.CONNECTED, connection_id=connection.id)
    return _settle(deps, ask, answered, *deps.store.connection_replaced(seen, connection))


def decline(deps: Deps, ask: Ask) -> Answered:
    """Say no to a connection or a credential. The agent hears it for as long as the ask would have been open."""
    answered = _answered(deps, ask, AskAnswer.DECLINED)
    return _settle(deps, ask, answered)


def ask_again(deps: Deps, ask: Ask) -> bool:
    """Take a decline back, so that the agent may ask once more. False: nothing was remembered of it."""
    if ask.answer is not AskAnswer.DECLINED:
        return False
    return deps.store.asks.forget(ask, question_digest(ask.question))


def _settle(deps: Deps, ask: Ask, answered: Ask, *also: Write) -> Answered:
    if deps.store.asks.answer(ask, question_digest(ask.question), answered, also=also):
        return Answered(answered)
    now = deps.store.asks.find(ask.person_id, ask.id) or ask
    return find_end(deps, now) or Answered(now, Ended.CHANGED, "The connection changed meanwhile. Look at it again.")


def find_end(deps: Deps, ask: Ask) -> Answered | None:
    """Why this ask cannot be answered any more; None: it can."""
    own = own_end(deps, ask)
    if own is not None:
        return own
    return end_of(deps, ask, read_subject(deps, ask.pointer))


def read_subject(deps: Deps, at: AskPointer) -> Subject:
    """One round trip."""
    agents, current, connections = deps.store.table.together(*subject_reads(deps, at))
    return subject_of(agents, current, connections)


def subject_reads(deps: Deps, at: AskPointer) -> tuple[Callable[[], Any], ...]:
    """What `subject_of` takes, each to be read beside others."""
    store, person_id = deps.store, at.person_id
    return (
        lambda: store.agents.some(person_id, [at.agent_id]),
        lambda: store.toolbox.find_current(person_id, at.tool) if at.tool else None,
        lambda: store.grants.connections(person_id) if at.tool or at.connection_id else [],
    )


def subject_of(agents: Sequence[Agent], current: ToolVersion | None, connections: Sequence[Connection]) -> Subject:
    return Subject(agents[0] if agents else None, current, connections)


def own_end(deps: Deps, ask: Ask) -> Answered | None:
    """The same, as far as its own row tells."""
    if ask.state is AskState.ANSWERED:
        return Answered(ask, Ended.ANSWERED)
    if ask.state is AskState.CLOSED:
        return Answered(ask, Ended.CLOSED, ask.note)
    return None if ask.is_open(deps.now()) else Answered(ask, Ended.EXPIRED)


def end_of(deps: Deps, ask: Ask, about: Subject) -> Answered | None:
    """The same, from what it is about."""
    own = own_end(deps, ask)
    if own is not None:
        return own
    stale = _staleness(deps, ask.question, about)
    return Answered(ask, Ended.CHANGED, stale) if stale else None


def _staleness(deps: Deps, question: Question, about: Subject) -> str | None:
    match question:
        case ToolQuestion():
            return find_staleness(question, about.current, about.agent, about.connections)
        case AcquireQuestion():
            provider = deps.model.provider if deps.model else None
            return find_acquire_staleness(question, about.agent, about.connections, provider)
        case CredentialQuestion():
            is_live = any(c.id == question.connection_id for c in live(about.connections))
            return None if is_live else "The connection was revoked."
        case ConnectionQuestion():
            return None


def _answered(deps: Deps, ask: Ask, answer: AskAnswer, *, note: str = "", connection_id: str | None = None) -> Ask:
    return replace(
        ask,
        state=AskState.ANSWERED,
        answer=answer,
        answered_at=deps.now(),
        note=note,
        connection_id=connection_id or ask.connection_id,
    )


def _approval_write(deps: Deps, ask: Ask, question: ToolQuestion, answered: Ask) -> Write:
    """The standing answer that this one makes; under "ask every time" with a pass for exactly the call shown."""
    seen = deps.store.find_approval(ask.person_id, ask.agent_id, question.tool, question.connection_id)
    assert answered.answer is not None
    assert answered.answered_at is not None
    approval = Approval(
        tool=question.tool,
        connection_id=question.connection_id,
        answer=_STANDING[answered.answer],
        version=question.version,
        answered_at=answered.answered_at,
        reason=answered.note,
    )
    if approval.answer is Answer.ASK_EVERY_TIME:
        now = answered.answered_at
        kept = seen.passes if seen and seen.version == question.version else {}
        passes = {digest: until for digest, until in kept.items() if until > now}
        approval = replace(approval, passes=passes | {input_digest(question.input): now + ASK_OPEN})
    return deps.store.approval_write(ask.person_id, ask.agent_id, seen, approval)
