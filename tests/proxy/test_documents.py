"""Pages of documentation: what is read, what is refused, and what becomes of it."""

from __future__ import annotations

from contextlib import closing

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import Page
from chalicelib.proxy.documents import PublicDocuments
from chalicelib.proxy.html_text import CHARACTERS_MAX, LINKS_MAX, read_html
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


def test_what_a_page_leaves_open_ends_as_in_a_browser() -> None:
    assert read_html("<head><meta charset=x><body>seen")[0] == "seen"
    assert read_html("seen<script>if (a < b) {</scripted>")[0] == "seen"
    assert read_html("seen<!-- never closed <p>hidden")[0] == "seen"
    assert read_html("<form><svg></form>seen</svg>")[0] == "seen"
    assert read_html("1 < 2 & 3 > 2")[0] == "1 < 2 & 3 > 2"
    assert read_html("""<p title="a > b">seen <a href=x title=it's>link</a>""") == ("seen link", [("x", "link")])
    assert read_html("<A HREF = '/a?b=1&amp;c=2' href=/second>link</A>")[1] == [("/a?b=1&c=2", "link")]
    assert read_html("</ bogus><!doctype html><?pi?>seen</br>")[0] == "seen"
    assert read_html("<pre>  a  \n\n  b</pre>")[0] == "a\n  b"


BROKEN = [
    *("<", "<a ", "<a/", '<a "', "<a =", "<a x='", "</", "</a ", "<!--", "<!--a", "<!", "<?", "<![CDATA["),
    *(
        "<!doctype ",
        "<a href=>",
        "<a href=x>",
        "<div>",
        "<pre>",
        "<script>",
        "<scrip",
        "<title>",
        "<title></titl",
        "<textarea>",
    ),
    *("&", "&#1", "&#x", "&a", " ", "\n", " \n", "\0", "x="),
]


@pytest.mark.parametrize("first", ["", "<pre>"])
@pytest.mark.parametrize("again", BROKEN)
def test_a_megabyte_of_any_markup_is_read_in_one_pass(first: str, again: str) -> None:
    """Each of most of these keeps the library's parser busy for minutes, and with it every other thread."""
    read_html(first + again * (CHARACTERS_MAX // len(again)))


def test_a_megabyte_of_what_opens_inside_what_hides_is_read_in_one_pass() -> None:
    assert read_html("<svg>" * 100_000 + "</form>" * 70_000)[0] == ""


def test_a_reference_to_no_character_is_no_fault() -> None:
    assert read_html(f"seen &#{'1' * 5_000};")[0].startswith("seen")
    assert len(read_html("<a href=/x>x</a>" * 50_000)[1]) == LINKS_MAX
