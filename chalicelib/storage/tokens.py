"""Access tokens of connections: one row each, sealed, with a lease for whoever fetches the next one.

A row is written only beside a check that the connection is live with the secret the token was fetched for; a revoke
and a new secret delete it. So no token outlives its secret, and a fetch that ends late leaves nothing behind.
"""

from __future__ import annotations

from datetime import datetime

from chalicelib.model import Connection, StoredToken
from chalicelib.storage import items
from chalicelib.storage.table import Table, Write, check, delete, put, update


class TokenRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def find(self, connection: Connection) -> StoredToken | None:
        """The token of this revision of the secret, used up or not."""
        item = self._table.get(items.token_key(connection.person_id, connection.id))
        return items.to_stored_token(item, connection.secret_revision) if item else None

    def claim(self, connection: Connection, *, holder: str, now: datetime, until: datetime) -> bool:
        """Take the right to fetch the next token until then; taking it twice, after a lost answer, is taking it once.

        False: somebody else has it, or the connection is revoked, or its secret another one.
        """
        lease = update(
            items.token_key(connection.person_id, connection.id),
            "SET #lease_holder = :holder, #lease_until = :until, #expires_at = if_not_exists(#expires_at, :gone)",
            condition="attribute_not_exists(#lease_until) OR #lease_until <= :now OR #lease_holder = :holder",
            values={
                ":holder": items.text(holder),
                ":until": items.moment(until),
                ":now": items.moment(now),
                ":gone": items.expiry(until),
            },
        )
        return self._table.transact([_has_this_secret(connection), lease])

    def keep(self, connection: Connection, token: StoredToken, *, holder: str) -> bool:
        """Write the token and give the lease back. False: the lease is another's by now, or as for `claim`."""
        values = items.token_values(token, connection.secret_revision)
        row = put(
            items.token_key(connection.person_id, connection.id) | values,
            condition="#lease_holder = :holder",
            values={":holder": items.text(holder)},
        )
        return self._table.transact([_has_this_secret(connection), row])

    def release(self, connection: Connection, *, holder: str) -> None:
        """Give the lease back without a token."""
        self._table.write(
            update(
                items.token_key(connection.person_id, connection.id),
                "REMOVE #lease_holder, #lease_until",
                condition="#lease_holder = :holder",
                values={":holder": items.text(holder)},
            )
        )


def forget_token(person_id: str, connection_id: str) -> Write:
    """Part of every write that takes a secret away or puts another in its place."""
    return delete(items.token_key(person_id, connection_id))


def _has_this_secret(connection: Connection) -> Write:
    return check(
        items.connection_key(connection.person_id, connection.id),
        condition="#state = :live AND #secret_revision = :revision AND attribute_exists(#sealed_secret)",
        values={":live": items.text("live"), ":revision": items.number(connection.secret_revision)},
    )
