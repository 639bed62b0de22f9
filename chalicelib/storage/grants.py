"""Rows by which a person lets an agent reach a vendor: connections, approvals, asks."""

from __future__ import annotations

from datetime import datetime

from chalicelib.model import Agent, Approval, Ask, Connection, ConnectionState
from chalicelib.storage import items
from chalicelib.storage.table import Table, delete, put, update
from chalicelib.storage.tokens import forget_token
from chalicelib.storage.toolbox import raise_toolbox_revision


class GrantRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- connections

    def connections(self, person_id: str) -> list[Connection]:
        """Every connection of the person, revoked ones included, oldest first."""
        rows = self._table.query(items.person_pk(person_id), "connection#")
        return sorted((items.to_connection(row) for row in rows), key=lambda c: (c.created_at, c.id))

    def find_connection(self, person_id: str, connection_id: str) -> Connection | None:
        item = self._table.get(items.connection_key(person_id, connection_id))
        return items.to_connection(item) if item else None

    def add_connection(self, connection: Connection) -> bool:
        return self._table.write(put(items.connection_item(connection), condition="attribute_not_exists(#pk)"))

    def replace_connection(self, seen: Connection, connection: Connection) -> bool:
        """False: it was revoked, or its secret replaced, since it was read."""
        row = put(
            items.connection_item(connection),
            condition="#secret_revision = :seen AND #state = :live",
            values={":seen": items.number(seen.secret_revision), ":live": items.text(ConnectionState.LIVE)},
        )
        return self._table.transact([row, forget_token(seen.person_id, seen.id)])

    def begin_revoke(self, connection: Connection, now: datetime) -> bool:
        """Wipe the credential and let no run, promotion or publish use the connection any more. False: it was begun.

        It raises `toolbox_revision`, so that what a sweep decided on before fails for every agent of the person.
        """
        wipe = update(
            items.connection_key(connection.person_id, connection.id),
            "SET #state = :revoking, #due_shard = :shard, #due_at = :now REMOVE #sealed_secret",
            condition="#state = :live",
            values={
                ":revoking": items.text(ConnectionState.REVOKING),
                ":live": items.text(ConnectionState.LIVE),
                ":shard": items.text(items.due_shard(connection.id)),
                ":now": items.moment(now),
            },
        )
        forget = forget_token(connection.person_id, connection.id)
        return self._table.transact([wipe, forget, raise_toolbox_revision(connection.person_id)])

    def end_revoke(self, connection: Connection) -> bool:
        """Nothing of the connection is left to take away."""
        return self._table.write(
            update(
                items.connection_key(connection.person_id, connection.id),
                "SET #state = :revoked REMOVE #due_shard, #due_at",
                condition="#state = :revoking",
                values={
                    ":revoked": items.text(ConnectionState.REVOKED),
                    ":revoking": items.text(ConnectionState.REVOKING),
                },
            )
        )

    def withdraw_all(self, agent: Agent, connection_id: str) -> None:
        """Delete the agent's approvals for a connection, and close its open asks."""
        pk = items.agent_pk(agent.person_id, agent.id)
        for prefix in ("approval#", "ask#"):
            for row in list(self._table.query(pk, prefix)):
                if row["sk"]["S"].endswith(f"#{connection_id}"):
                    self._table.write(delete(items.key(pk, row["sk"]["S"])))

    # --- approvals and asks

    def approvals(self, agent: Agent, tool: str) -> list[Approval]:
        """The person's answers about this tool (wire name), one per connection it was asked for."""
        rows = self._table.query(items.agent_pk(agent.person_id, agent.id), f"approval#{tool}#")
        return [items.to_approval(row) for row in rows]

    def answer(self, agent: Agent, approval: Approval) -> None:
        """Keep the answer and close the ask that it answers, together."""
        ask = items.ask_key(agent.person_id, agent.id, approval.tool, approval.version, approval.connection_id)
        self._table.transact([put(items.approval_item(agent.person_id, agent.id, approval)), delete(ask)])

    def open_ask(self, agent: Agent, ask: Ask) -> bool:
        """False: the question is open already."""
        return self._table.write(
            put(
                items.ask_item(agent.person_id, agent.id, ask),
                condition="attribute_not_exists(#pk) OR #closes_at <= :now",
                values={":now": items.moment(ask.opened_at)},
            )
        )

    def find_ask(self, agent: Agent, tool: str, version: int, connection_id: str | None, now: datetime) -> Ask | None:
        """The open ask of this question."""
        item = self._table.get(items.ask_key(agent.person_id, agent.id, tool, version, connection_id))
        ask = items.to_ask(item) if item else None
        return ask if ask and ask.expires_at > now else None
