"""The connection's own query parameter is nobody else's, in whatever spelling."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.proxy.params import comparable, with_params, without
from chalicelib.proxy.paths import build_target

OWN = frozenset({"api_key"})
encodable = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.mark.parametrize(
    "spelling",
    [
        "api_key=x",
        "API_Key=x",
        "api%5Fkey=x",
        "api%5fkey=x",
        "%61pi_key=x",
        "api%255Fkey=x",
        "api.key=x",
        "api%2Ekey=x",
        "api+key=x",
        "api%20key=x",
        "+api_key=x",
        "%09api_key=x",
        "api_key[]=x",
        "api_key%5B0%5D=x",
        "api_key%00=x",
        "api_key",
        "api_key=",
        "api_key=x&api_key=y",
    ],
)
def test_each_spelling_of_it_is_taken_out(spelling: str) -> None:
    assert without(f"/x?{spelling}", OWN) == "/x"
    assert without(f"/x?a=1&{spelling}&b=2", OWN) == "/x?a=1&b=2"
    assert without(f"/x?a=1;{spelling};b=2", OWN) == "/x?a=1;b=2"


@pytest.mark.parametrize(
    "query", ["apikey=x", "api_key2=x", "x_api_key=1", "q=api_key=x", "q=%26api_key=x", "a=1;b", "a"]
)
def test_other_parameters_stay_as_they_are(query: str) -> None:
    assert without(f"/x?{query}", OWN) == f"/x?{query}"


def test_a_path_is_no_query() -> None:
    assert without("/api_key=x/api_key", OWN) == "/api_key=x/api_key"
    assert without("/x?api_key=1", frozenset()) == "/x?api_key=1"


def test_the_key_is_put_in_at_the_end_encoded() -> None:
    assert with_params("/x", [("key", "a&b=c d+é")]) == "/x?key=a%26b%3Dc%20d%2B%C3%A9"
    assert with_params("/x?a=1", [("$key", "k")]) == "/x?a=1&%24key=k"
    assert with_params("/x?a=1", []) == "/x?a=1"


@given(st.lists(st.tuples(encodable, encodable), max_size=5), st.text("apikeyAPIKEY_.[]% +", max_size=12))
def test_nothing_a_server_could_take_for_it_is_left(params: list[tuple[str, str]], name: str) -> None:
    target = without(build_target("/x", [*params, (name, "forged"), ("API_KEY", "forged")]), OWN)
    left = parse_qsl(target.partition("?")[2], keep_blank_values=True)
    assert not any(comparable(quote(found, safe="")) in OWN for found, _ in left)
    sent = parse_qsl(with_params(target, [("api_key", "k")]).partition("?")[2], keep_blank_values=True)
    assert [value for found, value in sent if found.lower() == "api_key"] == ["k"]
