"""A request that asks the vendor's framework to take another method is seen through."""

from __future__ import annotations

import json

import pytest

from chalicelib.proxy.call import Call
from chalicelib.proxy.hosts import parse_host
from chalicelib.proxy.overrides import pretended_methods

FORM = "application/x-www-form-urlencoded; charset=utf-8"
MULTIPART = "multipart/form-data; boundary=b"


def a_call(
    target: str = "/x", *, content_type: str = "", body: str | None = None, header: tuple[str, str] | None = None
) -> Call:
    named = (("Content-Type", content_type),) if content_type else ()
    headers = (*named, header) if header else named
    encoded = None if body is None else body.encode()
    return Call("POST", "https", parse_host("api.vendor.example"), target, headers, encoded)


@pytest.mark.parametrize(
    "call",
    [
        a_call("/x?_method=DELETE"),
        a_call("/x?a=1&_method=delete"),
        a_call("/x?%5Fmethod=%44ELETE"),
        a_call("/x?.method=DELETE"),
        a_call("/x?+_method=DELETE"),
        a_call(content_type=FORM, body="a=1&_method=DELETE"),
        a_call(content_type=FORM, body="%5fmethod=+delete+"),
        a_call(content_type="application/json", body='{"a": {"b": 1}, "_method": "DELETE"}'),
        a_call(content_type="application/json", body='{"\\u005fmethod": "DELETE"}'),
        a_call(content_type="application/vnd.api+json", body='{"_method": "DELETE", "_method": "POST"}'),
        a_call(
            content_type=MULTIPART,
            body='--b\r\nContent-Disposition: form-data; name="_method"\r\nX: y\r\n\r\nDELETE\r\n--b--',
        ),
        a_call(
            content_type=MULTIPART,
            body="--b\nContent-Disposition: form-data; NAME=_method\n\n  delete\n--b--",
        ),
        a_call(
            content_type=MULTIPART,
            body='--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\n'
            'Content-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--b--',
        ),
        a_call("/x?__method=DELETE"),
        a_call("/x?a=1;_method=DELETE"),
        a_call("/x?_METHOD=DELETE"),
        a_call("/x?X-HTTP-Method-Override=DELETE"),
        a_call("/x?%24httpMethod=DELETE"),
        a_call("/x?x_http_method=DELETE"),
        a_call(content_type="application/json", body='{"X-HTTP-Method-Override": "DELETE"}'),
        a_call(content_type=FORM, body="httpMethod=DELETE"),
        a_call(header=("X-Whatever", "DELETE")),
        a_call(header=("X-Whatever", "delete")),
    ],
)
def test_the_pretended_method_is_found(call: Call) -> None:
    assert "DELETE" in pretended_methods(call)


@pytest.mark.parametrize(
    "call",
    [
        a_call(),
        a_call("/x?method=DELETE"),
        a_call("/x?_method=newton"),
        a_call("/_method=DELETE"),
        a_call(body="_method=DELETE"),
        a_call(content_type="text/plain", body="_method=DELETE"),
        a_call(content_type="application/json", body='{"a": {"_method": "DELETE"}}'),
        a_call(content_type="application/json", body='["_method", "DELETE"]'),
        a_call(content_type="application/json", body='{"_method": 1}'),
        a_call(content_type="application/json", body='{"_method": "DELETE"'),
        a_call(content_type="application/json", body='{"_method": "DELETE", "x": ' + "[" * 100_000),
        a_call(content_type="application/json", body=json.dumps({"text": "_method"})),
        a_call(content_type=FORM, body=""),
        a_call("/x?payment_method=DELETE"),
        a_call("/x?q=_method%3DDELETE"),
        a_call(header=("X-Whatever", "to delete")),
        a_call(content_type=MULTIPART, body='--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nDELETE\r\n--b--'),
    ],
)
def test_what_only_looks_like_it_is_left_alone(call: Call) -> None:
    assert pretended_methods(call) == frozenset()


@pytest.mark.parametrize(
    "body",
    ["name=_method\n" * 300_000, "\n\n" * 1_000_000, "name=" * 500_000, '{"_method": ' * 200_000, ";" * 2_000_000],
)
def test_a_body_made_to_be_slow_is_not(body: str) -> None:
    for content_type in (FORM, MULTIPART, "application/json"):
        assert pretended_methods(a_call(content_type=content_type, body=body)) == frozenset()
