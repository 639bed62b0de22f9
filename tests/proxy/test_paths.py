"""A path stays on its host, and the request line carries it whole."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import Reason, Refusal
from chalicelib.proxy.paths import TARGET_MAX, build_target

encodable = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/v1/orders", "/v1/orders"),
        ("v1/orders", "/v1/orders"),
        ("", "/"),
        ("?page=2", "/?page=2"),
        ("/orders?status=open&page=2", "/orders?status=open&page=2"),
        ("/orders?", "/orders"),
        ("/a b/ü", "/a%20b/%C3%BC"),
        ("/a%20b", "/a%20b"),
        ("/100%", "/100%25"),
        ("/100%zz?x=5%", "/100%25zz?x=5%25"),
        ("/notes/%0d%0aX: y", "/notes/%0d%0aX:%20y"),
        ("/notes/%00", "/notes/%00"),
        ("/users/@me", "/users/@me"),
        ("/drive/items:batch", "/drive/items:batch"),
        ("/a//b", "/a//b"),
        ("/search?q=a/../b", "/search?q=a/../b"),
        ("/search?next=//evil.example", "/search?next=//evil.example"),
        ("/search?q=user@host", "/search?q=user@host"),
        ("/...", "/..."),
        ("/.well-known/x", "/.well-known/x"),
        ('/<"quoted">', "/%3C%22quoted%22%3E"),
    ],
)
def test_a_path_becomes_a_request_target(path: str, target: str) -> None:
    assert build_target(path) == target


def test_params_follow_the_query_that_the_path_already_has() -> None:
    assert build_target("/x", [("a", "1"), ("a", "2"), ("b c", "&=?#/+ü\r\n")]) == (
        "/x?a=1&a=2&b%20c=%26%3D%3F%23%2F%2B%C3%BC%0D%0A"
    )
    assert build_target("/x?y=1", [("z", "")]) == "/x?y=1&z="


@pytest.mark.parametrize(
    "path",
    [
        "//evil.example/x",
        "///evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "/a\\..\\b",
        "\\evil",
        "@evil.example/x",
        ":80@evil.example",
        "user:pw@evil.example/x",
        ".evil.example@x/",
        "https://evil.example/",
        "HTTPS:evil.example",
        "http:/evil.example",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ],
)
def test_what_could_name_another_host_is_refused(path: str) -> None:
    with pytest.raises(Refusal) as refused:
        build_target(path)
    assert refused.value.reason is Reason.HOST_NOT_ALLOWED
    assert "host=" in refused.value.message


@pytest.mark.parametrize(
    "path",
    [
        "/notes/..",
        "/../admin",
        "..",
        "/a/./b",
        "/a/%2e%2e/b",
        "/a/.%2E/b",
        "/a/%2e",
        "/a%2f..%2fb",
        "/a%5c..%5cb",
        "/a/..;x=1/b",
        "/a\r\nHost: evil",
        "/a\nb",
        "/a\x00b",
        "/a\tb",
        "/a\x7fb",
        "/a#fragment",
        "/\ud800",
        pytest.param("/" + "x" * TARGET_MAX, id="too long"),
    ],
)
def test_what_a_request_line_cannot_carry_safely_is_refused(path: str) -> None:
    with pytest.raises(Refusal) as refused:
        build_target(path)
    assert refused.value.reason is Reason.TOOL_FAILED


def test_half_a_surrogate_pair_in_params_is_refused() -> None:
    with pytest.raises(Refusal, match="surrogate"):
        build_target("/", [("q", "\udc00")])


@given(st.text(max_size=60), st.lists(st.tuples(encodable, encodable), max_size=4))
def test_any_path_becomes_a_safe_target_or_is_refused(path: str, params: list[tuple[str, str]]) -> None:
    try:
        target = build_target(path, params)
    except Refusal:
        return
    assert re.fullmatch(r"/(?!/)[\x21-\x7e]*", target)
    assert "#" not in target
    assert "\\" not in target
    assert not {".", ".."} & set(unquote(target.partition("?")[0]).split("/"))


@given(st.lists(st.tuples(encodable, encodable), max_size=5))
def test_params_arrive_as_they_were_given(params: list[tuple[str, str]]) -> None:
    query = build_target("/", params).partition("?")[2]
    assert parse_qsl(query, keep_blank_values=True, strict_parsing=bool(params)) == params
