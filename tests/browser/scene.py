"""Two persons of one Graft: one with something of everything, in every state, and one with nothing yet.

It is told by a clock that starts forty days ago and ends now, so that what a page says of times is said of real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from chalicelib.model import Ask, AskAnswer, LinkKind
from chalicelib.services import accounts, acquire, agents, answers, presence, requests, runs
from chalicelib.services.acquire import Wanted
from chalicelib.services.deps import Deps
from chalicelib.services.requests import WantedConnection
from chalicelib.services.sweep import run_sweep
from chalicelib.storage import items
from chalicelib.storage.table import delete
from tests.console.flights import in_flight
from tests.console.test_agent_page import with_every_cause
from tests.services.world import DELETES, PERSON, READS, WRITES, Clock, World
from tests.writer.endpoint import Endpoint, a_tool
from tests.writer.stage import GOAL, Stage

NOBODY_YET: Final = "p0"
HOSTILE: Final = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202e\u200b{{ 7 * 7 }} & \"'"
LONG: Final = "unbroken" * 400
DAYS: Final = 40


@dataclass
class Scene:
    world: World
    asks: dict[str, Ask] = field(default_factory=dict)

    @property
    def deps(self) -> Deps:
        return self.world.deps

    def agent_page(self, name: str = "demo") -> str:
        return f"/agents/{self.world.caller(name).agent.id}"

    def ask_page(self, name: str) -> str:
        return f"/a/{self.asks[name].code}"

    def connection_page(self, vendor: str, action: str) -> str:
        found = next(c for c in self.deps.store.grants.connections(PERSON) if c.vendor == vendor)
        return f"/connections/{found.id}/{action}"

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
        self._asks_that_ended()
        self._withheld_and_over()
        self.world.clock.time = _now()
        self._asks_that_wait()
        self._seen()
        self._jobs(model)

    def _agents(self) -> None:
        world = self.world
        world.agent("demo")
        world.agent("laptop", cap=2)
        world.agent("the server in the cellar, which has a long name", cap=500, idle_window_days=3650)
        world.agent("empty")
        world.agent("old phone")
        agents.revoke_agent(self.deps, PERSON, world.caller("old phone").agent.id)

    def _every_cause(self) -> None:
        """One tool left by each; then the limits are as they were."""
        with_every_cause(self.world)
        demo = self.world.caller().agent.id
        agents.edit_limits(self.deps, PERSON, demo, name="demo", cap=20, idle_window_days=21)
        self.world.clock.forward(days=14)

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

    def _connections(self) -> None:
        world = self.world
        world.connect("tracker", scheme="api_key_header", scheme_config={"headerName": "X-Key"}, secret={"key": "k"})
        refused = world.connect("mailer", secret={"token": "wrong"})
        world.publish("read", READS, vendor="mailer", connection_id=refused.id)
        self._called("mailer", "read")

    def _called(self, vendor: str, name: str, *, by: str = "demo", **arguments: Any) -> object:
        outcome = runs.call(self.deps, self.world.caller(by), vendor, name, arguments)
        return outcome.value if isinstance(outcome, runs.Done) else outcome

    def _asks_that_ended(self) -> None:
        world = self.world
        for name, answer, reason in (
            ("allowed", AskAnswer.ALLOWED, ""),
            ("once", AskAnswer.ASK_EVERY_TIME, ""),
            ("denied", AskAnswer.DENIED, f"Use the other notebook. {HOSTILE}"),
        ):
            by = {"allowed": "demo", "once": "laptop", "denied": "empty"}[name]
            ask = world.asked(self._called("demo", "create-note", by=by, text="bread"))
            answers.answer_tool(self.deps, ask, answer, reason=reason)
            self.asks[name] = ask
        self._called("demo", "create-note", text="bread")
        self.asks["expired"] = world.asked(self._called("demo", "delete-the-first-note-of-all"))
        world.clock.forward(days=2)

    def _withheld_and_over(self) -> None:
        """The laptop has three tools over a cap of two; one of the demo's is not in the toolbox."""
        world = self.world
        for name in ("used", "idle", "look-1"):
            world.promote(name, by="laptop")
            world.clock.forward(seconds=1)
        world.publish("withheld")
        self.deps.store.table.write(delete(items.current_key(PERSON, "demo__withheld")))

    def _jobs(self, model: Endpoint) -> None:
        """The demo's: one made a tool, one failed, one waits for its worker. The laptop's waits for an answer."""
        stage = Stage(self.world, model, vendor="written", display_name=f"Written {HOSTILE}"[:60])
        stage.finished()
        model.will_say([f"no tool {HOSTILE}"])
        wanted = Wanted(stage.connection.id, f"{GOAL}, each of {LONG[:1_500]} {HOSTILE}", ignore_existing=True)
        self.asks["acquire"] = self.world.asked(acquire.acquire(self.deps, self.world.caller("laptop"), wanted))
        acquire.acquire(self.deps, self.world.caller(), wanted)
        stage.work()
        acquire.acquire(self.deps, self.world.caller(), Wanted(stage.connection.id, GOAL, ignore_existing=True))

    def _asks_that_wait(self) -> None:
        world = self.world
        long = {"text": f"{HOSTILE} {LONG}", "tags": ["a", "b"], "deep": {"er": [1, None, True]}}
        self.asks["tool"] = world.asked(self._called("demo", "delete-the-first-note-of-all", text="bread"))
        self.asks["long"] = world.asked(self._called("demo", "create-note", by="laptop", **long))
        self.asks["changed"] = world.asked(self._called("demo", "delete-the-first-note-of-all", by="laptop"))
        world.publish("delete-the-first-note-of-all", f"{DELETES}# again\n", description="Deletes a note, for good.")
        for scheme, config in SCHEMES.items():
            wanted = WantedConnection(
                f"acme-{scheme.replace('_', '-')}",
                "api.acme.example.org",
                scheme,
                config,
                hosts=["files.example.com"],
                display_name=f"Acme {HOSTILE}"[:80],
            )
            self.asks[scheme] = world.asked(requests.request_connection(self.deps, world.caller(), wanted))
        mailer = next(c for c in self.deps.store.grants.connections(PERSON) if c.vendor == "mailer")
        credential = requests.request_credential(self.deps, world.caller(), mailer.id, f"it answered 401 {HOSTILE}")
        self.asks["credential"] = world.asked(credential)

    def _seen(self) -> None:
        for name, harness in (("demo", "Hermes"), ("laptop", f"OpenClaw {HOSTILE}"[:60])):
            presence.beside(
                self.deps, self.world.caller(name), lambda: None, harness=(harness, "2026.11.3"), lists=True
            )
        in_flight(self.world, "laptop", "demo__used")
        run_sweep(self.deps)


SCHEMES: Final[dict[str, dict[str, str]]] = {
    "none": {},
    "bearer": {},
    "api_key_header": {"headerName": "X-Key", "prefix": "Token"},
    "api_key_query": {"queryParam": "api_key"},
    "basic": {},
    "oauth2_client_credentials": {"tokenUrl": "https://login.example.net/token", "scopes": "read write"},
}


def _now() -> datetime:
    now = datetime.now(UTC)
    return now.replace(microsecond=now.microsecond // 1000 * 1000)


@contextmanager
def told(deps: Deps, vendor_host: str, vendor_token: str) -> Iterator[Scene]:
    clock = Clock()
    clock.time = _now() - timedelta(days=DAYS)
    scene = Scene(World(replace(deps, now=clock), clock, vendor_host, vendor_token))
    with Endpoint([a_tool(READS)]) as model:
        scene.tell(model)
    yield scene
