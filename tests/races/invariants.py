"""What holds of one person's rows whenever nobody is writing, whatever raced and whoever died before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from chalicelib.model import AgentFacts, Cause, ChangeSet, Direction
from chalicelib.rules.sweep import JUST_AFTER, active_at, decide_leavers
from chalicelib.services.deps import Deps
from chalicelib.services.working_set import Membership
from chalicelib.storage import items

ALL = 1_000_000
RULE = frozenset({Cause.IDLE, Cause.CAP})


@dataclass(frozen=True, slots=True)
class InFlight:
    """A run's own testimony: the `list_revision` it saw at its beginning and at its end, in flight both times."""

    agent_id: str
    first: int
    last: int


def check_invariants(deps: Deps, person_id: str, *, edits: int = 0, at_rest: bool = False) -> None:
    """`edits`: saved limits, of all agents together, which raise `rev` without a trace of their own.

    `at_rest`: every deadline has passed and somebody has met every agent since, so nothing may be left in flight.
    """
    rows = deps.store.table.query(items.toolbox_pk(person_id), "version#")
    published = Counter(items.to_tool_version(row).published_by for row in rows)
    moves = 0
    for agent_id in deps.store.agents.ids(person_id):
        facts = facts_of(deps, person_id, agent_id)
        history = history_of(deps, facts)
        assert not (at_rest and facts.agent.runs), "a run outlived its deadline"
        _check_history_gives_the_set(facts, history)
        _check_due_time(deps, facts, history)
        moves += _unaccounted_moves(deps, facts, history, published[agent_id])
    assert moves == edits, f"`rev` of the agents was raised {moves} times for no reason that left a trace"


def check_guard(deps: Deps, person_id: str, runs: Iterable[InFlight]) -> None:
    """The rule took nothing from an agent between two moments at which one of its runs was in flight."""
    ruled = {
        agent_id: [record.list_revision for record in _history(deps, person_id, agent_id) if is_by_rule(record)]
        for agent_id in deps.store.agents.ids(person_id)
    }
    for run in runs:
        within = [revision for revision in ruled[run.agent_id] if run.first < revision <= run.last]
        assert not within, f"the rule took tools of {run.agent_id} at {within}, while a run was in flight"


def check_acknowledged(deps: Deps, person_id: str, answers: Iterable[Membership | None]) -> None:
    """Every change that was answered `changed: true` is in the history, as the record that it was told of."""
    histories = {agent_id: _history(deps, person_id, agent_id) for agent_id in deps.store.agents.ids(person_id)}
    told: Counter[tuple[str, int]] = Counter()
    for answer in answers:
        if answer is None or not answer.changed:
            continue
        agent = answer.caller.agent
        told[agent.id, agent.list_revision] += 1
        record = histories[agent.id][agent.list_revision - 1]
        direction = Direction.PROMOTED if answer.promoted else Direction.DEMOTED
        assert [(change.tool, change.direction) for change in record.changes] == [(answer.tool, direction)]
    assert set(told.values()) <= {1}, "two answers were told of the same record"


def facts_of(deps: Deps, person_id: str, agent_id: str) -> AgentFacts:
    facts = deps.store.agents.find(person_id, agent_id)
    assert facts is not None
    return facts


def history_of(deps: Deps, facts: AgentFacts) -> list[ChangeSet]:
    """Oldest first."""
    return deps.store.sets.history(facts.agent, limit=ALL)[::-1]


def _history(deps: Deps, person_id: str, agent_id: str) -> list[ChangeSet]:
    return history_of(deps, facts_of(deps, person_id, agent_id))


def is_by_rule(record: ChangeSet) -> bool:
    return any(change.cause in RULE for change in record.changes)


def _check_history_gives_the_set(facts: AgentFacts, history: Sequence[ChangeSet]) -> None:
    agent = facts.agent
    replayed: dict[str, tuple[str, datetime, Cause]] = {}
    for number, record in enumerate(history, start=1):
        assert record.list_revision == number, "a revision has no record"
        assert record.set_size == len(replayed)
        for change in record.changes:
            if change.direction is Direction.PROMOTED:
                assert change.tool not in replayed, f"{change.tool} was promoted twice, at {number}"
                newest = max((at for _, at, _ in replayed.values()), default=record.at - JUST_AFTER)
                replayed[change.tool] = (str(number), max(record.at, newest + JUST_AFTER), change.cause)
            else:
                assert replayed.pop(change.tool, None), f"{change.tool} left twice, at {number}"
    assert agent.list_revision == len(history)
    assert {p.tool: (p.slot, p.promoted_at, p.promoted_by) for p in facts.promotions} == replayed
    assert agent.set_size == len(replayed)
    assert sorted(agent.used) == sorted(p.slot for p in facts.promotions)


def _check_due_time(deps: Deps, facts: AgentFacts, history: Sequence[ChangeSet]) -> None:
    """The index never says later than the moment at which something can leave."""
    true = true_due(facts)
    if true is None:
        return
    row = deps.store.table.get(items.agent_key(facts.agent.person_id, facts.agent.id)) or {}
    assert "due_at" in row, "no sweep would ever visit this agent"
    at_once = deps.now() if true == items.EPOCH else true
    assert items.from_ms(row["due_at"]["N"]) <= max(at_once, history[-1].at)


def true_due(facts: AgentFacts) -> datetime | None:
    """When the next tool can leave if nothing else happens; None: the set is empty. EPOCH: at once."""
    agent = facts.agent
    if not facts.promotions:
        return None
    oldest = min(active_at(p) for p in facts.promotions)
    if decide_leavers(facts.promotions, cap=agent.cap, idle_window_days=agent.idle_window_days, now=oldest):
        return items.EPOCH
    return oldest + timedelta(days=agent.idle_window_days) + JUST_AFTER


def _unaccounted_moves(deps: Deps, facts: AgentFacts, history: Sequence[ChangeSet], published: int) -> int:
    """Every run that was claimed has one line, or is in flight; and every raise of `rev` has its reason.

    A claim raises `rev`, and so does its end, a record, and a publish of what is promoted already.
    """
    agent = facts.agent
    lines = {line.run.id for line in deps.store.runs.ledger(agent, limit=None)}
    runs = len(lines | agent.runs.keys())
    entered = sum(change.cause is Cause.PUBLISH for record in history for change in record.changes)
    moves = agent.rev - len(history) - (published - entered) - (2 * runs - len(agent.runs))
    assert moves >= 0, f"{-moves} of {runs} runs of {agent.name} left no trace on the agent"
    return moves
