"""Persons of one Graft: one with something of everything, in every state, one with nothing yet, and some on their way.

It is told by a clock that starts some weeks ago and ends now, so that what a page says of times is said of real ones:
what left by each cause did so within the last days.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from chalicelib.errors import Reason
from chalicelib.model import Ask, Connection, LinkKind, VendorAnswer
from chalicelib.services import accounts, agents, connections, logins, presence, runs
from chalicelib.services.deps import Deps
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.table import delete
from tests.console.flights import in_flight
from tests.console.test_agent_page import with_every_cause
from tests.services.world import DELETES, PERSON, READS, WRITES, Clock, World
from tests.writer.endpoint import Endpoint

from . import newcomers, questions
from .hostile import AGENT_NAME, HOSTILE, LONG, LONGEST

NOBODY_YET: Final = "p0"
IPHONE: Final = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1"
DAYS: Final = 26


@dataclass
class Scene:
    world: World
    asks: dict[str, Ask] = field(default_factory=dict)

    @property
    def deps(self) -> Deps:
        return self.world.deps

    def agent_page(self, name: str = "demo") -> str:
        return f"/agents/{self.agent_id(name)}"

    def agent_id(self, name: str) -> str:
        """Of a revoked one, too."""
        return next(agent.id for agent in self.deps.store.agents.of_person(PERSON) if agent.name == name)

    def ask_page(self, name: str) -> str:
        return f"/a/{self.asks[name].code}"

    def connection(self, vendor: str) -> Connection:
        return next(found for found in self.deps.store.grants.connections(PERSON) if found.vendor == vendor)

    def connection_page(self, vendor: str, action: str) -> str:
        return f"/connections/{self.connection(vendor).id}/{action}"

    def link(self, kind: LinkKind, *, person: str = PERSON) -> str:
        return f"/in/{accounts.new_link(replace(self.deps, now=_now), person, kind)}"

    # --- the story

    def tell(self, model: Endpoint) -> None:
        self.deps.store.people.add(PERSON)
        self.deps.store.people.add(NOBODY_YET)
        self._agents()
        self._every_cause()
        self._a_set_of_every_kind()
        self._connections()
        questions.tell_ended(self)
        self.world.clock.forward(days=2)
        self.world.allow("delete-the-first-note-of-all")
        self._withheld_and_over()
        self.world.clock.time = _now()
        questions.tell_waiting(self)
        self._seen()
        questions.tell_written(self, model)
        newcomers.tell(self.deps)

    def _agents(self) -> None:
        world = self.world
        world.agent("demo")
        world.agent("laptop", cap=2)
        world.agent("the server in the cellar, which has a long name", cap=500, idle_window_days=3650)
        world.agent("empty")
        world.agent(AGENT_NAME)
        world.agent("old phone")
        agents.revoke_agent(self.deps, PERSON, world.caller("old phone").agent.id)

    def _every_cause(self) -> None:
        """One tool left by each; then the limits are as they were."""
        with_every_cause(self.world)
        demo = self.world.caller().agent.id
        agents.edit_limits(self.deps, PERSON, demo, name="demo", cap=20, idle_window_days=21)

    def _a_set_of_every_kind(self) -> None:
        world = self.world
        world.connect(display_name=f"Notes of the household {HOSTILE}")
        world.publish("list-notes", READS, description="Lists the notes, newest first.")
        world.publish("create-note", WRITES, description=f"Adds a note. {HOSTILE}")
        world.publish("delete-the-first-note-of-all", DELETES, description="Deletes a note, for good.")
        world.publish("create-note", f"{WRITES}# better\n", description="Adds a note.")
        world.clock.forward(days=1)
        world.call("list-notes")
        world.call("list-notes", dry_run=True)
        for number in range(6):
            world.publish(f"look-{number}", description=f"{LONG[:600]} {number}")
        world.publish(LONGEST, READS, description=f"{LONG[:1900]} {HOSTILE}")

    def _connections(self) -> None:
        """One for everything that may be so with a connection."""
        world = self.world
        world.connect("tracker", scheme="api_key_header", scheme_config={"headerName": "X-Key"}, secret={"key": "k"})
        refused = world.connect("mailer", secret={"token": "wrong"})
        world.publish("read", READS, vendor="mailer", connection_id=refused.id)
        self.called("mailer", "read")
        world.connect("open-data", scheme="none", secret={})
        for vendor, status, reason in (("breaks", 503, ""), ("silent", 0, Reason.VENDOR_UNREACHABLE)):
            answer = VendorAnswer(world.connect(vendor).id, status, reason, world.clock())
            self.deps.store.traces.keep_answer(PERSON, answer)
        world.clock.forward(days=1)
        connections.replace_secret(self.deps, world.connect("renewed"), {"token": "another"})
        assert self.deps.store.grants.begin_revoke(world.connect("leaving"), world.clock())

    def called(self, vendor: str, name: str, *, by: str = "demo", **arguments: Any) -> object:
        outcome = runs.call(self.deps, self.world.caller(by), vendor, name, arguments)
        return outcome.value if isinstance(outcome, runs.Done) else outcome

    def _withheld_and_over(self) -> None:
        """The laptop has three tools over a cap of two; one of the demo's is not in the toolbox."""
        world = self.world
        for name in ("used", "idle", "look-1"):
            world.promote(name, by="laptop")
            world.clock.forward(seconds=1)
        world.publish("withheld")
        self.deps.store.table.write(delete(items.current_key(PERSON, "demo__withheld")))

    def _seen(self) -> None:
        for name, harness in (("demo", "Hermes"), ("laptop", f"OpenClaw {HOSTILE}"[:60])):
            told = (harness, "2026.11.3")
            presence.beside(self.deps, self.world.caller(name), lambda: None, harness=told, lists=True)
        in_flight(self.world, "laptop", "demo__used", seconds=3600)
        logins.open_login(self.deps, PERSON, IPHONE)
        run_sweep(self.deps)


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@contextmanager
def told(deps: Deps, vendor_host: str, vendor_token: str, model: Endpoint) -> Iterator[Scene]:
    """`model`: the one that the server is set to."""
    clock = Clock()
    clock.time = _now() - timedelta(days=DAYS)
    scene = Scene(World(replace(deps, now=clock), clock, vendor_host, vendor_token))
    scene.tell(model)
    yield scene
