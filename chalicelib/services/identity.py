"""Who is asking: a bearer token to an agent and its facts, in one round trip."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field, replace
from typing import Final

from chalicelib.errors import Unauthorized
from chalicelib.model import (
    Agent,
    AgentFacts,
    Listed,
    Person,
    Promotion,
)
from chalicelib.rules.membership import Move, facts_after
from chalicelib.services import trail
from chalicelib.services.deps import Deps

TOKEN_BYTES: Final = 32
SECRET_CHARACTERS: Final = 43
"""What these bytes come to in a token."""
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
    trail.current().agent_id = found.facts.agent.id
    return Caller(found.facts, found.person, found.listed, session_id, token)


def refresh(deps: Deps, caller: Caller) -> Caller:
    """The same caller with facts read now. Raises `Unauthorized` when its token was replaced or revoked meanwhile."""
    agent = caller.agent
    found = deps.store.agents.find_door_facts(agent.person_id, agent.id, caller.session_id)
    if found is None or found.facts.agent.token_hash != agent.token_hash or found.facts.agent.revoked_at is not None:
        raise Unauthorized
    return replace(caller, facts=found.facts, person=found.person, listed=found.listed)


def on_behalf(deps: Deps, person_id: str, agent_id: str) -> Caller | None:
    """An agent as its own person acts for it, without its token; None: the person has no such agent, or revoked it."""
    found = deps.store.agents.find_door_facts(person_id, agent_id, None)
    if found is None or found.facts.agent.revoked_at is not None:
        return None
    return Caller(found.facts, found.person, None, None, "")


def hash_token(token: str) -> str:
    """32 random bytes need no slow hash."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token(deps: Deps, person_id: str, agent_id: str) -> str:
    """Both ids travel in the token, so that one batch read finds everything."""
    secret = base64.urlsafe_b64encode(deps.random_bytes(TOKEN_BYTES)).decode().rstrip("=")
    return _spelled(person_id, agent_id, secret)


def token_length(person_id: str, agent_id: str) -> int:
    """How many characters this agent's token has, so that a person sees when one was cut."""
    return len(_spelled(person_id, agent_id, "x" * SECRET_CHARACTERS))


def _spelled(person_id: str, agent_id: str, secret: str) -> str:
    return f"grft_{person_id}_{agent_id}_{secret}"
