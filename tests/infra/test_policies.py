"""Each function's policy allows what the function asks of AWS, and nothing else.

The functions' own handlers run here, over every route, every meta-tool and everything that a sweep may meet; what they
send to AWS is recorded. A permission that nothing used is one too many; one that is missing fails on AWS.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import boto3
import pytest
from moto import mock_aws

from app import acquire, app, sweep
from chalicelib import wiring
from chalicelib.console.router import ROUTES
from chalicelib.mcp.catalogue import META_TOOLS
from chalicelib.model import AcquireQuestion, AskAnswer, Job, JobStatus, Run, RunKind
from chalicelib.rules.throttle import pace_at
from chalicelib.services import acquire_asks, agents, connections, identity
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from chalicelib.storage.store import TABLE_DEFINITION
from infra.deploy.stages import API_FUNCTION, POLICIES, WORKER_FUNCTION, Stage, functions, policy, read_config
from infra.local.schedule import Context, fire
from tests.console.gateway import GatewayBrowser
from tests.console.walk import Walk
from tests.proxy.raw_vendor import RawVendor, Received, ok, says
from tests.services.world import ANSWERS, ANY_INPUT, PERSON, READS, WRITES, Clock
from tests.writer.endpoint import Endpoint, a_tool

from .recorder import Permission, Recorder

TABLE_NAME: Final = "graft-test"
STATUS: Final = 'def run(input, http):\n    return http.get("/").status\n'
THE_RUNTIMES_OWN: Final = {
    ("logs:CreateLogStream", "${LogGroupArn}:*"),
    ("logs:PutLogEvents", "${LogGroupArn}:*"),
}
"""Lambda writes a function's log with the function's role."""


@dataclass
class Scene:
    """A table and a key, two vendors, and an agent of one person."""

    deps: Deps
    clock: Clock
    recorder: Recorder
    hosts: dict[str, str]
    token: str = ""
    pages: list[dict[str, Any]] = field(default_factory=list)

    def connect(self, vendor: str, scheme: str, secret: dict[str, str], **config: str) -> str:
        wanted = NewConnection(vendor, self.hosts["api"], scheme, scheme_config=config, secret=secret)
        return connections.create_connection(self.deps, PERSON, wanted).id

    # --- the API

    def request(self, method: str, resource: str, path: str, body: str | None = None, **headers: str) -> dict[str, Any]:
        """One request as the gateway hands it to the function."""
        context = {"httpMethod": method, "resourcePath": resource, "path": f"/api{path}", "domainName": "g.example"}
        event = {
            "requestContext": context,
            "headers": {"authorization": f"Bearer {self.token}", "content-type": "application/json", **headers},
            "multiValueQueryStringParameters": None,
            "pathParameters": {"code": "abc", "name": "console.css", "proxy": "x"},
            "body": body,
            "stageVariables": None,
        }
        with self.recorder.function(API_FUNCTION):
            answered: dict[str, Any] = app(event, None)
        return answered

    def ask(self, method: str, params: Any = None, **headers: str) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        accept = {"accept": "application/json, text/event-stream"}
        answered = self.request("POST", "/mcp", "/mcp", json.dumps(message), **accept, **headers)
        assert answered["statusCode"] == 200, answered
        return answered

    def call(self, tool: str, **arguments: Any) -> str:
        """Whatever the tool answered, refusals included."""
        answered = self.ask("tools/call", {"name": tool, "arguments": arguments})
        body: str = answered["body"]
        assert '"internal"' not in body, body
        return body

    def publish(self, wire_name: str, source: str) -> None:
        vendor, _, name = wire_name.partition("__")
        draft = {"vendor": vendor, "name": name, "description": name, "inputSchema": ANY_INPUT, "source": source}
        assert '"version":1' in self.call("publish_tool", **draft).replace(" ", "").replace("\\", "")

    def page(self, event: dict[str, Any]) -> dict[str, Any]:
        """One request for a page."""
        with self.recorder.function(API_FUNCTION):
            answered: dict[str, Any] = app(event, None)
        assert answered["statusCode"] != 500, answered["body"]
        self.pages.append(event)
        return answered

    # --- the sweep

    def sweep(self) -> dict[str, Any]:
        with self.recorder.function("sweep"):
            swept: dict[str, Any] = fire(sweep, seconds=200)
        return swept

    # --- the worker

    def start_job(self, connection_id: str, goal: str) -> str:
        """The id of a job that the person has allowed, and that a worker was called for."""
        self.clock.forward(seconds=1)
        self.call("acquire", connectionId=connection_id, goal=goal, ignoreExisting=True)
        for ask in self.deps.store.asks.newest(PERSON):
            if isinstance(ask.question, AcquireQuestion) and ask.is_open(self.clock()):
                acquire_asks.answer_acquire(self.deps, ask, AskAnswer.ALLOWED)
        self.call("acquire", connectionId=connection_id, goal=goal, ignoreExisting=True)
        agent = identity.identify(self.deps, self.token, None).agent
        return self.deps.store.jobs.newest(PERSON, agent.id)[0].id

    def work(self, job_id: str) -> Job:
        agent = identity.identify(self.deps, self.token, None).agent
        with self.recorder.function("acquire"):
            acquire({"person": PERSON, "agent": agent.id, "job": job_id}, Context(700))
        job = self.deps.store.jobs.find(PERSON, agent.id, job_id)
        assert job is not None
        return job


@pytest.fixture
def scene(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Scene]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    recorder, clock = Recorder(TABLE_NAME), Clock()
    make = wiring._aws_client
    monkeypatch.setattr(wiring, "_aws_client", lambda *given: recorder.listen(make(*given)))
    make_bedrock = wiring._bedrock_client
    monkeypatch.setattr(wiring, "_bedrock_client", lambda url: recorder.listen(make_bedrock(url)))
    with ExitStack() as stack:
        hosts = {
            "api": stack.enter_context(closing(RawVendor(says(ok(b"{}"))))).host,
            "login": stack.enter_context(closing(RawVendor(_grant))).host,
        }
        stack.enter_context(mock_aws())
        key = boto3.client("kms").create_key()["KeyMetadata"]["Arn"]
        boto3.client("dynamodb").create_table(TableName=TABLE_NAME, **TABLE_DEFINITION)
        settings = {"GRAFT_TABLE": TABLE_NAME, "GRAFT_KMS_KEY": key, "GRAFT_LOCAL_HOSTS": ",".join(hosts.values())}
        model = stack.enter_context(Endpoint([a_tool(STATUS)]))
        settings |= {"GRAFT_MODEL": "bedrock:some-model", "GRAFT_MODEL_URL": model.url}
        made = wiring.make_deps({**settings, "GRAFT_SWEEP_VISITORS": "1"}, clock=clock)
        deps = replace(made, start_job=wiring._job_starter({"AWS_LAMBDA_FUNCTION_NAME": "graft-dev"}, lambda: made))
        monkeypatch.setattr(wiring, "deps", lambda: deps)
        deps.store.people.add(PERSON)
        yield Scene(deps, clock, recorder, hosts, agents.create_agent(deps, PERSON, "laptop")[1])
        deps.sandbox.close()
        deps.store.close()
        deps.store.table.client.close()


def _grant(connection: socket.socket, _: Received) -> bool:
    connection.sendall(ok(b'{"access_token": "granted", "expires_in": 3600}'))
    return True


def use_the_api(scene: Scene) -> None:
    """Every route, every meta-tool, and each kind of credential."""
    scene.connect("bearer", "bearer", {"token": "t"})
    login = f"http://{scene.hosts['login']}/token"
    scene.connect("granted", "oauth2_client_credentials", {"clientId": "i", "clientSecret": "s"}, tokenUrl=login)
    for path in ("/", "/a/{code}", "/static/{name}", "/{proxy+}"):
        scene.request(
            "GET", path, path.replace("{code}", "abc").replace("{name}", "console.css").replace("{proxy+}", "x")
        )
    session = scene.ask(
        "initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}
    )
    opened = {"mcp-session-id": session["headers"]["Mcp-Session-Id"], "mcp-protocol-version": "2025-11-25"}
    scene.ask("tools/list", **opened)
    scene.request("GET", "/mcp", "/mcp", accept="text/event-stream", **opened)
    use_every_meta_tool(scene)
    scene.ask("tools/list", **opened)
    scene.request("DELETE", "/mcp", "/mcp", **opened)
    use_the_console(scene)


def use_the_console(scene: Scene) -> None:
    """Every page and every form: asks, accounts, logins, one-time links, agents, connections."""
    browser = GatewayBrowser(scene.page)
    Walk(scene.deps, browser, PERSON, scene.hosts["api"], "four unrelated words here", "t2").go()


def use_every_meta_tool(scene: Scene) -> None:
    scene.publish("plain__answers", ANSWERS)
    scene.publish("bearer__reads", READS)
    scene.publish("granted__reads", READS)
    scene.publish("bearer__writes", WRITES)
    scene.call("find_tool", query="reads")
    scene.call("check_tool", source=READS, inputSchema=ANY_INPUT)
    scene.call("read_tool_source", vendor="bearer", name="reads")
    for tool in ("plain__answers", "bearer__reads", "granted__reads", "bearer__writes"):
        vendor, _, name = tool.partition("__")
        scene.call(tool)
        scene.call("run_tool", vendor=vendor, name=name, input={"text": "x"})
        scene.call("run_tool", vendor=vendor, name=name, input={"text": "x"}, dryRun=True)
    scene.call("demote", vendor="plain", name="answers")
    scene.call("promote", vendor="plain", name="answers")
    scene.call("request_connection", vendor="new", primaryHost="api.new.example", scheme="bearer")
    (known, *_) = (one for one in scene.deps.store.grants.connections(PERSON) if one.vendor == "bearer")
    scene.call("request_credential", connectionId=known.id, reason="it answers 401")
    job = scene.start_job(known.id, "Count what there is")
    scene.call("acquire_status", jobId=job)
    scene.clock.forward(minutes=11)
    scene.call("acquire_status", jobId=job)


def meet_everything_that_a_sweep_may_meet(scene: Scene) -> None:
    """An idle tool, a set that is over its cap, a run whose process died, and a revoke that was cut short."""
    connection = scene.connect("bearer", "bearer", {"token": "t"})
    scene.publish("plain__idle", ANSWERS)
    scene.publish("bearer__bound", READS)
    scene.publish("bearer__asking", WRITES)
    scene.call("run_tool", vendor="bearer", name="asking", input={"text": "x"})
    facts = identity.identify(scene.deps, scene.token, None).facts
    now = scene.clock()
    dead = Run("run-1", "plain__idle", 1, RunKind.CALL, now, now + timedelta(seconds=30))
    assert scene.deps.store.runs.claim(facts, dead, facts.find("plain__idle"), pace_at(now))
    scene.sweep()
    scene.start_job(connection, "Count what there is")
    scene.clock.forward(minutes=2)
    scene.sweep()
    scene.clock.forward(days=22)
    found = scene.deps.store.grants.find_connection(PERSON, connection)
    assert found is not None
    assert scene.deps.store.grants.begin_revoke(found, scene.clock())
    assert scene.sweep()["demoted"] == 1
    assert scene.sweep()["demoted"] == 0


def work_on_jobs(scene: Scene) -> None:
    """One that makes a tool, with each kind of credential; one whose connection is gone."""
    bearer = scene.connect("bearer", "bearer", {"token": "t"})
    login = f"http://{scene.hosts['login']}/token"
    granted = scene.connect(
        "granted", "oauth2_client_credentials", {"clientId": "i", "clientSecret": "s"}, tokenUrl=login
    )
    for connection in (bearer, granted):
        assert scene.work(scene.start_job(connection, "Tell the status")).status is JobStatus.SUCCEEDED
    job = scene.start_job(bearer, "Tell it again")
    connections.revoke(scene.deps, PERSON, bearer)
    assert scene.work(job).status is JobStatus.CANCELLED


SCENES: Final = {
    API_FUNCTION: use_the_api,
    "sweep": meet_everything_that_a_sweep_may_meet,
    WORKER_FUNCTION: work_on_jobs,
}


@pytest.mark.parametrize("function", functions(read_config()))
def test_a_function_may_do_what_it_does_and_nothing_else(scene: Scene, function: str) -> None:
    SCENES[function](scene)
    assert allowed(function) - THE_RUNTIMES_OWN == scene.recorder.recorded[function]


def test_the_scene_of_the_api_leaves_out_no_route_and_no_meta_tool(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: set[str] = set()
    request = scene.request
    called: set[str] = set()
    call = scene.call

    def noting(method: str, resource: str, *rest: Any, **headers: str) -> dict[str, Any]:
        requested.add(resource)
        return request(method, resource, *rest, **headers)

    def noting_call(tool: str, **arguments: Any) -> str:
        called.add(tool)
        return call(tool, **arguments)

    monkeypatch.setattr(scene, "request", noting)
    monkeypatch.setattr(scene, "call", noting_call)
    use_the_api(scene)
    assert requested == set(app.routes)
    assert {tool.name for tool in META_TOOLS} <= called


def test_the_scene_of_the_api_leaves_out_no_page_and_no_form(scene: Scene) -> None:
    use_the_api(scene)
    for route in ROUTES:
        for method, handler in (("GET", route.get), ("POST", route.post)):
            sent = [event["requestContext"] for event in scene.pages]
            paths = [context["path"].removeprefix("/api") for context in sent if context["httpMethod"] == method]
            assert handler is None or any(re.fullmatch(route.path, path) for path in paths), (method, route.path)


@pytest.mark.parametrize("function", functions(read_config()))
def test_a_policy_names_each_permission_and_its_resource(function: str) -> None:
    for action, resource in allowed(function):
        assert "*" not in action
        assert resource != "*"
    arn = "arn:aws:dynamodb:eu-central-1:123456789012:table/graft-dev"
    filled = policy(Stage("dev"), function, table_arn=arn, key_arn="arn:aws:kms:eu-central-1:123456789012:key/k")
    assert "${" not in json.dumps(filled)
    assert "log-group:/aws/lambda/graft-dev" in json.dumps(filled)


def test_there_is_no_policy_without_a_function() -> None:
    assert {path.stem for path in POLICIES.glob("*.json")} == set(functions(read_config()))


def allowed(function: str) -> set[Permission]:
    """What the policy allows, as its template spells it."""
    document = json.loads((POLICIES / f"{function}.json").read_text())
    assert {statement["Effect"] for statement in document["Statement"]} == {"Allow"}
    return {
        (action, resource)
        for statement in document["Statement"]
        for action in statement["Action"]
        for resource in statement["Resource"]
    }
