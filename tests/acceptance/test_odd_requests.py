"""What is not quite HTTP, or not quite a path, on the process that make run starts."""

from __future__ import annotations

import socket
import struct

import httpx2
import pytest

from tests.acceptance.graft import Graft


@pytest.mark.parametrize("path", ["/.well-known/oauth-protected-resource/mcp", "/MCP", "/%6dcp", "/a/b/c", "/nothing"])
def test_a_path_that_is_not_there_is_404_and_echoes_nothing(graft: Graft, path: str) -> None:
    base = graft.local["mcp_url"].removesuffix("/mcp")
    answer = httpx2.get(base + path, headers={"Authorization": "Bearer a-secret"})
    assert answer.status_code == 404
    assert "a-secret" not in answer.text


@pytest.mark.parametrize("size", [b"-1", b"0x5", b"2_4", b"", b"zz", b"fffffffff"])
def test_a_chunk_size_that_http_does_not_know_ends_the_connection_at_once(graft: Graft, size: bytes) -> None:
    answer = _raw(graft, b"Transfer-Encoding: chunked\r\n\r\n" + size + b"\r\nabcde")
    assert answer.split(b"\r\n")[0].split()[1] in (b"400", b"413")


def test_a_body_that_ends_before_its_length_is_nobodys_request(graft: Graft) -> None:
    answer = _raw(graft, b"Content-Length: 500\r\n\r\n{}")
    assert answer.startswith(b"HTTP/1.1 400")


def test_a_body_in_chunks_is_read(graft: Graft) -> None:
    answer = _raw(graft, b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 401")


def test_a_client_that_hangs_up_leaves_no_trace_on_the_terminal(graft: Graft) -> None:
    for sent in (b"", b"POST /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"):
        with socket.create_connection(("127.0.0.1", graft.port), timeout=10) as connection:
            connection.sendall(sent)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert _raw(graft, b"Content-Length: 500\r\n\r\n{}").startswith(b"HTTP/1.1 400")
    assert "Traceback" not in graft.log()


def _raw(graft: Graft, rest: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", graft.port), timeout=10) as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + rest)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer
