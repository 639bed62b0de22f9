"""The console of what was deployed: behind a gateway, below its stage, with real Lambda processes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from chalicelib.services.deps import Deps
from infra.deploy.stages import read_config
from infra.deploy.throttling import SETTING, Limit, set_limits
from tests.acceptance.console import Person
from tests.acceptance.rpc import Agent
from tests.acceptance.waiting import until

from .site import API_PATH, STAGE, Site
from .test_deployed import POSTS, connect_vendor
from .test_life import api_address

EMAIL: Final = "first@example.org"
PASSWORD: Final = "four unrelated words here"
TOOL: Final = "answered__post"


def test_the_first_person_makes_an_account_signs_in_and_answers_what_waits(
    site: Site, agent: Agent, deps: Deps
) -> None:
    link = site.made("person", STAGE=STAGE).split()[0]
    assert link.startswith(f"{api_address(site).rstrip('/')}/in/")
    secret = link.rpartition("/")[2]
    set_up(site, f"{API_PATH}/in/{secret}")
    assert "has an account already" in site.refused("person", STAGE=STAGE)

    waiting = waiting_call(agent, deps)
    person = signed_in_at(site, waiting)
    assert person.heading == f"Let {agent.name} run {TOOL}?"
    assert all(address.startswith(f"{API_PATH}/") for address in linked(person.page))
    person.send(urlsplit(waiting["url"]).path, answer="allow")
    assert (person.status, person.heading) == (200, "Allowed")
    assert agent.refused("run_tool", vendor="answered", name="post", input={})["reason"] == "vendor_unreachable"
    assert person.send(f"{API_PATH}/sign-out").heading == "Sign in"
    hold_the_log(site, secret, waiting["url"].rpartition("/")[2])


def set_up(site: Site, path: str) -> None:
    """The first person chooses address and password; the link is spent by that."""
    person = Person(f"{site.url}/").open(path)
    assert person.status == 200, "opening it spends nothing"
    person.send(path, email=EMAIL, password=PASSWORD)
    assert "Sign out" in person.page, (person.status, person.heading)
    assert all(address.startswith(f"{API_PATH}/") for address in linked(person.page))
    assert Person(f"{site.url}/").open(path).status == 404


def waiting_call(agent: Agent, deps: Deps) -> dict[str, Any]:
    connect_vendor(deps, "answered")
    agent.publish(TOOL, POSTS)
    waiting: dict[str, Any] = agent.run(TOOL)
    assert waiting["status"] == "awaiting_approval"
    return waiting


def signed_in_at(site: Site, waiting: dict[str, Any]) -> Person:
    """In a browser that nobody was signed in with, by the ask's own link."""
    assert waiting["url"].startswith(f"{site.url}/a/")
    person = Person(f"{site.url}/").open(waiting["url"])
    assert person.heading == "Sign in"
    to = waiting["url"].removeprefix(site.url)
    return person.send(f"{API_PATH}/sign-in", email=EMAIL, password=PASSWORD, to=to)


def linked(page: str) -> list[str]:
    """Where a page leads, its own parts and other sites aside."""
    found = re.findall(r'(?:href|src|action)="([^"]+)"', page)
    assert found
    return [address for address in found if not address.startswith(("#", "https://"))]


def hold_the_log(site: Site, *secrets: str) -> None:
    """Every page has its line, under its route; what a path holds is in none."""

    def pages() -> list[dict[str, Any]]:
        lines = [line for line in site.log_lines(f"graft-{STAGE}") if line.get("event") == "page"]
        return lines if any(line["route"] == "/sign-out" for line in lines) else []

    lines = until(pages, "the pages' lines in the log")
    assert {"/in/{}", "/a/{}", "/sign-in", "/sign-out"} <= {line["route"] for line in lines}
    assert [secret for secret in (*secrets, PASSWORD, EMAIL) if secret in json.dumps(lines)] == []


def test_a_form_of_another_site_is_not_taken(site: Site) -> None:
    elsewhere = Person("http://elsewhere.example/").open(f"{site.url}/sign-in")
    assert elsewhere.send(f"{site.url}/sign-in", email=EMAIL, password=PASSWORD).status == 403


@pytest.fixture
def gateway_stage(site: Site) -> Iterator[tuple[Any, str]]:
    """The gateway and the id of the API on it; the limits are put back."""
    gateway = site.account.client("apigateway")
    [api] = gateway.get_rest_apis()["items"]
    yield gateway, api["id"]
    set_limits(gateway, api["id"], API_PATH[1:], {"*/*": Limit(400, 800)})


def test_the_gateway_lets_through_what_the_configuration_says(site: Site, gateway_stage: tuple[Any, str]) -> None:
    """How exactly AWS counts is not shown: it promises no more than its best."""
    gateway, api_id = gateway_stage
    settings = gateway.get_stage(restApiId=api_id, stageName=API_PATH[1:])["methodSettings"]
    found = {name: (one["throttlingRateLimit"], one["throttlingBurstLimit"]) for name, one in settings.items()}
    assert found == {name: (limit["rate"], limit["burst"]) for name, limit in read_config()[SETTING].items()}
    set_limits(gateway, api_id, API_PATH[1:], {"*/*": Limit(1, 1)})
    assert 429 in [Person(site.url).open(f"{API_PATH}/static/none").status for _ in range(8)]
