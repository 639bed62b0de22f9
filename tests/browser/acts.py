"""What is done on a page before it is looked at."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from .newcomers import EMAIL, PASSWORD

Act: TypeAlias = Callable[[Any], None]
LOGIN_COOKIE: Final = re.compile(r"^graft-\d+$")


def press(name: str) -> Act:
    """A form's button, and the page that comes of it."""

    def pressed(page: Any) -> None:
        with page.expect_navigation():
            page.get_by_role("button", name=name, exact=True).first.click()

    return pressed


def opened(page: Any) -> None:
    """Every disclosure is opened."""
    page.evaluate("document.querySelectorAll('details').forEach(details => details.open = true)")


def wrong_password(page: Any) -> None:
    page.get_by_label("E-mail", exact=True).fill("you@example.org")
    page.get_by_label("Password", exact=True).fill("no such password")
    press("Sign in")(page)


def no_name(page: Any) -> None:
    page.get_by_label("Name", exact=True).first.fill("")
    nothing_typed("Make the agent")(page)


def nothing_typed(button: str) -> Act:
    def sent(page: Any) -> None:
        page.evaluate("document.querySelectorAll('form').forEach(form => { form.noValidate = true })")
        press(button)(page)

    return sent


def wrong_limits(page: Any) -> None:
    page.locator("#limits [name=cap]").fill("0")
    nothing_typed("Save")(page)


def limits_of_row(page: Any) -> None:
    page.locator("#edit [name=cap]").fill("0")
    nothing_typed("Save")(page)


def named_agent(page: Any, name: str = "made in a browser") -> None:
    page.get_by_label("Name", exact=True).first.fill(name)
    press("Make the agent")(page)


def sent_again(page: Any) -> None:
    """By a reload of the page that shows a token."""
    named_agent(page, "made twice")
    page.reload()


def invited_again(page: Any) -> None:
    press("Invite a person")(page)
    page.reload()


SENT_BESIDE: Final = """() => {
  const form = document.querySelector("#add form");
  return fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) }).then(() => null);
}"""


def connected_again(page: Any) -> None:
    """The form is sent as by a double click without scripts: the first answer is never shown."""
    for field, value in (("Primary host", "api.acme.example.org"), ("Vendor", "acme"), ("Token", "a token")):
        page.get_by_label(field, exact=True).fill(value)
    page.evaluate(SENT_BESIDE)
    press("Save the connection")(page)


def short_password(page: Any) -> None:
    page.get_by_label("E-mail", exact=True).fill("you@example.org")
    page.get_by_label("Password", exact=True).fill("short")
    nothing_typed("Make the account and sign in")(page)


def wrong_old_password(page: Any) -> None:
    page.get_by_label("Password now", exact=True).fill("no such password")
    page.get_by_label("New password", exact=True).fill("short")
    nothing_typed("Change the password")(page)


def forged(page: Any) -> None:
    """A form that another site made up."""
    page.evaluate("document.querySelectorAll('main [name=form_token]').forEach(field => { field.value = 'x' })")
    press("Save")(page)


def expired(page: Any) -> None:
    """The sign-in ends while a connection is described."""
    page.get_by_label("Primary host", exact=True).fill("api.acme.example.org")
    page.get_by_label("Token", exact=True).fill("a token")
    page.context.clear_cookies(name=LOGIN_COOKIE)
    press("Save the connection")(page)


def expired_and_back(page: Any) -> None:
    expired(page)
    page.get_by_label("E-mail", exact=True).fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    press("Sign in")(page)
