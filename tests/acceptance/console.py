"""A person over plain HTTP: follows links, keeps cookies, sends the forms that pages hold."""

from __future__ import annotations

import re
from html import unescape
from http.cookiejar import CookieJar
from typing import Final
from urllib.error import HTTPError
from urllib.parse import urlencode, urljoin, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener

PAGE_SECONDS: Final = 30
_TOKEN: Final = re.compile(r'name="form_token" value="([^"]*)"')


class Person:
    def __init__(self, console_url: str) -> None:
        self._console_url = console_url
        self._opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.page = ""
        """The HTML of where the person is."""
        self.status = 0

    def open(self, address: str) -> Person:
        return self._load(Request(urljoin(self._console_url, address)))

    def send(self, path: str, **fields: str) -> Person:
        """The form of this page that leads to `path`."""
        found = _TOKEN.search(self.page)
        assert found is not None, "the page holds no form"
        body = urlencode({"form_token": unescape(found[1]), **fields}).encode()
        parts = urlsplit(self._console_url)
        return self._load(
            Request(urljoin(self._console_url, path), body, {"Origin": f"{parts.scheme}://{parts.netloc}"})
        )

    @property
    def heading(self) -> str:
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.page, re.DOTALL)
        assert found is not None, self.page
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", found[1]))).strip()

    def _load(self, request: Request) -> Person:
        try:
            with self._opener.open(request, timeout=PAGE_SECONDS) as answer:
                self.status, self.page = answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                self.status, self.page = error.code, error.read().decode()
        return self
