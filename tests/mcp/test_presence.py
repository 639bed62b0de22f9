"""Whoever speaks to the door with a good token was there, whatever it says: the console waits for that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chalicelib.model import Presence
from chalicelib.services import identity
from chalicelib.services.caches import Caches
from chalicelib.services.deps import Deps

from .harness import ENVELOPE, Harness, request

CLIENT = {"io.modelcontextprotocol/clientInfo": {"name": "Some client", "version": "2.0"}}
FIND: dict[str, Any] = {"name": "find_tool", "arguments": {"query": ""}}


def presence_of(deps: Deps, harness: Harness) -> Presence | None:
    agent = identity.identify(deps, harness.token, None).agent
    return deps.store.traces.presence_of([agent]).get(agent.id)


@pytest.mark.parametrize(
    ("method", "params"), [("ping", None), ("tools/list", None), ("tools/call", FIND), ("no/such-method", None)]
)
def test_any_request_without_a_session_shows_that_somebody_is_there(
    deps: Deps, harness: Harness, method: str, params: dict[str, Any] | None
) -> None:
    assert presence_of(deps, harness) is None
    harness.ask(method, params)
    seen = presence_of(deps, harness)
    assert seen is not None
    assert seen.harness == ""


@pytest.mark.parametrize(("method", "params"), [("server/discover", {}), ("tools/list", {}), ("tools/call", FIND)])
def test_any_request_of_the_stateless_era_shows_who_is_there(
    deps: Deps, harness: Harness, method: str, params: dict[str, Any]
) -> None:
    harness.ask_stateless(method, params | {"_meta": ENVELOPE | CLIENT})
    seen = presence_of(deps, harness)
    assert seen is not None
    assert (seen.harness, seen.harness_version) == ("Some client", "2.0")


@pytest.mark.parametrize(("method", "params"), [("tools/list", {}), ("tools/call", FIND)])
def test_a_harness_that_has_named_itself_keeps_its_name(
    deps: Deps, opened: Harness, method: str, params: dict[str, Any]
) -> None:
    named = presence_of(deps, opened)
    assert named is not None
    assert named.harness
    another_process = replace(deps, caches=Caches())
    replace(opened, deps=another_process).ask(method, params)
    seen = presence_of(deps, opened)
    assert seen is not None
    assert seen.harness == named.harness


def test_a_wrong_token_shows_nobody(deps: Deps, harness: Harness) -> None:
    harness.post(request("ping", None), authorization=f"Bearer {harness.token[:-1]}x")
    assert presence_of(deps, harness) is None
