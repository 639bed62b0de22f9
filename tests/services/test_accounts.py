"""How persons get in, and how they are put out."""

from __future__ import annotations

import pytest

from chalicelib.errors import Reason, Refusal
from chalicelib.model import LinkKind
from chalicelib.services import accounts, logins, passwords
from chalicelib.services.accounts import Locked, SignInFailed
from tests.services.world import PERSON, World

EMAIL = "Someone@example.org"
PASSWORD = "correct horse battery"


def use(world: World, secret: str, *, email: str = EMAIL, password: str = PASSWORD) -> str:
    link = accounts.find_link(world.deps, secret)
    assert link is not None
    ticket = accounts.set_up(world.deps, link, email, password, "Firefox")
    assert ticket is not None
    return ticket


def with_account(world: World) -> str:
    return use(world, accounts.new_link(world.deps, PERSON, LinkKind.SET_UP))


def fail_five_times(world: World) -> None:
    for _ in range(5):
        with pytest.raises(SignInFailed):
            sign_in(world, password="not the password")


def sign_in(world: World, email: str = EMAIL, password: str = PASSWORD) -> str:
    return accounts.sign_in(world.deps, email, password, "Firefox")


def test_a_set_up_link_makes_an_account_once(world: World) -> None:
    secret = accounts.new_link(world.deps, PERSON, LinkKind.SET_UP)
    signed_in = logins.find_login(world.deps, use(world, secret))
    assert signed_in is not None
    assert signed_in.person.id == PERSON
    assert signed_in.person.email == EMAIL
    assert accounts.find_link(world.deps, secret) is None


def test_a_sign_in_link_signs_in_once(world: World) -> None:
    secret = accounts.new_link(world.deps, PERSON, LinkKind.SIGN_IN)
    link = accounts.find_link(world.deps, secret)
    assert link is not None
    assert accounts.sign_in_by_link(world.deps, link, "curl") is not None
    assert accounts.sign_in_by_link(world.deps, link, "curl") is None
    assert accounts.find_link(world.deps, secret) is None


def test_links_expire(world: World) -> None:
    secret = accounts.new_link(world.deps, PERSON, LinkKind.SIGN_IN)
    world.clock.forward(days=1)
    assert accounts.find_link(world.deps, secret) is None


def test_a_set_up_link_signs_nobody_in_without_a_password(world: World) -> None:
    link = accounts.find_link(world.deps, accounts.new_link(world.deps, PERSON, LinkKind.SET_UP))
    assert link is not None
    assert accounts.sign_in_by_link(world.deps, link, "curl") is None


def test_address_and_password_sign_in_whatever_the_case_of_the_address(world: World) -> None:
    with_account(world)
    for email in (EMAIL, EMAIL.upper(), f" {EMAIL} "):
        assert logins.find_login(world.deps, sign_in(world, email)) is not None


def test_a_wrong_password_and_an_unknown_address_fail_alike(world: World) -> None:
    with_account(world)
    with pytest.raises(SignInFailed):
        sign_in(world, password="not the password")
    with pytest.raises(SignInFailed):
        sign_in(world, email="nobody@example.org")
    assert world.deps.store.people.find_account("nobody@example.org") is None


def test_five_wrong_passwords_lock_the_account_also_for_the_right_one_until_the_lock_ends(world: World) -> None:
    with_account(world)
    fail_five_times(world)
    with pytest.raises(SignInFailed):
        sign_in(world)
    world.clock.forward(seconds=30)
    assert sign_in(world)
    with pytest.raises(SignInFailed):
        sign_in(world, password="not the password")
    assert sign_in(world), "counted afresh"


def test_a_locked_account_an_open_one_and_none_at_all_are_told_apart_by_nothing(world: World) -> None:
    with_account(world)
    told = []
    for email in (EMAIL, "nobody@example.org"):
        for _ in range(7):
            with pytest.raises(SignInFailed) as failed:
                sign_in(world, email, "not the password")
            told.append((type(failed.value), failed.value.args))
    assert len(set(told)) == 1


def test_at_a_locked_account_a_password_is_worked_on_as_long_as_at_any_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_account(world)
    fail_five_times(world)
    looked_at: list[str] = []

    def look(known: str, _: str) -> bool:
        looked_at.append(known)
        return False

    monkeypatch.setattr(passwords, "fits", look)
    with pytest.raises(SignInFailed):
        sign_in(world)
    assert looked_at == [passwords.no_hash()]


def test_only_its_owner_learns_that_an_account_is_locked(world: World) -> None:
    ticket = with_account(world)
    signed_in = logins.find_login(world.deps, ticket)
    assert signed_in is not None
    fail_five_times(world)
    with pytest.raises(Locked) as locked:
        accounts.change_password(world.deps, signed_in.person, signed_in.login.id, PASSWORD, "another good one")
    assert locked.value.wait_seconds == 31


@pytest.mark.parametrize("email", ["", "nobody", "a@b", "a b@example.org", "@example.org", "x" * 250 + "@example.org"])
def test_what_is_no_address_is_refused(world: World, email: str) -> None:
    link = accounts.find_link(world.deps, accounts.new_link(world.deps, PERSON, LinkKind.SET_UP))
    assert link is not None
    with pytest.raises(Refusal) as refused:
        accounts.set_up(world.deps, link, email, PASSWORD, "")
    assert refused.value.reason is Reason.INPUT_INVALID


@pytest.mark.parametrize("password", ["", "short", "x" * 257, "aaaaaaaaaaaa", EMAIL.lower()])
def test_what_is_no_password_is_refused(world: World, password: str) -> None:
    link = accounts.find_link(world.deps, accounts.new_link(world.deps, PERSON, LinkKind.SET_UP))
    assert link is not None
    with pytest.raises(Refusal):
        accounts.set_up(world.deps, link, EMAIL, password, "")


def test_an_invited_person_has_everything_of_their_own(world: World) -> None:
    with_account(world)
    person_id = world.deps.new_id()
    secret = accounts.invite(world.deps, person_id)
    assert secret is not None
    assert accounts.invite(world.deps, person_id) is None
    with pytest.raises(Refusal):
        use(world, secret)  # the address is another person's
    signed_in = logins.find_login(world.deps, use(world, secret, email="other@example.org"))
    assert signed_in is not None
    assert signed_in.person.id == person_id != PERSON


def test_a_login_ends_where_it_was_opened_and_from_anywhere(world: World) -> None:
    here, there, third = with_account(world), sign_in(world), sign_in(world)
    mine = logins.find_login(world.deps, here)
    assert mine is not None
    assert world.deps.store.people.end_login(PERSON, mine.login.id)
    assert logins.find_login(world.deps, here) is None
    kept = logins.find_login(world.deps, there)
    assert kept is not None
    assert logins.end_all(world.deps, PERSON, but=kept.login.id) == 1
    assert logins.find_login(world.deps, third) is None
    assert logins.find_login(world.deps, there) is not None


def test_a_login_ends_by_itself_after_thirty_days(world: World) -> None:
    ticket = with_account(world)
    world.clock.forward(days=30)
    assert logins.find_login(world.deps, ticket) is None


def test_a_changed_password_signs_out_every_other_browser(world: World) -> None:
    here, there = with_account(world), sign_in(world)
    mine = logins.find_login(world.deps, here)
    assert mine is not None
    with pytest.raises(SignInFailed):
        accounts.change_password(world.deps, mine.person, mine.login.id, "not the password", "another good one")
    accounts.change_password(world.deps, mine.person, mine.login.id, PASSWORD, "another good one")
    assert logins.find_login(world.deps, here) is not None
    assert logins.find_login(world.deps, there) is None
    assert sign_in(world, password="another good one")


@pytest.mark.parametrize("ticket", ["", "a.b.c", "p1.x." + "A" * 43, "p1" * 100, "\u2603", "p1.x." + "A" * 44])
def test_a_ticket_that_was_never_given_signs_nobody_in(world: World, ticket: str) -> None:
    assert logins.find_login(world.deps, ticket) is None


def test_a_form_token_is_good_for_one_browser_only(world: World) -> None:
    one = logins.find_login(world.deps, with_account(world))
    two = logins.find_login(world.deps, sign_in(world))
    assert one is not None
    assert two is not None
    assert one.owns(one.form_token)
    assert not one.owns(two.form_token)
    assert not one.owns("")
    assert not one.owns("\u2603")


def test_no_secret_is_kept_in_the_table_or_shown_in_a_repr(world: World) -> None:
    ticket = with_account(world)
    link = accounts.new_link(world.deps, PERSON, LinkKind.SIGN_IN)
    rows = repr(list(world.deps.store.table.scan("pk > :first", {":first": {"S": "!"}})))
    signed_in = logins.find_login(world.deps, ticket)
    account = world.deps.store.people.find_account(EMAIL)
    for text in (rows, repr(signed_in), repr(account)):
        assert ticket.rsplit(".", 1)[1] not in text
        assert link not in text
        assert PASSWORD not in text
    assert account is not None
    assert account.password_hash not in repr(account)
