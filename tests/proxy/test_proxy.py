"""What leaves for the vendor, and what comes back to the module."""

from __future__ import annotations

import logging
import socket
import traceback
from base64 import b64encode
from collections.abc import Mapping

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, ConnectionState, VendorRequest
from chalicelib.proxy.proxy import Proxy
from tests.proxy.conftest import Proxies, Vendors
from tests.proxy.examples import TOKEN, VAULT, a_connection, get, post, soon, with_token
from tests.proxy.raw_vendor import Received, ok, redirect, says


def test_a_read_leaves_with_host_agent_and_credential_and_nothing_else(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok(b"[]")))
    response = proxy(notes.host).send(with_token(notes.host), get("/notes", params=(("q", "a b"),)), deadline=soon())
    (received,) = notes.requests
    assert (received.method, received.target) == ("GET", "/notes?q=a%20b")
    assert received.header("host") == notes.host
    assert received.header("user-agent") == "graft"
    assert received.header("authorization") == f"Bearer {TOKEN}"
    assert received.header_names == {"host", "user-agent", "accept-encoding", "authorization"}
    assert (response.status, response.text) == (200, "[]")


def test_a_write_leaves_with_its_body_in_utf_8(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok(b"{}", status="201 Created")))
    request = post("/notes", '{"text": "日本語"}', headers=(("Content-Type", "application/json"),))
    assert proxy(notes.host).send(a_connection(notes.host), request, deadline=soon()).status == 201
    (received,) = notes.requests
    assert received.body.decode() == '{"text": "日本語"}'
    assert received.header("content-type") == "application/json"


def test_a_write_without_a_body_says_so(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    proxy(notes.host).send(a_connection(notes.host), VendorRequest("DELETE", "/notes/1"), deadline=soon())
    assert notes.requests[0].header("content-length") == "0"


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_read_carries_no_body(proxy: Proxies, vendor: Vendors, method: str) -> None:
    notes = vendor(says(ok(b"" if method == "HEAD" else b"{}")))
    proxy(notes.host).send(a_connection(notes.host), VendorRequest(method, "/", body="smuggled"), deadline=soon())
    assert notes.requests[0].body == b""
    assert "content-length" not in notes.requests[0].header_names


def test_the_length_that_a_head_answer_names_comes_back(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"))
    response = proxy(notes.host).send(a_connection(notes.host), VendorRequest("HEAD", "/"), deadline=soon())
    assert (response.headers, response.text) == ((("content-length", "9999"),), "")


def test_a_module_may_name_its_own_agent(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    request = get("/", headers=(("user-agent", "reports/1"),))
    proxy(notes.host).send(a_connection(notes.host), request, deadline=soon())
    assert [value for name, value in notes.requests[0].headers if name.lower() == "user-agent"] == ["reports/1"]


def test_a_modules_headers_never_replace_the_connections(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    connection = a_connection(
        notes.host, scheme="api_key_header", config={"headerName": "X-Api-Key"}, secret={"key": "the-key"}
    )
    forged = (("x-api-key", "forged"), ("Authorization", "forged"), ("Host", "evil"), ("X-Forwarded-For", "1.1.1.1"))
    proxy(notes.host).send(connection, get("/", headers=forged), deadline=soon())
    (received,) = notes.requests
    assert received.header_names == {"host", "user-agent", "accept-encoding", "x-api-key"}
    assert [value for name, value in received.headers if name.lower() == "x-api-key"] == ["the-key"]


class TestKeyInTheQuery:
    def test_it_leaves_at_the_end_of_the_query_in_place_of_the_modules_own(
        self, proxy: Proxies, vendor: Vendors
    ) -> None:
        notes = vendor(says(ok(b"[]")))
        request = get("/notes?Api_Key=forged;x=1", params=(("api%5fkey", "forged"), ("q", "a"), ("api.key", "forged")))
        proxy(notes.host).send(with_key(notes.host), request, deadline=soon())
        proxy(notes.host).send(with_key(notes.host), get("/notes"), deadline=soon())
        assert [r.target for r in notes.requests] == ["/notes?x=1&q=a&api_key=the%2Fkey", "/notes?api_key=the%2Fkey"]

    def test_an_echo_of_the_address_comes_back_redacted(self, proxy: Proxies, vendor: Vendors) -> None:
        def echo(connection: socket.socket, received: Received) -> bool:
            target = received.target
            connection.sendall(ok(f"{target} the/key".encode(), f"Location: {target}", status="201 Created"))
            return True

        notes = vendor(echo)
        response = proxy(notes.host).send(with_key(notes.host), get("/notes"), deadline=soon())
        assert response.text == "/notes?api_key=[redacted] [redacted]"
        assert response.headers == (("location", "/notes?api_key=[redacted]"),)

    def test_a_redirect_takes_it_along_on_the_same_host_only_once(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(redirect("/b?api_key=the%2Fkey&x=1"), ok(b"end")))
        proxy(notes.host).send(with_key(notes.host), get("/a"), deadline=soon())
        assert notes.requests[1].target == "/b?x=1&api_key=the%2Fkey"

    def test_a_redirect_to_another_host_leaves_it_behind_even_where_the_vendor_wrote_it(
        self, proxy: Proxies, vendor: Vendors
    ) -> None:
        second = vendor(says(ok(b"end")))
        first = vendor(says(redirect(f"http://{second.host}/b?API_KEY=the%2Fkey&x=1")))
        proxy(first.host, second.host).send(with_key(first.host, second.host), get("/a"), deadline=soon())
        assert second.requests[0].target == "/b?x=1"

    @pytest.mark.parametrize("location", ["https://evil.example/?k=the/key", "https://the-key.evil.example:x/"])
    def test_no_refusal_holds_it(self, proxy: Proxies, vendor: Vendors, location: str) -> None:
        notes = vendor(says(redirect(location)))
        with pytest.raises(Refusal) as refused:
            proxy(notes.host).send(with_key(notes.host), get(), deadline=soon())
        assert "the/key" not in str(refused.value)


def with_key(*hosts: str) -> Connection:
    return a_connection(*hosts, scheme="api_key_query", config={"queryParam": "api_key"}, secret={"key": "the/key"})


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (get("/", host="evil.example"), Reason.HOST_NOT_ALLOWED),
        (get("/", host=""), Reason.HOST_NOT_ALLOWED),
        (get("/", host="a@b"), Reason.HOST_NOT_ALLOWED),
        (get("https://evil.example"), Reason.HOST_NOT_ALLOWED),
        (get("//evil.example"), Reason.HOST_NOT_ALLOWED),
        (get("/", headers=(("X-Note", "日本"),)), Reason.TOOL_FAILED),
        (post("/", "\ud800"), Reason.TOOL_FAILED),
        (post("/", "x" * (5 * 1024 * 1024 + 1)), Reason.TOOL_FAILED),
        (VendorRequest("TRACE", "/"), Reason.METHOD_NOT_DECLARED),
        (VendorRequest("get", "/"), Reason.METHOD_NOT_DECLARED),
        (VendorRequest("GET /x HTTP/1.1\r\nX:", "/"), Reason.METHOD_NOT_DECLARED),
    ],
)
def test_a_call_that_breaks_a_rule_never_leaves(
    proxy: Proxies, vendor: Vendors, request_: VendorRequest, reason: Reason
) -> None:
    notes = vendor(says(ok()))
    with pytest.raises(Refusal) as refused:
        proxy(notes.host).send(with_token(notes.host), request_, deadline=soon())
    assert refused.value.reason is reason
    assert notes.connections == 0


def test_a_name_that_leads_inside_is_refused_without_saying_where(proxy: Proxies) -> None:
    sender = proxy(resolve=lambda *_: ["10.1.2.3"])
    with pytest.raises(Refusal) as refused:
        sender.send(with_token("api.vendor.example"), get(), deadline=soon())
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert "10.1.2.3" not in refused.value.message


def test_another_declared_host_can_be_named(proxy: Proxies, vendor: Vendors) -> None:
    first, second = vendor(says(ok(b"1"))), vendor(says(ok(b"2")))
    sender, connection = proxy(first.host, second.host), a_connection(first.host, second.host)
    assert sender.send(connection, get(), deadline=soon()).text == "1"
    assert sender.send(connection, get("/", host=second.host), deadline=soon()).text == "2"


def test_a_revoked_connection_sends_nothing(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    for state in (ConnectionState.REVOKED, ConnectionState.REVOKING):
        with pytest.raises(Refusal) as refused:
            proxy(notes.host).send(a_connection(notes.host, state=state), get(), deadline=soon())
        assert refused.value.reason is Reason.CONNECTION_REVOKED
    assert notes.connections == 0


def test_a_wiped_credential_is_missing_even_while_it_is_remembered(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    sender, connection = proxy(notes.host), with_token(notes.host)
    sender.send(connection, get(), deadline=soon())
    with pytest.raises(Refusal, match="request_credential") as refused:
        sender.send(a_connection(notes.host, scheme="bearer"), get(), deadline=soon())
    assert refused.value.reason is Reason.CREDENTIAL_MISSING


def test_the_vault_is_asked_once_for_each_secret(vendor: Vendors) -> None:
    opened = []

    class Counting:
        seal = VAULT.seal

        def open(self, sealed: bytes, *, person_id: str, connection_id: str) -> Mapping[str, str]:
            opened.append(connection_id)
            return VAULT.open(sealed, person_id=person_id, connection_id=connection_id)

    notes = vendor(says(ok()))
    sender = Proxy(vault=Counting(), local_hosts=frozenset({notes.host}))
    for revision, token in ((1, "first-token"), (1, "first-token"), (2, "second-token")):
        connection = a_connection(notes.host, scheme="bearer", secret={"token": token}, secret_revision=revision)
        sender.send(connection, get(), deadline=soon())
    sender.close()
    assert opened == ["c1", "c1"]
    assert notes.requests[-1].header("authorization") == "Bearer second-token"


class TestRedirects:
    def test_to_another_declared_host_the_credential_stays_behind_for_good(
        self, proxy: Proxies, vendor: Vendors
    ) -> None:
        """Report: modelcontextprotocol/servers#4838"""

        def back(connection: socket.socket, _: Received) -> bool:
            connection.sendall(redirect(f"http://{first.host}/end"))
            return True

        second = vendor(back)
        first = vendor(says(redirect(f"http://{second.host}/on"), ok(b"end")))
        request = get("/", headers=(("X-Tag", "1"),))
        response = proxy(first.host, second.host).send(with_token(first.host, second.host), request, deadline=soon())
        assert response.text == "end"
        assert [received.header("authorization") for received in first.requests] == [f"Bearer {TOKEN}", None]
        assert second.requests[0].header("authorization") is None
        assert second.requests[0].header("x-tag") == "1"

    def test_on_the_same_host_the_credential_goes_along(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(redirect("/b"), ok(b"end")))
        proxy(notes.host).send(with_token(notes.host), get("/a"), deadline=soon())
        assert [(r.target, r.header("authorization")) for r in notes.requests] == [
            ("/a", f"Bearer {TOKEN}"),
            ("/b", f"Bearer {TOKEN}"),
        ]

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    @pytest.mark.parametrize(
        "location", ["http://169.254.169.254/latest/", "http://localhost/", "https://evil.example/", "//evil.example/"]
    )
    def test_outside_the_declared_hosts_it_ends(
        self, proxy: Proxies, vendor: Vendors, status: int, location: str
    ) -> None:
        """Report: modelcontextprotocol/servers#4838"""
        notes = vendor(says(redirect(location, status)))
        with pytest.raises(Refusal) as refused:
            proxy(notes.host).send(with_token(notes.host), get(), deadline=soon())
        assert refused.value.reason is Reason.HOST_NOT_ALLOWED
        assert len(notes.requests) == 1

    def test_to_an_undeclared_local_host_it_ends(self, proxy: Proxies, vendor: Vendors) -> None:
        other = vendor(says(ok(b"secret of another service")))
        notes = vendor(says(redirect(f"http://{other.host}/")))
        with pytest.raises(Refusal):
            proxy(notes.host, other.host).send(with_token(notes.host), get(), deadline=soon())
        assert other.connections == 0

    def test_three_are_followed_and_a_fourth_is_not(self, proxy: Proxies, vendor: Vendors) -> None:
        steps = [redirect(f"/{step}") for step in (1, 2, 3)]
        notes = vendor(says(*steps, ok(b"end")))
        assert proxy(notes.host).send(a_connection(notes.host), get(), deadline=soon()).text == "end"
        looping = vendor(says(redirect("/again")))
        with pytest.raises(Refusal, match="more than 3 times") as refused:
            proxy(looping.host).send(a_connection(looping.host), get(), deadline=soon())
        assert refused.value.reason is Reason.VENDOR_UNREACHABLE
        assert len(looping.requests) == 4

    def test_a_write_is_repeated_only_when_the_vendor_says_so(self, proxy: Proxies, vendor: Vendors) -> None:
        for status, method, body in ((302, "GET", b""), (303, "GET", b""), (307, "POST", b"x"), (308, "POST", b"x")):
            notes = vendor(says(redirect("/b", status), ok()))
            proxy(notes.host).send(a_connection(notes.host), post("/a", "x"), deadline=soon())
            assert (notes.requests[1].method, notes.requests[1].body) == (method, body)

    def test_a_host_that_holds_the_secret_is_not_named_in_the_refusal(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(redirect(f"https://x-{TOKEN}.evil.example/".replace("tok_", "tok-"))))
        connection = a_connection(notes.host, scheme="bearer", secret={"token": TOKEN.replace("tok_", "tok-")})
        with pytest.raises(Refusal, match=r"\[redacted\]") as refused:
            proxy(notes.host).send(connection, get(), deadline=soon())
        assert TOKEN.removeprefix("tok_") not in str(refused.value)


class TestSecrets:
    def test_an_echoed_token_comes_back_redacted_in_text_and_headers(self, proxy: Proxies, vendor: Vendors) -> None:
        def echo(connection: socket.socket, received: Received) -> bool:
            sent = received.header("authorization") or ""
            connection.sendall(ok(f'{{"you sent": "{sent}"}}'.encode(), f"X-Echo: {sent}", f"Set-Cookie: t={sent}"))
            return True

        notes = vendor(echo)
        response = proxy(notes.host).send(with_token(notes.host), get(), deadline=soon())
        assert response.text == '{"you sent": "Bearer [redacted]"}'
        assert response.headers == (("x-echo", "Bearer [redacted]"),)

    def test_an_echoed_basic_pair_comes_back_redacted(self, proxy: Proxies, vendor: Vendors) -> None:
        pair = b64encode(b"ana:passw0rd")
        notes = vendor(says(ok(b"Basic " + pair + b" is ana with passw0rd")))
        connection = a_connection(notes.host, scheme="basic", secret={"username": "ana", "password": "passw0rd"})
        response = proxy(notes.host).send(connection, get(), deadline=soon())
        assert response.text == "Basic [redacted] is ana with [redacted]"

    def test_a_secret_echoed_behind_a_redirect_to_another_host_is_still_redacted(
        self, proxy: Proxies, vendor: Vendors
    ) -> None:
        second = vendor(says(ok(TOKEN.encode())))
        first = vendor(says(redirect(f"http://{second.host}/?t={TOKEN}")))
        response = proxy(first.host, second.host).send(with_token(first.host, second.host), get(), deadline=soon())
        assert response.text == "[redacted]"

    @pytest.mark.parametrize(
        "answer",
        [
            f"{TOKEN}\r\n\r\n".encode(),
            f"HTTP/1.1 {TOKEN}\r\n\r\n".encode(),
            f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{TOKEN}\r\n".encode(),
            ok(b"x", f"Content-Encoding: {TOKEN}"),
            redirect(f"https://evil.example/{TOKEN}"),
            redirect(f"https://{TOKEN}@evil.example/"),
        ],
    )
    def test_no_error_log_or_trace_holds_it(
        self, proxy: Proxies, vendor: Vendors, answer: bytes, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level(logging.DEBUG)
        notes = vendor(says(answer, keeps=False))
        with pytest.raises(Refusal) as refused:
            proxy(notes.host).send(with_token(notes.host), get(), deadline=soon())
        trace = "".join(traceback.format_exception(refused.value))
        assert TOKEN not in refused.value.message + caplog.text + trace + repr(refused.value.details)

    def test_nothing_that_can_be_printed_shows_it(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(ok()))
        connection: Connection = with_token(notes.host)
        sender = proxy(notes.host)
        sender.send(connection, get(), deadline=soon())
        shown = repr((sender, vars(sender), connection, VAULT))
        assert TOKEN not in shown
        assert repr(bytes(range(32)))[2:20] not in shown
