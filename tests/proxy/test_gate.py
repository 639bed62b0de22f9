"""One run's calls: what it declared, at most fifty, and no write in a dry run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Connection, VendorRequest
from chalicelib.proxy.gate import CALLS_MAX, PREVIEW_BODY_MAX, Gate
from chalicelib.proxy.proxy import Proxy
from tests.proxy.conftest import Proxies, Vendors
from tests.proxy.examples import a_connection, get, post, soon, with_token
from tests.proxy.raw_vendor import ok, says

ALL = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})
JSON = (("Content-Type", "application/json"),)


def a_gate(
    proxy: Proxy,
    connection: Connection | Callable[[], Connection],
    *,
    methods: frozenset[str] = ALL,
    dry_run: bool = False,
) -> Gate:
    ask = connection if callable(connection) else lambda: connection
    return Gate(proxy, connection=ask, methods=methods, dry_run=dry_run)


def test_a_declared_method_reaches_the_vendor(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok(b"[]"), ok(b"{}", status="404 Not Found"), ok(b"{}", status="201 Created")))
    gate = a_gate(proxy(notes.host), a_connection(notes.host))
    assert gate(get("/notes", params=(("q", "x"),)), soon()).status == 200
    assert gate(get("/notes/9"), soon()).status == 404
    assert gate(post("/notes", "{}"), soon()).status == 201
    assert gate.reads == [
        {"method": "GET", "path": "/notes?q=x", "status": 200},
        {"method": "GET", "path": "/notes/9", "status": 404},
    ]
    assert (gate.previews, gate.calls) == ([], 3)


@pytest.mark.parametrize(
    "request_",
    [
        post("/notes"),
        VendorRequest("DELETE", "/notes/1"),
        VendorRequest("HEAD", "/notes"),
        VendorRequest("post", "/notes"),
        VendorRequest("POST ", "/notes"),
        VendorRequest("OPTIONS", "/notes"),
        get("/notes?_method=DELETE"),
        get("/notes", params=(("_method", "post"),)),
    ],
)
def test_a_method_outside_the_declared_ones_stops(proxy: Proxies, vendor: Vendors, request_: VendorRequest) -> None:
    notes = vendor(says(ok()))
    for dry_run in (False, True):
        gate = a_gate(proxy(notes.host), a_connection(notes.host), methods=frozenset({"GET"}), dry_run=dry_run)
        with pytest.raises(Refusal) as refused:
            gate(request_, soon())
        assert refused.value.reason is Reason.METHOD_NOT_DECLARED
    assert notes.connections == 0


def test_a_method_override_in_a_body_is_no_way_round(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    gate = a_gate(proxy(notes.host), a_connection(notes.host), methods=frozenset({"POST"}))
    with pytest.raises(Refusal, match="DELETE"):
        gate(post("/notes/1", '{"_method": "DELETE"}', headers=JSON), soon())
    assert gate(post("/notes/1", '{"_method": "POST"}', headers=JSON), soon()).status == 200


def test_the_fifty_first_call_stops(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    gate = a_gate(proxy(notes.host), a_connection(notes.host))
    for _ in range(CALLS_MAX):
        gate(get(), soon())
    with pytest.raises(Refusal) as refused:
        gate(get(), soon())
    assert refused.value.reason is Reason.TOO_MANY_REQUESTS_IN_RUN
    assert (gate.calls, len(notes.requests)) == (50, 50)


def test_refused_calls_count_too(proxy: Proxies) -> None:
    gate = a_gate(proxy(), a_connection())
    for _ in range(CALLS_MAX):
        with pytest.raises(Refusal, match="not one of"):
            gate(get("/", host="evil.example"), soon())
    with pytest.raises(Refusal) as refused:
        gate(get("/", host="evil.example"), soon())
    assert refused.value.reason is Reason.TOO_MANY_REQUESTS_IN_RUN


def test_the_connection_is_read_before_each_call_and_may_refuse(proxy: Proxies, vendor: Vendors) -> None:
    notes = vendor(says(ok()))
    live = [a_connection(notes.host)]

    def read() -> Connection:
        if not live:
            raise Refusal(Reason.CONNECTION_REVOKED, "revoked meanwhile")
        return live.pop()

    gate = a_gate(proxy(notes.host), read)
    gate(get(), soon())
    with pytest.raises(Refusal, match="revoked meanwhile"):
        gate(get(), soon())
    assert len(notes.requests) == 1


class TestDryRun:
    def test_reads_reach_the_vendor_and_writes_are_previewed(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(ok(b"[]")))
        gate = a_gate(proxy(notes.host), with_token(notes.host), dry_run=True)
        assert gate(get("/notes"), soon()).text == "[]"
        request = post(
            "/notes", '{"text": "hi"}', params=(("a", "b"),), headers=(*JSON, ("Cookie", "x"), ("X-Tag", "1"))
        )
        answer = gate(request, soon())
        assert (answer.status, answer.text) == (202, "{}")
        assert gate.previews == [
            {
                "method": "POST",
                "host": notes.host,
                "path": "/notes?a=b",
                "headerNames": ["Content-Type", "X-Tag"],
                "body": '{"text": "hi"}',
            }
        ]
        assert [received.method for received in notes.requests] == ["GET"]
        assert gate.calls == 2

    def test_no_credential_is_opened_and_no_name_looked_up_for_a_stopped_call(self) -> None:
        class Closed:
            def seal(self, *_: object, **__: object) -> bytes:
                raise AssertionError

            def open(self, *_: object, **__: object) -> dict[str, str]:
                raise AssertionError

        gate = a_gate(Proxy(vault=Closed(), local_hosts=frozenset()), with_token(), dry_run=True)
        assert gate(VendorRequest("DELETE", "/notes/1"), soon()).status == 202
        assert gate.previews[0]["body"] is None

    def test_a_key_in_the_query_is_in_no_read_and_no_preview(self, proxy: Proxies, vendor: Vendors) -> None:
        notes = vendor(says(ok(b"[]")))
        secret = {"key": "the-key"}
        connection = a_connection(notes.host, scheme="api_key_query", config={"queryParam": "token"}, secret=secret)
        gate = a_gate(proxy(notes.host), connection, dry_run=True)
        gate(get("/notes?Token=forged&q=1"), soon())
        gate(post("/notes?TOKEN=forged"), soon())
        assert notes.requests[0].target == "/notes?q=1&token=the-key"
        assert gate.reads[0]["path"] == "/notes?q=1"
        assert gate.previews[0]["path"] == "/notes"

    @pytest.mark.parametrize(
        ("request_", "reason"),
        [
            (post("/", host="evil.example"), Reason.HOST_NOT_ALLOWED),
            (post("//evil.example"), Reason.HOST_NOT_ALLOWED),
            (post("/", headers=(("X", "日本"),)), Reason.TOOL_FAILED),
        ],
    )
    def test_a_stopped_call_is_judged_all_the_same(
        self, proxy: Proxies, request_: VendorRequest, reason: Reason
    ) -> None:
        gate = a_gate(proxy(), a_connection(), dry_run=True)
        with pytest.raises(Refusal) as refused:
            gate(request_, soon())
        assert refused.value.reason is reason
        assert gate.previews == []

    def test_a_long_body_is_previewed_from_its_head(self, proxy: Proxies) -> None:
        gate = a_gate(proxy(), a_connection(), dry_run=True)
        gate(post("/", "é" * (PREVIEW_BODY_MAX + 5)), soon())
        assert gate.previews[0]["body"] == "é" * PREVIEW_BODY_MAX + "… (5 more characters)"
