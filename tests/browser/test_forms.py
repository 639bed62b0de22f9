"""A form that outlives its sign-in: nothing is saved, nothing is lost but secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from chalicelib.model import LinkKind
from chalicelib.services import accounts, logins
from chalicelib.services.deps import Deps

from .person import Person

PASSWORD: Final = "four unrelated words"
SECRET: Final = "sk-canary-9876543210"


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_what_was_typed_is_back_after_the_next_sign_in_except_the_secret(
    new_person: Callable[..., Person], deps: Deps, scripts: bool
) -> None:
    person_id, email = deps.new_id(), f"{deps.new_id()}@example.org"
    deps.store.people.add(person_id)
    person = new_person(java_script_enabled=scripts)
    person.open(f"/in/{accounts.new_link(deps, person_id, LinkKind.SET_UP)}")
    person.type("E-mail", email)
    person.type("Password", PASSWORD)
    person.press("Make the account and sign in")
    person.open("/connections")
    person.type("Primary host", "api.acme.example.org")
    person.type("Vendor", "acme")
    person.type("What you call it (optional)", 'Acme "of" <work>')
    person.page.get_by_label("Token", exact=True).fill(SECRET)
    logins.end_all(deps, person_id)
    person.press("Save the connection")
    assert person.heading == "Sign in"
    assert SECRET not in person.page.content()
    assert deps.store.grants.connections(person_id) == []

    person.type("E-mail", email)
    person.type("Password", PASSWORD)
    person.press("Sign in")
    person.sees("Nothing was saved: your sign-in had ended before you sent this.")
    assert person.page.locator("[name=primary_host]").input_value() == "api.acme.example.org"
    assert person.page.locator("[name=display_name]").input_value() == 'Acme "of" <work>'
    assert person.page.get_by_label("Token", exact=True).input_value() == ""
    person.page.get_by_label("Token", exact=True).fill(SECRET)
    person.press("Save the connection")
    person.sees("saved, not tried yet")
    assert [c.vendor for c in deps.store.grants.connections(person_id)] == ["acme"]
    person.page.go_back()
    person.page.go_forward()
    assert [c.vendor for c in deps.store.grants.connections(person_id)] == ["acme"]
