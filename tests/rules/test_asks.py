from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.model import (
    AcquireQuestion,
    Agent,
    AskAnswer,
    AskPlace,
    Connection,
    ConnectionQuestion,
    ConnectionState,
    CredentialQuestion,
    ToolQuestion,
    ToolVersion,
    VendorAnswer,
)
from chalicelib.rules.asks import (
    Standing,
    decide_standing,
    find_acquire_staleness,
    find_staleness,
    input_digest,
    is_worthless,
    question_digest,
)

NOW = datetime(2026, 11, 30, 14, 18, tzinfo=UTC)
HOUR = timedelta(hours=1)
MS = timedelta(milliseconds=1)
TOOL = ToolQuestion("demo__a", 2, "c1", ("a.example",), {"text": "x"}, every_time=False)
CONNECTION = ConnectionQuestion("demo", "a.example", "bearer", {}, ("a.example", "b.example"), "Demo", "")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_the_waiting_input_is_part_of_the_question_only_when_each_call_is_asked_for() -> None:
    other = replace(TOOL, input={"text": "y"})
    assert question_digest(TOOL) == question_digest(other)
    each, each_other = replace(TOOL, every_time=True), replace(other, every_time=True)
    assert len({question_digest(q) for q in (TOOL, each, each_other)}) == 3


@pytest.mark.parametrize("changed", [{"version": 3}, {"tool": "demo__b"}, {"connection_id": None}])
def test_another_version_tool_or_connection_is_another_question(changed: dict[str, Any]) -> None:
    assert question_digest(TOOL) != question_digest(replace(TOOL, **changed))


def test_the_agents_words_make_no_new_question() -> None:
    assert question_digest(CONNECTION) == question_digest(replace(CONNECTION, display_name="Mine", docs_url="x"))
    assert question_digest(CredentialQuestion("c1", "a")) == question_digest(CredentialQuestion("c1", "b"))


def test_the_order_of_further_hosts_makes_no_new_question_and_another_primary_one_does() -> None:
    third = replace(CONNECTION, hosts=("a.example", "b.example", "c.example"))
    turned = replace(CONNECTION, hosts=("a.example", "c.example", "b.example"))
    assert question_digest(third) == question_digest(turned)
    assert question_digest(CONNECTION) != question_digest(replace(CONNECTION, primary_host="b.example"))


@given(st.dictionaries(st.text(), json_values))
def test_the_order_of_keys_makes_no_new_input(value: dict[str, Any]) -> None:
    assert input_digest(value) == input_digest(dict(reversed(value.items())))


def place(answer: AskAnswer | None = None, answered_at: datetime | None = None) -> AskPlace:
    return AskPlace("a1", "code", NOW - 23 * HOUR, NOW + HOUR, answer, answered_at)


@pytest.mark.parametrize(
    ("found", "at", "standing"),
    [
        (None, NOW, Standing.NOTHING),
        (place(), NOW, Standing.OPEN),
        (place(), NOW + HOUR - MS, Standing.OPEN),
        (place(), NOW + HOUR, Standing.NOTHING),
        (place(AskAnswer.CONNECTED, NOW), NOW + timedelta(minutes=10) - MS, Standing.CONNECTED),
        (place(AskAnswer.CONNECTED, NOW), NOW + timedelta(minutes=10), Standing.NOTHING),
        (place(AskAnswer.DECLINED, NOW), NOW + HOUR - MS, Standing.DECLINED),
        (place(AskAnswer.DECLINED, NOW), NOW + HOUR, Standing.NOTHING),
    ],
)
def test_a_repeated_call_finds_its_question_as_it_stands(
    found: AskPlace | None, at: datetime, standing: Standing
) -> None:
    assert decide_standing(found, at) is standing


def tool(version: int = 2) -> ToolVersion:
    return ToolVersion("demo", "a", version, "d", {}, "s", frozenset({"POST"}), "c1", "agent", NOW)


def connection(**changes: Any) -> Connection:
    known = Connection("p", "c1", "demo", "Demo", "none", {}, "a.example", ("a.example",), ConnectionState.LIVE, NOW)
    return replace(known, **changes)


def agent(*connection_ids: str) -> Agent:
    """Who may use every connection, unless some are named."""
    return Agent("p", "agent", "demo", "hash", 20, 21, frozenset(connection_ids) or None, NOW)


OTHER = connection(id="c2")
REVOKED = connection(state=ConnectionState.REVOKED)


@pytest.mark.parametrize(
    ("current", "asker", "connections", "why"),
    [
        (tool(), agent(), [connection()], None),
        (tool(), agent(), [connection(), OTHER], None),
        (tool(), agent("c1"), [connection(), OTHER], None),
        (tool(version=3), agent(), [connection()], "version 3 now"),
        (None, agent(), [connection()], "no longer in the toolbox"),
        (tool(), None, [connection()], "cannot be read"),
        (tool(), agent(), [], "was revoked"),
        (tool(), agent(), [REVOKED], "was revoked"),
        (tool(), agent(), [connection(state=ConnectionState.REVOKING)], "was revoked"),
        (tool(), agent(), [REVOKED, OTHER], "would use another connection"),
        (tool(), agent(), [REVOKED, OTHER, connection(id="c3")], "several live connections"),
        (tool(), agent("c9"), [connection()], "not among those chosen for it"),
        (tool(), agent("c2"), [connection(), OTHER], "would use another connection"),
        (tool(), agent(), [connection(hosts=("a.example", "evil.example"))], "evil.example"),
    ],
)
def test_an_answer_fits_only_what_was_asked(
    current: ToolVersion | None, asker: Agent | None, connections: list[Connection], why: str | None
) -> None:
    found = find_staleness(TOOL, current, asker, connections)
    assert (found is None) if why is None else (found is not None and why in found)


@pytest.mark.parametrize(
    ("connections", "why"),
    [
        ([], None),
        ([connection(vendor="other")], None),
        ([REVOKED], None),
        ([connection()], "would use another connection"),
        ([connection(), OTHER], "several live connections"),
    ],
)
def test_a_question_about_a_tool_without_a_connection_is_stale_once_it_would_use_one(
    connections: list[Connection], why: str | None
) -> None:
    unbound = replace(tool(), connection_id=None)
    found = find_staleness(replace(TOOL, connection_id=None), unbound, agent(), connections)
    assert (found is None) if why is None else (found is not None and why in found)


@pytest.mark.parametrize(
    ("asker", "connections", "provider", "why"),
    [
        (agent(), [connection()], "bedrock", None),
        (agent("c1"), [connection()], "bedrock", None),
        (None, [connection()], "bedrock", "cannot be read"),
        (agent(), [REVOKED, OTHER], "bedrock", "was revoked"),
        (agent("c2"), [connection(), OTHER], "bedrock", "not among those chosen for it"),
        (agent(), [connection()], "elsewhere", "Another provider"),
        (agent(), [connection()], None, "No model"),
        (agent(), [connection(hosts=("evil.example",))], "bedrock", "evil.example"),
    ],
)
def test_having_tools_written_is_allowed_only_for_what_was_named(
    asker: Agent | None, connections: list[Connection], provider: str | None, why: str | None
) -> None:
    question = AcquireQuestion("c1", "demo", "Demo", ("a.example",), "bedrock", "g")
    found = find_acquire_staleness(question, asker, connections, provider)
    assert (found is None) if why is None else (found is not None and why in found)


@pytest.mark.parametrize(
    ("status", "seconds", "worthless"),
    [(401, 1, True), (403, 1, True), (401, 0, False), (401, -1, False), (500, 1, False)],
)
def test_a_credential_is_worth_nothing_once_the_vendor_refuses_it(status: int, seconds: int, worthless: bool) -> None:
    place = AskPlace("a1", "code", NOW, NOW, AskAnswer.CONNECTED, answered_at=NOW)
    answered = VendorAnswer("c1", status, "", NOW + timedelta(seconds=seconds))
    assert is_worthless(place, answered) is worthless
    assert not is_worthless(place, None)
