"""The main job with every client that is not the Python SDK 2.x of tests/acceptance."""

from __future__ import annotations

import pytest

from tests.acceptance.driver import Connect
from tests.acceptance.main_job import tell_listening, tell_main_job, tell_polling
from tests.acceptance.rpc import Agent

from .conftest import KINDS, Kind

WITH_SESSIONS = [kind for kind in KINDS if kind.has_sessions]
STATELESS = [kind for kind in KINDS if not kind.has_sessions]


def name_of(kind: Kind) -> str:
    return kind.name


@pytest.mark.parametrize("kind", WITH_SESSIONS, ids=name_of)
def test_the_handshake_era_does_the_main_job_and_hears_each_change_in_the_answer(connect: Connect, kind: Kind) -> None:
    with connect(kind) as client:
        tell_main_job(client, kind.name, hears=True)


@pytest.mark.parametrize("kind", STATELESS, ids=name_of)
def test_the_stateless_era_does_the_main_job(connect: Connect, kind: Kind) -> None:
    with connect(kind) as client:
        tell_main_job(client, kind.name, hears=False)


@pytest.mark.parametrize("kind", WITH_SESSIONS, ids=name_of)
def test_a_client_that_ignores_notifications_does_the_main_job(connect: Connect, kind: Kind) -> None:
    with connect(kind, MCP_DEAF="1") as client:
        tell_main_job(client, f"{kind.name}-deaf", hears=False)


@pytest.mark.parametrize("kind", WITH_SESSIONS, ids=name_of)
def test_the_handshake_era_hears_by_polling_what_another_connection_changes(
    connect: Connect, agent: Agent, kind: Kind
) -> None:
    with connect(kind) as client:
        tell_polling(client, agent, kind.name)


@pytest.mark.parametrize("kind", STATELESS, ids=name_of)
def test_the_stateless_era_hears_by_a_subscription_what_another_connection_changes(
    connect: Connect, agent: Agent, kind: Kind
) -> None:
    with connect(kind) as client:
        tell_listening(client, agent, kind.name)
