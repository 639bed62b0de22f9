"""Pages of documentation: what is read, what is refused, and what becomes of it."""

from __future__ import annotations

from contextlib import closing

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Page
from chalicelib.proxy.documents import PublicDocuments
from chalicelib.proxy.html_text import read_html
from tests.proxy.raw_vendor import RawVendor, Script, ok, redirect, says


def read(script: Script, path: str = "/docs") -> Page:
    with closing(RawVendor(script)) as site:
        return PublicDocuments(local_hosts=frozenset({site.host})).read(f"http://{site.host}{path}")


def refusal_of(url: str, *local: str) -> Refusal:
    with pytest.raises(Refusal) as refused:
        PublicDocuments(local_hosts=frozenset(local)).read(url)
    return refused.value


@pytest.mark.parametrize(
    "url",
    [
        "http://docs.example.com/",
        "ftp://docs.example.com/",
        "file:///etc/passwd",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://user@docs.example.com/",
        "https:///nothing",
        "docs.example.com",
        "https://0x7f000001/",
    ],
)
def test_only_public_https_addresses_are_read(url: str) -> None:
    assert refusal_of(url).reason is Reason.HOST_NOT_ALLOWED


def test_a_redirect_to_another_site_is_not_followed() -> None:
    with closing(RawVendor(says(ok(b"secret")))) as other:
        elsewhere = f"http://{other.named('localhost')}/"
        with closing(RawVendor(says(redirect(elsewhere)))) as site:
            refusal = refusal_of(f"http://{site.host}/", site.host, other.named("localhost"))
        assert refusal.reason is Reason.HOST_NOT_ALLOWED
        assert other.requests == []


def test_a_redirect_within_the_site_is_followed() -> None:
    assert read(says(redirect("/there"), ok(b"here", "Content-Type: text/plain"))).text == "here"


def test_redirects_end() -> None:
    with closing(RawVendor(says(redirect("/again")))) as site:
        assert refusal_of(f"http://{site.host}/", site.host).reason is Reason.VENDOR_UNREACHABLE


def test_a_page_that_is_not_there_is_no_page() -> None:
    with closing(RawVendor(says(ok(b"no", status="404 Not Found")))) as site:
        assert "404" in refusal_of(f"http://{site.host}/", site.host).message


def test_what_is_no_text_is_no_page() -> None:
    with closing(RawVendor(says(ok(b"%PDF", "Content-Type: application/pdf")))) as site:
        assert "no text" in refusal_of(f"http://{site.host}/", site.host).message


def test_plain_text_and_json_are_taken_as_they_are() -> None:
    assert read(says(ok(b"# Orders <b>", "Content-Type: text/markdown"))).text == "# Orders <b>"
    assert read(says(ok(b'{"openapi": "3.1.0"}', "Content-Type: application/json"))).text == '{"openapi": "3.1.0"}'


def test_links_are_whole_each_once_and_of_the_same_site() -> None:
    html = (
        b'<html><a href="/a#x">A</a><a href="/a#y">again</a><a href="b">B</a><a href="https://evil.example/">E</a>'
        b'<a href="javascript:alert(1)">J</a><a>none</a></html>'
    )
    with closing(RawVendor(says(ok(html, "Content-Type: text/html")))) as site:
        page = PublicDocuments(local_hosts=frozenset({site.host})).read(f"http://{site.host}/docs/")
        base = f"http://{site.host}"
    assert page.links == ((f"{base}/a", "A"), (f"{base}/docs/b", "B"))


def test_html_is_what_a_reader_sees() -> None:
    text, links = read_html(
        "<head><title>T</title></head><style>p{}</style><!-- hidden --><h1>Orders &amp; more</h1><p>one\n two</p>"
        "<pre>GET /v1\n  /orders</pre><table><tr><td>a</td><td>b</td></tr></table><script>evil()</script>"
        '<p>See <a href="/x"> the <b>page</b></a>'
    )
    assert text == "Orders & more\none two\nGET /v1\n  /orders\n| a| b\nSee the page"
    assert links == [("/x", "the page")]


@pytest.mark.parametrize("html", ["<" * 100_000, "<a href=" * 10_000, "<div>" * 50_000, "&" * 100_000, "<!--" * 10_000])
def test_no_markup_is_too_broken_to_read(html: str) -> None:
    read_html(html)
