"""The form of an agent's limits and scope: what was typed, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from pydantic import Field

from chalicelib.errors import Refusal
from chalicelib.model import CAP_DEFAULT, CAP_RANGE, IDLE_WINDOW_DAYS_DEFAULT, IDLE_WINDOW_DAYS_RANGE, Agent
from chalicelib.services.agents import AGENT_NAME_MAX

from .forms import Fields, Form, FormFault, first, parse

WORDS: Final = {
    "cap": f"The cap is a whole number from {CAP_RANGE[0]} to {CAP_RANGE[-1]}.",
    "idle_window_days": (
        f"The idle window is a whole number from {IDLE_WINDOW_DAYS_RANGE[0]} to {IDLE_WINDOW_DAYS_RANGE[-1]} days."
    ),
    "scope": "Choose one of the two.",
}
TYPED_MAX: Final = 200
"""Characters of a field that come back with its fault."""


class Limits(Form):
    name: str = ""
    cap: int = Field(ge=CAP_RANGE[0], le=CAP_RANGE[-1])
    idle_window_days: int = Field(ge=IDLE_WINDOW_DAYS_RANGE[0], le=IDLE_WINDOW_DAYS_RANGE[-1])


class Scope(Form):
    scope: Literal["all", "list"] = "all"
    connection: tuple[str, ...] = ()

    @property
    def connection_ids(self) -> frozenset[str] | None:
        return None if self.scope == "all" else frozenset(self.connection)


@dataclass(frozen=True, slots=True)
class AgentForm:
    """What a template shows of the form."""

    name: str = ""
    cap: str = str(CAP_DEFAULT)
    idle_window_days: str = str(IDLE_WINDOW_DAYS_DEFAULT)
    connection_ids: frozenset[str] | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    name_max: int = AGENT_NAME_MAX


def saved(agent: Agent) -> AgentForm:
    return AgentForm(agent.name, str(agent.cap), str(agent.idle_window_days), agent.connection_ids)


def typed(fields: Fields) -> AgentForm:
    """As it was sent, wrong or not."""
    name, cap, window = (first(fields, name)[:TYPED_MAX] for name in ("name", "cap", "idle_window_days"))
    ids = frozenset(fields.get("connection", ())) if first(fields, "scope") == "list" else None
    return AgentForm(name, cap, window, ids)


def read_limits(fields: Fields) -> Limits:
    """Raises `FormFault`, which names every field that is wrong."""
    name = first(fields, "name").strip()
    faults = {} if is_name(name) else {"name": f"An agent’s name has 1 to {AGENT_NAME_MAX} printable characters."}
    try:
        wanted = parse(Limits, {"cap": [""], "idle_window_days": [""], **fields}, WORDS)
    except FormFault as fault:
        raise FormFault(fault.faults | faults) from None
    if faults:
        raise FormFault(faults)
    return wanted


def is_name(text: str) -> bool:
    return 0 < len(text) <= AGENT_NAME_MAX and text.isprintable()


def with_faults(form: AgentForm, faults: Mapping[str, str]) -> AgentForm:
    return replace(form, faults=dict(faults))


def refused(form: AgentForm, refusal: Refusal) -> AgentForm:
    """What the services refuse of a form that reads well is its name: another agent has it."""
    return with_faults(form, {"name": refusal.message})
