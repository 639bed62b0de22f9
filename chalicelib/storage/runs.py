"""Runs in flight, which are claims in A, and the ledger of those that ended. Why is in docs/adr/0001."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.model import RUNS_IN_FLIGHT_MAX, Agent, AgentFacts, LedgerLine, Pace, Promotion, Rate, Run, RunKind
from chalicelib.storage import items
from chalicelib.storage.facts import SAME_AGENT
from chalicelib.storage.table import Table, Write, put, update


class RunRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def claim(
        self,
        seen: AgentFacts,
        run: Run,
        promotion: Promotion | None,
        pace: Pace,
        *,
        also: Sequence[Write] = (),
    ) -> bool:
        """Put the run in flight and stamp the promoted tool as used, in one plain write. False: read again.

        `promotion`: the tool's place in the set, for a run that is a use. Its slot must still be there, so a stamp
        never lands on a re-promotion. A call of a tool that is not promoted must find the set as it was read, so
        that a promotion which came in between is not robbed of its use.
        `also`: what the claim spends; then it is a transaction.
        """
        agent = seen.agent
        counted, condition, values = _counted(agent.rate, pace)
        expression = f"SET #runs.#run = :run, #rev = #rev + :one, {counted}"
        condition = f"{SAME_AGENT} AND size(#runs) < :most AND attribute_not_exists(#runs.#run) AND {condition}"
        names = {"#run": run.id}
        values |= {
            ":run": items.run_value(run),
            ":one": items.number(1),
            ":most": items.number(RUNS_IN_FLIGHT_MAX),
            ":token_hash": items.text(agent.token_hash),
        }
        if promotion is not None:
            expression += ", #used.#slot = :now"
            condition += " AND attribute_exists(#used.#slot)"
            values[":now"] = items.moment(run.started_at)
            names["#slot"] = promotion.slot
        elif run.kind is RunKind.CALL:
            condition += " AND #list_revision = :list_revision"
            values[":list_revision"] = items.number(agent.list_revision)
        key = items.agent_key(agent.person_id, agent.id)
        write = update(key, expression, condition=condition, values=values, names=names)
        return self._table.transact([write, *also]) if also else self._table.write(write)

    def beat(self, agent: Agent, run: Run) -> bool:
        """Keep a run that lasts in flight until its new deadline, and put it back if it was buried as dead.

        False: the agent is gone.
        """
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #runs.#run = :run, #rev = #rev + :one",
                condition="attribute_exists(#pk) AND attribute_not_exists(#revoked_at)",
                values={":run": items.run_value(run), ":one": items.number(1)},
                names={"#run": run.id},
            )
        )

    def release(self, agent: Agent, line: LedgerLine) -> None:
        """End a run: its ledger line, then its claim. Side by side, a death between them could lose the line."""
        self._table.write(put(items.ledger_item(agent.person_id, agent.id, line)))
        self._remove_run(agent, line.run)

    def bury(self, agent: Agent, line: LedgerLine) -> bool:
        """Write the line of a run whose process is gone, then end its claim. False: the run had its line already."""
        row = items.ledger_item(agent.person_id, agent.id, line)
        is_new = self._table.write(put(row, condition="attribute_not_exists(#pk)"))
        self._remove_run(agent, line.run)
        return is_new

    def _remove_run(self, agent: Agent, run: Run) -> bool:
        return self._table.write(
            update(
                items.agent_key(agent.person_id, agent.id),
                "SET #rev = #rev + :one REMOVE #runs.#run",
                condition="attribute_exists(#runs.#run)",
                values={":one": items.number(1)},
                names={"#run": run.id},
            )
        )

    def ledger(self, agent: Agent, *, limit: int | None = 50) -> list[LedgerLine]:
        """Newest first."""
        return self.ledger_of(agent.person_id, agent.id, limit=limit)

    def ledger_of(self, person_id: str, agent_id: str, *, limit: int | None = 50) -> list[LedgerLine]:
        pk = items.agent_pk(person_id, agent_id)
        return [items.to_ledger_line(row) for row in self._table.query(pk, "ledger#", newest_first=True, limit=limit)]


def _counted(seen: Rate | None, pace: Pace) -> tuple[str, str, dict[str, items.Item]]:
    """How this claim counts towards its minute: (expression, condition, values).

    Claims of one minute add to the row's own count, so they never conflict; only the first of a minute sets it.
    """
    values: dict[str, items.Item] = {":minute": items.number(pace.minute)}
    if seen is None or seen.minute < pace.minute:
        first = "#rate_minute = :minute, #rate_runs = :one"
        return first, "(attribute_not_exists(#rate_minute) OR #rate_minute < :minute)", values
    values[":rate"] = items.number(pace.runs_max)
    return "#rate_runs = #rate_runs + :one", "#rate_minute >= :minute AND #rate_runs < :rate", values
