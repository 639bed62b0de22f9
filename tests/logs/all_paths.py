"""A process that goes down every path with secrets in hand: `python -m tests.logs.all_paths <folder> [plainly]`.

It logs as on AWS (plainly: as Python does by itself) at DEBUG, and somebody sets the whole process to DEBUG, too. Its
handlers are those of app.py, its table and its key are emulated behind botocore, its vendor is on loopback. What it
wrote to standard output and error is its parent's; into the folder go the secrets by name, what callers were told,
and what the table keeps.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from moto import mock_aws

import app as handlers
from chalicelib import wiring
from chalicelib.model import AcquireQuestion, AskAnswer, LinkKind
from chalicelib.services import acquire_asks, toolbox, working_set
from chalicelib.services.deps import Deps
from chalicelib.storage.store import TABLE_DEFINITION
from infra.local.schedule import fire
from tests.console.gateway import GatewayBrowser
from tests.console.walk import EMAIL, Walk
from tests.mcp.harness import ENVELOPE, STATELESS, initialize_params, request
from tests.proxy.raw_vendor import RawVendor, Received, ok, redirect
from tests.services.world import PERSON, READS, WRITES, Clock, World
from tests.writer.endpoint import Endpoint, a_tool

CANARIES: Final = {
    name: f"canary-{name}-9b1d"
    for name in (
        "basic",
        "scheme",
        "bearer",
        "bare",
        "cookie",
        "header",
        "session",
        "origin",
        "query",
        "credential",
        "argument",
        "method",
        "tool",
        "id",
        "unreadable",
        "source",
        "raised",
        "vendor-body",
        "vendor-header",
        "vendor-location",
        "exception",
        "password",
        "typed",
        "goal",
        "page",
        "reply",
        "model-key",
        "model-refusal",
    )
}
RAISES: Final = f'def run(input, http):\n    raise ValueError("{CANARIES["raised"]}" + str(input))\n'
NOT_A_TOOL: Final = f'def walk(input):\n    return "{CANARIES["source"]}" +\n'
CONTEXT: Final = {
    "resourcePath": "/mcp",
    "path": "/api/mcp",
    "stage": "api",
    "domainName": "x.execute-api.us-east-1.amazonaws.com",
    "requestId": "gateway",
    "identity": {},
}
UNREACHABLE: Final = "127.0.0.1:9"


class Everybody(logging.Handler):
    """A handler that a stranger put on the root: it gets whatever anyone says, at any level."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] in ("graft", "botocore", "boto3", "urllib3", "chalice"):
            self.said.append(f"{record.name} {record.getMessage()} {vars(record).get('fields', '')}")


class Api:
    """The gateway in front of app.py."""

    def __init__(self, deps: Deps) -> None:
        self.deps = deps
        self.answers: list[str] = []

    def send(self, verb: str, headers: Mapping[str, str], body: str = "") -> dict[str, Any]:
        event = {
            "requestContext": CONTEXT | {"httpMethod": verb},
            "headers": {"content-type": "application/json", "accept": "application/json, text/event-stream", **headers},
            "multiValueQueryStringParameters": {"token": [CANARIES["query"]]},
            "pathParameters": {},
            "stageVariables": None,
            "body": body,
            "isBase64Encoded": False,
        }
        return self.page(event)

    def page(self, event: dict[str, Any]) -> dict[str, Any]:
        """Hand an event to the function."""
        with patch.object(wiring, "deps", lambda: self.deps):
            answer: dict[str, Any] = handlers.app(event, Invocation())
        self.answers.append(json.dumps(answer))
        return answer


class Invocation:
    aws_request_id = "lambda"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


class Harness:
    def __init__(self, api: Api, token: str) -> None:
        self.api = api
        self.headers = {
            "authorization": f"Bearer {token}",
            "cookie": f"session={CANARIES['cookie']}",
            "user-agent": CANARIES["header"],
        }

    def ask(self, method: str, params: Any = None, **more: str) -> dict[str, Any]:
        body = json.dumps(request(method, params, id=CANARIES["id"]))
        return self.api.send("POST", self.headers | more, body)

    def call(self, called: str, /, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": called, "arguments": arguments})

    def call_stateless(self, called: str, /, **arguments: Any) -> dict[str, Any]:
        params = {"name": called, "arguments": arguments, "_meta": ENVELOPE}
        more = {"mcp-protocol-version": STATELESS, "mcp-method": "tools/call", "mcp-name": called}
        return self.ask("tools/call", params, **more)

    def publish(self, name: str, source: str, *, vendor: str = "demo", **more: Any) -> dict[str, Any]:
        draft = {"vendor": vendor, "name": name, "description": "a tool", "source": source}
        return self.call("publish_tool", inputSchema={"type": "object"}, **draft, **more)


def answering(connection: Any, received: Received) -> bool:
    """The vendor: it says secrets, and says back what it was sent."""
    path = received.target.partition("?")[0]
    if path == "/garbled":
        connection.sendall(f"HTTP/1.1 {CANARIES['vendor-header']}\r\n\r\n".encode())
        return False
    if path == "/away":
        connection.sendall(redirect(f"https://elsewhere.example/{CANARIES['vendor-location']}"))
        return True
    echo = {"said": CANARIES["vendor-body"], "sent": dict(received.headers), "body": received.body.decode()}
    connection.sendall(ok(json.dumps(echo).encode(), f"X-Token: {CANARIES['vendor-header']}"))
    return True


def get(path: str) -> str:
    return READS.replace("/notes", path)


def strangers(api: Api, token: str) -> None:
    """Whoever is not let in, in every shape that the header can have."""
    body = json.dumps(request("tools/list"))
    shapes = (
        f"Basic {CANARIES['basic']}",
        f"Token {CANARIES['scheme']}",
        f"Bearer {CANARIES['bearer']}",
        f"Bearer: {CANARIES['bearer']}",
        f"Bearer  {CANARIES['bearer']} {CANARIES['bearer']}",
        f'Bearer token="{CANARIES["bearer"]}"',
        f"Bearer grft_p1_{CANARIES['bearer']}",
        CANARIES["bare"],
        f"{token}",
        f"Bearer {token}x",
        f"Basic {token}",
        f"\t{CANARIES['bare']}\t",
        f"Bearer ünï{CANARIES['bearer']}",
        "Bearer",
        "",
    )
    for shape in shapes:
        api.send("POST", {"authorization": shape}, body)
        api.send("GET", {"authorization": shape, "mcp-session-id": CANARIES["session"]})
    api.send("POST", {}, body)
    api.send("POST", {"authorization": f"Bearer {token}", "origin": f"null {CANARIES['origin']}"}, body)


def odd_requests(api: Api, harness: Harness) -> None:
    for verb in ("HEAD", "OPTIONS", "DELETE", "GET"):
        api.send(verb, harness.headers | {"mcp-session-id": CANARIES["session"]})
    for body in (f'{{"{CANARIES["unreadable"]}', f'[{{"method": "{CANARIES["method"]}"', CANARIES["unreadable"], ""):
        api.send("POST", harness.headers, body)
    harness.ask(CANARIES["method"], {CANARIES["argument"]: 1})
    harness.ask("tools/call", {"name": CANARIES["tool"], "arguments": {"x": CANARIES["argument"]}})
    harness.ask("tools/call", {"name": 7, "arguments": CANARIES["argument"]})
    harness.ask("initialize", initialize_params())
    batch = [request("tools/call", {"name": CANARIES["tool"]}), request(CANARIES["method"])]
    api.send("POST", harness.headers | {"mcp-protocol-version": "2025-03-26"}, json.dumps(batch))
    api.send("POST", harness.headers, json.dumps({"jsonrpc": "2.0", "method": CANARIES["method"]}))


def tools_at_work(world: World, harness: Harness) -> None:
    argument = CANARIES["argument"]
    harness.publish("reads", READS, testInput={"x": argument})
    harness.publish("writes", WRITES)
    harness.publish("raises", RAISES, testInput={"x": argument})
    harness.publish("garbled", get("/garbled"))
    harness.publish("away", get("/away"))
    harness.publish("reads", READS, vendor="dead")
    harness.publish("no-tool", NOT_A_TOOL)
    harness.call("check_tool", source=NOT_A_TOOL)
    harness.call("find_tool", query=argument)
    harness.call("find_tool", query=7, unknown=argument)
    harness.call("promote", vendor="demo", name=argument)
    harness.call("request_connection", vendor=argument, primaryHost=argument, scheme=argument)
    harness.call("acquire", connectionId=argument, goal=argument)
    for name in ("demo__reads", "demo__raises", "demo__garbled", "demo__away", "dead__reads", "demo__writes"):
        harness.call(name, text=argument)
        harness.call_stateless(name, text=argument)
    world.allow("writes")
    harness.call("demo__writes", text=argument)
    harness.call("run_tool", vendor="demo", name="writes", input={"text": argument}, dryRun=True)
    harness.call("run_tool", vendor="demo", name="reads", input={"text": argument})
    harness.call("demote", vendor="demo", name="away")
    harness.ask("tools/list")


def jobs_at_work(world: World, harness: Harness, model: Endpoint) -> None:
    """A job whose model is wrong in each way before it is right; then jobs that break, and one whose model fails."""
    called: list[tuple[str, str, str]] = []
    object.__setattr__(world.deps, "start_job", lambda *job: called.append(job))
    bound = world.connection().id

    def work(goal: str) -> None:
        hints = f"https://{UNREACHABLE}/{CANARIES['page']}"
        wanted = {"connectionId": bound, "goal": f"{CANARIES['goal']} {goal}", "hints": hints, "ignoreExisting": True}
        harness.call("acquire", **wanted)
        for ask in world.deps.store.asks.newest(PERSON):
            if isinstance(ask.question, AcquireQuestion) and ask.is_open(world.clock()):
                acquire_asks.answer_acquire(world.deps, ask, AskAnswer.ALLOWED)
        harness.call("acquire", **wanted)
        person, agent, job = called[-1]
        with patch.object(wiring, "deps", lambda: world.deps), suppress(Exception):
            handlers.acquire({"person": person, "agent": agent, "job": job}, Invocation())
        harness.call("acquire_status", jobId=job)

    script = [CANARIES["reply"], a_tool(RAISES, reads=["/echo"]), a_tool(NOT_A_TOOL), a_tool(READS, name="written")]
    model.will_say(script)
    work("whole")
    model.refusal = {"message": CANARIES["model-refusal"]}
    model.will_say([400])
    work("refused")
    model.will_say([f"GIVE UP: {CANARIES['reply']}"])
    for room, name in ((world.deps.store.jobs, "advance"), (world.deps.store.jobs, "end"), (toolbox, "check")):
        for number, error in enumerate(errors(world.deps)):
            with failing(room, name, error):
                work(f"{name} {number}")
            world.clock.forward(minutes=11)


def everything_breaks(world: World, harness: Harness) -> None:
    """Each place that can fail does, each time with an exception that quotes a secret."""
    store = world.deps.store
    places: list[tuple[object, str]] = [
        (store.agents, "find_door_facts"),
        (store, "find_call_facts"),
        (store.runs, "claim"),
        (store.runs, "release"),
        (store.grants, "find_connection"),
        (world.deps.vault, "open"),
        (toolbox, "find"),
        (working_set, "listing"),
    ]
    for room, name in places:
        for error in errors(world.deps):
            with failing(room, name, error):
                harness.call("demo__reads", text=CANARIES["argument"])
                harness.call("find_tool", query=CANARIES["argument"])
                harness.ask("tools/list")
    with failing(wiring, "deps_until", RuntimeError(CANARIES["exception"])):
        harness.ask("tools/list")


def pages(world: World, api: Api, harness: Harness) -> dict[str, str]:
    """Every page and every form, then pages that break; the secrets that a browser met on the way."""
    harness.publish("asks", WRITES)
    harness.call("run_tool", vendor="demo", name="asks", input={"text": CANARIES["argument"]})
    harness.call("request_connection", vendor="asked", primaryHost="api.asked.example", scheme="bearer")
    harness.call("request_credential", connectionId=world.connection().id, reason="401")
    browser = GatewayBrowser(api.page)
    walk = Walk(world.deps, browser, PERSON, world.vendor_host, CANARIES["password"], CANARIES["typed"])
    walk.go()
    browser.get(walk.link(LinkKind.SIGN_IN))
    browser.get(f"/{CANARIES['argument']}")
    store = world.deps.store
    for room, name in ((store.people, "find_login"), (store.asks, "newest"), (store.grants, "connections")):
        for error in errors(world.deps):
            with failing(room, name, error):
                for path in ("/asks", "/connections", f"/agents/{CANARIES['argument']}"):
                    browser.get(path)
    codes = [ask.code for ask in store.asks.newest(PERSON)]
    met = {"link": walk.links, "browser": sorted(browser.kept), "code": codes}
    told = {"wrong-password": CANARIES["password"][::-1], "email": EMAIL}
    return told | {f"{kind}-{number}": one for kind, many in met.items() for number, one in enumerate(many)}


def errors(deps: Deps) -> Iterator[Exception]:
    secret = CANARIES["exception"]
    yield RuntimeError(secret)
    yield KeyError(secret)
    yield OSError(5, secret, secret)
    yield UnicodeEncodeError("ascii", secret, 0, 1, secret)
    table: Any = deps.store.table.client
    for item in ({"pk": secret}, {"pk": {"S": secret}}):
        try:
            table.put_item(TableName="graft-test", Item=item)
        except Exception as error:
            yield error


@contextmanager
def failing(room: object, name: str, error: Exception) -> Iterator[None]:
    def fail(*_: object, **__: object) -> None:
        try:
            raise ValueError(CANARIES["exception"])
        except ValueError as cause:
            raise error from cause

    with patch.object(room, name, fail):
        yield


def sweeps(world: World) -> None:
    """The runs that could not be released above are in flight at the first one, and have died at the others."""
    store = world.deps.store
    with patch.object(wiring, "deps", lambda: world.deps):
        fire(handlers.sweep, seconds=240)
        world.clock.forward(seconds=31)
        for name in ("find_facts", "due"):
            for error in errors(world.deps):
                with failing(store.sweeps, name, error), suppress(Exception):
                    fire(handlers.sweep, seconds=240)
        fire(handlers.sweep, seconds=240)
        world.clock.forward(days=30)
        fire(handlers.sweep, seconds=240)


def go(folder: Path, *, as_ours: bool) -> None:
    os.environ.update(AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_DEFAULT_REGION="us-east-1")
    if as_ours:
        wiring.start_logging({"AWS_LAMBDA_FUNCTION_NAME": "graft-test", "GRAFT_LOG_LEVEL": "DEBUG"})
    else:
        logging.basicConfig(stream=sys.stdout)
    everybody = Everybody()
    logging.getLogger().addHandler(everybody)
    logging.getLogger().setLevel(logging.DEBUG)
    with closing(RawVendor(answering)) as vendor, Endpoint() as model, mock_aws():
        world = a_world(vendor.host, model.url)
        api = Api(world.deps)
        harness = Harness(api, world.tokens["demo"])
        strangers(api, world.tokens["demo"])
        odd_requests(api, harness)
        tools_at_work(world, harness)
        jobs_at_work(world, harness, model)
        everything_breaks(world, harness)
        met = pages(world, api, harness)
        sweeps(world)
        kept = list(world.deps.store.table.client.scan(TableName="graft-test")["Items"])
        told = {
            "secrets": CANARIES | issued(world) | met,
            "records": everybody.said,
            "answers": api.answers,
            "ledger": [repr(line) for line in world.ledger()],
            "history": [repr(record) for record in world.history()],
            "report": repr(world.deps.store.sweeps.find_report()),
            "table": repr(kept),
        }
        world.deps.sandbox.close()
        world.deps.store.close()
    (folder / "told.json").write_text(json.dumps(told))


def issued(world: World) -> dict[str, str]:
    """The agent's token, and the credential as KMS sends it when it is opened."""
    opened = b64encode(json.dumps({"token": CANARIES["credential"]}).encode()).decode()
    return {"token": world.tokens["demo"].split("_", 3)[3], "opened": opened}


def a_world(vendor_host: str, model_url: str) -> World:
    import boto3

    client = boto3.client("dynamodb")
    client.create_table(TableName="graft-test", **TABLE_DEFINITION)
    key: str = boto3.client("kms").create_key()["KeyMetadata"]["KeyId"]
    clock = Clock()
    environment = {
        "GRAFT_TABLE": "graft-test",
        "GRAFT_KMS_KEY": key,
        "GRAFT_PUBLIC_BASE_URL": "https://graft.example.com",
        "GRAFT_LOCAL_HOSTS": f"{vendor_host},{UNREACHABLE}",
        "GRAFT_SWEEP_VISITORS": "1",
        "GRAFT_MODEL": "openai:some-model",
        "GRAFT_MODEL_URL": model_url,
        "GRAFT_MODEL_KEY": CANARIES["model-key"],
    }
    world = World(wiring.make_deps(environment, clock=clock), clock, vendor_host, CANARIES["credential"])
    world.settle()
    world.connect()
    world.connect("dead", primary_host=UNREACHABLE)
    return world


if __name__ == "__main__":
    go(Path(sys.argv[1]), as_ours=sys.argv[2:] != ["plainly"])
