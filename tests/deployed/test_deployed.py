"""What `make deploy` made, over its URL: real Lambda processes behind a gateway, held to their roles' permissions."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from typing import Any, Final

import pytest

from chalicelib.model import Cause, Direction
from chalicelib.services import connections
from chalicelib.services.connections import NewConnection
from chalicelib.services.deps import Deps
from infra.local.setup import PERSON
from tests.acceptance.driver import Connect, Driver
from tests.acceptance.main_job import HEAR_SECONDS, META_TOOLS, a_draft, names
from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until
from tests.clients.conftest import Kind

from .conftest import CLIENTS, TYPESCRIPT
from .site import API_PATH, STAGE, Site

ECHO: Final = 'def run(input, http):\n    return {"said": input["text"]}\n'
GETS: Final = 'def run(input, http):\n    return http.get("/").json()\n'
POSTS: Final = 'def run(input, http):\n    return http.post("/", json=input).json()\n'
TEXT: Final = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
SWEEP_SECONDS: Final = 60.0
VENDOR_HOST: Final = "vendor.example.com"
"""A public name that no machine has."""


@pytest.mark.parametrize("kind", CLIENTS, ids=lambda kind: kind.name)
def test_a_client_lists_publishes_calls_and_hears_its_list_change(connect: Connect, agent: Agent, kind: Kind) -> None:
    tool = f"demo__echo-{kind.name}"
    with connect(agent, kind) as client:
        assert names(client.list()) == META_TOOLS
        before = client.heard() if kind.has_sessions else 0
        published = client.call("publish_tool", **a_draft(tool, ECHO, inputSchema=TEXT))
        assert {"tool": tool, "version": 1, "promoted": True, "changed": True}.items() <= published.items()
        if kind.has_sessions:
            assert client.heard(beyond=before, seconds=HEAR_SECONDS) > before
        assert names(client.list()) == [*META_TOOLS, tool]
        assert client.call(tool, text="hello") == {"said": "hello"}
        found = client.call("find_tool", query=f"echo {kind.name}")["tools"][0]
        assert (found["tool"], found["promoted"]) == (tool, True)
        assert client.call("demote", vendor="demo", name=tool.removeprefix("demo__"))["changed"] is True
        assert names(client.list()) == META_TOOLS


@pytest.mark.parametrize("kind", [CLIENTS[0], TYPESCRIPT], ids=lambda kind: kind.name)
def test_the_schedules_sweep_demotes_and_an_idle_client_hears_of_it(
    connect: Connect, new_agent: Callable[..., Agent], deps: Deps, kind: Kind
) -> None:
    agent = new_agent(cap="1")
    tools = [f"demo__{kind.name}-{number}" for number in range(2)]
    with connect(agent, kind) as client:
        for tool in tools:
            client.call("publish_tool", **a_draft(tool, ECHO, inputSchema=TEXT))
        heard = client.heard()
        until(lambda: agent.authored() == tools[1:], "the sweep by the schedule", seconds=SWEEP_SECONDS)
        assert _hears_more(client, heard)
        assert names(client.list()) == [*META_TOOLS, tools[1]]
    facts = deps.store.agents.find(PERSON, agent.id)
    assert facts is not None
    [change] = deps.store.sets.history(facts.agent)[0].changes
    assert (change.tool, change.direction, change.cause) == (tools[0], Direction.DEMOTED, Cause.CAP)


def _hears_more(client: Driver, heard: int) -> bool:
    """Without a call of its own, by polling, if it was not told in an answer meanwhile."""
    return client.heard(beyond=heard, seconds=2 * HEAR_SECONDS) > heard


def test_the_sweep_logs_what_it_did_and_counts_only_what_there_is_to_count(site: Site) -> None:
    def swept() -> list[dict[str, Any]]:
        return [line for line in site.log_lines(f"graft-{STAGE}-sweep") if line.get("event") == "sweep"]

    lines = until(swept, "a sweep's line in the log", seconds=SWEEP_SECONDS)
    assert {line["failed"] for line in lines} == {0}
    assert not any("SweepFailed" in line for line in lines)
    assert {line["Stage"] for line in lines if "_aws" in line} <= {STAGE}


def test_a_functions_role_is_what_lets_it_reach_the_table(site: Site, agent: Agent) -> None:
    iam, role = site.account.client("iam"), f"graft-{STAGE}-api_handler"
    assert agent.tools()
    deny = {"Effect": "Deny", "Action": "dynamodb:BatchGetItem", "Resource": "*"}
    iam.put_role_policy(
        RoleName=role, PolicyName="deny", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [deny]})
    )
    try:
        assert agent.ask("tools/list").messages[-1].get("error"), "the emulator does not hold functions to their roles"
    finally:
        iam.delete_role_policy(RoleName=role, PolicyName="deny")
    assert agent.tools()


def test_the_key_opens_a_credential_for_the_function(site: Site, agent: Agent, deps: Deps) -> None:
    """The vendor cannot be reached from here, which is only found out once the credential is open."""
    connect_vendor(deps, "sealed")
    kms, key = site.account.client("kms"), f"alias/graft-{STAGE}"
    agent.publish("sealed__get", GETS)
    key_id = kms.describe_key(KeyId=key)["KeyMetadata"]["KeyId"]
    kms.disable_key(KeyId=key_id)
    try:
        assert agent.refused("run_tool", vendor="sealed", name="get", input={})["reason"] == "internal"
    finally:
        kms.enable_key(KeyId=key_id)
    assert agent.refused("run_tool", vendor="sealed", name="get", input={})["reason"] == "vendor_unreachable"


def test_an_ask_links_to_a_page_below_the_stage_and_may_be_answered_by_a_command(
    site: Site, agent: Agent, deps: Deps
) -> None:
    connect_vendor(deps, "asking")
    agent.publish("asking__post", POSTS)
    waiting = agent.run("asking__post")
    [url] = set(re.findall(r"https?://[^\s\"]+/a/\w+", json.dumps(waiting)))
    assert url.startswith(f"{site.url}/a/")
    assert "may run asking__post" in site.made("approve", STAGE=STAGE, AGENT=agent.name, TOOL="asking__post")
    assert agent.refused("run_tool", vendor="asking", name="post", input={})["reason"] == "vendor_unreachable"


def test_pages_and_what_they_link_to_are_served_below_the_stage(site: Site) -> None:
    status, _, page = fetched(f"{site.url}/")
    assert status == 200
    linked = set(re.findall(r'(?:href|src)="(/[^"]+)"', page))
    assert all(path.startswith(f"{API_PATH}/") for path in linked)
    assets = {path for path in linked if path.startswith(f"{API_PATH}/static/")}
    assert assets
    for path in assets:
        status, headers, _ = fetched(site.account.gateway + path)
        assert (status, headers["Cache-Control"]) == (200, "public, max-age=31536000, immutable")


def connect_vendor(deps: Deps, vendor: str) -> None:
    wanted = NewConnection(vendor=vendor, primary_host=VENDOR_HOST, scheme="bearer", secret={"token": "a-secret"})
    connections.create_connection(deps, PERSON, wanted)


def fetched(url: str) -> tuple[int, Any, str]:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.status, answer.headers, answer.read().decode()
