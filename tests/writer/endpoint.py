"""A model on loopback that says what it was told to, in the wire format of Bedrock or of OpenAI."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias
from urllib.parse import unquote

Said: TypeAlias = "str | int | bytes | Callable[[list[dict[str, str]]], str]"
"""A reply; a status to fail with; a body in no format; or what makes the reply of the conversation so far."""


@dataclass
class Asked:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        if "system" in self.body:
            return "".join(part["text"] for part in self.body["system"])
        return str(self.body["messages"][0]["content"])

    @property
    def messages(self) -> list[dict[str, str]]:
        """(role, text) of every turn, whatever the format."""
        turns = self.body["messages"] if "system" in self.body else self.body["messages"][1:]
        return [{"role": turn["role"], "text": _text(turn["content"])} for turn in turns]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@dataclass
class Endpoint:
    """Serves inside `with`. `script`: the replies in order; the last one is repeated."""

    script: list[Said] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    tokens: tuple[int, int] = (1000, 200)
    """What each reply says it cost: in, out."""
    refusal: dict[str, Any] = field(default_factory=lambda: {"message": "a secret of the provider's"})
    """The body of a failure."""
    arrived: threading.Event = field(default_factory=threading.Event)
    """Set once a request is held."""
    _held_from: int | None = None
    _let_go: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Endpoint:
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                asked = Asked(unquote(self.path), dict(self.headers.items()), json.loads(raw))
                status, body = endpoint._answer(asked)
                payload = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def will_say(self, replies: Iterable[Said]) -> None:
        self.script = list(replies)

    def hold_from(self, number: int) -> None:
        """From this request on (the first is 0) nothing is answered until `let_go`, and then an error."""
        self._held_from = number

    def let_go(self) -> None:
        self._held_from = None
        self._let_go.set()

    def _answer(self, asked: Asked) -> tuple[int, dict[str, Any] | bytes]:
        self.asked.append(asked)
        if self._held_from is not None and len(self.asked) > self._held_from:
            self.arrived.set()
            self._let_go.wait(60)
            return 503, {}
        said = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if isinstance(said, int):
            return said, self.refusal
        if isinstance(said, bytes):
            return 200, said
        text = said if isinstance(said, str) else said(asked.messages)
        tokens_in, tokens_out = self.tokens
        if asked.path.endswith("/converse"):
            return 200, {
                "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
                "stopReason": "end_turn",
                "usage": {"inputTokens": tokens_in, "outputTokens": tokens_out, "totalTokens": tokens_in + tokens_out},
                "metrics": {"latencyMs": 1},
            }
        return 200, {
            "id": "c1",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out},
        }


def a_tool(
    source: str,
    *,
    name: str = "list-notes",
    description: str = "Lists the notes.",
    schema: dict[str, Any] | None = None,
    test_input: dict[str, Any] | None = None,
    reads: Iterable[str] = (),
) -> str:
    """A reply with a tool, as the model is asked to give it."""
    told = {
        "name": name,
        "description": description,
        "inputSchema": schema or {"type": "object", "properties": {}},
        "testInput": test_input or {},
        "reads": list(reads),
    }
    return f"Here it is.\n\n```python\n{source}```\n\n```json\n{json.dumps(told)}\n```\n"
