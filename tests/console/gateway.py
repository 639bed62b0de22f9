"""A browser in front of app.py's handler: events as a gateway makes them, cookies, forms, redirects."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

ROOT: Final = "/api"
DOMAIN: Final = "graft.example"
HIDDEN: Final = re.compile(
    r'<input type="hidden" name="(form_token|seen|agent_id|connection_id|person_id)" value="([^"]*)"'
)


class GatewayBrowser:
    def __init__(self, handle: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._handle = handle
        self.cookies: dict[str, str] = {}
        self.hidden: dict[str, str] = {}
        """What the forms of the last page carry unseen."""
        self.kept: set[str] = set()
        """Every cookie and every form token that it was ever given."""
        self.path = ""

    def get(self, path: str) -> str:
        """The page that it leads to in the end."""
        return self._sent("GET", path, None)

    def post(self, path: str, **fields: str) -> str:
        return self._sent("POST", path, urlencode({**self.hidden, **fields}))

    def _sent(self, method: str, path: str, body: str | None) -> str:
        answer = self._handle(self._event(method, path, body))
        self.path = path
        self._learn(answer)
        if answer["statusCode"] == 303:
            location: str = answer["headers"]["Location"]
            assert location.startswith(f"{ROOT}/")
            return self.get(location.removeprefix(ROOT))
        page: str = answer["body"]
        return page

    def _event(self, method: str, path: str, body: str | None) -> dict[str, Any]:
        parts = urlsplit(path)
        resource = "/" if parts.path == "/" else "/{proxy+}"
        return {
            "requestContext": {
                "httpMethod": method,
                "resourcePath": resource,
                "path": f"{ROOT}{parts.path}",
                "domainName": DOMAIN,
                "requestId": "page",
                "identity": {"sourceIp": "192.0.2.1"},
            },
            "headers": {
                "accept": "text/html",
                "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
                "origin": f"https://{DOMAIN}",
                "x-forwarded-proto": "https",
                "content-type": "application/x-www-form-urlencoded",
            },
            "multiValueQueryStringParameters": parse_qs(parts.query) or None,
            "pathParameters": None if resource == "/" else {"proxy": parts.path[1:]},
            "stageVariables": None,
            "body": body,
            "isBase64Encoded": False,
        }

    def _learn(self, answer: dict[str, Any]) -> None:
        for cookie in answer.get("multiValueHeaders", {}).get("Set-Cookie", []):
            name, _, rest = cookie.partition("=")
            self.cookies[name] = rest.partition(";")[0]
            self.kept.add(self.cookies[name].rpartition(".")[2])
        found = {name: unescape(value) for name, value in HIDDEN.findall(answer["body"])}
        self.hidden = found or self.hidden
        self.kept.add(self.hidden.get("form_token", ""))
        self.kept.discard("")
