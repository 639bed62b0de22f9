"""Rows by which persons get in: accounts, one-time links, and the browsers that are signed in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from chalicelib.model import Account, Link, LinkKind, Login, Person
from chalicelib.storage import items
from chalicelib.storage.items import Item, from_ms, moment, number, text
from chalicelib.storage.table import Table, Write, delete, put, update

_NEW: Final = "attribute_not_exists(#pk)"
_LINK_KEPT: Final = timedelta(days=1)


class PeopleRows:
    def __init__(self, table: Table) -> None:
        self._table = table

    def find(self, person_id: str) -> Person | None:
        item = self._table.get(items.person_key(person_id))
        return items.to_person(item) if item else None

    def add(self, person_id: str) -> bool:
        row = items.person_key(person_id) | {"toolbox_revision": number(0)}
        return self._table.write(put(row, condition=_NEW))

    # --- accounts

    def find_account(self, email: str) -> Account | None:
        item = self._table.get(items.account_key(email))
        return _to_account(item) if item else None

    def set_password(self, account: Account, password_hash: str) -> bool:
        """False: the password was changed meanwhile."""
        return self._table.write(
            update(
                items.account_key(account.email),
                "SET #password_hash = :new, #failures = :none REMOVE #locked_until",
                condition="#password_hash = :old",
                values={
                    ":new": text(password_hash),
                    ":old": text(account.password_hash),
                    ":none": number(0),
                },
            )
        )

    def note_failure(self, account: Account, locked_until: datetime | None) -> bool:
        """Count one wrong password. False: another was counted meanwhile."""
        expression = "SET #failures = :next"
        values = {":next": number(account.failures + 1), ":seen": number(account.failures)}
        if locked_until is not None:
            expression += ", #locked_until = :until"
            values[":until"] = moment(locked_until)
        key = items.account_key(account.email)
        return self._table.write(update(key, expression, condition="#failures = :seen", values=values))

    def note_success(self, account: Account) -> bool:
        return self._table.write(
            update(
                items.account_key(account.email),
                "SET #failures = :none REMOVE #locked_until",
                condition="attribute_exists(#pk)",
                values={":none": number(0)},
            )
        )

    # --- one-time links

    def add_link(self, link: Link) -> bool:
        row = items.link_key(link.secret_hash) | {
            "person": text(link.person_id),
            "kind": text(link.kind),
            "ends_at": moment(link.expires_at),
            "expires_at": items.expiry(link.expires_at + _LINK_KEPT),
        }
        return self._table.write(put(row, condition=_NEW))

    def find_link(self, secret_hash: str, now: datetime) -> Link | None:
        """A link that can still be used."""
        item = self._table.get(items.link_key(secret_hash))
        if item is None:
            return None
        link = Link(secret_hash, item["person"]["S"], LinkKind(item["kind"]["S"]), from_ms(item["ends_at"]["N"]))
        return link if now < link.expires_at else None

    def use_link(self, link: Link) -> bool:
        """Spend it. False: it was spent already."""
        return self._table.write(self._spend(link))

    def set_up(self, link: Link, account: Account) -> bool:
        """Spend a link for an account. False: the link is spent, or the address is taken."""
        named = update(
            items.person_key(account.person_id),
            "SET #email = :email",
            condition="attribute_exists(#pk) AND attribute_not_exists(#email)",
            values={":email": text(account.email)},
        )
        return self._table.transact([self._spend(link), put(_account_item(account), condition=_NEW), named])

    def _spend(self, link: Link) -> Write:
        return delete(items.link_key(link.secret_hash), condition="attribute_exists(#pk)")

    # --- logins

    def open_login(self, login: Login) -> bool:
        row = items.login_key(login.person_id, login.id) | {
            "secret_hash": text(login.secret_hash),
            "opened_at": moment(login.opened_at),
            "ends_at": moment(login.expires_at),
            "browser": text(login.browser),
            "expires_at": items.expiry(login.expires_at),
        }
        return self._table.write(put(row, condition=_NEW))

    def find_login(self, person_id: str, login_id: str) -> tuple[Person, Login] | None:
        """One round trip; whether it is over is for the caller to see."""
        keys = [items.person_key(person_id), items.login_key(person_id, login_id)]
        found = {item["sk"]["S"].partition("#")[0]: item for item in self._table.get_many(keys)}
        if len(found) < len(keys):
            return None
        return items.to_person(found["person"]), _to_login(found["login"])

    def logins(self, person_id: str) -> list[Login]:
        """Newest first."""
        rows = self._table.query(items.person_pk(person_id), "login#")
        return sorted(map(_to_login, rows), key=lambda login: login.opened_at, reverse=True)

    def keep_form(self, person_id: str, login_id: str, kept: str) -> bool:
        """Empty: forget the one that was kept. False: the login is over."""
        expression = "SET #kept_form = :kept" if kept else "REMOVE #kept_form"
        values = {":kept": text(kept)} if kept else None
        key = items.login_key(person_id, login_id)
        return self._table.write(update(key, expression, condition="attribute_exists(#pk)", values=values))

    def end_login(self, person_id: str, login_id: str) -> bool:
        """False: it was over already."""
        key = items.login_key(person_id, login_id)
        return self._table.write(delete(key, condition="attribute_exists(#pk)"))


def _account_item(account: Account) -> Item:
    return items.account_key(account.email) | {
        "email": text(account.email),
        "person": text(account.person_id),
        "password_hash": text(account.password_hash),
        "failures": number(account.failures),
    }


def _to_account(item: Item) -> Account:
    return Account(
        email=item["email"]["S"],
        person_id=item["person"]["S"],
        password_hash=item["password_hash"]["S"],
        failures=int(item["failures"]["N"]),
        locked_until=from_ms(item["locked_until"]["N"]) if "locked_until" in item else None,
    )


def _to_login(item: Item) -> Login:
    _, _, person_id = item["pk"]["S"].partition("#")
    return Login(
        person_id=person_id,
        id=item["sk"]["S"].removeprefix("login#"),
        secret_hash=item["secret_hash"]["S"],
        opened_at=from_ms(item["opened_at"]["N"]),
        expires_at=from_ms(item["ends_at"]["N"]),
        browser=item["browser"]["S"],
        kept_form=item["kept_form"]["S"] if "kept_form" in item else "",
    )
