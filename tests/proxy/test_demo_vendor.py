"""The demo vendor keeps notes, asks for its token, and answers every call in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from infra.local.vendor import BODY_BYTES_MAX, NOTES_MAX, TEXT_MAX, VendorServer, serve

TOKEN = "demo-token"


class Caller:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self.connection = HTTPConnection("127.0.0.1", port, timeout=5)

    def __call__(self, method: str, path: str, body: str | None = None, token: str | None = TOKEN) -> tuple[int, Any]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.connection.request(method, path, None if body is None else body.encode(), headers)
        response = self.connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None

    def close(self) -> None:
        self.connection.close()


@pytest.fixture
def vendor(tmp_path: Path) -> Iterator[VendorServer]:
    with closing(serve("127.0.0.1", 0, TOKEN, tmp_path / "notes.json")) as server:
        yield server


@pytest.fixture
def call(vendor: VendorServer) -> Iterator[Caller]:
    with closing(Caller(vendor.port)) as caller:
        yield caller


def test_it_starts_with_a_few_notes(call: Caller) -> None:
    status, notes = call("GET", "/notes")
    assert status == 200
    assert len(notes) == 3
    assert all(set(note) == {"id", "text", "createdAt"} for note in notes)


def test_a_note_is_made_shown_and_deleted(call: Caller) -> None:
    status, note = call("POST", "/notes", json.dumps({"text": "日本語 🎉"}))
    assert (status, note["text"]) == (201, "日本語 🎉")
    assert call("GET", f"/notes/{note['id']}") == (200, note)
    assert note in call("GET", "/notes?page=1")[1]
    assert call("HEAD", f"/notes/{note['id']}") == (200, None)
    assert call("DELETE", f"/notes/{note['id']}") == (204, None)
    assert call("DELETE", f"/notes/{note['id']}")[0] == 404
    assert call("GET", f"/notes/{note['id']}")[0] == 404


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN + "x", "démo"])
def test_without_the_token_everything_but_health_is_401(call: Caller, token: str | None) -> None:
    for method, path in (("GET", "/notes"), ("POST", "/notes"), ("DELETE", "/notes/1"), ("GET", "/nowhere")):
        status, content = call(method, path, "{}", token)
        assert (status, set(content)) == (401, {"error"})
    assert call("GET", "/health", token=token) == (200, {"status": "ok"})
    assert len(call("GET", "/notes")[1]) == 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("", 400),
        ("{", 400),
        ("[" * 100_000, 400),
        ("[]", 422),
        ("{}", 422),
        ('{"text": 1}', 422),
        ('{"text": " "}', 422),
        ('{"text": "\\ud800"}', 422),
        (json.dumps({"text": "x" * TEXT_MAX}), 201),
        (json.dumps({"text": "x" * (TEXT_MAX + 1)}), 422),
        ("x" * (BODY_BYTES_MAX + 1), 413),
    ],
)
def test_a_body_is_a_text_of_bounded_length(call: Caller, body: str, status: int) -> None:
    assert call("POST", "/notes", body)[0] == status
    assert call("GET", "/health")[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PUT", "/notes/1", 405),
        ("DELETE", "/notes", 405),
        ("GET", "/", 404),
        ("GET", "/notes/1/x", 404),
        ("GET", "/%00", 404),
    ],
)
def test_other_methods_and_paths_are_answered(call: Caller, method: str, path: str, status: int) -> None:
    assert call(method, path)[0] == status


def test_notes_survive_a_restart_and_ids_are_never_used_twice(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    with closing(serve("127.0.0.1", 0, TOKEN, path)) as server, closing(Caller(server.port)) as call:
        first = call("POST", "/notes", '{"text": "kept"}')[1]
        gone = call("POST", "/notes", '{"text": "gone"}')[1]
        call("DELETE", f"/notes/{gone['id']}")
    with closing(serve("127.0.0.1", 0, TOKEN, path)) as server, closing(Caller(server.port)) as call:
        assert call("GET", f"/notes/{first['id']}") == (200, first)
        assert call("POST", "/notes", '{"text": "new"}')[1]["id"] not in {first["id"], gone["id"]}
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.json"]


def test_parallel_notes_are_all_kept(vendor: VendorServer) -> None:
    def add(number: int) -> int:
        with closing(Caller(vendor.port)) as call:
            return call("POST", "/notes", json.dumps({"text": f"note {number}"}))[0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(add, range(40))) == [201] * 40
    with closing(Caller(vendor.port)) as call:
        assert len(call("GET", "/notes")[1]) == 43


def test_there_are_at_most_a_thousand_notes(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    kept = [
        {"id": str(number), "text": "x", "createdAt": "2026-12-01T00:00:00.000+00:00"} for number in range(NOTES_MAX)
    ]
    path.write_text(json.dumps({"nextId": NOTES_MAX, "notes": kept}))
    with closing(serve("127.0.0.1", 0, TOKEN, path)) as server, closing(Caller(server.port)) as call:
        assert call("POST", "/notes", '{"text": "one more"}')[0] == 409
        call("DELETE", "/notes/0")
        assert call("POST", "/notes", '{"text": "one more"}')[0] == 201


def test_closing_hangs_up_on_connections_that_are_kept_alive(tmp_path: Path) -> None:
    server = serve("127.0.0.1", 0, TOKEN, tmp_path / "notes.json")
    with closing(Caller(server.port)) as call:
        call("GET", "/health")
        server.close()
        call.connection.auto_open = 0
        with pytest.raises(ConnectionError):
            call("GET", "/health")
