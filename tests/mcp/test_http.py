"""What any HTTP client may ask of `/mcp` before a word of MCP is spoken."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import pytest

from chalicelib.mcp.door import handle
from chalicelib.mcp.http import HttpRequest
from chalicelib.services import agents, identity
from chalicelib.services.deps import Deps

from .harness import STATELESS, Harness, error_of, messages_of

ON_AWS = "https://graft.example.com"


def deployed(harness: Harness) -> Harness:
    settings = replace(harness.deps.settings, public_base_url=ON_AWS)
    return replace(harness, deps=replace(harness.deps, settings=settings))


@pytest.mark.parametrize("token", [None, "Bearer wrong"])
def test_head_answers_at_once_without_a_token(harness: Harness, token: str | None) -> None:
    response = harness.send("HEAD", authorization=token)
    assert (response.status, response.headers["Content-Type"], response.body) == (200, "application/json", b"")


def test_options_answers_without_a_token_and_allows_what_browsers_have_to_ask_for(harness: Harness) -> None:
    """Report: hauptsacheNet/typo3-mcp-server#115"""
    response = harness.send("OPTIONS", authorization=None, origin="https://inspector.example")
    allowed = response.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert response.status == 204
    assert {"authorization", "content-type", "mcp-protocol-version", "mcp-session-id"} <= set(allowed)
    assert {"mcp-method", "mcp-name", "last-event-id"} <= set(allowed)


def test_every_answer_exposes_the_session_and_never_reflects_an_origin_or_allows_credentials(harness: Harness) -> None:
    """Report: hauptsacheNet/typo3-mcp-server#115"""
    for method in ("GET", "POST", "HEAD", "OPTIONS", "DELETE"):
        headers = deployed(harness).send(method, origin="https://page.example").headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert "Mcp-Session-Id" in headers["Access-Control-Expose-Headers"]
        assert "WWW-Authenticate" in headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in headers


@pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "TRACE"])
def test_other_methods_are_405_with_allow(opened: Harness, method: str) -> None:
    response = opened.send(method)
    assert response.status == 405
    assert "POST" in response.headers["Allow"]


def test_a_session_cannot_be_ended_by_the_client(opened: Harness) -> None:
    assert opened.send("DELETE").status == 405
    assert opened.send("GET").status == 200


@pytest.mark.parametrize("session", [None, "never-issued", "a.b", "é.ü", "x" * 5000, ".", ""])
def test_get_without_a_known_session_is_405_at_once(harness: Harness, session: str | None) -> None:
    """Report: punkpeye/mcp-proxy#62"""
    response = harness.send("GET", mcp_session_id=session)
    assert response.status == 405
    assert "POST" in response.headers["Allow"]


def test_get_of_the_stateless_revision_is_405_even_with_a_session(opened: Harness) -> None:
    assert opened.send("GET", mcp_protocol_version=STATELESS).status == 405


class TestWithoutAGenuineToken:
    """Every answer is the same 401."""

    HEADERS = (
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer garbage",
        "Basic dXNlcjpwYXNz",
        "Token grft_x",
        "Bearer grft_p1_nobody_" + "A" * 43,
        "Bearer ünïcode",
        "Bearer " + "x" * 100_000,
    )

    def test_every_cause_answers_the_same_bytes(self, harness: Harness) -> None:
        revoked = replace(harness, token=harness.token[:-1] + ("A" if harness.token[-1] != "A" else "B"))
        answers = {bytes_of(revoked.ask("tools/list"))}
        answers |= {bytes_of(harness.ask("tools/list", authorization=header)) for header in self.HEADERS}
        assert len(answers) == 1

    def test_it_is_a_401_that_names_the_scheme(self, harness: Harness) -> None:
        response = harness.ask("tools/call", {"name": "find_tool"}, authorization=None)
        assert response.status == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")

    def test_it_comes_before_anything_about_the_body(self, harness: Harness) -> None:
        assert harness.send("POST", b"{not json", authorization="Bearer garbage").status == 401

    def test_the_header_is_nowhere_in_answers_or_logs(self, harness: Harness, caplog: pytest.LogCaptureFixture) -> None:
        """Report: sooperset/mcp-atlassian#1134"""
        caplog.set_level(logging.DEBUG)
        for secret in ("Basic c2VjcmV0LXZhbHVl", "Bearer secret-value-1", "secret-value-2", "Token secret-value-3"):
            response = harness.ask("tools/list", authorization=secret)
            assert secret.split()[-1].encode() not in response.body
            assert secret.split()[-1] not in caplog.text

    def test_a_rotated_token_ends_its_session_too(self, deps: Deps, opened: Harness) -> None:
        agent = identity.identify(deps, opened.token, None).agent
        fresh = agents.rotate_token(deps, agent)
        assert opened.send("GET").status == 401
        assert replace(opened, token=fresh).send("GET").status == 405


def bytes_of(response: object) -> str:
    return repr(response)


def test_the_scheme_is_read_in_any_case(harness: Harness) -> None:
    assert harness.ask("ping", authorization=f"bearer   {harness.token} ").status == 200


def test_a_query_string_changes_nothing(deps: Deps, harness: Harness) -> None:
    """Report: anthropics/claude-ai-mcp#1044"""
    headers = {"authorization": f"Bearer {harness.token}"}
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    plain = handle(deps, HttpRequest("POST", "/mcp", headers, body=body))
    assert handle(deps, HttpRequest("POST", "/mcp", headers, {"v": "2"}, body)) == plain


class TestOrigin:
    @pytest.mark.parametrize("origin", ["null", "evil", "https://", "http://a b", "https://user@host/", "https://x\\y"])
    def test_a_malformed_origin_is_403(self, harness: Harness, origin: str) -> None:
        response = deployed(harness).ask("ping", origin=origin)
        assert response.status == 403
        assert error_of(response)["message"]

    @pytest.mark.parametrize("origin", ["https://inspector.example", "vscode-webview://1f2e", "http://localhost:6274"])
    def test_a_deployed_door_takes_any_other_since_a_page_holds_no_token_by_itself(
        self, harness: Harness, origin: str
    ) -> None:
        assert deployed(harness).ask("ping", origin=origin).status == 200

    @pytest.mark.parametrize("origin", ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:8080"])
    def test_a_door_on_loopback_takes_loopback_pages(self, harness: Harness, origin: str) -> None:
        assert harness.ask("ping", origin=origin).status == 200

    @pytest.mark.parametrize(
        "origin", ["http://evil.example.com", "vscode-webview://1f2e", "http://127.0.0.1.evil.com"]
    )
    def test_a_door_on_loopback_refuses_every_other_page(self, harness: Harness, origin: str) -> None:
        assert harness.ask("ping", origin=origin).status == 403

    def test_a_door_on_loopback_refuses_a_host_that_was_rebound_to_it(self, harness: Harness) -> None:
        assert harness.ask("ping", host="evil.example.com:8765").status == 403

    def test_a_get_is_refused_alike(self, opened: Harness) -> None:
        assert opened.send("GET", origin="http://evil.example.com").status == 403


def test_no_content_type_is_insisted_on(harness: Harness) -> None:
    for content_type in (None, "text/plain", "application/json; charset=latin-1", "nonsense"):
        assert harness.ask("ping", content_type=content_type).status == 200


def test_two_agents_cannot_use_each_others_session(new_harness: Callable[[str], Harness]) -> None:
    mine, other = new_harness("laptop").opened(), new_harness("server")
    assert replace(other, session=mine.session).send("GET").status == 405
    assert messages_of(replace(other, session=mine.session).ask("tools/list"))[-1]["result"]["tools"]
