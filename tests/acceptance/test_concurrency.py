"""Many calls at once of one agent."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from chalicelib.model import Direction
from chalicelib.services.deps import Deps

from .graft import Graft, facts_of
from .main_job import LIST_NOTES
from .rpc import Agent

CALLS = 50


def test_fifty_calls_with_a_promotion_in_the_middle_lose_no_ledger_line_and_no_promotion(
    graft: Graft, agent: Agent, deps: Deps
) -> None:
    """Report: pynamodb/PynamoDB#1264"""

    def call(number: int) -> tuple[int, bool]:
        if number == CALLS // 2:
            answer = agent.call_raw("promote", vendor="demo", name="create-note")
        else:
            answer = agent.call_raw("run_tool", vendor="demo", name="list-notes")
        return answer.status, answer.result["isError"]

    agent.promote(LIST_NOTES)
    with ThreadPoolExecutor(CALLS + 1) as pool:
        answers = list(pool.map(call, range(CALLS + 1)))

    assert Counter(answers) == {(200, False): CALLS + 1}
    facts = facts_of(deps, agent)
    assert [promotion.tool for promotion in facts.promotions] == [LIST_NOTES, "demo__create-note"]
    moved = [change.tool for record in deps.store.sets.history(facts.agent) for change in record.changes]
    assert moved == ["demo__create-note", LIST_NOTES]
    ledger = deps.store.runs.ledger(facts.agent, limit=None)
    assert Counter((line.run.tool, line.outcome) for line in ledger) == {(LIST_NOTES, "ok"): CALLS}
    assert facts.agent.runs == {}
    assert "Traceback" not in graft.log()


def test_promotions_at_once_are_all_kept_each_with_its_own_record(agent: Agent, deps: Deps) -> None:
    tools = [LIST_NOTES, "demo__create-note", "demo__delete-note"]
    with ThreadPoolExecutor(2 * len(tools)) as pool:
        promoted = list(pool.map(agent.promote, 2 * tools))
    assert Counter(each["changed"] for each in promoted) == {True: len(tools), False: len(tools)}
    assert sorted(agent.authored()) == sorted(tools)
    records = deps.store.sets.history(facts_of(deps, agent).agent)
    assert sorted(record.list_revision for record in records) == [1, 2, 3]
    assert {(c.tool, c.direction) for record in records for c in record.changes} == {
        (tool, Direction.PROMOTED) for tool in tools
    }
