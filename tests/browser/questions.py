"""The asks of the scene: of every kind, answered in every way, ended by themselves, and waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chalicelib.model import Ask, AskAnswer
from chalicelib.services import acquire, acquire_asks, answers, connections, requests
from chalicelib.services.acquire import Wanted
from chalicelib.services.connections import NewConnection
from chalicelib.services.requests import WantedConnection
from tests.services.world import DELETES
from tests.writer.endpoint import Endpoint
from tests.writer.stage import GOAL, Stage

from .hostile import HOSTILE, LONG

if TYPE_CHECKING:
    from .scene import Scene

SCHEMES: Final[dict[str, dict[str, str]]] = {
    "none": {},
    "bearer": {},
    "api_key_header": {"headerName": "X-Key", "prefix": "Token"},
    "api_key_query": {"queryParam": "api_key"},
    "basic": {},
    "oauth2_client_credentials": {"tokenUrl": "https://login.example.net/token", "scopes": "read write"},
}
ANSWERED: Final = {
    "allowed": ("demo", AskAnswer.ALLOWED, ""),
    "once": ("laptop", AskAnswer.ASK_EVERY_TIME, ""),
    "denied": ("empty", AskAnswer.DENIED, f"Use the other notebook. {HOSTILE}"),
}
"""Of a tool that writes: who asked, the answer, and its reason."""


def tell_ended(scene: Scene) -> None:
    for name, (by, answer, reason) in ANSWERED.items():
        scene.asks[name] = scene.world.asked(scene.called("demo", "create-note", by=by, text="bread"))
        answers.answer_tool(scene.deps, scene.asks[name], answer, reason=reason)
    scene.called("demo", "create-note", text="bread")
    scene.asks["expired"] = scene.world.asked(scene.called("demo", "delete-the-first-note-of-all"))
    _connections_that_ended(scene)


def _connections_that_ended(scene: Scene) -> None:
    world, deps = scene.world, scene.deps
    wanted = NewConnection("calendar", world.vendor_host, "bearer", secret={"token": "t"}, display_name=HOSTILE)
    scene.asks["connected"] = wants_connection(scene, "calendar", display_name=HOSTILE)
    answers.connect(deps, scene.asks["connected"], wanted)
    scene.asks["declined"] = wants_connection(scene, "unwanted")
    answers.decline(deps, scene.asks["declined"])
    gone = world.connect("gone", display_name=f"Gone {HOSTILE}")
    scene.asks["closed"] = world.asked(requests.request_credential(deps, world.caller(), gone.id, "it answered 401"))
    connections.revoke(deps, gone.person_id, gone.id)


def wants_connection(scene: Scene, vendor: str, scheme: str = "bearer", *, display_name: str = "") -> Ask:
    hosts, config = ["files.example.com"], SCHEMES[scheme]
    wanted = WantedConnection(vendor, "api.acme.example.org", scheme, config, hosts=hosts, display_name=display_name)
    return scene.world.asked(requests.request_connection(scene.deps, scene.world.caller(), wanted))


def tell_waiting(scene: Scene) -> None:
    """What was republished since; what is asked anew because its code changed; then one of every other kind."""
    world, deletes = scene.world, "delete-the-first-note-of-all"
    long = {"text": f"{HOSTILE} {LONG}", "tags": ["a", "b"], "deep": {"er": [1, None, True]}}
    scene.asks["changed"] = world.asked(scene.called("demo", deletes, by="laptop"))
    world.publish(deletes, f"{DELETES}# again\n", description="Deletes a note, for good.")
    scene.asks["tool"] = world.asked(scene.called("demo", deletes, text="bread"))
    scene.asks["long"] = world.asked(scene.called("demo", "create-note", by="laptop", **long))
    for scheme in SCHEMES:
        vendor = f"acme-{scheme.replace('_', '-')}"
        scene.asks[scheme] = wants_connection(scene, vendor, scheme, display_name=f"Acme {HOSTILE}")
    mailer = scene.connection("mailer")
    words = f"it answered 401 {HOSTILE} {LONG}"
    scene.asks["credential"] = world.asked(requests.request_credential(scene.deps, world.caller(), mailer.id, words))


def tell_written(scene: Scene, model: Endpoint) -> None:
    """The demo's jobs: one made a tool, one failed, one waits for its worker. The laptop's question waits."""
    stage = Stage(scene.world, model, vendor="written", display_name=f"Written {HOSTILE}"[:60])
    long = Wanted(stage.connection.id, f"{GOAL}, each of {LONG[:3_500]} {HOSTILE}", ignore_existing=True)
    scene.asks["acquire"] = _asked_to_write(scene, "laptop", long)
    scene.asks["acquire-denied"] = _asked_to_write(scene, "empty", long)
    acquire_asks.answer_acquire(scene.deps, scene.asks["acquire-denied"], AskAnswer.DENIED, reason=HOSTILE)
    again = Wanted(stage.connection.id, GOAL, ignore_existing=True)
    scene.asks["acquire-allowed"] = _asked_to_write(scene, "demo", again)
    stage.finished()
    model.will_say([f"no tool {HOSTILE}"])
    acquire.acquire(scene.deps, scene.world.caller(), long)
    stage.work()
    acquire.acquire(scene.deps, scene.world.caller(), again)


def _asked_to_write(scene: Scene, by: str, wanted: Wanted) -> Ask:
    return scene.world.asked(acquire.acquire(scene.deps, scene.world.caller(by), wanted))
