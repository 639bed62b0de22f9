"""All that the table can be asked and told."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.model import (
    Agent,
    AgentFacts,
    Approval,
    ChangeSet,
    Connection,
    Promotion,
    ToolQuestion,
    ToolVersion,
)
from chalicelib.storage import grants, items
from chalicelib.storage.agents import AgentRows
from chalicelib.storage.asks import AskRows
from chalicelib.storage.grants import GrantRows
from chalicelib.storage.jobs import JobRows
from chalicelib.storage.people import PeopleRows
from chalicelib.storage.runs import RunRows
from chalicelib.storage.sets import SetRows
from chalicelib.storage.sweeps import SweepRows
from chalicelib.storage.table import Table, Write
from chalicelib.storage.tokens import TokenRows
from chalicelib.storage.toolbox import ToolboxRows, connection_is_live, current_is, publish_writes
from chalicelib.storage.traces import TraceRows

TABLE_DEFINITION: Final[dict[str, Any]] = {
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
        {"AttributeName": "due_shard", "AttributeType": "S"},
        {"AttributeName": "due_at", "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": items.DUE_INDEX,
            "KeySchema": [
                {"AttributeName": "due_shard", "KeyType": "HASH"},
                {"AttributeName": "due_at", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
"""What `create_table` takes, without the name. infra/ deploys the same."""


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What a call needs beyond the door's facts, from one round trip."""

    tool: ToolVersion | None
    approvals: list[Approval]
    connections: list[Connection]


class Store:
    """One table, in eleven rooms; and the reads and writes that span them."""

    def __init__(
        self,
        client: Any,
        table_name: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self.table = Table(client, table_name, sleep=sleep, jitter=jitter)
        self.agents = AgentRows(self.table)
        self.sets = SetRows(self.table)
        self.runs = RunRows(self.table)
        self.toolbox = ToolboxRows(self.table)
        self.grants = GrantRows(self.table)
        self.asks = AskRows(self.table)
        self.people = PeopleRows(self.table)
        self.sweeps = SweepRows(self.table)
        self.tokens = TokenRows(self.table)
        self.traces = TraceRows(self.table)
        self.jobs = JobRows(self.table)

    def close(self) -> None:
        self.table.close()

    def find_call_facts(self, agent: Agent, tool: str) -> CallFacts:
        """The tool's current version, the answers about it and the person's connections, side by side."""
        version, approvals, connections = self.table.together(
            lambda: self.toolbox.find_current(agent.person_id, tool),
            lambda: self.grants.approvals(agent, tool),
            lambda: self.grants.connections(agent.person_id),
        )
        return CallFacts(version, approvals, connections)

    # --- what an answer writes beside the ask, and what has to hold for it

    def find_approval(self, person_id: str, agent_id: str, tool: str, connection_id: str | None) -> Approval | None:
        item = self.table.get(items.approval_key(person_id, agent_id, tool, connection_id))
        return items.to_approval(item) if item else None

    def approval_write(self, person_id: str, agent_id: str, seen: Approval | None, approval: Approval) -> Write:
        return grants.approval_write(person_id, agent_id, seen, approval)

    def connection_added(self, connection: Connection) -> Write:
        return grants.connection_added(connection)

    def connection_replaced(self, seen: Connection, connection: Connection) -> list[Write]:
        return grants.connection_replaced(seen, connection)

    def connection_is_live(self, connection: Connection) -> Write:
        return connection_is_live(connection.person_id, connection.id)

    def connection_as_asked(self, connection: Connection) -> Write:
        return self.hosts_as_asked(connection.person_id, connection.id, connection.hosts)

    def hosts_as_asked(self, person_id: str, connection_id: str, hosts: Sequence[str]) -> Write:
        return grants.connection_as_asked(person_id, connection_id, hosts)

    def tool_as_asked(self, person_id: str, question: ToolQuestion) -> list[Write]:
        """Hold the version, the connection and its hosts to what the person was shown."""
        checks = [current_is(person_id, question.tool, question.version)]
        if question.connection_id is not None:
            checks.append(grants.connection_as_asked(person_id, question.connection_id, question.hosts))
        return checks

    def pass_spent(self, agent: Agent, approval: Approval, input_digest: str) -> Write:
        return grants.pass_spent(agent.person_id, agent.id, approval, input_digest)

    def promote(
        self, seen: AgentFacts, record: ChangeSet, remaining: Sequence[Promotion], connection_id: str | None
    ) -> bool:
        """Put a tool into the set. False: the set moved, or the tool's connection is no longer live."""
        also = [] if connection_id is None else [connection_is_live(seen.agent.person_id, connection_id)]
        return self.sets.change(seen, record, remaining, also=also)

    def publish(
        self,
        seen: AgentFacts,
        tool: ToolVersion,
        record: ChangeSet | None,
        remaining: Sequence[Promotion],
        *,
        also: Sequence[Write] = (),
    ) -> bool:
        """Write a version and, with `record`, promote it for its publisher: all together or nothing.

        `also`: what else is true only with it.
        """
        person_id = seen.agent.person_id
        writes = [*publish_writes(person_id, tool), *also]
        if record is not None:
            writes += self.sets.change_writes(seen, record, remaining)
        else:
            writes.append(self.sets.touch(seen))
        if tool.connection_id is not None:
            writes.append(connection_is_live(person_id, tool.connection_id))
        return self.table.transact(writes)
