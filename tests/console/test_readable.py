"""What makes a page readable: times, values, changes, characters that cannot be seen, places, words of schemes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.console import moments, places
from chalicelib.console.browser_names import browser_name
from chalicelib.console.paging import cut, cut_and_told, weigh
from chalicelib.console.scheme_words import SCHEMES as WORDS
from chalicelib.console.unseen import Piece, count_unseen, pieces
from chalicelib.console.values import shown
from chalicelib.proxy.schemes import SCHEMES
from chalicelib.rules.connections import names_vendor

NOW = datetime(2026, 11, 30, 14, 18, tzinfo=UTC)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=20), "just now"),
        (timedelta(minutes=12), "12 min ago"),
        (timedelta(hours=2), "2 h ago"),
        (timedelta(hours=20), "yesterday"),
        (timedelta(days=4), "4 d ago"),
        (timedelta(days=60), "1 October"),
        (timedelta(days=400), "26 October 2025"),
    ],
)
def test_times_are_told_as_a_person_tells_them(passed: timedelta, words: str) -> None:
    assert moments.ago(NOW - passed, NOW) == words


def test_an_end_is_told_by_its_day() -> None:
    assert moments.until(NOW + timedelta(hours=2), NOW) == "today, 16:18 UTC"
    assert moments.until(NOW + timedelta(hours=24), NOW) == "tomorrow, 14:18 UTC"
    assert moments.until(NOW + timedelta(days=30), NOW) == "30 December, 14:18 UTC"
    assert moments.exact(NOW) == "30 Nov 2026, 14:18 UTC"


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\u200b", "U+200B zero width space"),
        ("\u202e", "U+202E right-to-left override"),
        ("\u2066", "U+2066 left-to-right isolate"),
        ("\x00", "U+0000 null"),
        ("\x1b", "U+001B escape"),
        ("\t", "U+0009 tab"),
        ("\u00ad", "U+00AD soft hyphen"),
        ("\u3164", "U+3164 hangul filler"),
        ("\ufe0f", "U+FE0F variation selector-16"),
        ("\U000e0041", "U+E0041 tag latin capital letter a"),
        ("\u00a0", "U+00A0 no-break space"),
        ("\ud800", "U+D800 control or unknown character"),
    ],
)
def test_a_character_that_cannot_be_seen_is_named(character: str, name: str) -> None:
    assert [piece.text for piece in pieces(f"a{character}b")] == ["a", name, "b"]
    assert count_unseen(f"a{character}b") == 1


def test_what_can_be_seen_stays_as_it_is() -> None:
    text = "Grüße, 東京 🙂 \n“quoted”"
    assert [piece.text for piece in pieces(text)] == [text]


def test_a_text_of_nothing_else_stays_short() -> None:
    (piece,) = pieces("\u200b" * 50_000)
    assert piece.text == "U+200B ×50000"


@given(st.text())
def test_no_character_is_lost_and_none_that_is_unseen_is_shown(text: str) -> None:
    seen = "".join(piece.text for piece in pieces(text) if not piece.is_unseen)
    assert len(seen) + count_unseen(text) == len(text)
    assert count_unseen(seen) == 0


@given(st.text(), st.integers(min_value=0, max_value=80))
def test_a_text_that_is_cut_begins_as_it_does_and_weighs_no_more_than_it_may(text: str, most: int) -> None:
    whole = pieces(text)
    shown = cut(whole, most)
    if weigh(whole) <= most:
        assert shown == whole
        return
    assert weigh(shown[:-1]) <= most
    told = "".join(piece.text for piece in shown[:-1])
    assert "".join(piece.text for piece in whole).startswith(told)


def test_a_long_text_of_one_piece_is_not_cut_to_nothing() -> None:
    assert cut(pieces("東" * 40), 30) == (Piece("東" * 10), Piece("…"))
    assert cut_and_told(pieces("a" * 40), 30)[-1] == Piece("… and 10 more characters")


def test_values_say_what_they_are() -> None:
    kinds = [value.kind for value in shown({"a": "x", "b": 1.5, "c": False, "d": None, "e": {"x": 1}, "f": [1, 2]})]
    assert kinds == ["text, 1 character", "number", "yes or no", "nothing", "object, 1 key", "list, 2 items"]


@given(st.text(alphabet="/\\:ae.?#%@= \t\n"))
def test_a_place_is_an_address_of_ours_whatever_is_given(text: str) -> None:
    path, _, query = places.read_place(text).partition("?")
    assert path.startswith("/")
    assert not path.startswith("//")
    assert not set("\\:?#%@ \t\n.") & set(path)
    assert not set("\\/:?#@ \t\n") & set(query)


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=200)))
def test_what_was_searched_for_survives_a_sign_in(query: dict[str, str]) -> None:
    asked = dict(parse_qsl(places.sign_in_for("/toolbox/", query).removeprefix("?"), strict_parsing=True))
    place = places.read_place(asked["to"])
    assert place == asked["to"]
    path, _, kept = place.partition("?")
    assert path == "/toolbox"
    if len(place) > len(path):
        assert parse_qs(kept, keep_blank_values=True, errors="replace").keys() == {
            name.encode(errors="replace").decode() for name in query
        }


def test_the_forms_words_are_the_schemes_fields() -> None:
    assert {words.name for words in WORDS} == set(SCHEMES)
    for words in WORDS:
        scheme = SCHEMES[words.name]
        for said, real in ((words.config, scheme.config), (words.secret, scheme.secret)):
            assert [(field.name, not field.is_optional) for field in said] == [(f.name, f.required) for f in real]


@pytest.mark.parametrize(
    ("vendor", "domain", "bears"),
    [
        ("postmark", "postmarkapp.com", True),
        ("google-calendar", "googlecalendar.com", True),
        ("google-calendar", "googleapis.com", False),
        ("github", "evil.example", False),
        ("github", None, False),
    ],
)
def test_a_host_bears_the_vendors_name_in_its_registrable_domain(vendor: str, domain: str | None, bears: bool) -> None:
    assert names_vendor(vendor, domain) is bears


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36",
            "Chrome on Linux",
        ),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile Safari/604.1", "Safari on iPhone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/150.0 Safari/537.36 Edg/150.0", "Edge on Windows"),
        ("curl/8.0", "curl/8.0"),
        ("", "A browser without a name"),
    ],
)
def test_a_browser_is_called_what_a_person_calls_it(agent: str, name: str) -> None:
    assert browser_name(agent) == name
