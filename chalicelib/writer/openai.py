"""Chat completions as OpenAI spells them, which many services and local servers speak.

https://platform.openai.com/docs/api-reference/chat
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Sequence
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

from chalicelib.errors import Unanswered
from chalicelib.model import Reply, Said
from chalicelib.writer.unreadable import UNREADABLE

ANSWER_BYTES_MAX: Final = 4 * 1024 * 1024
TRIES: Final = 3
PAUSE_SECONDS: Final = 2.0
NEWER_LIMIT: Final = "max_completion_tokens"
_PASSING: Final = frozenset({408, 409, 429, 500, 502, 503, 504})
"""Statuses after which the same request may be answered."""


class OpenAi:
    """`url`: of the API, up to and without `/chat/completions`. `key`: may be empty, for a server of one's own."""

    def __init__(self, url: str, model_id: str, key: str, *, seconds: float, pause: Callable[[float], None]) -> None:
        self._parts = urlsplit(url.rstrip("/"))
        self.provider = self._parts.netloc.rpartition("@")[2]
        self.model_id = model_id
        self._key = key
        self._seconds = seconds
        self._pause = pause
        self._limit = "max_tokens"

    def reply(self, system: str, messages: Sequence[Said], max_tokens: int) -> Reply:
        """Raises `Unanswered`."""
        turns = [{"role": "system", "content": system}, *({"role": s.role, "content": s.text} for s in messages)]
        for last in (False,) * (TRIES - 1) + (True,):
            body = {"model": self.model_id, "messages": turns, self._limit: max_tokens}
            status, text = self._posted(json.dumps(body).encode())
            if status == 200:
                return self._read(text)
            if last or not (self._learns(status, text) or status in _PASSING):
                raise Unanswered(f"{self.provider} answered with status {status}")
            if status in _PASSING:
                self._pause(PAUSE_SECONDS)
        raise AssertionError("unreachable: the last try returns or raises")

    def _learns(self, status: int, text: bytes) -> bool:
        """Some models take the limit of a reply under its newer name only, and say so."""
        if status != 400 or self._limit == NEWER_LIMIT or NEWER_LIMIT.encode() not in text:
            return False
        self._limit = NEWER_LIMIT
        return True

    def _posted(self, body: bytes) -> tuple[int, bytes]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            with closing(self._connection()) as connection:
                connection.request("POST", f"{self._parts.path}/chat/completions", body, headers)
                response = connection.getresponse()
                return response.status, response.read(ANSWER_BYTES_MAX + 1)
        except (OSError, HTTPException, ValueError) as error:
            raise Unanswered(f"{self.provider} could not be asked ({type(error).__name__})") from None

    def _connection(self) -> HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return HTTPConnection(host, port, timeout=self._seconds)
        return HTTPSConnection(host, port, timeout=self._seconds, context=ssl.create_default_context())

    def _read(self, text: bytes) -> Reply:
        try:
            answer: Any = json.loads(text)
            said = answer["choices"][0]["message"]["content"]
            usage = answer.get("usage") or {}
            if not isinstance(said, str) or len(text) > ANSWER_BYTES_MAX:
                raise ValueError
            return Reply(said, int(usage.get("prompt_tokens", 0)), int(usage.get("completion_tokens", 0)))
        except UNREADABLE:
            raise Unanswered(f"{self.provider} answered something that is no chat completion") from None
