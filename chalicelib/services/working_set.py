"""Promote, demote and list: an agent's own doing with its set."""

from __future__ import annotations

from dataclasses import dataclass

from chalicelib.errors import Reason, Refusal
from chalicelib.model import PROMOTED_MAX, Cause, ConnectionState, ToolCard, ToolVersion
from chalicelib.rules import listing as listing_rule
from chalicelib.rules.membership import Move, decide_entry, decide_exit, is_full
from chalicelib.rules.sweep import SWEEP_EVERY, decide_leavers
from chalicelib.services import cards, toolbox
from chalicelib.services.deps import Deps, log
from chalicelib.services.identity import Caller, refresh
from chalicelib.services.retries import attempts


@dataclass(frozen=True, slots=True)
class Membership:
    """Whether a tool is in the set now, and what this call had to do with it."""

    tool: str
    promoted: bool
    changed: bool
    working_set_size: int
    cap: int
    note: str | None
    caller: Caller
    """The caller with the set as this call left it."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A promoted tool that the list leaves out, and why."""

    tool: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listing:
    tools: tuple[ToolCard, ...]
    withheld: tuple[Withheld, ...]


def listing(deps: Deps, caller: Caller) -> Listing:
    """The promoted tools in list order: promotion time, then wire name. Made once per pair of revisions."""
    agent = caller.agent
    place = (agent.person_id, agent.id, agent.list_revision, caller.person.toolbox_revision)
    known = deps.caches.listings.find(place)
    if known is None:
        known = _made_listing(deps, caller)
        deps.caches.listings.keep(place, known)
    return known


def _made_listing(deps: Deps, caller: Caller) -> Listing:
    found = cards.find_cards(deps, caller.person, [p.tool for p in caller.promotions])
    tools: list[ToolCard] = []
    withheld: list[Withheld] = []
    for promotion in caller.promotions:
        card = found.get(promotion.tool)
        fault = listing_rule.find_fault(card)
        if card is not None and fault is None:
            tools.append(card)
        else:
            withheld.append(Withheld(promotion.tool, fault or ""))
            log.warning("withheld %s from the list of agent %s: %s", promotion.tool, caller.agent.id, fault)
    return Listing(tuple(tools), tuple(withheld))


def promote(deps: Deps, caller: Caller, vendor: str, name: str) -> Membership:
    """Bring a tool in. Never checks the cap; over it, the note says what the next sweep may take."""
    current = toolbox.get_current(deps, caller, vendor, name)
    tool = current.wire_name
    for _ in attempts(deps, "this agent's working set"):
        if caller.facts.find(tool):
            return membership(deps, caller, tool, changed=False)
        move = entry(deps, caller, tool, Cause.AGENT)
        if deps.store.promote(caller.facts, move.record, move.remaining, _live_default(deps, caller, current)):
            return membership(deps, caller.after(move), tool, changed=True)
        caller = refresh(deps, caller)
    raise AssertionError("unreachable: attempts() ends with a refusal")


def demote(deps: Deps, caller: Caller, vendor: str, name: str) -> Membership:
    """Take a tool out. The agent may do so during a run; the tool stays in the toolbox."""
    tool = toolbox.get_current(deps, caller, vendor, name).wire_name
    for _ in attempts(deps, "this agent's working set"):
        if caller.facts.find(tool) is None:
            return membership(deps, caller, tool, changed=False)
        move = decide_exit(caller.facts, {tool}, Cause.AGENT, deps.now())
        if deps.store.sets.change(caller.facts, move.record, move.remaining):
            return membership(deps, caller.after(move), tool, changed=True)
        caller = refresh(deps, caller)
    raise AssertionError("unreachable: attempts() ends with a refusal")


def entry(deps: Deps, caller: Caller, tool: str, cause: Cause) -> Move:
    """The move that promotes `tool`, unless the agent has as many as it may have."""
    if is_full(caller.facts):
        raise Refusal(
            Reason.RATE_LIMITED,
            f"{PROMOTED_MAX} tools are promoted, the most an agent may have. Demote what is done with, then repeat.",
            {"retryAfterSeconds": int(SWEEP_EVERY.total_seconds())},
        )
    return decide_entry(caller.facts, tool, cause, deps.now())


def _live_default(deps: Deps, caller: Caller, tool: ToolVersion) -> str | None:
    """The tool's default connection if it is live: then it must still be when the promotion is written."""
    if tool.connection_id is None:
        return None
    connection = deps.store.grants.find_connection(caller.person.id, tool.connection_id)
    return connection.id if connection is not None and connection.state is ConnectionState.LIVE else None


def membership(deps: Deps, caller: Caller, tool: str, *, changed: bool) -> Membership:
    promoted = caller.facts.find(tool) is not None
    size = len(caller.promotions)
    note = over_cap_note(deps, caller) if promoted else None
    return Membership(tool, promoted, changed, size, caller.agent.cap, note, caller)


def over_cap_note(deps: Deps, caller: Caller) -> str | None:
    """How many tools the next sweep may take for the cap, and which one is next; None: within the cap."""
    agent = caller.agent
    over = len(caller.promotions) - agent.cap
    if over <= 0:
        return None
    leavers = decide_leavers(caller.promotions, cap=agent.cap, idle_window_days=agent.idle_window_days, now=deps.now())
    if not leavers:
        return (
            f"The set is {over} over its cap of {agent.cap}; every tool in it is in use, so the next sweep takes none."
        )
    return (
        f"The set is {over} over its cap of {agent.cap}: the next sweep may take {len(leavers)}, "
        f"{leavers[0].tool} first. Demote what you are done with, or call what you want to keep."
    )
