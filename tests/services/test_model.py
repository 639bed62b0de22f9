"""The store and the services against forty lines that say what §4 and §5 of the product say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias, cast

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from chalicelib import wiring
from chalicelib.model import ChangeSet, Run, RunKind
from chalicelib.rules.throttle import pace_at
from chalicelib.sandbox.pool import Sandbox
from chalicelib.services import agents, connections
from chalicelib.services.caches import Caches
from chalicelib.services.claims import DEADLINE
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.store import TABLE_DEFINITION, Store
from infra.local import emulator
from tests.races.arena import HOST, TOOL, NoCalls, StandIn
from tests.services.world import PERSON, START, Clock, World

AGENTS = ("demo", "laptop")
TOOLS = ("a", "b", "c", "d", "e")
MS = timedelta(milliseconds=1)
DAY = timedelta(days=1)
NAMES = st.sampled_from(AGENTS)
NAMED_TOOLS = st.sampled_from(TOOLS)
STEPS = (MS, timedelta(seconds=1), DEADLINE - MS, DEADLINE, DAY - MS, DAY, DAY + MS, 2 * DAY)


Move: TypeAlias = "tuple[str, str, str, datetime | None]"
"""Tool, direction, cause, and for the rule the moment that it counted from."""
Record: TypeAlias = "tuple[datetime, list[Move], int, int, int]"
"""When, what moved, and the window in days, the cap and the size at that moment."""


@dataclass
class Tool:
    promoted_at: datetime
    by: str
    used: datetime | None = None

    @property
    def active_at(self) -> datetime:
        return self.used or self.promoted_at


@dataclass
class Model:
    """One agent, by the contract alone."""

    cap: int = 2
    window: timedelta = DAY
    set: dict[str, Tool] = field(default_factory=dict)
    """In list order."""
    history: list[Record] = field(default_factory=list)
    changed_at: datetime = START
    """The last time a tool moved or a limit was saved."""
    deadlines: list[datetime] = field(default_factory=list)
    """Of runs whose process died."""
    runs: int = 0

    def promote(self, tool: str, cause: str, now: datetime) -> bool:
        if tool in self.set:
            return False
        at = max([now, *(each.promoted_at + MS for each in self.set.values())])
        self.record(now, [(tool, "promoted", cause, None)])
        self.set[tool] = Tool(at, cause)
        return True

    def demote(self, tools: Iterable[str], cause: str, now: datetime) -> bool:
        return self.leave([(tool, "demoted", cause, None) for tool in self.set if tool in tools], now)

    def use(self, tool: str, now: datetime) -> None:
        self.runs += 1
        if tool in self.set:
            self.set[tool].used = now

    def leavers(self, now: datetime) -> list[Move]:
        idle = [tool for tool, each in self.set.items() if each.active_at < now - self.window]
        rest = [tool for tool in self.set if tool not in idle]
        unused = [tool for tool in rest if self.set[tool].used is None]
        by_cap = unused[: max(0, len(rest) - self.cap)]
        causes = dict.fromkeys(idle, "idle") | dict.fromkeys(by_cap, "cap")
        return [(tool, "demoted", cause, self.set[tool].active_at) for tool, cause in causes.items()]

    def sweep(self, now: datetime) -> list[Move]:
        in_flight = any(deadline > now for deadline in self.deadlines)
        leavers = [] if in_flight else self.leavers(now)
        self.leave(leavers, now)
        return leavers

    def leave(self, moves: list[Move], now: datetime) -> bool:
        if moves:
            self.record(now, moves)
        for tool, *_ in moves:
            del self.set[tool]
        return bool(moves)

    def record(self, at: datetime, moves: list[Move]) -> None:
        self.history.append((at, moves, self.window.days, self.cap, len(self.set)))
        self.changed_at = at

    def due(self) -> datetime | None:
        """When a tool can leave first if nothing else happens."""
        if not self.set:
            return None
        oldest = min(each.active_at for each in self.set.values())
        return self.changed_at if self.leavers(oldest) else max(self.changed_at, oldest + self.window + MS)


class Machine(RuleBasedStateMachine):
    """Drives both, step by step, and compares all that is stored after each."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.deps = world.deps
        self.models: dict[str, Model] = {}
        self.toolbox: dict[str, bool] = {}
        """Tool → whether its current version has the connection as its default."""
        self.connection: str | None = None

    @initialize()
    def settle(self) -> None:
        self.deps.store.people.add(PERSON)
        for name in AGENTS:
            self.world.agent(name, cap=2, idle_window_days=1)
            self.models[name] = Model()
        for tool in TOOLS:
            self.deps.store.toolbox.publish(PERSON, replace(TOOL, name=tool))
            self.toolbox[tool] = False

    @property
    def now(self) -> datetime:
        return self.world.clock()

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def publish(self, name: str, tool: str) -> None:
        published = self.world.publish(tool, by=name)
        self.toolbox[tool] = self.connection is not None
        assert published.membership.changed == self.models[name].promote(tool, "publish", self.now)

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def promote(self, name: str, tool: str) -> None:
        assert self.world.promote(tool, by=name).changed == self.models[name].promote(tool, "agent", self.now)

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def demote(self, name: str, tool: str) -> None:
        assert self.world.demote(tool, by=name).changed == self.models[name].demote([tool], "agent", self.now)

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def use(self, name: str, tool: str) -> None:
        self.world.call(tool, by=name)
        self.models[name].use(tool, self.now)
        self.check_nothing_outlived_its_deadline(name)

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def run_dry(self, name: str, tool: str) -> None:
        self.world.call(tool, by=name, dry_run=True)
        self.models[name].runs += 1
        self.check_nothing_outlived_its_deadline(name)

    @rule(name=NAMES, tool=NAMED_TOOLS)
    def die_in_a_run(self, name: str, tool: str) -> None:
        facts, model = self.world.caller(name).facts, self.models[name]
        run = Run(f"dead-{model.runs}", f"demo__{tool}", 1, RunKind.CALL, self.now, self.now + DEADLINE)
        assert self.deps.store.runs.claim(facts, run, facts.find(run.tool), pace_at(run.started_at))
        model.use(tool, self.now)
        model.deadlines.append(run.deadline)

    @rule(name=NAMES, cap=st.integers(1, 4), days=st.integers(1, 3))
    def edit_limits(self, name: str, cap: int, days: int) -> None:
        model = self.models[name]
        agents.edit_limits(
            self.deps, PERSON, self.world.caller(name).agent.id, name=name, cap=cap, idle_window_days=days
        )
        model.cap, model.window, model.changed_at = cap, timedelta(days=days), self.now

    @precondition(lambda self: self.connection is None)
    @rule()
    def connect(self) -> None:
        self.connection = self.world.connect().id

    @precondition(lambda self: self.connection is not None)
    @rule()
    def revoke(self) -> None:
        assert self.connection is not None
        connections.revoke(self.deps, PERSON, self.connection)
        bound = {tool for tool, is_bound in self.toolbox.items() if is_bound}
        for model in self.models.values():
            model.demote(bound, "revoke", self.now)
        self.connection = None
        self.toolbox |= dict.fromkeys(bound, False)

    @rule()
    def sweep(self) -> None:
        swept = run_sweep(self.deps)
        for name, model in self.models.items():
            left = [(each.tool, each.cause, each.active_at) for agent, each in swept.demoted if agent.name == name]
            expected = model.sweep(self.now)
            assert left == [(f"demo__{tool}", cause, active_at) for tool, _, cause, active_at in expected]

    @rule(by=st.sampled_from(STEPS))
    def wait(self, by: timedelta) -> None:
        self.world.clock.time += by

    @invariant()
    def all_that_is_stored_is_what_the_model_says(self) -> None:
        for name, model in self.models.items():
            rows = self.rows_of(name)
            agent = items.to_agent(rows["agent"])
            promotions = items.to_promotions(rows["set"], agent.used)
            stored = {short(p.tool): Tool(p.promoted_at, p.promoted_by, p.last_used_at) for p in promotions}
            assert list(stored.items()) == list(model.set.items())
            assert items.set_revision(rows["set"]) == agent.list_revision == len(model.history)
            assert agent.set_size == len(model.set)
            history = [as_told(items.to_change_set(row)) for sk, row in rows.items() if sk.startswith("history#")]
            assert history == model.history
            ended = {sk.removeprefix("ledger#") for sk in rows if sk.startswith("ledger#")}
            assert len(ended | agent.runs.keys()) == model.runs
            due = model.due()
            assert due is None or items.from_ms(rows["agent"]["due_at"]["N"]) <= due, "a sweep would miss this agent"

    def rows_of(self, name: str) -> dict[str, items.Item]:
        """The agent's partition, by sort key and in its order."""
        pk = items.agent_pk(PERSON, self.world.tokens[name].split("_")[2])
        return {row["sk"]["S"]: row for row in self.deps.store.table.query(pk, "a", below="z")}

    def check_nothing_outlived_its_deadline(self, name: str) -> None:
        agent = items.to_agent(self.rows_of(name)["agent"])
        assert all(run.deadline > self.now for run in agent.runs.values())


def as_told(record: ChangeSet) -> Record:
    moves: list[Move] = [(short(c.tool), c.direction, c.cause, c.active_at) for c in record.changes]
    return record.at, moves, record.idle_window_days, record.cap, record.set_size


def short(tool: str) -> str:
    return tool.removeprefix("demo__")


@pytest.fixture
def make_world(tmp_path: Path) -> Iterator[Callable[[], World]]:
    """Makes worlds, each with a table of its own, on the emulator: it answers five times as fast as moto."""
    environment = {
        "GRAFT_TABLE": "unused",
        "GRAFT_HOME": str(tmp_path),
        "GRAFT_LOCAL_HOSTS": HOST,
        "GRAFT_SWEEP_VISITORS": "1",
    }
    with ExitStack() as stack:
        dynamodb = stack.enter_context(emulator.start(tmp_path, ephemeral=True))
        base = wiring.make_deps(environment | {"GRAFT_AWS_ENDPOINT": dynamodb.endpoint_url})
        client = base.store.table.client
        stack.callback(client.close)
        numbers = count()

        def make() -> World:
            clock = Clock()
            store = Store(client, f"table-{next(numbers)}")
            stack.callback(store.close)
            client.create_table(TableName=store.table.name, **TABLE_DEFINITION)
            stand_ins = {"sandbox": cast(Sandbox, StandIn(lambda _: {})), "new_gate": cast(Any, NoCalls)}
            return World(replace(base, store=store, now=clock, caches=Caches(), **stand_ins), clock, HOST, "no-token")

        yield make


def test_whatever_happens_in_whatever_order_the_store_keeps_to_the_contract(make_world: Callable[[], World]) -> None:
    class InANewWorld(Machine):
        def __init__(self) -> None:
            super().__init__(make_world())

    bounds = settings(max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(InANewWorld, settings=bounds)
