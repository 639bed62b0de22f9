"""Where races are run: one table on the emulator, and any number of hands that work on it, each with its own client.

The store is what is raced, so a stand-in takes the sandbox's place: a run of it calls back while it is in flight.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any, Final, Generic, TypeAlias, TypeVar, cast

from botocore.exceptions import ClientError, HTTPClientError
from botocore.retries.standard import ExponentialBackoff

from chalicelib import wiring
from chalicelib.errors import Conflict, Reason, Refusal
from chalicelib.model import (
    AgentFacts,
    Cause,
    Connection,
    ConnectionState,
    Json,
    JsonObject,
    LedgerLine,
    Problem,
    Run,
    RunKind,
    ToolVersion,
)
from chalicelib.rules.membership import decide_entry, facts_after
from chalicelib.rules.throttle import pace_at
from chalicelib.sandbox.pool import Sandbox
from chalicelib.services.claims import DEADLINE
from chalicelib.storage import items
from chalicelib.storage.store import TABLE_DEFINITION, Store
from tests.races.faults import Faults
from tests.races.invariants import InFlight
from tests.services.world import ANSWERS, ANY_INPUT, PERSON, START, Clock, World

HOST: Final = "127.0.0.1:9"
NO_FAULTS: Final = "no-faults"
FAULTS: Final[dict[str, tuple[Callable[[Faults], None], ...]]] = {
    NO_FAULTS: (),
    "conflicts": (Faults.conflicts,),
    "throttling": (Faults.throttling, Faults.unprocessed_keys),
    "lost-answers": (Faults.lost_answers,),
}
SHORTENED: Final = 0.05
"""Pauses of the code under test are this part of what they are outside."""
LONGEST_PAUSE_SECONDS: Final = 0.02
THROTTLES: Final = frozenset({"ProvisionedThroughputExceededException", "TransactionCanceledException"})
NEVER_USED_AGAIN: Final = timedelta(days=22)
"""Past the idle window of an agent as it is made."""


TOOL: Final = ToolVersion("demo", "", 1, "a tool", ANY_INPUT, ANSWERS, frozenset(), None, "", START)


C = TypeVar("C", bound=Clock)


class TickingClock(Clock):
    """The machine's clock, and how far a test has moved it."""

    def __init__(self, ahead: timedelta = timedelta()) -> None:
        super().__init__()
        self.ahead = ahead

    def __call__(self) -> datetime:
        return wiring.now() + self.ahead

    def forward(self, **by: float) -> None:
        self.ahead += timedelta(**by)


@dataclass(frozen=True)
class Place:
    """All that another process needs to work on the same table."""

    endpoint: str
    table: str
    home: str
    faults: str
    seed: int
    tokens: dict[str, str] = field(default_factory=dict)
    """Agent name → token; grows as agents are made."""


class StandIn:
    """A sandbox whose runs call `during` and answer what it answers."""

    def __init__(self, during: Callable[[JsonObject], Json]) -> None:
        self.during = during

    @contextmanager
    def session(self, *, timeout: float) -> Iterator[StandIn]:
        yield self

    def run(self, module: str, input: JsonObject, send: object, *, seconds: float) -> Json:
        return self.during(input)

    def type_check(self, source: str) -> tuple[Problem, ...]:
        return ()

    def close(self) -> None:
        """There is nothing to close."""


class NoCalls:
    """A gate that nothing passes."""

    calls = 0
    last = None

    def __init__(self, **_: object) -> None:
        self.reads: list[Json] = []
        self.previews: list[Json] = []


def _echo(input: JsonObject) -> Json:
    return {"echo": input}


def make_world(
    place: Place,
    *,
    clock: Clock,
    faults: bool = True,
    sandbox: Any = None,
    prepare: Callable[[Any], object] = lambda client: None,
) -> World:
    """One hand: what one process of Graft would hold. `prepare` hooks into its client before the faults do."""
    deps = wiring.make_deps(_environment(place), clock=clock)
    client = deps.store.table.client
    prepare(client)
    if faults:
        injected = Faults(client, seed=place.seed)
        for inject in FAULTS[place.faults]:
            inject(injected)
    deps = replace(
        deps,
        store=Store(client, place.table, sleep=brief_pause),
        sandbox=cast(Sandbox, sandbox or StandIn(_echo)),
        new_gate=cast(Any, NoCalls),
        pause=brief_pause,
    )
    return World(deps, clock, HOST, "no-token", place.tokens)


def _environment(place: Place) -> Mapping[str, str]:
    return {
        "GRAFT_AWS_ENDPOINT": place.endpoint,
        "GRAFT_TABLE": place.table,
        "GRAFT_HOME": place.home,
        "GRAFT_PUBLIC_BASE_URL": "http://127.0.0.1:8765",
        "GRAFT_LOCAL_HOSTS": HOST,
    }


def brief_pause(seconds: float) -> None:
    time.sleep(seconds * SHORTENED)


def shorten_botocores_pauses() -> None:
    """Its first pause after throttling is half a second; a test has thousands of them."""
    backoff: Any = ExponentialBackoff
    delay = backoff.delay_amount
    backoff.delay_amount = lambda self, context: min(LONGEST_PAUSE_SECONDS, delay(self, context) * SHORTENED)


class Arena(Generic[C]):
    """One person's table and everything a test opened on it."""

    def __init__(self, place: Place, clock: C) -> None:
        self.place = place
        self.clock = clock
        self._hands: list[World] = []
        self._others: list[Arena[C]] = []
        self.clean = self.hand(faults=False)
        """A hand that meets no faults: for making the scene and for looking at it."""
        self.clean.deps.store.table.client.create_table(TableName=place.table, **TABLE_DEFINITION)
        self.clean.settle()

    def another(self) -> Arena[C]:
        """A table beside this one, closed with it."""
        place = replace(self.place, table=f"{self.place.table}-{len(self._others)}", tokens={})
        self._others.append(Arena(place, type(self.clock)()))
        return self._others[-1]

    def hand(self, **changes: Any) -> World:
        """Another process of Graft, in effect; its faults come from a seed of its own."""
        world = make_world(self.place_of(len(self._hands)), clock=self.clock, **changes)
        self._hands.append(world)
        return world

    def another_agent(self) -> str:
        """The name of an agent of the same person, with an empty set."""
        self.clean.agent("laptop")
        return "laptop"

    def place_of(self, number: int) -> Place:
        return replace(self.place, seed=self.place.seed + number)

    def connect(self, id: str) -> None:
        """A live connection to the vendor of every tool here; nothing is ever sent to it."""
        made = Connection(PERSON, id, "demo", "demo", "none", {}, HOST, (HOST,), ConnectionState.LIVE, self.clock(), 1)
        assert self.clean.deps.store.grants.add_connection(made)

    def stock(self, *names: str, by: str = "demo", connection_id: str | None = None) -> None:
        """Tools in the toolbox, and promoted for their publisher: what publishing them leaves, at a request each."""
        facts, store = self.clean.caller(by).facts, self.clean.deps.store
        for name in names:
            tool = replace(self._tool(name, facts.agent.id), connection_id=connection_id)
            move = decide_entry(facts, tool.wire_name, Cause.PUBLISH, self.clock())
            assert store.publish(facts, tool, move.record, move.remaining)
            facts = facts_after(facts, move)

    def shelve(self, name: str) -> None:
        """A tool in the toolbox that nobody has promoted."""
        assert self.clean.deps.store.toolbox.publish(PERSON, self._tool(name, PERSON))

    def have_promoted(self, *names: str) -> None:
        """What promoting those that are not in the set leaves, at a request each."""
        facts, store = self.facts(), self.clean.deps.store
        for tool in (f"demo__{name}" for name in names):
            if facts.find(tool) is None:
                move = decide_entry(facts, tool, Cause.AGENT, self.clock())
                assert store.promote(facts, move.record, move.remaining, None)
                facts = facts_after(facts, move)

    def _tool(self, name: str, publisher: str) -> ToolVersion:
        return replace(TOOL, name=name, published_by=publisher, published_at=self.clock())

    def use(self, name: str, *, by: str = "demo") -> None:
        """A call that came and went, at a request each."""
        run = self.start_run(self.clean, name, by=by)
        self.clean.deps.store.runs.release(self.clean.caller(by).agent, LedgerLine(run, "ok", self.clock()))

    def start_run(self, world: World, name: str, *, by: str = "demo", seconds_ago: float = 0.0) -> Run:
        """A call of a process that is still in it, or was killed in it."""
        facts, started_at = world.caller(by).facts, world.clock() - timedelta(seconds=seconds_ago)
        run = Run(f"run-{facts.agent.rev:06d}", f"demo__{name}", 1, RunKind.CALL, started_at, started_at + DEADLINE)
        claimed = world.deps.store.runs.claim(facts, run, facts.find(run.tool), pace_at(run.started_at))
        assert claimed or run.id in world.caller(by).agent.runs
        return run

    def facts(self, name: str = "demo") -> AgentFacts:
        return self.clean.caller(name).facts

    @property
    def faulty(self) -> bool:
        return self.place.faults != NO_FAULTS

    def close(self) -> None:
        for other in self._others:
            other.close()
        for world in self._hands:
            world.deps.sandbox.close()
            world.deps.store.close()
            world.deps.store.table.client.close()


LiveArena: TypeAlias = Arena[TickingClock]
StillArena: TypeAlias = Arena[Clock]

LOOK_EVERY: Final = 3


def have_runs_tell(world: World, name: str = "demo") -> list[InFlight]:
    """Has every third run of this hand tell what it saw of its agent while it was in flight, into the list returned."""
    seen: list[InFlight] = []
    turns = count()
    key = items.agent_key(PERSON, agent_id_of(world, name))

    def look(_: JsonObject) -> Json:
        if next(turns) % LOOK_EVERY:
            return {"seen": False}
        first, last = (attempt(lambda: world.deps.store.table.get(key)) for _ in range(2))
        if first and last:
            seen.append(InFlight(agent_id_of(world, name), *(int(row["list_revision"]["N"]) for row in (first, last))))
        return {"seen": True}

    cast(StandIn, world.deps.sandbox).during = look
    return seen


def agent_id_of(world: World, name: str = "demo") -> str:
    return world.tokens[name].split("_")[2]


def is_tolerable(error: BaseException) -> bool:
    """What a request may end with when faults outlast every retry: refused or unanswered, and never half done."""
    if isinstance(error, Refusal):
        return error.reason is Reason.RATE_LIMITED
    if isinstance(error, ClientError):
        return error.response["Error"]["Code"] in THROTTLES
    return isinstance(error, Conflict | HTTPClientError)


def attempt(act: Callable[..., object], *arguments: Any, **named: Any) -> Any:
    """The act's answer; None when faults outlasted its retries."""
    try:
        return act(*arguments, **named)
    except Exception as error:
        if not is_tolerable(error):
            raise
        return None


def seed_of(name: str) -> int:
    """The same for one test in every run."""
    return random.Random(name).getrandbits(32)
