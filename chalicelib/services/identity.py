"""Who is asking: a bearer token to an agent and its facts, in one round trip."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field, replace
from typing import Final

from chalicelib.errors import Reason, Refusal, Unauthorized
from chalicelib.model import (
    CAP_DEFAULT,
    CAP_RANGE,
    IDLE_WINDOW_DAYS_DEFAULT,
    IDLE_WINDOW_DAYS_RANGE,
    Agent,
    AgentFacts,
    Listed,
    Person,
    Promotion,
)
from chalicelib.rules.membership import Move, facts_after
from chalicelib.services.deps import Deps

TOKEN_BYTES: Final = 32
AGENT_NAME_MAX: Final = 64
_TOKEN: Final = re.compile(r"grft_([a-z0-9]{1,32})_([a-z0-9]{1,32})_([A-Za-z0-9_-]{43})")
_NO_SUCH_HASH: Final = hashlib.sha256(b"no agent").hexdigest()


@dataclass(frozen=True, slots=True)
class Caller:
    """An agent that proved itself, with its set as one revision has it."""

    facts: AgentFacts
    person: Person
    listed: Listed | None
    """What this MCP session last saw of the list."""
    session_id: str | None
    token: str = field(repr=False)

    @property
    def agent(self) -> Agent:
        return self.facts.agent

    @property
    def promotions(self) -> tuple[Promotion, ...]:
        return self.facts.promotions

    def after(self, move: Move) -> Caller:
        """This caller once its move is written, without reading it again."""
        return replace(self, facts=facts_after(self.facts, move))

    def after_publish(self) -> Caller:
        return replace(self, person=self.person.next_revision())


def identify(deps: Deps, token: str | None, session_id: str | None) -> Caller:
    """The caller of this token. Raises `Unauthorized`, alike for unknown, revoked and malformed."""
    match = _TOKEN.fullmatch(token or "")
    if match is None or token is None:
        raise Unauthorized
    found = deps.store.agents.find_door_facts(match[1], match[2], session_id)
    known = found.facts.agent.token_hash if found else _NO_SUCH_HASH
    genuine = hmac.compare_digest(known, hash_token(token))
    if found is None or not genuine or found.facts.agent.revoked_at is not None:
        raise Unauthorized
    return Caller(found.facts, found.person, found.listed, session_id, token)


def refresh(deps: Deps, caller: Caller) -> Caller:
    """The same caller with facts read now."""
    return identify(deps, caller.token, caller.session_id)


def hash_token(token: str) -> str:
    """32 random bytes need no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token(deps: Deps, person_id: str, agent_id: str) -> str:
    """Both ids travel in the token, so that one batch read finds everything."""
    secret = base64.urlsafe_b64encode(deps.random_bytes(TOKEN_BYTES)).decode().rstrip("=")
    return f"grft_{person_id}_{agent_id}_{secret}"


def create_agent(
    deps: Deps,
    person_id: str,
    name: str,
    *,
    cap: int = CAP_DEFAULT,
    idle_window_days: int = IDLE_WINDOW_DAYS_DEFAULT,
) -> tuple[Agent, str]:
    """A new agent and its token, which is shown once and stored as a hash."""
    name = _checked_name(name)
    _check_bounds("cap", cap, CAP_RANGE)
    _check_bounds("idle window", idle_window_days, IDLE_WINDOW_DAYS_RANGE)
    agent_id = deps.new_id()
    token = new_token(deps, person_id, agent_id)
    agent = Agent(person_id, agent_id, name, hash_token(token), cap, idle_window_days, None, deps.now())
    if not deps.store.agents.add(agent):
        raise Refusal(Reason.INPUT_INVALID, f"There is an agent named {name!r} already. Choose another name.")
    return agent, token


def rotate_token(deps: Deps, agent: Agent) -> str:
    """A new token; the old one ends at once, and every MCP session with it."""
    token = new_token(deps, agent.person_id, agent.id)
    if not deps.store.agents.replace_token(agent, hash_token(token)):
        raise Refusal(Reason.INPUT_INVALID, "The agent changed meanwhile. Try again.")
    return token


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > AGENT_NAME_MAX or not name.isprintable():
        raise Refusal(Reason.INPUT_INVALID, f"An agent's name has 1 to {AGENT_NAME_MAX} printable characters.")
    return name


def _check_bounds(what: str, value: int, bounds: range) -> None:
    if value not in bounds:
        raise Refusal(
            Reason.INPUT_INVALID, f"The {what} is a whole number from {bounds[0]} to {bounds[-1]}, not {value}."
        )
