"""A browser without a network: it keeps cookies, follows redirects, and sends forms as browsers do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from chalicelib.console.http import PageRequest, PageResponse
from chalicelib.console.knocks import Knocks
from chalicelib.console.router import handle
from chalicelib.model import LinkKind
from chalicelib.services import accounts
from chalicelib.services.deps import Deps

ORIGIN: Final = "http://127.0.0.1:8765"
REDIRECTS_MAX: Final = 5
_TOKEN: Final = re.compile(r'name="form_token" value="([^"]*)"')


@dataclass
class Browser:
    deps: Deps
    origin: str = ORIGIN
    root: str = ""
    cookies: dict[str, str] = field(default_factory=dict)
    knocks: Knocks = field(default_factory=Knocks)
    form_token: str = ""
    """Of the last page that had a form."""
    path: str = ""
    """Where the last answer came from, redirects followed."""

    def get(self, path: str, *, method: str = "GET", follow: bool = True) -> PageResponse:
        return self._follow(self.send(method, path), follow=follow)

    def post(self, path: str, **fields: str) -> PageResponse:
        """Send a form of the last page, as the browser that shows it does."""
        return self._follow(self.post_only(path, **fields), follow=True)

    def post_only(self, path: str, **fields: str) -> PageResponse:
        """The same, and stay where it leads from."""
        given = {"form_token": self.form_token, **fields}
        return self.send("POST", path, body=urlencode(given), headers={"origin": self.origin})

    def send(
        self,
        method: str,
        path: str,
        *,
        body: str = "",
        headers: dict[str, str] | None = None,
        client: str = "192.0.2.1",
    ) -> PageResponse:
        parts = urlsplit(path)
        wanted = {"accept": "text/html", "user-agent": "Test browser", "cookie": self._cookie_header()}
        if body:
            wanted["content-type"] = "application/x-www-form-urlencoded"
        request = PageRequest(
            method=method,
            path=parts.path,
            headers=wanted | (headers or {}),
            query=dict(parse_qsl(parts.query)),
            body=body.encode(),
            root=self.root,
            origin=self.origin,
            client=client,
        )
        answer = handle(self.deps, request, knocks=self.knocks)
        self._learn(answer)
        self.path = path
        return answer

    def sign_in(self, person_id: str) -> Browser:
        secret = accounts.new_link(self.deps, person_id, LinkKind.SIGN_IN)
        answer = self.send("GET", f"/in/{secret}")
        assert answer.status == 303
        return self

    def _follow(self, answer: PageResponse, *, follow: bool) -> PageResponse:
        for _ in range(REDIRECTS_MAX):
            if not follow or answer.status != 303:
                return answer
            answer = self.send("GET", answer.headers["Location"].removeprefix(self.root))
        raise AssertionError("it leads in circles")

    def _learn(self, answer: PageResponse) -> None:
        for cookie in answer.cookies:
            name, _, rest = cookie.partition("=")
            value = rest.partition(";")[0]
            if "Max-Age=0" in cookie:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        found = _TOKEN.search(answer.body)
        if found:
            self.form_token = unescape(found[1])

    def _cookie_header(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())


def heading(answer: PageResponse) -> str:
    """The text of the page's first heading."""
    found = re.search(r"<h1[^>]*>(.*?)</h1>", answer.body, re.DOTALL)
    assert found is not None, answer.body
    return text_of(found[1])


def text_of(html: str) -> str:
    """What a reader reads, with single spaces."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", html))).strip()
