"""The proxy in front of the door, for a client that knows no token."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from tests.mcp.harness import Harness, request
from tests.mcp.loopback import serving

from .fixture_tools import FIXTURES
from .proxy import authorizing


def ask(url: str, **headers: str) -> tuple[int, dict[str, object]]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    try:
        connection.request("POST", "/mcp", json.dumps(request("tools/list")), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_the_proxy_brings_the_token_and_the_fixture_tools_are_listed(harness: Harness) -> None:
    with serving(harness.deps, catalogue=FIXTURES) as door, authorizing(door, harness.token) as url:
        assert ask(door)[0] == 401
        status, listed = ask(url)
    assert status == 200
    assert "test_simple_text" in json.dumps(listed)


def test_the_proxy_hides_no_host_from_the_door(harness: Harness) -> None:
    with serving(harness.deps) as door, authorizing(door, harness.token) as url:
        assert ask(url, Host="evil.example.com")[0] == 403
