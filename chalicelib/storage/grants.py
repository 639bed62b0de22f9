"""Rows by which a person lets an agent reach a vendor: connections and approvals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from chalicelib.model import Agent, Answer, Approval, Connection, ConnectionState
from chalicelib.storage import items
from chalicelib.storage.table import Table, Write, check, delete, put, update
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
        return self._table.write(connection_added(connection))

    def replace_connection(self, seen: Connection, connection: Connection) -> bool:
        """False: it was revoked, or its secret replaced, since it was read."""
        return self._table.transact(connection_replaced(seen, connection))

    def begin_revoke(self, connection: Connection, now: datetime) -> bool:
        """Wipe the credential and let no run, promotion or publish use the connection any more. False: it was begun.

        It raises `toolbox_revision`, so that what a sweep decided on before fails for every agent of the person.
        """
        wipe = update(
            items.connection_key(connection.person_id, connection.id),
            "SET #state = :revoking, #due_shard = :shard, #due_at = :now, #revoked_at = :now REMOVE #sealed_secret",
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

    # --- approvals

    def approvals(self, agent: Agent, tool: str) -> list[Approval]:
        """The person's answers about this tool (wire name), one per connection it was asked for."""
        rows = self._table.query(items.agent_pk(agent.person_id, agent.id), f"approval#{tool}#")
        return [items.to_approval(row) for row in rows]

    def all_approvals(self, agent: Agent) -> list[Approval]:
        """Every standing answer about this agent, by tool."""
        return self.approvals_of(agent.person_id, agent.id)

    def approvals_of(self, person_id: str, agent_id: str) -> list[Approval]:
        rows = self._table.query(items.agent_pk(person_id, agent_id), "approval#")
        return [items.to_approval(row) for row in rows]

    def keep_approval(
        self, agent: Agent, seen: Approval | None, approval: Approval, *, also: Sequence[Write] = ()
    ) -> bool:
        """False: it was answered or withdrawn meanwhile, or `also` was refused."""
        return self._table.transact([approval_write(agent.person_id, agent.id, seen, approval), *also])

    def withdraw(self, agent: Agent, approval: Approval) -> bool:
        """Forget an answer, so that the next call asks. False: there is none."""
        key = items.approval_key(agent.person_id, agent.id, approval.tool, approval.connection_id)
        return self._table.write(delete(key, condition="attribute_exists(#pk)"))

    def withdraw_all(self, agent: Agent, connection_id: str) -> None:
        """Delete the agent's approvals for a connection."""
        for approval in self.all_approvals(agent):
            if approval.connection_id == connection_id:
                self.withdraw(agent, approval)


def connection_added(connection: Connection) -> Write:
    return put(items.connection_item(connection), condition="attribute_not_exists(#pk)")


def connection_replaced(seen: Connection, connection: Connection) -> list[Write]:
    """Fails when it was revoked, or its secret replaced, since it was read. The old secret's access token goes."""
    row = put(
        items.connection_item(connection),
        condition="#secret_revision = :seen AND #state = :live",
        values={":seen": items.number(seen.secret_revision), ":live": items.text(ConnectionState.LIVE)},
    )
    return [row, forget_token(seen.person_id, seen.id)]


def approval_write(person_id: str, agent_id: str, seen: Approval | None, approval: Approval) -> Write:
    """Write an answer over the one that was read; none was: there must be none."""
    row = items.approval_item(person_id, agent_id, replace(approval, rev=seen.rev + 1 if seen else 0))
    if seen is None:
        return put(row, condition="attribute_not_exists(#pk)")
    return put(row, condition="#rev = :seen", values={":seen": items.number(seen.rev)})


def pass_spent(person_id: str, agent_id: str, approval: Approval, input_digest: str) -> Write:
    """Takes the pass for one call away; fails when it is gone, or its answer was changed."""
    return update(
        items.approval_key(person_id, agent_id, approval.tool, approval.connection_id),
        "SET #rev = #rev + :one REMOVE #passes.#digest",
        condition="#answer = :every_time AND #version = :version AND attribute_exists(#passes.#digest)",
        values={
            ":one": items.number(1),
            ":every_time": items.text(Answer.ASK_EVERY_TIME),
            ":version": items.number(approval.version),
        },
        names={"#digest": input_digest},
    )


def connection_as_asked(person_id: str, connection_id: str, hosts: Sequence[str]) -> Write:
    """Makes a transaction fail when the connection was revoked, or its hosts are not those that were shown."""
    return check(
        items.connection_key(person_id, connection_id),
        condition="#state = :live AND #hosts = :hosts",
        values={":live": items.text(ConnectionState.LIVE), ":hosts": items.json_text(list(hosts))},
    )
