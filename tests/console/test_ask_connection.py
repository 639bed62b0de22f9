"""The pages that ask for an account, and for its credential."""

from __future__ import annotations

from typing import Any

import pytest

from chalicelib.model import Ask, Connection
from chalicelib.services import requests
from chalicelib.services.asks import Waiting
from chalicelib.services.requests import Connected, WantedConnection
from tests.console.browser import Browser, heading, text_of
from tests.services.world import PERSON, World

SECRET = "sk-canary-0123456789"


def ask_for(world: World, **changes: Any) -> Ask:
    wanted: dict[str, Any] = {
        "vendor": "postmark",
        "primary_host": "api.postmarkapp.com",
        "scheme": "api_key_header",
        "scheme_config": {"headerName": "X-Postmark-Server-Token"},
        "display_name": "Postmark, build reports",
    }
    answer = requests.request_connection(world.deps, world.caller(), WantedConnection(**wanted | changes))
    return world.asked(answer)


def repeated(world: World) -> object:
    wanted = WantedConnection(
        "postmark", "api.postmarkapp.com", "api_key_header", {"headerName": "X-Postmark-Server-Token"}
    )
    return requests.request_connection(world.deps, world.caller(), wanted)


def connections_of(world: World) -> list[Connection]:
    return world.deps.store.grants.connections(PERSON)


def test_every_host_comes_first_and_the_agents_words_after(world: World, mine: Browser) -> None:
    ask = ask_for(world, hosts=["mail-relay.example.org"], docs_url="https://evil.example/<b>")
    page = mine.get(f"/a/{ask.code}")
    assert heading(page) == "Your secret would go to"
    text = text_of(page.body)
    order = ["Your secret would go to", "api.postmarkapp.com", "mail-relay.example.org", "demo asks for a connection"]
    order += ["Postmark, build reports", "demo’s words, not checked by Graft", "Connect"]
    at = 0
    for words in order:
        at = text.index(words, at)
    assert "<b>" not in page.body.partition("evil.example")[2][:10]
    assert "https://evil.example" in text


def test_a_host_that_does_not_bear_the_vendors_name_is_warned_of(world: World, mine: Browser) -> None:
    text = text_of(mine.get(f"/a/{ask_for(world, hosts=['mail-relay.example.org']).code}").body)
    assert "“postmark” is not in mail-relay.example.org." in text
    assert "is not in api.postmarkapp.com" not in text


def test_the_secret_is_typed_here_and_the_repeated_call_answers_connected(world: World, mine: Browser) -> None:
    ask = ask_for(world)
    page = mine.get(f"/a/{ask.code}").body
    assert 'name="api_key_header.key" type="password"' in page
    assert 'value="X-Postmark-Server-Token"' in page
    answered = mine.post(
        f"/a/{ask.code}",
        answer="connect",
        display_name="Mine",
        primary_host="api.postmarkapp.com",
        scheme="api_key_header",
        **{"api_key_header.headerName": "X-Postmark-Server-Token", "api_key_header.key": SECRET},
    )
    assert heading(answered) == "Connected"
    (made,) = connections_of(world)
    assert (made.display_name, made.vendor, made.hosts) == ("Mine", "postmark", ("api.postmarkapp.com",))
    assert repeated(world) == Connected(made.id)


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_is_kept_except_the_secret(
    world: World, mine: Browser
) -> None:
    ask = ask_for(world)
    mine.get(f"/a/{ask.code}")
    page = mine.post(
        f"/a/{ask.code}",
        answer="connect",
        display_name="Typed <name>",
        primary_host="https://api.postmarkapp.com/",
        hosts="two.example.org",
        scheme="api_key_header",
        **{"api_key_header.headerName": "Host", "api_key_header.key": SECRET},
    )
    assert page.status == 422
    assert SECRET not in page.body
    assert "Typed &lt;name&gt;" in page.body
    assert 'value="two.example.org"' in page.body
    assert 'id="primary-host-wrong"' in page.body
    assert 'id="api_key_header-headerName-wrong"' in page.body
    assert "This names a header" in page.body
    assert connections_of(world) == []


def test_an_empty_secret_is_asked_for_again(world: World, mine: Browser) -> None:
    ask = ask_for(world)
    mine.get(f"/a/{ask.code}")
    page = mine.post(
        f"/a/{ask.code}",
        answer="connect",
        primary_host="api.postmarkapp.com",
        scheme="api_key_header",
        **{"api_key_header.headerName": "X-Postmark-Server-Token"},
    )
    assert "This is required." in page.body
    assert 'id="api_key_header-key-wrong"' in page.body


OAUTH = {
    "scheme": "oauth2_client_credentials",
    "scheme_config": {"tokenUrl": "https://login.elsewhere.example.org/token"},
}


def oauth_form(**more: str) -> dict[str, str]:
    return {
        "answer": "connect",
        "primary_host": "api.postmarkapp.com",
        "scheme": "oauth2_client_credentials",
        "oauth2_client_credentials.tokenUrl": "https://login.elsewhere.example.org/token",
        "oauth2_client_credentials.clientId": "id",
        "oauth2_client_credentials.clientSecret": SECRET,
        **more,
    }


def test_a_token_url_elsewhere_has_to_be_confirmed_by_name(world: World, mine: Browser) -> None:
    ask = ask_for(world, **OAUTH)
    page = mine.get(f"/a/{ask.code}").body
    assert page.index("login.elsewhere.example.org") < page.index("api.postmarkapp.com")
    assert 'name="confirmed_host" value="login.elsewhere.example.org"' in page
    unconfirmed = mine.post(f"/a/{ask.code}", **oauth_form())
    assert unconfirmed.status == 422
    assert 'name="confirmed_host" value="login.elsewhere.example.org"' in unconfirmed.body
    other = mine.post(f"/a/{ask.code}", **oauth_form(confirmed_host="login.example.com"))
    assert other.status == 422
    assert connections_of(world) == []
    assert heading(mine.post(f"/a/{ask.code}", **oauth_form(confirmed_host="login.elsewhere.example.org"))) == (
        "Connected"
    )
    (made,) = connections_of(world)
    assert made.scheme_config["tokenHostConfirmed"] == "login.elsewhere.example.org"


def test_a_decline_is_told_and_can_be_taken_back(world: World, mine: Browser) -> None:
    ask = ask_for(world)
    mine.get(f"/a/{ask.code}")
    page = mine.post(f"/a/{ask.code}", answer="decline")
    assert heading(page) == "Declined"
    assert "Let it ask again" in page.body
    with pytest.raises(Exception, match="connection_declined"):
        repeated(world)
    mine.post(f"/asks/{ask.code}/again")
    assert isinstance(repeated(world), Waiting)


def test_whoever_connects_second_is_told(world: World, mine: Browser) -> None:
    ask, other = ask_for(world), Browser(world.deps).sign_in(PERSON)
    for browser in (mine, other):
        browser.get(f"/a/{ask.code}")
    mine.post(f"/a/{ask.code}", answer="decline")
    late = other.post(
        f"/a/{ask.code}",
        answer="connect",
        primary_host="api.postmarkapp.com",
        scheme="bearer",
        **{"bearer.token": SECRET},
    )
    assert heading(late) == "Declined"
    assert "Already answered" in late.body
    assert connections_of(world) == []


@pytest.mark.parametrize(
    ("scheme", "config"),
    [
        ("none", {}),
        ("bearer", {}),
        ("api_key_header", {"headerName": "X-Key", "prefix": "Token"}),
        ("api_key_query", {"queryParam": "api_key"}),
        ("basic", {}),
        ("oauth2_client_credentials", {"tokenUrl": "https://login.postmarkapp.com/token", "scopes": "a b"}),
    ],
)
def test_the_page_stands_for_every_scheme(world: World, mine: Browser, scheme: str, config: dict[str, str]) -> None:
    ask = ask_for(world, scheme=scheme, scheme_config=config)
    page = mine.get(f"/a/{ask.code}")
    assert page.status == 200
    assert f'value="{scheme}" checked' in page.body
    for value in config.values():
        assert f'value="{value}"' in page.body


@pytest.fixture
def connection(world: World) -> Connection:
    return world.connect(display_name="Demo notes")


def credential_ask(world: World, connection: Connection, reason: str = "it answered <401>") -> Ask:
    return world.asked(requests.request_credential(world.deps, world.caller(), connection.id, reason))


def test_a_credential_is_entered_again_in_place_of_the_old_one(
    world: World, mine: Browser, connection: Connection
) -> None:
    ask = credential_ask(world, connection)
    page = mine.get(f"/a/{ask.code}")
    assert "it answered &lt;401&gt;" in page.body
    assert world.vendor_host in page.body
    faulty = mine.post(f"/a/{ask.code}", answer="connect")
    assert (faulty.status, "This is required." in faulty.body) == (422, True)
    done = mine.post(f"/a/{ask.code}", answer="connect", **{"bearer.token": SECRET})
    assert heading(done) == "Connected"
    assert SECRET not in done.body
    assert connections_of(world)[0].secret_revision == 2


def test_a_credential_can_be_declined(world: World, mine: Browser, connection: Connection) -> None:
    ask = credential_ask(world, connection)
    mine.get(f"/a/{ask.code}")
    assert heading(mine.post(f"/a/{ask.code}", answer="decline")) == "Declined"
    assert connections_of(world)[0].secret_revision == 1


def test_the_ask_for_a_revoked_connections_credential_is_closed(
    world: World, mine: Browser, connection: Connection
) -> None:
    ask = credential_ask(world, connection)
    mine.get(f"/connections/{connection.id}/revoke")
    mine.post(f"/connections/{connection.id}/revoke")
    assert heading(mine.get(f"/a/{ask.code}")) == "Closed"
