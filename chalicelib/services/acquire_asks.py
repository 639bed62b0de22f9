"""The person's one answer about having tools written for an agent on a connection: found, asked for and given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalicelib.errors import Reason, Refusal
from chalicelib.model import (
    AcquireQuestion,
    Agent,
    Answer,
    Approval,
    Ask,
    AskAnswer,
    Connection,
    acquire_approval,
)
from chalicelib.rules.acquire import Standing, decide_standing
from chalicelib.services import answers, asks
from chalicelib.services.answers import Answered
from chalicelib.services.asks import Waiting
from chalicelib.services.deps import Deps, Model

if TYPE_CHECKING:
    from chalicelib.storage.table import Write

VERSION: Final = 0
"""An answer is about a connection and a provider; there is no version of either."""
GOAL_SHOWN_MAX: Final = 4000

_STANDING: Final = {AskAnswer.ALLOWED: Answer.ALLOWED, AskAnswer.DENIED: Answer.DENIED}


def require_allowed(deps: Deps, agent: Agent, connection: Connection, model: Model, goal: str) -> Waiting | None:
    """None: the person has allowed it. Else the one open ask; refuses `approval_denied`, `connection_revoked`."""
    approval = _approval(deps, agent.person_id, agent.id, model.provider, connection.id)
    match decide_standing(approval):
        case Standing.ALLOWED:
            return None
        case Standing.DENIED:
            raise _denied(connection, approval)
        case Standing.ASK:
            return _ask(deps, agent, connection, model, goal)


def is_allowed(deps: Deps, agent: Agent, connection_id: str, model: Model) -> bool:
    approval = _approval(deps, agent.person_id, agent.id, model.provider, connection_id)
    return decide_standing(approval) is Standing.ALLOWED


def _approval(deps: Deps, person_id: str, agent_id: str, provider: str, connection_id: str) -> Approval | None:
    return deps.store.find_approval(person_id, agent_id, acquire_approval(provider), connection_id)


def _ask(deps: Deps, agent: Agent, connection: Connection, model: Model, goal: str) -> Waiting:
    question = AcquireQuestion(
        connection_id=connection.id,
        vendor=connection.vendor,
        display_name=connection.display_name,
        hosts=connection.hosts,
        provider=model.provider,
        goal=goal[:GOAL_SHOWN_MAX],
    )
    _, place = asks.ask(deps, agent, question, also=[deps.store.connection_as_asked(connection)])
    return asks.waiting(deps, question, place)


def _denied(connection: Connection, approval: Approval | None) -> Refusal:
    reason = approval.reason if approval else ""
    said = f" They said: {reason.rstrip('.!?…')}." if reason else ""
    return Refusal(
        Reason.APPROVAL_DENIED,
        f"The person does not allow tools to be written for {connection.vendor} with this model.{said} "
        "Write the tool yourself with publish_tool, or go on without it.",
        {"personReason": reason} if reason else {},
    )


def answer_acquire(deps: Deps, asked: Ask, answer: AskAnswer, *, reason: str = "") -> Answered:
    """Allow or deny, for this agent on this connection. Holds once, whoever else answers at the same moment.

    What the ask showed must still be so when it is written: the provider, the connection and its hosts. A denial
    needs none.
    """
    question = asked.question
    assert isinstance(question, AcquireQuestion)

    def grants(answered: Ask) -> list[Write]:
        seen = _approval(deps, asked.person_id, asked.agent_id, question.provider, question.connection_id)
        standing = Approval(
            question.approval, question.connection_id, _STANDING[answer], VERSION, deps.now(), reason=answered.note
        )
        hosts = deps.store.hosts_as_asked(asked.person_id, question.connection_id, question.hosts)
        as_asked = [] if answer is AskAnswer.DENIED else [hosts]
        return [deps.store.approval_write(asked.person_id, asked.agent_id, seen, standing), *as_asked]

    return answers.stand(deps, asked, answer, reason, grants)
