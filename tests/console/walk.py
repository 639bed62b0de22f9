"""Every page and every form of the console, one after another, as a person who has something of everything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from chalicelib.console.router import _CODE, ROUTES
from chalicelib.model import Ask, ConnectionQuestion, CredentialQuestion, LinkKind
from chalicelib.services import accounts
from chalicelib.services.deps import Deps

from .gateway import GatewayBrowser

EMAIL: Final = "walker@example.org"
LIMITS: Final = {"name": "walked", "cap": "7", "idle_window_days": "8"}
PAGES: Final = {route.path.replace(_CODE, "{}"): route for route in ROUTES}


@dataclass
class Walk:
    deps: Deps
    browser: GatewayBrowser
    person_id: str
    host: str
    """A vendor that new connections may name."""
    password: str
    credential: str
    """Typed into the forms of connections."""
    links: list[str] = field(default_factory=list)
    """The secrets of the one-time links that were made."""

    def go(self) -> None:
        self.get_in()
        asks = self.deps.store.asks.newest(self.person_id)
        self.look_at_everything(asks)
        for ask in asks:
            self.answer(ask)
            self.browser.post(f"/asks/{ask.code}/again")
        self.manage_an_agent()
        self.manage_a_connection()
        self.settle()

    def link(self, kind: LinkKind) -> str:
        self.links.append(accounts.new_link(self.deps, self.person_id, kind))
        return f"/in/{self.links[-1]}"

    def get_in(self) -> None:
        """By a set-up link, by a wrong and a right password, and by a link that signs in."""
        browser, link = self.browser, self.link(LinkKind.SET_UP)
        browser.get(link)
        browser.post(link, email=EMAIL, password="short")
        browser.post(link, email=EMAIL, password=self.password)
        browser.get("/settings")
        browser.post("/sign-out", to="/asks")
        browser.post("/sign-in", email=EMAIL, password=self.password[::-1])
        browser.post("/sign-in", email=EMAIL, password=self.password)
        browser.get(self.link(LinkKind.SIGN_IN))
        browser.get(link)

    def look_at_everything(self, asks: list[Ask]) -> None:
        connection = self.deps.store.grants.connections(self.person_id)[0]
        agent = self.deps.store.agents.of_person(self.person_id)[0]
        tool = self.deps.store.toolbox.heads(self.person_id)[0].wire_name
        named = {"agents": [agent.id], "connections": [connection.id], "toolbox": [tool]}
        codes = [ask.code for ask in asks]
        for path, route in PAGES.items():
            kind = path.split("/")[1]
            if route.get is not None and path != "/in/{}":
                for name in ({"a": codes} | named).get(kind, [""]):
                    self.browser.get(path.replace("{}", name))

    def answer(self, ask: Ask) -> None:
        page = f"/a/{ask.code}"
        self.browser.get(page)
        match ask.question:
            case ConnectionQuestion() as question:
                self.browser.post(page, answer="connect")
                self.browser.post(page, answer="connect", primary_host=question.primary_host, **self.secret())
            case CredentialQuestion():
                self.browser.post(page, answer="connect", **self.secret())
            case _:
                self.browser.post(page, answer="dry-run")
                self.browser.post(page, answer="allow")
        self.browser.post(page, answer="decline")
        self.browser.post(page, answer="deny", reason="too late")

    def secret(self) -> dict[str, str]:
        return {"scheme": "bearer", "bearer.token": self.credential}

    def manage_an_agent(self) -> None:
        browser = self.browser
        browser.get("/agents/new")
        browser.post("/agents/new", **LIMITS)
        browser.get("/agents")
        made = next(agent for agent in self.deps.store.agents.of_person(self.person_id) if agent.name == "walked")
        page = f"/agents/{made.id}"
        browser.post(f"{page}/edit", **LIMITS)
        browser.post(f"{page}/limits", **LIMITS, preview="1")
        browser.post(f"{page}/limits", **LIMITS)
        browser.post(f"{page}/scope", scope="list")
        browser.post(f"{page}/withdraw", tool="demo__none")
        for form in ("rotate", "revoke"):
            browser.get(f"{page}/{form}")
            browser.post(f"{page}/{form}")

    def manage_a_connection(self) -> None:
        browser = self.browser
        browser.get("/connections")
        browser.post("/connections", vendor="walked", primary_host=self.host, **self.secret())
        made = next(c for c in self.deps.store.grants.connections(self.person_id) if c.vendor == "walked")
        page = f"/connections/{made.id}"
        browser.post(f"{page}/secret", **self.secret())
        browser.post(f"{page}/secret", **{"bearer.token": f"{self.credential} with a space"})
        browser.get(f"{page}/revoke")
        browser.post(f"{page}/revoke")

    def settle(self) -> None:
        """The last of all: nobody is signed in afterwards."""
        browser = self.browser
        browser.get("/settings")
        browser.post("/settings/password", old_password=self.password[::-1], new_password=self.password * 2)
        browser.post("/settings/password", old_password=self.password, new_password=self.password * 2)
        browser.post("/settings/account")
        browser.post("/settings/browsers", login="none")
        browser.post("/settings/invite")
        browser.post("/settings/everywhere")
