"""One person, their agents and tools, for tests to tell stories with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib.model import Agent, Ask, ChangeSet, Connection, LedgerLine
from chalicelib.services import agents, approvals, connections, identity, publishing, runs, working_set
from chalicelib.services.asks import Waiting
from chalicelib.services.caches import Caches
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from chalicelib.services.identity import Caller
from chalicelib.services.publishing import Draft, Published
from chalicelib.services.working_set import Membership
from chalicelib.storage import items
from chalicelib.storage.table import delete, update

PERSON = "p1"
START = datetime(2026, 11, 30, 14, 18, 0, 123000, tzinfo=UTC)
READS = 'def run(input, http):\n    return http.get("/notes").json()\n'
WRITES = 'def run(input, http):\n    return http.post("/notes", json={"text": input["text"]}).json()\n'
DELETES = 'def run(input, http):\n    return http.delete("/notes/1").status\n'
ANSWERS = 'def run(input, http):\n    return {"echo": input}\n'
ANY_INPUT: dict[str, Any] = {"type": "object", "properties": {}}


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def forward(self, **by: float) -> None:
        self.time += timedelta(**by)


@dataclass
class World:
    deps: Deps
    clock: Clock
    vendor_host: str
    vendor_token: str
    tokens: dict[str, str] = field(default_factory=dict)

    def settle(self) -> None:
        self.deps.store.people.add(PERSON)
        self.agent("demo")

    def agent(self, name: str, *, cap: int = 20, idle_window_days: int = 21) -> Caller:
        _, token = agents.create_agent(self.deps, PERSON, name, cap=cap, idle_window_days=idle_window_days)
        self.tokens[name] = token
        return self.caller(name)

    def caller(self, name: str = "demo", *, session_id: str | None = None) -> Caller:
        """The agent as it is now, as a request would find it."""
        return identity.identify(self.deps, self.tokens[name], session_id)

    def connect(self, vendor: str = "demo", **changes: Any) -> Connection:
        wanted: dict[str, Any] = {
            "vendor": vendor,
            "primary_host": self.vendor_host,
            "scheme": "bearer",
            "secret": {"token": self.vendor_token},
        }
        return connections.create_connection(self.deps, PERSON, NewConnection(**wanted | changes))

    def connection(self, vendor: str = "demo") -> Connection:
        """The only one to a vendor: the store has them in the order of their ids, which are random."""
        (found,) = (known for known in self.deps.store.grants.connections(PERSON) if known.vendor == vendor)
        return found

    def publish(self, name: str, source: str = ANSWERS, *, by: str = "demo", **changes: Any) -> Published:
        wanted: dict[str, Any] = {
            "vendor": "demo",
            "name": name,
            "description": f"{name} of the demo vendor",
            "input_schema": ANY_INPUT,
            "source": source,
        }
        return publishing.publish(self.deps, self.caller(by), Draft(**wanted | changes))

    def promote(self, name: str, *, by: str = "demo") -> Membership:
        return working_set.promote(self.deps, self.caller(by), "demo", name)

    def demote(self, name: str, *, by: str = "demo") -> Membership:
        return working_set.demote(self.deps, self.caller(by), "demo", name)

    def call(self, name: str, *, by: str = "demo", dry_run: bool = False, **arguments: Any) -> Any:
        """The tool's own answer, or a `Waiting`."""
        outcome = runs.call(self.deps, self.caller(by), "demo", name, arguments, dry_run=dry_run)
        return outcome.value if isinstance(outcome, runs.Done) else outcome

    def asked(self, outcome: object) -> Ask:
        """The ask that a waiting call points to."""
        assert isinstance(outcome, Waiting), outcome
        ask = self.deps.store.asks.find(PERSON, outcome.ask_id)
        assert ask is not None
        return ask

    def allow(self, name: str, *, agent: str = "demo") -> None:
        approvals.allow(self.deps, PERSON, agent, f"demo__{name}")

    def set_of(self, name: str = "demo") -> list[str]:
        """Short names in list order."""
        return [p.tool.removeprefix("demo__") for p in self.caller(name).promotions]

    def history(self, name: str = "demo") -> list[ChangeSet]:
        return self.deps.store.sets.history(self.caller(name).agent)

    def ledger(self, name: str = "demo") -> list[LedgerLine]:
        return self.deps.store.runs.ledger(self.caller(name).agent)


def break_row(world: World, agent: Agent) -> None:
    """Leave the agent's row so that nobody can read it."""
    key = items.agent_key(agent.person_id, agent.id)
    assert world.deps.store.table.write(update(key, "SET #cap = :text", values={":text": {"S": "twenty"}}))


def lose(world: World, tool: str) -> None:
    """The tool's current row is gone, and no process remembers it: lists withhold it."""
    assert world.deps.store.table.write(delete(items.current_key(PERSON, tool)))
    object.__setattr__(world.deps, "caches", Caches())
