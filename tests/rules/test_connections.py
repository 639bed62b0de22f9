from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from chalicelib.model import Agent, Connection, ConnectionState
from chalicelib.rules.connections import Unbound, choose_connection, in_scope

NOW = datetime(2026, 11, 30, tzinfo=UTC)
WORK = Connection(
    "p", "work", "github", "Work", "none", {}, "api.github.com", ("api.github.com",), ConnectionState.LIVE, NOW
)
HOME = replace(WORK, id="home", display_name="Home")
OTHER = replace(WORK, id="other", vendor="gitlab")
REVOKED = replace(WORK, id="old", state=ConnectionState.REVOKED)


def test_the_default_is_used_while_it_lives() -> None:
    assert choose_connection("github", "home", [WORK, HOME, OTHER]) == HOME


def test_without_a_usable_default_the_single_live_one_of_the_vendor_is_used() -> None:
    assert choose_connection("github", None, [WORK, OTHER, REVOKED]) == WORK
    assert choose_connection("github", "old", [WORK, OTHER, REVOKED]) == WORK
    assert choose_connection("github", "never-was", [WORK, OTHER]) == WORK


def test_several_are_named_and_none_is_guessed() -> None:
    assert choose_connection("github", None, [WORK, HOME]) == (WORK, HOME)


def test_none_at_all_tells_revoked_from_never_connected() -> None:
    assert choose_connection("github", None, [OTHER]) is Unbound.NONE
    assert choose_connection("github", "old", [OTHER, REVOKED]) is Unbound.REVOKED


def test_a_connection_out_of_scope_does_not_exist_for_the_agent() -> None:
    agent = Agent("p", "a", "demo", "hash", 20, 21, frozenset({"home"}), NOW)
    assert in_scope(agent, [WORK, HOME]) == [HOME]
    assert in_scope(replace(agent, connection_ids=None), [WORK, HOME]) == [WORK, HOME]
